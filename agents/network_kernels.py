"""The compiled pass of a network of `agents.network`, about one world as it stands.

    see             what the world's mover sees and is told of it, as the network takes it
    ask_trunk       what the trunk makes of that
    write_logits    what the policy makes of that
    judge_world     what each seat of a world expects: by the network's value, or by the game's estimate

Whoever must not know of what is hidden in a world draws that anew first.
"""

from math import atanh, tanh
from typing import NamedTuple

import numpy as np
from numba import jit_module

from tabletop.description_kernels import describe_seats
from tabletop.kinds import Array, Record, States
from tabletop.verbs import current_player, evaluate, observe

# Columns of `Net.layers`.
NUM_INPUTS, NUM_OUTPUTS, FIRST_WEIGHT = range(3)

# Rows of `Net.scratch`; the first two are for hidden layers.
LOGITS, INPUTS = 2, 3
SCRATCH_ROWS = 4


class Net(NamedTuple):
    """A network as compiled code reads it, of one shape whatever the sizes of its layers; made by `agents.hints.packed`."""

    layers: Array  # int64[trunk + 1 + value, 3] NUM_INPUTS, NUM_OUTPUTS, FIRST_WEIGHT of trunk, policy, value
    weights: Array  # float32[any] of each layer the biases, then for each input the weights to all outputs
    trunk: int  # how many layers are the trunk's
    mean: Array  # float32[description]
    scale: Array  # float32[description]
    clip: np.float32
    surest: float  # the expected return beyond which none is corrected
    estimates: Array  # float64[MAX_PLAYERS + 1, weights], what descriptions go by
    valuations: Array  # float64[MAX_PLAYERS + 1, weights], what hints go by
    described: bool
    hinted: bool
    sharpness: Array  # float32[hints], how much each hint counts
    settle: int  # see `agents.hint_kernels.look_ahead`
    worlds: int
    scratch: Array  # float32[SCRATCH_ROWS, the widest layer or all inputs]
    places: Array  # int64[the same width], scratch
    table: Array  # float64[MAX_PLAYERS, features], scratch
    values: Array  # float64[MAX_PLAYERS], scratch
    states: States  # [3] records, scratch of the look ahead
    bits: Array  # uint64[num_words], the same
    expected: Array  # float64[num_actions], the same
    candidates: Array  # int64[num_actions], the same


def see(state: Record, net: Net) -> None:
    """Write what the world's mover sees of it, and is told, to the scratch; each seat's expected return to `net.values`."""
    inputs = net.scratch[INPUTS]
    player = int(current_player(state))
    told = len(net.mean) if net.described else 0
    seen = int(net.layers[0, NUM_INPUTS]) - told
    observe(state, player, inputs[:seen])
    if told > 0:
        inputs[seen : seen + told] = 0
        estimate = net.estimates[int(state.num_players)]
        describe_seats(state, player, estimate, net.table, net.values, inputs[seen : seen + told])
        for index in range(told):
            number = (inputs[seen + index] - net.mean[index]) / net.scale[index]
            inputs[seen + index] = min(max(number, -net.clip), net.clip)


def ask_trunk(state: Record, net: Net) -> int:
    """Return the row of the scratch with what the trunk makes of what was seen."""
    place = INPUTS
    for layer in range(net.trunk):
        target = 1 if place == 0 else 0
        apply_layer(net.layers, net.weights, net.scratch, net.places, layer, place, target)
        rectify(net.layers, net.scratch, layer, target)
        place = target
    return place


def write_logits(state: Record, net: Net) -> None:
    """Write the policy's logits without hints, for what was seen, to a row of the scratch."""
    latent = ask_trunk(state, net)
    apply_layer(net.layers, net.weights, net.scratch, net.places, net.trunk, latent, LOGITS)


def write_values(state: Record, net: Net, out: Array) -> None:
    """Write the return that each seat can expect by the network's value, for what was seen, to out[:seats]."""
    place = INPUTS
    last = len(net.layers) - 1
    for layer in range(net.trunk + 1, last + 1):
        target = 1 if place == 0 else 0
        apply_layer(net.layers, net.weights, net.scratch, net.places, layer, place, target)
        if layer < last:
            rectify(net.layers, net.scratch, layer, target)
        place = target
    player = int(current_player(state))
    players = int(state.num_players)
    for distance in range(players):
        seat = (player + distance) % players
        correction = np.float64(net.scratch[place, distance])
        if net.described:
            correction += atanh(min(max(net.values[seat], -net.surest), net.surest))
        out[seat] = tanh(correction)


def judge_world(state: Record, net: Net, out: Array) -> None:
    """Write the return that each seat of a game that is not over can expect, to out[:seats]."""
    if len(net.layers) > net.trunk + 1:
        see(state, net)
        write_values(state, net, out)
    else:
        evaluate(state, net.estimates[int(state.num_players)], out)


def apply_layer(
    layers: Array, weights: Array, scratch: Array, places: Array, layer: int, source: int, target: int
) -> None:
    """Write the outputs of a layer for the inputs in row `source` of the scratch to row `target`.

    Inputs of 0 are passed over, as most of an observation and half of a hidden layer are. The others
    are added in fours: outputs are read and written once for four of them, 2.9 instead of 6.2 us for
    225 inputs and 128 outputs.
    """
    num_outputs = layers[layer, NUM_OUTPUTS]
    first = layers[layer, FIRST_WEIGHT]
    outputs = scratch[target, :num_outputs]
    outputs[:] = weights[first : first + num_outputs]
    first += num_outputs
    number = 0
    for index in range(layers[layer, NUM_INPUTS]):
        if scratch[source, index] != 0:
            places[number] = index
            number += 1
    for four in range(0, number - 3, 4):
        a, b, c, d = places[four], places[four + 1], places[four + 2], places[four + 3]
        to_a, to_b = first + a * num_outputs, first + b * num_outputs
        to_c, to_d = first + c * num_outputs, first + d * num_outputs
        from_a, from_b = weights[to_a : to_a + num_outputs], weights[to_b : to_b + num_outputs]
        from_c, from_d = weights[to_c : to_c + num_outputs], weights[to_d : to_d + num_outputs]
        in_a, in_b, in_c, in_d = (
            scratch[source, a],
            scratch[source, b],
            scratch[source, c],
            scratch[source, d],
        )
        for output in range(num_outputs):
            outputs[output] += (
                in_a * from_a[output] + in_b * from_b[output] + in_c * from_c[output] + in_d * from_d[output]
            )
    for last in range(number - number % 4, number):
        a = places[last]
        to_a = first + a * num_outputs
        from_a = weights[to_a : to_a + num_outputs]
        in_a = scratch[source, a]
        for output in range(num_outputs):
            outputs[output] += in_a * from_a[output]


def rectify(layers: Array, scratch: Array, layer: int, place: int) -> None:
    """Set what is below 0 of the outputs of a layer, in a row of the scratch, to 0."""
    for output in range(layers[layer, NUM_OUTPUTS]):
        scratch[place, output] = max(scratch[place, output], np.float32(0))


jit_module(cache=True, nogil=True, forceinline=False)
