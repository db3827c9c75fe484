"""The batch as sb3-contrib's learners see it: masks, losses, infos, seeds, frozen opponents.

Numbers in docstrings are those of the project's list of lessons from issue trackers.
"""

import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from frozen_bot import FrozenBot
from helpers import run_python
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.evaluation import evaluate_policy as evaluate_policy_without_masks
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
from test_checkers import random_moves

from agents.adapters.sb3 import SeatVecEnv
from agents.seats import SeatVectorEnv
from tabletop.aec import IllegalMoveError
from tabletop.game import GameError

pytestmark = pytest.mark.compiled

torch.set_num_threads(1)


def make(num_envs: int = 8, game: str = "ra", **options: Any) -> SeatVecEnv:
    return SeatVecEnv(SeatVectorEnv(game, num_envs, **{"opponents": "random"} | options))


def learner(env: Any) -> MaskablePPO:
    return MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=128, n_epochs=2, seed=1, device="cpu")


def parameters(model: MaskablePPO) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in model.policy.parameters()]


def play(env: Any, steps: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, list[Any]]]:
    """Play random legal moves from where the environment stands; return all that it told."""
    generator = np.random.default_rng(seed)
    return [env.step(random_moves(get_action_masks(env), generator)) for _ in range(steps)]


def frozen(folder: Path) -> str:
    """Save a random network for Ra and return the agent that plays it."""
    weights = np.random.default_rng(0).normal(size=(402, 55)).astype(np.float32)
    np.savez(folder / "frozen.npz", weights=weights)
    return f"frozen_bot:path={folder / 'frozen.npz'}"


def test_sb3_contrib_finds_the_masks() -> None:
    """12 and 15: as one array, of the caller's own, that came with the observations."""
    env = make()
    env.seed(4)
    env.reset()
    assert is_masking_supported(env)
    masks = env.env_method("action_masks")
    assert masks.shape == (8, 55)
    assert masks.dtype == bool
    np.testing.assert_array_equal(get_action_masks(env), masks)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[5, 2]), masks[[5, 2]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=3), masks[[3]])
    kept = masks.copy()
    play(env, 3)
    np.testing.assert_array_equal(masks, kept)
    assert (env.env_method("action_masks") != kept).any()


@pytest.mark.parametrize("game", ["ra", "amunre"])
def test_maskable_ppo_learns(game: str) -> None:
    """12: 512 decisions, two updates."""
    env = make(game=game)
    model = learner(env)
    before = parameters(model)
    model.learn(512)
    assert model.num_timesteps == 512
    assert any(not torch.equal(old, new) for old, new in zip(before, parameters(model), strict=True))
    assert all(torch.isfinite(new).all() for new in parameters(model))
    assert model.ep_info_buffer
    assert all(episode["l"] > 0 and -1 <= episode["r"] <= 1 for episode in model.ep_info_buffer)
    env.close()


def test_evaluation_uses_the_masks(tmp_path: Path) -> None:
    """13: the maskable callback and evaluation play legally, and count from the wins that are told."""
    env, judge = make(), make(4, reward="win")
    model = learner(env)
    callback = MaskableEvalCallback(judge, eval_freq=16, n_eval_episodes=8, log_path=str(tmp_path), verbose=0)
    model.learn(256, callback)
    saved = np.load(tmp_path / "evaluations.npz")
    assert saved["results"].shape == (2, 8)
    np.testing.assert_array_equal(saved["results"], saved["successes"])  # both are shares of wins
    rewards, lengths = evaluate_policy(model, judge, 8, return_episode_rewards=True)
    assert isinstance(rewards, list)
    assert set(rewards) <= {0.0, 1 / 3, 0.5, 1.0}
    assert all(length > 1 for length in lengths)


def test_evaluation_without_masks_is_refused_at_its_first_illegal_move() -> None:
    """13: neither the plain evaluation nor `use_masking=False` plays on in silence."""
    judge = make()
    model = learner(judge)
    with pytest.raises(IllegalMoveError, match="cannot play"):
        evaluate_policy(model, judge, 8, use_masking=False)
    with pytest.raises(IllegalMoveError, match="cannot play"):
        evaluate_policy_without_masks(model, judge, 8)


