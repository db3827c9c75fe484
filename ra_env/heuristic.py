"""What the tiles and suns of Ra are worth, and the move that a look one move ahead prefers.

    greedy_action               the best move of a turn, a God turn, an auction, a discard
    prior                       how likely a sensible player is to make each move
    weigh_turn, weigh_god_plays, weigh_bids, weigh_discards
    call_outcome, wait_value    what invoking Ra and leaving the lot to the others bring
    solve_auction               who wins with which sun if everybody bids for the best outcome
    fill_suns                   what a winner gives up: a chance to buy, and points to carry on
    lot_gain, tile_gain         what tiles add to a player's prospects
    pharaoh_value ...           the prospects, one function a scoring category

Everything is in fame, for one player or another, given the tiles and suns of all and what is left
in the bag. Suns lie open, so bidding is solved exactly: all players are taken to share this
valuation. `table` is a record of `ra_env.prospects`, filled once a decision. A `hand` is the tiles
of a category packed into one integer, four bits a kind. Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

from math import exp, sqrt

import numpy as np
from numba import jit_module

from ra_env.actions import BID, DISCARD_CIVILIZATION, DISCARD_MONUMENT, DRAW, END, INVOKE, PASS, TAKE
from ra_env.components import (
    AUCTION_SPACES,
    CIVILIZATION_FAME,
    DROUGHT,
    EARTHQUAKE,
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
from ra_env.prospects import PROSPECTS
from ra_env.rules import can_outbid, first_target, left_of, must_bid
from ra_env.scoring import sun_sum
from ra_env.state import (
    AUCTION,
    AUCTION_ON_LAST_RA,
    DISCARD_UNSOLD,
    GODS,
    GODS_KEPT,
    INVOKED,
    NO_SUN,
    NOBODY,
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
    NUM_WEIGHTS,
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
from tabletop.words import lowest, popcount

KIND_BITS = 4
KIND_MASK = 15
NEVER = -1e9
NO_LOWEST = 1e9
LEVEL = 0.5  # equal numbers count as more
PHARAOH_CERTAINTY = 0.3  # the spread of a comparison of Pharaohs at the end of an epoch
KINDS_OF_SETS = len(MONUMENT_SET_FAME)
PRIOR_SPREAD = 1.0  # fame: a move that brings so much less is taken 1 / e as often
PRIOR_FLOOR = 0.03  # the part of the prior that all legal moves share alike


# The move


def greedy_action(state: Record, weights: Array) -> int:
    """Return the move that the valuation prefers; among equals always the same one."""
    return best_action(state, weights, np.empty(1, PROSPECTS))


def best_action(state: Record, weights: Array, scratch: Array) -> int:
    """The same with the caller's PROSPECTS[1] to write into, which must outlive the call."""
    table = scratch[0]
    take_weights(state, weights, table)
    fill_choices(state, table)
    best = 0
    for index in range(1, table.num_choices):
        value = table.value[index]
        if table.choice[index] == DRAW:
            better = value >= table.value[best] - table.weights[CALL_MARGIN]
        else:
            better = value > table.value[best]
        if better:
            best = index
    return int(table.choice[best])


def prior(state: Record, weights: Array, out: Array) -> None:
    """Write how likely each legal move is: softmax of what they bring, and a little for all alike."""
    write_prior(state, weights, np.empty(1, PROSPECTS), out)


def write_prior(state: Record, weights: Array, scratch: Array, out: Array) -> None:
    """The same with the caller's PROSPECTS[1] to write into, which must outlive the call."""
    table = scratch[0]
    take_weights(state, weights, table)
    fill_choices(state, table)
    fill_shares(state, table)
    for index in range(table.num_choices):
        out[table.choice[index]] = table.value[index]


def take_weights(state: Record, weights: Array, table: Record) -> None:
    """Copy the valuation's weights into the record."""
    for weight in range(NUM_WEIGHTS):
        table.weights[weight] = weights[weight]


