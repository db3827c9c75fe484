"""What things are worth in Amun-Re, and the move that this valuation prefers.

    greedy_action               the best move of each phase
    best_choice, best_bid       auction: which province at what price, against whom
    best_purchase               market: favor cards, farmers, stones and the cards played there
    best_offer ... best_reward  offering: gold against rewards, harvest and start player
    best_harvest_card           harvest
    best_yellow_card            scoring
    province_worth              what a province adds to a player's prospects
    building_value              pyramids, sets and the greatest provinces of the banks
    harvest_value               what an offering tile pays
    card_worth                  what a favor card is worth in the hand of the player to move
    gold_value                  gold: what can still be bought for it, and the ranking at the end

Everything is in victory points. Others are taken to value things alike, from what everybody knows:
nothing here looks at another's cards, choice, offer or blue card, nor at the order of a deck.
`weights` is float64[number of weights] as `amunre_env.weights` names them. `table` is scratch,
float64[NUM_ROWS, NUM_COLUMNS], filled once a decision. Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

from math import sqrt

import numpy as np
from numba import jit_module

from amunre_env.actions import (
    ADJUST,
    BID,
    BUY,
    CHOOSE,
    DONE,
    LOWER,
    OFFER,
    PLACE_FARMER,
    PLACE_STONE,
    PLAY_ARCHITECT,
    PLAY_BIG_HARVEST,
    PLAY_FREE_FARMER,
    PLAY_TREASURY,
    PROTECT,
    RAISE,
    SCORE,
    SELL,
    STEAL,
    TAKE_FAVOR,
)
from amunre_env.components import (
    ADJUSTMENT_GOLD,
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
    FAVOR_COUNTS,
    FAVOR_SYMBOLS,
    FIELDS,
    FIRST_REWARDS,
    FIRST_YELLOW,
    FREE_FARMER,
    GOLD_POINTS,
    HALF,
    HARVESTERS,
    HARVESTERS_NEEDED,
    MAX_OFFER,
    MAX_PLAYERS,
    MINE,
    NILE,
    NUM_FAVORS,
    NUM_PROVINCES,
    NUM_SPACES,
    NUM_TILES,
    OFFERING_ADJUSTMENT,
    OTHER_REWARDS,
    PROTECTION,
    PYRAMID_POINTS,
    RIVERSIDE,
    ROUNDS,
    SAME_BANK,
    SAME_HALF,
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
    TREASURY_GOLD,
    YELLOW_POINTS,
)
from amunre_env.rules import harvest_cards, income, left_of, lowest_space, most_favors, open_provinces
from amunre_env.scoring import conditions_met, scoring_cards
from amunre_env.state import (
    CHOOSE_PROVINCE,
    DECLARING,
    HARVEST,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    NO_TILE,
    NOBODY,
    NOWHERE,
    OFFERING,
    PROTECTED_BID,
    REWARDS,
    SCORING,
    TEMPLES_AT_HARVEST,
)
from amunre_env.weights import (
    ARCHITECT_CARD,
    AUCTION_CARD,
    BANK_FACTOR,
    BANK_OPEN,
    BANK_SPREAD,
    BID_SPREAD,
    BLUE_CARD,
    CAMEL,
    DENY,
    DISPLACED,
    FARMER_YIELD,
    FAVOR,
    FIELD_COST,
    FORESIGHT,
    GOLD,
    GOLD_BASE,
    HARVEST_CARD,
    HARVEST_FACTOR,
    INCOME,
    KEPT_GOLD,
    LAST_HARVEST,
    LOOSE,
    LOOSE_LAST,
    MARKET_TURN,
    OFFER_BASE,
    OFFER_INTEREST,
    OFFER_SHARE,
    OFFER_SPREAD,
    OFFER_TURN,
    OFFER_VARIETY,
    OUTBID,
    PYRAMID,
    RANK,
    RANK_SPREAD,
    REWARD,
    SET,
    SET_FUTURE,
    SET_MEAN,
    SPITE,
    START,
    SYMBOL,
    TEMPLE,
    THIEF_INTEREST,
    THIEVES,
    YELLOW,
)
from tabletop.kinds import Array, Record

# Rows of `table`.
RATE = 0  # [player] points for one more gold
GREATEST = 1  # [player] the greatest province of each bank, in stones, or NO_PROVINCE: a row for each bank
RIVALS = GREATEST + len(BANKS)  # [player] the greatest of all others' provinces there: a row for each bank
ADDED = RIVALS + len(BANKS)  # [province] stones that are tried out
BUILT = ADDED + 1  # [player] what the buildings on own provinces promise as they stand
FAVOR_MEAN = BUILT + 1  # [0] what an unknown favor card is worth to the player to move
LEVELS = FAVOR_MEAN + 1  # scratch of `set_value`
TILE_VALUE = LEVELS + 1  # [tile] what an offering tile is worth to the player to move
COST = TILE_VALUE + 1  # [space] what a bid costs: a row for each player
WORTH = COST + MAX_PLAYERS  # [player] what a province up for auction is worth: a row for each place
ALTERNATIVE = WORTH + MAX_PLAYERS  # [player] what the best other province would bring
LEADER = ALTERNATIVE + 1  # [place] who holds the highest bid in an auction that is thought through
SPACE = LEADER + 1  # [place] the lowest space that is open there
PAID = SPACE + 1  # [place] the space of the highest bid
PAWN = PAID + 1  # [player] place of the highest bid
BARRED = PAWN + 1  # [player] place of which just outbid
GAP = BARRED + 1  # [player] spaces by which the player's bids must be outbid
LIKELY_OFFER = GAP + 1  # [player] what another player should offer, if they offer gold
THEFT = LIKELY_OFFER + 1  # [player] the chance that they steal
NUM_ROWS = THEFT + 1
NUM_COLUMNS = max(NUM_PROVINCES, NUM_SPACES, MAX_PLAYERS, NUM_TILES)

NO_PROVINCE = -1.0
NEVER = -1e9
UNPAYABLE = 1e6
RATE_STEP = 4.0  # gold over which the worth of one more is measured
JUMPS = 4  # the lowest spaces of a province among which a bid is looked for
SURE_OFFER = 12  # gold beyond the others' likely offers that needs not be looked at
WHIM_FACTOR, WHIM_PRIME, WHIM_STEPS = 31, 10007, 17
LEAST_SPREAD = 0.15  # parts of a round by which the order of provinces and of gold can still change


# The move


def greedy_action(state: Record, weights: Array) -> int:
    """Return the move that the valuation prefers; among equals always the same one."""
    table = np.zeros((NUM_ROWS, NUM_COLUMNS), np.float64)
    phase = int(state.phase)
    if phase == SCORING:
        return best_yellow_card(state)
    fill_prospects(state, weights, table)
    if phase == CHOOSE_PROVINCE:
        return best_choice(state, weights, table)
    if phase <= PROTECTED_BID:
        return best_bid(state, weights, table)
    if phase <= MARKET_STONES:
        return best_purchase(state, weights, table)
    if phase == OFFERING:
        return best_offer(state, weights, table)
    if phase == DECLARING:
        return best_declaration(state, weights, table)
    if phase == REWARDS:
        return best_reward(state, weights, table)
    return best_harvest_card(state, weights, table)


def fill_prospects(state: Record, weights: Array, table: Array) -> None:
    """Fill what the valuations of this phase need: the worth of gold, of buildings and of a favor card."""
    phase = int(state.phase)
    fill_greatest(state, table)
    for player in range(int(state.num_players)):
        if phase <= PROTECTED_BID or player == state.current:
            fill_rate(state, weights, table, player)
            table[BUILT, player] = building_value(state, weights, table, player, NOWHERE)
        elif phase in (OFFERING, DECLARING):
            fill_rate(state, weights, table, player)
    if phase <= MARKET_FAVORS or phase in (OFFERING, REWARDS):
        table[FAVOR_MEAN, 0] = unknown_card_worth(state, weights, table)


def fill_rate(state: Record, weights: Array, table: Array, player: int) -> None:
    """Fill what one more gold is worth to a player."""
    gold = float(state.gold[player])
    more = gold_value(state, weights, player, gold + RATE_STEP)
    table[RATE, player] = (more - gold_value(state, weights, player, gold)) / RATE_STEP


def fill_greatest(state: Record, table: Array) -> None:
    """Fill the greatest province of each bank, of every player and of all others."""
    for bank in range(len(BANKS)):
        for player in range(int(state.num_players)):
            table[GREATEST + bank, player] = NO_PROVINCE
            table[RIVALS + bank, player] = NO_PROVINCE
            for turn in range(ROUNDS):
                province = int(state.won[player, turn])
                if province != NOWHERE and BANK[province] == bank:
                    stones = float(stones_on(state, province))
                    table[GREATEST + bank, player] = max(table[GREATEST + bank, player], stones)
        for player in range(int(state.num_players)):
            for other in range(int(state.num_players)):
                if other != player:
                    greatest = max(table[RIVALS + bank, player], table[GREATEST + bank, other])
                    table[RIVALS + bank, player] = greatest


# The auction


def best_choice(state: Record, weights: Array, table: Array) -> int:
    """Put up the province of the hand that is worth most to the player beyond what it is to the others."""
    player = int(state.current)
    best = NOWHERE
    best_value = NEVER
    for card in range(ROUNDS):
        province = int(state.hands[player, card])
        if province != NOWHERE:
            value = 0.0
            for other in range(int(state.num_players)):
                if other != player:
                    value -= province_worth(state, weights, table, other, province)
            value /= int(state.num_players) - 1
            value += province_worth(state, weights, table, player, province)
            if value > best_value:
                best = province
                best_value = value
    return CHOOSE + best


def best_bid(state: Record, weights: Array, table: Array) -> int:
    """The bid whose province, price and chance to stand promise most; Protection if that promises more."""
    player = int(state.current)
    fill_auction(state, weights, table)
    bribery = state.favors[player, BRIBERY] > 0 and state.bribed[player] == 0
    protection = state.favors[player, PROTECTION] > 0 and state.protected[player] == 0
    best = PROTECT
    best_value = NEVER
    for place in range(int(state.num_players)):
        price = 0.0
        if place == state.barred[player]:
            price = card_worth(state, weights, table, BRIBERY)
            if not bribery:
                continue
        for bidder in range(int(state.num_players)):
            table[ALTERNATIVE, bidder] = best_alternative(state, table, bidder, place)
        lowest = lowest_space(state, place)
        for space in range(lowest, min(NUM_SPACES, lowest + JUMPS)):
            if BID_SPACES[space] > state.gold[player]:
                break
            gap = 1 + int(state.protected[player])
            value = bid_value(state, weights, table, place, space, gap) - price
            if value > best_value:
                best = BID + int(state.offered[place]) * NUM_SPACES + space
                best_value = value
            if protection:
                price_of_both = price + card_worth(state, weights, table, PROTECTION)
                value = bid_value(state, weights, table, place, space, 2) - price_of_both
                if value > best_value:
                    best = PROTECT
                    best_value = value
    return best


def fill_auction(state: Record, weights: Array, table: Array) -> None:
    """Fill what every province is worth to every player, and what every bid costs them."""
    for player in range(int(state.num_players)):
        gold = float(state.gold[player])
        before = gold_value(state, weights, player, gold)
        for space in range(NUM_SPACES):
            price = float(BID_SPACES[space])
            if price > gold:
                table[COST + player, space] = UNPAYABLE
            else:
                table[COST + player, space] = before - gold_value(state, weights, player, gold - price)
        for place in range(int(state.num_players)):
            province = int(state.offered[place])
            table[WORTH + place, player] = province_worth(state, weights, table, player, province)


def bid_value(state: Record, weights: Array, table: Array, place: int, space: int, gap: int) -> float:
    """What a bid promises if the next must be `gap` spaces higher: by chances, and by thinking it through."""
    value = 0.0
    if weights[FORESIGHT] < 1.0:
        chances = chance_value(state, weights, table, place, space, gap)
        value += (1.0 - weights[FORESIGHT]) * chances
    if weights[FORESIGHT] > 0.0:
        value += weights[FORESIGHT] * foreseen_value(state, weights, table, place, space, gap)
    return value


def chance_value(state: Record, weights: Array, table: Array, place: int, space: int, gap: int) -> float:
    """A bid's profit if it stands, or else what is left then, by the chance that a rival outbids it."""
    player = int(state.current)
    stands = 1.0
    deny = 0.0
    for rival in range(int(state.num_players)):
        if rival != player:
            margin = NEVER
            if space + gap < NUM_SPACES:
                profit = table[WORTH + place, rival] - table[COST + rival, space + gap]
                margin = profit - table[ALTERNATIVE, rival]
                deny = max(deny, margin)
            if margin > NEVER and state.barred[rival] != place and state.leaders[place] != rival:
                share = 1.0 if state.pawns[rival] == NOWHERE else weights[DISPLACED]
                stands *= 1.0 - share * likely(state, margin, weights[BID_SPREAD])
    profit = table[WORTH + place, player] - table[COST + player, space] + weights[DENY] * deny
    fallback = table[ALTERNATIVE, player] - weights[OUTBID]
    return stands * profit + (1.0 - stands) * min(fallback, profit)


