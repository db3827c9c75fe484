"""Imports go one way: experiments -> agents -> tabletop <- games."""

import ast
from pathlib import Path

import pytest
from helpers import ROOT

from tabletop.game import BUILT_IN, load

GAME_PACKAGES = {load(name).module for name in BUILT_IN}
ALLOWED = {
    "tabletop": {"tabletop"},
    "agents": {"agents", "tabletop"},
    "experiments": {"experiments", "agents", "tabletop"},
    **{package: {package, "tabletop"} for package in GAME_PACKAGES},
}
SOURCES = [path for package in ALLOWED for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """Return the top-level packages that a file imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    assert imported(path) & set(ALLOWED) <= ALLOWED[package]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_there_is_no_hidden_random_state(path: Path) -> None:
    """21: no global generator: not the module `random`, and of `np.random` only explicit generators."""
    tree = ast.parse(path.read_text())
    assert "random" not in imported(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "np.random":
            assert node.attr in ("default_rng", "Generator", "SeedSequence")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_cached_functions_take_the_record_or_need_nothing_from_elsewhere(path: Path) -> None:
    """Numba's disk cache sees no edit in another file; only a record's dtype tells of it.

    So a compiled function that does not take a record first may read nothing that its own module
    imports but NumPy, sets of actions and the generator, which read no constants from elsewhere.
    """
    tree = ast.parse(path.read_text())
    if "\njit_module(cache=True" not in path.read_text():
        return
    free = {"np", "config", "popcount", "lowest", "highest", "bitset"}
    free |= {"contains", "count", "nth", "unpack", "below", "seed_streams", "Any", "Array", "Seed"}
    outside = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    } - free
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.args.args[:1]:
            if node.args.args[0].arg in ("state", "states"):
                continue
            read = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} & outside
            annotations = {"Record", "States", "Iterator"}
            assert read - annotations == set(), f"{path.name}: {node.name} reads {sorted(read)}"
