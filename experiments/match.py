"""Games between agents: who sits where, and playing them, compiled where all agents are."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.registry import make_agent
from tabletop import kernels
from tabletop.game import Game, Options
from tabletop.kinds import States
from tabletop.view import View

MAX_DEAL_SEED = 2**53  # exact in every JSON reader
SPEED_SAMPLE = 512  # decisions
SPEED_SECONDS = 0.02


@dataclass(frozen=True)
class Match:
    """Who plays what: every seating of the agents plays every deal."""

    game: Game
    num_players: int
    options: Options
    specs: tuple[str, ...]  # each agent once
    seatings: npt.NDArray[np.int64]  # [seating, seat] index into specs
    deals: npt.NDArray[np.uint64]  # [deal] the seed of each deal
    seed: int  # of the agents' own generators

    @property
    def num_games(self) -> int:
        """How many games the match has."""
        return len(self.deals) * len(self.seatings)


@dataclass
class Games:
    """The results of some games of a match, deal by deal and within a deal seating by seating."""

    deal: npt.NDArray[np.int64]  # [game] index into the match's deals
    seed: npt.NDArray[np.uint64]  # [game]
    seating: npt.NDArray[np.int64]  # [game, seat] agent
    scores: npt.NDArray[np.int64]  # [game, seat]
    returns: npt.NDArray[np.float64]  # [game, seat]
    moves: list[npt.NDArray[np.int16]]  # [game][move]
    decisions: npt.NDArray[np.int64]  # [agent]
    seconds: npt.NDArray[np.float64]  # [agent] spent on decisions; zero for compiled games


def seatings(num_agents: int, num_players: int) -> npt.NDArray[np.int64]:
    """Return who sits where, int64[seating, seat]: every agent in every seat equally often.

    As many agents as seats: all rotations of the table. More: the rotations of every choice of
    agents. Fewer: the list is repeated round the table, beginning with each agent, and rotated.
    """
    if num_agents >= num_players:
        tables: list[tuple[int, ...]] = list(itertools.combinations(range(num_agents), num_players))
    else:
        tables = [
            tuple((first + seat) % num_agents for seat in range(num_players)) for first in range(num_agents)
        ]
    rotated = [table[turn:] + table[:turn] for table in tables for turn in range(num_players)]
    return np.array(rotated, dtype=np.int64)


def plan_match(
    game: Game, num_players: int, options: Options, agents: Sequence[str], num_games: int, seed: int
) -> Match:
    """Return a match of at least `num_games` games; an agent named twice takes two places at the table.

    Raises:
        AgentError: an agent's specification is not valid.
    """
    specs = tuple(dict.fromkeys(agents))
    for spec in specs:
        make_agent(spec, game, num_players)
    places = np.array([specs.index(spec) for spec in agents], dtype=np.int64)
    tables = np.array(
        list(dict.fromkeys(map(tuple, places[seatings(len(agents), num_players)].tolist()))), dtype=np.int64
    )
    num_deals = -(-num_games // len(tables))
    return Match(game, num_players, options, specs, tables, deal_seeds(seed, num_deals), seed)


def deal_seeds(seed: int, num_deals: int) -> npt.NDArray[np.uint64]:
    """Return different seeds, uint64[num_deals], the first ones the same however many there are."""
    generator = np.random.default_rng([seed, 0])
    seen: dict[int, None] = {}
    while len(seen) < num_deals:
        seen[int(generator.integers(MAX_DEAL_SEED))] = None
    return np.array(list(seen), dtype=np.uint64)


def policy_seeds(match: Match, deal: int) -> npt.NDArray[np.uint64]:
    """Return the seed of each seat's agent in each game of a deal, uint64[seating, seat]."""
    generator = np.random.default_rng([match.seed, 1, deal])
    return generator.integers(0, 2**64, match.seatings.shape, dtype=np.uint64)


