"""What the greedy valuation of Amun-Re makes of single positions, a sentence for each."""

from typing import Any

import numpy as np
import pytest
from amunre_table import be_done, copy_of, harvest, legal, market, offering, play, table
from helpers import option_sets

from amunre_env import GAME
from amunre_env.state import (
    BIDDING,
    DECLARING,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    OFFERING,
    OVER,
    REWARDS,
    SCORING,
)
from amunre_env.weights import WEIGHTS
from tabletop import kernels, verbs

pytestmark = pytest.mark.engine

PLAYERS = (3, 4, 5)
OLD = [["buto", "amarna"], ["mendes", "edfu"], ["kharga", "sawu"]]  # of seats 0, 1, 2 before the third round


def greedy(state: Any) -> str:
    """Return the move of the shipped valuation, which leaves the record as it is."""
    before = copy_of(state)
    action = verbs.greedy_action(state, WEIGHTS.tuned(int(state.num_players)))
    assert state == before
    move = GAME.action_names[action]
    assert move in legal(state)
    return move


def last_market(phase: int, **position: Any) -> Any:
    """Return seat 0's step of the market in the last round of the game; it gets memphis."""
    state = market(age=1, owned=OLD, offered=["memphis", "abydos", "berenike"], **position)
    while state.phase != phase:
        play(state, "done")
    return state


# The auction


def test_it_bids_nothing_where_nobody_can_outbid_it() -> None:
    state = table(gold=[20, 0, 0], offered=["berenike", "damanhur", "kharga"])
    assert greedy(state).endswith(" 0")


def test_it_prefers_the_province_that_pays_more() -> None:
    assert greedy(table(gold=[20, 0, 0], offered=["kharga", "berenike", "dakhla"])) != "bid kharga 0"


def test_it_takes_the_province_with_pyramids_rather_than_its_like_without() -> None:
    position: dict[str, Any] = {"gold": [20, 0, 0], "offered": ["buto", "mendes", "damanhur"]}
    assert greedy(table(age=1, pyramids={"mendes": 3}, **position)) == "bid mendes 0"
    assert greedy(table(age=1, pyramids={"buto": 3}, **position)) == "bid buto 0"


def test_it_pays_for_a_much_better_province_when_others_can_pay_too() -> None:
    state = table(
        age=1, owned=OLD, gold=[40, 40, 40], pyramids={"memphis": 5}, offered=["memphis", "abydos", "baharya"]
    )
    move = greedy(state)
    assert move.startswith("bid memphis ")
    assert int(move.split()[-1]) > 0


def test_it_keeps_bribery_when_another_province_is_as_good() -> None:
    state = table(gold=[20, 20, 20], offered=["buto", "mendes", "baharya"], favors=[["bribery"]])
    play(state, "bid buto 0", "bid buto 10")
    play(state, "bid mendes 0")
    assert not greedy(state).startswith("bid buto")


def test_it_plays_bribery_for_a_province_far_better_than_the_others() -> None:
    state = table(
        age=1,
        owned=OLD,
        gold=[40, 40, 40],
        pyramids={"memphis": 6},
        offered=["memphis", "abydos", "baharya"],
        favors=[["bribery"]],
    )
    play(state, "bid memphis 0", "bid memphis 1", "bid abydos 0")
    assert greedy(state).startswith("bid memphis")


def test_a_yellow_card_in_hand_decides_between_provinces_that_are_alike() -> None:
    position: dict[str, Any] = {
        "owned": [["damanhur", "dakhla"], ["amarna", "thebes"], ["abu", "kharga"]],
        "gold": [20, 0, 0],
        "offered": ["buto", "mendes", "sawu"],
    }
    assert greedy(table(favors=[["same_bank"]], **position)) == "bid buto 0"
    assert greedy(table(favors=[["bribery"]], **position)) != "bid buto 0"


# The market


def test_it_builds_the_third_stone_that_completes_a_pyramid() -> None:
    state = last_market(
        MARKET_STONES, gold=[12, 12, 12], stones={"amarna": 2}, pyramids={"buto": 1, "memphis": 1}
    )
    assert greedy(state) == "stone amarna"


def test_it_plays_the_architect_where_two_stones_lie_in_the_last_market() -> None:
    state = last_market(MARKET_STONES, favors=[["architect"]], gold=[0, 9, 9], stones={"buto": 2})
    assert greedy(state) in {"architect buto", "architect memphis"}


def test_it_keeps_gold_rather_than_buy_ever_dearer_stones() -> None:
    state = last_market(MARKET_STONES, gold=[60, 60, 60])
    bought = 0
    while state.current == 0 and state.phase == MARKET_STONES:
        move = greedy(state)
        bought += move.startswith("stone")
        play(state, move)
    assert 1 <= bought <= 9


def test_it_buys_farmers_for_three_harvests_but_not_ever_dearer_ones() -> None:
    state = market(gold=[20, 20, 20], offered=["buto", "mendes", "thebes"])
    be_done(state, MARKET_FAVORS)
    bought = 0
    while greedy(state).startswith("farmer"):
        play(state, greedy(state))
        bought += 1
    assert 1 <= bought <= 6
    assert state.phase == MARKET_FARMERS or bought == 6


