"""Compiled loops over games, written once over the verbs and called from Python with arrays.

Every function here takes an array of records first: one game is `states[0]`. Passing arrays costs
about 1 us a call, passing a record 5 to 17 us. The shapes are those of `tabletop.verbs`; `bits` is
scratch of uint64[num_words] for one set of actions.
"""

import numpy as np
from numba import jit_module

from tabletop.bitset import WORD, contains, count, nth, unpack
from tabletop.compiled import inlined
from tabletop.kinds import Array, Seed, States
from tabletop.rng import below, seed_streams
from tabletop.verbs import (
    apply_action,
    current_player,
    evaluate,
    features,
    greedy_action,
    information_key,
    is_over,
    is_truncated,
    legal_actions,
    new_game,
    observe,
    playout_action,
    prior,
    progress,
    resample,
    returns,
    scores,
    stage,
)

# What `status_of` and `step_game` report.
PLAYER, IS_OVER, IS_TRUNCATED, WAS_LEGAL = range(4)
STATUS_SIZE = 4

FINE = 2**31 - 1  # steps of a random number between 0 and 1

# Policies that compiled matches know.
RANDOM = 0
GREEDY = 1
PRIOR = 2
PLAYOUT = 3


def start_games(states: States, num_players: int, options: Array, seeds: Array) -> None:
    """Set up each record for a new game with its own seed, uint64[games]."""
    for game in range(len(states)):
        new_game(states[game], num_players, options, seeds[game])


def status_of(states: States, status: Array) -> None:
    """Write who moves in the first record, and whether it is over or truncated, int64[STATUS_SIZE]."""
    state = states[0]
    status[PLAYER] = current_player(state)
    status[IS_OVER] = is_over(state)
    status[IS_TRUNCATED] = is_truncated(state)
    status[WAS_LEGAL] = 1


def look(states: States, player: int, observation: Array, mask: Array, bits: Array) -> None:
    """Write what a player sees of the first record, and what they may do: nothing if it is not their move."""
    state = states[0]
    observe(state, player, observation)
    if is_over(state) or current_player(state) != player:
        mask[:] = 0
    else:
        legal_actions(state, bits)
        unpack(bits, mask)


def legal_mask(states: States, mask: Array, bits: Array) -> None:
    """Write the legal actions of the first record into int8[num_actions]."""
    legal_actions(states[0], bits)
    unpack(bits, mask)


def resample_game(states: States, player: int, seed: Seed) -> None:
    """Redraw in the first record what a player cannot know."""
    resample(states[0], player, seed)


def information_keys(states: States, player: int, keys: Array) -> None:
    """Write the key of what a player sees of each record, uint64[games]."""
    for game in range(len(states)):
        keys[game] = information_key(states[game], player)


def results_of(states: States, points: Array, results: Array) -> None:
    """Write the scores, int64[seats], and the returns, float64[seats], of the first record."""
    scores(states[0], points)
    returns(states[0], results)


def apply_game(states: States, action: int) -> None:
    """Carry out an action in the first record; legality is not checked."""
    apply_action(states[0], action)


def try_action(states: States, action: int, bits: Array, status: Array) -> None:
    """Carry out an action in the first record if it is legal, and write its status; `bits` is scratch.

    An illegal action changes nothing and is told by status[WAS_LEGAL] == 0.
    """
    state = states[0]
    legal_actions(state, bits)
    if not contains(bits, action):
        status[WAS_LEGAL] = 0
        return
    apply_action(state, action)
    status_of(states, status)


def list_legal(states: States, actions: Array, bits: Array) -> int:
    """Write the legal actions of the first record, ascending, int64[num_actions]; return their number."""
    legal_actions(states[0], bits)
    number = count(bits)
    for index in range(number):
        actions[index] = nth(bits, index)
    return number


def step_game(
    states: States, action: int, observation: Array, mask: Array, bits: Array, status: Array
) -> None:
    """Carry out an action if it is legal, and look at the game as the next player does.

    An illegal action changes nothing and is told by status[WAS_LEGAL] == 0. When the game is over
    the observation is that of the player whose move it would be, and the mask is zero.
    """
    try_action(states, action, bits, status)
    if status[WAS_LEGAL] == 1:
        look(states, status[PLAYER], observation, mask, bits)


def random_actions(masks: Array, actions: Array, rng: Array) -> None:
    """Pick a random legal action for each game of a batch from its mask; 0 where there is none."""
    for game in range(len(masks)):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[game, action]
        actions[game] = 0
        if legal > 0:
            skip = below(rng, 0, legal)
            for action in range(masks.shape[1]):
                if masks[game, action]:
                    if skip == 0:
                        actions[game] = action
                        break
                    skip -= 1


def random_playouts(
    states: States, num_players: int, options: Array, seeds: Array, rng: Array, bits: Array
) -> int:
    """Play a whole random game for each seed in the first record; return the number of decisions."""
    state = states[0]
    decisions = 0
    for game in range(len(seeds)):
        new_game(state, num_players, options, seeds[game])
        while not is_over(state):
            apply_action(state, random_action(states, 0, rng, bits))
            decisions += 1
    return decisions


