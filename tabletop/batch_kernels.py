"""Compiled loops over batches whose games end and are dealt anew, for self-play and for single seats.

    deal_games, look_at_batch   new games, and what is seen of them
    first_illegal, step_batch   self-play: one action in every game
    deal_seats, run_seats       one learner a game: opponents move until the learner has to
    settle, payment, potential  what a game is worth to a seat
    describe                    the features of a game's estimate, as players may know them
    look_at_games, step_games   games of a match: they end, and stay as they are
    ask_policy                  actions of a compiled agent in some of them

Every function takes the array of records first, and `rows`, int64[any], the games that it handles:
threads share one set of arrays, each with rows of its own. `bits` is scratch, uint64[num_words].
"""

from typing import NamedTuple

from numba import jit_module

from tabletop.bitset import clear, unpack
from tabletop.compiled import inlined
from tabletop.description_kernels import describe_seats
from tabletop.kernels import policy_action
from tabletop.kinds import Array, States
from tabletop.rng import below, next_word
from tabletop.verbs import (
    apply_action,
    current_player,
    evaluate,
    is_over,
    is_truncated,
    legal_actions,
    new_game,
    observe,
    resample,
    returns,
    scores,
)

# Kinds of reward, in the order of `tabletop.rewards.REWARDS`.
PLACEMENT, WIN, SCORE = range(3)

# Kinds of potential, in the order of `tabletop.rewards.SHAPINGS`.
NO_POTENTIAL, SCORE_POTENTIAL, VALUE_POTENTIAL = range(3)

# Who sits at a seat, if not the number of an opponent.
LEARNER = -1

# A policy, beside those of `tabletop.kernels`, that is not compiled.
EXTERNAL = -1

DRAWS = 1 << 30


class Batch(NamedTuple):
    """The arrays of a batch; `seats` is the largest number of players in it."""

    counts: Array  # int64[games] how many play
    options: Array  # int8[number of options]
    seeds: Array  # uint64[games] what the game in progress was dealt from
    streams: Array  # uint64[games] generator of the seeds of later games
    observations: Array  # float32[games, layout.size] of the seat that moves
    masks: Array  # int8[games, num_actions] what it may do; zero when the game is over
    players: Array  # int64[games] the seat that moves
    done: Array  # bool[games] the last step ended a game
    truncated: Array  # bool[games] and it was cut off
    final_observations: Array  # float32[games, seats, layout.size] every seat's view of the last game's end
    scores: Array  # int64[games, seats] final scores of the last game that ended
    returns: Array  # float64[games, seats] its final returns


class Table(NamedTuple):
    """Who sits at the tables of a batch with one learner a game."""

    seats: Array  # int64[games] the learner's
    seating: Array  # int64[games, seats] LEARNER, or the number of an opponent
    lineup: Array  # int64[MAX_PLAYERS + 1, entries] [players] opponents by place, or those to draw from
    chances: Array  # float64[entries] chance of each opponent, summed up; empty: by place
    policies: Array  # int64[opponents] EXTERNAL, or one of `tabletop.kernels`
    weights: Array  # float64[opponents, number of weights]
    rngs: Array  # uint64[games, 1] generator of the compiled opponents
    episodes: Array  # int64[games] games dealt
    waiting: Array  # int64[games] LEARNER, or the opponent that has to move
    potentials: Array  # float64[games] at the learner's last decision
    estimates: Array  # float64[MAX_PLAYERS + 1, number of weights] [players] of `evaluate`
    points: Array  # int64[games, seats] scratch
    values: Array  # float64[games, seats] scratch


def deal_games(states: States, rows: Array, batch: Batch) -> None:
    """Set up a new game in each row from its seed."""
    for row in range(len(rows)):
        game = rows[row]
        new_game(states[game], batch.counts[game], batch.options, batch.seeds[game])


def look_at_batch(states: States, rows: Array, batch: Batch, bits: Array) -> None:
    """Write the view of whoever moves in each row."""
    for row in range(len(rows)):
        look_at_row(states, rows[row], batch.observations, batch.masks, batch.players, bits)


@inlined
def look_at_row(
    states: States, game: int, observations: Array, masks: Array, players: Array, bits: Array
) -> None:
    """Write the view of whoever moves in one game."""
    state = states[game]
    players[game] = current_player(state)
    observe(state, players[game], observations[game])
    if is_over(state):
        clear(bits)
    else:
        legal_actions(state, bits)
    unpack(bits, masks[game])


