"""The rules of Ra, in the rulebook's order.

    new_game                    Setup
    legal_actions, apply_action Game Play: what a player may do, and doing it
    draw_tile, play_god_tile, invoke_ra
    start_auction ... take_lot  Auction
    resolve_disasters           Disasters
    end_epoch, score_epoch      The Epochs, Scoring
    returns                     End of the game

Rulings, where the rulebook is silent, each with the test that holds it (tests/ra):
    no-empty-question    test_players_who_cannot_outbid_are_not_asked,
                         test_discards_without_a_choice_are_carried_out_at_once,
                         test_a_god_turn_ends_by_itself_when_no_target_is_left
    god-takes-disaster   test_a_disaster_taken_by_a_god_is_resolved_at_once
    fame-below-zero      test_fame_may_go_below_zero
"""

from numba import jit_module

from ra_env.actions import BID, DISCARD_CIVILIZATION, DISCARD_MONUMENT, DRAW, END, INVOKE, PASS, TAKE
from ra_env.components import (
    AUCTION_SPACES,
    CENTER_SUN,
    DROUGHT,
    EARTHQUAKE,
    END_CIVILIZATION,
    END_MONUMENT,
    EPOCHS,
    FIRST_CIVILIZATION,
    FIRST_DISASTER,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    MAX_MOVES,
    NILE,
    NUM_TILES,
    PHARAOH,
    RA,
    RA_SPACES,
    STARTING_FAME,
    SUN_BITS,
    TILE_COUNTS,
    TILES_LOST_PER_DISASTER,
    TOTAL_TILES,
    UNREST,
)
from ra_env.scoring import epoch_fame, final_fame, is_ahead
from ra_env.state import (
    AUCTION,
    AUCTION_ON_LAST_RA,
    DISCARD,
    DISCARD_UNSOLD,
    FAME_FLOOR,
    GOD_TAKES_GOD,
    GODS,
    GODS_KEPT,
    INVOKED,
    INVOKED_ON_FULL_TRACK,
    NO_SUN,
    NOBODY,
    ONE_GOD,
    OVER,
    RA_DRAWN,
    TURN,
    UNFORCED_BID,
)
from tabletop import bitset
from tabletop.compiled import inlined
from tabletop.kinds import Array, Record
from tabletop.rng import below, seed_streams

# Rulebook: Setup


def new_game(state: Record, num_players: int, options: Array, seed: int) -> None:
    """Fill the bag, deal the sets of suns at random, give 10 fame each; the highest sun begins."""
    seed_streams(state.rng, seed)
    state.num_players = num_players
    state.options[:] = options
    state.bag[:] = TILE_COUNTS
    state.bag_total = TOTAL_TILES
    state.lot[:] = 0
    state.lot_size = 0
    state.discarded[:] = 0
    state.tiles[:] = 0
    state.ra_tiles = 0
    state.ra_spaces = RA_SPACES[num_players]
    state.center_sun = CENTER_SUN
    state.epoch = 0
    state.moves = 0
    state.cause = RA_DRAWN
    state.high_bid = NO_SUN
    state.high_bidder = NOBODY
    state.in_auction = 0
    state.civilization_losses = 0
    state.monument_losses = 0
    state.suns_up[:] = 0
    state.suns_down[:] = 0
    state.fame[:] = 0
    for player in range(num_players):
        state.suns_up[player] = SUN_BITS[num_players, player]
        state.fame[player] = STARTING_FAME
    deal_suns(state)
    start_turn(state, holder_of_highest_sun(state))


def deal_suns(state: Record) -> None:
    """The players decide randomly who receives which set: a shuffle of the sets."""
    for player in range(state.num_players - 1, 0, -1):
        other = below(state.rng, 0, player + 1)
        own = state.suns_up[player]
        state.suns_up[player] = state.suns_up[other]
        state.suns_up[other] = own


