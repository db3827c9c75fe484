"""The training loops of `experiments/examples`, at a tiny size; the smallest game is really learned.

Numbers in docstrings are those of the project's list of lessons from issue trackers.
"""

import numpy as np
import pytest
import torch
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from experiments.examples import maskable_ppo, parallel_reinforce
from experiments.examples.policy import MaskedPolicy, win_share
from tabletop.aec import GameEnv
from tabletop.game import load

pytestmark = pytest.mark.compiled


def test_maskable_ppo(capsys: pytest.CaptureFixture[str]) -> None:
    """12, 13 and 16: learns from a pool of opponents and is evaluated with masks."""
    share = maskable_ppo.main(
        opponents=("greedy", "random"), steps=512, games=8, horizon=32, evaluation_games=8
    )
    assert 0 <= share <= 1
    assert f"share of wins {share:.3f} in 8 games" in capsys.readouterr().out


def test_an_example_takes_as_many_threads_of_torch_as_it_is_told() -> None:
    """18: one, unless asked for more."""
    torch.set_num_threads(2)
    parallel_reinforce.main(game="high_bid", steps=20, evaluation_games=10)
    assert torch.get_num_threads() == 1
    parallel_reinforce.main(game="high_bid", steps=20, evaluation_games=10, threads=2)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)


@pytest.mark.parametrize("game", ["ra", "amunre", "high_bid"])
def test_a_decisions_reward_is_summed_until_the_agents_next(game: str) -> None:
    """7 and 9: through the parallel conversion every agent sees what it sees in the AEC loop."""
    torch.manual_seed(0)
    policy, env = MaskedPolicy(load(game)), GameEnv(load(game), 3)
    told = parallel_reinforce.play(turn_based_aec_to_parallel(env), policy, seed=4)
    env = GameEnv(load(game), 3)
    env.reset(seed=4)
    rest = {agent: iter(decisions) for agent, decisions in told.items()}
    gained = dict.fromkeys(told, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        gained[agent] += reward
        if termination or truncation:
            env.step(None)
            continue
        assert observation is not None
        decision = next(rest[agent])
        np.testing.assert_array_equal(decision.observation, observation["observation"])
        np.testing.assert_array_equal(decision.mask, observation["action_mask"] != 0)
        env.step(decision.action)
    assert [next(decisions, None) for decisions in rest.values()] == [None] * 3
    for agent, decisions in told.items():
        assert sum(decision.reward for decision in decisions) == gained[agent]
    assert min(gained.values()) < 0


def test_self_play_through_the_parallel_conversion_learns() -> None:
    """7: 2,000 decisions of High Bid, in which half the games are soon won against random bids."""
    before = parallel_reinforce.main(game="high_bid", steps=0, evaluation_games=400)
    after = parallel_reinforce.main(
        game="high_bid", steps=2000, games_per_update=8, learning_rate=2e-2, evaluation_games=400
    )
    assert after > before + 0.1


def test_ra_is_trained_through_the_parallel_conversion() -> None:
    assert 0 <= parallel_reinforce.main(steps=300, games_per_update=2, evaluation_games=10) <= 1


def test_win_share_shares_ties() -> None:
    """All seats alike, it is the fair share; the mean over games of seats that rotate."""
    torch.manual_seed(1)
    policy = MaskedPolicy(load("high_bid"))
    for parameter in policy.parameters():
        torch.nn.init.zeros_(parameter)  # every legal move equally likely, as the random agent plays
    assert win_share(policy, "high_bid", 4, "random", 2000, seed=1) == pytest.approx(0.25, abs=0.04)