def fill_choices(state: Record, table: Record) -> None:
    """Fill `choice` and `value`: every legal move, and what it brings."""
    fill_prospects(state, table)
    table.num_choices = 0
    if state.phase == AUCTION:
        weigh_bids(state, table)
    elif state.phase == TURN:
        weigh_turn(state, table)
    elif state.phase == GODS:
        weigh_god_turn(state, table)
    else:
        weigh_discards(state, table)


def add_choice(state: Record, table: Record, action: int, value: float) -> None:
    """Put one more move on the list."""
    table.choice[table.num_choices] = action
    table.value[table.num_choices] = value
    table.num_choices += 1


def fill_shares(state: Record, table: Record) -> None:
    """Turn `value` from fame into probabilities, an invocation's margin taken into account."""
    best = NEVER
    for index in range(table.num_choices):
        if table.choice[index] == DRAW:
            table.value[index] += table.weights[CALL_MARGIN]
        best = max(best, table.value[index])
    total = 0.0
    for index in range(table.num_choices):
        table.value[index] = exp((table.value[index] - best) / PRIOR_SPREAD)
        total += table.value[index]
    floor = PRIOR_FLOOR / table.num_choices
    for index in range(table.num_choices):
        table.value[index] = floor + (1.0 - PRIOR_FLOOR) * table.value[index] / total


def weigh_turn(state: Record, table: Record) -> None:
    """Invoke Ra, draw or play a God tile."""
    player = int(state.current)
    fill_gains(state, table)
    ra_value = drawn_ra_value(state, table)
    fill_nets(state, table, ra_spaces_left(state))
    size = int(state.lot_size)
    winner = call_outcome(state, table, player, 0.0, size)
    add_choice(state, table, INVOKE, utility(state, table, player, winner, 0.0, 0.0))
    if size < AUCTION_SPACES:
        chance = ra_chance(state)
        wait = wait_value(state, table, ra_value, 1)
        add_choice(state, table, DRAW, chance * ra_value + (1.0 - chance) * wait)
    if state.tiles[player, GOD] > 0:
        weigh_god_plays(state, table, ra_value)


def weigh_god_turn(state: Record, table: Record) -> None:
    """End the turn or play one more God tile."""
    fill_gains(state, table)
    ra_value = drawn_ra_value(state, table)
    fill_nets(state, table, ra_spaces_left(state))
    add_choice(state, table, END, wait_value(state, table, ra_value, 0))
    weigh_god_plays(state, table, ra_value)


def weigh_god_plays(state: Record, table: Record, ra_value: float) -> None:
    """What a tile is worth beyond the God tile, the others then finding the lot without it."""
    player = int(state.current)
    price = god_worth(state, table, num_suns(state, player)) + table.weights[GOD_MARGIN]
    for tile in range(first_target(state), NUM_TILES):
        if state.lot[tile] > 0:
            gain = tile_gain(state, table, player, tile, table.rate[player]) - price
            resize_lot(state, table, tile, -1.0)
            gain += wait_value(state, table, ra_value, 0)
            resize_lot(state, table, tile, 1.0)
            add_choice(state, table, TAKE + tile - GOD, gain)


def weigh_bids(state: Record, table: Record) -> None:
    """Pass, or bid one of the suns, the lowest first."""
    player = int(state.current)
    caller = int(state.turn_player)
    fill_bidders_gains(state, table)
    fill_nets(state, table, ra_spaces_left(state))
    kept = kept_share(state, table, int(state.cause), ra_spaces_left(state))
    if player == caller:
        clear_outcomes(state, table)
    else:
        solve_auction(state, table, left_of(state, player), caller, 0.0, kept, state.cause == INVOKED)
    if not must_bid(state):
        value = utility(state, table, player, int(table.outcome[state.high_bid]), 0.0, kept)
        if player == caller and state.high_bid == NO_SUN and state.cause == INVOKED:
            value = NEVER
        add_choice(state, table, PASS, value)
    for sun in range(int(state.high_bid) + 1, MAX_SUN + 1):
        if (int(state.suns_up[player]) >> sun) & 1:
            value = utility(state, table, player, int(table.outcome[sun]), 0.0, kept)
            add_choice(state, table, BID + sun - 1, value)