def foreseen_value(state: Record, weights: Array, table: Array, place: int, space: int, gap: int) -> float:
    """What the player has at the end if from this bid on all bid the lowest for what profits them most."""
    player = int(state.current)
    lay_out_auction(state, table)
    table[GAP, player] = gap
    put_bid(state, table, player, place, space)
    bidder = next_bidder(state, table, player)
    while table[PAWN, bidder] == NOWHERE:
        target = best_target(state, table, bidder)
        put_bid(state, table, bidder, target, int(table[SPACE, target]))
        bidder = next_bidder(state, table, bidder)
    others = 0.0
    for other in range(int(state.num_players)):
        if other != player:
            others += foreseen_profit(state, table, other)
    own = foreseen_profit(state, table, player)
    return own - weights[DENY] * others / (int(state.num_players) - 1)


def lay_out_auction(state: Record, table: Array) -> None:
    """Copy pawns and bids, to think an auction through without touching them."""
    for player in range(int(state.num_players)):
        table[PAWN, player] = state.pawns[player]
        table[BARRED, player] = state.barred[player]
        table[GAP, player] = 1.0 + state.protected[player]
    for place in range(int(state.num_players)):
        leader = int(state.leaders[place])
        table[LEADER, place] = leader
        table[SPACE, place] = lowest_space(state, place)
        if leader != NOBODY:
            table[PAID, place] = state.bids[leader]


