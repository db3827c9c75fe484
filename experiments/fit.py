"""Fit a game's estimate of results to games that agents play, for one number of players.

From every game some positions of each stage are drawn. The coefficients are those under which the
places at which the games ended are likeliest, see `experiments.logistic`. A tenth of the games is
kept back to tell what they are worth on games they were not fitted to.
"""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from experiments.errors import UsageError
from experiments.logistic import correlation, expected_returns, fit_coefficients, mean_log_loss
from experiments.positions import Floats, estimate_of, sample_positions
from experiments.tournament import TournamentOptions, prepare
from tabletop.game import Estimate, load

KEPT_BACK = 10  # one of so many


@dataclass(frozen=True)
class FitOptions:
    """Options of `nile fit`."""

    game: str = "ra"
    """Which game: a built-in name, or an importable module whose GAME has an estimate."""
    players: int = 3
    """The number of players; each number has coefficients of its own."""
    agents: tuple[str, ...] = ("greedy",)
    """Who plays the games, as in `nile tournament`."""
    rules: str | None = None
    """A preset of the game's options; by default its first."""
    option: tuple[str, ...] = ()
    """Single options of the game, each `name=value`, in place of the preset's."""
    games: int = 20000
    """How many games to play."""
    per_stage: int = 4
    """How many positions to draw from each stage of a game."""
    ridge: float = 1e-4
    """How strongly coefficients are drawn to zero, features having standard deviation 1."""
    seed: int = 1
    """The seed of all deals, agents and draws."""
    workers: int = 1
    """Threads that play games; what is found does not depend on it."""
    out: Path | None = None
    """The JSON file of coefficients to write to; by default the one the game ships."""


def run(options: FitOptions) -> None:
    """Play, fit and write the coefficients.

    Raises:
        GameError, AgentError, UsageError: something is not valid; the message says what is.
    """
    estimate = estimate_of(load(options.game))
    if options.per_stage < 1:
        raise UsageError(f"per-stage must be at least 1, not {options.per_stage}")
    if options.ridge <= 0:
        raise UsageError(f"ridge must be above 0, not {options.ridge}")
    match = prepare(
        TournamentOptions(
            options.agents,
            options.game,
            options.players,
            options.rules,
            options.option,
            options.games,
            options.seed,
            options.workers,
        )
    )
    path = options.out if options.out is not None else estimate.path
    started = time.monotonic()
    positions = sample_positions(match, options.per_stage, options.workers)
    print(
        f"{match.game.name}, {options.players} players: {len(positions):,} positions of "
        f"{match.num_games:,} games in {time.monotonic() - started:.0f} s",
        flush=True,
    )
    split = len(positions) - max(1, len(positions) // KEPT_BACK)
    known, unknown = positions[:split], positions[split:]
    coefficients = fit_coefficients(known, estimate.stages, estimate.moments, options.ridge)
    baseline = fit_coefficients(known.of_scores(), estimate.stages, estimate.moments, options.ridge)
    print("on games kept back      log loss   correlation with results")
    for name, sample, found in (
        ("score margin", unknown.of_scores(), baseline),
        ("estimate", unknown, coefficients),
    ):
        worth = correlation(expected_returns(sample, found), sample.returns)
        print(f"{name:20s} {mean_log_loss(sample, found):11.4f} {worth:13.3f}")
    write_coefficients(estimate, path, options.players, coefficients)
    print(f"written to {path}")


def write_coefficients(estimate: Estimate, path: Path, num_players: int, coefficients: Floats) -> None:
    """Put the coefficients for one number of players into a file; those of the others stay. All or nothing."""
    content = json.loads(path.read_text()) if path.exists() else {}
    content[str(num_players)] = {
        name: [[round(float(value), 5) for value in ends] for ends in coefficients[:, :, index]]
        for index, name in enumerate(estimate.names)
    }
    beside = path.with_suffix(".part")
    beside.write_text(to_json(dict(sorted(content.items()))))
    os.replace(beside, path)


def to_json(content: dict[str, dict[str, list[list[float]]]]) -> str:
    """Return the text of a file of coefficients, a line for each feature."""
    tables = []
    for number, rows in content.items():
        lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(values)}" for name, values in rows.items())
        tables.append(f"  {json.dumps(number)}: {{\n{lines}\n  }}")
    return "{\n" + ",\n".join(tables) + "\n}\n"
