"""The README: its examples run, its commands parse, its tables are those of the code (37)."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import ROOT, run_python

from experiments.__main__ import parse
from experiments.listing import actions_table, options_table
from tabletop.game import Game, load

README = ROOT / "README.md"
TABLES: dict[str, Callable[[Game], str]] = {
    "options": options_table,
    "actions": actions_table,
    "observation": lambda game: game.layout.markdown(),
}

pytestmark = pytest.mark.compiled


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def test_the_python_examples_run_one_after_the_other() -> None:
    examples = blocks("python")
    assert len(examples) >= 4
    run_python("\n\n".join(examples))


def test_the_agent_of_the_readme_plays(tmp_path: Path) -> None:
    example = next(block for block in blocks("python") if "AGENT" in block)
    (tmp_path / "cautious.py").write_text(example)
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from experiments.tournament import TournamentOptions, run
run(TournamentOptions(agents=("cautious", "random"), games=2))
"""
    assert "cautious" in run_python(program, str(tmp_path))


def commands() -> list[str]:
    return [
        line.split("#")[0].strip() for block in blocks("sh") for line in block.splitlines() if line.strip()
    ]


@pytest.mark.parametrize("command", [line for line in commands() if line.startswith("nile ")])
def test_the_commands_parse(command: str) -> None:
    options, run = parse(shlex.split(command)[1:])
    assert callable(run)
    assert options is not None


@pytest.mark.parametrize("command", [line for line in commands() if line.startswith("make ")])
def test_the_make_targets_exist(command: str) -> None:
    assert re.search(rf"^{command.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_every_command_is_of_a_known_kind() -> None:
    assert all(line.split()[0] in ("nile", "make") for line in commands())
    assert len(commands()) >= 10


@pytest.mark.parametrize("name", ["ra", "amunre"])
@pytest.mark.parametrize("kind", sorted(TABLES))
def test_the_tables_are_those_of_the_code(name: str, kind: str, request: pytest.FixtureRequest) -> None:
    """Regenerate them with `pytest tests/test_readme.py --regenerate`."""
    table = f"<!-- table: {name} {kind} -->\n{TABLES[kind](load(name))}\n<!-- end -->"
    found = re.search(rf"<!-- table: {name} {kind} -->\n.*?<!-- end -->", README.read_text(), re.DOTALL)
    assert found is not None
    if request.config.getoption("--regenerate"):
        README.write_text(README.read_text().replace(found.group(), table))
    else:
        assert found.group() == table


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", README.read_text()):
        assert (ROOT / target).exists(), target
