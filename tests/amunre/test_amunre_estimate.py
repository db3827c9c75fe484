"""The estimate of results of Amun-Re, a sentence for each thing that it should see."""

import json
from typing import Any

import numpy as np
import pytest
from amunre_table import (
    PLAYERS,
    asked,
    be_done,
    copy_of,
    end_age,
    market,
    offering,
    play,
    province,
    returns,
    table,
)
from helpers import option_sets, random_game, run_python

from amunre_env import GAME
from amunre_env.features import FEATURES, MOMENTS
from amunre_env.state import HARVEST, MARKET_FAVORS, OVER, REWARDS
from tabletop import verbs

pytestmark = pytest.mark.engine

OLD = [["buto", "amarna"], ["mendes", "edfu"], ["kharga", "sawu"]]  # of seats 0, 1, 2 before the third round
LAST: dict[str, Any] = {"age": 1, "owned": OLD, "offered": ["damanhur", "avaris", "berenike"]}
ESTIMATE = GAME.estimate
assert ESTIMATE is not None


def estimate(state: Any) -> list[float]:
    """Return the expected result of every seat."""
    assert ESTIMATE is not None
    before = copy_of(state)
    out = np.full(5, np.nan)
    verbs.evaluate(state, ESTIMATE.tuned(int(state.num_players)), out)
    assert state == before
    assert (out[int(state.num_players) :] == 0).all()
    return [float(value) for value in out[: int(state.num_players)]]


def rows(state: Any) -> dict[str, list[float]]:
    """Return every feature of every seat by name."""
    assert ESTIMATE is not None
    out = np.zeros((5, len(FEATURES)))
    verbs.features(state, ESTIMATE.tuned(int(state.num_players)), out)
    return {
        feature.name: [float(value) for value in out[: state.num_players, index]]
        for index, feature in enumerate(FEATURES)
    }


@pytest.mark.parametrize("players", PLAYERS)
def test_estimates_are_results_that_add_up_to_nothing(players: int) -> None:
    for number, options in enumerate(option_sets(GAME)):
        _, states = random_game(GAME, players, options, 3 * number + players)
        for state in states[::7]:
            found = estimate(state)
            assert abs(sum(found)) < 1e-9
            assert max(map(abs, found)) <= 1


@pytest.mark.parametrize("players", PLAYERS)
def test_the_estimate_of_a_game_that_is_over_is_its_result(players: int) -> None:
    for number, options in enumerate(option_sets(GAME)):
        _, states = random_game(GAME, players, options, number)
        assert states[-1].phase == OVER
        assert estimate(states[-1]) == returns(states[-1])


def test_the_estimate_does_not_look_at_the_generator() -> None:
    _, states = random_game(GAME, 4, GAME.resolve_options("expert"), 8)
    for state in states[::5]:
        other = copy_of(state)
        other.rng += np.uint64(1)
        assert estimate(other) == estimate(state)


def test_stages_are_rounds_that_have_ended() -> None:
    _, states = random_game(GAME, 3, GAME.resolve_options(), 4)
    stages = [int(verbs.stage(state)) for state in states]
    assert stages == sorted(stages)
    assert set(stages) == set(range(7))
    assert stages[-1] == 6
    passed = [float(verbs.progress(state)) for state in states[:-1]]
    assert {round(part * (MOMENTS - 1), 9) for part in passed} <= set(range(MOMENTS))
    for turn in range(6):
        in_round = [part for part, stage in zip(passed, stages, strict=False) if stage == turn]
        assert in_round == sorted(in_round)


# What it should see


def test_points_lead() -> None:
    assert estimate(table(age=1, points=[10, 5, 0])) == sorted(
        estimate(table(age=1, points=[10, 5, 0])), reverse=True
    )


@pytest.mark.parametrize("age", [0, 1])
def test_gold_leads(age: int) -> None:
    found = estimate(market(age=age, gold=[30, 15, 15]))
    assert found[0] > max(found[1:])


def test_pyramids_lead() -> None:
    state = market(**LAST, pyramids={"mendes": 1, "edfu": 1, "avaris": 1})
    assert max(estimate(state)) == estimate(state)[1]
    assert rows(state)["sets"] == [0, 0.5, 0]


def test_the_greatest_province_of_a_bank_leads() -> None:
    even = market(**LAST, pyramids={"buto": 1, "amarna": 1, "mendes": 1, "edfu": 1, "kharga": 1, "sawu": 1})
    ahead = copy_of(even)
    ahead.stones[0] = 2  # on buto
    assert estimate(ahead)[0] > estimate(even)[0]
    assert rows(ahead)["banks"][0] == 1  # of amarna still, with others, and of buto alone


def test_farmers_lead() -> None:
    state = market(offered=["buto", "mendes", "dakhla"])
    even = estimate(state)
    state.farmers[province("mendes")] = 4
    assert estimate(state)[1] > even[1]


def test_a_card_in_hand_is_better_than_none() -> None:
    without = estimate(market())[0]
    for card in ("architect", "free_farmer", "treasury", "big_harvest"):
        assert estimate(market(favors=[[card]]))[0] > without


def test_a_yellow_card_counts_where_its_condition_can_be_met() -> None:
    owned = [["buto", "damanhur"], ["mendes", "edfu"], ["kharga", "sawu"]]
    state = market(
        owned=owned, offered=["baharya", "avaris", "berenike"], favors=[["same_bank"], ["same_bank"]]
    )
    assert rows(state)["yellow"] == [0.5, 0, 0]
    assert rows(state)["yellow_lost"] == [0, 0.5, 0]


