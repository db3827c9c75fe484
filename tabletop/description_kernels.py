"""What a player can be told of a position beside the observation, compiled: see `tabletop.description`.

All write about the record as it stands. Whoever must not know of what is hidden in it draws that anew first.
"""

from math import log

from numba import jit_module

from tabletop.kinds import Array, Record
from tabletop.verbs import describe, prior

LEAST = 1e-3  # chance of a legal move that the prior all but rules out


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
    describe(state, weights, table, values)
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


jit_module(cache=True, nogil=True, forceinline=False)
