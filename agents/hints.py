"""What a network is told beside the observation: the game's description, and hints at each move."""

import numpy as np
import numpy.typing as npt

from agents import hint_kernels
from tabletop import verbs
from tabletop.description import Describer
from tabletop.game import MAX_PLAYERS, Game
from tabletop.kinds import States

NUM_HINTS = 2  # of each action


def can_hint(game: Game) -> bool:
    """Return whether a game has a prior of sensible moves."""
    return game.weights is not None and verbs.has(game.state_dtype, "prior")


def valuations(game: Game) -> npt.NDArray[np.float64]:
    """Return what the game's prior goes by for each number of players, float64[MAX_PLAYERS + 1, weights]."""
    assert game.weights is not None
    weights = np.zeros((MAX_PLAYERS + 1, len(game.weights.names)))
    for count in range(game.min_players, game.max_players + 1):
        weights[count] = game.weights.tuned(count)
    return weights


class Adviser(Describer):
    """Describes positions and adds two hints at each move, 0 for illegal ones.

    They are the logarithm of the game's prior, then what the move makes its player expect by the
    game's estimate, see `tabletop.description_kernels.look_ahead`. Hints are for the seat that moves;
    they look at nothing that this seat cannot know.

    Args:
        game: a game with features and a prior.
        estimates: what its estimate goes by, see `tabletop.description.tuned`.
        weights: what its prior goes by, see `valuations`.
        settle: how many moves of greedy play the look ahead takes before it asks the estimate; below
            0: there is no look ahead.
        worlds: in how many worlds it looks at each move.
    """

    def __init__(
        self,
        game: Game,
        estimates: npt.NDArray[np.float64],
        weights: npt.NDArray[np.float64],
        settle: int = 0,
        worlds: int = 1,
    ) -> None:
        super().__init__(game, estimates)
        self.size += NUM_HINTS * game.num_actions
        self.settle = settle
        self._valuations = weights
        self.worlds = worlds

    def __call__(
        self,
        states: States,
        rows: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.float32]:
        """Return descriptions and hints of some records, float32[rows, size]; see `Describer`."""
        out = super().__call__(states, rows, players, seeds)
        priors, expected = np.zeros((2, self.game.num_actions))
        hint_kernels.hint(
            states,
            rows,
            players,
            seeds,
            self._weights,
            self._valuations,
            self.settle,
            self.worlds,
            self.game.new_states(3),
            np.zeros(self.game.num_words, np.uint64),
            np.zeros(MAX_PLAYERS),
            priors,
            expected,
            out,
        )
        return out


def teller(
    game: Game,
    estimates: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    settle: int,
    worlds: int,
) -> Describer | None:
    """Return what tells what a network wants to know: nothing, descriptions, or hints as well."""
    if not estimates.size:
        return None
    return Adviser(game, estimates, weights, settle, worlds) if weights.size else Describer(game, estimates)
