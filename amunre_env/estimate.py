"""Expected results of a position of Amun-Re, from what its seats have and should get.

    evaluate, features, describe   the verbs
    stage, progress         how far the game and the round have gone
    foresee_auction         who should win which province, for how much
    foresee_offering        who should collect how many rewards, and what the tile should pay
    fill_wealth             gold after the harvest
    describe_buildings, describe_gold, describe_cards, describe_turn
                            the features of one seat

See `amunre_env.features` for what the numbers mean and `tabletop.estimate` for what is made of them.
All hands and offers in the record are looked at: a search gives records in which all that its seat
cannot know has been drawn anew. The order of the decks and the generator are not looked at.
`table` is scratch, float64[NUM_ROWS, NUM_COLUMNS]; `rows` float64[seats, NUM_FEATURES]; `weights`
begins with the weights of the greedy valuation. Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

from math import sqrt

import numpy as np
from numba import jit_module

from amunre_env import features as of
from amunre_env.components import (
    AGES,
    ARCHITECT,
    BANK,
    BANK_POINTS,
    BANKS,
    BID_SPACES,
    BIG_HARVEST,
    BONUS_FARMERS,
    BONUS_FAVORS,
    BONUS_GOLD,
    BONUS_STONES,
    BRIBERY,
    CARAVAN,
    FAVOR_SYMBOLS,
    FIELDS,
    FIRST_REWARDS,
    FIRST_YELLOW,
    FREE_FARMER,
    GOLD_POINTS,
    HALF,
    HARVESTERS,
    HARVESTERS_NEEDED,
    MAX_PLAYERS,
    MINE,
    NILE,
    NUM_FAVORS,
    NUM_SPACES,
    NUM_TILES,
    OFFERING_ADJUSTMENT,
    OTHER_REWARDS,
    PROTECTION,
    RIVERSIDE,
    ROUNDS,
    SAME_BANK,
    SAME_HALF,
    SCRIBES,
    SCRIBES_NEEDED,
    SECOND_REWARDS,
    SET_POINTS,
    STONES_PER_PYRAMID,
    TEMPLES,
    THEFT_GOLD,
    TILE_CAMEL,
    TILE_FARMER,
    TILE_TEMPLE,
    TILE_UP_TO,
    TREASURY,
    YELLOW_POINTS,
)
from amunre_env.features import MOMENTS, NUM_FEATURES
from amunre_env.heuristic import likely, rounds_after, stones_on, turn_place
from amunre_env.rules import income, is_over, left_of, lowest_space, returns
from amunre_env.state import (
    BIDDING,
    CHOOSE_PROVINCE,
    DECLARING,
    HARVEST,
    MARKET_FAVORS,
    MARKET_STONES,
    NO_OFFER,
    NO_TILE,
    NOBODY,
    NOWHERE,
    OFFERING,
    OVER,
    PROTECTED_BID,
    REWARDS,
    SCORING,
    STOLE,
    TEMPLES_AT_HARVEST,
)
from amunre_env.weights import CAMEL, FARMER_YIELD, FIELD_COST, GOLD, INCOME, NUM_WEIGHTS, TEMPLE
from tabletop.estimate import expected_returns
from tabletop.kinds import Array, Record

# Rows of `table`.
COINS = 0  # [player] gold once the auction or offering under way is paid
SLOT = 1  # [player] province of each round, or NOWHERE: a row for each
BUILT = SLOT + ROUNDS  # [player] what is built there, in stones: a row for each
HANDS = BUILT + ROUNDS  # [player] farmers on all of them
GREATEST = HANDS + 1  # [player] the greatest province of each bank, in stones, or NO_PROVINCE: a row for each
WEALTH = GREATEST + len(BANKS)  # [player] gold after the harvest
REWARD = WEALTH + 1  # [player] rewards to come
FIRST = REWARD + 1  # [player] chance of the highest offer
OFFER = FIRST + 1  # [player] gold offered, made or to be expected; less than 0 for a theft
COST = OFFER + 1  # [space] what a bid costs: a row for each player
WORTH = COST + MAX_PLAYERS  # [player] what a province up for auction is worth: a row for each place
LEADER = WORTH + MAX_PLAYERS  # [place] who holds the highest bid
SPACE = LEADER + 1  # [place] the lowest space that is open
PAID = SPACE + 1  # [place] the space of the highest bid
PAWN = PAID + 1  # [player] place of the highest bid
BARRED = PAWN + 1  # [player] place of which just outbid
TILE = BARRED + 1  # [PER_FARMER, PER_TEMPLE, PER_CAMEL] what this round's tile should pay
NUM_ROWS = TILE + 1
NUM_COLUMNS = max(NUM_SPACES, MAX_PLAYERS, 3)
PER_FARMER, PER_TEMPLE, PER_CAMEL = range(3)

NO_PROVINCE = -1.0
NEVER = -1e9
UNPAYABLE = 1e6
STONE_WORTH, CARD_WORTH = 1.3, 1.0  # points that count when a province is bid for
USUAL_OFFER, OFFERED_SHARE = (
    5.0,
    0.03,
)  # gold that is offered by who has not chosen yet: so much, a share of all
# Gold by which totals and offers differ from what is expected, for each offer or blue card still open.
OFFER_SPREAD, TOTAL_SPREAD, CARD_SPREAD, KNOWN_SPREAD = 4.0, 3.0, 2.0, 0.1
TEMPLE_MEAN = 2.6  # points of a temple on a tile to come
CARAVAN_SHARE = 0.75  # of caravans to come that find a camel
STEP_DONE = 0.15  # part of a market turn that is over with each step
LOOSE_SHARE = 0.6  # of its part of a pyramid that a single stone counts
REACH, REACH_STONE = 0.4, 0.2  # how far no stones, and each stone, go towards the first pyramid of a bank
NEAR, FAR = (1.0, 1.5), (4.0, 4.0)  # stones that decide a bank: now, and for each round to come
RANK_NEAR, RANK_ROUND = 2.0, 5.0  # gold that decides a place: now, and for each round or market to come


def evaluate(state: Record, weights: Array, out: Array) -> None:
    """Write each seat's expected return; the return itself when the game is over."""
    if is_over(state):
        returns(state, out)
        return
    describe(state, weights, np.empty((MAX_PLAYERS, NUM_FEATURES), np.float64), out)


