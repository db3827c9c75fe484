"""The search agent: information-set Monte Carlo tree search in compiled code, see `agents.search`."""

import time
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from agents import network as networks
from agents import search
from agents.base import Agent
from agents.network import Network
from agents.ppo import stem_of
from agents.registry import AgentError
from agents.tree import Settings, Tree
from tabletop import rng, verbs
from tabletop.game import Game, GameError
from tabletop.kinds import States
from tabletop.view import View

DEFAULT_SIMULATIONS = 1000
SETTLED = "6"  # moves that settle what a leaf left open, an auction above all
MOST_NODES = 2**18  # of one tree
FIRST_CHUNK = 16  # simulations before the clock is read
SECONDS_PER_CHUNK = 0.005
UNLIMITED = 2**62
Z_95 = 1.959964
LONGEST_LINE = 8
WORLDS_OF_A_LINE = 64
ANY_SEED = 0
C_UCT = 0.5
C_PUCT = 1.0

SHARING = {"mover": search.MOVER, "observer": search.OBSERVER, "open": search.OPEN}
ROLLOUTS = {
    "none": search.NO_ROLLOUT,
    "random": search.RANDOM,
    "playout": search.PLAYOUT,
    "greedy": search.GREEDY,
}
PRIORS = ("none", "heuristic", "ppo")
VALUES = ("estimate", "ppo")
HORIZONS = {"game": search.GAME_END, "stage": search.STAGE_END}
FINALS = ("visits", "value")


@dataclass
class RootStatistics:
    """What a search found out about each action at the root."""

    visits: npt.NDArray[np.int64]  # [action]
    totals: npt.NDArray[np.float64]  # [action, seat] sum of the results of the visits
    squares: npt.NDArray[np.float64]  # [action] sum of the searcher's results squared
    priors: npt.NDArray[np.float64]  # [action]; 1 without a prior
    observer: int  # the seat that searched

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The searcher's mean result of each action, float64[action]; -inf for those not visited."""
        means = np.full(len(self.visits), -np.inf)
        np.divide(self.totals[:, self.observer], self.visits, out=means, where=self.visits > 0)
        return means

    @property
    def half_widths(self) -> npt.NDArray[np.float64]:
        """Half the width of the 95% interval of each value, float64[action]; inf below two visits.

        That of a mean of independent results: how far chance may have moved it, not what a deeper
        search would still find out.
        """
        widths = np.full(len(self.visits), np.inf)
        more = self.visits > 1
        visits = self.visits[more]
        variances = self.squares[more] / visits - self.values[more] ** 2
        widths[more] = Z_95 * np.sqrt(np.maximum(variances, 0.0) / (visits - 1))
        return widths