def put_bid(state: Record, table: Array, player: int, place: int, space: int) -> None:
    """Outbid the leader of a place in thought."""
    leader = int(table[LEADER, place])
    if leader != NOBODY:
        table[PAWN, leader] = NOWHERE
        table[BARRED, leader] = place
    table[LEADER, place] = player
    table[PAID, place] = space
    table[SPACE, place] = space + table[GAP, player]
    table[PAWN, player] = place
    table[BARRED, player] = NOWHERE


def next_bidder(state: Record, table: Array, player: int) -> int:
    """The next seat without a highest bid; the same seat if there is none."""
    bidder = left_of(state, player)
    while bidder != player and table[PAWN, bidder] != NOWHERE:
        bidder = left_of(state, bidder)
    return bidder


def best_target(state: Record, table: Array, player: int) -> int:
    """The place that profits a player most at the lowest space open there."""
    best = NOWHERE
    best_value = NEVER
    for place in range(int(state.num_players)):
        space = int(table[SPACE, place])
        if place != table[BARRED, player] and space < NUM_SPACES:
            value = table[WORTH + place, player] - table[COST + player, space]
            if value > best_value:
                best = place
                best_value = value
    return best


def foreseen_profit(state: Record, table: Array, player: int) -> float:
    """What a player has won in thought, less its price."""
    place = int(table[PAWN, player])
    return table[WORTH + place, player] - table[COST + player, int(table[PAID, place])]


def best_alternative(state: Record, table: Array, player: int, but: int) -> float:
    """What the best other province would bring a player at the lowest bid that is open there."""
    best = NEVER
    for place in range(int(state.num_players)):
        if place != but:
            space = lowest_space(state, place)
            if state.leaders[place] == player:
                space = int(state.bids[player])
            if space < NUM_SPACES:
                best = max(best, table[WORTH + place, player] - table[COST + player, space])
    return best