def describe(state: Record, weights: Array, rows: Array, out: Array) -> None:
    """Write the features of every seat to float64[num_players or more, NUM_FEATURES], and its expected return."""
    strengths = np.empty(MAX_PLAYERS, np.float64)
    features(state, weights, rows)
    moment = moment_of(state)
    before = min(moment, MOMENTS - 2)
    first = NUM_WEIGHTS + (stage(state) * MOMENTS + before) * NUM_FEATURES
    players = int(state.num_players)
    expected_returns(state, players, weights, first, float(moment - before), rows, strengths, out)


def features(state: Record, weights: Array, out: Array) -> None:
    """Write the features of every seat, float64[num_players or more, NUM_FEATURES]."""
    table = np.empty((NUM_ROWS, NUM_COLUMNS), np.float64)
    phase = int(state.phase)
    for player in range(int(state.num_players)):
        table[COINS, player] = state.gold[player]
        table[REWARD, player] = 0.0
        table[FIRST, player] = 0.0
        for turn in range(ROUNDS):
            table[SLOT + turn, player] = state.won[player, turn]
    table[TILE, PER_FARMER] = weights[FARMER_YIELD]
    table[TILE, PER_TEMPLE] = TEMPLE_MEAN
    table[TILE, PER_CAMEL] = weights[CAMEL]
    if phase in (BIDDING, PROTECTED_BID):
        foresee_auction(state, weights, table)
    elif phase in (OFFERING, DECLARING):
        foresee_offering(state, table)
    elif state.tile != NO_TILE:
        table[TILE, PER_FARMER] = TILE_FARMER[state.tile]
        table[TILE, PER_TEMPLE] = TILE_TEMPLE[state.tile]
        table[TILE, PER_CAMEL] = TILE_CAMEL[state.tile]
        if phase == REWARDS:
            count_rewards(state, table)
    for player in range(int(state.num_players)):
        fill_holdings(state, table, player)
        fill_wealth(state, table, player)
    for player in range(int(state.num_players)):
        describe_buildings(state, table, player, out)
        describe_gold(state, table, player, out)
        describe_cards(state, table, player, out)
        describe_turn(state, table, player, out)


