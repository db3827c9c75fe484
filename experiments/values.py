"""What a network's value is learned from, and how: decisions of played games and what came of them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.hints import packed, scratch
from agents.network import SUREST, Network
from agents.selfplay import SelfPlayGames
from experiments import decision_kernels
from experiments.learner import SeatPolicy
from tabletop.game import MAX_PLAYERS, Game

Floats = npt.NDArray[np.float32]
Layers = tuple[tuple[Floats, Floats], ...]

CHUNK = 500  # games
LOOK = 50  # of a thousand decisions: those of one game have much in common
STRAY = 30  # of a thousand moves
LONGEST = 40  # decisions looked at in a game, on average over a chunk at most
EPOCHS = 2
BATCH = 4096
RATE, RATE_END = 1e-3, 1e-5
KEPT = 16  # one decision of so many is kept to measure by


@dataclass(frozen=True)
class Decisions:
    """What movers saw and what came of it, game by game; seats in relative order from the mover."""

    inputs: npt.NDArray[np.float16]  # [decisions, inputs] as the network's layers take them
    expected: Floats  # [decisions, MAX_PLAYERS] by the game's estimate, 0 without one
    returns: Floats  # [decisions, MAX_PLAYERS]
    players: npt.NDArray[np.int64]  # [decisions]


def greedy_games(
    game: Game, network: Network, counts: Sequence[int], games: int, seed: int, threads: int, rules: str
) -> Decisions:
    """Play games of greedy agents that stray now and then, and return some of their decisions.

    Args:
        game: a game with greedy play and an estimate.
        network: by which decisions are described; neither policy nor value are asked.
        counts: numbers of players, as many games of each.
        games: how many in all.
        seed: of the games. Results do not depend on `threads`.
        threads: how many play.
        rules: the name of a preset of options.
    """
    options = game.encode_options(game.resolve_options(rules))
    net = packed(game, network)
    width = network.num_inputs - network.hints
    chunks = -(-games // CHUNK)
    seeds = np.random.default_rng([seed, 3]).integers(0, 2**63, (chunks, CHUNK), np.int64).astype(np.uint64)

    def play(chunk: int) -> Decisions:
        players = counts[chunk % len(counts)]
        inputs = np.zeros((LONGEST * CHUNK, width), np.float32)
        expected, targets = np.zeros((2, len(inputs), MAX_PLAYERS), np.float32)
        number = decision_kernels.play_and_look(
            game.new_states(1),
            players,
            options,
            seeds[chunk],
            net._replace(**scratch(game, net.scratch.shape[1])),
            STRAY,
            LOOK,
            np.zeros(MAX_PLAYERS),
            inputs,
            expected,
            targets,
        )
        return Decisions(
            inputs[:number].astype(np.float16),
            expected[:number].copy(),
            targets[:number].copy(),
            np.full(number, players),
        )

    with ThreadPoolExecutor(threads) as pool:
        return join(list(pool.map(play, range(chunks))))


def own_games(
    policy: SeatPolicy, network: Network, games: SelfPlayGames, decisions: int, seed: int
) -> Decisions:
    """Play games of a policy with itself and return their decisions, at least so many."""
    batch, rows = games.batch, games.arrays.everything
    games.deal(seed)
    pending: list[list[tuple[int, Floats, Floats]]] = [[] for _ in rows]
    parts: list[Decisions] = []
    number = 0
    while number < decisions:
        with torch.no_grad():
            actions, _, _ = policy(torch.from_numpy(games.inputs), action_masks=batch.masks.astype(bool))
        known, expected = network.known(games.inputs), network.expected(games.inputs)
        for row in rows:
            pending[row].append((int(batch.players[row]), known[row], expected[row]))
        games.step(actions.numpy())
        for row in np.flatnonzero(batch.done):
            count = int(batch.counts[row])
            returns = np.zeros((len(pending[row]), MAX_PLAYERS), np.float32)
            for place, (player, _, _) in enumerate(pending[row]):
                returns[place, :count] = np.roll(batch.returns[row, :count], -player)
            inputs = np.array([seen for _, seen, _ in pending[row]], np.float16)
            told = np.array([hopes for _, _, hopes in pending[row]], np.float32)
            parts.append(Decisions(inputs, told, returns, np.full(len(returns), count)))
            number += len(returns)
            pending[row].clear()
    return join(parts)


def join(parts: Sequence[Decisions]) -> Decisions:
    """Return all decisions of several collections."""
    return Decisions(
        np.concatenate([part.inputs for part in parts]),
        np.concatenate([part.expected for part in parts]),
        np.concatenate([part.returns for part in parts]),
        np.concatenate([part.players for part in parts]),
    )


def fit(decisions: Decisions, hidden: Sequence[int], seed: int) -> tuple[Layers, float, float]:
    """Return layers of a value fitted to decisions, and which parts of the variance of results it and the estimate explain.

    Both are measured on the last games, which are not learned from.
    """
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    sizes = [decisions.inputs.shape[1], *hidden]
    stack: list[nn.Module] = []
    for number in range(len(hidden)):
        stack += [nn.Linear(sizes[number], sizes[number + 1]), nn.ReLU()]
    value = nn.Sequential(*stack, nn.Linear(sizes[-1], MAX_PLAYERS))
    inputs, returns, expected = (
        torch.from_numpy(array) for array in (decisions.inputs, decisions.returns, decisions.expected)
    )
    known = torch.atanh(expected.clamp(-SUREST, SUREST))
    seated = (torch.arange(MAX_PLAYERS) < torch.from_numpy(decisions.players)[:, None]).float()
    learned = len(inputs) - max(1, len(inputs) // KEPT)
    steps = EPOCHS * max(1, learned // BATCH)
    optimizer = torch.optim.Adam(value.parameters(), lr=RATE)
    fall = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, RATE_END / RATE, steps)
    for _ in range(EPOCHS):
        order = torch.randperm(learned, generator=generator)
        for first in range(0, learned, BATCH):
            chosen = order[first : first + BATCH]
            foretold = torch.tanh(value(inputs[chosen].float()) + known[chosen])
            loss = (seated[chosen] * (foretold - returns[chosen]) ** 2).sum() / seated[chosen].sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            fall.step()
    with torch.no_grad():
        foretold = torch.tanh(value(inputs[learned:].float()) + known[learned:])
    there = seated[learned:] > 0
    spread = float((returns[learned:][there] ** 2).mean())
    explained, by_estimate = (
        1 - float(((values - returns[learned:])[there] ** 2).mean()) / spread
        for values in (foretold, expected[learned:])
    )
    layers = tuple(
        (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
        for layer in value
        if isinstance(layer, nn.Linear)
    )
    return layers, explained, by_estimate
