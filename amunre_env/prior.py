"""How likely a sensible player is to take each move, by what the greedy valuation expects of it.

    prior               a chance for every legal move
    choice_gains        expert: which province to put up
    bid_gains           auction
    market_gains        favor cards, farmers, stones and the cards played there
    offer_gains         offering
    declaration_gains   the blue card
    reward_gains        rewards
    harvest_gains       harvest
    sale_gains          selling favor cards
    spread              gains to chances

A gain is what a move promises in victory points above an arbitrary zero of its phase. `gains` is
scratch, float64[NUM_ACTIONS]; `weights` and `table` are those of `amunre_env.heuristic`, and as
there nothing looks at what the player to move cannot know.
"""

from math import exp

import numpy as np
from numba import jit_module

from amunre_env.actions import (
    ADJUST,
    BID,
    BUY,
    CHOOSE,
    DONE,
    LOWER,
    NUM_ACTIONS,
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
    BID_SPACES,
    BRIBERY,
    FREE_FARMER,
    MAX_OFFER,
    NUM_FAVORS,
    NUM_SPACES,
    OFFERING_ADJUSTMENT,
    PROTECTION,
    ROUNDS,
    STONES_PER_PYRAMID,
    THEFT_GOLD,
    TREASURY_GOLD,
    YELLOW_POINTS,
)
from amunre_env.heuristic import (
    ADDED,
    ALTERNATIVE,
    BUILT,
    COST,
    FAVOR_MEAN,
    JUMPS,
    NUM_COLUMNS,
    NUM_ROWS,
    RATE,
    SURE_OFFER,
    TILE_VALUE,
    adjustment_gain,
    best_alternative,
    best_reward_worth,
    bid_value,
    building_gain,
    building_value,
    card_worth,
    expected_offers,
    farmer_gain,
    fill_auction,
    fill_offers,
    fill_prospects,
    fill_tile_values,
    gold_value,
    highest_likely_offer,
    is_useless,
    most_farmers,
    offering_value,
    province_worth,
    rank_value,
    rounds_to_come,
    spending_cost,
    stone_reward,
    stones_cost,
    tile_of,
)
from amunre_env.rules import income, legal_actions, lowest_space, most_favors
from amunre_env.state import (
    BIDDING,
    CHOOSE_PROVINCE,
    DECLARING,
    HARVEST,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    NOWHERE,
    OFFERING,
    PROTECTED_BID,
    REWARDS,
    SCORING,
)
from amunre_env.weights import FARMER_YIELD, HARVEST_CARD, INCOME
from tabletop.bitset import num_words
from tabletop.kinds import Array, Record
from tabletop.words import lowest

NUM_WORDS = num_words(NUM_ACTIONS)
NEVER = -1e9
ANY_MOVE = 0.02  # the share of the chances that goes to all legal moves alike
# Points by which one move must promise more to be e times as likely.
BID_TEMPERATURE, OFFER_TEMPERATURE, TEMPERATURE = 0.8, 0.8, 0.4
OUT_OF_STEP = 0.7  # points against a card in a step of the market in which it can wait
PREFERRED = 0.05  # points for the province that greedy would take among equals
GIVEN_UP = 1.0  # points against giving up a card or a reward


def prior(state: Record, weights: Array, out: Array) -> None:
    """Write the chance of every legal move; the entries of others are left as they are."""
    bits = np.zeros(NUM_WORDS, np.uint64)
    table = np.zeros((NUM_ROWS, NUM_COLUMNS), np.float64)
    gains = np.zeros(NUM_ACTIONS, np.float64)
    legal_actions(state, bits)
    phase = int(state.phase)
    if phase != SCORING:
        fill_prospects(state, weights, table)
    temperature = TEMPERATURE
    if phase == CHOOSE_PROVINCE:
        choice_gains(state, weights, table, gains)
    elif phase <= PROTECTED_BID:
        bid_gains(state, weights, table, gains)
        temperature = BID_TEMPERATURE
    elif phase <= MARKET_STONES:
        market_gains(state, weights, table, gains)
    elif phase == OFFERING:
        offer_gains(state, weights, table, gains)
        temperature = OFFER_TEMPERATURE
    elif phase == DECLARING:
        declaration_gains(state, weights, table, gains)
    elif phase == REWARDS:
        reward_gains(state, weights, table, gains)
    elif phase == HARVEST:
        harvest_gains(state, weights, table, gains)
    else:
        gains[SCORE:CHOOSE] = YELLOW_POINTS
    if phase == BIDDING or MARKET_FAVORS <= phase <= OFFERING:
        sale_gains(state, weights, table, gains)
    spread(state, bits, gains, temperature, out)


