"""What the examples in plain torch share: a network that plays only legal moves, and its share of wins."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from agents.seats import SeatVectorEnv
from tabletop.game import Game


class MaskedPolicy(nn.Module):
    """One network for every seat: observations and masks to a distribution over the legal moves."""

    def __init__(self, game: Game, hidden: int = 128) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(game.layout.size, hidden), nn.Tanh(), nn.Linear(hidden, game.num_actions)
        )

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Return the distribution for float32[..., layout.size] and bool[..., num_actions]."""
        logits = self.network(observations)
        return Categorical(logits=logits.masked_fill(~masks, -torch.inf), validate_args=False)

    @torch.no_grad()
    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Draw a move for each of a batch of decisions, int64[decisions]."""
        drawn: torch.Tensor = self(torch.from_numpy(observations), torch.from_numpy(masks)).sample()
        return drawn.numpy()


def win_share(policy: MaskedPolicy, game: str, players: int, opponents: str, games: int, seed: int) -> float:
    """Return the policy's share of wins, ties shared, over one game in each place of a batch."""
    env = SeatVectorEnv(game, games, players, opponents, reward="win")
    observations, _ = env.reset(seed=seed)
    shares, playing = np.zeros(games), np.ones(games, bool)
    while playing.any():
        observations, rewards, terminations, truncations, _ = env.step(
            policy.act(observations, env.action_masks())
        )
        shares[playing] += rewards[playing]
        playing &= ~(terminations | truncations)
    return float(shares.mean())
