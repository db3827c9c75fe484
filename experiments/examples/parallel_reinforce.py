"""Self-play REINFORCE on the AEC environment through PettingZoo's `turn_based_aec_to_parallel`.

python -m experiments.examples.parallel_reinforce --game ra --steps 200000
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import tyro
from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from experiments.examples.policy import MaskedPolicy, win_share
from tabletop.aec import GameEnv
from tabletop.game import load


@dataclass
class Decision:
    """One agent's decision; its next one is that agent's next, whoever moves in between."""

    observation: npt.NDArray[np.float32]  # [layout.size]
    mask: npt.NDArray[np.bool_]  # [num_actions]
    action: int
    reward: float = 0.0  # summed until the agent's next decision, or the end


def play(env: ParallelEnv, policy: MaskedPolicy, seed: int) -> dict[str, list[Decision]]:
    """Play one game with one policy in all seats, and return each agent's decisions."""
    observations, _ = env.reset(seed=seed)
    decisions: dict[str, list[Decision]] = {agent: [] for agent in env.possible_agents}
    while env.agents:
        mover = next(agent for agent in env.agents if observations[agent]["action_mask"].any())
        seen, mask = observations[mover]["observation"], observations[mover]["action_mask"].astype(bool)
        action = int(policy.act(seen[None], mask[None])[0])
        decisions[mover].append(Decision(seen, mask, action))
        observations, rewards, _, _, _ = env.step({mover: action})
        for agent, reward in rewards.items():
            if decisions[agent]:
                decisions[agent][-1].reward += reward
    return decisions


def loss_of(games: list[dict[str, list[Decision]]], policy: MaskedPolicy) -> torch.Tensor:
    """Return the policy-gradient loss; placements are zero-sum, so that no baseline is needed."""
    kept: list[Decision] = []
    returns: list[float] = []
    for decisions in (own for game in games for own in game.values()):
        kept += decisions
        rewards = np.array([decision.reward for decision in decisions])
        returns += rewards[::-1].cumsum()[::-1].tolist()
    distribution = policy(
        torch.from_numpy(np.stack([decision.observation for decision in kept])),
        torch.from_numpy(np.stack([decision.mask for decision in kept])),
    )
    chosen = torch.tensor([decision.action for decision in kept])
    gained = torch.tensor(returns, dtype=torch.float32)
    return -(distribution.log_prob(chosen) * gained).mean()


def main(
    game: str = "ra",
    players: int = 3,
    steps: int = 200_000,
    games_per_update: int = 16,
    learning_rate: float = 1e-3,
    evaluation_games: int = 500,
    seed: int = 1,
    threads: int = 1,
) -> float:
    """Train, and return the share of wins, ties shared, against random opponents.

    Args:
        game: a game by its name.
        players: how many play.
        steps: decisions of all seats; the game in which they are reached is finished.
        games_per_update: games between two updates.
        learning_rate: of Adam.
        evaluation_games: games against random opponents at the end.
        seed: of the network, the moves and the games.
        threads: of torch; more than one make small networks slower.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    env = turn_based_aec_to_parallel(GameEnv(load(game), players))
    policy = MaskedPolicy(load(game))
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    done, dealt = 0, seed
    while done < steps:
        batch: list[dict[str, list[Decision]]] = []
        while len(batch) < games_per_update and done < steps:
            batch.append(play(env, policy, dealt))
            done += sum(map(len, batch[-1].values()))
            dealt += 1
        optimizer.zero_grad()
        loss_of(batch, policy).backward()
        optimizer.step()
    share = win_share(policy, game, players, "random", evaluation_games, seed)
    print(f"{game}: share of wins {share:.3f} against random, fair share {1 / players:.3f}, {done} decisions")
    return share


if __name__ == "__main__":
    tyro.cli(main)
