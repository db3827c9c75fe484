"""The compiled part of `experiments.values`."""

import numpy as np
from numba import jit_module

from agents.network_kernels import INPUTS, Net, see
from tabletop.bitset import count, nth
from tabletop.kinds import Array, States
from tabletop.rng import below
from tabletop.verbs import (
    apply_action,
    current_player,
    greedy_action,
    is_over,
    legal_actions,
    new_game,
    returns,
)


def play_and_look(
    states: States,
    players: int,
    options: Array,
    seeds: Array,
    net: Net,
    stray: int,
    look: int,
    results: Array,
    inputs: Array,
    expected: Array,
    targets: Array,
) -> int:
    """Play greedy games with some random moves and look at some decisions; return at how many.

    All is seen and told as in a world of which nothing is hidden, as the value will be asked; seats
    are in relative order from the mover.

    Args:
        states: one record, scratch.
        players: how many play.
        options: int8[number of options].
        seeds: uint64[games] that the games are dealt from.
        net: by which is told and scaled.
        stray: of a thousand moves so many are random.
        look: at so many of a thousand decisions with a choice is looked.
        results: float64[players], scratch.
        inputs: float32[decisions, inputs], what the network is given.
        expected: float32[decisions, MAX_PLAYERS], the returns that the game's estimate expects.
        targets: float32[decisions, MAX_PLAYERS], the returns of the game.
    """
    state = states[0]
    number = 0
    rng = np.zeros(1, np.uint64)
    for game in range(len(seeds)):
        new_game(state, players, options, seeds[game])
        rng[0] = seeds[game]
        first = number
        while not is_over(state):
            legal_actions(state, net.bits)
            choices = count(net.bits)
            if choices > 1 and number < len(inputs) and below(rng, 0, 1000) < look:
                see(state, net)
                inputs[number] = net.scratch[INPUTS, : inputs.shape[1]]
                mover = int(current_player(state))
                for distance in range(players):
                    expected[number, distance] = net.values[(mover + distance) % players]
                targets[number, 0] = mover
                number += 1
            if choices > 1 and below(rng, 0, 1000) < stray:
                action = nth(net.bits, below(rng, 0, choices))
            else:
                action = greedy_action(state, net.valuations[players])
            apply_action(state, action)
        returns(state, results)
        for row in range(first, number):
            mover = int(targets[row, 0])
            for distance in range(players):
                targets[row, distance] = results[(mover + distance) % players]
    return number


jit_module(cache=True, nogil=True, forceinline=False)