def holder_of_highest_sun(state: Record) -> int:
    """The player with the highest face-up sun begins an epoch."""
    holder = 0
    for player in range(1, state.num_players):
        if state.suns_up[player] > state.suns_up[holder]:
            holder = player
    return holder


# Rulebook: Game Play. What may be done, by phase.


@inlined
def legal_actions(state: Record, bits: Array) -> None:
    """Write everything that the player to move may do; nothing when the game is over or cut off."""
    bitset.clear(bits)
    if is_over(state):
        return
    if state.phase == TURN:
        turn_possibilities(state, bits)
    elif state.phase == AUCTION:
        bid_possibilities(state, bits)
    elif state.phase == GODS:
        bitset.add(bits, END)
        god_possibilities(state, bits)
    elif state.phase == DISCARD:
        discard_possibilities(state, bits)


@inlined
def turn_possibilities(state: Record, bits: Array) -> None:
    """Draw unless the auction track is full; invoke Ra; play a God tile."""
    bitset.add(bits, INVOKE)
    if state.lot_size < AUCTION_SPACES:
        bitset.add(bits, DRAW)
    if state.tiles[state.current, GOD] > 0:
        god_possibilities(state, bits)


@inlined
def god_possibilities(state: Record, bits: Array) -> None:
    """A God tile takes any tile of the lot but a God (option `god_takes_god`)."""
    for tile in range(first_target(state), NUM_TILES):
        if state.lot[tile] > 0:
            bitset.add(bits, TAKE + tile - GOD)


@inlined
def bid_possibilities(state: Record, bits: Array) -> None:
    """Bid a face-up sun higher than the highest bid, or pass unless the bid is forced."""
    higher = int(state.suns_up[state.current]) >> (int(state.high_bid) + 1)
    bitset.add_many(bits, BID + state.high_bid, higher)
    if not must_bid(state):
        bitset.add(bits, PASS)


@inlined
def discard_possibilities(state: Record, bits: Array) -> None:
    """Any tile of the category that a disaster hits; civilizations before monuments."""
    if state.civilization_losses > 0:
        for tile in range(FIRST_CIVILIZATION, END_CIVILIZATION):
            if state.tiles[state.current, tile] > 0:
                bitset.add(bits, DISCARD_CIVILIZATION + tile - FIRST_CIVILIZATION)
    else:
        for tile in range(FIRST_MONUMENT, END_MONUMENT):
            if state.tiles[state.current, tile] > 0:
                bitset.add(bits, DISCARD_MONUMENT + tile - FIRST_MONUMENT)


# Rulebook: Game Play. Doing it, in the same order.


def apply_action(state: Record, action: int) -> None:
    """Carry out a legal action and everything that follows without a question."""
    state.moves += 1
    if action == DRAW:
        draw_tile(state)
    elif action == PASS:
        finish_bidding(state)
    elif action < BID:
        if action == INVOKE:
            invoke_ra(state)
        else:
            end_turn(state)
    elif action < TAKE:
        place_bid(state, action - BID + 1)
    elif action < DISCARD_CIVILIZATION:
        play_god_tile(state, action - TAKE + GOD)
    elif action < DISCARD_MONUMENT:
        state.civilization_losses -= 1
        discard_held(state, state.current, action - DISCARD_CIVILIZATION + FIRST_CIVILIZATION, 1)
        settle_losses(state)
    else:
        state.monument_losses -= 1
        discard_held(state, state.current, action - DISCARD_MONUMENT + FIRST_MONUMENT, 1)
        settle_losses(state)


def start_turn(state: Record, player: int) -> None:
    """Ask a player for their turn."""
    state.phase = TURN
    state.current = player
    state.turn_player = player


def end_turn(state: Record) -> None:
    """The next turn is the next one's clockwise who has a face-up sun."""
    player = left_of(state, state.turn_player)
    while state.suns_up[player] == 0:
        player = left_of(state, player)
    start_turn(state, player)


# Rulebook: Draw and place one tile on the board


