"""The value of a network: what it is learned from, what it learns, and how the look ahead asks it."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import random_game
from test_ppo import any_network

torch = pytest.importorskip("torch")

from agents import hint_kernels  # noqa: E402
from agents.hints import Adviser, packed  # noqa: E402
from agents.network import Network  # noqa: E402
from experiments import values  # noqa: E402
from experiments.values import Decisions  # noqa: E402
from tabletop import kernels  # noqa: E402
from tabletop.game import BUILT_IN, Game, copy_records, load  # noqa: E402
from tabletop.kinds import States  # noqa: E402
from tabletop.rng import mix  # noqa: E402
from tabletop.view import View  # noqa: E402

pytestmark = pytest.mark.compiled


def greedy(name: str, games: int, threads: int = 1) -> tuple[Game, Network, Decisions]:
    game = load(name)
    net = replace(any_network(game), value=())
    counts = (game.min_players, game.max_players)
    return game, net, values.greedy_games(game, net, counts, games, 3, threads, next(iter(game.presets)))


@pytest.mark.parametrize("name", BUILT_IN)
def test_decisions_of_greedy_games_are_what_they_are_said_to_be(name: str) -> None:
    """15: the returns are of the games' seats in relative order, absent seats get nothing."""
    game, net, seen = greedy(name, 2 * values.CHUNK)
    assert set(seen.players) == {game.min_players, game.max_players}
    assert seen.inputs.shape == (len(seen.players), net.num_inputs - net.hints)
    for players in set(seen.players):
        some = seen.players == players
        assert not seen.returns[some, players:].any()
        assert not seen.expected[some, players:].any()
        np.testing.assert_allclose(seen.returns[some].sum(axis=1), 0, atol=1e-6)
        np.testing.assert_allclose(seen.expected[some].sum(axis=1), 0, atol=1e-5)
        own, foretold = seen.returns[some, 0], seen.expected[some, 0]
        assert np.corrcoef(own, foretold)[0, 1] > 0.3
        last = seen.returns[some, players - 1]
        assert np.corrcoef(last, seen.expected[some, players - 1])[0, 1] > 0.3


def test_the_same_games_are_played_by_any_number_of_threads() -> None:
    one, two = (greedy("ra", 4 * values.CHUNK, threads)[2] for threads in (1, 2))
    np.testing.assert_array_equal(one.inputs, two.inputs)
    np.testing.assert_array_equal(one.returns, two.returns)


def test_a_value_learns_what_the_estimate_does_not_know() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.standard_normal((600_000, 6)).astype(np.float16)
    expected, returns = np.zeros((2, len(inputs), 5), np.float32)
    expected[:, 0] = np.tanh(0.5 * inputs[:, 0])
    expected[:, 1] = -expected[:, 0]
    returns[:, 0] = np.sign(inputs[:, 0] + inputs[:, 1] + 0.3 * rng.standard_normal(len(inputs)))
    returns[:, 1] = -returns[:, 0]
    layers, explained, by_estimate = values.fit(
        Decisions(inputs, expected, returns, np.full(len(inputs), 2)), (16,), 1
    )
    assert [weight.shape for weight, _ in layers] == [(16, 6), (5, 16)]
    assert by_estimate < 0.45
    assert explained > by_estimate + 0.2


def redrawn(world: States, player: int, seed: int) -> States:
    """A world in which what a player cannot know is drawn anew."""
    other = copy_records(world)
    kernels.resample_game(other, player, np.uint64(seed))
    return other


def outcome(game: Game, net: Network, world: States, action: int) -> float:
    """What a move makes its mover expect in one world as it is."""
    kernel = packed(game, net)
    after = copy_records(world)
    hint_kernels.make_move(after[0], action, kernel)
    return float(kernel.values[int(world[0].current)])


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("has_value", [True, False])
def test_the_look_ahead_is_the_mean_over_its_worlds(name: str, has_value: bool) -> None:
    game = load(name)
    net = replace(any_network(game), settle=2, worlds=3)
    if not has_value:
        net = replace(net, value=())
    _, states = random_game(game, 3, game.resolve_options(), seed=6)
    compared = 0
    for turn in range(0, len(states) - 1, 1 + len(states) // 12):
        world = states[turn : turn + 1]
        mover, seed = int(world[0].current), 11
        told = Adviser(game, net)(
            world, np.zeros(1, np.int64), np.array([mover]), np.array([seed], np.uint64)
        )
        priors, ahead = told[0, -2 * game.num_actions :].reshape(2, -1)
        base = redrawn(world, mover, seed)
        worlds = [base, *(redrawn(base, mover, int(mix(np.uint64(seed + number)))) for number in (1, 2))]
        legal = View(game, base, mover, 1).legal_actions()
        least = min(priors[legal].max(), np.log(hint_kernels.UNLIKELY))
        likely = [action for action in legal if priors[action] >= least]
        if len(likely) < 2:
            assert not ahead.any()
            continue
        wanted = {
            action: hint_kernels.AHEAD * np.mean([outcome(game, net, one, action) for one in worlds])
            for action in likely
        }
        best, worst = max(wanted.values()), min(wanted.values())
        for action in legal:
            assert ahead[action] == pytest.approx(wanted.get(action, worst) - best, abs=1e-3)
        compared += 1
    assert compared > 2