def province_worth(state: Record, weights: Array, table: Array, player: int, province: int) -> float:
    """What a province adds to a player's prospects in this age, its price apart."""
    gold = harvests_left(state, weights) * expected_income(state, weights, province)
    gold += fields_gold(state, weights, province, int(FIELDS[province])) + int(BONUS_GOLD[province])
    worth = weights[INCOME] * gold * table[RATE, player]
    worth += temple_worth(state, weights, province)
    worth += int(BONUS_FAVORS[province]) * table[FAVOR_MEAN, 0]
    worth += symbol_worth(state, weights, player, province)
    table[ADDED, province] = float(BONUS_STONES[province])
    worth += building_value(state, weights, table, player, province) - table[BUILT, player]
    table[ADDED, province] = 0.0
    if player == state.current:
        for kind in range(FIRST_YELLOW, NUM_FAVORS):
            if state.favors[player, kind] > 0:
                worth += yellow_worth(state, weights, kind, province)
    return worth


def expected_income(state: Record, weights: Array, province: int) -> float:
    """The gold that a province should pay in one harvest before any farmer is bought."""
    farmers = int(BONUS_FARMERS[province])
    gold = int(MINE[province]) + weights[CAMEL] * int(CARAVAN[province])
    return gold + weights[FARMER_YIELD] * farmers


def fields_gold(state: Record, weights: Array, province: int, fields: int) -> float:
    """What farmers in empty fields should pay this age, each dearer than the one before."""
    paid = harvests_left(state, weights) * weights[FARMER_YIELD]
    gold = 0.0
    for field in range(1, fields + 1):
        gold += max(0.0, paid - weights[FIELD_COST] * field)
    return gold


def temple_worth(state: Record, weights: Array, province: int) -> float:
    """Temples score at the end of the age, or in every harvest left under that option."""
    times = 1
    if state.options[TEMPLES_AT_HARVEST] == 1:
        times += rounds_after(state)
    return int(TEMPLES[province]) * weights[TEMPLE] * times


def symbol_worth(state: Record, weights: Array, player: int, province: int) -> float:
    """More favor symbols than on the other own provinces allow to buy more cards in the rounds left."""
    most = 0
    for turn in range(ROUNDS):
        own = int(state.won[player, turn])
        if own != NOWHERE:
            most = max(most, int(FAVOR_SYMBOLS[own]))
    more = max(0, int(FAVOR_SYMBOLS[province]) - most)
    return weights[SYMBOL] * more * (1 + rounds_after(state))


# Buildings


def building_value(state: Record, weights: Array, table: Array, player: int, extra: int) -> float:
    """What pyramids and stones promise a player at the end of the age; `extra`: a province to be won."""
    value = 0.0
    for bank in range(len(BANKS)):
        value += bank_value(state, weights, table, player, bank, extra)
    share = loose_share(state, weights)
    for turn in range(ROUNDS):
        province = province_at(state, player, turn, extra)
        if province == NOWHERE:
            table[LEVELS, turn] = weights[SET_FUTURE]
        else:
            stones = stones_on(state, province) + int(table[ADDED, province])
            loose = stones % STONES_PER_PYRAMID
            level = stones // STONES_PER_PYRAMID + share * loose / STONES_PER_PYRAMID
            table[LEVELS, turn] = level
            value += weights[PYRAMID] * PYRAMID_POINTS * level
    return value + set_value(state, weights, table)


def set_value(state: Record, weights: Array, table: Array) -> float:
    """3 for each complete set to expect: by the least of the three provinces, early also by their mean."""
    least = min(table[LEVELS, 0], table[LEVELS, 1], table[LEVELS, 2])
    mean = (table[LEVELS, 0] + table[LEVELS, 1] + table[LEVELS, 2]) / ROUNDS
    share = weights[SET_MEAN] * rounds_after(state) / (ROUNDS - 1)
    if rounds_after(state) == 0:
        least = float(int(least)) + loose_share(state, weights) * (least - int(least))
    return weights[SET] * SET_POINTS * (share * mean + (1.0 - share) * least)


def bank_value(state: Record, weights: Array, table: Array, player: int, bank: int, extra: int) -> float:
    """5 for the greatest province of a bank, by how likely it is to be that in the end."""
    own = NO_PROVINCE
    for turn in range(ROUNDS):
        province = province_at(state, player, turn, extra)
        if province != NOWHERE and BANK[province] == bank:
            own = max(own, stones_on(state, province) + table[ADDED, province])
    if own == NO_PROVINCE:
        return 0.0
    left = rounds_after(state)
    reach = weights[BANK_OPEN] * left / (ROUNDS - 1)
    if own >= STONES_PER_PYRAMID:
        reach = 1.0
    elif left > 0:
        reach = max(reach, own / STONES_PER_PYRAMID)
    lead = own - table[RIVALS + bank, player]
    spread = weights[BANK_SPREAD] * (left + LEAST_SPREAD)
    return weights[BANK_FACTOR] * BANK_POINTS * reach * likely(state, lead + 0.5, spread)


def province_at(state: Record, player: int, turn: int, extra: int) -> int:
    """The province that a player has won in a round of this age; in this round's auction `extra`."""
    if turn == state.round_number and state.phase <= PROTECTED_BID:
        return extra
    return int(state.won[player, turn])


def stones_on(state: Record, province: int) -> int:
    """Pyramids and stones of a province, counted in stones."""
    return STONES_PER_PYRAMID * int(state.pyramids[province]) + int(state.stones[province])


def loose_share(state: Record, weights: Array) -> float:
    """The share of its part of a pyramid that a single stone is worth."""
    if rounds_after(state) > 0:
        return weights[LOOSE]
    if state.phase <= MARKET_STONES:
        return weights[LOOSE_LAST]
    return 0.0


def building_gain(
    state: Record, weights: Array, table: Array, player: int, province: int, stones: int
) -> float:
    """What stones on one own province of the player to move add."""
    table[ADDED, province] = float(stones)
    gain = building_value(state, weights, table, player, NOWHERE) - table[BUILT, player]
    table[ADDED, province] = 0.0
    return gain


# The market