class Search:
    """Trees, one a thread, that are grown from one position at a time; their roots are added up.

    The same seed, number of threads and number of simulations give the same statistics.

    Args:
        game: the game.
        num_players: how many play it.
        settings: how to search.
        simulations: the most that one search will make, in all threads together; None: any number.
        threads: how many trees are grown at the same time.
        network: what the settings ask for, if they ask for one.
    """

    def __init__(
        self,
        game: Game,
        num_players: int,
        settings: Settings,
        simulations: int | None = None,
        threads: int = 1,
        network: Network | None = None,
    ) -> None:
        self._game = game
        self._num_players = num_players
        nodes = MOST_NODES if simulations is None else min(MOST_NODES, -(-simulations // threads) + 1)
        self.trees = [Tree(game, num_players, settings, nodes, network) for _ in range(threads)]
        self.states = [game.new_states(2) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def seed(self, seed: int) -> None:
        """Start all generators from one seed, 0 to 2**64 - 1."""
        words = np.zeros(2 * len(self.trees), np.uint64)
        rng.seed_streams(words, np.uint64(seed))
        for number, tree in enumerate(self.trees):
            tree.work["worlds"], tree.work["choices"] = words[2 * number : 2 * number + 2]

    def run(
        self, world: States, observer: int, simulations: int | None = None, seconds: float | None = None
    ) -> RootStatistics:
        """Search a position until so many simulations or seconds are spent, whichever comes first.

        Args:
            world: one record that fits all the observer knows; it is left as it is.
            observer: the seat that searches, which is to move and has a choice.
            simulations: how many at most; None: as many as there is time for.
            seconds: how long at most; None: as long as it takes.
        """
        deadline = np.inf if seconds is None else time.perf_counter() + seconds
        threads = len(self.trees)
        self._observer = observer
        budgets = [
            UNLIMITED if simulations is None else (simulations + threads - 1 - number) // threads
            for number in range(threads)
        ]
        if self._pool is None:
            self._grow(0, world, observer, budgets[0], deadline)
        else:
            jobs = [
                self._pool.submit(self._grow, number, world, observer, budgets[number], deadline)
                for number in range(threads)
            ]
            for job in jobs:
                job.result()
        return self._statistics(observer)

    def line(self, action: int) -> list[tuple[int, int]]:
        """Return who makes which moves, (seat, action), after an action at the root of the last search.

        By most visits of the first tree, in the world where most simulations went that way.
        """
        states, tree = self.states[0], self.trees[0]
        moves, movers, visits = np.zeros((3, LONGEST_LINE), np.int64)
        best: tuple[int, list[tuple[int, int]]] = (-1, [])
        for seed in range(WORLDS_OF_A_LINE):
            length = search.follow_line(
                states,
                self._observer,
                action,
                np.uint64(seed),
                tree.nodes,
                tree.edges,
                tree.slots,
                tree.work,
                moves,
                movers,
                visits,
            )
            travelled = int(visits[:length].sum())
            if travelled > best[0]:
                best = travelled, list(zip(movers[:length].tolist(), moves[:length].tolist(), strict=True))
        return best[1]

    def _grow(self, number: int, world: States, observer: int, budget: int, deadline: float) -> None:
        """Grow one tree anew until its simulations or the time are spent."""
        states, tree = self.states[number], self.trees[number]
        states[search.ROOT_WORLD] = world[0]
        search.begin_search(states, observer, tree.nodes, tree.slots, tree.work)
        chunk = FIRST_CHUNK
        while budget > 0:
            made = min(budget, chunk)
            started = time.perf_counter()
            memory = tree.nodes, tree.edges, tree.slots, tree.work
            if tree.net is None:
                search.run_simulations(states, observer, made, *memory)
            else:
                search.run_guided(states, observer, made, *memory, tree.net)
            budget -= made
            now = time.perf_counter()
            spare = min(SECONDS_PER_CHUNK, deadline - now)
            if spare <= 0:
                break
            chunk = max(1, int(made / (now - started) * spare))

    def _statistics(self, observer: int) -> RootStatistics:
        actions, seats = self._game.num_actions, self._num_players
        found = RootStatistics(
            np.zeros(actions, np.int64),
            np.zeros((actions, seats)),
            np.zeros(actions),
            np.zeros(actions),
            observer,
        )
        for states, tree in zip(self.states, self.trees, strict=True):
            search.read_root(
                states,
                tree.nodes,
                tree.edges,
                tree.work,
                found.visits,
                found.totals,
                found.squares,
                found.priors,
            )
        return found


class MctsAgent(Agent):
    """Searches every decision with information-set Monte Carlo tree search (see `agents.search`)."""

    OPTION_HELP: ClassVar[dict[str, str]] = {
        "simulations": f"of one decision, all threads together; {DEFAULT_SIMULATIONS} if no time is given",
        "seconds": "of one decision; with simulations too: whichever are spent first",
        "sharing": "which positions share a node, those alike to the mover, to the observer, or all reached by "
        "the same moves (open); mover if the game tells what a player sees, else open",
        "c": f"weight of exploration; {C_PUCT:g} with a prior, else {C_UCT:g}",
        "prior": "heuristic: PUCT with the game's prior, the default if it has one; ppo: with a network's policy; "
        "none: UCT",
        "value": "of a leaf, where the game is not over: estimate, the game's own, the default; ppo: a network's",
        "blend": "the part of the game's estimate in a network's value, 0 to 1; 0",
        "network": "a run of `nile train`, or a network's files without their endings, in place of those that come "
        "with the game",
        "widen": "a node met n times considers the likeliest widen * sqrt(n) moves; 0: all",
        "rollout": "who plays on from a leaf: greedy, the default of a game with a valuation and an estimate of "
        "results; none: the value at the leaf, the default with value=ppo; playout, the default without an "
        "estimate; random",
        "horizon": f"where a rollout ends and the value is taken: game, stage, or a number of moves; {SETTLED} "
        "with rollout=greedy and an estimate, else game",
        "paranoid": "the others are thought to move against the searcher instead of for themselves",
        "final": "the move that is played: that of most visits or of best value",
        "threads": "trees grown at the same time and added up; the result depends on their number",
    }

    NAME: ClassVar[str] = "mcts"
    DEFAULTS: ClassVar[Mapping[str, Any]] = {}  # of options that are not given

    def __init__(
        self,
        game: Game,
        num_players: int,
        simulations: int | None = None,
        seconds: float | None = None,
        sharing: str | None = None,
        c: float | None = None,
        prior: str | None = None,
        value: str | None = None,
        blend: float | None = None,
        network: Path | None = None,
        widen: float = 0.0,
        rollout: str | None = None,
        horizon: str | None = None,
        paranoid: bool = False,
        final: str = "visits",
        threads: int = 1,
    ) -> None:
        super().__init__(game, num_players)
        if simulations is None and seconds is None:
            simulations = DEFAULT_SIMULATIONS
        for name, number, least in (
            ("simulations", simulations, 1),
            ("threads", threads, 1),
            ("widen", widen, 0),
        ):
            if number is not None and not least <= number < np.inf:
                bound = f"at least {least}" if number < np.inf else "finite"
                raise AgentError(f"agent {self.NAME}: {name} must be {bound}, not {number}")
        for name, amount in (("seconds", seconds), ("c", c)):
            if amount is not None and not 0 < amount < np.inf:
                raise AgentError(f"agent {self.NAME}: {name} must be above 0, not {amount:g}")
        self.simulations, self.seconds = simulations, seconds
        try:
            self.final = _choice("final", final, FINALS)
            settings = choose_settings(
                game,
                sharing,
                self._or_default("c", c),
                self._or_default("prior", prior),
                self._or_default("value", value),
                self._or_default("blend", blend),
                widen,
                self._or_default("rollout", rollout),
                self._or_default("horizon", horizon),
                paranoid,
            )
            net = choose_network(game, settings, network)
        except AgentError as error:
            raise AgentError(f"agent {self.NAME}: {error}") from None
        self.uses_prior = settings.use_prior
        self.search = Search(game, num_players, settings, simulations, threads, net)
        self.search.seed(ANY_SEED)

    def _or_default(self, option: str, value: Any) -> Any:
        """Return the value of an option, or the agent's own default if it is not given."""
        return self.DEFAULTS.get(option) if value is None else value

    def begin_game(self, seat: int, seed: int) -> None:
        """Start the search's generators."""
        super().begin_game(seat, seed)
        self.search.seed(seed)

    def act(self, view: View) -> int:
        """Return the best move of a search; at once if there is but one."""
        legal = view.legal_actions()
        if len(legal) == 1:
            return legal[0]
        return self.best(self.look(view))

    def preferences(self, view: View) -> npt.NDArray[np.float64]:
        """Return the share of a search's visits that each action got, float64[num_actions]."""
        if len(view.legal_actions()) == 1:
            return super().preferences(view)
        visits = self.look(view).visits.astype(np.float64)
        visits /= visits.sum()
        return visits

    def look(self, view: View) -> RootStatistics:
        """Search the position of a view, whose player has more than one legal action."""
        return self.search.run(view.sample_state(ANY_SEED), view.player, self.simulations, self.seconds)

    def best(self, found: RootStatistics) -> int:
        """Return the action that `final` prefers; the other measure decides between equal ones."""
        measures = (found.visits, found.values)
        return int(np.lexsort(measures if self.final == "value" else measures[::-1])[-1])


def choose_settings(
    game: Game,
    sharing: str | None,
    c: float | None,
    prior: str | None,
    value: str | None,
    blend: float | None,
    widen: float,
    rollout: str | None,
    horizon: str | None,
    paranoid: bool,
) -> Settings:
    """Return the settings that the agent's options ask for, each None being what fits the game.

    Raises:
        AgentError: an option has a value that is not valid, or asks for what the game does not have.
    """

    def has(verb: str) -> bool:
        return verbs.has(game.state_dtype, verb)

    if sharing is None:
        sharing = "mover" if has("information_key") else "open"
    if prior is None:
        prior = "heuristic" if has("prior") else "none"
    network_value = value is not None and _choice("value", value, VALUES) == "ppo"
    if rollout is None:
        rollout = default_rollout(game, network_value)
    if horizon is None:
        horizon = SETTLED if rollout == "greedy" and (network_value or has("evaluate")) else "game"
    if horizon.isdecimal():
        end = min(int(horizon), game.max_moves)
    else:
        end = HORIZONS[_choice("horizon", horizon, HORIZONS, "a number of moves")]
    if blend is None:
        blend = 0.0
    elif not network_value:
        raise AgentError("blend is part of value=ppo")
    elif not 0 <= blend <= 1:
        raise AgentError(f"blend must be from 0 to 1, not {blend:g}")
    settings = Settings(
        sharing=SHARING[_choice("sharing", sharing, SHARING)],
        exploration=c if c is not None else C_UCT if prior == "none" else C_PUCT,
        use_prior=_choice("prior", prior, PRIORS) != "none",
        network_prior=prior == "ppo",
        network_value=network_value,
        blend=blend,
        widening=widen,
        rollout=ROLLOUTS[_choice("rollout", rollout, ROLLOUTS)],
        horizon=end,
        paranoid=paranoid,
    )
    estimates = not network_value and (rollout == "none" or horizon != "game")
    for option, verb, needed in (
        (f"sharing={sharing}", "information_key", settings.sharing != search.OPEN),
        ("prior=heuristic", "prior", prior == "heuristic"),
        ("rollout=playout", "playout_action", settings.rollout == search.PLAYOUT),
        ("rollout=greedy", "greedy_action", settings.rollout == search.GREEDY),
        (f"rollout={rollout}" if rollout == "none" else f"horizon={horizon}", "evaluate", estimates),
        (f"blend={blend:g}", "evaluate", blend > 0),
        ("horizon=stage", "stage", settings.horizon == search.STAGE_END),
    ):
        if needed and not has(verb):
            raise AgentError(f"{game.name} has no {verb}, which {option} needs")
    return settings


def default_rollout(game: Game, network_value: bool) -> str:
    """Return who plays on from a leaf if nothing is said about it."""
    if network_value:
        return "none"
    if verbs.has(game.state_dtype, "evaluate"):
        return "greedy" if verbs.has(game.state_dtype, "greedy_action") else "none"
    return "playout" if verbs.has(game.state_dtype, "playout_action") else "random"


def choose_network(game: Game, settings: Settings, path: Path | None) -> Network | None:
    """Return the network that the settings ask for, from a path or as it comes with the game; None if none.

    Raises:
        AgentError: there is none, it has no value and one is asked for, or nothing asks for it.
    """
    if not settings.network_prior and not settings.network_value:
        if path is not None:
            raise AgentError("network is for prior=ppo or value=ppo; neither is given")
        return None
    try:
        stem = stem_of(game, path, "network=DIR")
        found = networks.load(game, stem)
    except GameError as error:
        raise AgentError(str(error)) from None
    if settings.network_value and not found.value:
        raise AgentError(
            f"the network {stem} has no value, which value=ppo needs: it was saved before the end of its training"
        )
    return found


def _choice(option: str, value: str, valid: Collection[str], more: str = "") -> str:
    """Return a value that is valid; AgentError for another."""
    if value not in valid:
        listed = ", ".join([*valid, *filter(None, [more])])
        raise AgentError(f"{option} cannot be {value!r}; valid: {listed}")
    return value


AGENT = MctsAgent
