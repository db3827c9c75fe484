"""What self-play needs of torch, Stable-Baselines3 and sb3-contrib: imported only where it is used.

SelfPlayVecEnv      `agents.selfplay.SelfPlayGames` as a vectorized environment
SeatBuffer          rollouts in which each row holds the decisions of several seats
Trunk, SeatPolicy   the network of `agents.network`, as MaskablePPO trains it
export, load_into   from one to the other
"""

import itertools
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.nn import functional

from agents.network import CLIP, NUM_HINTS, Network
from agents.selfplay import SelfPlayGames

Floats = npt.NDArray[np.float32]

MASKS = "action_masks"
FORBIDDEN = -1e8  # logit of an illegal action
TINY = 1e-30
SHARPNESS = 3.0, 6.0  # of each hint, at the start
PACE = 30.0  # times the learning rate: how fast they change, as there are but two
NO_INFO: dict[str, Any] = {}


class SelfPlayVecEnv(VecEnv):
    """Self-play games as Stable-Baselines3 asks for them; one row is one game, whichever seat moves.

    The rewards of a step are not those of the row but of its seats, in `games.paid`: use `SeatBuffer`.
    """

    def __init__(self, games: SelfPlayGames) -> None:
        self.games = games
        size = games.inputs.shape[1]
        super().__init__(
            games.arrays.num_games,
            spaces.Box(-np.inf, np.inf, (size,), np.float32),
            spaces.Discrete(games.game.num_actions),
        )
        self._nothing = np.zeros(self.num_envs, np.float32)
        self._infos = [NO_INFO] * self.num_envs
        self._actions = np.zeros(self.num_envs, np.int64)

    def reset(self) -> Floats:
        """Return what is seen in games that are dealt already."""
        return self.games.inputs.copy()

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take note of an action for each game.

        Raises:
            ValueError: one is not legal: the policy gives no probabilities any more.
        """
        if not self.games.batch.masks[np.arange(self.num_envs), actions].all():
            raise ValueError("the policy chose an illegal move: its training has diverged, lower the rates")
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[Floats, Floats, npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Carry them out and play on to the learner's next decisions."""
        self.games.step(self._actions)
        return self.games.inputs.copy(), self._nothing, self.games.batch.done.copy(), self._infos

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """Return `action_masks`, bool[games, num_actions], the only method there is."""
        if method_name != MASKS:
            raise AttributeError(f"these games have no method {method_name!r}; valid: {MASKS}")
        return self.games.batch.masks.astype(bool)

    def has_attr(self, attr_name: str) -> bool:
        """Return whether there is a method or attribute."""
        return attr_name == MASKS

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return None for `render_mode`; there is nothing else."""
        if attr_name != "render_mode":
            raise AttributeError(attr_name)
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """There is nothing to set."""
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Stop the threads."""
        self.games.arrays.close()