def step_batch(
    states: States,
    rows: Array,
    actions: Array,
    batch: Batch,
    rewards: Array,
    reward: int,
    scale: float,
    autoreset: bool,
    bits: Array,
) -> None:
    """Carry out one legal action in each row, pay and deal anew where a game ends, and look.

    actions int64[games]; rewards float32[games, seats]. Without `autoreset` a game that is over is
    left as it is and its action ignored.
    """
    observations, masks, players = batch.observations, batch.masks, batch.players
    counts, done = batch.counts, batch.done
    for row in range(len(rows)):
        game = rows[row]
        state = states[game]
        rewards[game, :] = 0
        done[game] = False
        batch.truncated[game] = False
        if is_over(state):
            continue
        apply_action(state, actions[game])
        if is_over(state):
            done[game] = True
            batch.truncated[game] = is_truncated(state)
            settle(states, game, counts[game], batch.scores[game], batch.returns[game])
            for seat in range(counts[game]):
                observe(state, seat, batch.final_observations[game, seat])
                rewards[game, seat] = payment(
                    states, seat, counts[game], reward, scale, batch.scores[game], batch.returns[game]
                )
            if autoreset:
                batch.seeds[game] = next_word(batch.streams, game)
                new_game(state, counts[game], batch.options, batch.seeds[game])
        look_at_row(states, game, observations, masks, players, bits)


def first_illegal(states: States, rows: Array, actions: Array, batch: Batch) -> int:
    """Return the first of the rows whose action, int64[games], is not legal there, or -1."""
    for row in range(len(rows)):
        game = rows[row]
        if not is_over(states[game]) and (
            actions[game] < 0
            or actions[game] >= batch.masks.shape[1]
            or batch.masks[game, actions[game]] == 0
        ):
            return int(game)
    return -1


def settle(states: States, game: int, count: int, points: Array, results: Array) -> None:
    """Write the final scores, int64[seats], and returns, float64[seats]; absent seats get 0."""
    points[:] = 0
    results[:] = 0
    scores(states[game], points[:count])
    returns(states[game], results[:count])


def payment(
    states: States, seat: int, count: int, reward: int, scale: float, points: Array, results: Array
) -> float:
    """Return what a finished game is worth to a seat: see `tabletop.rewards.final_rewards`."""
    if reward == WIN:
        winners = 0
        for other in range(count):
            if results[other] > results[seat]:
                return 0.0
            winners += results[other] == results[seat]
        return 1.0 / winners
    if reward == SCORE:
        return margin(states, seat, count, points) / scale
    return float(results[seat])


def margin(states: States, seat: int, count: int, points: Array) -> float:
    """Return how far a seat's score is ahead of the mean of the others."""
    others = 0.0
    for other in range(count):
        if other != seat:
            others += points[other]
    return points[seat] - others / (count - 1)


def potential(
    states: States,
    game: int,
    seat: int,
    count: int,
    shaping: int,
    scale: float,
    estimate: Array,
    points: Array,
    values: Array,
) -> float:
    """Return a seat's potential: its margin so far, or its expected returns by the game's estimate."""
    if shaping == SCORE_POTENTIAL:
        scores(states[game], points[:count])
        return margin(states, seat, count, points) / scale
    evaluate(states[game], estimate, values[:count])
    return float(values[seat])


def deal_seats(states: States, rows: Array, batch: Batch, table: Table, rotate: bool) -> None:
    """Deal a new game in each row from its seed, seat the opponents and start their generator."""
    for row in range(len(rows)):
        game = rows[row]
        count = batch.counts[game]
        new_game(states[game], count, batch.options, batch.seeds[game])
        table.rngs[game, 0] = next_word(batch.streams, game)
        table.episodes[game] += 1
        if rotate:
            table.seats[game] = (table.seats[game] + 1) % count
        for place in range(1, count):
            entry = place - 1
            if len(table.chances) > 0:
                draw = below(batch.streams, game, DRAWS) / DRAWS
                entry = 0
                while entry < len(table.chances) - 1 and draw >= table.chances[entry]:
                    entry += 1
            table.seating[game, (table.seats[game] + place) % count] = table.lineup[count, entry]
        table.seating[game, table.seats[game]] = LEARNER


def draw_seeds(states: States, rows: Array, table: Table, seeds: Array) -> None:
    """Write a fresh seed, uint64[rows], from the opponents' generator of each row."""
    for row in range(len(rows)):
        seeds[row] = next_word(table.rngs[rows[row]], 0)