def spread(state: Record, bits: Array, gains: Array, temperature: float, out: Array) -> None:
    """Write the chances of a set of moves: e to the gain, and a share alike for all of them."""
    moves = np.empty(NUM_ACTIONS, np.int64)
    number = 0
    best = NEVER
    for word in range(NUM_WORDS):
        rest = bits[word]
        while rest != np.uint64(0):
            moves[number] = 64 * word + lowest(rest)
            best = max(best, gains[moves[number]])
            number += 1
            rest &= rest - np.uint64(1)
    total = 0.0
    for index in range(number):
        chance = exp((gains[moves[index]] - best) / temperature)
        out[moves[index]] = chance
        total += chance
    for index in range(number):
        out[moves[index]] = ANY_MOVE / number + (1.0 - ANY_MOVE) / total * out[moves[index]]


def sale_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """A coin for a card that might have been played; before a bid or an offer, on top of the best one."""
    player = int(state.current)
    for kind in range(NUM_FAVORS):
        if state.favors[player, kind] > 0:
            gain = table[RATE, player]
            if state.phase == BIDDING or state.phase == OFFERING or not is_useless(state, kind):
                gain -= card_worth(state, weights, table, kind) + GIVEN_UP
            gains[SELL + kind] = gain
    if state.phase == BIDDING or state.phase == OFFERING:
        best = NEVER
        if state.phase == BIDDING:
            for action in range(BID, PROTECT):
                best = max(best, gains[action])
        else:
            for action in range(OFFER, STEAL + 1):
                best = max(best, gains[action])
        for kind in range(NUM_FAVORS):
            gains[SELL + kind] += best


def choice_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """What a province of the hand is worth to the player beyond what it is to the others."""
    player = int(state.current)
    for card in range(ROUNDS):
        province = int(state.hands[player, card])
        if province != NOWHERE:
            value = 0.0
            for other in range(int(state.num_players)):
                if other != player:
                    value -= province_worth(state, weights, table, other, province)
            value /= int(state.num_players) - 1
            gains[CHOOSE + province] = value + province_worth(state, weights, table, player, province)


def bid_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """Each bid by its province, price and chance to stand; Protection by the best bid under it."""
    player = int(state.current)
    fill_auction(state, weights, table)
    bribery = state.favors[player, BRIBERY] > 0 and state.bribed[player] == 0
    protection = (
        state.phase == BIDDING and state.favors[player, PROTECTION] > 0 and state.protected[player] == 0
    )
    gains[BID:PROTECT] = NEVER
    gains[PROTECT] = NEVER
    gap = 1 + int(state.protected[player])
    for place in range(int(state.num_players)):
        price = 0.0
        if place == state.barred[player]:
            if not bribery:
                continue
            price = card_worth(state, weights, table, BRIBERY)
        for bidder in range(int(state.num_players)):
            table[ALTERNATIVE, bidder] = best_alternative(state, table, bidder, place)
        first = lowest_space(state, place)
        value = 0.0
        for space in range(first, NUM_SPACES):
            if BID_SPACES[space] > state.gold[player]:
                break
            if space < first + JUMPS:
                value = bid_value(state, weights, table, place, space, gap) - price
                if protection:
                    both = bid_value(state, weights, table, place, space, 2) - price
                    both -= card_worth(state, weights, table, PROTECTION)
                    gains[PROTECT] = max(gains[PROTECT], both)
            else:
                value -= table[COST + player, space] - table[COST + player, space - 1]
            gains[BID + int(state.offered[place]) * NUM_SPACES + space] = value


def market_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """What the step sells, by what it brings beyond its price; cards mostly in the step they are played in."""
    player = int(state.current)
    phase = int(state.phase)
    if phase == MARKET_FAVORS:
        for number in range(1, most_favors(state, player) + 1):
            price = number * (number + 1) // 2
            gains[BUY + number - 1] = number * table[FAVOR_MEAN, 0] - spending_cost(
                state, weights, player, price
            )
    elif phase == MARKET_FARMERS:
        price = int(state.bought) + 1
        gain = farmer_gain(state, weights, table) - spending_cost(state, weights, player, price)
        gains[PLACE_FARMER:PLACE_STONE] = gain - PREFERRED
        province = most_farmers(state, player, True)
        if province != NOWHERE:
            gains[PLACE_FARMER + province] = gain
    else:
        stone_gains(state, weights, table, gains)
    if state.favors[player, FREE_FARMER] > 0 and state.free_farmer_played == 0:
        gain = farmer_gain(state, weights, table)
        if state.age + 1 < AGES:
            gain -= weights[INCOME] * weights[FARMER_YIELD] * ROUNDS * table[RATE, player]
        if phase != MARKET_FARMERS:
            gain = min(gain, 0.0) - OUT_OF_STEP
        gains[PLAY_FREE_FARMER:PLAY_ARCHITECT] = gain - PREFERRED
        gains[PLAY_FREE_FARMER + most_farmers(state, player, False)] = gain
    if phase != MARKET_STONES:
        gains[PLAY_ARCHITECT:PLAY_TREASURY] = -OUT_OF_STEP


