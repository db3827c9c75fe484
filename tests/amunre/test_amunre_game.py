"""The action table, the chance of a game, the board's file, and what holds after every move."""

from pathlib import Path

import numpy as np
import pytest
from amunre_table import board, legal

from amunre_env import GAME, components
from amunre_env.actions import ACTION_BLOCKS, ACTION_NAMES
from amunre_env.components import BoardError, read_board
from amunre_env.state import faults
from tabletop import verbs
from tabletop.chance import Chance, ChanceError

BOARD = Path(components.__file__).with_name("board.toml")
WAYS = [
    (players, rules, temples)
    for players in (3, 4, 5)
    for rules in GAME.presets
    for temples in ("scoring", "harvest")
]


def random_game(players: int, rules: str, temples: str, seed: int) -> tuple[list[int], np.ndarray]:
    """Return the moves and the records of a random game, each checked; draws are preferred."""
    options = GAME.encode_options(GAME.resolve_options(rules, temples=temples))
    states = GAME.new_states(1000)
    verbs.new_game(states[0], players, options, np.uint64(seed))
    generator = np.random.default_rng(seed)
    moves: list[int] = []
    while not verbs.is_over(states[len(moves)]):
        here = states[len(moves)]
        assert faults(here) == [], board(here)
        names = sorted(legal(here))
        drawing = [name for name in names if name.startswith(("buy", "take_favor", "sell"))]
        name = str(generator.choice(drawing if drawing and generator.random() < 0.5 else names))
        moves.append(GAME.string_to_action(name))
        states[len(moves)] = here
        verbs.apply_action(states[len(moves)], moves[-1])
    assert faults(states[len(moves)]) == []
    assert not verbs.is_truncated(states[len(moves)])
    return moves, states[: len(moves) + 1]


@pytest.mark.parametrize(("players", "rules", "temples"), WAYS)
def test_a_game_replays_from_its_moves_and_chance_alone(players: int, rules: str, temples: str) -> None:
    for seed in range(3):
        moves, history = random_game(players, rules, temples, seed)
        chance = GAME.chance(history)
        outcomes = Chance(chance)
        again = GAME.new_states(1)[0]
        verbs.new_game(again, players, history[0].options, np.uint64(seed + 1000))
        GAME.setup_with_chance(again, outcomes)
        for move, expected in zip(moves, history[1:], strict=True):
            GAME.apply_with_chance(again, move, outcomes)
            again.rng[:] = expected.rng
            assert again.tobytes() == expected.tobytes() or same(again, expected)
        assert outcomes.left() == 0


def same(state: np.record, other: np.record) -> bool:
    """Whether two records agree but for entries of the drawing log that are out of date."""
    log = ("drawn", "drawn_by")
    return all((state[name] == other[name]).all() for name in GAME.state_dtype.names or () if name not in log)


def start(*outcomes: str) -> Chance:
    """Set up a game of three with these outcomes."""
    state = GAME.new_states(1)[0]
    chance = Chance(outcomes)
    verbs.new_game(state, 3, GAME.encode_options(GAME.resolve_options()), np.uint64(0))
    GAME.setup_with_chance(state, chance)
    return chance


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        (["start 3"], "valid: start 0, start 1, start 2"),
        (["start 1"], "expected 'provinces' and 3 provinces"),
        (["start 1", "provinces buto mendes"], "3 different provinces"),
        (["start 1", "provinces buto buto mendes"], "3 different provinces"),
        (["start 1", "provinces buto nowhere mendes"], "nowhere cannot be dealt; valid: buto"),
    ],
)
def test_impossible_chance_is_told(outcomes: list[str], message: str) -> None:
    with pytest.raises(ChanceError, match=message):
        start(*outcomes)


def test_every_action_has_one_name_and_every_name_one_action() -> None:
    assert GAME.num_actions == 367 == len(set(ACTION_NAMES))
    for action, name in enumerate(ACTION_NAMES):
        assert GAME.action_to_string(action) == name
        assert GAME.string_to_action(name) == action


def test_action_blocks_follow_each_other_and_name_their_actions() -> None:
    position = 0
    for notation, first, number in ACTION_BLOCKS:
        assert first == position
        position += number
        verb = notation.split()[0]
        assert all(name.split()[0] == verb for name in ACTION_NAMES[first:position])
    assert position == GAME.num_actions


def test_the_board_has_15_provinces_8_west_and_39_favor_cards() -> None:
    assert len(components.PROVINCE_NAMES) == 15
    assert list(components.BANK).count(components.WEST) == 8
    assert components.TOTAL_FAVORS == 39


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("start_gold = 20", "start_gold = -1", "start_gold is -1; valid: whole numbers from 0 to 999"),
        ("start_gold = 20", "", "lacks start_gold"),
        ("theft = 3", "theft = 3\nluck = 1", "unknown field luck; valid: bid_spaces"),
        ("[0, 1, 3,", "[1, 2, 3,", r"bid_spaces\[0\] is 1; valid: whole numbers from 0 to 0"),
        ("[0, 1, 3,", "[0, 3, 3,", r"bid_spaces\[2\] is 3"),
        ("up_to = 12", "up_to = 2", r"offering_tile\[1\]\.up_to is 2"),
        ("architect = 5", "architect = 4", r"favor_cards\.architect is 4"),
        ("scribes = 2 ", "scribes = true ", r"favor_cards\.scribes is True"),
        (
            'side = "west", half = "lower", nile = true,  fields = 6',
            'side = "north", half = "lower", nile = true, fields = 6',
            r"provinces\.buto\.side is 'north'; valid: west, east",
        ),
        ("caravan = 8", "caravan = 'much'", r"provinces\.avaris\.caravan is 'much'"),
        ('"bonus_stones"]', '"weather"]', r"provinces\.memphis\.known is 'weather'; valid: side"),
        ("theft = 3", "theft = ", "not TOML"),
    ],
)
def test_a_wrong_board_is_told_by_file_field_and_valid_values(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = BOARD.read_text()
    assert old in text
    path = tmp_path / "board.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BoardError, match=message) as caught:
        read_board(path)
    assert str(path) in str(caught.value)
