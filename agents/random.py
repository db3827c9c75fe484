"""The random agent: every legal move is equally likely."""

import numpy as np

from agents.base import Policy
from agents.compiled import CompiledAgent
from tabletop import kernels
from tabletop.game import Game


class RandomAgent(CompiledAgent):
    """Plays any legal move, all equally likely."""

    def __init__(self, game: Game, num_players: int) -> None:
        super().__init__(game, num_players, Policy(kernels.RANDOM, np.zeros(len(game.weight_names))))


AGENT = RandomAgent
