"""Timed loops over a game, one for each way to play it; `benchmark` and `peers` tabulate what they find.

Each function prepares a loop and returns a `Measure`, which goes on with it for about so many
seconds. Seconds are CPU time of the process, so that what else the machine does counts as little as
it can, and threads that a library starts by itself are charged for; where we use threads they are
wall time.
"""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console

from agents.mcts import MctsAgent
from agents.registry import make_agent
from agents.seats import SeatEnv, SeatVectorEnv
from experiments.tournament import progress_bar
from tabletop import kernels, spiel, verbs
from tabletop.aec import GameEnv
from tabletop.game import Game, copy_records
from tabletop.vector import GameBatch
from tabletop.view import View

OPENING = 10  # moves into a game from which clones are taken
COMPILED_CLONES = 1024
SIMULATIONS = 1000  # of a search
RANDOM_ROLLOUTS = "mcts:rollout=random,prior=none"

WIDTH = 120  # of the tables; less would cut figures off

Clock = Callable[[], float]
cpu_clock: Clock = time.process_time
wall_clock: Clock = time.perf_counter


class Sample(NamedTuple):
    """What a loop did."""

    work: float  # decisions, unless the loop says otherwise
    seconds: float
    length: float | None = None  # decisions a game, or a simulation; None: not known

    @property
    def rate(self) -> float:
        """Work a second."""
        return self.work / self.seconds

    @property
    def games_rate(self) -> float:
        """Games, or simulations, a second; 0 if their length is not known."""
        return self.rate / self.length if self.length else 0.0


Measure = Callable[[float], Sample]


@dataclass(frozen=True)
class Measured:
    """What was found out about a loop."""

    first_call: float  # seconds until the first result, compiling included; none of the samples has it
    samples: list[Sample]  # one a round

    @property
    def rates(self) -> list[float]:
        """Work a second in each round."""
        return [sample.rate for sample in self.samples]


def wide_console() -> Console:
    """Return a console for tables of figures, also where there is no terminal."""
    console = Console()
    console.width = max(console.width, WIDTH)
    return console


def in_turns(
    loops: Sequence[tuple[str, Callable[[], Measure]]], rounds: int, seconds: float
) -> list[Measured]:
    """Measure loops round by round, so that a slow minute strikes them all.

    Args:
        loops: a name to show meanwhile, and what prepares the loop.
        rounds: how many samples are taken of each.
        seconds: about how long each lasts.
    """
    ready, found = [], []
    with progress_bar(auto_refresh=False) as progress:
        task = progress.add_task("", total=(1 + rounds) * len(loops))
        for name, prepare in loops:
            progress.update(task, description=f"first call: {name}", refresh=True)
            started = time.perf_counter()
            loop = prepare()
            loop(0)
            ready.append(loop)
            found.append(Measured(time.perf_counter() - started, []))
            progress.advance(task)
        for _ in range(rounds):
            for (name, _), loop, measured in zip(loops, ready, found, strict=True):
                progress.update(task, description=name, refresh=True)
                measured.samples.append(loop(seconds))
                progress.advance(task)
    return found


def repeated(play: Callable[[range], int], is_length: bool = True) -> Measure:
    """Return a measure of a function that plays games of these numbers and returns the work it did.

    Args:
        play: called with more and more games at a time, up to the time that is left.
        is_length: the work of a game is its number of decisions.
    """

    def measure(seconds: float) -> Sample:
        games, work, taken = 0, 0, 0.0
        ahead = 1
        started = cpu_clock()
        while ahead:
            work += play(range(games, games + ahead))
            games += ahead
            taken = max(cpu_clock() - started, 1e-9)
            ahead = min(games, int(np.ceil((seconds - taken) / taken * games))) if taken < seconds else 0
        return Sample(work, taken, work / games if is_length else None)

    return measure


class FirstGames:
    """The lengths of the first games in all places of a batch."""

    def __init__(self, places: int) -> None:
        self._lengths = np.zeros(places, np.int64)
        self._steps = 0

    def saw(self, done: npt.ArrayLike) -> None:
        """Count a step that ended the games that are `done`."""
        self._steps += 1
        self._lengths[np.asarray(done) & (self._lengths == 0)] = self._steps

    @property
    def mean(self) -> float | None:
        """Their mean length; None while some go on."""
        return float(self._lengths.mean()) if self._lengths.all() else None


