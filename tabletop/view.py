"""What one player may know of a game. Agents get this, never the record."""

import numpy as np
import numpy.typing as npt

from tabletop import kernels
from tabletop.description import Describer
from tabletop.game import Game, copy_records
from tabletop.kinds import States


class View:
    """One player's knowledge at their decision: observation, legal actions, sampled worlds.

    A view is made from a copy of the game in which all that the player cannot know has been drawn
    anew, and holds nothing else: there is no way from it to the real game.

    Args:
        game: the game.
        states: the real game, one record; it is left as it is.
        player: the seat that looks.
        seed: 0 to 2**64 - 1: what is drawn for the unknown.
    """

    def __init__(self, game: Game, states: States, player: int, seed: int) -> None:
        self.game = game
        self.player = player
        self._world = copy_records(states[:1])
        kernels.resample_game(self._world, player, np.uint64(seed))

    @property
    def num_players(self) -> int:
        """How many play."""
        return int(self._world[0].num_players)

    def observation(self) -> npt.NDArray[np.float32]:
        """Return what the player sees, float32[game.layout.size]."""
        return self._look()[0]

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Return 1 for each legal action, int8[game.num_actions]."""
        return self._look()[1]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order."""
        return [int(action) for action in np.flatnonzero(self.action_mask())]

    def sample_state(self, seed: int) -> States:
        """Return a world that fits all the player knows, one record, the same for the same seed."""
        world = copy_records(self._world)
        kernels.resample_game(world, self.player, np.uint64(seed))
        return world

    def description(self, describer: Describer, seed: int) -> npt.NDArray[np.float32]:
        """Return what the game's estimate tells of a world that fits all the player knows, float32[size]."""
        seeds = np.array([seed], np.uint64)
        return describer(self._world, np.zeros(1, np.int64), np.array([self.player]), seeds)[0]

    def board(self) -> str:
        """Return the text board as the player sees it."""
        return self.game.board_of(self._world[0], self.player)

    def observation_string(self) -> str:
        """Return all that the player sees now as text, the board first."""
        return self.game.observation_string(self._world[0], self.player)

    def _look(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        observation = np.empty(self.game.layout.size, np.float32)
        mask = np.empty(self.game.num_actions, np.int8)
        kernels.look(self._world, self.player, observation, mask, np.empty(self.game.num_words, np.uint64))
        return observation, mask