def weigh_discards(state: Record, table: Record) -> None:
    """Lose a tile: what the rest is worth."""
    player = int(state.current)
    first, kinds, action = FIRST_MONUMENT, NUM_MONUMENTS, DISCARD_MONUMENT
    if state.civilization_losses > 0:
        first, kinds, action = FIRST_CIVILIZATION, NUM_CIVILIZATIONS, DISCARD_CIVILIZATION
    fill_arrivals(state, table, first, kinds, table.rate[player])
    hand = hand_of(state, player, first, kinds)
    for kind in range(kinds):
        if (hand >> (KIND_BITS * kind)) & KIND_MASK:
            value = hand_value(state, table, hand - (1 << (KIND_BITS * kind)), first)
            add_choice(state, table, action + kind, value)


# Turns


def call_outcome(state: Record, table: Record, caller: int, growth: float, size: int) -> int:
    """The sun that wins if `caller` invokes Ra when the lot has `size` tiles and has gained `growth`."""
    forced = size < AUCTION_SPACES
    solve_auction(state, table, left_of(state, caller), caller, growth, 0.0, forced)
    return int(table.outcome[NO_SUN])


def drawn_ra_value(state: Record, table: Record) -> float:
    """What drawing a Ra tile brings the player to move: an auction, and less to come for every sun."""
    player = int(state.current)
    ra_left = ra_spaces_left(state) - 1
    value = fading_value(state, table, player, ra_left)
    if ra_left > 0 or state.options[AUCTION_ON_LAST_RA] == 1:
        fill_nets(state, table, ra_left)
        kept = kept_share(state, table, RA_DRAWN, ra_left)
        solve_auction(state, table, left_of(state, player), player, 0.0, kept, False)
        value += utility(state, table, player, int(table.outcome[NO_SUN]), 0.0, kept)
    return value


def fading_value(state: Record, table: Record, player: int, ra_left: int) -> float:
    """A Ra tile leaves less to buy for face-up suns: a loss for the player, a gain where it hits others."""
    value = 0.0
    for index in range(table.num_alive):
        sun = int(table.alive[index])
        side = -1.0 if table.owner[sun] == player else table.weights[SPITE]
        value += side * table.chance[sun]
    faded = abundance(state, table, ra_left + 1) - abundance(state, table, ra_left)
    return faded * value


def wait_value(state: Record, table: Record, ra_value: float, drawn: int) -> float:
    """What it brings the player to move to leave the lot to the others, after drawing `drawn` more tiles.

    The next one invokes Ra if that is good for them, or draws a tile, and so on until it is the
    player's turn again, who may invoke Ra as well.
    """
    player = int(state.current)
    chance = ra_chance(state)
    size = int(state.lot_size) + drawn
    growth = drawn * table.weights[DRAWN_TILE]
    value = 0.0
    reach = 1.0
    caller = next_with_suns(state, player)
    while caller != player:
        winner = call_outcome(state, table, caller, growth, size)
        theirs = utility(state, table, caller, winner, growth, 0.0)
        if theirs > table.weights[CALL_OF_OTHERS] or size >= AUCTION_SPACES:
            return value + reach * utility(state, table, player, winner, growth, 0.0)
        value += reach * chance * ra_value
        reach *= 1.0 - chance
        size += 1
        growth += table.weights[DRAWN_TILE]
        caller = next_with_suns(state, caller)
    winner = call_outcome(state, table, player, growth, size)
    return value + reach * max(0.0, utility(state, table, player, winner, growth, 0.0))


def resize_lot(state: Record, table: Record, tile: int, sign: float) -> None:
    """Take one tile's part out of everybody's gains (sign -1), or put it back (+1)."""
    for player in range(state.num_players):
        suns = int(state.suns_up[player])
        if suns != 0:
            change = sign * tile_gain(state, table, player, tile, table.rate_after[player])
            table.gain[player] += change
            while suns != 0:
                sun = lowest(np.uint64(suns))
                table.net[sun] += change
                suns &= suns - 1


