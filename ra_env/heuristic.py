"""What the tiles and suns of Ra are worth, and the move that a look one move ahead prefers.

    greedy_action               the best move of a turn, a God turn, an auction, a discard
    best_turn, best_god_play, best_bid, best_discard
    call_outcome, wait_value    what invoking Ra and leaving the lot to the others bring
    solve_auction               who wins with which sun if everybody bids for the best outcome
    sun_price                   what a winner gives up: a chance to buy, and points to carry on
    lot_gain, tile_gain         what tiles add to a player's prospects
    pharaoh_value ...           the prospects, one function a scoring category

Everything is in fame, for one player or another, given the tiles and suns of all and what is left
in the bag. Suns lie open, so bidding is solved exactly: all players are taken to share this
valuation. `weights` is float64[number of weights] as `ra_env.weights` names them. `table` is scratch,
float64[NUM_ROWS, MAX_SUN + 1], filled once a decision. A `hand` is the tiles of a category packed
into one integer, four bits a kind. Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

from math import sqrt

import numpy as np
from numba import jit_module

from ra_env.actions import BID, DISCARD_CIVILIZATION, DISCARD_MONUMENT, DRAW, END, INVOKE, PASS, TAKE
from ra_env.components import (
    AUCTION_SPACES,
    CIVILIZATION_FAME,
    DROUGHT,
    EARTHQUAKE,
    END_MONUMENT,
    EPOCHS,
    FAME_PER_GOD,
    FAME_PER_GOLD,
    FEWEST_PHARAOHS,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    HIGHEST_SUN_SUM,
    LOWEST_SUN_SUM,
    MAX_SUN,
    MONUMENT_KINDS_FAME,
    MONUMENT_SET_FAME,
    MOST_PHARAOHS,
    NILE,
    NUM_CIVILIZATIONS,
    NUM_MONUMENTS,
    NUM_TILES,
    PHARAOH,
    RA,
    TILES_LOST_PER_DISASTER,
    UNREST,
)
from ra_env.rules import first_target, left_of
from ra_env.scoring import sun_sum
from ra_env.state import (
    AUCTION,
    AUCTION_ON_LAST_RA,
    DISCARD_UNSOLD,
    GODS,
    GODS_KEPT,
    INVOKED,
    NO_SUN,
    RA_DRAWN,
    TURN,
)
from ra_env.weights import (
    BID_MARGIN,
    CALL_MARGIN,
    CALL_OF_OTHERS,
    CARRY,
    CIVILIZATIONS,
    DRAWN_TILE,
    FLOODS,
    FLOW,
    GOD_MARGIN,
    GOD_OPTION,
    KEPT_LOT,
    LOST_FLOW,
    MONUMENT_SETS,
    MONUMENTS,
    MOST_TILES,
    NILE_LATER,
    PHARAOH_LATER_SPREAD,
    PHARAOH_SPREAD,
    PHARAOHS,
    PHARAOHS_LATER,
    RANK,
    SPITE,
    SUM_SPREAD,
    SUN,
    SUN_HALF,
)
from tabletop.kinds import Array, Record
from tabletop.words import popcount

# Rows of `table`.
GAIN = 0  # [player] what the lot is worth to them, without the price
NET = 1  # [sun] what the lot is worth to the owner of a face-up sun, less the price of that sun
OWNER = 2  # [sun] the owner of a face-up sun
OUTCOME = 3  # [highest bid] the sun that will win
VARIETY = 4  # scratch of `variety_value`
NUM_ROWS = 5

KIND_BITS = 4
KIND_MASK = 15
NEVER = -1e9
LEVEL = 0.5  # equal numbers count as more
PHARAOH_CERTAINTY = 0.3  # the spread of a comparison of Pharaohs at the end of an epoch
KINDS_OF_SETS = len(MONUMENT_SET_FAME)


# The move


def greedy_action(state: Record, weights: Array) -> int:
    """Return the move that the valuation prefers; among equals always the same one."""
    table = np.empty((NUM_ROWS, MAX_SUN + 1), np.float64)
    if state.phase == AUCTION:
        return best_bid(state, weights, table)
    if state.phase == TURN:
        return best_turn(state, weights, table)
    if state.phase == GODS:
        return best_god_turn(state, weights, table)
    return best_discard(state, weights, table)


def best_turn(state: Record, weights: Array, table: Array) -> int:
    """Draw, invoke Ra or play a God tile."""
    player = int(state.current)
    fill_gains(state, weights, table)
    ra_value = drawn_ra_value(state, weights, table)
    fill_nets(state, weights, table, ra_spaces_left(state))
    size = int(state.lot_size)
    best = INVOKE
    value = utility(state, weights, table, player, call_outcome(state, weights, table, player, 0.0, size), 0.0, 0.0)
    if size < AUCTION_SPACES:
        chance = ra_chance(state)
        draw = chance * ra_value + (1.0 - chance) * wait_value(state, weights, table, ra_value, 1)
        if draw >= value - weights[CALL_MARGIN]:
            best = DRAW
            value = draw
    if state.tiles[player, GOD] > 0:
        return best_god_play(state, weights, table, ra_value, best, value)
    return best


def best_god_turn(state: Record, weights: Array, table: Array) -> int:
    """Play one more God tile or end the turn."""
    fill_gains(state, weights, table)
    ra_value = drawn_ra_value(state, weights, table)
    fill_nets(state, weights, table, ra_spaces_left(state))
    wait = wait_value(state, weights, table, ra_value, 0)
    return best_god_play(state, weights, table, ra_value, END, wait)


def best_god_play(state: Record, weights: Array, table: Array, ra_value: float, best: int, value: float) -> int:
    """Take the tile that is worth most beyond the God tile, the others then finding the lot without it.

    `best` is the best of the other moves and `value` what it brings.
    """
    player = int(state.current)
    suns = num_suns(state, player)
    draws = tiles_expected(state, weights, player, suns)
    price = god_worth(state, weights, suns) + weights[GOD_MARGIN]
    for tile in range(first_target(state), NUM_TILES):
        if state.lot[tile] > 0:
            gain = tile_gain(state, weights, table, player, tile, draws) - price
            resize_lot(state, weights, table, tile, -1.0)
            gain += wait_value(state, weights, table, ra_value, 0)
            resize_lot(state, weights, table, tile, 1.0)
            if gain > value:
                best = TAKE + tile - GOD
                value = gain
    return best


def best_bid(state: Record, weights: Array, table: Array) -> int:
    """Bid the sun with the best outcome, the lowest of equals; pass if that is no worse."""
    player = int(state.current)
    caller = int(state.turn_player)
    fill_gains(state, weights, table)
    fill_nets(state, weights, table, ra_spaces_left(state))
    kept = kept_share(state, weights, int(state.cause), ra_spaces_left(state))
    if player == caller:
        clear_outcomes(state, table)
    else:
        solve_auction(state, weights, table, left_of(state, player), caller, 0.0, kept, state.cause == INVOKED)
    best = PASS
    value = utility(state, weights, table, player, int(table[OUTCOME, state.high_bid]), 0.0, kept)
    if player == caller and state.high_bid == NO_SUN and state.cause == INVOKED:
        value = NEVER
    for sun in range(int(state.high_bid) + 1, MAX_SUN + 1):
        if (int(state.suns_up[player]) >> sun) & 1:
            bid = utility(state, weights, table, player, int(table[OUTCOME, sun]), 0.0, kept)
            if bid > value:
                best = BID + sun - 1
                value = bid
    return best


def best_discard(state: Record, weights: Array, table: Array) -> int:
    """Lose the tile that leaves the best rest."""
    player = int(state.current)
    draws = tiles_expected(state, weights, player, num_suns(state, player))
    first, kinds, action = FIRST_MONUMENT, NUM_MONUMENTS, DISCARD_MONUMENT
    if state.civilization_losses > 0:
        first, kinds, action = FIRST_CIVILIZATION, NUM_CIVILIZATIONS, DISCARD_CIVILIZATION
    hand = hand_of(state, player, first, kinds)
    return action + least_loss(state, weights, table, player, hand, first, kinds, draws)


# Turns


def call_outcome(state: Record, weights: Array, table: Array, caller: int, growth: float, size: int) -> int:
    """The sun that wins if `caller` invokes Ra when the lot has `size` tiles and has gained `growth`."""
    forced = size < AUCTION_SPACES
    solve_auction(state, weights, table, left_of(state, caller), caller, growth, 0.0, forced)
    return int(table[OUTCOME, NO_SUN])


def drawn_ra_value(state: Record, weights: Array, table: Array) -> float:
    """What it brings the player to move to draw a Ra tile: an auction, and fewer tiles to come for every sun."""
    player = int(state.current)
    ra_left = ra_spaces_left(state) - 1
    value = 0.0
    for other in range(state.num_players):
        faded = chances_worth(state, weights, other, ra_left + 1) - chances_worth(state, weights, other, ra_left)
        value += -faded if other == player else weights[SPITE] * faded
    if ra_left > 0 or state.options[AUCTION_ON_LAST_RA] == 1:
        fill_nets(state, weights, table, ra_left)
        kept = kept_share(state, weights, RA_DRAWN, ra_left)
        solve_auction(state, weights, table, left_of(state, player), player, 0.0, kept, False)
        value += utility(state, weights, table, player, int(table[OUTCOME, NO_SUN]), 0.0, kept)
    return value


def wait_value(state: Record, weights: Array, table: Array, ra_value: float, drawn: int) -> float:
    """What it brings the player to move to leave the lot to the others, after drawing `drawn` more tiles.

    The next one invokes Ra if that is good for them, or draws a tile, and so on until it is the
    player's turn again, who may invoke Ra as well.
    """
    player = int(state.current)
    chance = ra_chance(state)
    size = int(state.lot_size) + drawn
    growth = drawn * weights[DRAWN_TILE]
    value = 0.0
    reach = 1.0
    caller = next_with_suns(state, player)
    while caller != player:
        winner = call_outcome(state, weights, table, caller, growth, size)
        theirs = utility(state, weights, table, caller, winner, growth, 0.0)
        if theirs > weights[CALL_OF_OTHERS] or size >= AUCTION_SPACES:
            return value + reach * utility(state, weights, table, player, winner, growth, 0.0)
        value += reach * chance * ra_value
        reach *= 1.0 - chance
        size += 1
        growth += weights[DRAWN_TILE]
        caller = next_with_suns(state, caller)
    winner = call_outcome(state, weights, table, player, growth, size)
    return value + reach * max(0.0, utility(state, weights, table, player, winner, growth, 0.0))


def resize_lot(state: Record, weights: Array, table: Array, tile: int, sign: float) -> None:
    """Take one tile's part out of everybody's gains (sign -1), or put it back (+1)."""
    for player in range(state.num_players):
        suns = int(state.suns_up[player])
        if suns != 0:
            draws = tiles_expected(state, weights, player, num_suns(state, player) - 1)
            change = sign * tile_gain(state, weights, table, player, tile, draws)
            table[GAIN, player] += change
            for sun in range(1, MAX_SUN + 1):
                if (suns >> sun) & 1:
                    table[NET, sun] += change


# Auctions


def solve_auction(
    state: Record,
    weights: Array,
    table: Array,
    first: int,
    caller: int,
    growth: float,
    kept: float,
    forced: bool,
) -> None:
    """Fill OUTCOME: the sun that wins if `first` is asked next and the highest bid is given.

    From the last one asked, the Ra player, back to the first, everybody chooses the bid, or the
    pass, whose outcome is best for them. `kept` is the share of its gain that an unsold lot is
    worth. An invoker whom all others pass bids (`forced`), also where the option lets them pass:
    otherwise they would not have invoked, and games between such players might never end.
    """
    clear_outcomes(state, table)
    player = caller
    while True:
        answer_bids(state, weights, table, player, growth, kept, forced and player == caller)
        if player == first:
            return
        player = right_of(state, player)


def clear_outcomes(state: Record, table: Array) -> None:
    """When nobody is left to bid the highest bid wins."""
    for sun in range(MAX_SUN + 1):
        table[OUTCOME, sun] = sun


def answer_bids(
    state: Record, weights: Array, table: Array, player: int, growth: float, kept: float, forced: bool
) -> None:
    """Put a player before those whose outcomes are known: for each highest bid their best answer."""
    suns = int(state.suns_up[player])
    if suns == 0:
        return
    best = 0.0
    best_value = NEVER
    for high in range(MAX_SUN, NO_SUN - 1, -1):
        outcome = table[OUTCOME, high]
        value = utility(state, weights, table, player, int(outcome), growth, kept)
        if (suns >> high) & 1:
            if value >= best_value:
                best = outcome
                best_value = value
        elif best_value > value or (forced and high == NO_SUN):
            table[OUTCOME, high] = best


def utility(state: Record, weights: Array, table: Array, player: int, sun: int, growth: float, kept: float) -> float:
    """What it means to a player that a sun wins: the net gain as the winner, a loss as another."""
    if sun == NO_SUN:
        return kept * (table[GAIN, player] + growth)
    net = table[NET, sun] + growth
    if int(table[OWNER, sun]) == player:
        return net - weights[BID_MARGIN]
    return -weights[SPITE] * net


def kept_share(state: Record, weights: Array, cause: int, ra_left: int) -> float:
    """The share of its gain that the lot is worth when nobody buys it: nothing if it is discarded."""
    if cause == RA_DRAWN and ra_left > 0 and state.options[DISCARD_UNSOLD] == 0:
        return weights[KEPT_LOT]
    return 0.0


def fill_gains(state: Record, weights: Array, table: Array) -> None:
    """Fill GAIN for everybody who may yet buy the lot."""
    for player in range(state.num_players):
        if state.suns_up[player] != 0:
            table[GAIN, player] = lot_gain(state, weights, table, player)


def fill_nets(state: Record, weights: Array, table: Array, ra_left: int) -> None:
    """Fill NET and OWNER: all suns that lie face up, while so many Ra tiles are still to come."""
    for sun in range(MAX_SUN + 1):
        table[NET, sun] = 0.0
        table[OWNER, sun] = -1.0
    for player in range(state.num_players):
        suns = int(state.suns_up[player])
        for sun in range(1, MAX_SUN + 1):
            if (suns >> sun) & 1:
                table[OWNER, sun] = player
                table[NET, sun] = table[GAIN, player] - sun_price(state, weights, player, sun, ra_left)


# Suns


def sun_price(state: Record, weights: Array, player: int, sun: int, ra_left: int) -> float:
    """What the winner gives up: the chance to buy with that sun, and points against the center sun."""
    points = sun - int(state.center_sun)
    price = chance_worth(state, weights, player, sun, ra_left)
    if state.epoch < EPOCHS - 1:
        return price + weights[CARRY] * points
    total = sun_sum(state, player)
    return price + sum_value(state, weights, player, total) - sum_value(state, weights, player, total - points)


def chance_worth(state: Record, weights: Array, player: int, sun: int, ra_left: int) -> float:
    """What a face-up sun will buy this epoch: by the tiles to come for each sun, and by its rank."""
    alive = suns_alive(state)
    tiles = tiles_to_come(state, weights, ra_left) / count_suns(state, alive)
    others = alive & ~int(state.suns_up[player])
    rank = 0.0
    if others != 0:
        below = others & ((1 << sun) - 1)
        rank = 2.0 * count_suns(state, below) / count_suns(state, others) - 1.0
    return (weights[SUN] + weights[RANK] * rank) * tiles / (tiles + weights[SUN_HALF])


def chances_worth(state: Record, weights: Array, player: int, ra_left: int) -> float:
    """What all face-up suns of a player will buy this epoch."""
    suns = int(state.suns_up[player])
    worth = 0.0
    if ra_left > 0:
        for sun in range(1, MAX_SUN + 1):
            if (suns >> sun) & 1:
                worth += chance_worth(state, weights, player, sun, ra_left)
    return worth


def sum_value(state: Record, weights: Array, player: int, total: int) -> float:
    """The fame to expect at the game's end for a sum of suns, compared with the others' of now."""
    highest = -1
    lowest = MAX_SUN * MAX_SUN
    for other in range(state.num_players):
        if other != player:
            points = sun_sum(state, other)
            highest = max(highest, points)
            lowest = min(lowest, points)
    spread = weights[SUM_SPREAD]
    above = likely_more(state, float(total - highest), spread)
    below = likely_more(state, float(lowest - total), spread)
    return HIGHEST_SUN_SUM * above + LOWEST_SUN_SUM * below


def suns_alive(state: Record) -> int:
    """The set of all suns that lie face up."""
    alive = 0
    for player in range(state.num_players):
        alive |= int(state.suns_up[player])
    return alive


def num_suns(state: Record, player: int) -> int:
    """How many suns of a player lie face up."""
    return count_suns(state, int(state.suns_up[player]))


def count_suns(state: Record, suns: int) -> int:
    """How many suns a set holds."""
    return int(popcount(np.uint64(suns)))


# Tiles to come


def ra_spaces_left(state: Record) -> int:
    """Free spaces of the Ra track."""
    return int(state.ra_spaces) - int(state.ra_tiles)


def ra_chance(state: Record) -> float:
    """The probability that the next tile is a Ra tile."""
    return int(state.bag[RA]) / int(state.bag_total)


def tiles_to_come(state: Record, weights: Array, ra_left: int) -> float:
    """How many more tiles will be sold this epoch: what lies on the track at its end is lost."""
    lost = 0.0 if state.options[AUCTION_ON_LAST_RA] == 1 else weights[LOST_FLOW]
    return weights[FLOW] * max(0.0, ra_left - lost)


def tiles_expected(state: Record, weights: Array, player: int, suns: int) -> float:
    """How many tiles a player will still get this epoch with so many suns: their share of those to come."""
    if suns <= 0:
        return 0.0
    each = tiles_to_come(state, weights, ra_spaces_left(state)) / count_suns(state, suns_alive(state))
    return suns * min(weights[MOST_TILES], each)


def tiles_later(state: Record, weights: Array) -> float:
    """How many tiles a player will get in the epochs after this one."""
    epoch = tiles_to_come(state, weights, int(state.ra_spaces)) / int(state.num_players)
    return epoch * epochs_left(state)


def epochs_left(state: Record) -> int:
    """How many epochs come after this one."""
    return EPOCHS - 1 - int(state.epoch)


def share(state: Record, tile: int) -> float:
    """The part of the bag's tiles, without the Ra tiles, that is of one kind."""
    return int(state.bag[tile]) / (int(state.bag_total) - int(state.bag[RA]))