def test_in_an_auction_everybody_gets_the_province_of_their_highest_bid_for_its_price() -> None:
    state = table(offered=["buto", "mendes", "dakhla"], gold=[20, 20, 20])
    play(state, "bid buto 6", "bid mendes 3")
    seen = rows(state)
    assert seen["gold"] == pytest.approx([0.05 * 14, 0.05 * 17, 0.05 * 30])  # dakhla pays 10
    assert seen["fields"] == pytest.approx([0.6, 0.6, 0.1])
    assert seen["unplaced"] == [0, 0, 0.5]


def test_paying_more_for_the_same_province_is_worse() -> None:
    values = []
    for bid in ("bid buto 0", "bid buto 6", "bid buto 15"):
        state = table(offered=["buto", "mendes", "dakhla"], start=2)
        play(state, "bid dakhla 0", "bid mendes 0" if state.current == 1 else bid)
        play(state, "bid mendes 0")
        values.append(estimate(state)[0])
    assert values == sorted(values, reverse=True)


def test_the_estimate_of_an_auction_that_is_decided_does_not_change_with_its_end() -> None:
    """The last bid that nobody answers ends it; before, the same was foreseen."""
    state = table(offered=["buto", "mendes", "dakhla"], gold=[20, 0, 0])
    play(state, "bid buto 1", "bid mendes 0")
    foreseen = rows(state)
    play(state, "bid dakhla 0")
    assert state.phase >= MARKET_FAVORS
    assert rows(state)["gold"] == pytest.approx(foreseen["gold"])
    assert rows(state)["field_roots"] == pytest.approx(foreseen["field_roots"])


def test_a_market_turn_to_come_counts() -> None:
    state = market()
    assert rows(state)["market_gold"][1:] == pytest.approx(rows(state)["gold"][1:])
    while state.current == 0:
        play(state, "done")
    assert rows(state)["market_gold"][0] == 0
    assert rows(state)["market_gold"][1] > 0


def test_the_highest_offer_collects_most() -> None:
    state = offering(gold=[20, 20, 20])
    play(state, "offer 9", "steal")
    seen = rows(state)
    assert seen["rewards"][0] > seen["rewards"][2] > seen["rewards"][1] == 0
    assert seen["first"][0] > 0.5
    assert seen["gold"] == pytest.approx([0.05 * 11, 0.05 * 23, seen["gold"][2]])
    play(state, "offer 2")
    seen = rows(state)
    assert seen["rewards"] == [1.5, 0, 1]
    assert seen["first"] == [1, 0, 0]
    assert seen["gold"] == pytest.approx([0.05 * 11, 0.05 * 23, 0.05 * 18])


def test_rewards_that_were_collected_are_no_longer_to_come() -> None:
    state = offering(gold=[20, 20, 20])
    play(state, "offer 9", "offer 3", "offer 2", "take_favor", "take_favor")
    assert rows(state)["rewards"] == [0.5, 1, 0.5]
    play(state, "take_favor", "take_favor")
    assert asked(state) == 1
    assert rows(state)["rewards"] == [0, 0.5, 0.5]
    play(state, "take_favor")
    assert rows(state)["rewards"] == [0, 0, 0.5]


def test_the_harvest_that_is_paid_next_is_gold_already() -> None:
    state = offering(favors=[["treasury"], ["big_harvest"]])
    state.farmers[province("buto")] = 3
    play(state, "offer 1", "offer 1", "steal")
    be_done(state, REWARDS)
    before = rows(state)["wealth_root"]
    play(state, "done")
    assert state.phase == HARVEST
    assert rows(state)["wealth_root"][0] == pytest.approx(before[0])


def test_the_estimate_gets_sharper_towards_the_end() -> None:
    leads = []
    for state in (
        table(age=1, points=[8, 0, 0]),
        market(**LAST, points=[8, 0, 0]),
        end_age(["offer 1", "offer 1", "offer 1"], age=0, points=[8, 0, 0]),
    ):
        leads.append(estimate(state)[0])
    assert leads[1] > leads[0] > 0
    assert leads[2] > 0


@pytest.mark.compiled
def test_plain_python_estimates_and_expects_the_same() -> None:
    program = """
import json
import numpy as np
from helpers import random_game
from amunre_env import GAME
from tabletop import verbs

shown = []
for players in (3, 4, 5):
    for rules in ("basic", "expert"):
        _, states = random_game(GAME, players, GAME.resolve_options(rules), players)
        weights, estimate = GAME.weights.tuned(players), GAME.estimate.tuned(players)
        chances, results = np.zeros(GAME.num_actions), np.zeros(players)
        rng, bits = np.ones(1, np.uint64), np.zeros(GAME.num_words, np.uint64)
        for state in states[:-1:5]:
            chances[:] = 0
            verbs.prior(state, weights, chances)
            verbs.evaluate(state, estimate, results)
            action = int(verbs.playout_action(state, rng, bits))
            shown.append([action, *np.round(results, 9).tolist(), *np.round(chances, 9).tolist()])
print(json.dumps(shown))
"""
    compiled, plain = (
        json.loads(run_python(program)),
        json.loads(run_python(program, NUMBA_DISABLE_JIT="1")),
    )
    for one, other in zip(compiled, plain, strict=True):
        assert one == pytest.approx(other, abs=1e-8)
