"""The guided agent: search that a network tells where to look and what to expect, see `agents.search`."""

from collections.abc import Mapping
from typing import Any, ClassVar

from agents.mcts import MctsAgent


class GuidedAgent(MctsAgent):
    """Searches like `mcts`, by the policy and the value of a network trained with `nile train`."""

    NAME: ClassVar[str] = "guided"
    DEFAULTS: ClassVar[Mapping[str, Any]] = {"prior": "ppo", "value": "ppo"}


AGENT = GuidedAgent