def likely(state: Record, expected: float) -> float:
    """The probability of at least one tile where so many are expected, without the cost of exp()."""
    return 1.0 - 1.0 / (1.0 + expected + 0.5 * expected * expected)


def likely_more(state: Record, lead: float, spread: float) -> float:
    """The probability that a lead lasts: a soft step from 0 to 1, 0.85 where the lead is one spread."""
    steps = lead / spread
    return 0.5 + 0.5 * steps / sqrt(1.0 + steps * steps)


# What tiles add


def lot_gain(state: Record, weights: Array, table: Array, player: int) -> float:
    """What the whole lot is worth to a player who gives one sun for it, disasters included."""
    suns = num_suns(state, player) - 1
    draws = tiles_expected(state, weights, player, suns)
    lot = state.lot
    gain = float(FAME_PER_GOLD * int(lot[GOLD]))
    if lot[GOD] > 0:
        gain += int(lot[GOD]) * god_worth(state, weights, suns)
    if lot[PHARAOH] > 0 or lot[FUNERAL] > 0:
        gain += pharaoh_gain(state, weights, player, int(lot[PHARAOH]), int(lot[FUNERAL]), draws)
    if lot[NILE] > 0 or lot[FLOOD] > 0 or lot[DROUGHT] > 0:
        gain += nile_gain(state, weights, player, int(lot[NILE]), int(lot[FLOOD]), int(lot[DROUGHT]), draws)
    for category in range(2):
        first, kinds, disaster = FIRST_CIVILIZATION, NUM_CIVILIZATIONS, UNREST
        if category == 1:
            first, kinds, disaster = FIRST_MONUMENT, NUM_MONUMENTS, EARTHQUAKE
        more = lot_hand(state, first, kinds)
        if more != 0 or lot[disaster] > 0:
            gain += hand_gain(state, weights, table, player, more, int(lot[disaster]), first, kinds, draws)
    return gain


