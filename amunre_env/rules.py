"""The rules of Amun-Re, in the rulebook's order.

    new_game                             Setup
    legal_actions, apply_action          Game Play: what a player may do, and doing it
    start_round, choose_province         Expert Rules, revealing provinces
    place_bid ... collect_bonuses        The Auction Phase
    continue_market ... add_stones       The Market Phase
    make_offering ... end_rewards        The Offering Phase
    continue_harvest, collect_income     The Harvest Phase
    continue_scoring, end_age            Intermediate and Final Scoring
    draw_favor, discard_favor            Favor cards
    returns                              End of the Game

Rulings, where the rulebook is silent, each with the test that holds it (tests/amunre):
    protection-binds-bribery  test_a_bribery_bid_respects_the_space_blocked_by_protection
    protection-at-28          test_a_protected_bid_below_the_last_space_cannot_be_outbid
    marginal-price            test_farmers_and_stones_cost_one_gold_more_each
    unlimited-supply          test_a_province_can_hold_any_number_of_pyramids
    offer-cap                 test_an_offering_is_at_most_99_gold
    all-steal                 test_the_start_player_stays_when_everybody_stole
    temples-score-twice       test_temples_score_at_the_end_of_an_age,
                              test_temples_score_after_every_harvest_under_that_option
    no-pyramid-no-bonus       test_a_bank_without_pyramids_scores_nothing
    when-to-sell              test_cards_may_be_sold_at_every_own_decision_before_it_is_bound,
                              test_cards_left_after_the_last_scoring_are_sold
    identical-cards           test_at_most_one_card_of_a_kind_is_played_in_a_phase
    no-empty-question         test_a_market_step_with_nothing_to_do_is_not_asked,
                              test_a_harvest_without_cards_is_not_asked,
                              test_a_scoring_without_a_card_that_holds_is_not_asked
Rewards are always asked: a stone on an own province is always possible.
"""

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
    ALL_PROVINCES,
    ARCHITECT,
    BID_SPACES,
    BIG_HARVEST,
    BIG_HARVEST_GOLD,
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
    GOLD_PER_FAVOR,
    MAX_MOVES,
    MAX_OFFER,
    MINE,
    NUM_FAVORS,
    NUM_PROVINCES,
    NUM_SPACES,
    NUM_TILES,
    OFFERING_ADJUSTMENT,
    OTHER_REWARDS,
    PROTECTION,
    ROUNDS,
    SECOND_REWARDS,
    START_GOLD,
    STONES_FOR_ARCHITECT,
    STONES_PER_PYRAMID,
    THEFT_GOLD,
    TILE_CAMEL,
    TILE_FARMER,
    TILE_UP_TO,
    TOTAL_FAVORS,
    TREASURY,
    TREASURY_GOLD,
)
from amunre_env.scoring import age_points, gold_points, is_ahead, scorable_kinds, scoring_cards, temple_points
from amunre_env.state import (
    BIDDING,
    CHOOSE_PROVINCE,
    DEALT_FACT,
    DECLARED_FACT,
    DECLARING,
    EXPERT,
    FAVOR_STREAM,
    HARVEST,
    HARVEST_FACT,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    NO_OFFER,
    NO_TILE,
    NOBODY,
    NOWHERE,
    NUM_FACTS,
    OFFERING,
    OTHER_STREAM,
    OVER,
    PROTECTED_BID,
    PROVINCE_STREAM,
    REWARDS,
    SCORING,
    SCORING_FACT,
    STOLE,
    TEMPLES_AT_HARVEST,
)
from tabletop import bitset
from tabletop.compiled import inlined
from tabletop.kinds import Array, Record, Seed
from tabletop.rng import below, seed_streams

HARVEST_CARDS = (1 << TREASURY) | (1 << BIG_HARVEST)

# Rulebook: Setup


def new_game(state: Record, num_players: int, options: Array, seed: Seed) -> None:
    """20 gold and one Architect for everybody, a random start player, and the first round."""
    seed_streams(state.rng, seed)
    state.num_players = num_players
    state.options[:] = options
    state.moves = 0
    state.offering = 0
    state.points[:] = 0
    state.gold[:] = 0
    state.stones[:] = 0
    state.pyramids[:] = 0
    state.farmers[:] = 0
    state.free_farmers[:] = 0
    for player in range(num_players):
        state.gold[player] = START_GOLD
    deal_architects(state)
    state.start = below(state.rng, OTHER_STREAM, num_players)
    state.next_start = state.start
    state.age = 0
    start_age(state, ALL_PROVINCES)


