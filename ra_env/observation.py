"""What a player of Ra sees: the layout, declared once, `observe`, which fills it, and `information_key`.

Ra has no private information, so the observation holds everything but the order of the bag. Seats
are relative: the observer first, then clockwise; absent seats are zero.
"""

import numpy as np
from numba import jit_module

from ra_env.components import (
    AUCTION_SPACES,
    EPOCHS,
    FIRST_DISASTER,
    GOD,
    MAX_PLAYERS,
    MAX_SUN,
    NUM_TILES,
    TILE_COUNTS,
    TOTAL_TILES,
)
from ra_env.scoring import epoch_fame, final_fame
from ra_env.state import AUCTION, NO_SUN, NOBODY, NUM_CAUSES, NUM_OPTIONS, NUM_PHASES, STATE
from tabletop.compiled import inlined
from tabletop.keys import absorb, hash_words, public_words
from tabletop.kinds import Array, Record, Word
from tabletop.layout import Field, Layout
from tabletop.words import highest, lowest

NUM_KINDS = FIRST_DISASTER - GOD  # that a player can hold
FAME_SCALE = 50
MOST_RA_SPACES = 10
LOSSES_SCALE = 8
TILE_SCALE = 5
LOT_SCALE = 4

LAYOUT = Layout(
    (
        Field("tiles", (MAX_PLAYERS, NUM_KINDS), "tiles held by each seat, God to sphinx, / 5", 0, 5),
        Field("suns_up", (MAX_PLAYERS, MAX_SUN), "1 for each sun 1 to 16 held face up by each seat"),
        Field("suns_down", (MAX_PLAYERS, MAX_SUN), "the same face down"),
        Field("fame", (MAX_PLAYERS,), "fame of each seat / 50", -1, 4),
        Field("fame_if_scored", (MAX_PLAYERS,), "fame of each seat / 50 if the epoch ended now", -1, 5),
        Field("seated", (MAX_PLAYERS,), "1 for each seat that plays"),
        Field("lot", (NUM_TILES - GOD,), "tiles on the auction track by kind, God to earthquake, / 4", 0, 2),
        Field("lot_size", (1,), "tiles on the auction track / 8"),
        Field(
            "bag", (NUM_TILES,), "tiles left in the bag by kind, Ra to earthquake, / their number in the box"
        ),
        Field("bag_total", (1,), "tiles left in the bag / 180"),
        Field("ra_tiles", (1,), "Ra tiles on the Ra track / 10"),
        Field("ra_spaces_left", (1,), "free spaces of the Ra track / 10"),
        Field("epoch", (EPOCHS,), "one-hot: the epoch; all zero when the game is over"),
        Field("phase", (NUM_PHASES,), "one-hot: turn, further God tiles, auction, discard, over"),
        Field(
            "cause", (NUM_CAUSES,), "one-hot during an auction: Ra drawn, invoked, invoked on a full track"
        ),
        Field("high_bid", (MAX_SUN,), "one-hot: the highest sun bid in this auction"),
        Field("high_bidder", (MAX_PLAYERS,), "one-hot: the seat that bid it"),
        Field(
            "turn_player", (MAX_PLAYERS,), "one-hot: the seat whose turn it is; in an auction the Ra player"
        ),
        Field("current", (MAX_PLAYERS,), "one-hot: the seat that moves"),
        Field("center_sun", (MAX_SUN,), "one-hot: the sun in the center"),
        Field(
            "winning_sun",
            (MAX_SUN,),
            "one-hot: the observer's lowest face-up sun that none yet to bid can beat",
        ),
        Field("losses", (2,), "civilization, monument tiles the current seat has yet to discard / 8"),
        Field("num_players", (MAX_PLAYERS - 1,), "one-hot: 2 to 5 players"),
        Field("options", (NUM_OPTIONS,), "1 for each option played the overview's way, in the table's order"),
    )
)

TILES, SUNS_UP, SUNS_DOWN, FAME, FAME_IF_SCORED, SEATED = (
    LAYOUT.offsets[name] for name in ("tiles", "suns_up", "suns_down", "fame", "fame_if_scored", "seated")
)
LOT, LOT_SIZE, BAG, BAG_TOTAL, RA_TILES, RA_SPACES_LEFT = (
    LAYOUT.offsets[name] for name in ("lot", "lot_size", "bag", "bag_total", "ra_tiles", "ra_spaces_left")
)
EPOCH, PHASE, CAUSE, HIGH_BID, HIGH_BIDDER, TURN_PLAYER, CURRENT = (
    LAYOUT.offsets[name]
    for name in ("epoch", "phase", "cause", "high_bid", "high_bidder", "turn_player", "current")
)
CENTER_SUN, WINNING_SUN, LOSSES, NUM_PLAYERS, OPTION = (
    LAYOUT.offsets[name] for name in ("center_sun", "winning_sun", "losses", "num_players", "options")
)
BAG_FACTORS = (1 / TILE_COUNTS).astype(np.float32)
ONE = np.float32(1)
HALF = MAX_SUN // 2
HALF_SET = (1 << HALF) - 1
# The entries of half the suns for each set of them, [set, sun]: copied, not computed.
SUN_ENTRIES = ((np.arange(1 << HALF)[:, None] >> np.arange(HALF)) & 1).astype(np.float32)

# What is seen of a record; the last auction leaves traces that nobody looks at.
PUBLIC = public_words(STATE, "rng", "cause", "high_bid", "high_bidder")


