"""Positions of played games: what the estimate goes by in each, and how the games ended."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.errors import UsageError
from experiments.match import Match, play_match
from tabletop import kernels, verbs
from tabletop.compiling import announced
from tabletop.game import Estimate, Game

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Positions:
    """Some positions, as many of every stage, those of a game next to each other."""

    features: Floats  # [position, seat, feature]
    stage: npt.NDArray[np.int64]  # [position]
    progress: Floats  # [position]
    scores: Floats  # [position, seat] as they stood
    returns: Floats  # [position, seat] how the game ended

    def __getitem__(self, chosen: npt.NDArray[np.bool_] | slice) -> "Positions":
        return Positions(
            self.features[chosen],
            self.stage[chosen],
            self.progress[chosen],
            self.scores[chosen],
            self.returns[chosen],
        )

    def __len__(self) -> int:
        return len(self.stage)

    def of_scores(self) -> "Positions":
        """The same with the scores as the only feature."""
        return Positions(self.scores[:, :, None], self.stage, self.progress, self.scores, self.returns)


def estimate_of(game: Game) -> Estimate:
    """Return a game's estimate, or raise UsageError if it has none."""
    if game.estimate is None or not verbs.has(game.state_dtype, "features"):
        raise UsageError(f"{game.name} has no estimate of results")
    return game.estimate


def sample_positions(match: Match, per_stage: int, workers: int = 1) -> Positions:
    """Play a match and return some positions of every stage of each game, drawn at random.

    The same match gives the same positions, whatever `workers`.
    """
    game, seats, estimate = match.game, match.num_players, estimate_of(match.game)
    valuation = estimate.valuation.tuned(seats)
    codes = game.encode_options(match.options)
    history = game.new_states(game.max_moves + 1)
    features = np.zeros((game.max_moves, seats, len(estimate.features)))
    stages, progress = np.zeros(game.max_moves, np.int64), np.zeros(game.max_moves)
    points, results = np.zeros(seats, np.int64), np.zeros(seats)
    parts: list[Positions] = []
    with announced(f"{game.title} and its estimate"):
        kernels.start_games(history[:1], seats, codes, match.deals[:1])
        kernels.describe_games(history[:1], valuation, features, stages, progress)
    for games in play_match(match, workers):
        for row, moves in enumerate(games.moves):
            length = len(moves)
            kernels.play_moves(history[: length + 1], seats, codes, games.seed[row], moves)
            kernels.describe_games(history[:length], valuation, features, stages, progress)
            generator = np.random.default_rng([match.seed, 3, int(games.deal[row]), row])
            drawn = draw_from_stages(stages[:length], estimate.stages, per_stage, generator)
            scores = np.zeros((len(drawn), seats))
            for place, move in enumerate(drawn):
                kernels.results_of(history[move : move + 1], points, results)
                scores[place] = points
            parts.append(
                Positions(
                    features[drawn],
                    stages[drawn],
                    progress[drawn],
                    scores,
                    np.tile(games.returns[row], (len(drawn), 1)),
                )
            )
    return join(parts)


def draw_from_stages(
    stages: npt.NDArray[np.int64], num_stages: int, per_stage: int, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return indices of at most `per_stage` different positions of each stage, in order, int64[drawn]."""
    drawn = []
    for stage in range(num_stages):
        there = np.flatnonzero(stages == stage)
        drawn.append(np.sort(generator.permutation(there)[:per_stage]))
    return np.concatenate(drawn)


def join(parts: Sequence[Positions]) -> Positions:
    """Return all positions of several collections."""
    return Positions(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.stage for part in parts]),
        np.concatenate([part.progress for part in parts]),
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.returns for part in parts]),
    )