# Auctions


def solve_auction(
    state: Record,
    table: Record,
    first: int,
    caller: int,
    growth: float,
    kept: float,
    forced: bool,
) -> None:
    """Fill `outcome`: the sun that wins if `first` is asked next and the highest bid is given.

    From the last one asked, the Ra player, back to the first, everybody chooses the bid, or the
    pass, whose outcome is best for them. `kept` is the share of its gain that an unsold lot is
    worth. An invoker whom all others pass bids (`forced`), also where the option lets them pass:
    otherwise they would not have invoked, and games between such players might never end.
    """
    clear_outcomes(state, table)
    player = caller
    later = 0
    while True:
        answer_bids(state, table, player, later, growth, kept, forced and player == caller)
        if player == first:
            return
        later |= int(state.suns_up[player])
        player = right_of(state, player)


def clear_outcomes(state: Record, table: Record) -> None:
    """When nobody is left to bid the highest bid wins."""
    table.outcome[NO_SUN] = NO_SUN
    for index in range(table.num_alive):
        table.outcome[int(table.alive[index])] = table.alive[index]


def answer_bids(
    state: Record,
    table: Record,
    player: int,
    later: int,
    growth: float,
    kept: float,
    forced: bool,
) -> None:
    """Put a player before those whose outcomes are known: for each highest bid their best answer.

    From the highest sun down, so that the bids above the highest bid are those already seen. The
    highest bid is none of the suns `later`, whose owners are asked after the player.
    """
    if state.suns_up[player] == 0:
        return
    margin = table.weights[BID_MARGIN]
    spite = -table.weights[SPITE]
    best = 0.0
    best_value = NEVER
    for index in range(table.num_alive):
        sun = int(table.alive[index])
        if (later >> sun) & 1:
            continue
        outcome = table.outcome[sun]
        winner = int(outcome)
        net = table.net[winner] + growth
        value = net - margin if table.owner[winner] == player else spite * net
        if table.owner[sun] == player:
            if value >= best_value:
                best = outcome
                best_value = value
        elif best_value > value:
            table.outcome[sun] = best
    unsold = utility(state, table, player, int(table.outcome[NO_SUN]), growth, kept)
    if forced or best_value > unsold:
        table.outcome[NO_SUN] = best


def utility(state: Record, table: Record, player: int, sun: int, growth: float, kept: float) -> float:
    """What it means to a player that a sun wins: the net gain as the winner, a loss as another."""
    if sun == NO_SUN:
        return kept * (table.gain[player] + growth)
    net = table.net[sun] + growth
    if table.owner[sun] == player:
        return net - table.weights[BID_MARGIN]
    return -table.weights[SPITE] * net


def kept_share(state: Record, table: Record, cause: int, ra_left: int) -> float:
    """The share of its gain that the lot is worth when nobody buys it: nothing if it is discarded."""
    if cause == RA_DRAWN and ra_left > 0 and state.options[DISCARD_UNSOLD] == 0:
        return table.weights[KEPT_LOT]
    return 0.0


def fill_gains(state: Record, table: Record) -> None:
    """Fill `gain` for everybody who may yet buy the lot."""
    for player in range(state.num_players):
        if state.suns_up[player] != 0:
            table.gain[player] = lot_gain(state, table, player)


def fill_bidders_gains(state: Record, table: Record) -> None:
    """Fill `gain` for the highest bidder and those who have their bid before them."""
    if state.high_bidder != NOBODY:
        table.gain[state.high_bidder] = lot_gain(state, table, int(state.high_bidder))
    player = int(state.current)
    while True:
        if can_outbid(state, player):
            table.gain[player] = lot_gain(state, table, player)
        if player == state.turn_player:
            return
        player = left_of(state, player)