def draw_tile(state: Record) -> None:
    """A Ra tile goes to the Ra track and starts an auction or ends the epoch; others join the lot."""
    tile = take_from_bag(state)
    if tile != RA:
        state.lot[tile] += 1
        state.lot_size += 1
        end_turn(state)
        return
    state.ra_tiles += 1
    if state.ra_tiles == state.ra_spaces and state.options[AUCTION_ON_LAST_RA] == 0:
        end_epoch(state)
    else:
        start_auction(state, RA_DRAWN)


def take_from_bag(state: Record) -> int:
    """Draw a tile blindly from the bag."""
    index = below(state.rng, 0, int(state.bag_total))
    tile = 0
    index -= int(state.bag[0])
    while index >= 0:
        tile += 1
        index -= int(state.bag[tile])
    state.bag[tile] -= 1
    state.bag_total -= 1
    return tile


# Rulebook: Play God tile


def play_god_tile(state: Record, tile: int) -> None:
    """Discard a God tile for a tile of the lot; disasters taken so are resolved at once."""
    player = int(state.current)
    discard_held(state, player, GOD, 1)
    state.lot[tile] -= 1
    state.lot_size -= 1
    if tile < FIRST_DISASTER:
        state.tiles[player, tile] += 1
        continue_god_turn(state)
    else:
        state.discarded[tile] += 1
        resolve_disaster(state, player, tile, 1)
        settle_losses(state)


def continue_god_turn(state: Record) -> None:
    """More God tiles may follow, while there is one and a target for it (`no-empty-question`)."""
    if state.options[ONE_GOD] == 0 and state.tiles[state.current, GOD] > 0 and has_god_target(state):
        state.phase = GODS
    else:
        end_turn(state)


def first_target(state: Record) -> int:
    """The first tile kind that a God tile may take."""
    return GOD if state.options[GOD_TAKES_GOD] == 1 else GOLD


def has_god_target(state: Record) -> bool:
    """Whether the lot has a tile that a God tile may take."""
    if state.options[GOD_TAKES_GOD] == 1:
        return state.lot_size > 0
    return state.lot_size > state.lot[GOD]


# Rulebook: Invoke Ra


def invoke_ra(state: Record) -> None:
    """The player says "Ra": an auction, voluntary or because the auction track is full."""
    if state.lot_size == AUCTION_SPACES:
        start_auction(state, INVOKED_ON_FULL_TRACK)
    else:
        start_auction(state, INVOKED)


# Rulebook: Auction


def start_auction(state: Record, cause: int) -> None:
    """Once around from the left of the Ra player, who comes last."""
    state.phase = AUCTION
    state.in_auction = 1
    state.cause = cause
    state.high_bid = NO_SUN
    state.high_bidder = NOBODY
    ask_bidder(state, left_of(state, state.turn_player))


def ask_bidder(state: Record, player: int) -> None:
    """Ask a player, or the next clockwise who can outbid; the auction is over after the Ra player."""
    while not can_outbid(state, player):
        if player == state.turn_player:
            resolve_auction(state)
            return
        player = left_of(state, player)
    state.current = player


def place_bid(state: Record, sun: int) -> None:
    """Put a face-up sun on the edge of the board."""
    state.high_bid = sun
    state.high_bidder = state.current
    finish_bidding(state)


def finish_bidding(state: Record) -> None:
    """A player has bid or passed: on to the next one, or after the Ra player to the end."""
    if state.current == state.turn_player:
        resolve_auction(state)
    else:
        ask_bidder(state, left_of(state, state.current))


def resolve_auction(state: Record) -> None:
    """The highest bidder takes the lot and the center sun; unsold, the lot stays or is discarded."""
    if state.high_bidder != NOBODY:
        exchange_suns(state)
        take_lot(state)
        settle_losses(state)
        return
    unsold_ra_lot = state.cause == RA_DRAWN and state.options[DISCARD_UNSOLD] == 1
    if unsold_ra_lot or state.cause == INVOKED_ON_FULL_TRACK:
        discard_lot(state)
    finish_auction(state)


