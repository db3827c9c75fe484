"""The run of `nile train`: what happens between its beginning and its end. See `experiments.train`."""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from torch.nn import functional

from agents import network
from agents.base import Agent
from agents.hints import can_hint, teller, valuations
from agents.ppo import NAME
from agents.registry import make_agent
from agents.seats import SELF, Maker
from agents.selfplay import SelfPlayGames
from experiments import values
from experiments.curve import draw, read_curve, write_table
from experiments.learner import (
    SeatBuffer,
    SeatPolicy,
    SelfPlayVecEnv,
    Trunk,
    export,
    load_into,
)
from experiments.onnx_export import write_onnx
from experiments.train import CURVE, POOL, Pool, TrainOptions, evaluate, load_network, make_games, shares
from tabletop import batch_kernels, description
from tabletop.game import MAX_PLAYERS, load
from tabletop.view import View

CHECKPOINT = "checkpoint.pt"
SAMPLE_STEPS = 100  # of games by greedy or random agents from which features are scaled
TOLD_EVERY = 10.0  # seconds between lines of progress that are kept
LEAST_SCALE = 1e-3
STRAY = 0.05  # part of the moves of imitated games that are random


class Trainer:
    """A run: the learner, its opponents, its folder.

    Args:
        options: complete.
        folder: of the run; a checkpoint in it is gone on from.
    """

    def __init__(self, options: TrainOptions, folder: Path) -> None:
        torch.set_num_threads(options.torch_threads)
        self.options = options
        self.folder = folder
        self.game = load(options.game)
        self.rng = np.random.default_rng([options.seed, 0])
        saved = self._read()
        start = load_network(options.start, self.game) if options.start and saved is None else None
        self.pool = Pool(self.game, folder / POOL, options)
        self.evaluated: dict[str, Any] = {}
        self.evaluated_at = self.saved_at = 0
        self.evaluating = 0.0  # seconds
        if saved is not None:
            self.base = network.from_tensors({name: tensor.numpy() for name, tensor in saved["base"].items()})
        elif start is not None:
            self.base = replace(start, settle=options.settle or 0, worlds=options.worlds or 1)
        else:
            self.base = self._blank()
        if saved is None and options.value_games:
            self._learn_value(options.value_games)
        self.model = self._make_model(self._make_games({SELF: 1.0}))
        if saved is None:
            if start is not None:
                load_into(self.policy, start)
            if options.imitate:
                self._imitate()
            self.pool.add(self.current(), 0)
        else:
            self._restore_pool(saved)
        self.games = self._make_games(self._opponents())
        self.model.set_env(SelfPlayVecEnv(self.games), force_reset=False)
        buffer = self.model.rollout_buffer
        assert isinstance(buffer, SeatBuffer)
        buffer.games = self.games
        self.games.deal(int(self.rng.integers(2**53)))
        if saved is not None:
            self._restore(saved)

    @property
    def policy(self) -> SeatPolicy:
        """The policy that learns."""
        assert isinstance(self.model.policy, SeatPolicy)
        return self.model.policy

    def current(self) -> network.Network:
        """Return a copy of the network as it is now."""
        return export(self.policy, self.base)

    def train(self) -> None:
        """Evaluate the beginning, go on to the last step, write the finished network and evaluate that."""
        if not self.evaluated:
            self.save()
            self.evaluate()
        left = self.options.steps - self.model.num_timesteps
        if left > 0:
            self.model.learn(left, callback=RunCallback(self), reset_num_timesteps=False)
            self.save()
        self.finish()

    def finish(self) -> None:
        """Write the finished network, with a value fitted to its games if it has none, and evaluate."""
        finished = self.current()
        if not finished.value:
            options = self.options
            games = self._make_games({SELF: 1.0})
            seen = values.own_games(self.policy, finished, games, options.calibrate, options.seed)
            finished = replace(finished, value=self._fitted(seen))
        self._write(finished, {})
        self.evaluate()
        points = read_curve(self.folder / CURVE)
        write_table(points, self.folder / "evaluation.csv")
        draw(points, f"{self.game.title}, {points[-1]['players']} players", self.folder / "evaluation.png")
        if self.options.onnx:
            write_onnx(finished, self.folder / f"{NAME}.onnx")
        self.tell(f"network: {self.folder}/{NAME}")

    def evaluate(self) -> None:
        """Play an evaluation and add it to the curve."""
        begun = time.perf_counter()
        steps = self.model.num_timesteps
        earlier = self.pool.names[len(self.pool.names) // 2] if self.pool.made > 1 else None
        self.evaluated = evaluate(self.options, self.folder, earlier, steps)
        self.evaluated_at = steps
        with (self.folder / CURVE).open("a") as curve:
            curve.write(json.dumps(self.evaluated) + "\n")
        for name, result in self.evaluated.items():
            if isinstance(result, dict):
                kind = name.split()[0]
                self.model.logger.record(f"evaluation/{kind}", result["win_share"])
        self.tell(f"{steps:,} steps: {self._last_evaluation()}")
        self.evaluating += time.perf_counter() - begun

    def save(self) -> None:
        """Write all that the run needs to go on from here."""
        model = self.model
        buffer = model.rollout_buffer
        assert isinstance(buffer, SeatBuffer)
        state: dict[str, Any] = {
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            "torch": torch.get_rng_state(),
            "counters": [model.num_timesteps, model._n_updates, self.evaluated_at],
            "rng": [json.dumps(rng.bit_generator.state) for rng in (self.rng, buffer.rng)],
            "base": {
                name: torch.from_numpy(np.array(tensor)) for name, tensor in self.base.tensors().items()
            },
            "games": {name: _stored(array) for name, array in self.games.state().items()},
            "pool": [self.pool.names, self.pool.made, self.pool.won, self.pool.pairs],
        }
        part = self.folder / f"{CHECKPOINT}.part"
        torch.save(state, part)
        part.replace(self.folder / CHECKPOINT)
        self.saved_at = model.num_timesteps
        self._write(self.current(), {})

    def begin_rollout(self) -> None:
        """Set what changes from one rollout to the next."""
        options = self.options
        self.pool.forget()
        if self.pool.is_beaten():
            self.pool.add(self.current(), self.model.num_timesteps)
        self.pool.draw(self.rng)
        left = 1 - self.model.num_timesteps / options.steps
        self.model.ent_coef = options.entropy_end + left * (options.entropy - options.entropy_end)

    def count_results(self) -> None:
        """Compare the learner with the newest snapshot in the games that the last step ended."""
        if self.pool_number >= 0:
            won, pairs = self.games.compared(self.pool_number)
            self.pool.won += won
            self.pool.pairs += pairs

    def tell(self, line: str) -> None:
        """Print a line of progress."""
        print(line, file=sys.stderr, flush=True)

    def progress(self, speed: float, share: float) -> str:
        """Return how far the run has come, at so many decisions a second, `share` of the time the environment's."""
        done, steps = self.model.num_timesteps, self.options.steps
        minutes = (steps - done) / max(speed, 1.0) / 60
        return (
            f"{self.game.name}: {done:,} of {steps:,} steps ({done / steps:.1%}), {speed:,.0f} decisions/s, "
            f"environment {share:.0%} of the time, {minutes:.0f} min left; {self.pool.made} snapshots; {self._last_evaluation()}"
        )

    def _last_evaluation(self) -> str:
        shown = [
            f"{name} {result['win_share']:.3f}"
            for name, result in self.evaluated.items()
            if isinstance(result, dict)
        ]
        return "win share against " + ", ".join(shown) if shown else "not evaluated yet"

    def _blank(self) -> network.Network:
        """Return a network that has learned nothing but the scales of what it is told."""
        options, game = self.options, self.game
        has_features = options.describe and bool(description.names(game))
        hinted = options.hint and has_features and can_hint(game)
        nothing = np.zeros((0, 0))
        self.base = network.blank(
            game,
            description.tuned(game) if has_features else nothing,
            valuations(game) if hinted else nothing,
            options.settle or 0,
            options.worlds or 1,
        )
        mean, scale = self._scales()
        return replace(self.base, mean=mean, scale=scale)

    def _learn_value(self, games: int) -> None:
        """Learn from greedy games what each seat can expect."""
        options = self.options
        self.tell(f"playing {games:,} greedy games to learn what each seat can expect ...")
        seen = values.greedy_games(
            self.game, self.base, options.players, games, options.seed, options.threads, options.rules
        )
        self.base = replace(self.base, value=self._fitted(seen))

    def _fitted(self, seen: values.Decisions) -> values.Layers:
        """Return layers of a value fitted to decisions."""
        layers, explained, by_estimate = values.fit(seen, self.options.value_hidden, self.options.seed)
        self.tell(
            f"the value explains {explained:.3f} of the variance of results, the game's estimate {by_estimate:.3f}, "
            f"of {len(seen.players):,} decisions"
        )
        return layers

    def _make_model(self, games: SelfPlayGames) -> MaskablePPO:
        options = self.options
        fall = options.learning_rate - options.learning_rate_end
        model = MaskablePPO(
            SeatPolicy,
            SelfPlayVecEnv(games),
            learning_rate=lambda left: options.learning_rate_end + max(left, 0.0) * fall,
            n_steps=options.horizon,
            batch_size=options.batch,
            n_epochs=options.epochs,
            gamma=options.gamma,
            gae_lambda=options.trace,
            clip_range=options.clip,
            ent_coef=options.entropy,
            rollout_buffer_class=SeatBuffer,
            rollout_buffer_kwargs={"games": games, "seed": options.seed},
            policy_kwargs={
                "net_arch": [],
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {
                    "hidden": options.hidden,
                    "mean": self.base.mean,
                    "scale": self.base.scale,
                    "hints": self.base.hints,
                },
            },
            seed=options.seed,
            device="cpu",
        )
        model.set_logger(configure(str(self.folder / "tensorboard"), ["tensorboard"]))
        return model

    def _make_games(self, opponents: Mapping[str | Maker, float]) -> SelfPlayGames:
        return make_games(self.options, self.game, opponents, teller(self.game, self.base))

    def _opponents(self) -> Mapping[str | Maker, float]:
        """Return who sits at other seats, and remember the number of the newest snapshot there."""
        weights: dict[str | Maker, float] = {}
        self.pool_number = -1
        for spec, weight in shares(self.options).items():
            if spec == POOL:
                newest, drawn = self.pool.makers()
                self.pool_number = len(weights)
                weights |= {newest: weight / 2, drawn: weight / 2}
            else:
                weights[spec] = weight
        return weights

    def _scales(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return mean and spread of each number of a description, in games of the game's own agents."""
        if not self.base.described:
            return np.zeros(0, np.float32), np.ones(0, np.float32)
        agent = "random" if self.game.weights is None else "greedy"
        games = self._make_games({agent: 0.9, "random": 0.1})
        games.deal(int(self.rng.integers(2**53)))
        first = self.game.layout.size
        last = first + len(description.names(self.game)) * MAX_PLAYERS
        seen = []
        for _ in range(SAMPLE_STEPS):
            legal = games.batch.masks * self.rng.random(games.batch.masks.shape)
            games.step(legal.argmax(axis=1))
            seen.append(games.inputs[:, first:last].copy())
        table = np.concatenate(seen)
        return table.mean(axis=0), np.maximum(table.std(axis=0), LEAST_SCALE)

    def _imitate(self) -> None:
        """Learn to foretell the moves of the teacher, in games of it alone with some random moves.

        A teacher that searches is followed in what it found out about each move, see
        `Agent.preferences`. The value learns along: what the seats of those games can expect.
        """
        options, policy, buffer = self.options, self.policy, self.model.rollout_buffer
        assert isinstance(buffer, SeatBuffer)
        buffer.games = games = self._make_games({SELF: 1.0})
        games.deal(int(self.rng.integers(2**53)))
        teachers = {count: make_agent(options.teacher, self.game, count) for count in options.players}
        for teacher in teachers.values():
            teacher.begin_game(0, int(self.rng.integers(2**53)))
        total = options.games * options.horizon
        for chunk in range(-(-options.imitate // total)):
            targets = torch.from_numpy(self._watch(games, buffer, teachers))
            seen, masks, returns = (
                torch.from_numpy(array.reshape(total, *array.shape[2:]))
                for array in (buffer.observations, buffer.action_masks, buffer.returns)
            )
            agreed: list[float] = []
            for _ in range(options.epochs):
                order = torch.from_numpy(self.rng.permutation(total))
                for first in range(0, total, options.batch):
                    chosen = order[first : first + options.batch]
                    values, shares = policy.judge(seen[chosen], masks[chosen])
                    parting = -(targets[chosen] * shares).sum(dim=1).mean()
                    agreed.append(float((targets[chosen] * shares.detach().exp()).sum(dim=1).mean()))
                    error = functional.mse_loss(values[:, 0], returns[chosen])
                    policy.optimizer.zero_grad()
                    (parting + self.model.vf_coef * error).backward()  # type: ignore[no-untyped-call]
                    torch.nn.utils.clip_grad_norm_(policy.parameters(), self.model.max_grad_norm)
                    policy.optimizer.step()
            self.tell(
                f"imitated {(chunk + 1) * total:,} decisions; foretells {options.teacher} with {np.mean(agreed):.3f}"
            )

    def _watch(
        self, games: SelfPlayGames, buffer: SeatBuffer, teachers: Mapping[int, Agent]
    ) -> npt.NDArray[np.float32]:
        """Fill a rollout with decisions; return what the teacher would do, float32[decisions, num_actions]."""
        number = self.options.games
        nothing = torch.zeros(number)
        targets = np.zeros((self.options.horizon, number, self.game.num_actions), np.float32)
        buffer.reset()
        for step in range(self.options.horizon):
            for count, teacher in teachers.items():
                rows = np.flatnonzero(games.batch.counts == count)
                targets[step, rows] = self._preferences(games, rows, teacher)
            inputs, masks = games.inputs.copy(), games.batch.masks.astype(bool)
            with torch.no_grad():
                values = policy_values(self.policy, inputs)
            stray = self.rng.random(number) < STRAY
            random = (masks * self.rng.random(masks.shape)).argmax(axis=1)
            actions = np.where(stray, random, targets[step].argmax(axis=1))
            games.step(actions)
            buffer.add(inputs, actions[:, None], None, None, values, nothing, action_masks=masks)
        with torch.no_grad():
            buffer.compute_returns_and_advantage(policy_values(self.policy, games.inputs), np.zeros(0))
        return targets.reshape(-1, self.game.num_actions)

    def _preferences(
        self, games: SelfPlayGames, rows: npt.NDArray[np.int64], teacher: Agent
    ) -> npt.NDArray[np.float32]:
        """Return how much an agent prefers each action in some games, float32[rows, num_actions]."""
        found = np.zeros((len(rows), self.game.num_actions), np.float32)
        states, players = games.arrays.states, games.batch.players
        if teacher.policy is not None:
            moves = np.zeros(len(rows), np.int64)
            streams = self.rng.integers(
                0, 2**64, (len(games.inputs), games.arrays.num_seats), dtype=np.uint64
            )
            bits = np.zeros(self.game.num_words, np.uint64)
            kind, weights = teacher.policy.kind, teacher.policy.weights
            batch_kernels.ask_policy(states, rows, players[rows], streams, kind, weights, bits, moves)
            found[np.arange(len(rows)), moves] = 1
            return found
        seeds = self.rng.integers(0, 2**64, len(rows), dtype=np.uint64)
        for place, (row, seed) in enumerate(zip(rows.tolist(), seeds.tolist(), strict=True)):
            view = View(self.game, states[row : row + 1], int(players[row]), seed)
            found[place] = teacher.preferences(view)
        return found

    def _write(self, net: network.Network, facts: Mapping[str, object]) -> None:
        facts = {"steps": self.model.num_timesteps, "seed": self.options.seed, **facts}
        network.save(net, self.game, self.folder / NAME, facts)

    def _read(self) -> dict[str, Any] | None:
        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        state: dict[str, Any] = torch.load(path, weights_only=True)
        return state

    def _restore_pool(self, saved: Mapping[str, Any]) -> None:
        self.pool.names, self.pool.made, self.pool.won, self.pool.pairs = saved["pool"]
        self.pool.seat(self.pool.names[-1], self.pool.names[-1])

    def _restore(self, saved: Mapping[str, Any]) -> None:
        model = self.model
        self.policy.load_state_dict(saved["policy"])
        self.policy.optimizer.load_state_dict(saved["optimizer"])
        model.num_timesteps, model._n_updates, self.evaluated_at = saved["counters"]
        self.saved_at = model.num_timesteps
        self._forget_evaluations_after(self.evaluated_at)
        buffer = model.rollout_buffer
        assert isinstance(buffer, SeatBuffer)
        for rng, text in zip((self.rng, buffer.rng), saved["rng"], strict=True):
            rng.bit_generator.state = json.loads(text)
        arrays = self.games.state()
        self.games.restore({name: _loaded(saved["games"][name], arrays[name]) for name in arrays})
        model._last_obs = self.games.inputs.copy()
        model._last_episode_starts = np.zeros(self.options.games, bool)
        torch.set_rng_state(saved["torch"])

    def _forget_evaluations_after(self, steps: int) -> None:
        """Take off the curve what was played after the checkpoint: it will be played again."""
        path = self.folder / CURVE
        kept = [point for point in read_curve(path) if point["steps"] <= steps]
        self.evaluated = kept[-1] if kept else {}
        path.write_text("".join(f"{json.dumps(point)}\n" for point in kept))


class RunCallback(BaseCallback):
    """What a run does between steps and between rollouts."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__()
        self.trainer = trainer

    def _on_training_start(self) -> None:
        self.started = self.told = time.perf_counter()
        self.first = self.num_timesteps
        self.trainer.evaluating = 0.0
        self.trainer.games.seconds = 0.0

    def _on_rollout_start(self) -> None:
        trainer, options = self.trainer, self.trainer.options
        now = time.perf_counter()
        passed = max(now - self.started - trainer.evaluating, 1e-9)
        speed = (self.num_timesteps - self.first) / passed
        share = trainer.games.seconds / passed
        if self.num_timesteps > self.first and now - self.told > TOLD_EVERY:
            trainer.tell(trainer.progress(speed, share))
            self.told = now
        self.logger.record("time/decisions_per_second", speed)
        self.logger.record("time/environment", share)
        self.logger.record("pool/snapshots", trainer.pool.made)
        if self.num_timesteps - trainer.saved_at >= options.checkpoint_every:
            trainer.save()
        if self.num_timesteps - trainer.evaluated_at >= options.evaluate_every:
            trainer.save()
            trainer.evaluate()
        trainer.begin_rollout()
        self.logger.dump(self.num_timesteps)

    def _on_step(self) -> bool:
        self.trainer.count_results()
        return True


def policy_values(policy: SeatPolicy, inputs: npt.NDArray[np.float32]) -> torch.Tensor:
    """Return what a policy in training expects, float32[decisions, 1]."""
    return policy.predict_values(torch.from_numpy(inputs))


def _stored(array: npt.NDArray[Any]) -> torch.Tensor:
    """Return an array of any type as bytes that a checkpoint can hold."""
    return torch.from_numpy(np.frombuffer(array.tobytes(), np.uint8).copy())


def _loaded(stored: torch.Tensor, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array that was stored, of the type and shape of another."""
    return np.frombuffer(stored.numpy().tobytes(), like.dtype).reshape(like.shape)
