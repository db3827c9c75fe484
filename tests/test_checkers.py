"""The single-seat environments before the checkers of Gymnasium and Stable-Baselines3, and its masks.

Numbers in docstrings are those of the project's list of lessons from issue trackers.
"""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from agents.seats import SeatEnv, SeatVectorEnv

IDS = ("ra_env:Ra-v0", "amunre_env:AmunRe-v0")


def random_moves(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return a random legal move of each row of bool[games, num_actions]."""
    return (generator.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_accepts_the_environment(name: str) -> None:
    """Its checker samples without masks, so that illegal moves must end the game, not raise."""
    env = gymnasium.make(name, opponents="random", illegal_action="terminate")
    check_env(env.unwrapped)
    assert isinstance(env.unwrapped, SeatEnv)


@pytest.mark.parametrize("name", IDS)
def test_stable_baselines_accepts_the_environment(name: str) -> None:
    sb3_check_env(gymnasium.make(name, opponents="random", illegal_action="terminate"))


@pytest.mark.parametrize("name", IDS)
def test_sb3_contrib_finds_the_masks_of_one_environment(name: str) -> None:
    """12: through Gymnasium's wrappers."""
    env = gymnasium.make(name, opponents="random")
    assert is_masking_supported(env)
    _, info = env.reset(seed=3)
    np.testing.assert_array_equal(get_action_masks(env), info["action_mask"] != 0)
    assert get_action_masks(env).any()


@pytest.mark.parametrize("name", IDS)
def test_make_vec_keeps_the_conventions_of_vector_environments(name: str) -> None:
    """36: the mode of resetting is declared, and the last observation is there."""
    env = gymnasium.make_vec(name, num_envs=3, opponents="random", seat=1)
    assert isinstance(env, SeatVectorEnv)
    assert env.spec is not None
    assert env.num_envs == 3
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.observation_space.shape == (3, *env.single_observation_space.shape)
    assert env.observation_space.dtype == np.float32
    observations, infos = env.reset(seed=5)
    generator = np.random.default_rng(5)
    ended = 0
    while ended < 3:
        assert observations in env.observation_space
        np.testing.assert_array_equal(infos["action_mask"] != 0, env.action_masks())
        actions = random_moves(env.action_masks(), generator)
        assert actions in env.action_space
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == bool
        done = terminations | truncations
        assert ("final_obs" in infos) == done.any()
        if done.any():
            np.testing.assert_array_equal(infos["_final_obs"], done)
            assert all(last in env.single_observation_space for last in infos["final_obs"][done])
            assert not (infos["final_obs"][done] == observations[done]).all(axis=1).any()
            np.testing.assert_array_equal(rewards[done], infos["final_info"]["returns"][done, 1])
        ended += done.sum()
    env.close()


@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_wrappers_work_on_the_batch(name: str) -> None:
    """14: its statistics count each game once, with the reward of its end, losses included."""
    batch: Any = gymnasium.make_vec(name, num_envs=4, opponents="random")
    env = RecordEpisodeStatistics(batch)
    env.reset(seed=2)
    generator = np.random.default_rng(2)
    decisions, seen = np.zeros(4, int), []
    while len(seen) < 12:
        _, rewards, _, _, infos = env.step(random_moves(batch.action_masks(), generator))
        decisions += 1
        for game in np.flatnonzero(infos.get("_episode", np.zeros(4, bool))):
            assert infos["episode"]["r"][game] == rewards[game]
            assert infos["episode"]["l"][game] == decisions[game]
            seen.append(rewards[game])
            decisions[game] = 0
    assert min(seen) < 0 < max(seen)
    env.close()