def tile_gain(state: Record, weights: Array, table: Array, player: int, tile: int, draws: float) -> float:
    """What a single tile, or a single disaster, is worth to a player."""
    if tile == GOD:
        return god_worth(state, weights, num_suns(state, player))
    if tile == GOLD:
        return float(FAME_PER_GOLD)
    if tile == PHARAOH or tile == FUNERAL:
        return pharaoh_gain(state, weights, player, int(tile == PHARAOH), int(tile == FUNERAL), draws)
    if tile == NILE or tile == FLOOD or tile == DROUGHT:
        return nile_gain(state, weights, player, int(tile == NILE), int(tile == FLOOD), int(tile == DROUGHT), draws)
    first, kinds, disaster = FIRST_CIVILIZATION, NUM_CIVILIZATIONS, UNREST
    if FIRST_MONUMENT <= tile < END_MONUMENT or tile == EARTHQUAKE:
        first, kinds, disaster = FIRST_MONUMENT, NUM_MONUMENTS, EARTHQUAKE
    more = 0 if tile == disaster else 1 << (KIND_BITS * (tile - first))
    return hand_gain(state, weights, table, player, more, int(tile == disaster), first, kinds, draws)


def god_worth(state: Record, weights: Array, suns: int) -> float:
    """What a God tile scores, and the choice of a tile it gives as long as the player has turns to use it."""
    if state.options[GODS_KEPT] == 1:
        worth = weights[GOD_OPTION] * epochs_left(state)
    else:
        worth = float(FAME_PER_GOD)
    if suns > 0:
        worth += weights[GOD_OPTION] * ra_spaces_left(state) / int(state.ra_spaces)
    return worth


