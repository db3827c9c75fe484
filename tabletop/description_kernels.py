"""What a player can be told of a position beside the observation, compiled: see `tabletop.description`.

All write about the record as it stands. Whoever must not know of what is hidden in it draws that anew first.
"""

from math import inf, log

import numpy as np
from numba import jit_module

from tabletop.kinds import Array, Record, Seed, States
from tabletop.rng import mix, wrapping_add
from tabletop.verbs import (
    apply_action,
    current_player,
    evaluate,
    features,
    greedy_action,
    is_over,
    legal_actions,
    prior,
    resample,
    returns,
)
from tabletop.words import lowest

LEAST = 1e-3  # chance of a legal move that the prior all but rules out
AHEAD = 10.0  # times an expected return: of the size of logarithms
UNLIKELY = 0.03  # chance of a legal move by the prior below which it is not looked at ahead


def describe_seats(
    state: Record, player: int, weights: Array, table: Array, values: Array, out: Array
) -> None:
    """Write each seat's features and the return it expects, in relative order from a player.

    Args:
        state: a game that is not over.
        player: the seat that looks.
        weights: float64[weights], what the game's estimate goes by.
        table: float64[seats, features], scratch.
        values: float64[seats], scratch.
        out: float32[MAX_PLAYERS * (features + 1)]; entries of absent seats are left as they are.
    """
    count = int(state.num_players)
    number = table.shape[1]
    features(state, weights, table)
    evaluate(state, weights, values)
    for seat in range(count):
        first = (seat - player) % count * (number + 1)
        for index in range(number):
            out[first + index] = table[seat, index]
        out[first + number] = values[seat]


def hint_moves(state: Record, weights: Array, out: Array) -> None:
    """Write the logarithm of the prior of each legal move, at least that of LEAST; 0 for illegal ones.

    weights float64[weights] of the prior; out float64[num_actions].
    """
    out[:] = 0.0
    prior(state, weights, out)
    for action in range(len(out)):
        if out[action] > 0.0:
            out[action] = log(max(out[action], LEAST))


def look_ahead(
    states: States,
    priors: Array,
    estimates: Array,
    weights: Array,
    settle: int,
    worlds: int,
    seed: Seed,
    bits: Array,
    values: Array,
    out: Array,
) -> None:
    """Write AHEAD times what each legal move of the first record makes its mover expect, less the best; 0 for others.

    After the move all play greedily for some moves, which settles what it left open; then the
    estimate is asked. The mean is taken over some worlds, the same for all moves. Moves that the prior
    calls unlikely are taken to be like the worst of the others.

    Args:
        states: [3] a game that is not over, and scratch.
        priors: float64[num_actions], see `hint_moves`.
        estimates: float64[weights], what the estimate goes by.
        weights: float64[weights], what greedy play goes by.
        settle: how many moves are played greedily; below 0: nothing is looked at, all is 0.
        worlds: how many: the record as it is, and others in which what its mover cannot know is drawn anew.
        seed: for what is drawn.
        bits: uint64[num_words], scratch.
        values: float64[seats], scratch.
        out: float64[num_actions].
    """
    out[:] = 0.0
    if settle < 0:
        return
    player = int(current_player(states[0]))
    likeliest = -inf
    legal_actions(states[0], bits)
    for word in range(len(bits)):
        rest = bits[word]
        while rest != np.uint64(0):
            likeliest = max(likeliest, priors[64 * word + lowest(rest)])
            rest &= rest - np.uint64(1)
    least = min(likeliest, log(UNLIKELY))
    candidates = 0
    for word in range(len(bits)):
        rest = bits[word]
        while rest != np.uint64(0):
            candidates += priors[64 * word + lowest(rest)] >= least
            rest &= rest - np.uint64(1)
    if candidates < 2:
        return
    for number in range(worlds):
        states[1] = states[0]
        if number > 0:
            resample(states[1], player, mix(wrapping_add(seed, number)))
        for word in range(len(bits)):
            rest = bits[word]
            while rest != np.uint64(0):
                action = 64 * word + lowest(rest)
                rest &= rest - np.uint64(1)
                if priors[action] >= least:
                    states[2] = states[1]
                    outcome(states[2], action, estimates, weights, settle, values)
                    out[action] += AHEAD / worlds * values[player]
    best, worst = -inf, inf
    for word in range(len(bits)):
        rest = bits[word]
        while rest != np.uint64(0):
            action = 64 * word + lowest(rest)
            rest &= rest - np.uint64(1)
            if priors[action] >= least:
                best = max(best, out[action])
                worst = min(worst, out[action])
    for word in range(len(bits)):
        rest = bits[word]
        while rest != np.uint64(0):
            action = 64 * word + lowest(rest)
            rest &= rest - np.uint64(1)
            out[action] = (worst if priors[action] < least else out[action]) - best


def outcome(state: Record, action: int, estimates: Array, weights: Array, settle: int, values: Array) -> None:
    """Make a move and play greedily for some more; write what each seat expects then."""
    apply_action(state, action)
    left = settle
    while left > 0 and not is_over(state):
        apply_action(state, greedy_action(state, weights))
        left -= 1
    if is_over(state):
        returns(state, values)
    else:
        evaluate(state, estimates, values)


jit_module(cache=True, nogil=True, forceinline=False)