# The course of the game


def stage(state: Record) -> int:
    """How many rounds have ended, 0 to 6."""
    if state.phase == OVER:
        return AGES * ROUNDS
    return int(state.age) * ROUNDS + int(state.round_number)


def progress(state: Record) -> float:
    """The part of the round that has passed, by phases."""
    return moment_of(state) / (MOMENTS - 1)


def moment_of(state: Record) -> int:
    """The moment of the round, 0 to MOMENTS - 1: see `amunre_env.features`."""
    phase = int(state.phase)
    if phase == CHOOSE_PROVINCE:
        return 0
    if phase <= PROTECTED_BID:
        return 1
    if phase <= MARKET_STONES:
        return 2
    if phase == OFFERING:
        return 3
    return 4 if phase <= REWARDS else 5


def market_to_come(state: Record, player: int) -> float:
    """The part of a player's market turn of this round that is still to come."""
    phase = int(state.phase)
    if phase < MARKET_FAVORS:
        return 1.0
    if phase > MARKET_STONES:
        return 0.0
    if player == state.current:
        return 1.0 - STEP_DONE * (phase - MARKET_FAVORS)
    return 1.0 if turn_place(state, player) > turn_place(state, int(state.current)) else 0.0


# The auction


def foresee_auction(state: Record, weights: Array, table: Array) -> None:
    """Go on bidding the lowest for what promises most; give everybody the province and take its price."""
    unplaced = 0
    for place in range(int(state.num_players)):
        leader = int(state.leaders[place])
        table[LEADER, place] = leader
        table[SPACE, place] = lowest_space(state, place)
        table[PAID, place] = 0.0 if leader == NOBODY else float(state.bids[leader])
    for player in range(int(state.num_players)):
        table[PAWN, player] = state.pawns[player]
        table[BARRED, player] = state.barred[player]
        unplaced += int(state.pawns[player] == NOWHERE)
    if unplaced > 0:
        fill_bidding(state, weights, table)
    bidder = int(state.current)
    while unplaced > 0:
        if table[PAWN, bidder] == NOWHERE:
            unplaced -= foresee_bid(state, table, bidder)
        bidder = left_of(state, bidder)
    for player in range(int(state.num_players)):
        place = int(table[PAWN, player])
        province = int(state.offered[place])
        table[SLOT + int(state.round_number), player] = province
        table[COINS, player] += int(BONUS_GOLD[province]) - int(BID_SPACES[int(table[PAID, place])])


def fill_bidding(state: Record, weights: Array, table: Array) -> None:
    """Fill what every bid costs and every province is worth to every player, in points, roughly."""
    scale = weights[GOLD] * sqrt(float(ROUNDS * AGES - stage(state)))
    for player in range(int(state.num_players)):
        coins = float(state.gold[player])
        for space in range(NUM_SPACES):
            left = coins - int(BID_SPACES[space])
            table[COST + player, space] = UNPAYABLE if left < 0.0 else scale * (sqrt(coins) - sqrt(left))
    for place in range(int(state.num_players)):
        province = int(state.offered[place])
        gold = weights[INCOME] * province_gold(state, weights, province)
        points = province_points(state, weights, province)
        for player in range(int(state.num_players)):
            rate = 0.5 * scale / sqrt(int(state.gold[player]) + 2.0)
            table[WORTH + place, player] = rate * gold + points


def province_gold(state: Record, weights: Array, province: int) -> float:
    """The gold that a province should pay until the end of the age."""
    harvests = 1.0 + rounds_after(state)
    pays = int(MINE[province]) + weights[CAMEL] * int(CARAVAN[province])
    pays += weights[FARMER_YIELD] * int(BONUS_FARMERS[province])
    gold = harvests * pays + int(BONUS_GOLD[province])
    for field in range(1, int(FIELDS[province]) + 1):
        gold += max(0.0, harvests * weights[FARMER_YIELD] - weights[FIELD_COST] * field)
    return gold