def pharaoh_gain(state: Record, weights: Array, player: int, more: int, funerals: int, draws: float) -> float:
    """What Pharaohs bring, Funerals then taking two each."""
    held = int(state.tiles[player, PHARAOH])
    after = max(0, held + more - TILES_LOST_PER_DISASTER * funerals)
    return pharaoh_value(state, weights, player, after, draws) - pharaoh_value(state, weights, player, held, draws)


def nile_gain(
    state: Record, weights: Array, player: int, niles: int, floods: int, droughts: int, draws: float
) -> float:
    """What Niles and Floods bring, Droughts then taking two each, Floods first."""
    held_niles = int(state.tiles[player, NILE])
    held_floods = int(state.tiles[player, FLOOD])
    losses = TILES_LOST_PER_DISASTER * droughts
    lost_floods = min(losses, held_floods + floods)
    after_niles = max(0, held_niles + niles - (losses - lost_floods))
    after = nile_value(state, weights, after_niles, held_floods + floods - lost_floods, draws)
    return after - nile_value(state, weights, held_niles, held_floods, draws)


def hand_gain(
    state: Record,
    weights: Array,
    table: Array,
    player: int,
    more: int,
    disasters: int,
    first: int,
    kinds: int,
    draws: float,
) -> float:
    """What a packed hand of civilization tiles or monuments brings, disasters then taking two each."""
    held = hand_of(state, player, first, kinds)
    after = held + more
    for _ in range(TILES_LOST_PER_DISASTER * disasters):
        if after != 0:
            lost = least_loss(state, weights, table, player, after, first, kinds, draws)
            after -= 1 << (KIND_BITS * lost)
    value = hand_value(state, weights, table, after, first, draws)
    return value - hand_value(state, weights, table, held, first, draws)


