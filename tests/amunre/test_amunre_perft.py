"""Numbers of move sequences (perft) from fixed positions: one wrong rule anywhere changes them."""

from collections.abc import Callable

import numpy as np
import pytest
from amunre_table import State, asked, harvest, legal, market, offering, play, table
from perft import check_leaves

from amunre_env import GAME
from tabletop import verbs

pytestmark = pytest.mark.engine

SLOW_DEPTHS = (1, 2, 3)  # that plain Python counts as well
EARLIER = [["memphis", "avaris"], ["abydos", "thebes"], ["sawu", "baharya"]]
STEAL = ["steal"] * 3


def an_auction(players: int) -> State:
    """Bribery, Protection and little gold."""
    cards = [["protection"], ["bribery"], ["bribery", "scribes"]]
    return table(players, gold=[3, 1, 3, 0, 1], favors=cards)


def an_expert_choice(players: int) -> State:
    """Everybody has three provinces to choose from."""
    state = GAME.new_states(1)[0]
    verbs.new_game(state, players, GAME.encode_options(GAME.resolve_options("expert")), np.uint64(players))
    return state


def a_market(_: int) -> State:
    """Everything can be bought and built."""
    cards = [["free_farmer", "architect", "architect"], ["free_farmer"]]
    return market(
        owned=EARLIER, favors=cards, gold=[4, 3, 2], stones={"memphis": 2, "avaris": 1}, farmers={"thebes": 4}
    )


def an_offering(_: int) -> State:
    """Two blue cards and little gold."""
    cards = [["offering_adjustment"], ["offering_adjustment", "treasury"]]
    state = market(favors=cards, gold=[2, 1, 3])
    while asked(state) != 0 or "steal" not in legal(state):
        play(state, "done")
    return state


def some_rewards(_: int) -> State:
    """Cards, fields and stones to collect, then a harvest card."""
    state = offering(favors=[["treasury"], [], ["big_harvest"]], stones={"buto": 2})
    play(state, "offer 2", "steal", "offer 1")
    return state


def a_harvest(_: int) -> State:
    """Treasury and Big Harvest in two hands, at the end of an age with a yellow card."""
    cards = [["treasury", "big_harvest", "same_half"], [], ["big_harvest", "treasury"]]
    return harvest(STEAL, owned=EARLIER, favors=cards, farmers={"avaris": 2})


COUNTS: dict[Callable[[int], State], dict[int, tuple[int, ...]]] = {
    an_auction: {3: (11, 66, 429, 2229), 4: (14, 112, 1052), 5: (17, 170, 2095)},
    an_expert_choice: {3: (3, 9, 27, 513), 4: (3, 9, 27, 81, 2025), 5: (3, 9, 27, 81, 243)},
    a_market: {3: (9, 69, 518, 3561)},
    an_offering: {3: (5, 22, 92, 356, 1323)},
    some_rewards: {3: (4, 16, 62, 214, 716)},
    a_harvest: {3: (7, 31, 194, 725)},
}


@pytest.mark.parametrize(
    ("position", "players"), [(position, players) for position in COUNTS for players in COUNTS[position]]
)
def test_leaf_counts_of_every_phase(position: Callable[[int], State], players: int) -> None:
    check_leaves(GAME, position(players), COUNTS[position][players], SLOW_DEPTHS)