def province_points(state: Record, weights: Array, province: int) -> float:
    """The points that a province should bring apart from its gold."""
    scored = 1
    if state.options[TEMPLES_AT_HARVEST] == 1:
        scored += rounds_after(state)
    points = weights[TEMPLE] * int(TEMPLES[province]) * scored + CARD_WORTH * int(BONUS_FAVORS[province])
    return points + STONE_WORTH * (stones_on(state, province) + int(BONUS_STONES[province]))


def foresee_bid(state: Record, table: Array, bidder: int) -> int:
    """Bid the lowest for what promises most; return 1 if nobody is outbid by it, else 0."""
    best = 0
    best_value = NEVER
    for place in range(int(state.num_players)):
        space = int(table[SPACE, place])
        if place != table[BARRED, bidder] and space < NUM_SPACES:
            value = table[WORTH + place, bidder] - table[COST + bidder, space]
            if value > best_value:
                best = place
                best_value = value
    leader = int(table[LEADER, best])
    if leader != NOBODY:
        table[PAWN, leader] = NOWHERE
        table[BARRED, leader] = best
    table[LEADER, best] = bidder
    table[PAID, best] = table[SPACE, best]
    table[SPACE, best] += 1 + int(state.protected[bidder])
    table[PAWN, bidder] = best
    table[BARRED, bidder] = NOWHERE
    return 1 if leader == NOBODY else 0


# The offering


def foresee_offering(state: Record, table: Array) -> None:
    """Expect usual offers of those who have not chosen; fill rewards, first place and what the tile pays."""
    total = float(state.offering)
    spread = KNOWN_SPREAD
    for player in range(int(state.num_players)):
        made = int(state.offers[player])
        gold = float(state.gold[player])
        if made > 0:
            table[OFFER, player] = made
        elif made == STOLE or gold <= 0.0:
            table[OFFER, player] = -THEFT_GOLD
        else:
            table[OFFER, player] = min(gold, USUAL_OFFER + OFFERED_SHARE * gold)
            spread += TOTAL_SPREAD
        if state.phase == OFFERING:
            table[COINS, player] -= table[OFFER, player]
            total += table[OFFER, player]
        spread += CARD_SPREAD * int(state.adjusting[player])
    for player in range(int(state.num_players)):
        if table[OFFER, player] > 0.0:
            foresee_rewards(state, table, player)
    foresee_tile(state, table, total, spread)


def foresee_rewards(state: Record, table: Array, player: int) -> None:
    """Fill the rewards to expect for an offer, and the chance that it is the highest."""
    first = 1.0
    second = 0.0
    for other in range(int(state.num_players)):
        if other != player:
            lead = table[OFFER, player] - table[OFFER, other]
            lead += 0.5 if turn_place(state, player) < turn_place(state, other) else -0.5
            spread = KNOWN_SPREAD
            if state.offers[player] == NO_OFFER or state.offers[other] == NO_OFFER:
                spread = OFFER_SPREAD
            beaten = likely(state, lead, spread)
            second = second * beaten + first * (1.0 - beaten)
            first *= beaten
    table[FIRST, player] = first
    table[REWARD, player] = OTHER_REWARDS * (1.0 - first - second)
    table[REWARD, player] += FIRST_REWARDS * first + SECOND_REWARDS * second


def foresee_tile(state: Record, table: Array, total: float, spread: float) -> None:
    """Fill what the tile should pay if the offering should have this total."""
    farmer, temple, camel = float(TILE_FARMER[0]), float(TILE_TEMPLE[0]), float(TILE_CAMEL[0])
    for tile in range(1, NUM_TILES):
        above = likely(state, total - int(TILE_UP_TO[tile - 1]) - 0.5, spread)
        farmer += above * (int(TILE_FARMER[tile]) - int(TILE_FARMER[tile - 1]))
        temple += above * (int(TILE_TEMPLE[tile]) - int(TILE_TEMPLE[tile - 1]))
        camel += above * (int(TILE_CAMEL[tile]) - int(TILE_CAMEL[tile - 1]))
    table[TILE, PER_FARMER] = farmer
    table[TILE, PER_TEMPLE] = temple
    table[TILE, PER_CAMEL] = camel