def least_loss(
    state: Record, weights: Array, table: Array, player: int, hand: int, first: int, kinds: int, draws: float
) -> int:
    """The kind of which a hand loses a tile with the best rest."""
    best = -1
    best_value = NEVER
    for kind in range(kinds):
        if (hand >> (KIND_BITS * kind)) & KIND_MASK:
            value = hand_value(state, weights, table, hand - (1 << (KIND_BITS * kind)), first, draws)
            if value > best_value:
                best = kind
                best_value = value
    return best


# Prospects, by scoring category


def pharaoh_value(state: Record, weights: Array, player: int, held: int, draws: float) -> float:
    """Most and fewest Pharaohs, by a soft comparison with the others at the end of this and of later epochs."""
    part = share(state, PHARAOH)
    most = 0.0
    fewest = 1000.0
    for other in range(state.num_players):
        if other != player:
            theirs = int(state.tiles[other, PHARAOH])
            expected = theirs + part * tiles_expected(state, weights, other, num_suns(state, other))
            most = max(most, expected)
            fewest = min(fewest, expected)
    own = held + part * draws
    track = ra_spaces_left(state) / int(state.ra_spaces)
    spread = PHARAOH_CERTAINTY + weights[PHARAOH_SPREAD] * track
    value = weights[PHARAOHS] * comparison_value(state, own, most, fewest, spread)
    left = epochs_left(state)
    if left > 0:
        later = weights[PHARAOH_LATER_SPREAD]
        value += weights[PHARAOHS_LATER] * left * comparison_value(state, own, most, fewest, later)
    return value