def stepped(
    choose: Callable[[], Any], step: Callable[[Any], npt.ArrayLike], places: int, clock: Clock
) -> Measure:
    """Return a measure of the steps of a batch; choosing actions is not timed.

    Args:
        choose: returns an action for each place.
        step: carries them out and returns which games ended.
        places: how many games are played side by side.
        clock: what tells the time.
    """
    first = FirstGames(places)

    def measure(seconds: float) -> Sample:
        steps, taken = 0, 0.0
        began = clock()
        while steps == 0 or clock() - began < seconds:
            actions = choose()
            started = clock()
            done = step(actions)
            taken += clock() - started
            steps += 1
            first.saw(done)
        return Sample(steps * places, taken, first.mean)

    return measure


def playouts(game: Game, players: int) -> Measure:
    """Whole games of random legal moves in compiled code."""
    codes = game.encode_options(game.resolve_options())
    states, bits = game.new_states(1), np.zeros(game.num_words, np.uint64)
    generator = np.ones(1, np.uint64)

    def play(seeds: range) -> int:
        return kernels.random_playouts(states, players, codes, np.array(seeds, np.uint64), generator, bits)

    return repeated(play)


def batch(game: Game, players: int, places: int, threads: int = 1) -> Measure:
    """A `GameBatch` of random legal moves: apply, deal anew, observation, mask; with threads by wall time."""
    games = GameBatch(game, places, players, threads=threads)
    games.reset(seed=0)
    generator = np.ones(1, np.uint64)
    return stepped(
        lambda: games.random_actions(generator),
        lambda actions: games.step(actions).done,
        places,
        cpu_clock if threads == 1 else wall_clock,
    )


def learners(game: Game, players: int, places: int, policy: str) -> Measure:
    """A `SeatVectorEnv` against compiled opponents (see `opponents`); work is the learner's decisions.

    The learner plays "random", or "greedy" like its opponents: a random one soon has nothing left to
    decide with, while its opponents play on.
    """
    env = SeatVectorEnv(game, places, players, opponents=opponents(game), copy=False)
    env.reset(seed=0)
    states, masks = env.games.arrays.states, env.games.batch.masks
    actions = np.zeros(places, np.int64)
    generator, bits = np.ones(1, np.uint64), np.zeros(game.num_words, np.uint64)
    weights = np.zeros(0) if game.weights is None else game.weights.tuned(players)

    def choose() -> npt.NDArray[np.int64]:
        if policy == "greedy":
            kernels.policy_actions(states, kernels.GREEDY, weights, generator, bits, actions)
        else:
            kernels.random_actions(masks, actions, generator)
        return actions

    def step(actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        _, _, terminations, truncations, _ = env.step(actions)
        return terminations | truncations

    return stepped(choose, step, places, cpu_clock)


def opponents(game: Game) -> str:
    """Return the strongest compiled agent of a game: greedy, or random if it has no valuation."""
    return "random" if game.weights is None else "greedy"


def learner(game: Game, players: int) -> Measure:
    """A `SeatEnv` against compiled opponents, random legal moves; work is the learner's decisions."""
    env = SeatEnv(game, players, opponents=opponents(game))
    generator = np.random.default_rng(0)

    def play(seeds: range) -> int:
        decisions = 0
        for seed in seeds:
            env.reset(seed=seed)
            over = False
            while not over:
                legal = env.action_masks().nonzero()[0]
                _, _, terminated, truncated, _ = env.step(legal[int(generator.random() * len(legal))])
                over = terminated or truncated
                decisions += 1
        return decisions

    return repeated(play)


def aec(env: Any) -> Measure:
    """The documented loop over a PettingZoo AEC environment, random legal moves."""
    generator = np.random.default_rng(0)

    def play(seeds: range) -> int:
        decisions = 0
        for seed in seeds:
            env.reset(seed=seed)
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(generator.random() * len(legal))])
                decisions += 1
        return decisions

    return repeated(play)


def aec_loop(game: Game, players: int) -> Measure:
    """The AEC environment of a game."""
    return aec(GameEnv(game, num_players=players))


def records(game: Game, players: int) -> Measure:
    """One game after the other in its record, from Python: legal actions, one move, whose turn it is."""
    codes = game.encode_options(game.resolve_options())
    states = game.new_states(1)
    actions, status = np.zeros(game.num_actions, np.int64), np.zeros(kernels.STATUS_SIZE, np.int64)
    bits = np.zeros(game.num_words, np.uint64)
    generator = np.random.default_rng(0)

    def play(seeds: range) -> int:
        decisions = 0
        for seed in seeds:
            kernels.start_games(states, players, codes, np.array([seed], np.uint64))
            while True:
                number = kernels.list_legal(states, actions, bits)
                if number == 0:
                    break
                kernels.try_action(states, int(actions[int(generator.random() * number)]), bits, status)
                decisions += 1
        return decisions

    return repeated(play)