def fill_nets(state: Record, table: Record, ra_left: int) -> None:
    """Fill `net` for all suns that lie face up, while so many Ra tiles are still to come."""
    plenty = abundance(state, table, ra_left)
    for index in range(table.num_alive):
        sun = int(table.alive[index])
        gain = table.gain[int(table.owner[sun])]
        table.net[sun] = gain - table.points[sun] - plenty * table.chance[sun]


# Suns


def fill_prospects(state: Record, table: Record) -> None:
    """Fill the rows that tell what players and suns have to expect, whatever the lot."""
    fill_rates(state, table)
    for player in range(state.num_players):
        fill_suns(state, table, player)


def fill_rates(state: Record, table: Record) -> None:
    """Fill the rows that tell what players have to expect."""
    fill_alive(state, table, suns_alive(state))
    others = max(1, int(state.bag_total) - int(state.bag[RA]))
    each = tiles_to_come(state, table, ra_spaces_left(state)) / max(1, int(table.num_alive))
    rate = min(table.weights[MOST_TILES], each) / others
    for player in range(state.num_players):
        suns = num_suns(state, player)
        table.rate[player] = rate * suns
        table.rate_after[player] = rate * max(0, suns - 1)
        held = int(state.tiles[player, PHARAOH])
        table.pharaohs_to_be[player] = held + rate * suns * int(state.bag[PHARAOH])
        if epochs_left(state) == 0:
            table.sun_sum[player] = sun_sum(state, player)


def fill_alive(state: Record, table: Record, alive: int) -> None:
    """Fill `alive`: the face-up suns from the highest down."""
    number = count_suns(state, alive)
    table.num_alive = number
    while alive != 0:
        number -= 1
        table.alive[number] = lowest(np.uint64(alive))
        alive &= alive - 1


def fill_suns(state: Record, table: Record, player: int) -> None:
    """Fill the rows of a player's face-up suns; by rank each is worth more or less than the middle one."""
    suns = int(state.suns_up[player])
    others = suns_alive(state) & ~suns
    rivals = max(1, count_suns(state, others))
    while suns != 0:
        sun = lowest(np.uint64(suns))
        below = count_suns(state, others & ((1 << sun) - 1))
        rank = 0.0 if others == 0 else 2.0 * below / rivals - 1.0
        table.chance[sun] = table.weights[SUN] + table.weights[RANK] * rank
        table.points[sun] = points_value(state, table, player, sun - int(state.center_sun))
        table.owner[sun] = player
        suns &= suns - 1


def abundance(state: Record, table: Record, ra_left: int) -> float:
    """The part of a face-up sun's greatest worth that the tiles to come leave it, from 0 to 1."""
    tiles = tiles_to_come(state, table, ra_left) / max(1, int(table.num_alive))
    return tiles / (tiles + table.weights[SUN_HALF])


def points_value(state: Record, table: Record, player: int, points: int) -> float:
    """What it costs to lose points of suns: in the next epoch, or in the comparison at the game's end."""
    if epochs_left(state) > 0:
        return table.weights[CARRY] * points
    highest = -1.0
    lowest = NO_LOWEST
    for other in range(state.num_players):
        if other != player:
            highest = max(highest, table.sun_sum[other])
            lowest = min(lowest, table.sun_sum[other])
    total = table.sun_sum[player]
    spread = table.weights[SUM_SPREAD]
    before = sum_value(state, total - highest, lowest - total, spread)
    return before - sum_value(state, total - points - highest, lowest - total + points, spread)


def sum_value(state: Record, above: float, below: float, spread: float) -> float:
    """The fame to expect for a sum of suns so far above the highest and so far below the lowest other."""
    return HIGHEST_SUN_SUM * likely_more(state, above, spread) + LOWEST_SUN_SUM * likely_more(
        state, below, spread
    )


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
    return int(state.bag[RA]) / max(1, int(state.bag_total))


def tiles_to_come(state: Record, table: Record, ra_left: int) -> float:
    """How many more tiles will be sold this epoch: what lies on the track at its end is lost."""
    lost = 0.0 if state.options[AUCTION_ON_LAST_RA] == 1 else table.weights[LOST_FLOW]
    return table.weights[FLOW] * max(0.0, ra_left - lost)


