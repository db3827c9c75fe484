"""An agent that plays what is not legal."""

from agents.base import Agent
from tabletop.view import View


class BrokenBot(Agent):
    """Always passes, also when it cannot."""

    def act(self, view: View) -> int:
        """Return an action that is not legal."""
        return int(view.action_mask().argmin())


AGENT = BrokenBot
