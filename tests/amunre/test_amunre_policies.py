"""The prior of moves and the policy of playouts of Amun-Re."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from amunre_table import copy_of, legal, market, offering, play, table
from helpers import option_sets, random_game

from amunre_env import GAME
from amunre_env.state import MARKET_STONES
from amunre_env.weights import WEIGHTS
from tabletop import verbs
from tabletop.bitset import contains

pytestmark = pytest.mark.engine

PLAYERS = (3, 4, 5)


def chances(state: Any) -> dict[str, float]:
    """Return the prior of every legal move; the rest of the array must be left as it was."""
    before = copy_of(state)
    out = np.full(GAME.num_actions, -1.0)
    verbs.prior(state, WEIGHTS.tuned(int(state.num_players)), out)
    assert state == before
    moves = legal(state)
    assert {GAME.action_names[action] for action in np.flatnonzero(out != -1.0)} == moves
    return {move: float(out[GAME.string_to_action(move)]) for move in moves}


def play_out(
    num_players: int, options: npt.NDArray[np.int8], seed: int, seats: range
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Play a game, playouts at some seats and random moves at the others; return points and results."""
    state = GAME.new_states(1)[0]
    rng, bits = np.array([seed], np.uint64), np.zeros(GAME.num_words, np.uint64)
    generator = np.random.default_rng(seed)
    verbs.new_game(state, num_players, options, np.uint64(seed))
    while not verbs.is_over(state):
        verbs.legal_actions(state, bits)
        legal_bits = bits.copy()
        if int(verbs.current_player(state)) in seats:
            action = int(verbs.playout_action(state, rng, bits))
        else:
            moves = [action for action in range(GAME.num_actions) if contains(legal_bits, action)]
            action = moves[int(generator.random() * len(moves))]
        assert contains(legal_bits, action), f"{GAME.action_names[action]} in phase {state.phase}"
        verbs.apply_action(state, action)
    points, results = np.zeros(num_players, np.int64), np.zeros(num_players)
    verbs.scores(state, points)
    verbs.returns(state, results)
    return points, results


# The prior


@pytest.mark.parametrize("players", PLAYERS)
def test_every_legal_move_has_a_chance_and_they_add_up_to_one(players: int) -> None:
    for number, options in enumerate(option_sets(GAME)):
        _, states = random_game(GAME, players, options, 7 * number + players)
        for state in states[:-1:9]:
            found = np.array(list(chances(state).values()))
            assert found.min() > 0
            assert abs(found.sum() - 1) < 1e-9


def test_the_prior_does_not_look_at_what_the_player_cannot_know() -> None:
    for options in option_sets(GAME)[:2]:
        _, states = random_game(GAME, 4, options, 3)
        for state in states[:-1:11]:
            seen = chances(state)
            other = copy_of(state)
            verbs.resample(other, int(verbs.current_player(state)), np.uint64(5))
            assert chances(other) == seen


def test_among_bids_the_likeliest_is_for_the_province_with_pyramids() -> None:
    state = table(age=1, gold=[20, 0, 0], offered=["buto", "mendes", "damanhur"], pyramids={"mendes": 3})
    found = chances(state)
    assert max(found, key=lambda move: found[move]) == "bid mendes 0"


def test_overbidding_is_unlikely() -> None:
    found = chances(table(gold=[36, 0, 0], offered=["berenike", "damanhur", "kharga"]))
    assert all(found[f"bid {name} 36"] < 0.01 for name in ("berenike", "damanhur", "kharga"))


def test_a_stone_that_completes_a_pyramid_is_likely() -> None:
    state = market(offered=["memphis", "buto", "mendes"], stones={"buto": 2}, gold=[0, 20, 20])
    while state.current != 1 or state.phase != MARKET_STONES:
        play(state, "done")
    assert chances(state)["stone buto"] > 0.5


def test_offers_are_spread() -> None:
    """An offering is an auction that all pay: who always offers alike is beaten by one gold more."""
    found = chances(offering(gold=[20, 20, 20]))
    assert max(found.values()) < 0.5
    assert sum(chance > 0.02 for chance in found.values()) >= 4
    assert sum(found[f"offer {gold}"] for gold in range(15, 21)) < 0.1


# The policy of playouts


@pytest.mark.parametrize("players", PLAYERS)
def test_playouts_are_legal_under_all_rules(players: int) -> None:
    for number, options in enumerate(option_sets(GAME)):
        for seed in range(3):
            play_out(players, GAME.encode_options(options), 10 * number + seed, range(players))


@pytest.mark.parametrize("players", PLAYERS)
def test_playouts_are_legal_from_any_position(players: int) -> None:
    rng, bits = np.ones(1, np.uint64), np.zeros(GAME.num_words, np.uint64)
    for number, options in enumerate(option_sets(GAME)):
        _, states = random_game(GAME, players, options, 5 * number + players)
        for state in states[:-1]:
            verbs.legal_actions(state, bits)
            legal_bits = bits.copy()
            assert contains(legal_bits, int(verbs.playout_action(state, rng, bits)))


@pytest.mark.parametrize("players", PLAYERS)
def test_playouts_beat_random_moves(players: int) -> None:
    options = GAME.encode_options(GAME.resolve_options())
    results = np.array([play_out(players, options, seed, range(1))[1][0] for seed in range(12)])
    assert results.mean() > 0.8


def test_playouts_score_as_sensible_players_do() -> None:
    """Random games end at about 16 points, greedy ones at 39."""
    options = GAME.encode_options(GAME.resolve_options())
    assert np.mean([play_out(3, options, seed, range(3))[0].mean() for seed in range(12)]) > 32