def test_a_mask_without_a_legal_move_is_an_error() -> None:
    """13: MaskablePPO itself would play on in silence."""
    env = make()
    env.reset()
    env.env.games.batch.masks[2] = 0
    with pytest.raises(AssertionError, match="without a legal action"):
        env.env_method("action_masks")


def test_an_illegal_action_moves_no_game() -> None:
    """13: the error names it and the legal ones; then the legal one plays on."""
    env, twin = make(), make()
    for each in (env, twin):
        each.seed(1)
        each.reset()
    actions = get_action_masks(env).argmax(axis=1)
    wrong = actions.copy()
    wrong[6] = get_action_masks(env)[6].argmin()
    with pytest.raises(IllegalMoveError, match="of game 6 cannot play"):
        env.step(wrong)
    np.testing.assert_array_equal(env.step(actions)[0], twin.step(actions)[0])


def test_the_rewards_of_a_game_include_losses() -> None:
    """14: a learner that plays at random against greedy sees -1; `episode` adds up what came in."""
    env = make(opponents="greedy")
    env.seed(3)
    env.reset()
    gained, decisions, told = np.zeros(8), np.zeros(8, int), []
    for _, rewards, dones, infos in play(env, 200):
        assert rewards.dtype == np.float32
        gained += rewards
        decisions += 1
        assert [game for game, info in enumerate(infos) if info] == np.flatnonzero(dones).tolist()
        for game in np.flatnonzero(dones):
            info = infos[game]
            assert info["episode"]["r"] == gained[game] == info["returns"][info["seat"]]
            assert info["episode"]["l"] == decisions[game]
            assert info["is_success"] == (info["returns"][info["seat"]] == 1)
            gained[game] = decisions[game] = 0
            told.append(info["episode"]["r"])
    assert len(told) > 20
    assert -1 in told
    assert np.mean(told) < -0.5


def test_a_shared_win_counts_in_part() -> None:
    env = make(2, num_players=2)
    env.reset()
    final = {
        "seat": np.array([0, 1]),
        "scores": np.array([[7, 7], [5, 9]]),
        "returns": np.array([[0.0, 0.0], [-1.0, 1.0]]),
    }
    infos = {"final_info": final, "final_obs": np.zeros((2, 402), np.float32)}
    assert [env._farewell(game, infos, False)["is_success"] for game in (0, 1)] == [0.5, 1.0]


@pytest.mark.parametrize("copy", [True, False])
def test_what_a_step_returns_is_the_callers_own(copy: bool) -> None:
    """SB3 keeps the last observation while the next step is taken, and adds to rewards."""
    env = make(copy=copy)
    env.seed(2)
    told = [(env.reset(),), *play(env, 60)]
    kept = [[array.copy() for array in each[:3]] for each in told]
    ends = [info["terminal_observation"] for each in told[1:] for info in each[3] if info]
    kept_ends = [end.copy() for end in ends]
    play(env, 60)
    for each, before in zip(told, kept, strict=True):
        for array, old in zip(each[:3], before, strict=True):
            np.testing.assert_array_equal(array, old)
    assert len(ends) > 0
    np.testing.assert_array_equal(ends, kept_ends)


def test_a_game_that_ends_is_told_as_gymnasium_tells_it() -> None:
    """36: the last observation is of the old game, the observation of the new one."""
    env, twin = make(4), SeatVectorEnv("ra", 4, opponents="random")
    env.seed(9)
    np.testing.assert_array_equal(env.reset(), twin.reset(seed=9)[0])
    generator = np.random.default_rng(1)
    ended = 0
    while ended < 8:
        actions = random_moves(get_action_masks(env), generator)
        observations, rewards, dones, infos = env.step(actions)
        seen, paid, terminations, truncations, told = twin.step(actions)
        np.testing.assert_array_equal(observations, seen)
        np.testing.assert_array_equal(rewards, paid.astype(np.float32))
        np.testing.assert_array_equal(dones, terminations | truncations)
        for game in np.flatnonzero(dones):
            np.testing.assert_array_equal(infos[game]["terminal_observation"], told["final_obs"][game])
            assert infos[game]["TimeLimit.truncated"] is False
            ended += 1


def stall(masks: np.ndarray) -> np.ndarray:
    """Return moves that buy nothing: pass, or else invoke."""
    return np.where(masks[:, 3] != 0, 3, 1)