class SeatBuffer(MaskableRolloutBuffer):
    """A rollout in which every row is a game and every decision belongs to one of its seats.

    What follows a decision is the next decision of the same seat: rewards in between are summed up,
    whatever the row shows there. A seat whose next decision is not in the rollout any more learns
    nothing from its last one (advantage 0), unless the row shows that next decision: then its value
    stands for what follows.

    Args:
        games: whose decisions are stored.
        seed: of the order in which decisions are learned from.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        gae_lambda: float = 1,
        gamma: float = 1,
        n_envs: int = 1,
        *,
        games: SelfPlayGames,
        seed: int,
    ) -> None:
        self.games = games
        self.rng = np.random.default_rng([seed, 1])
        self.made = False
        super().__init__(buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs)

    def reset(self) -> None:
        """Begin a new rollout."""
        shape = (self.buffer_size, self.n_envs)
        if not self.made:
            self.observations = np.zeros((*shape, *self.obs_shape), np.float32)
            self.action_masks = np.zeros((*shape, self.games.game.num_actions), bool)
            self.actions = np.zeros(shape, np.int64)
            self.values, self.log_probs, self.advantages, self.returns = np.zeros((4, *shape), np.float32)
            self.movers = np.zeros(shape, np.int64)
            self.ended = np.zeros(shape, bool)
            self.paid = np.zeros((*shape, self.games.paid.shape[1]), np.float32)
            self.made = True
        self.pos = 0
        self.full = False

    def add(self, *args: Any, action_masks: npt.NDArray[np.bool_] | None = None, **kwargs: Any) -> None:
        """Store a step: what was seen, what was done, and what came of it."""
        observations, actions, _, _, values, log_probs = args
        assert action_masks is not None
        self.observations[self.pos] = observations
        self.actions[self.pos] = actions[:, 0]
        self.values[self.pos] = values.numpy()[:, 0]
        self.log_probs[self.pos] = log_probs.numpy()
        self.action_masks[self.pos] = action_masks
        self.movers[self.pos] = self.games.movers
        self.ended[self.pos] = self.games.batch.done
        self.paid[self.pos] = self.games.paid
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: npt.NDArray[Any]) -> None:
        """Estimate advantages (GAE) and returns, seat by seat."""
        rows = np.arange(self.n_envs)
        shape = self.paid.shape[1:]
        following, later, gained = np.zeros((3, *shape), np.float32)
        known = np.zeros(shape, bool)  # whether what follows a seat's decision is in the rollout
        known[rows, self.games.batch.players] = True
        following[rows, self.games.batch.players] = last_values.numpy()[:, 0]
        for step in range(self.buffer_size - 1, -1, -1):
            ended = self.ended[step]
            following[ended] = 0
            later[ended] = 0
            gained[ended] = 0
            known[ended] = True
            gained += self.paid[step]
            seat = self.movers[step]
            value = self.values[step]
            surprise = gained[rows, seat] + self.gamma * following[rows, seat] - value
            advantage = surprise + self.gamma * self.gae_lambda * later[rows, seat]
            advantage = np.where(known[rows, seat], advantage, 0)
            self.advantages[step] = advantage
            following[rows, seat] = value
            later[rows, seat] = advantage
            gained[rows, seat] = 0
            known[rows, seat] = True
        self.returns[:] = self.advantages + self.values

    def get(  # type: ignore[override]  # as sb3-contrib's own
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield all decisions in random order, some at a time."""
        assert self.full
        total = self.buffer_size * self.n_envs
        order = torch.from_numpy(self.rng.permutation(total))
        arrays = (
            self.observations,
            self.actions,
            self.values,
            self.log_probs,
            self.advantages,
            self.returns,
            self.action_masks,
        )
        tensors = [torch.from_numpy(array.reshape(total, *array.shape[2:])) for array in arrays]
        size = total if batch_size is None else batch_size
        for first in range(0, total, size):
            chosen = order[first : first + size]
            yield MaskableRolloutBufferSamples(*(tensor[chosen] for tensor in tensors))


