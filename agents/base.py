"""What an agent is. One file of this folder is one agent, found by its name; `AGENT` is its class."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tabletop.description import Describer
from tabletop.game import Game
from tabletop.view import View


@dataclass(frozen=True)
class Policy:
    """A compiled policy, see `tabletop.kernels.policy_action`: whole games are played without Python."""

    kind: int
    weights: npt.NDArray[np.float64]  # float64[number of weights of the game]


class Agent(ABC):
    """A player of any game. One object plays one seat of one game at a time.

    The options of an agent are the keyword arguments of its constructor after the game and the
    number of players; `name:key=value` on the command line sets them, converted by their types.
    Each is described in `OPTION_HELP`.

    Args:
        game: the game that will be played.
        num_players: how many will play it.
    """

    OPTION_HELP: ClassVar[dict[str, str]] = {}

    policy: Policy | None = None
    batched = False  # whether there is an `act_batch`, which many games may be asked by
    describer: Describer | None = None  # what `act_batch` wants to be told beside the observations

    def __init__(self, game: Game, num_players: int) -> None:
        self.game = game
        self.num_players = num_players

    def begin_game(self, seat: int, seed: int) -> None:
        """Sit down for a new game; all that is random in the agent comes from this seed (0 to 2**64 - 1)."""
        self.seat = seat

    def preferences(self, view: View) -> npt.NDArray[np.float64]:
        """Return how much each action is preferred, float64[num_actions], 1 in all: by default, the one it plays."""
        shares = np.zeros(self.game.num_actions)
        shares[self.act(view)] = 1
        return shares

    def act_batch(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action for each of many decisions, in any seats of any games.

        Args:
            observations: float32[decisions, layout.size], followed by the descriptions if there is
                a `describer`, float32[decisions, describer.size].
            masks: int8[decisions, num_actions], 1 for each legal action.
            seeds: uint64[decisions], for what is random in each.
        """
        raise NotImplementedError(f"{type(self).__name__} decides one game at a time")

    @abstractmethod
    def act(self, view: View) -> int:
        """Return one of `view.legal_actions()`."""