def deal_architects(state: Record) -> None:
    """One Architect to each player; the rest is the favor deck."""
    state.favors[:] = 0
    state.hand_sizes[:] = 0
    state.favor_deck[:] = FAVOR_COUNTS
    state.favor_discards[:] = 0
    state.discards_size = 0
    state.drawn_since[:] = 0
    state.num_drawn = 0
    state.drawn_by[:] = 0
    state.drawn[:] = 0
    state.facts[:] = 0
    state.lacks[:] = 0
    for player in range(state.num_players):
        state.favors[player, ARCHITECT] = 1
        state.hand_sizes[player] = 1
        state.facts[player, DEALT_FACT] = 1 << ARCHITECT
    state.favor_deck[ARCHITECT] -= state.num_players
    state.deck_size = TOTAL_FAVORS - int(state.num_players)
    state.shuffled[:] = state.favor_deck


# Rulebook: Game Play. What may be done, by phase.


@inlined
def legal_actions(state: Record, bits: Array) -> None:
    """Write everything that the player to move may do; nothing when the game is over or cut off."""
    bitset.clear(bits)
    if is_over(state):
        return
    phase = int(state.phase)
    if phase <= PROTECTED_BID:
        if phase == CHOOSE_PROVINCE:
            choice_possibilities(state, bits)
        else:
            bid_possibilities(state, bits)
    elif phase <= MARKET_STONES:
        market_possibilities(state, bits)
    elif phase == OFFERING:
        offer_possibilities(state, bits)
    elif phase == DECLARING:
        bitset.add(bits, RAISE)
        bitset.add(bits, LOWER)
    elif phase == REWARDS:
        reward_possibilities(state, bits)
    elif phase == HARVEST:
        harvest_possibilities(state, bits)
    elif phase == SCORING:
        bitset.add(bits, DONE)
        bitset.add_many(bits, SCORE, scoring_cards(state, int(state.current)) >> FIRST_YELLOW)


@inlined
def choice_possibilities(state: Record, bits: Array) -> None:
    """Any province of the hand."""
    for card in range(ROUNDS):
        if state.hands[state.current, card] != NOWHERE:
            bitset.add(bits, CHOOSE + int(state.hands[state.current, card]))


@inlined
def bid_possibilities(state: Record, bits: Array) -> None:
    """Bid higher than others, within the own gold; before a Protection also play it or sell cards."""
    player = int(state.current)
    affordable = 0
    while affordable < NUM_SPACES and BID_SPACES[affordable] <= state.gold[player]:
        affordable += 1
    barred = int(state.barred[player])
    if state.favors[player, BRIBERY] > 0 and state.bribed[player] == 0:
        barred = NOWHERE
    for place in range(state.num_players):
        lowest = lowest_space(state, place)
        if lowest < affordable and place != barred:
            spaces = (1 << (affordable - lowest)) - 1
            bitset.add_many(bits, BID + int(state.offered[place]) * NUM_SPACES + lowest, spaces)
    if state.phase == BIDDING and state.hand_sizes[player] > 0:
        if state.favors[player, PROTECTION] > 0 and state.protected[player] == 0:
            bitset.add(bits, PROTECT)
        sale_possibilities(state, player, bits)


def lowest_space(state: Record, place: int) -> int:
    """The lowest space that is open to a bid: one above the highest bid, two if that is protected."""
    leader = int(state.leaders[place])
    if leader == NOBODY:
        return 0
    return int(state.bids[leader]) + 1 + int(state.protected[leader])


@inlined
def market_possibilities(state: Record, bits: Array) -> None:
    """Buy what this step sells; play Free Farmer or an Architect; sell cards; be done."""
    player = int(state.current)
    bitset.add(bits, DONE)
    if state.phase == MARKET_FAVORS:
        bitset.add_many(bits, BUY, (1 << most_favors(state, player)) - 1)
    elif state.gold[player] > state.bought:
        if state.phase == MARKET_FARMERS:
            bitset.add_many(bits, PLACE_FARMER, open_provinces(state, player))
        else:
            bitset.add_many(bits, PLACE_STONE, own_provinces(state, player))
    if state.hand_sizes[player] > 0:
        sale_possibilities(state, player, bits)
        if state.favors[player, FREE_FARMER] > 0 and state.free_farmer_played == 0:
            bitset.add_many(bits, PLAY_FREE_FARMER, own_provinces(state, player))
        if state.favors[player, ARCHITECT] > 0 and state.architect_played == 0:
            bitset.add_many(bits, PLAY_ARCHITECT, architect_provinces(state, player))