def spiel_loop(new_state: Callable[[], Any]) -> Measure:
    """Whole games in OpenSpiel's interface: legal actions, one move; chance events do not count as work."""
    generator = np.random.default_rng(0)

    def play(seeds: range) -> int:
        return sum(spiel_moves(new_state(), generator) for _ in seeds)

    return repeated(play)


def spiel_moves(state: Any, generator: np.random.Generator, most: float = np.inf) -> int:
    """Make up to so many random moves in OpenSpiel's interface, meet the chance that follows; return how many."""
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(_drawn(state.chance_outcomes(), generator.random()))
        elif decisions >= most:
            break
        else:
            legal = state.legal_actions()
            state.apply_action(legal[int(generator.random() * len(legal))])
            decisions += 1
    return decisions


def _drawn(outcomes: Sequence[tuple[int, float]], draw: float) -> int:
    """Return the outcome at a point between 0 and 1 of the chances added up."""
    for outcome, chance in outcomes:
        draw -= chance
        if draw < 0:
            return outcome
    return outcomes[-1][0]


def spiel_view(game: Game, players: int) -> Measure:
    """A game as `tabletop.spiel` shows it."""
    return spiel_loop(spiel.SpielGame(game, players, seed=0).new_initial_state)


def copies(clone: Callable[[], Any]) -> Measure:
    """A function that copies a game; work is the copies."""

    def play(numbers: range) -> int:
        for _ in numbers:
            clone()
        return len(numbers)

    return repeated(play, is_length=False)


def record_copies(game: Game, players: int) -> Measure:
    """Copies of a game's record from Python, all there is of a game; work is the copies."""
    states = _opened(game, players)
    return copies(lambda: copy_records(states))


def env_copies(env: Any) -> Measure:
    """Deep copies of an environment that has been reset; work is the copies."""
    env.reset()
    return copies(lambda: copy.deepcopy(env))


def compiled_copies(game: Game, players: int) -> Measure:
    """Copies of a game's record in compiled code; work is the copies."""
    states = np.resize(_opened(game, players), COMPILED_CLONES)

    def play(numbers: range) -> int:
        kernels.copy_game(states, len(numbers))
        return len(numbers)

    return repeated(play, is_length=False)


def searches(game: Game) -> dict[str, str]:
    """Return the ways of searching that are measured by what they are: agents with their options."""
    found = {"random rollouts to the end": RANDOM_ROLLOUTS}
    if verbs.has(game.state_dtype, "evaluate"):
        found["estimate at the leaf"] = "mcts:rollout=none,prior=none"
        if verbs.has(game.state_dtype, "prior"):
            found["prior and estimate"] = "mcts:rollout=none,prior=heuristic"
    return found


def search(game: Game, players: int, spec: str) -> Measure:
    """Searches of a game's first move by an mcts agent; see `simulated`."""
    length = playouts(game, players)(0.1).length or 0.0
    states = _opened(game, players, 0)
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    kernels.status_of(states, status)
    seat = int(status[kernels.PLAYER])
    agent = make_agent(f"{spec},simulations={SIMULATIONS}", game, players)
    assert isinstance(agent, MctsAgent)
    view = View(game, states, seat, 0)
    return simulated(lambda: int(agent.look(view).visits.sum()), length)


def simulated(decide: Callable[[], int], length: float) -> Measure:
    """A function that searches a move and returns its simulations; work is the simulated decisions.

    A simulation that plays to the end counts `length`, the decisions of a random game from there.
    """
    simulations = repeated(lambda times: sum(decide() for _ in times), is_length=False)

    def measure(seconds: float) -> Sample:
        made = simulations(seconds)
        return Sample(made.work * length, made.seconds, length)

    return measure


def _opened(game: Game, players: int, moves: int = OPENING) -> npt.NDArray[Any]:
    """Return the record of a game after so many random moves, in an array of one."""
    states = game.new_states(1)
    codes = game.encode_options(game.resolve_options())
    kernels.start_games(states, players, codes, np.zeros(1, np.uint64))
    actions, bits = np.zeros(game.num_actions, np.int64), np.zeros(game.num_words, np.uint64)
    generator = np.random.default_rng(0)
    for _ in range(moves):
        number = kernels.list_legal(states, actions, bits)
        if number > 0:
            kernels.apply_game(states, int(actions[int(generator.random() * number)]))
    return states