def exchange_suns(state: Record) -> None:
    """The winner takes the center sun face down; the sun that was bid becomes the center sun."""
    winner = state.high_bidder
    state.suns_up[winner] -= sun_bit(state.high_bid)
    state.suns_down[winner] += sun_bit(state.center_sun)
    state.center_sun = state.high_bid


def take_lot(state: Record) -> None:
    """First all other tiles of the lot are taken, then each disaster in it is fulfilled."""
    winner = int(state.high_bidder)
    state.current = winner
    for tile in range(GOD, FIRST_DISASTER):
        state.tiles[winner, tile] += state.lot[tile]
        state.lot[tile] = 0
    for tile in range(FIRST_DISASTER, NUM_TILES):
        if state.lot[tile] > 0:
            state.discarded[tile] += state.lot[tile]
            resolve_disaster(state, winner, tile, int(state.lot[tile]))
            state.lot[tile] = 0
    state.lot_size = 0


def finish_auction(state: Record) -> None:
    """The turn passes to the left of the Ra player, unless the epoch is over."""
    state.in_auction = 0
    if state.ra_tiles == state.ra_spaces or not has_any_sun(state):
        end_epoch(state)
    else:
        end_turn(state)


# Rulebook: Disasters


def resolve_disaster(state: Record, player: int, disaster: int, number: int) -> None:
    """Two tiles of the category are lost for each disaster, all if there are fewer."""
    losses = TILES_LOST_PER_DISASTER * number
    if disaster == FUNERAL:
        discard_held(state, player, PHARAOH, min(losses, int(state.tiles[player, PHARAOH])))
    elif disaster == DROUGHT:
        floods = min(losses, int(state.tiles[player, FLOOD]))
        discard_held(state, player, FLOOD, floods)
        discard_held(state, player, NILE, min(losses - floods, int(state.tiles[player, NILE])))
    elif disaster == UNREST:
        state.civilization_losses += losses
    elif disaster == EARTHQUAKE:
        state.monument_losses += losses


def settle_losses(state: Record) -> None:
    """Ask for a tile while there is a choice, carry out the rest, then go on (`no-empty-question`)."""
    if state.civilization_losses > 0:
        if has_choice(state, int(state.civilization_losses), FIRST_CIVILIZATION, END_CIVILIZATION):
            state.phase = DISCARD
            return
        discard_all(state, int(state.civilization_losses), FIRST_CIVILIZATION, END_CIVILIZATION)
        state.civilization_losses = 0
    if state.monument_losses > 0:
        if has_choice(state, int(state.monument_losses), FIRST_MONUMENT, END_MONUMENT):
            state.phase = DISCARD
            return
        discard_all(state, int(state.monument_losses), FIRST_MONUMENT, END_MONUMENT)
        state.monument_losses = 0
    if state.in_auction == 1:
        finish_auction(state)
    else:
        continue_god_turn(state)


def has_choice(state: Record, losses: int, first: int, end: int) -> bool:
    """Whether the current player holds more tiles of a category than they lose, of several kinds."""
    held = 0
    kinds = 0
    for tile in range(first, end):
        held += int(state.tiles[state.current, tile])
        if state.tiles[state.current, tile] > 0:
            kinds += 1
    return held > losses and kinds > 1


def discard_all(state: Record, losses: int, first: int, end: int) -> None:
    """Discard up to `losses` tiles of a category in which the current player has no choice."""
    for tile in range(first, end):
        lost = min(losses, int(state.tiles[state.current, tile]))
        discard_held(state, state.current, tile, lost)
        losses -= lost


# Rulebook: The Epochs


def end_epoch(state: Record) -> None:
    """Clear both tracks, score, turn suns up; the highest sun begins the next epoch."""
    discard_lot(state)
    state.discarded[RA] += state.ra_tiles
    state.ra_tiles = 0
    score_epoch(state)
    state.epoch += 1
    for player in range(state.num_players):
        state.suns_up[player] += state.suns_down[player]
        state.suns_down[player] = 0
    if state.epoch == EPOCHS:
        state.phase = OVER
    else:
        start_turn(state, holder_of_highest_sun(state))


