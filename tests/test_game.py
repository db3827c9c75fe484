"""The facts of a game: found by name, options checked, layouts that describe themselves."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import GAMES

from tabletop import verbs
from tabletop.game import GameError, load, record_dtype, revision
from tabletop.layout import Field, Layout


def test_games_are_found_by_name_and_by_module() -> None:
    assert load("ra") is load("ra_env")
    assert load("high_bid").title == "High Bid"
    assert pickle.loads(pickle.dumps(load("ra"))) is load("ra")


@pytest.mark.parametrize("name", ["chess", "", "tabletop", "numpy", ".ra", "ra_env.rules"])
def test_an_unknown_game_names_the_known_ones(name: str) -> None:
    with pytest.raises(GameError, match=r"unknown game .*; valid: ra, amunre, or a module that has a GAME"):
        load(name)


def test_a_broken_import_inside_a_game_is_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_env.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        load("broken")


def test_a_choice_can_be_given_as_text() -> None:
    """As on the command line."""
    options = load("ra").resolve_options("overview", forced_bid="true", unsold_ra_lot="keep")
    assert options["forced_bid"] is True
    assert options["unsold_ra_lot"] == "keep"
    assert options["god_takes_god"] is True


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_action_names_the_known_ones(name: str) -> None:
    game = load(name)
    with pytest.raises(GameError, match="has no action -1; valid: 0 to"):
        game.action_to_string(-1)
    with pytest.raises(GameError, match=f"{game.name} has no move 'fly'; valid: "):
        game.string_to_action("fly")


def test_a_layout_names_the_parts_of_a_flat_vector() -> None:
    layout = Layout((Field("one", (2, 3), "first", -1, 2), Field("two", (1,), "second")))
    assert layout.size == 7
    assert layout.offsets == {"one": 0, "two": 6}
    flat = np.arange(14, dtype=np.float32).reshape(2, 7)
    views = layout.view(flat)
    assert views["one"].shape == (2, 2, 3)
    assert views["two"].tolist() == [[6], [13]]
    views["one"][1, 0, 0] = 50
    assert flat[1, 0] == 50
    assert layout.low.tolist() == [-1] * 6 + [0]
    assert layout.high.tolist() == [2] * 6 + [1]
    assert "| `one` | 0 | 2 x 3 | -1 to 2 | first |" in layout.markdown()


def test_a_revision_depends_on_every_source(tmp_path: Path) -> None:
    for name in ("rules.py", "board.toml", "weights.json"):
        (tmp_path / name).write_text("1")
    first = revision(tmp_path)
    assert revision(tmp_path) == first
    changed = []
    for name in ("rules.py", "board.toml", "weights.json"):
        (tmp_path / name).write_text("2")
        changed.append(revision(tmp_path))
        (tmp_path / name).write_text("1")
    assert first not in changed[:2]
    assert changed[0] != changed[1]
    assert changed[2] == first  # weights are arguments, not constants, of compiled code


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([("small", np.int8), ("large", np.int64)], "put those of larger items first"),
        ([("round", np.int8)], r"cannot be called \['round'\]"),
    ],
)
def test_a_record_that_would_mislead_is_refused(fields: list[Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        record_dtype(fields, Path(__file__))


def test_a_game_must_give_every_verb() -> None:
    with pytest.raises(TypeError, match=r"missing verbs \['apply_action'"):
        verbs.implement(np.dtype([("x", np.int8)]), new_game=len)
    with pytest.raises(TypeError, match=r"unknown verbs \['fly'\]"):
        verbs.implement(np.dtype([("x", np.int8)]), fly=len)


def test_a_verb_refuses_what_is_no_record() -> None:
    with pytest.raises(TypeError, match="is_over needs the record of a known game, not int"):
        verbs.is_over(3)
    with pytest.raises(TypeError, match="this game has no greedy_action; it has: apply_action"):
        verbs.greedy_action(load("high_bid").new_states(1)[0], np.zeros(0))