@inlined
def offer_possibilities(state: Record, bits: Array) -> None:
    """1 to 99 of the own gold or the Theft card; before that sell, or add a blue card."""
    player = int(state.current)
    bitset.add(bits, STEAL)
    most = min(int(state.gold[player]), MAX_OFFER)
    first = OFFER
    while most > 0:
        number = min(most, 32)
        bitset.add_many(bits, first, (1 << number) - 1)
        first += number
        most -= number
    if state.adjusting[player] == 0 and state.hand_sizes[player] > 0:
        sale_possibilities(state, player, bits)
        if state.favors[player, OFFERING_ADJUSTMENT] > 0:
            bitset.add(bits, ADJUST)


@inlined
def reward_possibilities(state: Record, bits: Array) -> None:
    """A favor card, a farmer, a stone, or no more."""
    player = int(state.current)
    bitset.add(bits, DONE)
    if state.deck_size > 0 or state.discards_size > 0:
        bitset.add(bits, TAKE_FAVOR)
    bitset.add_many(bits, PLACE_FARMER, open_provinces(state, player))
    bitset.add_many(bits, PLACE_STONE, own_provinces(state, player))


@inlined
def harvest_possibilities(state: Record, bits: Array) -> None:
    """Treasury or Big Harvest at an own province, each once, or no more."""
    player = int(state.current)
    cards = harvest_cards(state, player)
    bitset.add(bits, DONE)
    if cards & (1 << TREASURY):
        bitset.add_many(bits, PLAY_TREASURY, own_provinces(state, player))
    if cards & (1 << BIG_HARVEST):
        bitset.add_many(bits, PLAY_BIG_HARVEST, own_provinces(state, player))


@inlined
def sale_possibilities(state: Record, player: int, bits: Array) -> None:
    """Any card in hand can be discarded for gold."""
    kinds = 0
    for kind in range(NUM_FAVORS):
        kinds |= int(state.favors[player, kind] > 0) << kind
    bitset.add_many(bits, SELL, kinds)


# Rulebook: Game Play. Doing it, in the same order.