def stone_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """A stone by itself, or as the first of those that complete a pyramid; an Architect."""
    player = int(state.current)
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        missing = STONES_PER_PYRAMID - int(state.stones[province])
        whole = building_gain(state, weights, table, player, province, missing)
        single = building_gain(state, weights, table, player, province, 1)
        single -= stones_cost(state, weights, player, 1)
        gain = max(whole - stones_cost(state, weights, player, missing), single)
        if state.favors[player, ARCHITECT] > 0 and state.architect_played == 0:
            with_card = whole - card_worth(state, weights, table, ARCHITECT)
            if missing == 1:
                gains[PLAY_ARCHITECT + province] = with_card
            else:
                gain = max(gain, with_card - stones_cost(state, weights, player, missing - 1))
        gains[PLACE_STONE + province] = gain
    if state.round_number + 1 == ROUNDS:
        set_gains(state, weights, table, gains)


def set_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """A stone as the first of those that complete one more set."""
    player = int(state.current)
    fewest = int(state.pyramids[state.won[player, 0]])
    for turn in range(1, ROUNDS):
        fewest = min(fewest, int(state.pyramids[state.won[player, turn]]))
    number = 0
    for turn in range(ROUNDS):
        province = int(state.won[player, turn])
        if state.pyramids[province] == fewest:
            missing = STONES_PER_PYRAMID - int(state.stones[province])
            table[ADDED, province] = float(missing)
            number += missing
    gain = building_value(state, weights, table, player, NOWHERE) - table[BUILT, player]
    gain -= stones_cost(state, weights, player, number)
    table[ADDED, :] = 0.0
    for turn in range(ROUNDS):
        province = int(state.won[player, turn])
        if state.pyramids[province] == fewest:
            gains[PLACE_STONE + province] = max(gains[PLACE_STONE + province], gain)


def offer_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """Each sum, and the theft, by the tile, rewards and gold to expect; the blue card on top of the best."""
    player = int(state.current)
    fill_tile_values(state, weights, table, player)
    fill_offers(state, weights, table, player)
    others = expected_offers(state, table, player)
    stolen = gold_value(state, weights, player, float(state.gold[player]) + THEFT_GOLD)
    gains[STEAL] = stolen + offering_value(state, weights, table, others - THEFT_GOLD)
    best = gains[STEAL]
    total = others - THEFT_GOLD
    sure = int(highest_likely_offer(state, table, player)) + SURE_OFFER
    most = min(int(state.gold[player]), MAX_OFFER)
    reward = best_reward_worth(state, weights, table)
    for offer in range(1, most + 1):
        if offer <= sure:
            value = gold_value(state, weights, player, float(state.gold[player]) - offer)
            value += offering_value(state, weights, table, others + offer)
            value += rank_value(state, weights, table, player, offer, reward)
            if value > best:
                best = value
                total = others + offer
        else:
            value = gains[OFFER + offer - 2] - table[RATE, player]
        gains[OFFER + offer - 1] = value
    if state.favors[player, OFFERING_ADJUSTMENT] > 0 and state.adjusting[player] == 0:
        gain = adjustment_gain(state, weights, table, total)
        gains[ADJUST] = best + gain - card_worth(state, weights, table, OFFERING_ADJUSTMENT)


def declaration_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """The tile that the total is turned to."""
    fill_tile_values(state, weights, table, int(state.current))
    gains[RAISE] = table[TILE_VALUE, tile_of(state, int(state.offering) + ADJUSTMENT_GOLD)]
    gains[LOWER] = table[TILE_VALUE, tile_of(state, int(state.offering) - ADJUSTMENT_GOLD)]


def reward_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """A stone, a favor card or a farmer."""
    player = int(state.current)
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        gains[PLACE_STONE + province] = stone_reward(
            state, weights, table, player, province, int(state.rewards_left)
        )
    gains[TAKE_FAVOR] = table[FAVOR_MEAN, 0]
    gain = farmer_gain(state, weights, table)
    gains[PLACE_FARMER:PLACE_STONE] = gain - PREFERRED
    province = most_farmers(state, player, True)
    if province != NOWHERE:
        gains[PLACE_FARMER + province] = gain
    gains[DONE] = -GIVEN_UP


def harvest_gains(state: Record, weights: Array, table: Array, gains: Array) -> None:
    """The gold that a card brings beyond what it should bring later."""
    player = int(state.current)
    rate = table[RATE, player]
    needed = 0.0
    if rounds_to_come(state) > 0:
        needed = weights[HARVEST_CARD]
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        gains[PLAY_TREASURY + province] = rate * (TREASURY_GOLD - income(state, province) - needed)
        farmers = int(state.farmers[province]) + int(state.free_farmers[province])
        if province == state.treasury_at:
            farmers = 0
        gains[PLAY_BIG_HARVEST + province] = rate * (farmers - needed)


jit_module(cache=True, nogil=True, forceinline=False)
