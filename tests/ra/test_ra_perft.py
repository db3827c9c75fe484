"""Numbers of move sequences (perft) from fixed positions: one wrong rule anywhere changes them."""

import numpy as np
import pytest
from ra_table import State, asked, board, copy_of, legal, table

from ra_env import GAME
from tabletop import verbs
from tabletop.kernels import count_leaves

pytestmark = pytest.mark.engine

DEPTHS = (1, 2, 3, 4, 5)
SLOW_DEPTHS = (1, 2, 3)  # that plain Python counts as well
MIDGAME = {
    "lot": {"god": 1, "nile": 1, "unrest": 1, "earthquake": 1, "sphinx": 1, "pharaoh": 1},
    "held": [
        {"god": 3, "art": 2, "writing": 2, "religion": 1, "sphinx": 2, "temple": 1, "palace": 1},
        {"god": 2, "art": 1, "astronomy": 3, "temple": 3, "statue": 1, "flood": 1, "nile": 2},
    ],
}
START = {
    2: (2, 10, 33, 66, 243),
    3: (2, 7, 26, 73, 179),
    4: (2, 6, 19, 57, 136),
    5: (2, 6, 19, 57, 165),
}
MIDDLE = {
    2: (7, 31, 108, 371, 1262),
    3: (7, 34, 128, 404, 1394),
    4: (7, 33, 121, 386, 1183),
    5: (7, 33, 121, 385, 1209),
}
MIDDLE_OVERVIEW = {
    2: (8, 44, 177, 731, 2532),
    3: (8, 48, 122, 552, 2242),
    4: (8, 47, 111, 379, 1087),
    5: (8, 47, 111, 379, 1050),
}


def leaves(state: State, depth: int) -> int:
    """The engine's count."""
    states = GAME.new_states(depth + 1)
    states[0] = state
    return int(count_leaves(states, depth, np.zeros((depth + 1, GAME.num_words), np.uint64)))


def slow_leaves(state: State, depth: int) -> int:
    """The same count, one set of legal moves and one copy of the table after the other."""
    if depth == 0 or verbs.is_over(state):
        return 1
    return sum(slow_leaves(after(state, move), depth - 1) for move in legal(state))


def after(state: State, move: str) -> State:
    """A copy of the table after a move."""
    later = copy_of(state)
    verbs.apply_action(later, GAME.string_to_action(move))
    return later


def divide(state: State, depth: int) -> str:
    """The count behind each first move, to be compared move by move when a total is wrong."""
    counts = [f"{move}: {leaves(after(state, move), depth - 1)}" for move in sorted(legal(state))]
    return "\n".join([f"depth {depth}, seat {asked(state)} to move", board(state), *counts])


def check(state: State, expected: tuple[int, ...]) -> None:
    """Compare the counts at every depth with the frozen ones, and shallow ones with the slow count."""
    for depth, number in zip(DEPTHS, expected, strict=True):
        assert leaves(state, depth) == number, divide(state, depth)
    for depth in SLOW_DEPTHS:
        assert slow_leaves(state, depth) == expected[depth - 1], divide(state, depth)


@pytest.mark.parametrize("players", START)
def test_leaf_counts_from_the_start(players: int) -> None:
    check(table(players, seed=players), START[players])


@pytest.mark.parametrize("players", MIDDLE)
def test_leaf_counts_with_gods_and_disasters(players: int) -> None:
    check(table(players, seed=players, epoch=1, **MIDGAME), MIDDLE[players])


@pytest.mark.parametrize("players", MIDDLE_OVERVIEW)
def test_leaf_counts_with_gods_and_disasters_under_the_overview(players: int) -> None:
    check(table(players, seed=players, epoch=1, rules="overview", **MIDGAME), MIDDLE_OVERVIEW[players])
