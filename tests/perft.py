"""Counting move sequences (perft): by the engine, slowly, and divided by first moves for a wrong total."""

from typing import Any

import numpy as np
from helpers import legal_names

from tabletop import kernels
from tabletop.game import Game
from tabletop.kinds import States

State = Any


def one(game: Game, state: State) -> States:
    """Return a copy of a record as an array of one."""
    states = game.new_states(1)
    states[0] = state
    return states


def after(game: Game, state: State, move: str) -> State:
    """Return a copy of a record after a move."""
    states = one(game, state)
    kernels.apply_game(states, game.string_to_action(move))
    return states[0]


def leaves(game: Game, state: State, depth: int) -> int:
    """Return the engine's count."""
    states = game.new_states(depth + 1)
    states[0] = state
    return int(kernels.count_leaves(states, depth, np.zeros((depth + 1, game.num_words), np.uint64)))


def slow_leaves(game: Game, state: State, depth: int) -> int:
    """Return the same count, one set of legal moves and one copy of the record after the other."""
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    kernels.status_of(one(game, state), status)
    if depth == 0 or status[kernels.IS_OVER]:
        return 1
    moves = legal_names(game, one(game, state))
    return sum(slow_leaves(game, after(game, state, move), depth - 1) for move in moves)


def divide(game: Game, state: State, depth: int) -> str:
    """Return the count behind each first move, to be compared move by move when a total is wrong."""
    moves = sorted(legal_names(game, one(game, state)))
    counts = [f"{move}: {leaves(game, after(game, state, move), depth - 1)}" for move in moves]
    return "\n".join([f"depth {depth}", game.state_to_string(state), *counts])


def check_leaves(game: Game, state: State, expected: tuple[int, ...], slow_depths: tuple[int, ...]) -> None:
    """Compare the counts at every depth with the frozen ones, and shallow ones with the slow count."""
    for depth, number in enumerate(expected, start=1):
        assert leaves(game, state, depth) == number, divide(game, state, depth)
    for depth in slow_depths:
        assert slow_leaves(game, state, depth) == expected[depth - 1], divide(game, state, depth)
