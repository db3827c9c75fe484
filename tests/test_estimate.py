"""Estimates of results, priors and policies of playouts: what must hold of every game that has them."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers import GAMES, option_sets, player_counts, random_game, run_python

from agents.registry import make_agent
from experiments.calibrate import CalibrateOptions, calibration_table
from experiments.calibrate import run as run_calibrate
from experiments.errors import UsageError
from experiments.fit import FitOptions
from experiments.fit import run as run_fit
from experiments.logistic import (
    correlation,
    expected_returns,
    fit_coefficients,
    loss_at,
    minimum,
    nearness,
    shares_won,
)
from experiments.match import plan_match, play_match
from experiments.positions import Positions, draw_from_stages, sample_positions
from tabletop import kernels, verbs
from tabletop.description_kernels import describe_seats
from tabletop.game import Game, GameError, load, read_coefficients

ESTIMATED = [name for name in GAMES if load(name).estimate is not None]
COUNTS = [(name, players) for name, players in player_counts() if name in ESTIMATED]
THUMBS = [
    (name, players)
    for name, players in player_counts()
    if verbs.has(load(name).state_dtype, "playout_action")
]


def random_positions(name: str, players: int) -> npt.NDArray[Any]:
    """Every position of a random game, its end included."""
    game = load(name)
    return random_game(game, players, game.resolve_options(), 7 * players)[1]


def evaluated(game: Game, states: npt.NDArray[Any], players: int) -> npt.NDArray[np.float64]:
    """What the shipped estimate says of each position, float64[position, seat]."""
    assert game.estimate is not None
    results = np.full((len(states), players), np.nan)
    kernels.evaluate_games(states, game.estimate.tuned(players), results)
    return results


def shares(game: Game, state: Any, players: int) -> npt.NDArray[np.float64]:
    """The prior of a position, NaN where it says nothing, float64[num_actions]."""
    assert game.weights is not None
    out = np.full(game.num_actions, np.nan)
    verbs.prior(state, game.weights.tuned(players), out)
    return out


@pytest.mark.engine
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_estimates_are_returns_that_add_up_to_zero(name: str, players: int) -> None:
    results = evaluated(load(name), random_positions(name, players), players)
    np.testing.assert_allclose(results.sum(axis=1), 0, atol=1e-12)
    assert (np.abs(results) <= 1).all()
    assert results.std(axis=1).max() > 0.1


@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_when_the_game_is_over_the_estimate_is_the_result(name: str, players: int) -> None:
    game, states = load(name), random_positions(name, players)
    points, results = np.zeros(players, np.int64), np.zeros(players)
    kernels.results_of(states[-1:], points, results)
    np.testing.assert_array_equal(evaluated(game, states[-1:], players)[0], results)


@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_estimates_and_priors_do_not_know_the_future(name: str, players: int) -> None:
    """They are the same whatever the generators of chance will do."""
    game, states = load(name), random_positions(name, players)
    other = states.copy()
    other["rng"] += np.uint64(12345)
    np.testing.assert_array_equal(evaluated(game, states, players), evaluated(game, other, players))
    for number in range(0, len(states) - 1, 7):
        np.testing.assert_array_equal(
            shares(game, states[number], players), shares(game, other[number], players)
        )


@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_estimates_leave_the_record_alone(name: str, players: int) -> None:
    game, states = load(name), random_positions(name, players)
    before = states.tobytes()
    evaluated(game, states, players)
    shares(game, states[0], players)
    assert states.tobytes() == before


@pytest.mark.engine
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_a_prior_gives_every_legal_action_a_chance_and_no_other(name: str, players: int) -> None:
    game = load(name)
    mask, bits = np.zeros(game.num_actions, np.int8), np.zeros(game.num_words, np.uint64)
    for number, options in enumerate(option_sets(game)):
        _, states = random_game(game, players, options, number)
        for place in range(0, len(states) - 1, 5):
            kernels.legal_mask(states[place : place + 1], mask, bits)
            found = shares(game, states[place], players)
            np.testing.assert_array_equal(~np.isnan(found), mask == 1)
            assert np.nanmin(found) > 0
            assert abs(np.nansum(found) - 1) < 1e-9


@pytest.mark.engine
@pytest.mark.parametrize(("name", "players"), THUMBS)
def test_the_policy_of_playouts_plays_legal_moves_under_every_option(name: str, players: int) -> None:
    game = load(name)
    rng, bits = np.ones(1, np.uint64), np.zeros(game.num_words, np.uint64)
    mask, action = np.zeros(game.num_actions, np.int8), np.zeros(1, np.int64)
    status, no_weights = np.zeros(kernels.STATUS_SIZE, np.int64), np.zeros(len(game.weight_names))
    for number, options in enumerate(option_sets(game)):
        states = game.new_states(1)
        seeds = np.array([number], np.uint64)
        kernels.start_games(states, players, game.encode_options(options), seeds)
        kernels.status_of(states, status)
        while not status[kernels.IS_OVER]:
            kernels.legal_mask(states, mask, bits)
            kernels.policy_actions(states, kernels.PLAYOUT, no_weights, rng, bits, action)
            assert mask[action[0]], game.action_to_string(int(action[0]))
            kernels.apply_game(states, int(action[0]))
            kernels.status_of(states, status)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players"), THUMBS)
def test_the_policy_of_playouts_beats_random_players(name: str, players: int) -> None:
    game = load(name)
    agents = ("playout", *["random"] * (players - 1))
    match = plan_match(game, players, game.resolve_options(), agents, 300, seed=1)
    won = [games.returns[games.seating == 0] == 1 for games in play_match(match)]
    assert np.concatenate(won).mean() > 0.9


@pytest.mark.compiled
@pytest.mark.parametrize("name", ESTIMATED)
def test_the_prior_agent_is_varied_but_sensible(name: str) -> None:
    game = load(name)
    match = plan_match(game, 3, game.resolve_options(), ("prior", "random", "random"), 60, seed=1)
    games = list(play_match(match))
    assert np.concatenate([part.returns[part.seating == 0] for part in games]).mean() > 0.9
    plays = [
        next(iter(play_match(plan_match(game, 3, game.resolve_options(), ("prior",), 1, seed))))
        for seed in (1, 1, 2)
    ]
    assert plays[0].moves[0].tolist() == plays[1].moves[0].tolist()
    assert plays[0].moves[0].tolist() != plays[2].moves[0].tolist()


@pytest.mark.parametrize("agent", ["prior", "playout"])
def test_agents_refuse_a_game_that_lacks_their_verb(agent: str) -> None:
    with pytest.raises(GameError, match="high_bid has no"):
        make_agent(agent, load("high_bid"), 3)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ESTIMATED)
def test_plain_python_estimates_the_same(name: str) -> None:
    program = """
