"""The compiled part of `agents.hints`."""

from math import inf, log

from numba import jit_module

from agents.network_kernels import Net, judge_world
from tabletop.bitset import contains
from tabletop.description_kernels import hint_moves
from tabletop.kinds import Array, Record, Seed, States
from tabletop.rng import mix, wrapping_add
from tabletop.verbs import (
    apply_action,
    current_player,
    greedy_action,
    is_over,
    legal_actions,
    resample,
    returns,
)

AHEAD = 10.0  # times an expected return: of the size of logarithms
UNLIKELY = 0.03  # chance of a legal move by the prior below which it is not looked at ahead


def hint(
    states: States, rows: Array, players: Array, seeds: Array, net: Net, priors: Array, out: Array
) -> None:
    """Write hints to whoever moves in some records: the prior's logarithms, then what `look_ahead` finds.

    Args:
        states: records.
        rows: int64[rows] which of them.
        players: int64[rows] who moves there.
        seeds: uint64[rows] for what they cannot know, which is drawn anew.
        net: by which it is done.
        priors: float64[num_actions], scratch.
        out: float32[rows, any], of which the last 2 * num_actions are written.
    """
    number = len(priors)
    first = out.shape[1] - 2 * number
    for row in range(len(rows)):
        state = states[rows[row]]
        out[row, first:] = 0
        if is_over(state):
            continue
        net.states[0] = state
        resample(net.states[0], int(players[row]), seeds[row])
        hint_moves(net.states[0], net.valuations[int(state.num_players)], priors)
        look_ahead(net.states, priors, net.worlds, seeds[row], net)
        for action in range(number):
            out[row, first + action] = priors[action]
            out[row, first + number + action] = net.expected[action]


def look_ahead(states: States, priors: Array, worlds: int, seed: Seed, net: Net) -> None:
    """Write AHEAD times what each legal move of the first record makes its mover expect, less the best, to `net.expected`.

    After the move all play greedily for some moves, which settles what it left open; then the
    network's value is asked, or the estimate if it has none. The mean is taken over some worlds, the
    same for all moves. Moves that the prior calls unlikely are taken to be like the worst of the
    others. 0 for illegal moves, and for all if the network does not look ahead (`settle` below 0).

    Args:
        states: [3] a game that is not over, and scratch.
        priors: float64[num_actions], see `hint_moves`.
        worlds: how many: the record as it is, and others in which what its mover cannot know is drawn anew.
        seed: for what is drawn.
        net: by which it is done.
    """
    out = net.expected
    out[:] = 0.0
    if net.settle < 0:
        return
    state = states[0]
    player = int(current_player(state))
    legal_actions(state, net.bits)
    candidates = likely_moves(state, priors, net)
    if candidates < 2:
        return
    for number in range(worlds):
        states[1] = state
        if number > 0:
            resample(states[1], player, mix(wrapping_add(seed, number)))
        for index in range(candidates):
            action = net.candidates[index]
            states[2] = states[1]
            make_move(states[2], action, net)
            out[action] += AHEAD / worlds * net.values[player]
    best, worst = -inf, inf
    for index in range(candidates):
        best = max(best, out[net.candidates[index]])
        worst = min(worst, out[net.candidates[index]])
    likely = 0
    for action in range(len(out)):
        if likely < candidates and net.candidates[likely] == action:
            out[action] -= best
            likely += 1
        elif contains(net.bits, action):
            out[action] = worst - best


def likely_moves(state: Record, priors: Array, net: Net) -> int:
    """Write the actions in `net.bits` that the prior does not call unlikely to `net.candidates`; return how many."""
    likeliest = -inf
    for action in range(len(priors)):
        if contains(net.bits, action):
            likeliest = max(likeliest, priors[action])
    least = min(likeliest, log(UNLIKELY))
    number = 0
    for action in range(len(priors)):
        if contains(net.bits, action) and priors[action] >= least:
            net.candidates[number] = action
            number += 1
    return number


def make_move(state: Record, action: int, net: Net) -> None:
    """Make a move and play greedily for some more; write what each seat expects then to `net.values`."""
    apply_action(state, action)
    left = net.settle
    while left > 0 and not is_over(state):
        apply_action(state, greedy_action(state, net.valuations[int(state.num_players)]))
        left -= 1
    if is_over(state):
        returns(state, net.values)
    else:
        judge_world(state, net, net.values)


jit_module(cache=True, nogil=True, forceinline=False)
