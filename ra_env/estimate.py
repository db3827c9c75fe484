"""Expected results of a position of Ra, from what its seats have to expect.

    evaluate, features, describe   the verbs
    fill_features               a row for each seat, reckoned with the greedy valuation
    fill_features_sold          the same at the end of the auction in progress
    fill_holdings, fill_suns_held, fill_lot

See `ra_env.features` for what the numbers mean and `tabletop.estimate` for what is made of them.
Every function takes the record first: see `tabletop.game.record_dtype` for why.
"""

import numpy as np
from numba import jit_module

from ra_env.components import (
    AUCTION_SPACES,
    FAME_PER_GOLD,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    GOD,
    GOLD,
    MAX_SUN,
    NILE,
    NUM_CIVILIZATIONS,
    NUM_MONUMENTS,
)
from ra_env.features import (
    ALONE,
    CARRIED,
    CIVILIZATIONS,
    FAME,
    HIGHEST_SUN,
    LOT_GAIN,
    MONUMENT_SETS,
    MONUMENTS,
    NILES,
    NILES_LATER,
    NUM_FEATURES,
    PHARAOHS,
    PHARAOHS_LATER,
    RANK,
    SUN_SUM,
    SUNS,
    SURE,
)
from ra_env.features import GODS as GODS_HELD
from ra_env.heuristic import (
    KIND_BITS,
    KIND_MASK,
    NO_LOWEST,
    PHARAOH_CERTAINTY,
    abundance,
    call_outcome,
    comparison_value,
    count_suns,
    epochs_left,
    fill_arrivals,
    fill_bidders_gains,
    fill_gains,
    fill_nets,
    fill_prospects,
    fill_rates,
    fill_suns,
    hand_of,
    kept_share,
    least_loss,
    likely,
    next_with_suns,
    ra_chance,
    ra_spaces_left,
    set_value,
    solve_auction,
    sum_value,
    take_weights,
    tiles_to_come,
    utility,
    variety_value,
)
from ra_env.prospects import PROSPECTS
from ra_env.rules import exchange_suns, is_over, returns, take_lot
from ra_env.scoring import god_fame, sun_sum
from ra_env.state import AUCTION, DISCARD, GODS, INVOKED, NO_SUN, STATE, TURN
from ra_env.weights import (
    CALL_OF_OTHERS,
    DRAWN_TILE,
    FLOODS,
    NUM_WEIGHTS,
    PHARAOH_LATER_SPREAD,
    PHARAOH_SPREAD,
    SUM_SPREAD,
)
from tabletop.estimate import expected_returns
from tabletop.kinds import Array, Record
from tabletop.words import highest, lowest

COEFFICIENTS = 2 * NUM_FEATURES  # of one epoch


def evaluate(state: Record, weights: Array, out: Array) -> None:
    """Write each seat's expected return; the return itself when the game is over."""
    if is_over(state):
        returns(state, out)
    elif state.phase == AUCTION:
        estimate_sold(state, weights, np.empty(1, PROSPECTS), np.empty(1, STATE), out)
    else:
        estimate(state, weights, np.empty(1, PROSPECTS), out)


def estimate(state: Record, weights: Array, scratch: Array, out: Array) -> None:
    """The same for a game that is neither over nor in an auction, with the caller's PROSPECTS[1].

    A record of an array does not keep it alive: the array must outlive the call.
    """
    table = scratch[0]
    take_weights(state, weights, table)
    fill_features(state, table)
    write_estimate(state, weights, table, out)


def estimate_sold(state: Record, weights: Array, scratch: Array, copies: Array, out: Array) -> None:
    """The same in an auction, with the caller's PROSPECTS[1] and STATE[1], which must outlive the call."""
    table = scratch[0]
    take_weights(state, weights, table)
    fill_features_sold(state, table, copies)
    write_estimate(state, weights, table, out)


def write_estimate(state: Record, weights: Array, table: Record, out: Array) -> None:
    """Make expected returns of the features."""
    first = NUM_WEIGHTS + COEFFICIENTS * int(state.epoch)
    players = int(state.num_players)
    expected_returns(state, players, weights, first, progress(state), table.features, table.strength, out)


def features(state: Record, weights: Array, out: Array) -> None:
    """Write the features of every seat, float64[num_players or more, NUM_FEATURES]."""
    write_features(state, weights, np.empty(1, PROSPECTS), np.empty(1, STATE), out)


