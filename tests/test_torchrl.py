"""TorchRL's wrapper of the AEC environment; the extra `interop` installs it.

Numbers in docstrings are those of the project's list of lessons from issue trackers.
"""

import numpy as np
import pytest
import torch

pytest.importorskip("torchrl", reason="the extra `interop` is not installed")

from experiments.examples import parallel_reinforce, torchrl_reinforce
from experiments.examples.policy import MaskedPolicy
from tabletop.aec import GameEnv
from tabletop.game import load

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable"),
]


@pytest.mark.parametrize("game", ["ra", "amunre", "high_bid"])
def test_the_wrapper_tells_what_the_environment_tells(game: str) -> None:
    """9 and 21: views, masks, who moved, every player's reward; so the loss is that of an AEC loop."""
    torch.manual_seed(0)
    policy = MaskedPolicy(load(game))
    with torch.no_grad():
        history = torchrl_reinforce.make_env(game, 3, seed=2).rollout(
            load(game).max_moves, torchrl_reinforce.make_actor(policy)
        )
    group = history[torchrl_reinforce.GROUP]
    env = GameEnv(load(game), 3)
    env.reset(seed=2)  # the wrapper does so when it is made, and deals the next game for a rollout
    env.reset()
    decisions: dict[str, list[parallel_reinforce.Decision]] = {agent: [] for agent in env.possible_agents}
    for step in range(len(history)):
        seat = env.possible_agents.index(env.agent_selection)
        assert group["mask"][step].tolist() == [player == seat for player in range(3)]
        seen, action = env.observe(env.agent_selection), int(group["action"][step, seat])
        np.testing.assert_array_equal(group["observation", "observation"][step, seat], seen["observation"])
        np.testing.assert_array_equal(group["action_mask"][step, seat], seen["action_mask"] != 0)
        decisions[env.agent_selection].append(
            parallel_reinforce.Decision(seen["observation"], seen["action_mask"] != 0, action)
        )
        env.step(action)
    rewards = history["next", torchrl_reinforce.GROUP, "reward"].squeeze(-1)
    assert rewards.sum(0).tolist() == list(env.rewards.values())
    assert history["next", "done"].flatten().tolist() == [False] * (len(history) - 1) + [True]
    for agent, reward in env.rewards.items():
        decisions[agent][-1].reward = reward
    torch.testing.assert_close(
        torchrl_reinforce.loss_of(history, policy), parallel_reinforce.loss_of([decisions], policy)
    )


def test_self_play_through_the_wrapper_trains(capsys: pytest.CaptureFixture[str]) -> None:
    share = torchrl_reinforce.main(steps=200, games_per_update=2, evaluation_games=10)
    assert f"share of wins {share:.3f} against random" in capsys.readouterr().out
