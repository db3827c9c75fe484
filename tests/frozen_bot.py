"""An opponent that is a trained network which no longer learns: asked by batches, as shipped networks are."""

from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from tabletop.game import Game
from tabletop.view import View


class FrozenBot(Agent):
    """Plays the likeliest legal move of a linear network saved as `weights`, float32[size, actions]."""

    OPTION_HELP: ClassVar[dict[str, str]] = {"path": "an .npz file"}
    batched = True
    decisions = 0  # of all that were made

    def __init__(self, game: Game, num_players: int, path: Path) -> None:
        super().__init__(game, num_players)
        self.weights = np.load(path)["weights"]

    def act_batch(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Return the likeliest legal move of each decision."""
        FrozenBot.decisions += len(masks)
        return np.where(masks != 0, observations @ self.weights, -np.inf).argmax(axis=1)

    def act(self, view: View) -> int:
        """Return the likeliest legal move."""
        mask = view.action_mask()[None]
        return int(self.act_batch(view.observation()[None], mask, np.zeros(1, np.uint64))[0])


AGENT = FrozenBot