def write_features(state: Record, weights: Array, scratch: Array, copies: Array, out: Array) -> None:
    """The same with the caller's PROSPECTS[1] and STATE[1] to write into, which must outlive the call."""
    table = scratch[0]
    take_weights(state, weights, table)
    if state.phase == AUCTION:
        fill_features_sold(state, table, copies)
    else:
        fill_features(state, table)
    for player in range(state.num_players):
        for feature in range(NUM_FEATURES):
            out[player, feature] = table.features[player, feature]


def describe(state: Record, weights: Array, rows: Array, out: Array) -> None:
    """Write the features of every seat to float64[num_players or more, NUM_FEATURES], and its expected return."""
    describe_with(state, weights, np.empty(1, PROSPECTS), np.empty(1, STATE), rows, out)


def describe_with(
    state: Record, weights: Array, scratch: Array, copies: Array, rows: Array, out: Array
) -> None:
    """The same with the caller's PROSPECTS[1] and STATE[1] to write into, which must outlive the call."""
    write_features(state, weights, scratch, copies, rows)
    write_estimate(state, weights, scratch[0], out)


def stage(state: Record) -> int:
    """How many epochs have ended."""
    return int(state.epoch)


def progress(state: Record) -> float:
    """The part of the Ra track that is full."""
    return int(state.ra_tiles) / int(state.ra_spaces)


def fill_features_sold(state: Record, table: Record, copies: Array) -> None:
    """Fill `features` in an auction: those after it."""
    fill_prospects(state, table)
    sun = winning_sun(state, table)
    if sun == NO_SUN:
        fill_features(state, table)
        return
    copies[0] = state
    sold = copies[0]
    sell_lot(sold, sun, int(table.owner[sun]))
    fill_features(sold, table)


def winning_sun(state: Record, table: Record) -> int:
    """The sun that should win the auction in progress, or NO_SUN."""
    fill_bidders_gains(state, table)
    fill_nets(state, table, ra_spaces_left(state))
    kept = kept_share(state, table, int(state.cause), ra_spaces_left(state))
    caller = int(state.turn_player)
    solve_auction(state, table, int(state.current), caller, 0.0, kept, state.cause == INVOKED)
    return int(table.outcome[state.high_bid])


def sell_lot(state: Record, sun: int, winner: int) -> None:
    """End the auction: the winner has taken the lot and has yet to discard what disasters cost."""
    state.high_bid = sun
    state.high_bidder = winner
    exchange_suns(state)
    take_lot(state)
    state.phase = DISCARD


def fill_features(state: Record, table: Record) -> None:
    """Fill `features` for every seat."""
    fill_rates(state, table)
    plenty = abundance(state, table, ra_spaces_left(state))
    for player in range(state.num_players):
        for feature in range(NUM_FEATURES):
            table.features[player, feature] = 0.0
        fill_holdings(state, table, player)
        fill_suns_held(state, table, player, plenty)
    if state.lot_size > 0 and (state.phase == TURN or state.phase == GODS):
        for player in range(state.num_players):
            fill_suns(state, table, player)
        fill_lot(state, table)


def fill_holdings(state: Record, table: Record, player: int) -> None:
    """What a seat's tiles score, and may score with those to come."""
    rate = table.rate[player]
    row = table.features
    row[player, FAME] = int(state.fame[player])
    row[player, SURE] = FAME_PER_GOLD * int(state.tiles[player, GOLD]) + god_fame(state, player)
    row[player, GODS_HELD] = int(state.tiles[player, GOD]) * ra_spaces_left(state) / int(state.ra_spaces)
    fill_pharaohs(state, table, player)
    floods = int(state.tiles[player, FLOOD])
    niles = int(state.tiles[player, NILE])
    scoring = niles + rate * int(state.bag[NILE])
    if floods > 0:
        row[player, NILES] = floods + scoring
    else:
        row[player, NILES] = scoring * likely(state, table.weights[FLOODS] * rate * int(state.bag[FLOOD]))
    row[player, NILES_LATER] = niles * epochs_left(state)
    fill_arrivals(state, table, FIRST_CIVILIZATION, NUM_CIVILIZATIONS, rate)
    hand = hand_after_losses(state, table, player, FIRST_CIVILIZATION, NUM_CIVILIZATIONS)
    row[player, CIVILIZATIONS] = variety_value(state, table, hand, FIRST_CIVILIZATION)
    fill_arrivals(state, table, FIRST_MONUMENT, NUM_MONUMENTS, rate)
    hand = hand_after_losses(state, table, player, FIRST_MONUMENT, NUM_MONUMENTS)
    row[player, MONUMENTS] = variety_value(state, table, hand, FIRST_MONUMENT)
    sets = 0.0
    for kind in range(NUM_MONUMENTS):
        sets += set_value(state, (hand >> (KIND_BITS * kind)) & KIND_MASK, table.arrival[kind])
    row[player, MONUMENT_SETS] = sets


