"""How fast a game is, from compiled playouts to single-seat environments, and what compiling takes."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.table import Table

from experiments import measures, peers
from experiments.errors import UsageError
from experiments.measures import Measure, Sample
from experiments.tournament import git_hash, versions
from tabletop.game import BUILT_IN, Game, load

PLACES = 4096
LEARNERS = 1024
ROUNDS = 5
FIRST_CALL = """
import time
from experiments import measures
from tabletop.game import load
game = load({name!r})
started = time.perf_counter()
for prepare in (measures.playouts, measures.aec_loop):
    prepare(game, {players})(0)
measures.batch(game, {players}, 2)(0)
rules = time.perf_counter() - started
measures.learner(game, {players})(0)
print(rules, time.perf_counter() - started - rules)
"""


@dataclass(frozen=True)
class BenchmarkOptions:
    """Measure how fast the games are. Each figure is the best and the median of some rounds."""

    game: tuple[str, ...] = BUILT_IN
    """The games to measure."""
    players: int = 3
    """How many play."""
    seconds: float = 0.5
    """About how long each round takes."""
    compile: bool = True
    """Also measure the first call after an install, in a process with an empty cache."""
    peers: bool = False
    """Measure beside the games of OpenSpiel, PettingZoo, RLCard and pgx instead, as far as installed."""
    json: Path | None = None
    """A file for the figures."""


@dataclass(frozen=True)
class Figure:
    """One measurement."""

    game: str
    what: str
    unit: str
    best: float
    median: float


@dataclass(frozen=True)
class Row:
    """One way to play a game: how it is measured, and what of it is shown."""

    what: str
    unit: str
    prepare: Callable[[Game, int], Measure]
    shown: Callable[[Sample], float] = lambda sample: sample.rate


def rows(game: Game) -> list[Row]:
    """Return what is measured of a game."""
    decisions, learner, simulations = "decisions/s", "learner decisions/s", "simulations/s"
    rival = measures.opponents(game)
    return [
        Row("random playouts", decisions, measures.playouts),
        Row(
            f"batch of {PLACES:,}: apply, mask, observation",
            decisions,
            partial(measures.batch, places=PLACES),
        ),
        Row(
            f"batch of {PLACES:,} on two threads (wall time)",
            decisions,
            partial(measures.batch, places=PLACES, threads=2),
        ),
        *(
            Row(
                f"{LEARNERS:,} single seats against {rival}, learner {policy}",
                learner,
                partial(measures.learners, places=LEARNERS, policy=policy),
            )
            for policy in dict.fromkeys([rival, "random"])
        ),
        Row(f"one single seat against {rival}: reset, step", learner, measures.learner),
        Row("AEC loop: last, step", decisions, measures.aec_loop),
        Row("OpenSpiel's interface: legal_actions, apply_action", decisions, measures.spiel_view),
        *(
            Row(
                f"search of the first move, {how}",
                simulations,
                partial(measures.search, spec=spec),
                lambda sample: sample.games_rate,
            )
            for how, spec in measures.searches(game).items()
        ),
        Row(
            f"clone in compiled code ({game.state_dtype.itemsize} bytes)",
            "ns",
            measures.compiled_copies,
            lambda sample: 1e9 / sample.rate,
        ),
    ]


def run(options: BenchmarkOptions) -> None:
    """Measure, print the table and save the figures."""
    if options.seconds <= 0:
        raise UsageError(f"seconds must be above 0, not {options.seconds:g}")
    games = [load(name) for name in options.game]
    for game in games:
        game.check_num_players(options.players)
    if options.json is not None:
        save(options.json, options, {"figures": []})
    if options.peers:
        found = peers.compare(games, options.players, options.seconds, peers.PEERS)
        peers.show(found)
        results = found.results()
    else:
        figures = [figure for game in games for figure in measure(game, options)]
        show(figures, options.players)
        results = {"figures": [asdict(figure) for figure in figures]}
    if options.json is not None:
        save(options.json, options, results)


def show(figures: list[Figure], players: int) -> None:
    """Print the table."""
    print(f"{players} players, one core (CPU time) unless said, {ROUNDS} rounds")
    shown = Table(box=box.SIMPLE_HEAD)
    for heading in ("game", "what", "unit"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("best", "median"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for figure in figures:
        shown.add_row(figure.game, figure.what, figure.unit, readable(figure.best), readable(figure.median))
    measures.wide_console().print(shown)


def readable(value: float) -> str:
    """Return a figure with three digits, large ones in full."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def save(path: Path, options: BenchmarkOptions, results: dict[str, Any]) -> None:
    """Write the figures with versions and commit.

    Raises:
        UsageError: the file cannot be written.
    """
    data = {"players": options.players, **results, "versions": versions(), "git": git_hash()}
    try:
        path.write_text(json.dumps(data, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write to {path}: {error.strerror}") from None


def measure(game: Game, options: BenchmarkOptions) -> list[Figure]:
    """Return all figures of one game."""
    ways = rows(game)
    loops = [(f"{game.title}: {row.what}", partial(row.prepare, game, options.players)) for row in ways]
    figures = []
    for row, measured in zip(ways, measures.in_turns(loops, ROUNDS, options.seconds), strict=True):
        values = [row.shown(sample) for sample in measured.samples]
        best = min(values) if row.unit == "ns" else max(values)
        figures.append(Figure(game.name, row.what, row.unit, best, float(np.median(values))))
    if options.compile:
        rules, seats = first_call(game, options.players)
        figures += [
            Figure(
                game.name, "first call after an install: playouts, AEC, batch (compile)", "s", rules, rules
            ),
            Figure(game.name, "and of the single seat after that", "s", seats, seats),
        ]
    return figures


def first_call(game: Game, players: int) -> tuple[float, float]:
    """Return the seconds that first calls take in a new process with an empty cache: the rules, single seats."""
    program = FIRST_CALL.format(name=game.module, players=players)
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
    rules, seats = done.stdout.split()[-2:]
    return float(rules), float(seats)
