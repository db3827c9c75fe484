"""The playout agent: the game's rules of thumb, the policy of playouts."""

import numpy as np

from agents.base import Policy
from agents.compiled import CompiledAgent
from tabletop import kernels, verbs
from tabletop.game import Game, GameError


class PlayoutAgent(CompiledAgent):
    """Plays by the game's rules of thumb, a little dearer than random moves."""

    def __init__(self, game: Game, num_players: int) -> None:
        if not verbs.has(game.state_dtype, "playout_action"):
            raise GameError(f"{game.name} has no policy for playouts")
        super().__init__(game, num_players, Policy(kernels.PLAYOUT, np.zeros(len(game.weight_names))))


AGENT = PlayoutAgent