def hand_after_losses(state: Record, table: Record, player: int, first: int, kinds: int) -> int:
    """The packed tiles of a category without those that the player to move has yet to discard."""
    hand = hand_of(state, player, first, kinds)
    if state.phase == DISCARD and player == state.current:
        losses = int(state.civilization_losses if first == FIRST_CIVILIZATION else state.monument_losses)
        for _ in range(losses):
            if hand != 0:
                hand -= 1 << (KIND_BITS * least_loss(state, table, hand, first, kinds))
    return hand


def fill_pharaohs(state: Record, table: Record, player: int) -> None:
    """A soft comparison with the others' Pharaohs at the end of this epoch, and of later ones."""
    most = 0.0
    fewest = NO_LOWEST
    for other in range(state.num_players):
        if other != player:
            most = max(most, table.pharaohs_to_be[other])
            fewest = min(fewest, table.pharaohs_to_be[other])
    own = table.pharaohs_to_be[player]
    track = ra_spaces_left(state) / int(state.ra_spaces)
    spread = PHARAOH_CERTAINTY + table.weights[PHARAOH_SPREAD] * track
    table.features[player, PHARAOHS] = comparison_value(state, own, most, fewest, spread)
    left = epochs_left(state)
    if left > 0:
        spread = table.weights[PHARAOH_LATER_SPREAD]
        table.features[player, PHARAOHS_LATER] = left * comparison_value(state, own, most, fewest, spread)


def fill_suns_held(state: Record, table: Record, player: int, plenty: float) -> None:
    """What a seat's suns may yet buy, and what they are worth when they are kept."""
    row = table.features
    suns = int(state.suns_up[player])
    others = 0
    for other in range(state.num_players):
        if other != player:
            others |= int(state.suns_up[other])
    number = count_suns(state, suns)
    rivals = count_suns(state, others)
    row[player, SUNS] = plenty * number
    if number > 0:
        tiles = tiles_to_come(state, table, ra_spaces_left(state))
        row[player, ALONE] = tiles * number / (number + rivals)
    if rivals > 0:
        rest = suns
        rank = 0.0
        while rest != 0:
            below = count_suns(state, others & ((1 << lowest(np.uint64(rest))) - 1))
            rank += 2.0 * below / rivals - 1.0
            rest &= rest - 1
        row[player, RANK] = plenty * rank
    if epochs_left(state) > 0:
        row[player, CARRIED] = sun_sum(state, player)
    else:
        row[player, SUN_SUM] = final_sum_value(state, table, player, float(table.sun_sum[player]))
        row[player, HIGHEST_SUN] = highest(np.uint64(suns | int(state.suns_down[player]))) / MAX_SUN


def final_sum_value(state: Record, table: Record, player: int, total: float) -> float:
    """The fame to expect at the game's end for a sum of suns."""
    most = -1.0
    least = NO_LOWEST
    for other in range(state.num_players):
        if other != player:
            most = max(most, table.sun_sum[other])
            least = min(least, table.sun_sum[other])
    return sum_value(state, total - most, least - total, table.weights[SUM_SPREAD])


def fill_lot(state: Record, table: Record) -> None:
    """What the lot brings the one who should win it when the next one invokes Ra for whom that is good.

    As in `wait_value` of the greedy valuation: until then others draw, a Ra tile perhaps. Here the
    same sun wins whoever invokes: an auction solved for each takes as long as all other features.
    """
    fill_gains(state, table)
    fill_nets(state, table, ra_spaces_left(state))
    caller = int(state.turn_player)
    size = int(state.lot_size)
    sun = call_outcome(state, table, caller, 0.0, size)
    if sun == NO_SUN:
        return
    growth = 0.0
    reach = 1.0
    for _ in range(state.num_players):
        called = utility(state, table, caller, sun, growth, 0.0) > table.weights[CALL_OF_OTHERS]
        if called or size >= AUCTION_SPACES:
            table.features[int(table.owner[sun]), LOT_GAIN] = reach * (table.net[sun] + growth)
            return
        reach *= 1.0 - ra_chance(state)
        size += 1
        growth += table.weights[DRAWN_TILE]
        caller = next_with_suns(state, caller)


jit_module(cache=True, nogil=True, forceinline=False)
