"""An agent outside the project, as a user would write one: it takes the first or the last legal move."""

from typing import ClassVar

from agents.base import Agent
from tabletop.game import Game
from tabletop.view import View


class SampleBot(Agent):
    """Takes the first legal move, or the last."""

    OPTION_HELP: ClassVar[dict[str, str]] = {"last": "take the last one", "depth": "only to be converted"}

    def __init__(self, game: Game, num_players: int, last: bool = False, depth: int = 1) -> None:
        super().__init__(game, num_players)
        self.last = last
        self.depth = depth

    def act(self, view: View) -> int:
        """Return the first or the last legal move."""
        return view.legal_actions()[-1 if self.last else 0]


AGENT = SampleBot
