"""Numbers of move sequences (perft) from fixed positions: one wrong rule anywhere changes them."""

import pytest
from perft import check_leaves
from ra_table import table

from ra_env import GAME

pytestmark = pytest.mark.engine

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


@pytest.mark.parametrize("players", START)
def test_leaf_counts_from_the_start(players: int) -> None:
    check_leaves(GAME, table(players, seed=players), START[players], SLOW_DEPTHS)


@pytest.mark.parametrize("players", MIDDLE)
def test_leaf_counts_with_gods_and_disasters(players: int) -> None:
    check_leaves(GAME, table(players, seed=players, epoch=1, **MIDGAME), MIDDLE[players], SLOW_DEPTHS)


@pytest.mark.parametrize("players", MIDDLE_OVERVIEW)
def test_leaf_counts_with_gods_and_disasters_under_the_overview(players: int) -> None:
    check_leaves(
        GAME,
        table(players, seed=players, epoch=1, rules="overview", **MIDGAME),
        MIDDLE_OVERVIEW[players],
        SLOW_DEPTHS,
    )
