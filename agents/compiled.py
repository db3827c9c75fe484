"""Agents whose policy is compiled: the same policy, called for one decision or for whole games."""

import numpy as np

from agents.base import Agent, Policy
from tabletop import kernels, rng
from tabletop.game import Game
from tabletop.view import View

ANY_SEED = 0


class CompiledAgent(Agent):
    """An agent that asks a compiled policy about a world that fits all it knows."""

    policy: Policy

    def __init__(self, game: Game, num_players: int, policy: Policy) -> None:
        super().__init__(game, num_players)
        self.policy = policy
        self._rng = np.zeros(1, np.uint64)
        self._bits = np.zeros(game.num_words, np.uint64)
        self._action = np.zeros(1, np.int64)

    def begin_game(self, seat: int, seed: int) -> None:
        """Start the policy's own generator."""
        rng.seed_streams(self._rng, np.uint64(seed))

    def act(self, view: View) -> int:
        """Return the policy's action."""
        world = view.sample_state(ANY_SEED)
        kernels.policy_actions(
            world, self.policy.kind, self.policy.weights, self._rng, self._bits, self._action
        )
        return int(self._action[0])
