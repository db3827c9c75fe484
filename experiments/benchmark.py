"""How fast a game is, one core: random playouts, batch steps, the AEC loop, search, clones, and the first compile."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.mcts import MctsAgent
from experiments.errors import UsageError
from experiments.tournament import git_hash, versions
from tabletop import kernels, verbs
from tabletop.aec import GameEnv
from tabletop.compiling import announced
from tabletop.game import BUILT_IN, Game, load
from tabletop.view import View

BATCH = 4096
CLONES = 1024
ROUNDS = 5
FIRST_CALL = """
import time
import numpy as np
from experiments.benchmark import aec_loop, batch_steps, playouts
from tabletop.game import load
game = load({name!r})
players = {players}
started = time.perf_counter()
playouts(game, players, 1)
batch_steps(game, players, 2, 1)
aec_loop(game, players, 1)
print(time.perf_counter() - started)
"""


@dataclass(frozen=True)
class BenchmarkOptions:
    """Measure how fast the games are. Each figure is the best and the median of five rounds."""

    game: tuple[str, ...] = BUILT_IN
    """The games to measure."""
    players: int = 3
    """How many play."""
    seconds: float = 1.0
    """About how long each round takes."""
    compile: bool = True
    """Also measure the first call after an install, in a process with an empty cache."""
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


def run(options: BenchmarkOptions) -> None:
    """Measure, print the table and save the figures."""
    if options.seconds <= 0:
        raise UsageError(f"seconds must be above 0, not {options.seconds:g}")
    games = [load(name) for name in options.game]
    for game in games:
        game.check_num_players(options.players)
    if options.json is not None:
        save(options.json, options, [])
    figures: list[Figure] = []
    for game in games:
        figures += measure(game, options)
    shown = Table(title=f"{options.players} players, one core, {ROUNDS} rounds", title_justify="left")
    for heading in ("game", "what", "unit"):
        shown.add_column(heading)
    for heading in ("best", "median"):
        shown.add_column(heading, justify="right")
    for figure in figures:
        shown.add_row(figure.game, figure.what, figure.unit, readable(figure.best), readable(figure.median))
    Console().print(shown)
    if options.json is not None:
        save(options.json, options, figures)


def readable(value: float) -> str:
    """Return a figure with three digits, large ones in full."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def save(path: Path, options: BenchmarkOptions, figures: list[Figure]) -> None:
    """Write the figures with versions and commit.

    Raises:
        UsageError: the file cannot be written.
    """
    data = {
        "players": options.players,
        "figures": [asdict(figure) for figure in figures],
        "versions": versions(),
        "git": git_hash(),
    }
    try:
        path.write_text(json.dumps(data, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write to {path}: {error.strerror}") from None


def measure(game: Game, options: BenchmarkOptions) -> list[Figure]:
    """Return all figures of one game."""
    players = options.players
    with announced(game.title):
        playouts(game, players, 1)
        batch_steps(game, players, 2, 1)
        aec_loop(game, players, 1)
        clones(game, 1)
        for agent in searches(game, players).values():
            simulations(game, players, agent, 0)
    rates: dict[str, list[float]] = {
        "random playouts": [_rate(playouts, game, players, options.seconds) for _ in range(ROUNDS)],
        f"batch of {BATCH:,}: apply, mask, observation": [
            batch_steps(game, players, BATCH, options.seconds) for _ in range(ROUNDS)
        ],
        "AEC loop: last, step": [_rate(aec_loop, game, players, options.seconds) for _ in range(ROUNDS)],
    }
    figures = [
        Figure(game.name, what, "decisions/s", max(found), float(np.median(found)))
        for what, found in rates.items()
    ]
    for what, agent in searches(game, players).items():
        found = [simulations(game, players, agent, options.seconds) for _ in range(ROUNDS)]
        figures.append(Figure(game.name, what, "simulations/s", max(found), float(np.median(found))))
    times = [clones(game, 2_000_000) for _ in range(ROUNDS)]
    figures.append(
        Figure(
            game.name, f"clone ({game.state_dtype.itemsize} bytes)", "ns", min(times), float(np.median(times))
        )
    )
    if options.compile:
        taken = first_call(game, players)
        figures.append(Figure(game.name, "first call after an install (compile)", "s", taken, taken))
    return figures


def _rate(play: Callable[[Game, int, int], int], game: Game, players: int, seconds: float) -> float:
    """Return the decisions a second of a loop over whole games that runs for about `seconds`."""
    games, taken = 1, 0.0
    while True:
        started = time.perf_counter()
        decisions = play(game, players, games)
        taken = time.perf_counter() - started
        if taken >= seconds / 2:
            return decisions / taken
        games = int(games * min(10.0, max(2.0, seconds / max(taken, 1e-6))))


def playouts(game: Game, players: int, games: int) -> int:
    """Play whole games with random legal moves in compiled code; return the number of decisions."""
    codes = game.encode_options(game.resolve_options())
    seeds = np.arange(games, dtype=np.uint64)
    bits = np.zeros(game.num_words, np.uint64)
    return kernels.random_playouts(game.new_states(1), players, codes, seeds, np.ones(1, np.uint64), bits)


def batch_steps(game: Game, players: int, batch: int, seconds: float) -> float:
    """Step a batch with random legal moves; return decisions a second of apply, mask and observation.

    Picking the moves and dealing new games is not counted.
    """
    states = game.new_states(batch)
    codes = game.encode_options(game.resolve_options())
    observations = np.zeros((batch, game.layout.size), np.float32)
    masks = np.zeros((batch, game.num_actions), np.int8)
    movers, actions = np.zeros(batch, np.int64), np.zeros(batch, np.int64)
    over, bits = np.zeros(batch, bool), np.zeros(game.num_words, np.uint64)
    generator = np.ones(1, np.uint64)
    seeds = np.arange(batch, dtype=np.uint64)
    kernels.start_games(states, players, codes, seeds)
    kernels.look_at_games(states, observations, masks, movers, over, bits)
    decisions, taken = 0, 0.0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        kernels.random_actions(masks, actions, generator)
        decisions += batch - int(over.sum())
        started = time.perf_counter()
        kernels.step_games(states, actions, observations, masks, movers, over, bits)
        taken += time.perf_counter() - started
        if over.any():
            ended = np.flatnonzero(over)
            seeds[ended] += np.uint64(batch)
            fresh = states[ended]
            kernels.start_games(fresh, players, codes, seeds[ended])
            states[ended] = fresh
            kernels.look_at_games(states, observations, masks, movers, over, bits)
    return decisions / taken


def aec_loop(game: Game, players: int, games: int) -> int:
    """Play whole games through `last()` and `step()` with random legal moves; return the number of decisions."""
    env = GameEnv(game, num_players=players)
    generator = np.random.default_rng(0)
    decisions = 0
    for seed in range(games):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation or observation is None:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(generator.random() * len(legal))])
            decisions += 1
    return decisions


