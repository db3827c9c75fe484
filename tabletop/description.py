"""What a game's estimate tells of a position, as numbers for a learner beside its observation.

For each seat, in relative order from the player who looks, absent seats zero: the features of the
estimate (`Game.estimate`), then the return it expects. All is reckoned in a world in which what the
player cannot know has been drawn anew, so the numbers tell nothing that the player may not know;
where a game has secrets they are of one world among many.
"""

import numpy as np
import numpy.typing as npt

from tabletop import batch_kernels, verbs
from tabletop.game import MAX_PLAYERS, Game, GameError
from tabletop.kinds import States

EXPECTED = "expected_return"


def names(game: Game) -> tuple[str, ...]:
    """Return the names of the numbers of one seat; none if the game cannot describe positions."""
    if game.estimate is None or not verbs.has(game.state_dtype, "describe"):
        return ()
    return (*game.estimate.names, EXPECTED)


def tuned(game: Game) -> npt.NDArray[np.float64]:
    """Return what the game's estimate goes by for each number of players, float64[MAX_PLAYERS + 1, weights].

    Raises:
        GameError: the game has no features.
    """
    if game.estimate is None or not names(game):
        raise GameError(f"{game.name} has no features to describe positions by")
    counts = range(game.min_players, game.max_players + 1)
    weights = np.zeros((MAX_PLAYERS + 1, len(game.estimate.tuned(game.max_players))))
    for count in counts:
        weights[count] = game.estimate.tuned(count)
    return weights


class Describer:
    """Describes positions of a game; threads may ask one at the same time.

    Args:
        game: a game for which `names` are not empty.
        weights: float64[MAX_PLAYERS + 1, weights], as `tuned` gives them: a network keeps those that
            it learned with.
    """

    def __init__(self, game: Game, weights: npt.NDArray[np.float64]) -> None:
        self.size = len(names(game)) * MAX_PLAYERS
        self.game = game
        self._weights = weights

    def __call__(
        self,
        states: States,
        rows: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.float32]:
        """Return what players may know of some records, float32[rows, size]; 0 where a game is over.

        Args:
            states: records.
            rows: int64[rows] which of them.
            players: int64[rows] the seat that looks.
            seeds: uint64[rows] for what is drawn anew.
        """
        out = np.zeros((len(rows), self.size), np.float32)
        world = self.game.new_states(1)
        table = np.zeros((MAX_PLAYERS, len(names(self.game)) - 1))
        values = np.zeros(MAX_PLAYERS)
        batch_kernels.describe(states, rows, players, seeds, self._weights, world, table, values, out)
        return out
