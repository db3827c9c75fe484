"""The ppo agent: a network trained by self-play (`nile train`), played without torch."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from agents import network
from agents.base import Agent
from agents.hints import teller
from agents.network import Network
from tabletop.game import Game, GameError
from tabletop.view import View

NAME = "ppo"
UNIT = 2.0**-53  # of the uniform number that is made of the upper bits of a seed


class NetworkAgent(Agent):
    """Plays by a network: draws its moves from the policy, or takes the likeliest."""

    batched = True

    def __init__(
        self, game: Game, num_players: int, net: Network, temperature: float = 1.0, greedy: bool = False
    ) -> None:
        super().__init__(game, num_players)
        if not temperature > 0:
            raise GameError(
                f"a temperature is more than 0, not {temperature}; greedy=true always takes the best"
            )
        self.temperature = temperature
        self.greedy = greedy
        self.use(net)

    def use(self, net: Network) -> None:
        """Play by another network of the same inputs from now on."""
        self.network = net
        if self.describer is None and net.described:
            self.describer = teller(self.game, net)

    def begin_game(self, seat: int, seed: int) -> None:
        """Start the agent's own generator."""
        super().begin_game(seat, seed)
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return a move drawn from the policy."""
        seeds = self._rng.integers(0, 2**64, 2, dtype=np.uint64)
        inputs = self._inputs(view, int(seeds[1]))
        return int(self.act_batch(inputs, view.action_mask()[None], seeds[:1])[0])

    def preferences(self, view: View) -> npt.NDArray[np.float64]:
        """Return the probability of each action, float64[num_actions]."""
        logits = self.network.logits(self._inputs(view, int(self._rng.integers(2**53))))
        shares: npt.NDArray[np.float64] = network.probabilities(
            logits, view.action_mask()[None], self.temperature
        )[0]
        return shares

    def _inputs(self, view: View, seed: int) -> network.Floats:
        """Return what the network is told at one decision, float32[1, num_inputs]."""
        inputs = view.observation()
        if self.describer is not None:
            inputs = np.concatenate([inputs, view.description(self.describer, seed)])
        return inputs[None]

    def act_batch(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Return a move drawn from the policy for each decision."""
        logits = self.network.logits(observations)
        if self.greedy:
            best: npt.NDArray[np.int64] = np.where(masks != 0, logits, -np.inf).argmax(axis=1)
            return best
        sums = network.probabilities(logits, masks, self.temperature).cumsum(axis=1)
        drawn = (seeds >> np.uint64(11)) * UNIT * sums[:, -1]
        actions: npt.NDArray[np.int64] = (sums <= drawn[:, None]).sum(axis=1)
        return actions


class PPOAgent(NetworkAgent):
    """Plays by the network that is shipped with the game, or by one of your own."""

    OPTION_HELP: ClassVar[dict[str, str]] = {
        "path": "a run of `nile train`, or a network's files without their endings, in place of the shipped ones",
        "temperature": "how freely it strays from the likeliest move: 1 as trained, less is less",
        "greedy": "always take the likeliest move",
        "settle": "how many moves of greedy play it looks ahead, in place of those it was trained with",
        "worlds": "in how many worlds it looks at each move, in place of those it was trained with",
    }

    def __init__(
        self,
        game: Game,
        num_players: int,
        path: Path | None = None,
        temperature: float = 1.0,
        greedy: bool = False,
        settle: int | None = None,
        worlds: int | None = None,
    ) -> None:
        net = network.load(game, stem_of(game, path, "ppo:path=DIR"))
        for name, number, least in (("settle", settle, -1), ("worlds", worlds, 1)):
            if number is not None and number < least:
                raise GameError(f"{name} is at least {least}, not {number}")
        net = replace(
            net,
            settle=net.settle if settle is None else settle,
            worlds=net.worlds if worlds is None else worlds,
        )
        super().__init__(game, num_players, net, temperature, greedy)


def stem_of(game: Game, path: Path | None, option: str) -> Path:
    """Return where the network of a run, or of the game's package, is, without the endings of its files.

    Args:
        game: the game.
        path: the folder of a run, or the network's files without their endings; None: the package's.
        option: how one of your own is named.

    Raises:
        GameError: no path is given, and there is none in the package.
    """
    if path is None:
        return shipped(game, option)
    return path / NAME if path.is_dir() else path


def shipped(game: Game, option: str = "ppo:path=DIR") -> Path:
    """Return where the network of a game's package is, without the endings of its files.

    Raises:
        GameError: there is none; the message says by which option one of your own is named.
    """
    source = importlib.import_module(game.module).__file__
    stem = Path(source or "").with_name(NAME)
    if not stem.with_suffix(".json").exists():
        raise GameError(f"{game.name} comes with no network; name one of your own: {option}")
    return stem


AGENT = PPOAgent