def run_seats(
    states: States,
    rows: Array,
    actions: Array,
    batch: Batch,
    table: Table,
    rewards: Array,
    reward: int,
    scale: float,
    shaping: int,
    gamma: float,
    act: bool,
    autoreset: bool,
    rotate: bool,
    bits: Array,
) -> None:
    """Go on in each row until the learner, or an opponent that is not compiled, has to move.

    actions int64[games], carried out first if `act`; rewards float64[games], to which the learner's
    is added. The first seat of `batch.final_observations` is the learner's last view.
    """
    observations, masks, players = batch.observations, batch.masks, batch.players
    counts, done, seating, seats = batch.counts, batch.done, table.seating, table.seats
    policies, weights, rngs, waiting = table.policies, table.weights, table.rngs, table.waiting
    for row in range(len(rows)):
        game = rows[row]
        state = states[game]
        if act:
            apply_action(state, actions[game])
        while True:
            if is_over(state):
                waiting[game] = LEARNER
                if not done[game]:
                    done[game] = True
                    batch.truncated[game] = is_truncated(state)
                    settle(states, game, counts[game], batch.scores[game], batch.returns[game])
                    observe(state, seats[game], batch.final_observations[game, 0])
                    rewards[game] -= table.potentials[game]
                    rewards[game] += payment(
                        states,
                        seats[game],
                        counts[game],
                        reward,
                        scale,
                        batch.scores[game],
                        batch.returns[game],
                    )
                    table.potentials[game] = 0.0
                if not autoreset:
                    break
                batch.seeds[game] = next_word(batch.streams, game)
                deal_seats(states, rows[row : row + 1], batch, table, rotate)
                continue
            opponent = seating[game, current_player(state)]
            waiting[game] = opponent
            if opponent == LEARNER or policies[opponent] == EXTERNAL:
                break
            apply_action(
                state, policy_action(states, game, policies[opponent], weights[opponent], rngs[game], bits)
            )
        if shaping != NO_POTENTIAL and waiting[game] == LEARNER and not is_over(state):
            after = potential(
                states,
                game,
                seats[game],
                counts[game],
                shaping,
                scale,
                table.estimates[counts[game]],
                table.points[game],
                table.values[game],
            )
            if act and not done[game]:
                rewards[game] += gamma * after - table.potentials[game]
            table.potentials[game] = after
        look_at_row(states, game, observations, masks, players, bits)


def pay_seats(
    states: States, rows: Array, batch: Batch, kinds: Array, shares: Array, scale: float, out: Array
) -> None:
    """Write what the games that ended in some rows are worth to every seat, float64[rows, seats].

    kinds int64[any] of reward, each times its share, float64.
    """
    for row in range(len(rows)):
        game = rows[row]
        count = int(batch.counts[game])
        for seat in range(count):
            for kind in range(len(kinds)):
                paid = payment(
                    states, seat, count, kinds[kind], scale, batch.scores[game], batch.returns[game]
                )
                out[row, seat] += shares[kind] * paid


def draw_words(states: States, streams: Array, out: Array) -> None:
    """Write a word of each generator, both uint64[games]."""
    for game in range(len(streams)):
        out[game] = next_word(streams, game)


def describe(
    states: States,
    rows: Array,
    players: Array,
    seeds: Array,
    weights: Array,
    world: Array,
    table: Array,
    values: Array,
    out: Array,
) -> None:
    """Write the descriptions of some records, see `tabletop.description.Describer`.

    world: one record, table float64[seats, features] and values float64[seats] are scratch.
    """
    for row in range(len(rows)):
        out[row, :] = 0
        world[0] = states[rows[row]]
        state = world[0]
        if is_over(state):
            continue
        player = int(players[row])
        resample(state, player, seeds[row])
        describe_seats(state, player, weights[int(state.num_players)], table, values, out[row])


def look_at_games(
    states: States, observations: Array, masks: Array, players: Array, over: Array, bits: Array
) -> None:
    """Write the view of whoever moves in each game; shapes as in `step_games`."""
    for game in range(len(states)):
        look_at_row(states, game, observations, masks, players, bits)
        over[game] = is_over(states[game])


def step_games(
    states: States,
    actions: Array,
    observations: Array,
    masks: Array,
    players: Array,
    over: Array,
    bits: Array,
) -> None:
    """Carry out one legal action in each game that is not over, and look.

    actions int64[games]; observations float32[games, layout.size]; masks int8[games, num_actions];
    players int64[games]; over bool[games]: such a game is left as it is, its mask all zero.
    """
    for game in range(len(states)):
        if not over[game]:
            apply_action(states[game], actions[game])
            look_at_row(states, game, observations, masks, players, bits)
            over[game] = is_over(states[game])


def ask_policy(
    states: States,
    rows: Array,
    players: Array,
    streams: Array,
    policy: int,
    weights: Array,
    bits: Array,
    actions: Array,
) -> None:
    """Write the actions of a compiled agent in some games, each by the generator of its seat.

    streams uint64[games, seats]; players, actions int64[rows].
    """
    for row in range(len(rows)):
        game, player = rows[row], players[row]
        stream = streams[game, player : player + 1]
        actions[row] = policy_action(states, game, policy, weights, stream, bits)


jit_module(cache=True, nogil=True, forceinline=False)