import json, sys
import numpy as np
from helpers import random_game
from tabletop import verbs
from tabletop.game import load

game = load(sys.argv[1])
bits, rng = np.zeros(game.num_words, np.uint64), np.ones(1, np.uint64)
for players in range(game.min_players, game.max_players + 1):
    _, states = random_game(game, players, game.resolve_options(), players)
    weights, estimate = game.weights.tuned(players), game.estimate.tuned(players)
    results, prior = np.zeros(players), np.zeros(game.num_actions)
    for state in states[:-1:3]:
        verbs.evaluate(state, estimate, results)
        prior[:] = 0
        verbs.prior(state, weights, prior)
        action = int(verbs.playout_action(state, rng, bits))
        print(json.dumps([action, int(verbs.stage(state)), *results.tolist(), *prior.tolist()]))
"""
    compiled, plain = (
        [json.loads(line) for line in run_python(program, name, **variables).splitlines()]
        for variables in ({}, {"NUMBA_DISABLE_JIT": "1"})
    )
    assert len(compiled) == len(plain)
    for here, there in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ESTIMATED)
def test_the_fit_and_the_game_mean_the_same_by_an_estimate(name: str) -> None:
    game = load(name)
    assert game.estimate is not None
    match = plan_match(game, 4, game.resolve_options(), ("random",), 3, seed=4)
    states, rows, stages, passed = [], [], [], []
    for games in play_match(match):
        for row, moves in enumerate(games.moves):
            history = game.new_states(len(moves) + 1)
            codes = game.encode_options(match.options)
            kernels.play_moves(history, 4, codes, games.seed[row], moves)
            states.append(history[:-1])
    here = np.concatenate(states)
    rows = np.zeros((len(here), 4, len(game.estimate.features)))
    stages, passed = np.zeros(len(here), np.int64), np.zeros(len(here))
    kernels.describe_games(here, game.estimate.valuation.tuned(4), rows, stages, passed)
    assert (passed >= 0).all()
    assert (passed <= 1).all()
    assert set(stages) == set(range(game.estimate.stages))
    positions = Positions(rows, stages, passed, rows[:, :, 0], rows[:, :, 0])
    coefficients = read_coefficients(game.estimate, game.estimate.path, 4)
    np.testing.assert_allclose(evaluated(game, here, 4), expected_returns(positions, coefficients), atol=1e-9)


@pytest.mark.engine
@pytest.mark.parametrize("name", ESTIMATED)
def test_a_description_is_the_features_and_what_the_estimate_makes_of_them(name: str) -> None:
    game = load(name)
    assert game.estimate is not None
    players, number = game.max_players, len(game.estimate.features)
    _, states = random_game(game, players, game.resolve_options(), seed=3)
    weights = game.estimate.tuned(players)
    rows, stages, passed = np.zeros((1, players, number)), np.zeros(1, np.int64), np.zeros(1)
    for turn in range(0, len(states) - 1, 1 + len(states) // 25):
        here = states[turn : turn + 1]
        told = np.zeros(5 * (number + 1), np.float32)
        describe_seats(here[0], 0, weights, np.zeros((players, number)), np.zeros(players), told)
        kernels.describe_games(here, game.estimate.valuation.tuned(players), rows, stages, passed)
        table = told.reshape(5, number + 1)[:players]
        np.testing.assert_allclose(table[:, :-1], rows[0], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(table[:, -1], evaluated(game, here, players)[0], rtol=1e-5, atol=1e-6)


# The fit


def invented(number: int, seats: int, truth: npt.NDArray[np.float64], seed: int) -> Positions:
    """Positions of normal features whose seats finish as the coefficients [1, 2, features] make likely.

    Strength plus noise of Gumbel's distribution ranks seats so that each pair obeys the model.
    """
    rng = np.random.default_rng(seed)
    features, progress = rng.normal(size=(number, seats, truth.shape[2])), rng.random(number)
    stage = np.zeros(number, np.int64)
    strength = np.einsum(
        "psk,pk->ps", features, truth[0, 0] + progress[:, None] * (truth[0, 1] - truth[0, 0])
    )
    places = (strength + rng.gumbel(size=strength.shape)).argsort(axis=1).argsort(axis=1)
    return Positions(features, stage, progress, features[:, :, 0], 2 * places / (seats - 1) - 1)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_fit_finds_the_coefficients_that_made_the_results(seats: int) -> None:
    truth = np.array([[[1.0, -0.5, 0.0], [2.0, 0.5, 0.0]]])
    found = fit_coefficients(invented(20000, seats, truth, seed=1), stages=1, moments=2, ridge=1e-6)
    np.testing.assert_allclose(found, truth, atol=0.15)


def test_the_fit_ends_where_the_loss_is_least_whatever_the_scale_of_features() -> None:
    truth = np.array([[[1.0, -0.5], [2.0, 0.5]]])
    positions = invented(500, 3, truth, seed=2)
    best = minimum(positions, 2, np.ones(2), ridge=1e-3)
    loss, slope, _ = loss_at(best, positions, np.ones(2), 1e-3)
    assert np.abs(slope).max() < 1e-6
    for change in np.random.default_rng(3).normal(scale=0.1, size=(20, 4)):
        assert loss_at(best + change, positions, np.ones(2), 1e-3)[0] > loss
    wide = Positions(
        positions.features * [100, 0.01],
        positions.stage,
        positions.progress,
        positions.scores,
        positions.returns,
    )
    np.testing.assert_allclose(
        fit_coefficients(wide, 1, 2, 1e-3) * [100, 0.01], fit_coefficients(positions, 1, 2, 1e-3), rtol=1e-6
    )


def test_results_that_can_be_told_for_certain_do_not_break_the_fit() -> None:
    features = np.array([[[1.0], [0.0]], [[0.0], [1.0]]] * 50)
    returns = 2 * features[:, :, 0] - 1
    positions = Positions(features, np.zeros(100, np.int64), np.zeros(100), returns, returns)
    found = fit_coefficients(positions, stages=2, moments=2, ridge=1e-4)
    assert 5 < found[0, 0, 0] < 50
    assert not found[1].any()  # no position tells anything of the second stage


def test_coefficients_go_in_a_straight_line_from_moment_to_moment() -> None:
    np.testing.assert_allclose(
        nearness(np.array([0, 0.25, 0.6, 1]), 3), [[1, 0, 0], [0.5, 0.5, 0], [0, 0.8, 0.2], [0, 0, 1]]
    )


def test_a_tie_counts_half() -> None:
    np.testing.assert_array_equal(shares_won(np.array([[1.0, -0.5, -0.5]])), [[1, 1, 0.5]])


def test_positions_are_drawn_from_every_stage_as_far_as_there_are_any() -> None:
    stages = np.array([0] * 5 + [1] + [2] * 9)
    drawn = draw_from_stages(stages, 3, 3, np.random.default_rng(1))
    assert np.bincount(stages[drawn]).tolist() == [3, 1, 3]
    assert len(set(drawn.tolist())) == 7


def test_correlation_with_what_never_changes_is_nothing() -> None:
    assert correlation(np.zeros(5), np.arange(5.0)) == 0
    assert correlation(np.arange(5.0), 2 * np.arange(5.0)) == pytest.approx(1)


# The commands


@pytest.mark.compiled
def test_a_fit_writes_what_evaluate_reads_and_leaves_the_rest_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = load("ra")
    assert game.estimate is not None
    path = tmp_path / "estimate.json"
    path.write_text('{"4": {"kept": [[0, 1]]}}')
    texts = []
    for workers in (1, 2):
        run_fit(FitOptions(players=3, games=60, ridge=1e-2, workers=workers, out=path))
        texts.append(path.read_text())
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["4"] == {"kept": [[0, 1]]}
    found = read_coefficients(game.estimate, path, 3)
    assert found.shape == game.estimate.shape
    assert np.abs(found).max() > 0
    assert "score margin" in capsys.readouterr().out
    run_calibrate(CalibrateOptions(players=(3,), games=30, estimate=path))
    shown = capsys.readouterr().out
    assert re.search(r"^\| 3 \| 1 \| 30 \|", shown, re.MULTILINE)
    assert "mean predicted" in shown


def test_a_calibration_table_puts_outcomes_beside_predictions() -> None:
    table = calibration_table(np.array([-0.9, -0.7, 0.1, 1.0]), np.array([-1.0, 0.0, 1.0, 1.0]), bins=4)
    rows = table.splitlines()[2:]
    assert len(rows) == 3
    assert rows[0].startswith("| -1.00 to -0.50 | 2 | -0.800 | -0.500 |")
    assert rows[2].startswith("| +0.50 to +1.00 | 1 | +1.000 | +1.000 |")


@pytest.mark.compiled
def test_an_estimate_tells_more_than_the_scores() -> None:
    game = load("ra")
    assert game.estimate is not None
    match = plan_match(game, 3, game.resolve_options(), ("greedy",), 300, seed=9)
    positions = sample_positions(match, 2)
    scores = positions.of_scores()
    coefficients = read_coefficients(game.estimate, game.estimate.path, 3)
    told = correlation(expected_returns(positions, coefficients), positions.returns)
    baseline = fit_coefficients(scores, game.estimate.stages, 2, 1e-6)
    assert told > correlation(expected_returns(scores, baseline), scores.returns) + 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (FitOptions(game="high_bid"), "high_bid has no estimate of results"),
        (FitOptions(per_stage=0), "per-stage must be at least 1, not 0"),
        (FitOptions(ridge=0.0), "ridge must be above 0, not 0.0"),
        (FitOptions(games=0), "games must be at least 1, not 0"),
        (FitOptions(players=7), "ra is for 2 to 5 players, not 7"),
    ],
)
def test_a_fit_that_cannot_be_says_why(options: FitOptions, message: str) -> None:
    with pytest.raises((UsageError, GameError), match=re.escape(message)):
        run_fit(options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (CalibrateOptions(game="high_bid"), "high_bid has no estimate of results"),
        (CalibrateOptions(bins=0), "bins must be at least 1, not 0"),
        (CalibrateOptions(players=(3, 7)), "ra is for 2 to 5 players, not 7"),
        (CalibrateOptions(estimate=Path("missing.json")), "the estimate missing.json cannot be read"),
    ],
)
def test_a_calibration_that_cannot_be_says_why(options: CalibrateOptions, message: str) -> None:
    with pytest.raises((UsageError, GameError), match=re.escape(message)):
        run_calibrate(options)


@pytest.mark.parametrize("content", ["{}", "[]", "{", '{"3": {}}', '{"3": 1}'])
def test_a_file_without_coefficients_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "estimate.json"
    path.write_text(content)
    estimate = load("ra").estimate
    assert estimate is not None
    with pytest.raises(GameError, match="holds no estimate for 3 players"):
        read_coefficients(estimate, path, 3)