def rate_later(state: Record, table: Record) -> float:
    """Tiles to get in the epochs after this one for each tile of a kind in the bag."""
    epoch = tiles_to_come(state, table, int(state.ra_spaces)) / int(state.num_players)
    return epochs_left(state) * epoch / max(1, int(state.bag_total) - int(state.bag[RA]))


def epochs_left(state: Record) -> int:
    """How many epochs come after this one."""
    return EPOCHS - 1 - int(state.epoch)


def likely(state: Record, expected: float) -> float:
    """The probability of at least one tile where so many are expected, without the cost of exp()."""
    return 1.0 - 1.0 / (1.0 + expected + 0.5 * expected * expected)


def likely_more(state: Record, lead: float, spread: float) -> float:
    """The probability that a lead lasts: a soft step from 0 to 1, 0.85 where the lead is one spread."""
    steps = lead / spread
    return 0.5 + 0.5 * steps / sqrt(1.0 + steps * steps)


# What tiles add


def lot_gain(state: Record, table: Record, player: int) -> float:
    """What the whole lot is worth to a player who gives one sun for it, disasters included."""
    rate = table.rate_after[player]
    lot = state.lot
    gain = float(FAME_PER_GOLD * int(lot[GOLD]))
    if lot[GOD] > 0:
        gain += int(lot[GOD]) * god_worth(state, table, num_suns(state, player) - 1)
    if lot[PHARAOH] > 0 or lot[FUNERAL] > 0:
        gain += pharaoh_gain(state, table, player, int(lot[PHARAOH]), int(lot[FUNERAL]), rate)
    if lot[NILE] > 0 or lot[FLOOD] > 0 or lot[DROUGHT] > 0:
        gain += nile_gain(state, table, player, int(lot[NILE]), int(lot[FLOOD]), int(lot[DROUGHT]), rate)
    tiles = lot_hand(state, FIRST_CIVILIZATION, NUM_CIVILIZATIONS)
    gain += civilization_gain(state, table, player, tiles, int(lot[UNREST]), rate)
    tiles = lot_hand(state, FIRST_MONUMENT, NUM_MONUMENTS)
    return gain + monument_gain(state, table, player, tiles, int(lot[EARTHQUAKE]), rate)


def tile_gain(state: Record, table: Record, player: int, tile: int, rate: float) -> float:
    """What a single tile, or a single disaster, is worth to a player."""
    if tile == GOD:
        return god_worth(state, table, num_suns(state, player))
    if tile == GOLD:
        return float(FAME_PER_GOLD)
    if tile in (PHARAOH, FUNERAL):
        return pharaoh_gain(state, table, player, int(tile == PHARAOH), int(tile == FUNERAL), rate)
    if tile in (NILE, FLOOD, DROUGHT):
        return nile_gain(
            state, table, player, int(tile == NILE), int(tile == FLOOD), int(tile == DROUGHT), rate
        )
    if tile == UNREST:
        return civilization_gain(state, table, player, 0, 1, rate)
    if tile == EARTHQUAKE:
        return monument_gain(state, table, player, 0, 1, rate)
    if tile < FIRST_MONUMENT:
        tiles = 1 << (KIND_BITS * (tile - FIRST_CIVILIZATION))
        return civilization_gain(state, table, player, tiles, 0, rate)
    return monument_gain(state, table, player, 1 << (KIND_BITS * (tile - FIRST_MONUMENT)), 0, rate)


def god_worth(state: Record, table: Record, suns: int) -> float:
    """What a God tile scores, and the choice of a tile it gives while the player has turns to use it."""
    if state.options[GODS_KEPT] == 1:
        worth = table.weights[GOD_OPTION] * epochs_left(state)
    else:
        worth = float(FAME_PER_GOD)
    if suns > 0:
        worth += table.weights[GOD_OPTION] * ra_spaces_left(state) / int(state.ra_spaces)
    return worth