def count_rewards(state: Record, table: Array) -> None:
    """Fill the rewards that are still to be collected: by the first, the second, the rest in turn order."""
    current = int(state.current)
    table[FIRST, state.next_start] = 1.0
    for player in range(int(state.num_players)):
        if player != state.next_start and player != state.runner_up and state.offers[player] != STOLE:
            waits = turn_place(state, player) > turn_place(state, current)
            if waits or current == state.next_start or current == state.runner_up:
                table[REWARD, player] = OTHER_REWARDS
    if current == state.next_start and state.runner_up != NOBODY:
        table[REWARD, state.runner_up] = SECOND_REWARDS
    table[REWARD, current] = state.rewards_left


# What the seats have


def fill_holdings(state: Record, table: Array, player: int) -> None:
    """Fill buildings, farmers and the greatest province of each bank."""
    table[HANDS, player] = 0.0
    for bank in range(len(BANKS)):
        table[GREATEST + bank, player] = NO_PROVINCE
    for turn in range(ROUNDS):
        province = int(table[SLOT + turn, player])
        table[BUILT + turn, player] = 0.0
        if province != NOWHERE:
            built = float(stones_on(state, province))
            farmers = float(state.farmers[province] + state.free_farmers[province])
            if turn == state.round_number and state.phase <= PROTECTED_BID:
                built += int(BONUS_STONES[province])
                farmers += int(BONUS_FARMERS[province])
            row = GREATEST + int(BANK[province])
            table[row, player] = max(table[row, player], built)
            table[BUILT + turn, player] = built
            table[HANDS, player] += farmers


def fill_wealth(state: Record, table: Array, player: int) -> None:
    """Fill the gold that a player should have after this round's harvest."""
    wealth = table[COINS, player]
    phase = int(state.phase)
    paid = phase > HARVEST or phase == CHOOSE_PROVINCE
    if phase == HARVEST and turn_place(state, player) < turn_place(state, int(state.current)):
        paid = True
    if not paid:
        wealth += table[TILE, PER_FARMER] * table[HANDS, player]
        for turn in range(ROUNDS):
            province = int(table[SLOT + turn, player])
            if province != NOWHERE:
                wealth += int(MINE[province]) + table[TILE, PER_CAMEL] * int(CARAVAN[province])
    if phase == HARVEST and player == state.current:
        wealth = float(state.gold[player])
        for turn in range(int(state.round_number) + 1):
            wealth += income(state, int(state.won[player, turn]))
    table[WEALTH, player] = max(0.0, wealth)


def temple_prospect(state: Record, table: Array, player: int) -> float:
    """The points to expect from temples in this age."""
    temples = 0
    for turn in range(ROUNDS):
        province = int(table[SLOT + turn, player])
        if province != NOWHERE:
            temples += int(TEMPLES[province])
    if state.options[TEMPLES_AT_HARVEST] == 0:
        return temples * table[TILE, PER_TEMPLE]
    now = 0.0 if state.phase == SCORING else table[TILE, PER_TEMPLE]
    return temples * (now + TEMPLE_MEAN * rounds_after(state))


# The features of one seat


def describe_buildings(state: Record, table: Array, player: int, rows: Array) -> None:
    """Provinces, what is built there, and the points that all of it would score now."""
    owned, pyramids, fewest = 0, 0, 0
    low, middle, high = -1.0, -1.0, -1.0
    loose, fixed, fields, roots = 0.0, 0.0, 0.0, 0.0
    symbols = 0
    for turn in range(ROUNDS):
        province = int(table[SLOT + turn, player])
        level = -1.0
        if province != NOWHERE:
            built = int(table[BUILT + turn, player])
            number = built // STONES_PER_PYRAMID
            rest = built - STONES_PER_PYRAMID * number
            level = number + LOOSE_SHARE * rest / STONES_PER_PYRAMID
            fewest = number if owned == 0 else min(fewest, number)
            owned += 1
            pyramids += number
            loose += rest
            fixed += int(MINE[province]) + CARAVAN_SHARE * int(CARAVAN[province])
            empty = float(FIELDS[province]) - int(state.farmers[province])
            fields += empty
            roots += sqrt(empty)
            symbols = max(symbols, int(FAVOR_SYMBOLS[province]))
        if turn == 0 or level < low:
            low, middle, high = level, low, middle
        elif turn == 1 or level < middle:
            middle, high = level, middle
        else:
            high = level
    sets = fewest if owned == ROUNDS else 0
    temples = temple_prospect(state, table, player)
    rows[player, of.TOTAL] = 0.1 * (pyramids * 1.0 + SET_POINTS * sets + temples)
    rows[player, of.PYRAMIDS] = 0.3 * pyramids
    rows[player, of.SETS] = 0.5 * sets
    rows[player, of.LEVEL_LOW] = 0.5 * low
    rows[player, of.LEVEL_MIDDLE] = 0.5 * middle
    rows[player, of.LEVEL_HIGH] = 0.5 * high
    rows[player, of.LOOSE] = 0.3 * loose
    rows[player, of.TEMPLES] = 0.2 * temples
    rows[player, of.FIXED_INCOME] = 0.1 * fixed
    rows[player, of.FARMERS] = 0.2 * table[HANDS, player]
    rows[player, of.FIELDS] = 0.1 * market_to_come(state, player) * fields
    rows[player, of.FIELD_ROOTS] = 0.2 * roots
    rows[player, of.SYMBOLS] = 0.3 * symbols
    describe_banks(state, table, player, rows)