# Rulebook: Scoring


def score_epoch(state: Record) -> None:
    """Every player's tiles earn or lose fame; Gods, Floods, civilizations and Gold are discarded."""
    last = state.epoch == EPOCHS - 1
    for player in range(state.num_players):
        fame = int(state.fame[player]) + epoch_fame(state, player)
        if last:
            fame += final_fame(state, player)
        if state.options[FAME_FLOOR] == 1:
            fame = max(fame, 0)
        state.fame[player] = fame
    for player in range(state.num_players):
        if state.options[GODS_KEPT] == 0:
            discard_held(state, player, GOD, int(state.tiles[player, GOD]))
        discard_held(state, player, GOLD, int(state.tiles[player, GOLD]))
        discard_held(state, player, FLOOD, int(state.tiles[player, FLOOD]))
        for tile in range(FIRST_CIVILIZATION, END_CIVILIZATION):
            discard_held(state, player, tile, int(state.tiles[player, tile]))


# Rulebook: End of the game


def is_over(state: Record) -> bool:
    """After the third epoch, or when cut off after `MAX_MOVES`."""
    return state.phase == OVER or state.moves >= MAX_MOVES


def is_truncated(state: Record) -> bool:
    """Without `forced_bid` a game may go on for ever; it is cut off and ranked as it stands."""
    return state.phase != OVER and state.moves >= MAX_MOVES


def current_player(state: Record) -> int:
    """The seat that moves."""
    return int(state.current)


def scores(state: Record, out: Array) -> None:
    """The fame of every seat."""
    out[:] = 0
    for player in range(state.num_players):
        out[player] = state.fame[player]


def returns(state: Record, out: Array) -> None:
    """Most fame wins; among the tied, the highest single sun: so nobody shares a place."""
    out[:] = 0
    for player in range(state.num_players):
        ahead = 0
        for other in range(state.num_players):
            if other != player and is_ahead(state, other, player):
                ahead += 1
        out[player] = 1 - 2 * (ahead / (state.num_players - 1))


# Who knows what


def resample(state: Record, player: int, seed: int) -> None:
    """Only the order of the bag is unknown, and to everybody: draw it anew."""
    seed_streams(state.rng, seed)


# Predicates and small steps


def left_of(state: Record, player: int) -> int:
    """The next seat clockwise."""
    return 0 if player + 1 == state.num_players else int(player) + 1


def sun_bit(sun: int) -> int:
    """The bit of a sun in a set of suns."""
    return 1 << int(sun)


def can_outbid(state: Record, player: int) -> bool:
    """Whether a player has a face-up sun above the highest bid."""
    return (int(state.suns_up[player]) >> (int(state.high_bid) + 1)) != 0


def must_bid(state: Record) -> bool:
    """An invoker must bid when all others passed (option `forced_bid`), if the track was not full."""
    return (
        state.options[UNFORCED_BID] == 0
        and state.cause == INVOKED
        and state.current == state.turn_player
        and state.high_bidder == NOBODY
    )


def has_any_sun(state: Record) -> bool:
    """Whether anybody has a face-up sun left."""
    for player in range(state.num_players):
        if state.suns_up[player] != 0:
            return True
    return False


def discard_lot(state: Record) -> None:
    """Return the tiles on the auction track to the box."""
    if state.lot_size > 0:
        for tile in range(NUM_TILES):
            state.discarded[tile] += state.lot[tile]
            state.lot[tile] = 0
        state.lot_size = 0


def discard_held(state: Record, player: int, tile: int, number: int) -> None:
    """Return tiles from a player's area to the box."""
    state.tiles[player, tile] -= number
    state.discarded[tile] += number


jit_module(cache=True, nogil=True, forceinline=False)