def best_purchase(state: Record, weights: Array, table: Array) -> int:
    """Sell what is of no more use; then the best that the step offers."""
    player = int(state.current)
    for kind in range(NUM_FAVORS):
        if state.favors[player, kind] > 0 and is_useless(state, kind):
            return SELL + kind
    if state.phase == MARKET_FAVORS:
        return best_number_of_favors(state, weights, table)
    if state.phase == MARKET_FARMERS:
        return best_farmer(state, weights, table)
    return best_stone(state, weights, table)


def is_useless(state: Record, kind: int) -> bool:
    """Whether the player to move cannot play a kind of card in the rest of the game."""
    if rounds_to_come(state) > 0:
        return False
    if kind in (BRIBERY, PROTECTION):
        return True
    if kind < FIRST_YELLOW or kind == HARVESTERS:
        return False
    return (conditions_met(state, int(state.current)) >> kind) & 1 == 0


def best_number_of_favors(state: Record, weights: Array, table: Array) -> int:
    """As many cards as are worth their price."""
    player = int(state.current)
    best = DONE
    best_value = 0.0
    for number in range(1, most_favors(state, player) + 1):
        price = number * (number + 1) // 2
        value = number * table[FAVOR_MEAN, 0] - spending_cost(state, weights, player, price)
        if value > best_value:
            best = BUY + number - 1
            best_value = value
    return best


def best_farmer(state: Record, weights: Array, table: Array) -> int:
    """Play Free Farmer unless it should wait for the New Kingdom; then buy while the harvests pay for it."""
    player = int(state.current)
    gain = farmer_gain(state, weights, table)
    if state.favors[player, FREE_FARMER] > 0 and state.free_farmer_played == 0:
        kept = 0.0
        if state.age + 1 < AGES:
            kept = weights[INCOME] * weights[FARMER_YIELD] * ROUNDS * table[RATE, player]
        if gain >= kept:
            return PLAY_FREE_FARMER + most_farmers(state, player, False)
    province = most_farmers(state, player, True)
    price = int(state.bought) + 1
    if province == NOWHERE or price > state.gold[player]:
        return DONE
    return PLACE_FARMER + province if gain > spending_cost(state, weights, player, price) else DONE


def farmer_gain(state: Record, weights: Array, table: Array) -> float:
    """What one more farmer of the player to move should bring until the end of the age."""
    player = int(state.current)
    gold = harvests_left(state, weights) * weights[FARMER_YIELD]
    if state.tile != NO_TILE:
        gold += int(TILE_FARMER[state.tile]) - weights[FARMER_YIELD]
    gain = weights[INCOME] * gold * table[RATE, player]
    missing = HARVESTERS_NEEDED - own_farmers(state, player)
    if missing > 0 and state.favors[player, HARVESTERS] > 0:
        gain += YELLOW_POINTS / missing * round_chance(state, weights)
    return gain


def most_farmers(state: Record, player: int, in_field: bool) -> int:
    """The own province with most farmers, for Big Harvest; with an empty field if that is needed."""
    best = NOWHERE
    most = -1
    fitting = open_provinces(state, player)
    for turn in range(ROUNDS):
        province = int(state.won[player, turn])
        if province != NOWHERE and (not in_field or (fitting >> province) & 1):
            farmers = int(state.farmers[province]) + int(state.free_farmers[province])
            if farmers > most:
                best = province
                most = farmers
    return best


def best_stone(state: Record, weights: Array, table: Array) -> int:
    """The stone, or the first of several, with the best gain beyond the price; or an Architect."""
    player = int(state.current)
    architect = state.favors[player, ARCHITECT] > 0 and state.architect_played == 0
    best = DONE
    best_value = 0.0
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        missing = STONES_PER_PYRAMID - int(state.stones[province])
        whole = building_gain(state, weights, table, player, province, missing)
        value = max(
            whole - stones_cost(state, weights, player, missing),
            building_gain(state, weights, table, player, province, 1)
            - stones_cost(state, weights, player, 1),
        )
        if value > best_value:
            best = PLACE_STONE + province
            best_value = value
        if architect:
            value = whole - card_worth(state, weights, table, ARCHITECT)
            if missing > 1:
                value -= stones_cost(state, weights, player, missing - 1)
            if value > best_value:
                best = PLACE_STONE + province if missing > 1 else PLAY_ARCHITECT + province
                best_value = value
    if state.round_number + 1 == ROUNDS:
        return best_set(state, weights, table, best, best_value)
    return best


def best_set(state: Record, weights: Array, table: Array, best: int, best_value: float) -> int:
    """Complete one more set, if that is better than the `best` move: a pyramid wherever there are fewest."""
    player = int(state.current)
    fewest = int(state.pyramids[state.won[player, 0]])
    for turn in range(1, ROUNDS):
        fewest = min(fewest, int(state.pyramids[state.won[player, turn]]))
    number = 0
    first = NOWHERE
    for turn in range(ROUNDS):
        province = int(state.won[player, turn])
        if state.pyramids[province] == fewest:
            missing = STONES_PER_PYRAMID - int(state.stones[province])
            table[ADDED, province] = float(missing)
            number += missing
            first = province
    gain = building_value(state, weights, table, player, NOWHERE) - table[BUILT, player]
    table[ADDED, :] = 0.0
    return PLACE_STONE + first if gain - stones_cost(state, weights, player, number) > best_value else best


def stones_cost(state: Record, weights: Array, player: int, number: int) -> float:
    """What the next `number` stones of this market turn cost."""
    price = number * int(state.bought) + number * (number + 1) // 2
    return spending_cost(state, weights, player, price)


# The offering


