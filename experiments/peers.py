"""The games beside those of other libraries: same machine, same run, same loops, random legal play.

A peer that is not installed is named and left out; INSTALL installs all. For each task there is our
way of doing it and theirs, on games of theirs that are near in length and kind: chance, hidden cards,
more than two players where they have them.
"""

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import version
from statistics import median
from typing import Any

import numpy as np
from rich import box
from rich.table import Table

from experiments import measures
from experiments.measures import Measure
from tabletop.aec import GameEnv
from tabletop.game import Game

OURS = "nile"
CLASSIC = "PettingZoo"
INSTALL = "pip install -c constraints.txt -e '.[peers]'"
ROUNDS = 3
PLACES = 4096

STATES = "One game from Python in OpenSpiel's interface: legal_actions, apply_action"
RECORDS = "One game from Python: legal actions, one move, in our case by records and kernels"
LOOP = "Environment loop: observation, legal actions, one move"
BATCH = f"Batch of {PLACES:,} games: one move, observation, mask, new games"
CLONE = "Copies of a game in progress, from Python"
DEEP_COPY = "Deep copies of an environment with all that belongs to it"
SEARCH = "Search of the first move with random rollouts: simulated decisions"
NOTES = {
    STATES: "OpenSpiel asks for chance outcomes one by one; they do not count as decisions.",
    RECORDS: "OpenSpiel's loop is that of the table above.",
    LOOP: "PettingZoo and ours: the documented AEC loop; RLCard: step, which returns state and legal actions.",
    BATCH: "Picking the moves is not timed. pgx on CPU, with its own auto_reset.",
    DEEP_COPY: "To go back to a position, ours have get_state and set_state as well.",
    SEARCH: f"{measures.SIMULATIONS:,} simulations a move, one rollout each; ours draws hidden and future "
    "chance anew for each, as ISMCTS does, while MCTS sees all. Decisions a simulation: those of a random game.",
}


@dataclass(frozen=True)
class Contender:
    """One library playing one game in one way."""

    task: str
    library: str
    game: str
    players: int
    prepare: Callable[[], Measure]


@dataclass(frozen=True)
class Figure:
    """What a contender reached."""

    task: str
    library: str
    game: str
    players: int
    length: float | None  # decisions a game, or a simulation
    best: float  # work a second
    median: float
    first_call: float  # seconds until the first result, compiling included


@dataclass(frozen=True)
class Comparison:
    """All figures, and the peers that could not be measured."""

    figures: list[Figure] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)  # the reason for each
    versions: dict[str, str] = field(default_factory=dict)

    def ours(self, task: str) -> list[Figure]:
        """Return our own figures of a task."""
        return [figure for figure in self.figures if (figure.task, figure.library) == (task, OURS)]

    def results(self) -> dict[str, Any]:
        """Return all as JSON takes it."""
        return {
            "peers": [asdict(figure) for figure in self.figures],
            "peer_versions": self.versions,
            "absent_peers": self.absent,
        }


@dataclass(frozen=True)
class Peer:
    """Another library."""

    name: str
    distributions: tuple[str, ...]  # whose versions matter
    contenders: Callable[[], list[Contender]]  # ImportError: it is not installed


def our_contenders(games: Sequence[Game], players: int) -> list[Contender]:
    """Return our own ways to play, which peers are compared with."""
    tasks: list[tuple[str, Callable[[Game, int], Measure]]] = [
        (STATES, measures.spiel_view),
        (RECORDS, measures.records),
        (LOOP, measures.aec_loop),
        (BATCH, partial(measures.batch, places=PLACES)),
        (CLONE, measures.record_copies),
        (DEEP_COPY, lambda game, players: measures.env_copies(GameEnv(game, num_players=players))),
        (SEARCH, our_search),
    ]
    return [
        Contender(task, OURS, game.title, players, partial(prepare, game, players))
        for task, prepare in tasks
        for game in games
    ]


def our_search(game: Game, players: int) -> Measure:
    """Our own search, made to do what OpenSpiel's does."""
    return measures.search(game, players, measures.RANDOM_ROLLOUTS)


# OpenSpiel

SPIEL_GAMES = ("hearts", "oh_hell", "gin_rummy", "backgammon")
UCT_C = 2.0
MEMORY_MB = 1000