def describe_banks(state: Record, table: Array, player: int, rows: Array) -> None:
    """The greatest provinces of the banks, as they stand and by how likely they are to stay so."""
    now, near, far = 0.0, 0.0, 0.0
    left = rounds_after(state)
    for bank in range(len(BANKS)):
        own = table[GREATEST + bank, player]
        if own != NO_PROVINCE:
            rival = NO_PROVINCE
            for other in range(int(state.num_players)):
                if other != player:
                    rival = max(rival, table[GREATEST + bank, other])
            reach = 1.0
            if own < STONES_PER_PYRAMID:
                reach = REACH + REACH_STONE * own
            elif own >= rival:
                now += 1.0
            near += reach * likely(state, own - rival + 0.5, NEAR[0] + NEAR[1] * left)
            far += reach * likely(state, own - rival + 0.5, FAR[0] + FAR[1] * left)
    rows[player, of.TOTAL] += 0.1 * BANK_POINTS * now
    rows[player, of.BANKS_NOW] = 0.5 * now
    rows[player, of.BANKS_SOFT] = near
    rows[player, of.BANKS_WIDE] = far


def describe_gold(state: Record, table: Array, player: int, rows: Array) -> None:
    """Gold now and after the harvest, what it can still buy, and its place in the ranking."""
    coins = max(0.0, table[COINS, player])
    to_come = market_to_come(state, player)
    rows[player, of.GOLD_ROOT] = 0.3 * sqrt(coins)
    rows[player, of.GOLD] = 0.05 * coins
    rows[player, of.WEALTH_ROOT] = 0.3 * sqrt(table[WEALTH, player])
    rows[player, of.MARKET_ROOT] = 0.3 * to_come * sqrt(coins)
    rows[player, of.MARKET_GOLD] = 0.05 * to_come * coins
    rows[player, of.BOUGHT] = 0.0
    if to_come > 0.0 and player == state.current:
        rows[player, of.BOUGHT] = 0.2 * int(state.bought)
    points, soft = 0.0, 0.0
    if state.age + 1 == AGES:
        richer = 0
        softly = 0.0
        spread = RANK_NEAR + RANK_ROUND * (rounds_after(state) + to_come)
        for other in range(int(state.num_players)):
            if other != player:
                lead = table[WEALTH, other] + int(state.hand_sizes[other])
                lead -= table[WEALTH, player] + int(state.hand_sizes[player])
                richer += int(lead > 0.0)
                softly += likely(state, lead, spread)
        points = float(GOLD_POINTS[richer])
        place = int(softly)
        here, next_place = float(GOLD_POINTS[place]), float(GOLD_POINTS[place + 1])
        soft = here + (softly - place) * (next_place - here)
    rows[player, of.TOTAL] += 0.1 * points
    rows[player, of.GOLD_POINTS] = 0.2 * points
    rows[player, of.GOLD_POINTS_SOFT] = 0.2 * soft