def best_offer(state: Record, weights: Array, table: Array) -> int:
    """The gold, or the theft, that promises most; before it the blue card if it can turn the harvest."""
    player = int(state.current)
    fill_tile_values(state, weights, table, player)
    fill_offers(state, weights, table, player)
    others = expected_offers(state, table, player)
    best = STEAL
    stolen = gold_value(state, weights, player, float(state.gold[player]) + THEFT_GOLD)
    best_value = stolen + offering_value(state, weights, table, others - THEFT_GOLD)
    total = others - THEFT_GOLD
    sure = int(highest_likely_offer(state, table, player)) + SURE_OFFER
    most = min(int(state.gold[player]), MAX_OFFER, sure)
    reward = best_reward_worth(state, weights, table)
    for offer in range(1, most + 1):
        value = gold_value(state, weights, player, float(state.gold[player]) - offer)
        value += offering_value(state, weights, table, others + offer)
        value += rank_value(state, weights, table, player, offer, reward)
        if value > best_value:
            best = OFFER + offer - 1
            best_value = value
            total = others + offer
    if state.favors[player, OFFERING_ADJUSTMENT] > 0 and state.adjusting[player] == 0:
        gain = adjustment_gain(state, weights, table, total)
        if gain > card_worth(state, weights, table, OFFERING_ADJUSTMENT):
            return ADJUST
    return best


def rank_value(state: Record, weights: Array, table: Array, player: int, offer: int, reward: float) -> float:
    """The rewards and the start player's seat that an offer should bring."""
    first = 1.0
    second = 0.0
    place = turn_place(state, player)
    for other in range(int(state.num_players)):
        if other != player:
            ahead = 0.5 if place < turn_place(state, other) else -0.5
            lead = offer + ahead - table[LIKELY_OFFER, other]
            beaten = likely(state, lead, weights[OFFER_SPREAD])
            beaten += table[THEFT, other] * (1.0 - beaten)
            second = second * beaten + first * (1.0 - beaten)
            first *= beaten
    rewards = FIRST_REWARDS * first + SECOND_REWARDS * second + OTHER_REWARDS * (1.0 - first - second)
    value = weights[REWARD] * reward * rewards
    if rounds_to_come(state) > 0:
        value += weights[START] * first
    return value


def fill_offers(state: Record, weights: Array, table: Array, player: int) -> None:
    """Fill LIKELY_OFFER and THEFT of the others: by their gold, and by what the last tile pays them more."""
    guess = weights[OFFER_BASE] + weights[OFFER_VARIETY] * whim(state, player)
    for other in range(int(state.num_players)):
        if other != player:
            gold = float(state.gold[other])
            interest = harvest_value(state, weights, table, other, NUM_TILES - 1)
            interest -= harvest_value(state, weights, table, other, 0)
            offer = guess + weights[OFFER_SHARE] * gold + weights[OFFER_INTEREST] * interest
            table[LIKELY_OFFER, other] = max(0.0, min(gold, offer))
            theft = max(0.0, min(1.0, weights[THIEVES] - weights[THIEF_INTEREST] * interest))
            table[THEFT, other] = theft if gold > 0.0 else 1.0


def whim(state: Record, player: int) -> float:
    """A number from 0 to 1 that changes with anybody's gold or points.

    Who always offers alike is beaten by one gold more, so the guess at the others' offers varies.
    """
    mixed = WHIM_FACTOR * player + int(state.round_number)
    for other in range(int(state.num_players)):
        mixed = (
            WHIM_FACTOR * mixed + int(state.gold[other]) + WHIM_STEPS * int(state.points[other])
        ) % WHIM_PRIME
    return (mixed % WHIM_STEPS) / (WHIM_STEPS - 1)


def expected_offers(state: Record, table: Array, player: int) -> float:
    """What the others' offers and thefts should add up to."""
    total = 0.0
    for other in range(int(state.num_players)):
        if other != player:
            theft = table[THEFT, other]
            total += (1.0 - theft) * table[LIKELY_OFFER, other] - theft * THEFT_GOLD
    return total


def highest_likely_offer(state: Record, table: Array, player: int) -> float:
    """The highest of the others' likely offers."""
    highest = 0.0
    for other in range(int(state.num_players)):
        if other != player:
            highest = max(highest, table[LIKELY_OFFER, other])
    return highest


def turn_place(state: Record, player: int) -> int:
    """How many seats come before a player in turn order."""
    return (player - int(state.start) + int(state.num_players)) % int(state.num_players)


def offering_value(state: Record, weights: Array, table: Array, total: float) -> float:
    """What the tile is worth if the offering should have this total, give or take."""
    spread = weights[OFFER_SPREAD] * sqrt(float(state.num_players))
    value = table[TILE_VALUE, 0]
    for tile in range(1, NUM_TILES):
        above = likely(state, total - int(TILE_UP_TO[tile - 1]) - 0.5, spread)
        value += above * (table[TILE_VALUE, tile] - table[TILE_VALUE, tile - 1])
    return weights[HARVEST_FACTOR] * value


def adjustment_gain(state: Record, weights: Array, table: Array, total: float) -> float:
    """What the choice of 3 more or 3 less should add once all offers are known."""
    now = offering_value(state, weights, table, total)
    more = offering_value(state, weights, table, total + ADJUSTMENT_GOLD)
    less = offering_value(state, weights, table, total - ADJUSTMENT_GOLD)
    return max(more, less) - now


def best_declaration(state: Record, weights: Array, table: Array) -> int:
    """Raise or lower the total to the better tile; raise if both are the same."""
    fill_tile_values(state, weights, table, int(state.current))
    raised = table[TILE_VALUE, tile_of(state, int(state.offering) + ADJUSTMENT_GOLD)]
    lowered = table[TILE_VALUE, tile_of(state, int(state.offering) - ADJUSTMENT_GOLD)]
    return RAISE if raised >= lowered else LOWER


