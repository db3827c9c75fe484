"""The prior agent: draws its moves from the game's prior, so that no two games are alike."""

from agents.base import Policy
from agents.compiled import CompiledAgent
from tabletop import kernels, verbs
from tabletop.game import Game, GameError


class PriorAgent(CompiledAgent):
    """Plays each move as often as the game's prior of a sensible player says."""

    def __init__(self, game: Game, num_players: int) -> None:
        if game.weights is None or not verbs.has(game.state_dtype, "prior"):
            raise GameError(f"{game.name} has no prior")
        super().__init__(game, num_players, Policy(kernels.PRIOR, game.weights.tuned(num_players)))


AGENT = PriorAgent