def test_a_truncated_game_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SB3 then goes on with its estimate of the last observation."""
    monkeypatch.setattr(FrozenBot, "act_batch", lambda self, observations, masks, seeds: stall(masks))
    env = make(1, num_players=2, opponents=frozen(tmp_path), forced_bid=False)
    env.reset()
    dones, infos = np.zeros(1, bool), [{}]
    while not dones[0]:
        _, _, dones, infos = env.step(stall(get_action_masks(env)))
    assert infos[0]["TimeLimit.truncated"] is True


def test_a_seed_deals_the_same_games_and_those_that_follow() -> None:
    """21: resets without a seed go on from the last one; nothing global is read or disturbed."""
    env, twin, other = make(), make(), make()
    state = np.random.get_state()[1].copy()  # noqa: NPY002  the global generator is what is watched
    assert env.seed(6) == list(range(6, 14))
    twin.seed(6)
    other.seed(600)
    for _ in range(2):
        first = env.reset()
        np.testing.assert_array_equal(first, twin.reset())
        assert (first != other.reset()).any()
        for mine, its in zip(play(env, 40), play(twin, 40), strict=True):
            np.testing.assert_array_equal(mine[0], its[0])
    assert env.seed() == [None] * 8
    assert (env.reset() != first).any()
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_attributes_belong_to_all_games() -> None:
    env = make(3)
    assert env.get_attr("game") == [env.env.game] * 3
    assert env.get_attr("num_envs", indices=1) == [3]
    assert not env.has_attr("no_such_thing")
    env.set_attr("note", "mine")
    assert env.get_attr("note", [0, 2]) == ["mine", "mine"]
    with pytest.raises(GameError, match="note belongs to all games"):
        env.set_attr("note", "yours", indices=[1])
    with pytest.raises(AttributeError, match=r"no method 'render'; valid: action_masks"):
        env.env_method("render")
    assert env.env_is_wrapped(Monitor, [0, 1]) == [True, True]
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False] * 3


def test_wrappers_of_stable_baselines_work_on_top() -> None:
    """VecNormalize writes to the infos; VecMonitor says that its work is done already."""
    plain, env = make(), VecNormalize(make())
    plain.seed(1)
    env.seed(1)
    plain.reset()
    env.reset()
    for bare, wrapped in zip(play(plain, 80), play(env, 80), strict=True):
        for game in np.flatnonzero(bare[2]):
            end = env.normalize_obs(bare[3][game]["terminal_observation"])
            assert wrapped[3][game]["terminal_observation"].shape == end.shape
            assert wrapped[3][game]["episode"]["r"] == bare[3][game]["episode"]["r"]
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(make())


def test_another_environment_is_refused() -> None:
    batch: Any = gymnasium.make_vec("ra_env:Ra-v0", num_envs=2, opponents="random")
    assert SeatVecEnv(batch).num_envs == 2
    wrapped: Any = gymnasium.wrappers.vector.RecordEpisodeStatistics(batch)
    with pytest.raises(GameError, match=re.escape("not RecordEpisodeStatistics")):
        SeatVecEnv(wrapped)


def test_frozen_opponents_of_a_pool_do_not_learn(tmp_path: Path) -> None:
    """16: a learner trains against a pool of compiled, batched and frozen agents."""
    pool = {"greedy": 1.0, "random": 1.0, frozen(tmp_path): 2.0}
    saved = (tmp_path / "frozen.npz").read_bytes()
    env = make(opponents=pool)
    model = learner(env)
    bots = [agent for agent in env.env.games._batched.values() if isinstance(agent, FrozenBot)]
    before, weights, asked = parameters(model), [agent.weights.copy() for agent in bots], FrozenBot.decisions
    model.learn(512)
    assert any(not torch.equal(old, new) for old, new in zip(before, parameters(model), strict=True))
    assert len(bots) > 0
    assert FrozenBot.decisions > asked
    for agent, old in zip(bots, weights, strict=True):
        np.testing.assert_array_equal(agent.weights, old)
    assert (tmp_path / "frozen.npz").read_bytes() == saved
    seats = env.env.games.table.seating
    assert len(np.unique(seats)) == 1 + len(pool)  # the learner, and each of the pool somewhere


def test_finding_agents_imports_no_learner() -> None:
    program = "import sys, agents.registry as r; r.agent_names(); print('torch' in sys.modules)"
    assert run_python(program).strip() == "False"
