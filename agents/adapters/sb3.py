"""The single-seat batch as a `VecEnv` of Stable-Baselines3, with the masks that sb3-contrib asks for.

env = SeatVecEnv(gymnasium.make_vec("ra_env:Ra-v0", num_envs=256, opponents="greedy"))
MaskablePPO("MlpPolicy", env).learn(1_000_000)
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Wrapper
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from agents.seats import SeatVectorEnv
from tabletop.game import GameError

MASKS = "action_masks"


class SeatVecEnv(VecEnv):
    """Many games, in each of which one seat learns, as Stable-Baselines3's vectorized environment.

    Observation: float32[games, layout.size]; reward: float32[games], losses included, when a game
    ends. `env_method("action_masks")` returns the legal actions as one array, bool[games,
    num_actions], without asking any game: they came with the observations. What `reset` and
    `step_wait` return is the caller's to keep.

    A game that ends is dealt anew in the same step. Its `infos` entry then holds what Monitor gives,
    so that neither it nor VecMonitor is needed: `episode` (`r` the learner's rewards, `l` its
    decisions, `t` seconds since this object was made); `terminal_observation`,
    `TimeLimit.truncated`; and `seat`, `scores`, `returns` of the game and `is_success`, the
    learner's share of the win: 1, or less if it is shared, or 0.

    Args:
        env: the games, as `gymnasium.make_vec` makes them.

    Raises:
        GameError: it is a wrapper, or another kind of environment.
    """

    def __init__(self, env: SeatVectorEnv) -> None:
        if not isinstance(env, SeatVectorEnv):
            raise GameError(
                f"SeatVecEnv needs a SeatVectorEnv, as gymnasium.make_vec('ra_env:Ra-v0') returns, "
                f"not {type(env).__name__}"
            )
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._first_seed: int | None = None
        self._actions = np.zeros(env.num_envs, np.int64)
        self._gained = np.zeros(env.num_envs, np.float64)
        self._decisions = np.zeros(env.num_envs, np.int64)
        self._start = time.perf_counter()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set what the next `reset` deals from: this seed plus the index of the game.

        Without one, the sequence that the last seed began goes on (at first: one that nobody can
        repeat). Returns the seed of each game.
        """
        self._first_seed = seed
        self._seeds = [None if seed is None else seed + game for game in range(self.num_envs)]
        return self._seeds

    def reset(self) -> npt.NDArray[np.float32]:
        """Deal new games and return what the learner sees at its first decision in each."""
        observations, _ = self.env.reset(seed=self._first_seed)
        self._gained[:] = 0.0
        self._decisions[:] = 0
        self._first_seed = None
        self._reset_seeds()
        self._reset_options()
        return self._own(observations)

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take note of the learner's action in each game, int[games]."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Carry out the actions and return observations, rewards, whether games ended, and infos.

        Raises:
            IllegalMoveError: one of the actions is not legal; no game has moved.
        """
        observations, rewards, terminations, truncations, infos = self.env.step(self._actions)
        self._gained += rewards
        self._decisions += 1
        dones = terminations | truncations
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(dones).tolist():
            told[game] = self._farewell(game, infos, bool(truncations[game]))
        return self._own(observations), rewards.astype(np.float32), dones, told

    def close(self) -> None:
        """Stop the threads."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the batch, once for each of the games: they share it.

        Raises:
            AttributeError: the batch has no such attribute.
        """
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the batch.

        Raises:
            GameError: it is asked for only some of the games.
        """
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise GameError(f"{attr_name} belongs to all games; set it without indices")
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> Any:
        """Return `action_masks`, bool[games, num_actions]: the only method that a single game has.

        Raises:
            AttributeError: another method is asked for.
        """
        if method_name != MASKS:
            raise AttributeError(f"a game of a batch has no method {method_name!r}; valid: {MASKS}")
        masks = self.env.action_masks()
        assert masks.any(axis=1).all(), "a game asks for a decision without a legal action"
        return masks.copy() if indices is None else masks[list(self._get_indices(indices))]

    def env_is_wrapped(self, wrapper_class: type[Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Return whether each game does what a wrapper does: only Monitor, whose `episode` is given."""
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]

    def _own(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return observations that the next step leaves alone: SB3 keeps the last ones."""
        return observations if self.env.copy else observations.copy()

    def _farewell(self, game: int, infos: dict[str, Any], truncated: bool) -> dict[str, Any]:
        """Return the info of a game that ended, and begin to count the next one."""
        final = infos["final_info"]
        seat, players = int(final["seat"][game]), self.env.games.arrays.counts[game]
        returns = final["returns"][game, :players].copy()
        winners = returns == returns.max()
        info = {
            "episode": {
                "r": float(self._gained[game]),
                "l": int(self._decisions[game]),
                "t": round(time.perf_counter() - self._start, 6),
            },
            "terminal_observation": infos["final_obs"][game].copy(),
            "TimeLimit.truncated": truncated,
            "seat": seat,
            "scores": final["scores"][game, :players].copy(),
            "returns": returns,
            "is_success": float(winners[seat] / winners.sum()),
        }
        self._gained[game] = 0.0
        self._decisions[game] = 0
        return info