def pharaoh_gain(state: Record, table: Record, player: int, more: int, funerals: int, rate: float) -> float:
    """What Pharaohs bring, Funerals then taking two each."""
    held = int(state.tiles[player, PHARAOH])
    after = max(0, held + more - TILES_LOST_PER_DISASTER * funerals)
    before = pharaoh_value(state, table, player, held, rate)
    return pharaoh_value(state, table, player, after, rate) - before


def nile_gain(
    state: Record, table: Record, player: int, niles: int, floods: int, droughts: int, rate: float
) -> float:
    """What Niles and Floods bring, Droughts then taking two each, Floods first."""
    held_niles = int(state.tiles[player, NILE])
    held_floods = int(state.tiles[player, FLOOD])
    losses = TILES_LOST_PER_DISASTER * droughts
    lost_floods = min(losses, held_floods + floods)
    after_niles = max(0, held_niles + niles - (losses - lost_floods))
    after = nile_value(state, table, after_niles, held_floods + floods - lost_floods, rate)
    return after - nile_value(state, table, held_niles, held_floods, rate)


def civilization_gain(
    state: Record, table: Record, player: int, more: int, unrests: int, rate: float
) -> float:
    """What a hand of civilization tiles brings, Unrests then taking two each."""
    if more == 0 and unrests == 0:
        return 0.0
    fill_arrivals(state, table, FIRST_CIVILIZATION, NUM_CIVILIZATIONS, rate)
    held = hand_of(state, player, FIRST_CIVILIZATION, NUM_CIVILIZATIONS)
    return hand_gain(state, table, held, more, unrests, FIRST_CIVILIZATION, NUM_CIVILIZATIONS)


def monument_gain(
    state: Record, table: Record, player: int, more: int, earthquakes: int, rate: float
) -> float:
    """What a hand of monuments brings, Earthquakes then taking two each."""
    if more == 0 and earthquakes == 0:
        return 0.0
    fill_arrivals(state, table, FIRST_MONUMENT, NUM_MONUMENTS, rate)
    held = hand_of(state, player, FIRST_MONUMENT, NUM_MONUMENTS)
    return hand_gain(state, table, held, more, earthquakes, FIRST_MONUMENT, NUM_MONUMENTS)


def hand_gain(
    state: Record, table: Record, held: int, more: int, disasters: int, first: int, kinds: int
) -> float:
    """What more tiles bring to a packed hand, disasters then taking two each, those that hurt least."""
    after = held + more
    for _ in range(TILES_LOST_PER_DISASTER * disasters):
        if after != 0:
            after -= 1 << (KIND_BITS * least_loss(state, table, after, first, kinds))
    gain = variety_value(state, table, after, first) - variety_value(state, table, held, first)
    if first == FIRST_MONUMENT:
        gain += table.weights[MONUMENT_SETS] * sets_gain(state, table, held, after)
    return gain


def sets_gain(state: Record, table: Record, held: int, after: int) -> float:
    """What a change of a packed hand of monuments means for identical ones."""
    gain = 0.0
    for kind in range(NUM_MONUMENTS):
        before = (held >> (KIND_BITS * kind)) & KIND_MASK
        now = (after >> (KIND_BITS * kind)) & KIND_MASK
        if before != now:
            arrival = table.arrival[kind]
            gain += set_value(state, now, arrival) - set_value(state, before, arrival)
    return gain


def least_loss(state: Record, table: Record, hand: int, first: int, kinds: int) -> int:
    """The kind of which a hand loses a tile with the best rest."""
    best = -1
    best_value = NEVER
    for kind in range(kinds):
        if (hand >> (KIND_BITS * kind)) & KIND_MASK:
            value = hand_value(state, table, hand - (1 << (KIND_BITS * kind)), first)
            if value > best_value:
                best = kind
                best_value = value
    return best


# Prospects, by scoring category


