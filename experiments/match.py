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
from tabletop import batch_kernels, kernels
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
    batched = all(agent.policy is not None or agent.batched for agent in table)
    if deals_per_chunk is None:
        deals_per_chunk = max(1, (256 if batched else 1) // len(match.seatings))
    chunks = [
        range(first, min(first + deals_per_chunk, len(match.deals)))
        for first in range(0, len(match.deals), deals_per_chunk)
    ]
    play: Callable[[range], Games]
    if compiled:
        play = CompiledPlayer(match, table)
    elif batched:
        play = BatchPlayer(match)
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


def blank_games(match: Match, deals: range) -> Games:
    """Return what is known of the games of some deals before they are played."""
    seating = np.tile(match.seatings, (len(deals), 1))
    deal = np.repeat(np.array(deals, dtype=np.int64), len(match.seatings))
    return Games(
        deal=deal,
        seed=match.deals[deal],
        seating=seating,
        scores=np.zeros(seating.shape, np.int64),
        returns=np.zeros(seating.shape, np.float64),
        moves=[],
        decisions=np.zeros(len(match.specs), np.int64),
        seconds=np.zeros(len(match.specs), np.float64),
    )


def names_of(game: Game, mask: npt.NDArray[np.int8]) -> str:
    """Return the names of the actions of a mask."""
    return ", ".join(game.action_names[action] for action in np.flatnonzero(mask))


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


class BatchPlayer:
    """Plays games side by side, for agents that are compiled or decide many games at once."""

    def __init__(self, match: Match) -> None:
        self.match = match

    def __call__(self, deals: range) -> Games:
        """Play all seatings of some deals."""
        match, game, seats = self.match, self.match.game, self.match.num_players
        table = [make_agent(spec, game, seats) for spec in match.specs]
        games = blank_games(match, deals)
        number = len(games.deal)
        streams = np.concatenate([policy_seeds(match, deal) for deal in deals])
        states: States = game.new_states(number)
        kernels.start_games(states, seats, game.encode_options(match.options), games.seed)
        observations = np.zeros((number, game.layout.size), np.float32)
        masks = np.zeros((number, game.num_actions), np.int8)
        players, actions = np.zeros((2, number), np.int64)
        over = np.zeros(number, bool)
        bits = np.zeros(game.num_words, np.uint64)
        moves: list[list[int]] = [[] for _ in range(number)]
        batch_kernels.look_at_games(states, observations, masks, players, over, bits)
        while len(live := np.flatnonzero(~over)):
            movers = games.seating[live, players[live]]
            for index in np.unique(movers):
                rows = live[movers == index]
                started = time.perf_counter()
                if table[index].policy is None:
                    found = self._ask(table[index], states, rows, players[rows], observations, masks, streams)
                    games.seconds[index] += time.perf_counter() - started
                else:
                    found = self._reckon(table[index], states, rows, players[rows], streams, bits)
                games.decisions[index] += len(rows)
                self._check(found, masks[rows], match.specs[index])
                actions[rows] = found
            for row, action in zip(live.tolist(), actions[live].tolist(), strict=True):
                moves[row].append(action)
            batch_kernels.step_games(states, actions, observations, masks, players, over, bits)
        for row in range(number):
            kernels.results_of(states[row : row + 1], games.scores[row], games.returns[row])
        games.moves += [np.array(played, dtype=np.int16) for played in moves]
        return games

    def _ask(
        self,
        agent: Agent,
        states: States,
        rows: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Return the actions of an agent that decides many games at once."""
        words = np.zeros((2, len(rows)), np.uint64)
        own = streams[rows, players]
        for seeds in words:
            batch_kernels.draw_words(states, own, seeds)
        streams[rows, players] = own
        seen = observations[rows]
        if agent.describer is not None:
            seen = np.concatenate([seen, agent.describer(states, rows, players, words[1])], axis=1)
        return np.asarray(agent.act_batch(seen, masks[rows], words[0]))

    def _reckon(
        self,
        agent: Agent,
        states: States,
        rows: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        streams: npt.NDArray[np.uint64],
        bits: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """Return the actions of a compiled agent, each from the generator of its seat."""
        assert agent.policy is not None
        kind, weights = agent.policy.kind, agent.policy.weights
        actions = np.zeros(len(rows), np.int64)
        batch_kernels.ask_policy(states, rows, players, streams, kind, weights, bits, actions)
        return actions

    def _check(self, actions: npt.NDArray[np.int64], masks: npt.NDArray[np.int8], spec: str) -> None:
        """Raise IllegalAgentError if an action is not legal."""
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & (masks[np.arange(len(masks)), np.where(inside, actions, 0)] != 0)
        if not legal.all():
            wrong = int(np.argmin(legal))
            raise IllegalAgentError(
                f"agent {spec} played {actions[wrong]}; legal: {names_of(self.match.game, masks[wrong])}"
            )


class ViewPlayer:
    """Plays games move by move with agents that see views; each thread has agents of its own."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._local = threading.local()

    def __call__(self, deals: range) -> Games:
        """Play all seatings of some deals."""
        match = self.match
        games = blank_games(match, deals)
        seeds = np.concatenate([policy_seeds(match, deal) for deal in deals])
        for row in range(len(games.deal)):
            self._play_game(games, row, seeds[row])
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
                raise IllegalAgentError(
                    f"agent {match.specs[index]} played {action}; legal: {names_of(game, mask)}"
                )
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