def play_match(match: Match, workers: int = 1, deals_per_chunk: int | None = None) -> Iterator[Games]:
    """Play a match and yield its games in order, some deals at a time; the results do not depend on `workers`."""
    table = [make_agent(spec, match.game, match.num_players) for spec in match.specs]
    compiled = all(agent.policy is not None for agent in table)
    if deals_per_chunk is None:
        deals_per_chunk = max(1, (256 if compiled else 1) // len(match.seatings))
    chunks = [
        range(first, min(first + deals_per_chunk, len(match.deals)))
        for first in range(0, len(match.deals), deals_per_chunk)
    ]
    play: Callable[[range], Games]
    if compiled:
        play = CompiledPlayer(match, table)
    else:
        play = ViewPlayer(match)
    if workers == 1:
        yield from map(play, chunks)
        return
    with ThreadPoolExecutor(workers) as pool:
        pending = [pool.submit(play, chunk) for chunk in chunks]
        try:
            for future in pending:
                yield future.result()
        finally:
            for future in pending:
                future.cancel()


class CompiledPlayer:
    """Plays whole games in one compiled call, without the interpreter."""

    def __init__(self, match: Match, table: Sequence[Agent]) -> None:
        self.match = match
        policies = [agent.policy for agent in table if agent.policy is not None]
        self._kinds = np.array([policy.kind for policy in policies], dtype=np.int64)
        self._weights = np.array([policy.weights for policy in policies], dtype=np.float64)
        self._codes = match.game.encode_options(match.options)

    def __call__(self, deals: range) -> Games:
        """Play all seatings of some deals."""
        match, game, seats = self.match, self.match.game, self.match.num_players
        seating = np.tile(match.seatings, (len(deals), 1))
        deal = np.repeat(np.array(deals, dtype=np.int64), len(match.seatings))
        seeds = match.deals[deal]
        moves = np.empty((len(deal), game.max_moves), np.int16)
        lengths = np.zeros(len(deal), np.int64)
        scores = np.zeros((len(deal), seats), np.int64)
        returns = np.zeros((len(deal), seats), np.float64)
        decisions = np.zeros(len(match.specs), np.int64)
        kernels.play_games(
            game.new_states(1),
            seats,
            self._codes,
            seeds,
            seating,
            self._kinds,
            self._weights,
            np.concatenate([policy_seeds(match, number) for number in deals]),
            moves,
            lengths,
            scores,
            returns,
            decisions,
            np.zeros(game.num_words, np.uint64),
        )
        played = [row[:length].copy() for row, length in zip(moves, lengths, strict=True)]
        return Games(deal, seeds, seating, scores, returns, played, decisions, np.zeros(len(match.specs)))


class ViewPlayer:
    """Plays games move by move with agents that see views; each thread has agents of its own."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._local = threading.local()

    def __call__(self, deals: range) -> Games:
        """Play all seatings of some deals."""
        match, seats = self.match, self.match.num_players
        rows = [(deal, number) for deal in deals for number in range(len(match.seatings))]
        games = Games(
            deal=np.array([deal for deal, _ in rows], dtype=np.int64),
            seed=np.array([match.deals[deal] for deal, _ in rows], dtype=np.uint64),
            seating=np.array([match.seatings[number] for _, number in rows], dtype=np.int64),
            scores=np.zeros((len(rows), seats), np.int64),
            returns=np.zeros((len(rows), seats), np.float64),
            moves=[],
            decisions=np.zeros(len(match.specs), np.int64),
            seconds=np.zeros(len(match.specs), np.float64),
        )
        for row, (deal, number) in enumerate(rows):
            self._play_game(games, row, policy_seeds(match, deal)[number])
        return games

    def _agent(self, index: int, seat: int) -> Agent:
        """Return this thread's agent for a seat."""
        made: dict[tuple[int, int], Agent] = self._local.__dict__.setdefault("made", {})
        if (index, seat) not in made:
            made[index, seat] = make_agent(self.match.specs[index], self.match.game, self.match.num_players)
        return made[index, seat]

    def _play_game(self, games: Games, row: int, seeds: npt.NDArray[np.uint64]) -> None:
        """Play one game and enter it into the results."""
        match, game = self.match, self.match.game
        table = [self._agent(int(index), seat) for seat, index in enumerate(games.seating[row])]
        for seat, agent in enumerate(table):
            agent.begin_game(seat, int(seeds[seat]))
        unknown = np.random.default_rng([match.seed, 2, int(games.seed[row]), row])
        states: States = game.new_states(1)
        codes = game.encode_options(match.options)
        kernels.start_games(states, match.num_players, codes, games.seed[row : row + 1])
        status = np.zeros(kernels.STATUS_SIZE, np.int64)
        mask = np.empty(game.num_actions, np.int8)
        bits = np.empty(game.num_words, np.uint64)
        kernels.status_of(states, status)
        moves: list[int] = []
        while not status[kernels.IS_OVER]:
            seat = int(status[kernels.PLAYER])
            index = int(games.seating[row, seat])
            view = View(game, states, seat, int(unknown.integers(0, 2**64, dtype=np.uint64)))
            started = time.perf_counter()
            action = int(table[seat].act(view))
            games.seconds[index] += time.perf_counter() - started
            games.decisions[index] += 1
            kernels.legal_mask(states, mask, bits)
            if not 0 <= action < game.num_actions or not mask[action]:
                legal = ", ".join(game.action_names[number] for number in np.flatnonzero(mask))
                raise IllegalAgentError(f"agent {match.specs[index]} played {action}; legal: {legal}")
            kernels.apply_game(states, action)
            moves.append(action)
            kernels.status_of(states, status)
        kernels.results_of(states, games.scores[row], games.returns[row])
        games.moves.append(np.array(moves, dtype=np.int16))


class IllegalAgentError(RuntimeError):
    """An agent returned an action that is not legal."""


def policy_speed(match: Match, games: Games, agent: int) -> float:
    """Return the decisions a second of a compiled agent, over decisions that it had in some games."""
    made = make_agent(match.specs[agent], match.game, match.num_players)
    assert made.policy is not None
    faced = match.game.new_states(SPEED_SAMPLE)
    found = 0
    for game, moves in enumerate(games.moves):
        history = match.game.new_states(len(moves) + 1)
        codes = match.game.encode_options(match.options)
        kernels.play_moves(history, match.num_players, codes, games.seed[game], moves)
        movers = np.zeros(len(moves), np.int64)
        kernels.movers(history, movers)
        own = np.flatnonzero(games.seating[game][movers] == agent)[: SPEED_SAMPLE - found]
        faced[found : found + len(own)] = history[own]
        found += len(own)
        if found == SPEED_SAMPLE:
            break
    if not found:
        return float("nan")
    actions = np.zeros(found, np.int64)
    generator = np.ones(1, np.uint64)
    bits = np.zeros(match.game.num_words, np.uint64)
    kernels.policy_actions(faced[:1], made.policy.kind, made.policy.weights, generator, bits, actions)
    rounds, started = 0, time.perf_counter()
    while time.perf_counter() - started < SPEED_SECONDS:
        kernels.policy_actions(faced[:found], made.policy.kind, made.policy.weights, generator, bits, actions)
        rounds += 1
    return found * rounds / (time.perf_counter() - started)