def describe_cards(state: Record, table: Array, player: int, rows: Array) -> None:
    """Favor cards in hand, yellow ones by what can still be met, and points."""
    to_come = market_to_come(state, player)
    architects = int(state.favors[player, ARCHITECT])
    free_farmers = int(state.favors[player, FREE_FARMER])
    rows[player, of.ARCHITECTS] = 0.5 * architects
    rows[player, of.ARCHITECT_NOW] = 0.5 if architects > 0 and to_come > 0.0 else 0.0
    rows[player, of.AUCTION_CARDS] = 0.5 * int(
        state.favors[player, BRIBERY] + state.favors[player, PROTECTION]
    )
    rows[player, of.FREE_FARMERS] = 0.5 * free_farmers
    rows[player, of.FREE_FARMER_NOW] = 0.5 if free_farmers > 0 and to_come > 0.0 else 0.0
    rows[player, of.BLUE_CARDS] = 0.5 * int(state.favors[player, OFFERING_ADJUSTMENT])
    rows[player, of.TREASURIES] = 0.5 * int(state.favors[player, TREASURY])
    rows[player, of.BIG_HARVESTS] = 0.5 * int(state.favors[player, BIG_HARVEST])
    rows[player, of.HAND] = 0.2 * int(state.hand_sizes[player])
    met, lost = 0.0, 0.0
    scored = 0
    for kind in range(FIRST_YELLOW, NUM_FAVORS):
        held = int(state.favors[player, kind])
        played = (int(state.scored[player]) >> (kind - FIRST_YELLOW)) & 1
        scored += played
        if held > 0:
            chance = 0.0 if played == 1 else yellow_chance(state, table, player, kind)
            met += chance
            lost += held - chance
    points = int(state.points[player]) + YELLOW_POINTS * scored
    rows[player, of.POINTS] = 0.1 * points
    rows[player, of.TOTAL] += 0.1 * points
    if table[SLOT + ROUNDS - 1, player] != NOWHERE:
        rows[player, of.TOTAL] += 0.1 * YELLOW_POINTS * met
    rows[player, of.YELLOW] = 0.5 * met
    rows[player, of.YELLOW_LOST] = 0.5 * lost


def yellow_chance(state: Record, table: Array, player: int, kind: int) -> float:
    """1 if the provinces of a player can still meet the condition of a yellow card, else 0; farmers in part."""
    if kind == HARVESTERS:
        farmers = table[HANDS, player]
        if state.phase > REWARDS and rounds_after(state) == 0:
            return 1.0 if farmers >= HARVESTERS_NEEDED else 0.0
        return min(1.0, farmers / HARVESTERS_NEEDED)
    owned, banks, halves, riverside, symbols = 0, 0, 0, 0, 0
    for turn in range(ROUNDS):
        province = int(table[SLOT + turn, player])
        if province != NOWHERE:
            owned += 1
            banks += int(BANK[province])
            halves += int(HALF[province])
            riverside += int(NILE[province])
            symbols += int(FAVOR_SYMBOLS[province])
    met = True
    if kind == SAME_BANK:
        met = banks in (0, owned)
    elif kind == SAME_HALF:
        met = halves in (0, owned)
    elif kind == RIVERSIDE:
        met = riverside == owned
    elif kind == SCRIBES:
        met = symbols + 2 * (ROUNDS - owned) >= SCRIBES_NEEDED
    return 1.0 if met else 0.0


def describe_turn(state: Record, table: Array, player: int, rows: Array) -> None:
    """Turn order, and what the seat has still to do in this round."""
    rows[player, of.REWARDS] = 0.5 * table[REWARD, player]
    rows[player, of.FIRST] = table[FIRST, player]
    start = int(state.next_start if state.phase > OFFERING else state.start)
    players = int(state.num_players)
    rows[player, of.PLACE] = ((player - start + players) % players) / players
    rows[player, of.START] = 1.0 if player == start else 0.0
    rows[player, of.UNPLACED] = 0.0
    if state.phase <= PROTECTED_BID and state.pawns[player] == NOWHERE:
        rows[player, of.UNPLACED] = 0.5
    rows[player, of.UNOFFERED] = 0.0
    if state.phase == OFFERING and state.offers[player] == NO_OFFER:
        rows[player, of.UNOFFERED] = 0.5


jit_module(cache=True, nogil=True, forceinline=False)
