"""What a game's estimate of results is worth: predictions beside how games ended.

One position of each stage of every game is drawn at random, from games that no fit has seen if the
seed is another. The baseline goes by the margin of scores as it stands; its coefficients are fitted
to the very positions it is tried on, so it is not sold short.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.errors import UsageError
from experiments.logistic import correlation, expected_returns, fit_coefficients, mean_log_loss
from experiments.positions import Floats, Positions, estimate_of, sample_positions
from experiments.tournament import TournamentOptions, prepare
from tabletop.game import load, read_coefficients

BASELINE_RIDGE = 1e-6


@dataclass(frozen=True)
class CalibrateOptions:
    """Options of `nile calibrate`."""

    game: str = "ra"
    """Which game: a built-in name, or an importable module whose GAME has an estimate."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default all that the game is for."""
    agents: tuple[str, ...] = ("greedy",)
    """Who plays the games, as in `nile tournament`."""
    rules: str | None = None
    """A preset of the game's options; by default its first."""
    option: tuple[str, ...] = ()
    """Single options of the game, each `name=value`, in place of the preset's."""
    games: int = 10000
    """How many games for each number of players: so many positions of each stage."""
    bins: int = 8
    """Into how many bins of equal width predictions are sorted."""
    seed: int = 2
    """The seed of all deals, agents and draws; `nile fit` has another by default."""
    workers: int = 1
    """Threads that play games; the results do not depend on it."""
    estimate: Path | None = None
    """A file of coefficients written by `nile fit`, in place of those the game ships."""


def run(options: CalibrateOptions) -> None:
    """Print both tables in Markdown.

    Raises:
        GameError, AgentError, UsageError: something is not valid; the message says what is.
    """
    game = load(options.game)
    estimate = estimate_of(game)
    if options.bins < 1:
        raise UsageError(f"bins must be at least 1, not {options.bins}")
    path = options.estimate if options.estimate is not None else estimate.path
    counts = options.players or tuple(range(game.min_players, game.max_players + 1))
    coefficients = {
        count: read_coefficients(estimate, path, game.check_num_players(count)) for count in counts
    }
    print(
        "| players | stage | positions | correlation | log loss | of score margins: correlation | log loss |"
    )
    print("|---|---|---|---|---|---|---|")
    predicted, actual = [], []
    for count in counts:
        match = prepare(
            TournamentOptions(
                options.agents,
                options.game,
                count,
                options.rules,
                options.option,
                options.games,
                options.seed,
                options.workers,
            )
        )
        positions = sample_positions(match, 1, options.workers)
        baseline = fit_coefficients(positions.of_scores(), estimate.stages, estimate.moments, BASELINE_RIDGE)
        for stage in range(estimate.stages):
            chosen = positions[positions.stage == stage]
            print(
                f"| {count} | {stage + 1} | {len(chosen):,} | {figures(chosen, coefficients[count])} "
                f"| {figures(chosen.of_scores(), baseline)} |",
                flush=True,
            )
        predicted.append(expected_returns(positions, coefficients[count]).ravel())
        actual.append(positions.returns.ravel())
    print()
    print(calibration_table(np.concatenate(predicted), np.concatenate(actual), options.bins))


def figures(positions: Positions, coefficients: Floats) -> str:
    """Return correlation and log loss of an estimate on some positions, as two cells of a table."""
    if len(positions) == 0:
        return "- | -"
    worth = correlation(expected_returns(positions, coefficients), positions.returns)
    return f"{worth:.3f} | {mean_log_loss(positions, coefficients):.3f}"


def calibration_table(predicted: Floats, actual: Floats, bins: int) -> str:
    """Return the mean prediction and the mean outcome in each bin of predictions, in Markdown.

    `predicted` and `actual` are returns of a seat, float64[n]. The error is a standard error; results
    of the seats of one game are not independent, so it is a little too small.
    """
    edges = np.linspace(-1, 1, bins + 1)
    place = np.clip(np.digitize(predicted, edges) - 1, 0, bins - 1)
    rows = ["| predicted return | seats | mean predicted | mean outcome | +- |", "|---|---|---|---|---|"]
    for number in range(bins):
        inside = place == number
        if not inside.any():
            continue
        error = actual[inside].std() / np.sqrt(inside.sum())
        rows.append(
            f"| {edges[number]:+.2f} to {edges[number + 1]:+.2f} | {inside.sum():,} "
            f"| {predicted[inside].mean():+.3f} | {actual[inside].mean():+.3f} | {error:.3f} |"
        )
    return "\n".join(rows)