def tile_of(state: Record, total: int) -> int:
    """The offering tile of a total."""
    tile = 0
    while tile < NUM_TILES - 1 and total > TILE_UP_TO[tile]:
        tile += 1
    return tile


def fill_tile_values(state: Record, weights: Array, table: Array, player: int) -> None:
    """Fill TILE_VALUE: what each tile pays the player, less a share of what it pays the others."""
    for tile in range(NUM_TILES):
        others = 0.0
        for other in range(int(state.num_players)):
            if other != player:
                others += harvest_value(state, weights, table, other, tile)
        own = harvest_value(state, weights, table, player, tile)
        table[TILE_VALUE, tile] = own - weights[SPITE] * others / (int(state.num_players) - 1)


def harvest_value(state: Record, weights: Array, table: Array, player: int, tile: int) -> float:
    """What an offering tile brings a player: gold, and points where temples score."""
    gold = 0
    temples = 0
    for turn in range(ROUNDS):
        province = int(state.won[player, turn])
        if province != NOWHERE:
            farmers = int(state.farmers[province]) + int(state.free_farmers[province])
            gold += int(CARAVAN[province]) * int(TILE_CAMEL[tile]) + farmers * int(TILE_FARMER[tile])
            temples += int(TEMPLES[province])
    value = table[RATE, player] * gold
    if rounds_after(state) == 0 or state.options[TEMPLES_AT_HARVEST] == 1:
        value += float(temples * int(TILE_TEMPLE[tile]))
    return value


def best_reward(state: Record, weights: Array, table: Array) -> int:
    """The most valuable of a favor card, a farmer or a stone."""
    player = int(state.current)
    best = DONE
    best_value = 0.0
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        value = stone_reward(state, weights, table, player, province, int(state.rewards_left))
        if value > best_value:
            best = PLACE_STONE + province
            best_value = value
    cards = int(state.deck_size) + int(state.discards_size)
    if cards > 0 and table[FAVOR_MEAN, 0] > best_value:
        best = TAKE_FAVOR
        best_value = table[FAVOR_MEAN, 0]
    province = most_farmers(state, player, True)
    if province != NOWHERE and farmer_gain(state, weights, table) > best_value:
        best = PLACE_FARMER + province
    return best


def stone_reward(
    state: Record, weights: Array, table: Array, player: int, province: int, rewards: int
) -> float:
    """What a stone as a reward is worth, alone or as a part of a pyramid that so many rewards complete."""
    value = building_gain(state, weights, table, player, province, 1)
    missing = STONES_PER_PYRAMID - int(state.stones[province])
    if missing <= rewards:
        value = max(value, building_gain(state, weights, table, player, province, missing) / missing)
    return value


def best_reward_worth(state: Record, weights: Array, table: Array) -> float:
    """What one reward should be worth to the player to move."""
    player = int(state.current)
    worth = table[FAVOR_MEAN, 0]
    if open_provinces(state, player) != 0:
        worth = max(worth, farmer_gain(state, weights, table))
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        worth = max(worth, stone_reward(state, weights, table, player, province, SECOND_REWARDS))
    return worth


# The harvest and the scoring


def best_harvest_card(state: Record, weights: Array, table: Array) -> int:
    """Treasury at the poorest, Big Harvest at the province of most farmers, if they bring enough."""
    player = int(state.current)
    needed = 1.0
    if rounds_to_come(state) > 0:
        needed = weights[HARVEST_CARD]
    cards = harvest_cards(state, player)
    if (cards >> TREASURY) & 1:
        province = poorest(state, player)
        if TREASURY_GOLD - income(state, province) >= needed:
            return PLAY_TREASURY + province
    if (cards >> BIG_HARVEST) & 1:
        best = NOWHERE
        most = 0
        for turn in range(int(state.round_number) + 1):
            province = int(state.won[player, turn])
            farmers = int(state.farmers[province]) + int(state.free_farmers[province])
            if province != state.treasury_at and farmers > most:
                best = province
                most = farmers
        if best != NOWHERE and most >= needed:
            return PLAY_BIG_HARVEST + best
    return DONE


def poorest(state: Record, player: int) -> int:
    """The own province that pays least in this harvest."""
    best = int(state.won[player, 0])
    for turn in range(1, int(state.round_number) + 1):
        province = int(state.won[player, turn])
        if income(state, province) < income(state, best):
            best = province
    return best


def best_yellow_card(state: Record) -> int:
    """Points now are as many as points later: every yellow card whose condition holds is played."""
    cards = scoring_cards(state, int(state.current))
    kind = FIRST_YELLOW
    while (cards >> kind) & 1 == 0:
        kind += 1
    return SCORE + kind - FIRST_YELLOW


# Favor cards


def unknown_card_worth(state: Record, weights: Array, table: Array) -> float:
    """The mean worth to the player to move of the cards that are neither in the hand nor discarded."""
    player = int(state.current)
    number = 0
    total = 0.0
    for kind in range(NUM_FAVORS):
        unseen = int(FAVOR_COUNTS[kind]) - int(state.favors[player, kind]) - int(state.favor_discards[kind])
        number += unseen
        total += unseen * card_worth(state, weights, table, kind)
    return weights[FAVOR] * total / max(1, number)


