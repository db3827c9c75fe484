"""Tune the weights of a game's greedy valuation by self-play, for one number of players.

An evolution strategy. Each generation changes all of the best weights at once by random steps and
plays each change, and its opposite, against n - 1 agents with the best weights: the same deals for
both and for every seat, each seat equally often. Regression of the results on the steps tells which
way every weight should go. Candidates go that way, some near and some far; the most successful one
replaces the best if it also beats it, beyond doubt, on deals that it was not picked on.

Every replacement is written at once, so a run can be interrupted; the next goes on from the file.
"""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tabletop import Game, GameError, kernels, load
from tabletop.game import Weights

Vector = npt.NDArray[np.float64]
Seeds = npt.NDArray[np.uint64]

LENGTHS = (0.2, 0.5, 1.0)  # of candidates, as parts of the way to the summit
STEP_DECAY = 0.95  # after a generation that did not improve: the slopes of short steps drown in noise
LEAST_STEP = 0.04
NOISE = 1.2  # standard errors of a slope that are taken off it


@dataclass
class TuneOptions:
    """Options of `nile tune`."""

    game: str = "ra"
    """Which game: a built-in name, or an importable module whose GAME has weights."""
    players: int = 3
    """The number of players; each number has weights of its own."""
    rounds: int = 12
    """How many generations; they and the seed decide what is found."""
    minutes: float = 0.0
    """Begin no generation after so many minutes, if not zero, even if there are rounds left."""
    games: int = 8000
    """Games of each of the three parts of a generation: exploring, picking, testing what was picked."""
    confidence: float = 2.0
    """By how many standard errors a candidate must beat the best weights on fresh deals."""
    step: float = 0.08
    """The first generation's steps, as a part of each weight's range."""
    seed: int = 1
    """Seed of the steps and of all deals."""
    workers: int = 1
    """Threads among which a comparison's games are divided; what is found does not depend on it."""
    out: str = ""
    """The JSON file of weights to begin from and to improve; by default the one the game ships."""


@dataclass
class Landscape:
    """How the result depends on the weights near the best: pooled over generations with the same best."""

    steps: list[Vector] = field(default_factory=list)  # [pairs, weights] in parts of the ranges
    leans: list[Vector] = field(default_factory=list)  # [pairs] half of what a step won against its opposite
    sags: list[Vector] = field(default_factory=list)  # [pairs] what a step and its opposite lost on average

    def add(self, steps: Vector, forward: Vector, backward: Vector) -> None:
        """Take in the results of steps from the best weights, and of their opposites."""
        self.steps.append(steps)
        self.leans.append((forward - backward) / 2)
        self.sags.append(-(forward + backward) / 2)

    def summit(self) -> Vector:
        """Return the step to where the result should be best: each slope over the mean curvature.

        From a slope what may be noise is taken off. A step has at most the mean length of those tried.
        """
        steps, leans, sags = (np.concatenate(parts) for parts in (self.steps, self.leans, self.sags))
        squares = (steps**2).sum(axis=0)
        slopes: Vector = (steps * leans[:, None]).sum(axis=0) / squares
        errors = leans.std() / np.sqrt(squares)
        slopes = np.sign(slopes) * np.maximum(0.0, np.abs(slopes) - NOISE * errors)
        length = float(np.sqrt((slopes**2).sum()))
        if length == 0.0:
            return slopes
        curvature = 2 * sags.mean() / (steps**2).sum(axis=1).mean()
        farthest = float(np.sqrt((steps**2).sum(axis=1)).mean())
        summit: Vector = slopes / max(curvature, length / farthest)
        return summit