def apply_action(state: Record, action: int) -> None:
    """Carry out a legal action and everything that follows without a question."""
    state.moves += 1
    state.num_drawn = 0
    if action < PROTECT:
        place_bid(state, (action - BID) // NUM_SPACES, (action - BID) % NUM_SPACES)
    elif action == PROTECT:
        protect(state)
    elif action == DONE:
        finish(state)
    elif action < BUY:
        sell_favor(state, action - SELL)
    elif action < PLACE_FARMER:
        buy_favors(state, action - BUY + 1)
    elif action < PLAY_FREE_FARMER:
        place_token(state, action)
    elif action < OFFER:
        play_card(state, action)
    elif action < TAKE_FAVOR:
        make_offering(state, action)
    elif action == TAKE_FAVOR:
        take_favor(state)
    elif action < CHOOSE:
        play_yellow_card(state, action - SCORE)
    else:
        choose_province(state, action - CHOOSE)


def finish(state: Record) -> None:
    """The player is done with a step of the market, the rewards, the harvest or the scoring."""
    if state.phase <= MARKET_STONES:
        if end_market_step(state):
            continue_market(state)
    elif state.phase == REWARDS:
        end_rewards(state)
    elif state.phase == HARVEST:
        if end_harvest_turn(state):
            continue_harvest(state)
    elif end_scoring_turn(state):
        continue_scoring(state)


def sell_favor(state: Record, kind: int) -> None:
    """At any time a favor card can be discarded for 1 gold."""
    player = int(state.current)
    discard_favor(state, player, kind)
    state.gold[player] += GOLD_PER_FAVOR
    if MARKET_FAVORS <= state.phase <= MARKET_STONES:
        continue_market(state)


def place_token(state: Record, action: int) -> None:
    """A farmer or a stone, bought in the market or collected as a reward."""
    if state.phase == REWARDS:
        put_token(state, action)
        collect_reward(state)
    else:
        state.bought += 1
        state.gold[state.current] -= state.bought
        put_token(state, action)
        continue_market(state)


def put_token(state: Record, action: int) -> None:
    """Put a farmer into a field or a stone onto a province."""
    if action < PLACE_STONE:
        state.farmers[action - PLACE_FARMER] += 1
    else:
        add_stones(state, action - PLACE_STONE, 1)


def play_card(state: Record, action: int) -> None:
    """Play one of the favor cards that name a province."""
    if action < PLAY_ARCHITECT:
        play_free_farmer(state, action - PLAY_FREE_FARMER)
    elif action < PLAY_TREASURY:
        play_architect(state, action - PLAY_ARCHITECT)
    elif action < PLAY_BIG_HARVEST:
        play_treasury(state, action - PLAY_TREASURY)
    else:
        play_big_harvest(state, action - PLAY_BIG_HARVEST)


# Rulebook: Game Play, the ages and rounds; Expert Rules


def start_age(state: Record, provinces: int) -> None:
    """No province is owned; those of the age are shuffled, and dealt under the expert rules."""
    state.unseen_provinces = provinces
    state.won[:] = NOWHERE
    state.hands[:] = NOWHERE
    state.round_number = 0
    if state.options[EXPERT] == 1:
        deal_hands(state)
    start_round(state)


def deal_hands(state: Record) -> None:
    """Three provinces to each player, secretly."""
    left = int(state.unseen_provinces)
    for player in range(state.num_players):
        for card in range(ROUNDS):
            province = random_province(state, left, PROVINCE_STREAM)
            state.hands[player, card] = province
            left &= ~(1 << province)


def random_province(state: Record, provinces: int, stream: int) -> int:
    """A random member of a set of provinces."""
    number = 0
    for province in range(NUM_PROVINCES):
        number += (provinces >> province) & 1
    skip = below(state.rng, stream, number)
    province = 0
    while skip > 0 or (provinces >> province) & 1 == 0:
        skip -= (provinces >> province) & 1
        province += 1
    return province


def start_round(state: Record) -> None:
    """The auction phase begins: provinces from the deck, or chosen by everybody from their hand."""
    state.start = state.next_start
    state.current = state.start
    clear_round(state)
    if state.options[EXPERT] == 1:
        state.phase = CHOOSE_PROVINCE
        return
    for place in range(state.num_players):
        reveal_province(state, place, random_province(state, int(state.unseen_provinces), PROVINCE_STREAM))
    state.phase = BIDDING


def clear_round(state: Record) -> None:
    """Take back pawns and offerings."""
    state.choices[:] = NOWHERE
    state.offered[:] = NOWHERE
    state.leaders[:] = NOBODY
    state.pawns[:] = NOWHERE
    state.bids[:] = 0
    state.barred[:] = NOWHERE
    state.bribed[:] = 0
    state.protected[:] = 0
    state.offers[:] = NO_OFFER
    state.adjusting[:] = 0
    state.scored[:] = 0
    state.tile = NO_TILE
    state.runner_up = NOBODY
    state.offering = 0
    state.bought = 0
    state.free_farmer_played = 0
    state.architect_played = 0
    state.rewards_left = 0
    state.treasury_at = NOWHERE
    state.big_harvest_at = NOWHERE


def reveal_province(state: Record, place: int, province: int) -> None:
    """Put a province up for auction."""
    state.offered[place] = province
    state.unseen_provinces &= ~(1 << int(province))


def choose_province(state: Record, province: int) -> None:
    """Choose a province of the hand; all are revealed, in turn order, when the last has chosen."""
    player = int(state.current)
    for card in range(ROUNDS):
        if state.hands[player, card] == province:
            state.choices[player] = card
    state.current = left_of(state, player)
    if state.current != state.start:
        return
    for place in range(state.num_players):
        chooser = int(state.current)
        reveal_province(state, place, int(state.hands[chooser, state.choices[chooser]]))
        state.hands[chooser, state.choices[chooser]] = NOWHERE
        state.choices[chooser] = NOWHERE
        state.current = left_of(state, chooser)
    state.phase = BIDDING


# Rulebook: The Auction Phase


def protect(state: Record) -> None:
    """Discard Protection together with the bid that must follow."""
    player = int(state.current)
    discard_favor(state, player, PROTECTION)
    state.protected[player] = 1
    state.phase = PROTECTED_BID


def place_bid(state: Record, province: int, space: int) -> None:
    """Bid on a province; whoever is outbid may not come back with the very next bid but by Bribery."""
    player = int(state.current)
    place = 0
    while state.offered[place] != province:
        place += 1
    if state.barred[player] == place:
        discard_favor(state, player, BRIBERY)
        state.bribed[player] = 1
    outbid = int(state.leaders[place])
    if outbid != NOBODY:
        state.pawns[outbid] = NOWHERE
        state.bids[outbid] = 0
        state.barred[outbid] = place
    state.leaders[place] = player
    state.pawns[player] = place
    state.bids[player] = space
    state.barred[player] = NOWHERE
    ask_next_bidder(state)


def ask_next_bidder(state: Record) -> None:
    """The next clockwise without a highest bid; the auction ends when there is none."""
    bidder = left_of(state, int(state.current))
    while state.pawns[bidder] != NOWHERE:
        if bidder == state.current:
            end_auction(state)
            return
        bidder = left_of(state, bidder)
    state.current = bidder
    state.phase = BIDDING


def end_auction(state: Record) -> None:
    """All pay and take control; then in turn order each collects the bonuses of the province."""
    for player in range(state.num_players):
        state.gold[player] -= BID_SPACES[state.bids[player]]
        state.won[player, state.round_number] = state.offered[state.pawns[player]]
    state.current = state.start
    for _ in range(state.num_players):
        collect_bonuses(state, int(state.current))
        state.current = left_of(state, int(state.current))
    start_market(state)


def collect_bonuses(state: Record, player: int) -> None:
    """Immediate bonuses: stones, gold, free farmers, favor cards."""
    province = state.won[player, state.round_number]
    if BONUS_STONES[province] > 0:
        add_stones(state, province, int(BONUS_STONES[province]))
    state.gold[player] += BONUS_GOLD[province]
    state.free_farmers[province] += BONUS_FARMERS[province]
    for _ in range(BONUS_FAVORS[province]):
        draw_favor(state, player)


# Rulebook: The Market Phase


def start_market(state: Record) -> None:
    """The start player begins with favor cards."""
    state.current = state.start
    start_market_turn(state)
    continue_market(state)


def start_market_turn(state: Record) -> None:
    """A player's turn begins with favor cards."""
    state.phase = MARKET_FAVORS
    state.bought = 0
    state.free_farmer_played = 0
    state.architect_played = 0


def continue_market(state: Record) -> None:
    """Go on to the next step that has something to decide (`no-empty-question`)."""
    while not has_market_choice(state):
        if not end_market_step(state):
            return


def has_market_choice(state: Record) -> bool:
    """Whether anything but `done` can be done in this step; any card in hand can be sold."""
    player = int(state.current)
    if state.hand_sizes[player] > 0:
        return True
    if state.phase == MARKET_FAVORS:
        return most_favors(state, player) > 0
    if state.gold[player] <= state.bought:
        return False
    return state.phase == MARKET_STONES or open_provinces(state, player) != 0


def end_market_step(state: Record) -> bool:
    """Go on to the next step or the next player; False when the offering phase has begun instead."""
    if state.phase < MARKET_STONES:
        state.phase += 1
        state.bought = 0
        return True
    state.current = left_of(state, int(state.current))
    if state.current == state.start:
        state.bought = 0
        state.phase = OFFERING
        return False
    start_market_turn(state)
    return True


def most_favors(state: Record, player: int) -> int:
    """How many favor cards can be bought: symbols of one province, gold and cards limit it."""
    most = 0
    for turn in range(int(state.round_number) + 1):
        most = max(most, int(FAVOR_SYMBOLS[state.won[player, turn]]))
    most = min(most, int(state.deck_size) + int(state.discards_size))
    while most > 0 and most * (most + 1) // 2 > state.gold[player]:
        most -= 1
    return most


def buy_favors(state: Record, number: int) -> None:
    """Favor cards are bought in one go, for 1, 3, 6 or 10 gold."""
    player = int(state.current)
    state.gold[player] -= number * (number + 1) // 2
    for _ in range(number):
        draw_favor(state, player)
    if end_market_step(state):
        continue_market(state)


def own_provinces(state: Record, player: int) -> int:
    """The set of provinces that a player controls."""
    provinces = 0
    for turn in range(int(state.round_number) + 1):
        provinces |= 1 << int(state.won[player, turn])
    return provinces


def open_provinces(state: Record, player: int) -> int:
    """The set of controlled provinces that have an empty field."""
    provinces = 0
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        provinces |= int(state.farmers[province] < FIELDS[province]) << province
    return provinces


def architect_provinces(state: Record, player: int) -> int:
    """The set of controlled provinces that have exactly 2 stones."""
    provinces = 0
    for turn in range(int(state.round_number) + 1):
        province = int(state.won[player, turn])
        provinces |= int(state.stones[province] == STONES_FOR_ARCHITECT) << province
    return provinces


def play_free_farmer(state: Record, province: int) -> None:
    """One farmer on a controlled province, outside its fields."""
    discard_favor(state, int(state.current), FREE_FARMER)
    state.free_farmers[province] += 1
    state.free_farmer_played = 1
    continue_market(state)


def play_architect(state: Record, province: int) -> None:
    """A pyramid from only 2 stones."""
    discard_favor(state, int(state.current), ARCHITECT)
    state.stones[province] = 0
    state.pyramids[province] += 1
    state.architect_played = 1
    continue_market(state)


def add_stones(state: Record, province: int, number: int) -> None:
    """Stones onto a province; the third becomes a pyramid at once."""
    stones = int(state.stones[province]) + number
    state.pyramids[province] += stones // STONES_PER_PYRAMID
    state.stones[province] = stones % STONES_PER_PYRAMID


# Rulebook: The Offering Phase


def make_offering(state: Record, action: int) -> None:
    """Add a blue card, offer gold or the Theft card, or declare what the blue card does."""
    if action == ADJUST:
        state.adjusting[state.current] = 1
    elif action == RAISE:
        declare_adjustment(state, ADJUSTMENT_GOLD)
    elif action == LOWER:
        declare_adjustment(state, -ADJUSTMENT_GOLD)
    elif action == STEAL:
        finish_offer(state, STOLE)
    else:
        finish_offer(state, action - OFFER + 1)


def finish_offer(state: Record, offer: int) -> None:
    """The offer is made, in secret; all are revealed when the last has made theirs."""
    player = int(state.current)
    state.offers[player] = offer
    state.current = left_of(state, player)
    if state.current == state.start:
        reveal_offering(state)


def reveal_offering(state: Record) -> None:
    """Offered gold is paid, thieves take 3 gold, and the total is their sum."""
    for player in range(state.num_players):
        offer = int(state.offers[player])
        value = -THEFT_GOLD if offer == STOLE else offer
        state.gold[player] -= value
        state.offering += value
    state.phase = DECLARING
    continue_declaring(state)


def continue_declaring(state: Record) -> None:
    """Ask the current seat, or the next that added a blue card, to raise or lower the total."""
    while state.adjusting[state.current] == 0:
        state.current = left_of(state, int(state.current))
        if state.current == state.start:
            settle_offering(state)
            return
    state.facts[state.current, DECLARED_FACT] = 1 << OFFERING_ADJUSTMENT


def declare_adjustment(state: Record, gold: int) -> None:
    """The blue card changes the total, not the own offer."""
    player = int(state.current)
    discard_favor(state, player, OFFERING_ADJUSTMENT)
    state.adjusting[player] = 0
    state.offering += gold
    state.current = left_of(state, player)
    if state.current == state.start:
        settle_offering(state)
    else:
        continue_declaring(state)


def settle_offering(state: Record) -> None:
    """The total selects the tile; the highest offer is start player from the next round on."""
    tile = 0
    while tile < NUM_TILES - 1 and state.offering > TILE_UP_TO[tile]:
        tile += 1
    state.tile = tile
    first = highest_offer(state, NOBODY)
    if first == NOBODY:
        start_harvest(state)
        return
    state.next_start = first
    state.runner_up = highest_offer(state, first)
    ask_collector(state, first)


def highest_offer(state: Record, but: int) -> int:
    """Who offered most gold, ties to the earlier in turn order, leaving out one seat; NOBODY if all stole."""
    highest = NOBODY
    player = int(state.start)
    for _ in range(state.num_players):
        offer = int(state.offers[player])
        if player != but and offer != STOLE and (highest == NOBODY or offer > state.offers[highest]):
            highest = player
        player = left_of(state, player)
    return highest


def ask_collector(state: Record, player: int) -> None:
    """3 rewards for the first, 2 for the second, 1 for each of the rest."""
    state.phase = REWARDS
    state.current = player
    if player == state.next_start:
        state.rewards_left = FIRST_REWARDS
    elif player == state.runner_up:
        state.rewards_left = SECOND_REWARDS
    else:
        state.rewards_left = OTHER_REWARDS


def take_favor(state: Record) -> None:
    """A favor card as a reward; the number of symbols does not limit it."""
    draw_favor(state, int(state.current))
    collect_reward(state)


def collect_reward(state: Record) -> None:
    """One reward is collected."""
    state.rewards_left -= 1
    if state.rewards_left == 0:
        end_rewards(state)


def end_rewards(state: Record) -> None:
    """The second collects after the first, then the rest in turn order."""
    player = int(state.current)
    if player == state.next_start and state.runner_up != NOBODY:
        ask_collector(state, int(state.runner_up))
        return
    if player in (state.next_start, state.runner_up):
        player = int(state.start)
    else:
        player = left_of(state, player)
        if player == state.start:
            start_harvest(state)
            return
    while state.offers[player] == STOLE or player in (state.next_start, state.runner_up):
        player = left_of(state, player)
        if player == state.start:
            start_harvest(state)
            return
    ask_collector(state, player)


# Rulebook: The Harvest Phase


def start_harvest(state: Record) -> None:
    """Incomes are paid in turn order."""
    state.phase = HARVEST
    state.rewards_left = 0
    state.current = state.start
    continue_harvest(state)


def continue_harvest(state: Record) -> None:
    """Ask the current seat, or the next that can play a harvest card (`no-empty-question`)."""
    while harvest_cards(state, int(state.current)) == 0:
        state.lacks[state.current] |= unplayed_harvest_cards(state)
        if not end_harvest_turn(state):
            return
    state.facts[state.current, HARVEST_FACT] = unplayed_harvest_cards(state)


def unplayed_harvest_cards(state: Record) -> int:
    """The set of harvest cards that the current seat has not played in this harvest."""
    cards = HARVEST_CARDS
    if state.treasury_at != NOWHERE:
        cards &= ~(1 << TREASURY)
    if state.big_harvest_at != NOWHERE:
        cards &= ~(1 << BIG_HARVEST)
    return cards


def harvest_cards(state: Record, player: int) -> int:
    """The set of harvest cards that the player, whose harvest it is, can play."""
    cards = int(state.favors[player, TREASURY] > 0) << TREASURY
    cards |= int(state.favors[player, BIG_HARVEST] > 0) << BIG_HARVEST
    return cards & unplayed_harvest_cards(state)


def play_treasury(state: Record, province: int) -> None:
    """One own province pays nothing in this harvest; 8 gold instead."""
    discard_favor(state, int(state.current), TREASURY)
    state.treasury_at = province
    continue_harvest(state)


def play_big_harvest(state: Record, province: int) -> None:
    """Each farmer in one own province pays 1 more."""
    discard_favor(state, int(state.current), BIG_HARVEST)
    state.big_harvest_at = province
    continue_harvest(state)


def end_harvest_turn(state: Record) -> bool:
    """Pay the current seat's income and go on to the next; False when the round has ended instead."""
    player = int(state.current)
    for turn in range(int(state.round_number) + 1):
        state.gold[player] += income(state, int(state.won[player, turn]))
    state.treasury_at = NOWHERE
    state.big_harvest_at = NOWHERE
    state.current = left_of(state, player)
    if state.current == state.start:
        end_round(state)
        return False
    return True


def income(state: Record, province: int) -> int:
    """What a province pays to the seat whose harvest it is."""
    if province == state.treasury_at:
        return TREASURY_GOLD
    farmer = int(TILE_FARMER[state.tile])
    if province == state.big_harvest_at:
        farmer += BIG_HARVEST_GOLD
    farmers = int(state.farmers[province]) + int(state.free_farmers[province])
    return int(MINE[province] + CARAVAN[province] * TILE_CAMEL[state.tile]) + farmers * farmer


def end_round(state: Record) -> None:
    """Temples score now under that option; the third round is followed by the scoring of the age."""
    if state.options[TEMPLES_AT_HARVEST] == 1:
        for player in range(state.num_players):
            state.points[player] += temple_points(state, player)
    if state.round_number + 1 < ROUNDS:
        state.round_number += 1
        start_round(state)
    else:
        state.phase = SCORING
        continue_scoring(state)


# Rulebook: Intermediate Scoring, Final Scoring


def continue_scoring(state: Record) -> None:
    """Ask the current seat, or the next that can play a yellow card (`no-empty-question`)."""
    while scoring_cards(state, int(state.current)) == 0:
        state.lacks[state.current] |= scorable_kinds(state, int(state.current))
        if not end_scoring_turn(state):
            return
    state.facts[state.current, SCORING_FACT] = scorable_kinds(state, int(state.current))


def play_yellow_card(state: Record, card: int) -> None:
    """Discard a yellow card whose condition holds; its points are counted with the others."""
    player = int(state.current)
    discard_favor(state, player, FIRST_YELLOW + card)
    state.scored[player] |= 1 << card
    continue_scoring(state)


def end_scoring_turn(state: Record) -> bool:
    """Go on to the next seat; False when the age has ended instead."""
    state.current = left_of(state, int(state.current))
    if state.current == state.start:
        end_age(state)
        return False
    return True


def end_age(state: Record) -> None:
    """Count the points; the New Kingdom begins, or the game ends."""
    for player in range(state.num_players):
        state.points[player] += age_points(state, player)
    if state.age + 1 == AGES:
        end_game(state)
        return
    provinces = 0
    for player in range(state.num_players):
        provinces |= own_provinces(state, player)
    state.farmers[:] = 0
    state.free_farmers[:] = 0
    state.age += 1
    start_age(state, provinces)


def end_game(state: Record) -> None:
    """Cards left in hand are sold; then gold scores."""
    for player in range(state.num_players):
        for kind in range(NUM_FAVORS):
            while state.favors[player, kind] > 0:
                discard_favor(state, player, kind)
                state.gold[player] += GOLD_PER_FAVOR
    for player in range(state.num_players):
        state.points[player] += gold_points(state, player)
    state.phase = OVER


# Rulebook: Favor cards


def draw_favor(state: Record, player: int) -> None:
    """A card from the deck, which the discards renew; none if both are empty."""
    if state.deck_size == 0:
        if state.discards_size == 0:
            return
        shuffle_discards(state)
    index = below(state.rng, FAVOR_STREAM, int(state.deck_size))
    kind = 0
    index -= int(state.favor_deck[0])
    while index >= 0:
        kind += 1
        index -= int(state.favor_deck[kind])
    state.favor_deck[kind] -= 1
    state.deck_size -= 1
    state.favors[player, kind] += 1
    state.hand_sizes[player] += 1
    state.drawn_since[player, kind] += 1
    state.lacks[player] = 0
    state.drawn_by[state.num_drawn] = player
    state.drawn[state.num_drawn] = kind
    state.num_drawn += 1


def shuffle_discards(state: Record) -> None:
    """The discards become the deck."""
    state.favor_deck[:] = state.favor_discards
    state.shuffled[:] = state.favor_discards
    state.deck_size = state.discards_size
    state.favor_discards[:] = 0
    state.discards_size = 0
    state.drawn_since[:] = 0


def discard_favor(state: Record, player: int, kind: int) -> None:
    """A card leaves a hand for the discards, and with it what was known through it."""
    state.favors[player, kind] -= 1
    state.hand_sizes[player] -= 1
    state.favor_discards[kind] += 1
    state.discards_size += 1
    for fact in range(NUM_FACTS):
        if (int(state.facts[player, fact]) >> kind) & 1:
            state.facts[player, fact] = 0


# Rulebook: End of the Game


def is_over(state: Record) -> bool:
    """After the scoring of the New Kingdom, or when cut off after `MAX_MOVES`."""
    return state.phase == OVER or state.moves >= MAX_MOVES


def is_truncated(state: Record) -> bool:
    """A game cut off is ranked as it stands."""
    return state.phase != OVER and state.moves >= MAX_MOVES


def current_player(state: Record) -> int:
    """The seat that moves."""
    return int(state.current)


def scores(state: Record, out: Array) -> None:
    """The victory points of every seat."""
    out[:] = 0
    for player in range(state.num_players):
        out[player] = state.points[player]


def returns(state: Record, out: Array) -> None:
    """Most points win, then pyramids, then stones on own provinces; those still tied share their places."""
    out[:] = 0
    for player in range(state.num_players):
        ahead, behind = 0, 0
        for other in range(state.num_players):
            ahead += int(is_ahead(state, other, player))
            behind += int(is_ahead(state, player, other))
        out[player] = (behind - ahead) / (int(state.num_players) - 1)


# Small steps


def left_of(state: Record, player: int) -> int:
    """The next seat clockwise."""
    return 0 if player + 1 == state.num_players else player + 1


jit_module(cache=True, nogil=True, forceinline=False)