def openspiel_contenders() -> list[Contender]:
    """Return OpenSpiel's games: card games with hidden hands, and backgammon."""
    pyspiel = import_module("pyspiel")
    found = []
    for name in SPIEL_GAMES:
        game = pyspiel.load_game(name)
        searches = {"MCTS": _spiel_mcts}
        if game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION:
            searches["ISMCTS"] = _spiel_ismcts
        tasks: list[tuple[str, str, Callable[[], Measure]]] = [
            (STATES, "OpenSpiel", partial(measures.spiel_loop, game.new_initial_state)),
            (RECORDS, "OpenSpiel", partial(measures.spiel_loop, game.new_initial_state)),
            (CLONE, "OpenSpiel", partial(_spiel_copies, game)),
            *(
                (SEARCH, f"OpenSpiel {kind}", partial(_spiel_search, game, make_bot))
                for kind, make_bot in searches.items()
            ),
        ]
        found += [Contender(task, library, name, game.num_players(), make) for task, library, make in tasks]
    return found


def _spiel_state(game: Any, moves: int) -> Any:
    """Return a state after so many random moves and the chance that follows them."""
    state = game.new_initial_state()
    measures.spiel_moves(state, np.random.default_rng(0), moves)
    return state


def _spiel_copies(game: Any) -> Measure:
    return measures.copies(_spiel_state(game, measures.OPENING).clone)


def _spiel_search(game: Any, make_bot: Callable[[Any], Any]) -> Measure:
    """Search the first decision of a game with one of OpenSpiel's C++ bots."""
    first = _spiel_state(game, 0)
    length = measures.spiel_loop(first.clone)(0.1).length
    assert length is not None
    bot = make_bot(game)

    def decide() -> int:
        bot.step(first)
        return measures.SIMULATIONS

    return measures.simulated(decide, length)


def _spiel_mcts(game: Any) -> Any:
    pyspiel = import_module("pyspiel")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    return pyspiel.MCTSBot(
        game, evaluator, UCT_C, measures.SIMULATIONS, MEMORY_MB, solve=False, seed=0, verbose=False
    )


def _spiel_ismcts(game: Any) -> Any:
    pyspiel = import_module("pyspiel")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    return pyspiel.ISMCTSBot(0, evaluator, UCT_C, measures.SIMULATIONS)


# PettingZoo

CLASSIC_GAMES = ("tictactoe_v3", "connect_four_v3", "texas_holdem_v4")


def classic_contenders() -> list[Contender]:
    """Return PettingZoo's classic board and card games."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    modules = {name: import_module(f"pettingzoo.classic.{name}") for name in CLASSIC_GAMES}
    return [
        Contender(task, CLASSIC, name, len(module.env().possible_agents), partial(_classic, module, prepare))
        for name, module in modules.items()
        for task, prepare in ((LOOP, measures.aec), (DEEP_COPY, measures.env_copies))
    ]


def _classic(module: Any, prepare: Callable[[Any], Measure]) -> Measure:
    return prepare(module.env())


# RLCard

RLCARD_GAMES = ("no-limit-holdem", "uno", "mahjong")


def rlcard_contenders() -> list[Contender]:
    """Return RLCard's card games."""
    rlcard = import_module("rlcard")
    return [
        Contender(LOOP, "RLCard", name, env.num_players, partial(_rlcard_loop, env))
        for name in RLCARD_GAMES
        for env in [rlcard.make(name, config={"seed": 0})]
    ]


def _rlcard_loop(env: Any) -> Measure:
    """The loop over an RLCard environment, random legal moves."""
    generator = np.random.default_rng(0)

    def play(games: range) -> int:
        decisions = 0
        for _ in games:
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(generator.random() * len(legal))])
                decisions += 1
        return decisions

    return measures.repeated(play)


# pgx

PGX_GAMES = ("leduc_holdem", "sparrow_mahjong", "backgammon")


