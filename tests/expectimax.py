"""The exact value of small positions: every move and every outcome of chance, each mover for itself (max^n).

A mover who is indifferent may choose either way, and the others' results may depend on it. So the
value of a position is a range for each seat: from the least to the most of all ways to break ties.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from helpers import legal_names
from perft import one

from agents.mcts import MctsAgent, RootStatistics
from agents.registry import make_agent
from tabletop import kernels, verbs
from tabletop.game import Game
from tabletop.kinds import States
from tabletop.view import View

State = Any
Range = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]  # least and most, [seat]
# The positions that a move may lead to, each with its probability.
Outcomes = Callable[[States, str], list[tuple[float, States]]]
Choices = Callable[[State], set[str]]  # the moves that somebody may make in a position

ALIKE = 1e-9
NEVER_MATTERS = ("rng", "moves")


class TooLargeError(Exception):
    """A position has more to look at than allowed."""


class Expectimax:
    """Looks at everything that can happen from a position on.

    Args:
        game: the game.
        outcomes: what a move may lead to, chance included.
        ignored: fields of the record that do not bear on how a game goes on.
        most: how many positions may be looked at.
    """

    def __init__(
        self, game: Game, outcomes: Outcomes, ignored: Sequence[str] = (), most: int = 200_000
    ) -> None:
        self.game = game
        self._outcomes = outcomes
        self._ignored = (*NEVER_MATTERS, *ignored)
        self._most = most
        self._known: dict[bytes, Range] = {}

    def ranges(self, states: States) -> dict[str, Range]:
        """Return the value of each move of the first record."""
        ranges = {}
        for move in legal_names(self.game, states):
            least, most = np.zeros(num_seats(states)), np.zeros(num_seats(states))
            for chance, following in self._outcomes(states, move):
                low, high = self.value(following)
                least += chance * low
                most += chance * high
            ranges[move] = least, most
        return ranges

    def value(self, states: States) -> Range:
        """Return the value of the first record.

        Raises:
            TooLargeError: there are more positions to look at than allowed.
        """
        if verbs.is_over(states[0]):
            results = np.zeros(num_seats(states))
            verbs.returns(states[0], results)
            return results, results
        plain = states.copy()
        for name in self._ignored:
            plain[name] = 0
        key = plain.tobytes()
        if key not in self._known:
            if len(self._known) >= self._most:
                raise TooLargeError(f"more than {self._most} positions")
            ranges = self.ranges(states)
            best = [ranges[move] for move in best_moves(ranges, int(states[0].current))]
            least = np.min([low for low, _ in best], axis=0)
            least[states[0].current] = max(low[states[0].current] for low, _ in best)
            self._known[key] = least, np.max([high for _, high in best], axis=0)
        return self._known[key]

    def choices(self, state: State) -> set[str]:
        """Return the moves of which none is sure to be worse than another."""
        return best_moves(self.ranges(one(self.game, state)), int(state.current))


def best_moves(ranges: dict[str, Range], mover: int) -> set[str]:
    """Return the moves that may be best for the mover, whichever way others break ties."""
    sure = max(least[mover] for least, _ in ranges.values())
    return {move for move, (_, most) in ranges.items() if most[mover] >= sure - ALIKE}


def num_seats(states: States) -> int:
    """Return how many play the first record's game."""
    return int(states[0].num_players)


def after(game: Game, states: States, move: str) -> States:
    """Return the first record after a move."""
    following = states[:1].copy()
    kernels.apply_game(following, game.string_to_action(move))
    return following


def look(game: Game, state: State, options: str, seed: int = 1) -> tuple[MctsAgent, RootStatistics]:
    """Search a position, its mover seeing what that seat sees."""
    agent = make_agent(f"mcts:{options}", game, int(state.num_players))
    assert isinstance(agent, MctsAgent)
    agent.begin_game(int(state.current), seed)
    return agent, agent.look(View(game, one(game, state), int(state.current), seed))


def searched(game: Game, options: str) -> Choices:
    """Return how a search with these options chooses."""

    def choices(state: State) -> set[str]:
        agent, found = look(game, state, options)
        return {game.action_to_string(agent.best(found))}

    return choices


def greedy(game: Game) -> Choices:
    """Return how the greedy agent chooses."""
    assert game.weights is not None
    weights = game.weights

    def choices(state: State) -> set[str]:
        return {game.action_to_string(int(verbs.greedy_action(state, weights.tuned(int(state.num_players)))))}

    return choices
