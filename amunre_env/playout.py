"""A policy of thumb for playouts: sensible for little more than the cost of a random move.

It bids for what a province should pay, buys farmers that earn their price and stones while gold is
plenty, completes pyramids, offers small sums, and plays cards where they bring something.
"""

from numba import jit_module

from amunre_env.actions import (
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
    RAISE,
    SCORE,
    STEAL,
    TAKE_FAVOR,
)
from amunre_env.components import (
    ARCHITECT,
    BID_SPACES,
    BIG_HARVEST,
    BONUS_FARMERS,
    BONUS_FAVORS,
    BONUS_GOLD,
    BONUS_STONES,
    CARAVAN,
    FIELDS,
    FIRST_YELLOW,
    FREE_FARMER,
    MINE,
    NUM_SPACES,
    ROUNDS,
    STONES_FOR_ARCHITECT,
    STONES_PER_PYRAMID,
    TEMPLES,
    TREASURY,
)
from amunre_env.rules import harvest_cards, income, lowest_space, most_favors, open_provinces
from amunre_env.scoring import scoring_cards
from amunre_env.state import (
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
)
from tabletop.kinds import Array, Record
from tabletop.rng import below

# Gold that things are taken to be worth.
TEMPLE_GOLD, CARD_GOLD, STONE_GOLD = 6, 2, 3
FARMER_GOLD = 2  # in a harvest
WHIM = 12  # gold by which the worth of a province varies
THEFTS = 12  # one in so many offerings is a theft
LEAST_OFFERS = 5
PRICES_KEPT = 3  # the next stone is bought by who has so many times its price
ENOUGH_FARMERS = 3
POOR = 5


def playout_action(state: Record, rng: Array, bits: Array) -> int:
    """Return a legal move."""
    phase = int(state.phase)
    if phase == CHOOSE_PROVINCE:
        return choose(state, rng)
    if phase <= PROTECTED_BID:
        return bid(state, rng)
    if phase == MARKET_FAVORS:
        number = below(rng, 0, 1 + min(2, most_favors(state, int(state.current))))
        return DONE if number == 0 else BUY + number - 1
    if phase == MARKET_FARMERS:
        return buy_farmer(state, rng)
    if phase == MARKET_STONES:
        return buy_stone(state, rng)
    if phase == OFFERING:
        return offer(state, rng)
    if phase == DECLARING:
        return RAISE if farmers_of(state) >= ENOUGH_FARMERS else LOWER
    if phase == REWARDS:
        return collect(state, rng)
    if phase == HARVEST:
        return play_harvest_card(state)
    cards = scoring_cards(state, int(state.current))
    kind = FIRST_YELLOW
    while (cards >> kind) & 1 == 0:
        kind += 1
    return SCORE + kind - FIRST_YELLOW


def choose(state: Record, rng: Array) -> int:
    """Any province of the hand."""
    held = 0
    for card in range(ROUNDS):
        held += int(state.hands[state.current, card] != NOWHERE)
    skip = below(rng, 0, held)
    for card in range(ROUNDS):
        if state.hands[state.current, card] != NOWHERE:
            if skip == 0:
                return CHOOSE + int(state.hands[state.current, card])
            skip -= 1
    return DONE


def bid(state: Record, rng: Array) -> int:
    """The lowest bid on what seems worth most beyond its price."""
    player = int(state.current)
    gold = int(state.gold[player])
    harvests = ROUNDS - int(state.round_number)
    best = NOWHERE
    best_value = -10000
    for place in range(int(state.num_players)):
        space = lowest_space(state, place)
        if place != state.barred[player] and space < NUM_SPACES and BID_SPACES[space] <= gold:
            province = int(state.offered[place])
            value = rough_gold(state, province, harvests) + below(rng, 0, WHIM)
            value -= int(BID_SPACES[space])
            if 2 * int(BID_SPACES[space]) > gold:
                value -= int(BID_SPACES[space])
            if value > best_value:
                best = BID + province * NUM_SPACES + space
                best_value = value
    return best