def pharaoh_value(state: Record, table: Record, player: int, held: int, rate: float) -> float:
    """Most and fewest Pharaohs: a soft comparison with the others at the end of this and later epochs."""
    most = 0.0
    fewest = NO_LOWEST
    for other in range(state.num_players):
        if other != player:
            most = max(most, table.pharaohs_to_be[other])
            fewest = min(fewest, table.pharaohs_to_be[other])
    own = held + rate * int(state.bag[PHARAOH])
    track = ra_spaces_left(state) / int(state.ra_spaces)
    spread = PHARAOH_CERTAINTY + table.weights[PHARAOH_SPREAD] * track
    value = table.weights[PHARAOHS] * comparison_value(state, own, most, fewest, spread)
    left = epochs_left(state)
    if left > 0:
        later = table.weights[PHARAOH_LATER_SPREAD]
        value += table.weights[PHARAOHS_LATER] * left * comparison_value(state, own, most, fewest, later)
    return value


def comparison_value(state: Record, own: float, most: float, fewest: float, spread: float) -> float:
    """The fame to expect for Pharaohs; who is level with the most or the fewest counts as such."""
    above = likely_more(state, own - most + LEVEL, spread)
    below = likely_more(state, fewest - own + LEVEL, spread)
    return MOST_PHARAOHS * above + FEWEST_PHARAOHS * below


def nile_value(state: Record, table: Record, niles: int, floods: int, rate: float) -> float:
    """Niles score with a Flood, held or likely to come, and stay for later epochs."""
    later = table.weights[NILE_LATER] * epochs_left(state) * niles
    scoring = niles + rate * int(state.bag[NILE])
    if floods > 0:
        return later + floods + scoring
    return later + scoring * likely(state, table.weights[FLOODS] * rate * int(state.bag[FLOOD]))


def fill_arrivals(state: Record, table: Record, first: int, kinds: int, rate: float) -> None:
    """Fill `arrival`: civilization tiles count in this epoch only, monuments until the game's end."""
    if first == FIRST_CIVILIZATION:
        scaled = table.weights[CIVILIZATIONS] * rate
    else:
        scaled = table.weights[MONUMENTS] * (rate + rate_later(state, table))
    for kind in range(kinds):
        table.arrival[kind] = likely(state, scaled * int(state.bag[first + kind]))


def hand_value(state: Record, table: Record, hand: int, first: int) -> float:
    """The fame to expect for a packed hand of civilization tiles, or of monuments."""
    if first == FIRST_CIVILIZATION:
        return variety_value(state, table, hand, first)
    value = 0.0
    for kind in range(NUM_MONUMENTS):
        value += set_value(state, (hand >> (KIND_BITS * kind)) & KIND_MASK, table.arrival[kind])
    return variety_value(state, table, hand, first) + table.weights[MONUMENT_SETS] * value


def variety_value(state: Record, table: Record, hand: int, first: int) -> float:
    """The fame to expect for different kinds, each missing one coming with its own probability.

    `variety` holds the fame for each number of kinds, averaged over one more missing kind at a time.
    """
    if first == FIRST_CIVILIZATION:
        kinds = NUM_CIVILIZATIONS
        for number in range(kinds + 1):
            table.variety[number] = CIVILIZATION_FAME[number]
    else:
        kinds = NUM_MONUMENTS
        for number in range(kinds + 1):
            table.variety[number] = MONUMENT_KINDS_FAME[number]
    held = 0
    top = kinds
    for kind in range(kinds):
        if (hand >> (KIND_BITS * kind)) & KIND_MASK:
            held += 1
        else:
            arrival = table.arrival[kind]
            for number in range(top):
                table.variety[number] += arrival * (table.variety[number + 1] - table.variety[number])
            top -= 1
    return float(table.variety[held])


def set_value(state: Record, held: int, arrival: float) -> float:
    """The fame to expect for identical monuments, each further one coming with the same probability."""
    if held == 0:
        return 0.0
    value = float(MONUMENT_SET_FAME[held])
    reach = 1.0
    for number in range(held + 1, KINDS_OF_SETS):
        reach *= arrival
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


jit_module(cache=True, nogil=True, forceinline=False)