@inlined
def random_action(states: States, game: int, rng: Array, bits: Array) -> int:
    """Return a legal action of one record, all equally likely."""
    legal_actions(states[game], bits)
    return nth(bits, below(rng, 0, count(bits)))


@inlined
def policy_action(states: States, game: int, policy: int, weights: Array, rng: Array, bits: Array) -> int:
    """Return the action of a compiled policy in one record."""
    if policy == GREEDY:
        return greedy_action(states[game], weights)
    if policy == PRIOR:
        return prior_action(states, game, weights, rng, bits)
    if policy == PLAYOUT:
        return playout_action(states[game], rng, bits)
    return random_action(states, game, rng, bits)


def prior_action(states: States, game: int, weights: Array, rng: Array, bits: Array) -> int:
    """Return a legal action of one record, each as likely as the game's prior says."""
    shares = np.zeros(WORD * len(bits))
    prior(states[game], weights, shares)
    legal_actions(states[game], bits)
    rest = below(rng, 0, FINE) / FINE
    action = 0
    for index in range(count(bits)):
        action = nth(bits, index)
        rest -= shares[action]
        if rest < 0:
            return action
    return action


def policy_actions(
    states: States, policy: int, weights: Array, rng: Array, bits: Array, actions: Array
) -> None:
    """Write the action of one compiled policy in every record, int64[games]."""
    for game in range(len(states)):
        actions[game] = policy_action(states, game, policy, weights, rng, bits)


def play_games(
    states: States,
    num_players: int,
    options: Array,
    seeds: Array,
    seating: Array,
    policies: Array,
    weights: Array,
    policy_seeds: Array,
    moves: Array,
    lengths: Array,
    points: Array,
    results: Array,
    decisions: Array,
    bits: Array,
) -> None:
    """Play whole games between compiled policies, one after the other, in the first record.

    In: seeds uint64[games]; seating int64[games, seats] the agent at each seat; policies
    int64[agents]; weights float64[agents, number of weights]; policy_seeds uint64[games, seats].
    Out: moves int16[games, max_moves]; lengths int64[games]; points int64[games, seats]; results
    float64[games, seats]; decisions int64[agents], added up.
    """
    state = states[0]
    rng = np.zeros((num_players, 1), np.uint64)
    for game in range(len(seeds)):
        new_game(state, num_players, options, seeds[game])
        for seat in range(num_players):
            seed_streams(rng[seat], policy_seeds[game, seat])
        length = 0
        while not is_over(state):
            seat = current_player(state)
            agent = seating[game, seat]
            action = policy_action(states, 0, policies[agent], weights[agent], rng[seat], bits)
            moves[game, length] = action
            length += 1
            decisions[agent] += 1
            apply_action(state, action)
        lengths[game] = length
        scores(state, points[game])
        returns(state, results[game])


def evaluate_games(states: States, weights: Array, results: Array) -> None:
    """Write the expected returns of every record, float64[games, seats]."""
    for game in range(len(states)):
        evaluate(states[game], weights, results[game])


def describe_games(states: States, weights: Array, rows: Array, stages: Array, passed: Array) -> None:
    """Write what the estimate goes by in every record, none of them over.

    rows float64[games, seats, features]; stages int64[games]; passed float64[games]: the progress.
    """
    for game in range(len(states)):
        features(states[game], weights, rows[game])
        stages[game] = stage(states[game])
        passed[game] = progress(states[game])


def play_moves(states: States, num_players: int, options: Array, seed: Seed, moves: Array) -> None:
    """Write the history of a game: its record before the first and after every move, [moves + 1]."""
    new_game(states[0], num_players, options, seed)
    for move in range(len(moves)):
        states[move + 1] = states[move]
        apply_action(states[move + 1], moves[move])


def movers(states: States, players: Array) -> None:
    """Write who moved from each record of a history but the last, int64[moves]."""
    for move in range(len(players)):
        players[move] = current_player(states[move])


def count_leaves(states: States, depth: int, bits: Array) -> int:
    """Return the number of move sequences of a length from the first record (perft), chance as seeded.

    states needs depth + 1 records and bits uint64[depth + 1, num_words].
    """
    if depth == 0 or is_over(states[0]):
        return 1
    legal_actions(states[0], bits[0])
    leaves = 0
    for index in range(count(bits[0])):
        states[1] = states[0]
        apply_action(states[1], nth(bits[0], index))
        leaves += count_leaves(states[1:], depth - 1, bits[1:])
    return leaves


def copy_game(states: States, times: int) -> None:
    """Clone the first record into the others, one after the other, `times` times."""
    others = len(states) - 1
    for time in range(times):
        states[1 + time % others] = states[0]


jit_module(cache=True, nogil=True, forceinline=False)