def observe(state: Record, player: int, out: Array) -> None:
    """Write what `player` sees into float32[LAYOUT.size]."""
    out[:] = 0
    for seat in range(state.num_players):
        observe_seat(state, seat, relative_seat(state, player, seat), out)
    observe_fame(state, player, out)
    observe_tracks(state, out)
    observe_auction(state, player, out)
    out[NUM_PLAYERS + int(state.num_players) - 2] = ONE
    for option in range(NUM_OPTIONS):
        out[OPTION + option] = state.options[option]


@inlined
def observe_seat(state: Record, seat: int, place: int, out: Array) -> None:
    """The tiles and suns of one seat."""
    tiles = out[TILES + place * NUM_KINDS : TILES + (place + 1) * NUM_KINDS]
    for kind in range(NUM_KINDS):
        tiles[kind] = state.tiles[seat, GOD + kind] * np.float32(1 / TILE_SCALE)
    first = place * MAX_SUN
    observe_suns(state, int(state.suns_up[seat]), out[SUNS_UP + first : SUNS_UP + first + MAX_SUN])
    observe_suns(state, int(state.suns_down[seat]), out[SUNS_DOWN + first : SUNS_DOWN + first + MAX_SUN])
    out[SEATED + place] = ONE


@inlined
def observe_suns(state: Record, suns: int, out: Array) -> None:
    """Set the entry of each sun of a set of suns, float32[MAX_SUN]."""
    for index in range(HALF):
        out[index] = SUN_ENTRIES[(suns >> 1) & HALF_SET, index]
    for index in range(HALF):
        out[HALF + index] = SUN_ENTRIES[(suns >> (HALF + 1)) & HALF_SET, index]


@inlined
def observe_fame(state: Record, player: int, out: Array) -> None:
    """The fame of each seat, as it is and as it would be if the epoch ended now."""
    for seat in range(state.num_players):
        place = relative_seat(state, player, seat)
        scored = int(state.fame[seat])
        if state.epoch < EPOCHS:
            scored += epoch_fame(state, seat)
        if state.epoch == EPOCHS - 1:
            scored += final_fame(state, seat)
        out[FAME + place] = state.fame[seat] * np.float32(1 / FAME_SCALE)
        out[FAME_IF_SCORED + place] = scored * np.float32(1 / FAME_SCALE)


@inlined
def observe_tracks(state: Record, out: Array) -> None:
    """The auction track, the bag, the Ra track and the epoch."""
    for tile in range(GOD, NUM_TILES):
        out[LOT + tile - GOD] = state.lot[tile] * np.float32(1 / LOT_SCALE)
    for tile in range(NUM_TILES):
        out[BAG + tile] = state.bag[tile] * BAG_FACTORS[tile]
    out[LOT_SIZE] = state.lot_size * np.float32(1 / AUCTION_SPACES)
    out[BAG_TOTAL] = state.bag_total * np.float32(1 / TOTAL_TILES)
    out[RA_TILES] = state.ra_tiles * np.float32(1 / MOST_RA_SPACES)
    out[RA_SPACES_LEFT] = (state.ra_spaces - state.ra_tiles) * np.float32(1 / MOST_RA_SPACES)
    if state.epoch < EPOCHS:
        out[EPOCH + int(state.epoch)] = ONE


@inlined
def observe_auction(state: Record, player: int, out: Array) -> None:
    """Whose move it is, the bids and the sun in the center."""
    out[PHASE + int(state.phase)] = ONE
    out[TURN_PLAYER + relative_seat(state, player, state.turn_player)] = ONE
    out[CURRENT + relative_seat(state, player, state.current)] = ONE
    out[CENTER_SUN + int(state.center_sun) - 1] = ONE
    winning = lowest_winning_sun(state, player)
    if winning != NO_SUN:
        out[WINNING_SUN + winning - 1] = ONE
    if state.in_auction == 1:
        out[CAUSE + int(state.cause)] = ONE
        if state.high_bidder != NOBODY:
            out[HIGH_BID + int(state.high_bid) - 1] = ONE
            out[HIGH_BIDDER + relative_seat(state, player, state.high_bidder)] = ONE
    out[LOSSES] = state.civilization_losses * np.float32(1 / LOSSES_SCALE)
    out[LOSSES + 1] = state.monument_losses * np.float32(1 / LOSSES_SCALE)


@inlined
def lowest_winning_sun(state: Record, player: int) -> int:
    """The least face-up sun with which a player is sure to win this auction, or one begun now."""
    threshold = int(state.high_bid) if state.phase == AUCTION else NO_SUN
    rivals = 1
    for other in range(state.num_players):
        if other != player and may_still_bid(state, other):
            rivals |= int(state.suns_up[other])
    threshold = max(threshold, highest(rivals))
    suns = int(state.suns_up[player]) >> (threshold + 1)
    if suns == 0 or not may_still_bid(state, player):
        return NO_SUN
    return threshold + 1 + lowest(suns)


@inlined
def may_still_bid(state: Record, seat: int) -> bool:
    """Whether a seat has its bid before it: in an auction, those from the current to the Ra player."""
    if state.phase != AUCTION:
        return True
    last = relative_seat(state, state.current, state.turn_player)
    return relative_seat(state, state.current, seat) <= last


@inlined
def relative_seat(state: Record, observer: int, seat: int) -> int:
    """The place of a seat, clockwise from the observer."""
    place = int(seat) - int(observer)
    return place if place >= 0 else place + int(state.num_players)


def information_key(state: Record, player: int) -> Word:
    """A hash of all that `player` sees: everything but the order of the bag, the move number included."""
    key = hash_words(state, player, PUBLIC)
    if state.in_auction == 1:
        bid = (int(state.cause) << 16) | (int(state.high_bid) << 8) | (int(state.high_bidder) + 1)
        key = absorb(key, bid)
    return key


jit_module(cache=True, nogil=True, forceinline=False)