def searches(game: Game, players: int) -> dict[str, MctsAgent]:
    """Return the searches that are measured by what they are: with rollouts, and with the game's estimate."""
    found = {"search, random rollouts to the end": MctsAgent(game, players, prior="none", rollout="random")}
    if verbs.has(game.state_dtype, "evaluate"):
        found["search, estimate at the leaf"] = MctsAgent(game, players, prior="none", rollout="none")
        if verbs.has(game.state_dtype, "prior"):
            found["search, prior and estimate"] = MctsAgent(game, players, rollout="none")
    return found


def simulations(game: Game, players: int, agent: MctsAgent, seconds: float) -> float:
    """Search the first move of a game again and again; return the simulations a second."""
    states = game.new_states(1)
    codes = game.encode_options(game.resolve_options())
    kernels.start_games(states, players, codes, np.zeros(1, np.uint64))
    view = View(game, states, int(states[0].current), seed=0)
    made, started, taken = 0, time.perf_counter(), 0.0
    while made == 0 or taken < seconds:
        made += int(agent.look(view).visits.sum())
        taken = time.perf_counter() - started
    return made / taken


def clones(game: Game, times: int) -> float:
    """Return the nanoseconds that a copy of a record takes."""
    states = game.new_states(CLONES)
    started = time.perf_counter()
    kernels.copy_game(states, times)
    return (time.perf_counter() - started) / times * 1e9


def first_call(game: Game, players: int) -> float:
    """Return the seconds that the first calls take in a new process with an empty cache."""
    program = FIRST_CALL.format(name=game.module, players=players)
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
    return float(done.stdout.split()[-1])
