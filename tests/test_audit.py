"""The audits of the rulebooks name only what exists, and leave out no rule function, ruling or option."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from helpers import ROOT

from amunre_env.components import PROVINCE_FIELDS, PROVINCES
from tabletop.game import BUILT_IN, load

PACKAGES = [load(name).module for name in BUILT_IN]
TESTS = {"ra_env": ROOT / "tests" / "ra", "amunre_env": ROOT / "tests" / "amunre"}
FUNCTION = re.compile(r"`([a-z]+)\.(?!py`|toml`)([a-z_]+)`")
TEST = re.compile(r"`(test_\w+\.py)::(\w+)`")
RULING = re.compile(r"ruling `([a-z0-9-]+)`")
OPTION = re.compile(r"option `([a-z_]+)`")
FILES = ("tests/test_audit.py", "components.py", "board.toml")
BOARD = re.compile(r"(<!-- board: begin -->\n).*(<!-- board: end -->)", re.DOTALL)


def audit(package: str) -> str:
    return (ROOT / package / "AUDIT.md").read_text(encoding="utf-8")


def rows(package: str) -> list[list[str]]:
    """The cells of every row of the tables about rules, their headings left out."""
    text = audit(package).partition("<!-- board: begin -->")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]
    return [row for row in cells if set(row[0]) != {"-"} and row[1] != "Carried by"]


@cache
def functions(path: Path) -> frozenset[str]:
    """The functions at the top level of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def known_tests(package: str) -> set[tuple[str, str]]:
    return {(path.name, name) for path in TESTS[package].glob("test_*.py") for name in functions(path)}


def rulings_table(package: str) -> dict[str, set[str]]:
    """The rulings that the docstring of the rules lists, with the tests it gives for each."""
    docstring = ast.get_docstring(ast.parse((ROOT / package / "rules.py").read_text())) or ""
    table: dict[str, set[str]] = {}
    name = ""
    for line in docstring.partition("Rulings,")[2].splitlines():
        words = re.match(r" {4}(?:([a-z0-9-]+) +| +)(test_\w+)", line)
        if words:
            name = words[1] or name
            table.setdefault(name, set()).add(words[2])
    return table


@pytest.mark.parametrize("package", PACKAGES)
def test_every_function_that_an_audit_names_exists(package: str) -> None:
    named = set(FUNCTION.findall(audit(package)))
    assert named
    missing = {
        (module, name) for module, name in named if name not in functions(ROOT / package / f"{module}.py")
    }
    assert missing == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_test_that_an_audit_names_exists(package: str) -> None:
    named = set(TEST.findall(audit(package)))
    assert named
    assert named - known_tests(package) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_function_or_test_is_named_in_another_way(package: str) -> None:
    """So that none escapes the two tests above."""
    for words in re.findall(r"`([^`]+)`", audit(package)):
        if words.startswith("test_") or "::" in words:
            assert TEST.fullmatch(f"`{words}`"), words
        elif "." in words and words not in (
            "module.function",
            "tests/test_audit.py",
            "components.py",
            "board.toml",
        ):
            assert FUNCTION.fullmatch(f"`{words}`"), words


@pytest.mark.parametrize("package", PACKAGES)
def test_every_row_of_an_audit_names_code_and_what_holds_it(package: str) -> None:
    assert len(rows(package)) > 50
    for row in rows(package):
        assert FUNCTION.search(row[1]), row
        assert TEST.search(row[-1]) or row[-1].startswith("no rule"), row


@pytest.mark.parametrize("package", PACKAGES)
def test_every_rule_function_is_in_the_audit(package: str) -> None:
    """Those that carry no rule are listed as such, and only those."""
    public = {
        (module, name)
        for module in ("rules", "scoring")
        for name in functions(ROOT / package / f"{module}.py")
        if not name.startswith("_")
    }
    carried = {named for row in rows(package) for named in FUNCTION.findall(row[1])}
    helpers = set(FUNCTION.findall(audit(package).partition("## Not rules\n")[2].partition("##")[0]))
    assert helpers
    assert public - carried == helpers


@pytest.mark.parametrize("package", PACKAGES)
def test_the_audit_names_the_rulings_of_the_rules_and_no_others(package: str) -> None:
    named = {name for row in rows(package) for name in RULING.findall(" ".join(row))}
    assert named == set(rulings_table(package))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_ruling_has_tests_that_exist(package: str) -> None:
    table = rulings_table(package)
    assert len(table) >= 3
    for ruling, tests in table.items():
        assert tests - {name for _, name in known_tests(package)} == set(), ruling


@pytest.mark.parametrize("package", PACKAGES)
def test_every_test_that_the_rules_name_exists(package: str) -> None:
    named = set(re.findall(r"\btest_[a-z0-9_]+", (ROOT / package / "rules.py").read_text()))
    assert named == {name for tests in rulings_table(package).values() for name in tests}
    assert named - {name for _, name in known_tests(package)} == set()


@pytest.mark.parametrize("game", BUILT_IN)
def test_the_audit_names_only_options_that_exist(game: str) -> None:
    options = {option.name for option in load(game).options}
    assert set(OPTION.findall(audit(load(game).module))) <= options


def test_the_audit_of_the_overview_names_every_option_that_it_sets_and_its_choice() -> None:
    game = load("ra")
    text = audit("ra_env").partition("## The overview")[2]
    rulebook, overview = game.resolve_options("rulebook"), game.resolve_options("overview")
    spoken: dict[object, str] = {True: "yes", False: "no"}
    for name in rulebook:
        if overview[name] == rulebook[name]:
            assert f"option `{name}` is off in both presets" in text
        else:
            assert f"option `{name}` = {spoken.get(overview[name], overview[name])}" in text


def board_table() -> str:
    """What is known of the board and what is reconstructed, a row for each field of a province."""
    lines = ["| field | known of | reconstructed for |", "|---|---|---|"]
    for field in PROVINCE_FIELDS:
        known = [name for name, province in PROVINCES.items() if field in province["known"]]
        rest = [name for name in PROVINCES if name not in known]
        lines.append(f"| `{field}` | {told(known)} | {told(rest)} |")
    return "".join(f"{line}\n" for line in lines)


def told(names: list[str]) -> str:
    """Some of the provinces in words."""
    if len(names) in (0, len(PROVINCES)):
        return "all" if names else "none"
    return f"{len(names)}: {', '.join(names)}"


def test_the_audit_tells_what_of_the_board_is_known(pytestconfig: pytest.Config) -> None:
    path = ROOT / "amunre_env" / "AUDIT.md"
    text = path.read_text(encoding="utf-8")
    expected = BOARD.sub(lambda match: f"{match[1]}{board_table()}{match[2]}", text)
    assert BOARD.search(text)
    if pytestconfig.getoption("--regenerate"):
        path.write_text(expected, encoding="utf-8")
    else:
        assert text == expected, "run pytest with --regenerate"