class Trunk(BaseFeaturesExtractor):
    """The part of the network that policy and value share."""

    mean: torch.Tensor
    scale: torch.Tensor

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        hidden: Sequence[int],
        mean: Floats,
        scale: Floats,
        hints: int,
    ) -> None:
        super().__init__(observation_space, hidden[-1])
        assert observation_space.shape is not None
        self.told = len(mean)
        self.hints = hints  # how many inputs they are
        self.paced_sharpness = nn.Parameter(torch.tensor(SHARPNESS) / PACE)
        self.register_buffer("mean", torch.from_numpy(mean.copy()))
        self.register_buffer("scale", torch.from_numpy(scale.copy()))
        sizes = [observation_space.shape[0] - hints, *hidden]
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in itertools.pairwise(sizes))

    @property
    def sharpness(self) -> torch.Tensor:
        """How much each hint counts, [NUM_HINTS]."""
        return PACE * self.paced_sharpness

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return what the trunk makes of the inputs, hints apart."""
        inputs = inputs[:, : inputs.shape[1] - self.hints]
        if self.told:
            numbers = ((inputs[:, -self.told :] - self.mean) / self.scale).clamp(-CLIP, CLIP)
            inputs = torch.cat([inputs[:, : -self.told], numbers], dim=1)
        for layer in self.layers:
            inputs = functional.relu(layer(inputs))
        return inputs


class SeatPolicy(MaskableActorCriticPolicy):
    """sb3-contrib's policy, with masked probabilities in one pass instead of three distributions."""

    def forward(
        self,
        obs: torch.Tensor,
        deterministic: bool = False,
        action_masks: npt.NDArray[np.bool_] | torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return actions, values and the actions' log probabilities."""
        values, shares = self.judge(obs, action_masks)
        noise = torch.empty_like(shares).exponential_().clamp_min(TINY)
        chosen = shares if deterministic else shares - noise.log()
        actions = chosen.argmax(dim=1)
        return actions, values, shares.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self,
        obs: torch.Tensor,
        actions: torch.Tensor,
        action_masks: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return values, log probabilities of actions, and the policy's entropy."""
        values, shares = self.judge(obs, action_masks)
        entropy = -(shares.exp() * shares).sum(dim=1)
        return values, shares.gather(1, actions[:, None])[:, 0], entropy

    def get_distribution(
        self,
        obs: Any,
        action_masks: npt.NDArray[np.bool_] | None = None,
    ) -> MaskableDistribution:
        """Return sb3-contrib's own distribution over actions."""
        distribution = self.action_dist.proba_distribution(
            action_logits=self._logits(self.features_extractor(obs), obs)
        )
        distribution.apply_masking(action_masks)
        return distribution

    def judge(
        self, obs: torch.Tensor, masks: npt.NDArray[np.bool_] | torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return values and the log probabilities of all actions, FORBIDDEN or so for illegal ones."""
        latent: torch.Tensor = self.features_extractor(obs)
        assert masks is not None
        legal = torch.as_tensor(masks)
        logits = self._logits(latent, obs).masked_fill(~legal, FORBIDDEN)
        return self.value_net(latent), functional.log_softmax(logits, dim=1)

    def _logits(self, latent: torch.Tensor, obs: torch.Tensor) -> torch.Tensor:
        trunk = trunk_of(self)
        logits: torch.Tensor = self.action_net(latent)
        if trunk.hints:
            hints = obs[:, -trunk.hints :].reshape(len(obs), NUM_HINTS, -1)
            logits = logits + (trunk.sharpness[:, None] * hints).sum(dim=1)
        return logits


def export(policy: SeatPolicy, base: Network) -> Network:
    """Return a network with a policy, its weights copied, and all else of another network."""
    trunk = trunk_of(policy)
    return replace(
        base,
        trunk=tuple(_layer(layer) for layer in trunk.layers),
        policy=_layer(policy.action_net),
        sharpness=trunk.sharpness.detach().numpy().copy(),
    )


def trunk_of(policy: SeatPolicy) -> Trunk:
    """Return a policy's trunk."""
    trunk = policy.features_extractor
    assert isinstance(trunk, Trunk)
    return trunk


def _layer(layer: nn.Module) -> tuple[Floats, Floats]:
    assert isinstance(layer, nn.Linear)
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()


def load_into(policy: SeatPolicy, network: Network) -> None:
    """Give a policy the weights of a network of the same scales; its value stays as it is."""
    trunk = trunk_of(policy)
    layers: list[nn.Module] = [*trunk.layers, policy.action_net]
    with torch.no_grad():
        for layer, (weight, bias) in zip(layers, [*network.trunk, network.policy], strict=True):
            assert isinstance(layer, nn.Linear)
            layer.weight.copy_(torch.from_numpy(weight))
            layer.bias.copy_(torch.from_numpy(bias))
        trunk.paced_sharpness.copy_(torch.from_numpy(network.sharpness) / PACE)