def card_worth(state: Record, weights: Array, table: Array, kind: int) -> float:
    """What a favor card is worth to the player to move while it can still be played."""
    phase = int(state.phase)
    player = int(state.current)
    left = rounds_to_come(state)
    rate = table[RATE, player]
    if kind >= FIRST_YELLOW:
        return yellow_worth(state, weights, kind, NOWHERE)
    if kind == ARCHITECT:
        return weights[ARCHITECT_CARD] if left > 0 or phase < MARKET_STONES else 0.0
    if kind in (BRIBERY, PROTECTION):
        return weights[AUCTION_CARD] if left > 0 else 0.0
    if kind == OFFERING_ADJUSTMENT:
        return weights[BLUE_CARD] if left > 0 or phase < OFFERING else 0.0
    if kind == FREE_FARMER:
        if left > 0 or phase <= MARKET_FARMERS:
            harvests = harvests_left(state, weights)
            if state.age + 1 < AGES:
                harvests = float(ROUNDS)
            return weights[INCOME] * weights[FARMER_YIELD] * harvests * rate
        return 0.0
    if left > 0 or phase < HARVEST:
        return weights[INCOME] * weights[HARVEST_CARD] * rate
    return 0.0


def yellow_worth(state: Record, weights: Array, kind: int, province: int) -> float:
    """Points to expect from a yellow card in the hand of the player to move; with `province` won: its part."""
    player = int(state.current)
    chance = YELLOW_POINTS * round_chance(state, weights)
    if kind == HARVESTERS:
        farmers = own_farmers(state, player) + (0 if province == NOWHERE else int(FIELDS[province]))
        return chance * min(1.0, farmers / HARVESTERS_NEEDED) * (1.0 if province == NOWHERE else 0.5)
    if province == NOWHERE and state.won[player, 0] == NOWHERE:
        return chance
    return chance if fits_yellow(state, player, kind, province) else 0.0


def fits_yellow(state: Record, player: int, kind: int, extra: int) -> bool:
    """Whether a player's provinces, with `extra`, can still meet the condition of a yellow card."""
    first = NOWHERE
    number = 0
    symbols = 0
    for turn in range(ROUNDS):
        province = province_at(state, player, turn, extra)
        if province != NOWHERE:
            if first == NOWHERE:
                first = province
            number += 1
            symbols += int(FAVOR_SYMBOLS[province])
            if kind == SAME_BANK and BANK[province] != BANK[first]:
                return False
            if kind == SAME_HALF and HALF[province] != HALF[first]:
                return False
            if kind == RIVERSIDE and NILE[province] == 0:
                return False
    if kind <= RIVERSIDE:
        return True
    return symbols * ROUNDS >= SCRIBES_NEEDED * number


def round_chance(state: Record, weights: Array) -> float:
    """How likely a condition is to be met at the end of the age, as far as is known."""
    chance = 1.0
    for _ in range(rounds_after(state)):
        chance *= weights[YELLOW]
    return chance


def own_farmers(state: Record, player: int) -> int:
    """All farmers of a player, those outside the fields too."""
    farmers = 0
    for turn in range(ROUNDS):
        province = int(state.won[player, turn])
        if province != NOWHERE:
            farmers += int(state.farmers[province]) + int(state.free_farmers[province])
    return farmers


# Gold


def gold_value(state: Record, weights: Array, player: int, gold: float) -> float:
    """What having so much gold is worth: what it can still buy, and its place at the end of the game.

    n items cost n(n+1)/2, so gold buys with its root, and more if more turns are left to buy in.
    """
    value = weights[GOLD] * sqrt(turns_to_spend(state, weights) * (gold + weights[GOLD_BASE]))
    if state.age + 1 == AGES:
        value += weights[RANK] * ranking_value(state, weights, player, gold)
    return value


def spending_cost(state: Record, weights: Array, player: int, price: int) -> float:
    """What paying a price now takes away from later."""
    gold = float(state.gold[player])
    if price > gold:
        return UNPAYABLE
    return gold_value(state, weights, player, gold) - gold_value(state, weights, player, gold - price)


def turns_to_spend(state: Record, weights: Array) -> float:
    """How many rounds are left to spend gold in, after the decision at hand."""
    turns = float(rounds_to_come(state))
    if state.phase <= PROTECTED_BID:
        turns += 1.0
    elif state.phase < MARKET_STONES:
        turns += weights[MARKET_TURN]
    if state.phase <= MARKET_STONES:
        turns += weights[OFFER_TURN]
    return turns


def ranking_value(state: Record, weights: Array, player: int, gold: float) -> float:
    """The points to expect for the gold ranking at the end of the game."""
    kept = weights[KEPT_GOLD] if state.phase <= MARKET_STONES else 1.0
    spread = weights[RANK_SPREAD] * (rounds_after(state) + LEAST_SPREAD)
    richer = 0.0
    for other in range(int(state.num_players)):
        if other != player:
            richer += likely(state, kept * int(state.gold[other]) - gold, spread)
    place = int(richer)
    here, next_place = float(GOLD_POINTS[place]), float(GOLD_POINTS[place + 1])
    return here + (richer - place) * (next_place - here)


# The course of the game


def rounds_after(state: Record) -> int:
    """How many rounds of this age come after this one."""
    return ROUNDS - 1 - int(state.round_number)


def rounds_to_come(state: Record) -> int:
    """How many rounds of the game come after this one."""
    return rounds_after(state) + ROUNDS * (AGES - 1 - int(state.age))


def harvests_left(state: Record, weights: Array) -> float:
    """How many harvests of this age are to come; the gold of the game's last one buys nothing more."""
    harvests = 1.0 + rounds_after(state)
    if state.age + 1 == AGES and (state.phase <= PROTECTED_BID or rounds_after(state) > 0):
        harvests += weights[LAST_HARVEST] - 1.0
    return harvests


def likely(state: Record, lead: float, spread: float) -> float:
    """The probability that a lead lasts: a soft step from 0 to 1, 0.85 where the lead is one spread."""
    steps = lead / spread
    return 0.5 + 0.5 * steps / sqrt(1.0 + steps * steps)


jit_module(cache=True, nogil=True, forceinline=False)
