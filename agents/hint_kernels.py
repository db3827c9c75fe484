"""The compiled part of `agents.hints`."""

from numba import jit_module

from tabletop.description_kernels import hint_moves, look_ahead
from tabletop.kinds import Array, States
from tabletop.verbs import is_over, resample


def hint(
    states: States,
    rows: Array,
    players: Array,
    seeds: Array,
    estimates: Array,
    weights: Array,
    settle: int,
    number_worlds: int,
    worlds: States,
    bits: Array,
    values: Array,
    priors: Array,
    expected: Array,
    out: Array,
) -> None:
    """Write hints to whoever moves in some records: the prior's logarithms, then what `look_ahead` finds.

    Args:
        states: records.
        rows: int64[rows] which of them.
        players: int64[rows] who moves there.
        seeds: uint64[rows] for what they cannot know, which is drawn anew.
        estimates: float64[MAX_PLAYERS + 1, weights].
        weights: float64[MAX_PLAYERS + 1, weights].
        settle, number_worlds: see `look_ahead`.
        worlds: [3] scratch.
        bits: uint64[num_words], scratch.
        values: float64[MAX_PLAYERS], scratch.
        priors: float64[num_actions], scratch.
        expected: float64[num_actions], scratch.
        out: float32[rows, any], of which the last 2 * num_actions are written.
    """
    number = len(priors)
    first = out.shape[1] - 2 * number
    for row in range(len(rows)):
        state = states[rows[row]]
        out[row, first:] = 0
        if is_over(state):
            continue
        count = int(state.num_players)
        worlds[0] = state
        resample(worlds[0], int(players[row]), seeds[row])
        hint_moves(worlds[0], weights[count], priors)
        for action in range(number):
            out[row, first + action] = priors[action]
        look_ahead(
            worlds,
            priors,
            estimates[count],
            weights[count],
            settle,
            number_worlds,
            seeds[row],
            bits,
            values,
            expected,
        )
        for action in range(number):
            out[row, first + number + action] = expected[action]


jit_module(cache=True, nogil=True, forceinline=False)