@dataclass
class Tuner:
    """What stays the same while the weights of one game are tuned for one number of players."""

    game: Game
    options: TuneOptions
    low: Vector  # [weights]
    high: Vector  # [weights]
    rng: np.random.Generator

    def explore(self, best: Vector, step: float, landscape: Landscape) -> None:
        """Play random steps from the best weights, and their opposites, one deal for each pair."""
        pairs = max(1, self.options.games // (2 * self.options.players))
        steps = step * self.rng.standard_normal((pairs, len(best)))
        tried = self.moved(best, np.concatenate([steps, -steps]))
        results = self.results(tried, best, np.tile(self.new_deals(pairs), 2))
        landscape.add(steps, results[:pairs], results[pairs:])

    def pick(self, best: Vector, landscape: Landscape) -> tuple[Vector, float, float]:
        """Return the best candidate, its mean result on fresh deals, and that in standard errors."""
        deals = max(2, self.options.games // self.options.players)
        candidates = [self.moved(best, length * landscape.summit()) for length in LENGTHS]
        seeds = self.new_deals(max(2, deals // len(LENGTHS)))
        means = [self.match(candidate, best, seeds).mean() for candidate in candidates]
        winner = candidates[int(np.argmax(means))]
        results = self.match(winner, best, self.new_deals(deals))
        gain, error = float(results.mean()), float(results.std()) / np.sqrt(deals)
        return winner, gain, gain / error if error > 0 else 0.0

    def moved(self, weights: Vector, step: Vector) -> Vector:
        """Return weights after a step in parts of their ranges, which they do not leave."""
        return np.clip(weights + step * (self.high - self.low), self.low, self.high)

    def new_deals(self, number: int) -> Seeds:
        """Return seeds of deals never played before."""
        return self.rng.integers(0, 2**64, number, dtype=np.uint64)

    def match(self, candidate: Vector, best: Vector, deals: Seeds) -> Vector:
        """Return a candidate's mean result in each deal, [deals]: on average 0 if it is no better."""
        return self.results(np.tile(candidate, (len(deals), 1)), best, deals)

    def results(self, tried: Vector, best: Vector, deals: Seeds) -> Vector:
        """Return the mean result over all seats of weights [deals, weights], each in its own deal."""
        parts = np.array_split(np.arange(len(deals)), self.options.workers)
        with ThreadPoolExecutor(self.options.workers) as threads:
            played = threads.map(lambda part: self.play(tried[part], best, deals[part]), parts)
            return np.concatenate(list(played))

    def play(self, tried: Vector, best: Vector, deals: Seeds) -> Vector:
        """The same in this thread: one compiled call."""
        game, players = self.game, self.options.players
        games = len(deals) * players
        focus = np.tile(np.eye(players, dtype=bool), (len(deals), 1))  # [games, seats]
        agents = len(tried) + 1
        results = np.zeros((games, players))
        kernels.play_games(
            game.new_states(1),
            players,
            game.encode_options(game.resolve_options()),
            np.repeat(deals, players),
            np.where(focus, np.arange(games)[:, None] // players, len(tried)),
            np.full(agents, kernels.GREEDY),
            np.vstack([tried, best]),
            np.zeros((games, players), np.uint64),
            np.zeros((games, game.max_moves), np.int16),
            np.zeros(games, np.int64),
            np.zeros((games, players), np.int64),
            results,
            np.zeros(agents, np.int64),
            np.zeros(game.num_words, np.uint64),
        )
        means: Vector = results[focus].reshape(len(deals), players).mean(axis=1)
        return means


def run(options: TuneOptions) -> None:
    """Improve the weights of a game for one number of players, and write them.

    Raises:
        GameError: there is no such game, it has no weights, or is not for so many players.
    """
    game = load(options.game)
    game.check_num_players(options.players)
    if game.weights is None:
        raise GameError(f"{game.name} has no weights to tune")
    declared = game.weights.declared
    path = Path(options.out) if options.out else game.weights.path
    low, high = np.array([weight.low for weight in declared]), np.array([weight.high for weight in declared])
    tuner = Tuner(game, options, low, high, np.random.default_rng([options.seed, options.players]))
    best = read_weights(game.weights, path, options.players)
    landscape, step, started = Landscape(), options.step, time.monotonic()
    print(f"{game.name}, {options.players} players: {len(best)} weights, written to {path}", flush=True)
    for generation in range(1, options.rounds + 1):
        if options.minutes and time.monotonic() - started > 60 * options.minutes:
            break
        tuner.explore(best, step, landscape)
        winner, gain, lead = tuner.pick(best, landscape)
        improved = lead > options.confidence
        print(
            f"generation {generation:3d}   {time.monotonic() - started:5.0f} s   step {step:.3f}   "
            f"result {gain:+.3f} ({lead:+.1f} standard errors)   {'improved' if improved else '-'}",
            flush=True,
        )
        if improved:
            best, landscape = winner, Landscape()
            write_weights(game.weights, path, options.players, best)
        else:
            step = max(LEAST_STEP, step * STEP_DECAY)


def read_weights(weights: Weights, path: Path, players: int) -> Vector:
    """Return the weights of a file, or the middle of each range where it has none."""
    found = read_file(path).get(str(players), {})
    middle = {weight.name: (weight.low + weight.high) / 2 for weight in weights.declared}
    return np.array([found.get(name, middle[name]) for name in weights.names])


def write_weights(weights: Weights, path: Path, players: int, values: Vector) -> None:
    """Put the weights for one number of players into a file; those of the others stay. All or nothing."""
    content = read_file(path)
    content[str(players)] = {
        name: round(float(value), 4) for name, value in zip(weights.names, values, strict=True)
    }
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(dict(sorted(content.items())), indent=2) + "\n")
    os.replace(beside, path)


def read_file(path: Path) -> dict[str, dict[str, float]]:
    """Return a file of weights; empty if there is none yet."""
    if not path.exists():
        return {}
    content: dict[str, dict[str, float]] = json.loads(path.read_text())
    return content