def test_it_keeps_a_free_farmer_for_the_new_kingdom_at_the_end_of_the_old() -> None:
    position: dict[str, Any] = {"owned": OLD, "offered": ["berenike", "abydos", "memphis"]}
    old = market(favors=[["free_farmer"]], **position)
    be_done(old, MARKET_FAVORS)
    assert not greedy(old).startswith("free_farmer")
    new = market(age=1, favors=[["free_farmer"]], **position)
    be_done(new, MARKET_FAVORS)
    assert greedy(new).startswith("free_farmer")


def test_it_sells_a_protection_that_no_auction_is_left_for() -> None:
    assert greedy(last_market(MARKET_FAVORS, favors=[["protection"]])) == "sell protection"


# The offering


def test_it_offers_little_when_nobody_else_has_gold() -> None:
    move = greedy(offering(gold=[60, 0, 0], offered=["berenike", "abydos", "damanhur"]))
    assert move == "steal" or int(move.split()[-1]) <= 5


def test_it_steals_or_offers_little_when_only_caravans_and_mines_pay() -> None:
    state = offering(
        owned=[["sawu", "avaris"], ["buto", "mendes"], ["thebes", "edfu"]],
        offered=["kharga", "abu", "memphis"],
    )
    move = greedy(state)
    assert move == "steal" or int(move.split()[-1]) <= 6


def test_it_lowers_the_total_for_caravans_and_raises_it_for_farmers() -> None:
    for mine, verb in ((["sawu", "avaris"], "lower"), (["buto", "mendes"], "raise")):
        others = [["thebes", "edfu"], ["abu", "berenike"]]
        state = offering(
            owned=[mine, *others],
            gold=[60, 60, 60],
            offered=["damanhur", "dakhla", "memphis"],
            favors=[["offering_adjustment"]],
            farmers={} if verb == "lower" else {"buto": 6, "mendes": 6},
        )
        play(state, "adjust", "offer 5", "offer 4", "offer 5")
        assert state.phase == DECLARING
        assert greedy(state) == verb


def test_it_completes_a_pyramid_with_its_rewards_in_the_last_round() -> None:
    state = offering(
        age=1,
        owned=OLD,
        offered=["baharya", "abydos", "berenike"],
        stones={"buto": 1},
        pyramids={"amarna": 1, "baharya": 1},
    )
    play(state, "offer 9", "offer 1", "offer 1")
    assert state.phase == REWARDS
    assert greedy(state) == "stone buto"


# The harvest and the scoring


def test_it_plays_treasury_at_its_poorest_province() -> None:
    state = harvest(
        ["offer 1", "offer 1", "offer 1"],
        age=1,
        owned=OLD,
        offered=["berenike", "abydos", "memphis"],
        favors=[["treasury"]],
        farmers={"buto": 6},
    )
    assert greedy(state) == "treasury amarna"


def test_it_plays_big_harvest_where_most_farmers_are() -> None:
    state = harvest(
        ["offer 1", "offer 1", "offer 1"],
        age=1,
        owned=OLD,
        offered=["berenike", "abydos", "memphis"],
        favors=[["big_harvest"]],
        farmers={"buto": 6, "amarna": 2},
    )
    assert greedy(state) == "big_harvest buto"


@pytest.mark.parametrize("age", (0, 1))
def test_it_plays_every_yellow_card_whose_condition_holds(age: int) -> None:
    state = harvest(
        ["offer 1", "offer 1", "offer 1"],
        age=age,
        owned=OLD,
        offered=["abu", "abydos", "memphis"],
        favors=[["riverside", "same_bank"]],
    )
    assert state.phase == SCORING
    assert greedy(state) == "score riverside"


# Every position


def self_play(players: int, options: dict[str, Any], seed: int) -> list[Any]:
    """Return the positions of a game that it plays against itself, every move checked to be legal."""
    states = GAME.new_states(1)
    kernels.start_games(states, players, GAME.encode_options(options), np.array([seed], np.uint64))
    weights = WEIGHTS.tuned(players)
    mask, bits = np.zeros(GAME.num_actions, np.int8), np.zeros(GAME.num_words, np.uint64)
    action, rng = np.zeros(1, np.int64), np.zeros(1, np.uint64)
    positions = []
    while states[0].phase != OVER:
        positions.append(states.copy())
        kernels.legal_mask(states, mask, bits)
        kernels.policy_actions(states, kernels.GREEDY, weights, rng, bits, action)
        assert mask[action[0]] == 1, GAME.action_names[action[0]]
        kernels.apply_game(states, int(action[0]))
    return positions


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_it_plays_legally_under_all_options(players: int) -> None:
    for options in option_sets(GAME):
        phases = {int(states[0].phase) for states in self_play(players, options, seed=players)}
        assert {BIDDING, OFFERING, REWARDS} <= phases


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_it_acts_alike_in_all_worlds_that_fit_what_it_knows(players: int) -> None:
    """Along its own games, every phase of the expert rules included; each position asked twice as well."""
    weights = WEIGHTS.tuned(players)
    action, bits, rng = np.zeros(1, np.int64), np.zeros(GAME.num_words, np.uint64), np.zeros(1, np.uint64)
    for rules in GAME.presets:
        for states in self_play(players, GAME.resolve_options(rules), seed=11)[::2]:
            moves = set()
            for seed in range(4):
                world = states.copy()
                if seed > 0:
                    kernels.resample_game(world, int(states[0].current), np.uint64(seed))
                kernels.policy_actions(world, kernels.GREEDY, weights, rng, bits, action)
                moves.add(int(action[0]))
            assert len(moves) == 1