def pgx_contenders() -> list[Contender]:
    """Return pgx's batches of games with chance, on the CPU."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    pgx = import_module("pgx")
    return [
        Contender(BATCH, "pgx", name, env.num_players, partial(_pgx_batch, env))
        for name in PGX_GAMES
        for env in [pgx.make(name)]
    ]


def _pgx_batch(env: Any) -> Measure:
    """Steps of a compiled batch, random legal moves."""
    jax = import_module("jax")
    auto_reset = import_module("pgx.experimental").auto_reset
    split = jax.jit(lambda key: jax.random.split(key, PLACES + 1))
    pick = jax.jit(
        lambda mask, key: jax.random.categorical(key, jax.numpy.where(mask, 0.0, -jax.numpy.inf), axis=-1)
    )
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = split(jax.random.PRNGKey(0))
    games = jax.jit(jax.vmap(env.init))(keys[1:])

    def choose() -> tuple[Any, Any]:
        nonlocal keys
        keys = split(keys[0])
        chosen = pick(games.legal_action_mask, keys[0]), keys[1:]
        jax.block_until_ready(chosen)
        return chosen

    def carry_out(chosen: tuple[Any, Any]) -> Any:
        nonlocal games
        games = jax.block_until_ready(step(games, *chosen))
        return games.terminated

    return measures.stepped(choose, carry_out, PLACES, measures.cpu_clock)


PEERS = (
    Peer("OpenSpiel", ("open_spiel",), openspiel_contenders),
    Peer("PettingZoo classic", ("pettingzoo",), classic_contenders),
    Peer("RLCard", ("rlcard",), rlcard_contenders),
    Peer("pgx", ("pgx", "jax"), pgx_contenders),
)


def compare(games: Sequence[Game], players: int, seconds: float, peers: Sequence[Peer]) -> Comparison:
    """Measure games and peers, all contenders in turns."""
    found = Comparison()
    contenders = our_contenders(games, players)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the peers are not ours to report
        for peer in peers:
            try:
                contenders += peer.contenders()
            except ImportError as error:
                found.absent[peer.name] = str(error)
            else:
                found.versions.update({name: version(name) for name in peer.distributions})
        loops = [(f"{each.library}: {each.game}", each.prepare) for each in contenders]
        measured = measures.in_turns(loops, ROUNDS, seconds)
    for contender, result in zip(contenders, measured, strict=True):
        found.figures.append(
            Figure(
                contender.task,
                contender.library,
                contender.game,
                contender.players,
                result.samples[-1].length,
                max(result.rates),
                median(result.rates),
                result.first_call,
            )
        )
    return found


def show(found: Comparison) -> None:
    """Print a table for each task, with how many times as fast each of our games is; then what is missing."""
    console = measures.wide_console()
    for task in dict.fromkeys(figure.task for figure in found.figures):
        ours = found.ours(task)
        console.print(task, style="bold")
        shown = Table(box=box.SIMPLE_HEAD)
        for heading in ("library", "game"):
            shown.add_column(heading, no_wrap=True)
        for heading in (
            "players",
            "decisions",
            "a second",
            "first call",
            *(f"{each.game} x" for each in ours),
        ):
            shown.add_column(heading, justify="right", no_wrap=True)
        for figure in (each for each in found.figures if each.task == task):
            shown.add_row(
                figure.library,
                figure.game,
                str(figure.players),
                "" if figure.length is None else f"{figure.length:.0f}",
                f"{figure.median:,.0f}",
                f"{figure.first_call:.1f} s",
                *("" if figure in ours else f"{each.median / figure.median:.3g}" for each in ours),
            )
        console.print(shown)
        if task in NOTES:
            console.print(NOTES[task] + "\n")
    console.print(
        f"Median of {ROUNDS} rounds, one core (CPU time), random legal play. decisions: in a game, or in a simulation. "
        "first call: until the first result, compiling included; no part of the figures. "
        "x: how many times as fast our game is."
    )
    for line in aec_summary(found):
        console.print(line)
    for name, version_found in found.versions.items():
        console.print(f"{name} {version_found}")
    for name, reason in found.absent.items():
        console.print(f"{name} was not measured: {reason}; install with: {INSTALL}", markup=False)


def aec_summary(found: Comparison) -> list[str]:
    """Say how our AEC loop stands to the fastest of PettingZoo's classic games; nothing if there are none."""
    classic = [figure for figure in found.figures if (figure.task, figure.library) == (LOOP, CLASSIC)]
    if not classic:
        return []
    fastest = max(classic, key=lambda figure: figure.median)
    return [
        f"AEC loop: {ours.game} is {ours.median / fastest.median:.1f} times as fast as {fastest.game}, "
        "the fastest of PettingZoo classic"
        for ours in found.ours(LOOP)
    ]