def rough_gold(state: Record, province: int, harvests: int) -> int:
    """What a province should be worth in gold over so many harvests."""
    fields = min(int(FIELDS[province]), harvests)
    pays = int(MINE[province]) + int(CARAVAN[province]) * 3 // 4 + FARMER_GOLD * int(BONUS_FARMERS[province])
    built = STONES_PER_PYRAMID * int(state.pyramids[province]) + int(state.stones[province])
    gold = harvests * (pays + fields) + TEMPLE_GOLD * int(TEMPLES[province]) + int(BONUS_GOLD[province])
    return gold + CARD_GOLD * int(BONUS_FAVORS[province]) + STONE_GOLD * (built + int(BONUS_STONES[province]))


def buy_farmer(state: Record, rng: Array) -> int:
    """A Free Farmer in hand; a farmer while the harvests of this age pay for it."""
    player = int(state.current)
    if state.favors[player, FREE_FARMER] > 0 and state.free_farmer_played == 0:
        return PLAY_FREE_FARMER + int(state.won[player, below(rng, 0, 1 + int(state.round_number))])
    price = int(state.bought) + 1
    harvests = ROUNDS - int(state.round_number)
    fields = open_provinces(state, player)
    if price <= state.gold[player] and fields != 0 and 2 * price <= 3 * harvests:
        return PLACE_FARMER + any_field(state, fields)
    return DONE


def any_field(state: Record, fields: int) -> int:
    """The own province of the earliest round that has an empty field."""
    turn = 0
    while (fields >> int(state.won[state.current, turn])) & 1 == 0:
        turn += 1
    return int(state.won[state.current, turn])


def buy_stone(state: Record, rng: Array) -> int:
    """An Architect where two stones lie; a stone while gold is plenty."""
    player = int(state.current)
    price = int(state.bought) + 1
    if state.favors[player, ARCHITECT] > 0 and state.architect_played == 0:
        for turn in range(int(state.round_number) + 1):
            if state.stones[state.won[player, turn]] == STONES_FOR_ARCHITECT:
                return PLAY_ARCHITECT + int(state.won[player, turn])
    if price * PRICES_KEPT <= state.gold[player]:
        return PLACE_STONE + best_site(state, rng)
    return DONE


def best_site(state: Record, rng: Array) -> int:
    """Where a pyramid is begun, else where there are fewest."""
    player = int(state.current)
    best = NOWHERE
    best_value = -10000
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        value = 4 * int(state.stones[province]) - 3 * int(state.pyramids[province]) + below(rng, 0, 3)
        if value > best_value:
            best = province
            best_value = value
    return best


def offer(state: Record, rng: Array) -> int:
    """A small sum, rarely a theft."""
    gold = int(state.gold[state.current])
    if gold == 0 or below(rng, 0, THEFTS) == 0:
        return STEAL
    most = LEAST_OFFERS + gold // 8
    sum_of_two = 1 + below(rng, 0, most) + below(rng, 0, most)
    return OFFER + min(sum_of_two, gold) - 1


def farmers_of(state: Record) -> int:
    """The farmers of the player to move."""
    farmers = 0
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[state.current, turn])
        farmers += int(state.farmers[province]) + int(state.free_farmers[province])
    return farmers


def collect(state: Record, rng: Array) -> int:
    """A stone that completes a pyramid; else a card, a farmer or a stone."""
    player = int(state.current)
    site = best_site(state, rng)
    if int(state.stones[site]) + int(state.rewards_left) >= STONES_PER_PYRAMID:
        return PLACE_STONE + site
    choice = below(rng, 0, 3)
    if choice == 0 and int(state.deck_size) + int(state.discards_size) > 0:
        return TAKE_FAVOR
    if choice == 1 and ROUNDS - int(state.round_number) > 1:
        fields = open_provinces(state, player)
        if fields != 0:
            return PLACE_FARMER + any_field(state, fields)
    return PLACE_STONE + site


def play_harvest_card(state: Record) -> int:
    """Treasury where little is paid, Big Harvest where there are many farmers."""
    player = int(state.current)
    cards = harvest_cards(state, player)
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        if (cards >> TREASURY) & 1 and income(state, province) < POOR:
            return PLAY_TREASURY + province
        if (cards >> BIG_HARVEST) & 1 and int(state.farmers[province]) >= ENOUGH_FARMERS:
            return PLAY_BIG_HARVEST + province
    return DONE


jit_module(cache=True, nogil=True, forceinline=False)