def comparison_value(state: Record, own: float, most: float, fewest: float, spread: float) -> float:
    """The fame to expect for Pharaohs; who is level with the most or the fewest counts as such."""
    above = likely_more(state, own - most + LEVEL, spread)
    below = likely_more(state, fewest - own + LEVEL, spread)
    return MOST_PHARAOHS * above + FEWEST_PHARAOHS * below


def nile_value(state: Record, weights: Array, niles: int, floods: int, draws: float) -> float:
    """Niles score with a Flood, held or likely to come, and stay for later epochs."""
    later = weights[NILE_LATER] * epochs_left(state) * niles
    scoring = niles + draws * share(state, NILE)
    if floods > 0:
        return later + floods + scoring
    return later + scoring * likely(state, weights[FLOODS] * draws * share(state, FLOOD))


def hand_value(state: Record, weights: Array, table: Array, hand: int, first: int, draws: float) -> float:
    """A packed hand of civilization tiles, or of monuments, which score once at the game's end."""
    if first == FIRST_CIVILIZATION:
        expected = weights[CIVILIZATIONS] * draws
        return variety_value(state, table, hand, first, CIVILIZATION_FAME, expected)
    expected = weights[MONUMENTS] * (draws + tiles_later(state, weights))
    value = variety_value(state, table, hand, first, MONUMENT_KINDS_FAME, expected)
    for kind in range(NUM_MONUMENTS):
        held = (hand >> (KIND_BITS * kind)) & KIND_MASK
        if held > 0:
            chance = likely(state, expected * share(state, first + kind))
            value += weights[MONUMENT_SETS] * set_value(state, held, chance)
    return value


def variety_value(state: Record, table: Array, hand: int, first: int, fame: Array, expected: float) -> float:
    """The fame to expect for different kinds, each missing one coming with its own probability.

    VARIETY holds the fame for each number of kinds, averaged over one more missing kind at a time.
    """
    kinds = len(fame) - 1
    for number in range(kinds + 1):
        table[VARIETY, number] = fame[number]
    held = 0
    top = kinds
    for kind in range(kinds):
        if (hand >> (KIND_BITS * kind)) & KIND_MASK:
            held += 1
        else:
            chance = likely(state, expected * share(state, first + kind))
            for number in range(top):
                table[VARIETY, number] += chance * (table[VARIETY, number + 1] - table[VARIETY, number])
            top -= 1
    return float(table[VARIETY, held])


def set_value(state: Record, held: int, chance: float) -> float:
    """The fame to expect for identical monuments, each further one coming with the same probability."""
    value = float(MONUMENT_SET_FAME[held])
    reach = 1.0
    for number in range(held + 1, KINDS_OF_SETS):
        reach *= chance
        value += reach * (int(MONUMENT_SET_FAME[number]) - int(MONUMENT_SET_FAME[number - 1]))
    return value


def hand_of(state: Record, player: int, first: int, kinds: int) -> int:
    """The tiles of a category that a player holds, packed."""
    hand = 0
    for kind in range(kinds):
        hand |= int(state.tiles[player, first + kind]) << (KIND_BITS * kind)
    return hand


def lot_hand(state: Record, first: int, kinds: int) -> int:
    """The tiles of a category in the lot, packed."""
    hand = 0
    for kind in range(kinds):
        hand |= int(state.lot[first + kind]) << (KIND_BITS * kind)
    return hand


# Seats


def right_of(state: Record, player: int) -> int:
    """The next seat counterclockwise."""
    return int(state.num_players) - 1 if player == 0 else player - 1


def next_with_suns(state: Record, player: int) -> int:
    """The next one clockwise who has a face-up sun, perhaps the same player."""
    player = left_of(state, player)
    while state.suns_up[player] == 0:
        player = left_of(state, player)
    return player


jit_module(cache=True, nogil=True)
