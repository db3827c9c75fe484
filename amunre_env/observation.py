"""What a player of Amun-Re sees: the layout, declared once, `observe`, which fills it, and `information_key`.

Seats are relative: the observer first, then clockwise; absent seats are zero. Others' favor cards,
unrevealed offers, blue cards and choices, expert hands and the order of the decks are not in it.
What is printed on the board never changes and is not in it either: provinces keep their places.
"""

import numpy as np
from numba import jit_module

from amunre_env.components import (
    AGES,
    FAVOR_COUNTS,
    FIELDS,
    MAX_OFFER,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_FAVORS,
    NUM_PROVINCES,
    NUM_SPACES,
    NUM_TILES,
    NUM_YELLOW,
    ROUNDS,
    TOTAL_FAVORS,
)
from amunre_env.state import (
    BIDDING,
    DECLARING,
    MARKET_STONES,
    NO_OFFER,
    NO_TILE,
    NOWHERE,
    NUM_OPTIONS,
    NUM_PHASES,
    OFFERING,
    PROTECTED_BID,
    STATE,
    STOLE,
)
from tabletop.compiled import inlined
from tabletop.keys import absorb, hash_words, public_words
from tabletop.kinds import Array, Record, Word
from tabletop.layout import Field, Layout

HAND_SCALE = 10
GOLD_SCALE = 50
POINTS_SCALE = 50
OFFER_SCALE = 20
TOTAL_SCALE = 30
PYRAMIDS_SCALE = 3
FARMERS_SCALE = 6
STONES_SCALE = 2
BOUGHT_SCALE = 5
REWARDS_SCALE = 3
LIMIT = 6  # gold, points, buildings and farmers are cut off here, after scaling

LAYOUT = Layout(
    (
        Field("favors", (NUM_FAVORS,), "own favor cards by kind / their number in the box"),
        Field("choosable", (NUM_PROVINCES,), "expert: 1 for each province in the own hand"),
        Field("choice", (NUM_PROVINCES,), "expert, one-hot: the own unrevealed choice"),
        Field("hand_sizes", (MAX_PLAYERS,), "favor cards in each hand / 10", 0, TOTAL_FAVORS / HAND_SCALE),
        Field("gold", (MAX_PLAYERS,), "gold of each seat / 50, at most 6", 0, LIMIT),
        Field("points", (MAX_PLAYERS,), "victory points of each seat / 50, at most 6", 0, LIMIT),
        Field("seated", (MAX_PLAYERS,), "1 for each seat that plays"),
        Field("owners", (MAX_PLAYERS, NUM_PROVINCES), "1 for each province that each seat controls"),
        Field(
            "bids",
            (MAX_PLAYERS, NUM_PROVINCES),
            "highest bid of each seat in the auction: (space + 1) / spaces",
        ),
        Field("offered", (NUM_PROVINCES,), "1 for each province up for auction in this round, once revealed"),
        Field(
            "unseen",
            (NUM_PROVINCES,),
            "1 for each province that may still come up from the deck or others' hands",
        ),
        Field("stones", (NUM_PROVINCES,), "stones on each province / 2"),
        Field("pyramids", (NUM_PROVINCES,), "pyramids on each province / 3, at most 6", 0, LIMIT),
        Field("farmers", (NUM_PROVINCES,), "farmers in the fields of each province / 6", 0, LIMIT),
        Field("empty_fields", (NUM_PROVINCES,), "empty fields of each province / 6", 0, LIMIT),
        Field(
            "free_farmers",
            (NUM_PROVINCES,),
            "farmers outside the fields of each province / 6, at most 6",
            0,
            LIMIT,
        ),
        Field("barred", (NUM_PROVINCES,), "one-hot: where the seat that bids has just been outbid"),
        Field("protected", (MAX_PLAYERS,), "1 for each seat that played Protection in this auction"),
        Field("bribed", (MAX_PLAYERS,), "1 for each seat that played Bribery in this auction"),
        Field("offers_made", (MAX_PLAYERS,), "1 for each seat that has made its offering in this round"),
        Field("offers", (MAX_PLAYERS,), "own, or revealed, gold offered / 20", 0, MAX_OFFER / OFFER_SCALE),
        Field("thefts", (MAX_PLAYERS,), "1 for the own, or a revealed, Theft card"),
        Field(
            "blue_cards",
            (MAX_PLAYERS,),
            "1 for the own undeclared blue card, or that of the seat that declares",
        ),
        Field("total", (1,), "the revealed offering / 30, -6 to 6", -LIMIT, LIMIT),
        Field("tile", (NUM_TILES,), "one-hot: the offering tile of this round, once known"),
        Field("treasury", (NUM_PROVINCES,), "one-hot: where the seat that harvests played Treasury"),
        Field("big_harvest", (NUM_PROVINCES,), "one-hot: where the seat that harvests played Big Harvest"),
        Field("scored", (MAX_PLAYERS, NUM_YELLOW), "yellow kinds played by each seat in this scoring"),
        Field("discards", (NUM_FAVORS,), "discarded favor cards by kind / their number in the box"),
        Field("hidden", (NUM_FAVORS,), "favor cards in the deck or others' hands / their number in the box"),
        Field("deck", (1,), "cards in the favor deck / all favor cards"),
        Field("bought", (1,), "items bought in this step of the market / 5, at most 6", 0, LIMIT),
        Field("played", (2,), "1 if Free Farmer, Architect was played in this market turn"),
        Field("rewards", (1,), "rewards left for the seat that collects / 3"),
        Field("phase", (NUM_PHASES,), "one-hot: the phases in the order of amunre_env/state.py"),
        Field("current", (MAX_PLAYERS,), "one-hot: the seat that moves"),
        Field("start", (MAX_PLAYERS,), "one-hot: the start player"),
        Field("next_start", (MAX_PLAYERS,), "one-hot: the start player of the next round, as far as known"),
        Field("age", (AGES,), "one-hot: Old Kingdom, New Kingdom"),
        Field("round", (ROUNDS,), "one-hot: the round of the age"),
        Field("num_players", (MAX_PLAYERS - MIN_PLAYERS + 1,), "one-hot: 3 to 5 players"),
        Field(
            "options", (NUM_OPTIONS,), "1 for each option not played the default way, in the table's order"
        ),
    )
)

FAVORS, CHOOSABLE, CHOICE, HAND_SIZES, GOLD, POINTS, SEATED, OWNERS, BIDS = (
    LAYOUT.offsets[name]
    for name in ("favors", "choosable", "choice", "hand_sizes", "gold", "points", "seated", "owners", "bids")
)
OFFERED, UNSEEN, STONES, PYRAMIDS, FARMERS, EMPTY_FIELDS, FREE_FARMERS, BARRED = (
    LAYOUT.offsets[name]
    for name in (
        "offered",
        "unseen",
        "stones",
        "pyramids",
        "farmers",
        "empty_fields",
        "free_farmers",
        "barred",
    )
)
PROTECTED, BRIBED, OFFERS_MADE, OFFERS, THEFTS, BLUE_CARDS, TOTAL, TILE = (
    LAYOUT.offsets[name]
    for name in ("protected", "bribed", "offers_made", "offers", "thefts", "blue_cards", "total", "tile")
)
TREASURY, BIG_HARVEST, SCORED, DISCARDS, HIDDEN, DECK, BOUGHT, PLAYED, REWARDS = (
    LAYOUT.offsets[name]
    for name in (
        "treasury",
        "big_harvest",
        "scored",
        "discards",
        "hidden",
        "deck",
        "bought",
        "played",
        "rewards",
    )
)
PHASE, CURRENT, START, NEXT_START, AGE, ROUND, NUM_PLAYERS, OPTION = (
    LAYOUT.offsets[name]
    for name in ("phase", "current", "start", "next_start", "age", "round", "num_players", "options")
)
CARD_FACTORS = (1 / np.maximum(FAVOR_COUNTS, 1)).astype(np.float32)
ONE = np.float32(1)
MOST = np.float32(LIMIT)

# What everybody sees of a record. Deductions that all can make (`facts`, `lacks`, `shuffled`) are
# in; the move number is not, which tells of blue cards.
SECRET = (
    *("rng", "moves", "favors", "favor_deck", "drawn_since", "num_drawn", "drawn_by", "drawn"),
    *("hands", "choices", "adjusting"),
)
TRACES = ("leaders", "pawns", "bids", "barred")  # of the auction, until the next one
THIS_TURN = ("bought", "free_farmer_played", "architect_played")  # in the market
IN_AUCTION = public_words(STATE, *SECRET, "offers")
IN_MARKET = public_words(STATE, *SECRET, "offers", *TRACES)
IN_OFFERING = public_words(STATE, *SECRET, "offers", *TRACES, *THIS_TURN)
AFTERWARDS = public_words(STATE, *SECRET, *TRACES, *THIS_TURN)


def observe(state: Record, player: int, out: Array) -> None:
    """Write what `player` sees into float32[LAYOUT.size]."""
    out[:] = 0
    for seat in range(state.num_players):
        place = relative_seat(state, player, seat)
        observe_seat(state, seat, place, out)
        observe_offer(state, player, seat, place, out)
    observe_cards(state, player, out)
    observe_provinces(state, player, out)
    observe_tracks(state, player, out)


@inlined
def observe_seat(state: Record, seat: int, place: int, out: Array) -> None:
    """What everybody knows of a seat: gold, points, provinces, bids, cards played."""
    out[HAND_SIZES + place] = state.hand_sizes[seat] * np.float32(1 / HAND_SCALE)
    out[GOLD + place] = min(state.gold[seat] * np.float32(1 / GOLD_SCALE), MOST)
    out[POINTS + place] = min(state.points[seat] * np.float32(1 / POINTS_SCALE), MOST)
    out[SEATED + place] = ONE
    for turn in range(ROUNDS):
        if state.won[seat, turn] != NOWHERE:
            out[OWNERS + place * NUM_PROVINCES + int(state.won[seat, turn])] = ONE
    if state.pawns[seat] != NOWHERE and BIDDING <= state.phase <= PROTECTED_BID:
        province = int(state.offered[state.pawns[seat]])
        out[BIDS + place * NUM_PROVINCES + province] = (state.bids[seat] + ONE) * np.float32(1 / NUM_SPACES)
    out[PROTECTED + place] = state.protected[seat]
    out[BRIBED + place] = state.bribed[seat]
    for card in range(NUM_YELLOW):
        out[SCORED + place * NUM_YELLOW + card] = (int(state.scored[seat]) >> card) & 1


@inlined
def observe_offer(state: Record, player: int, seat: int, place: int, out: Array) -> None:
    """The offer of a seat: that there is one; all of it when it is the own one or revealed."""
    if state.offers[seat] != NO_OFFER:
        out[OFFERS_MADE + place] = ONE
    if seat == player or state.phase > OFFERING:
        if state.offers[seat] == STOLE:
            out[THEFTS + place] = ONE
        else:
            out[OFFERS + place] = state.offers[seat] * np.float32(1 / OFFER_SCALE)
    if seat == player or (state.phase == DECLARING and seat == state.current):
        out[BLUE_CARDS + place] = state.adjusting[seat]


@inlined
def observe_cards(state: Record, player: int, out: Array) -> None:
    """Own favor cards, the discards, and the cards that are in neither place."""
    for kind in range(NUM_FAVORS):
        own = int(state.favors[player, kind])
        discarded = int(state.favor_discards[kind])
        out[FAVORS + kind] = own * CARD_FACTORS[kind]
        out[DISCARDS + kind] = discarded * CARD_FACTORS[kind]
        out[HIDDEN + kind] = (int(FAVOR_COUNTS[kind]) - own - discarded) * CARD_FACTORS[kind]
    out[DECK] = state.deck_size * np.float32(1 / TOTAL_FAVORS)


@inlined
def observe_provinces(state: Record, player: int, out: Array) -> None:
    """What stands on the provinces, which are up for auction, which are in the own hand."""
    for province in range(NUM_PROVINCES):
        out[UNSEEN + province] = (int(state.unseen_provinces) >> province) & 1
        out[STONES + province] = state.stones[province] * np.float32(1 / STONES_SCALE)
        out[PYRAMIDS + province] = min(state.pyramids[province] * np.float32(1 / PYRAMIDS_SCALE), MOST)
        out[FARMERS + province] = state.farmers[province] * np.float32(1 / FARMERS_SCALE)
        empty = FIELDS[province] - state.farmers[province]
        out[EMPTY_FIELDS + province] = empty * np.float32(1 / FARMERS_SCALE)
        out[FREE_FARMERS + province] = min(state.free_farmers[province] * np.float32(1 / FARMERS_SCALE), MOST)
    for place in range(state.num_players):
        if state.offered[place] != NOWHERE:
            out[OFFERED + int(state.offered[place])] = ONE
    for card in range(ROUNDS):
        if state.hands[player, card] != NOWHERE:
            out[CHOOSABLE + int(state.hands[player, card])] = ONE
            out[UNSEEN + int(state.hands[player, card])] = 0
    if state.choices[player] != NOWHERE:
        out[CHOICE + int(state.hands[player, state.choices[player]])] = ONE


@inlined
def observe_tracks(state: Record, player: int, out: Array) -> None:
    """Phase, turn order, the offering and what the seat that moves has done in this phase."""
    out[PHASE + int(state.phase)] = ONE
    out[CURRENT + relative_seat(state, player, state.current)] = ONE
    out[START + relative_seat(state, player, state.start)] = ONE
    out[NEXT_START + relative_seat(state, player, state.next_start)] = ONE
    out[AGE + int(state.age)] = ONE
    out[ROUND + int(state.round_number)] = ONE
    out[NUM_PLAYERS + int(state.num_players) - MIN_PLAYERS] = ONE
    for option in range(NUM_OPTIONS):
        out[OPTION + option] = state.options[option]
    out[TOTAL] = max(min(state.offering * np.float32(1 / TOTAL_SCALE), MOST), -MOST)
    if state.tile != NO_TILE:
        out[TILE + int(state.tile)] = ONE
    if state.phase <= PROTECTED_BID and state.barred[state.current] != NOWHERE:
        out[BARRED + int(state.offered[state.barred[state.current]])] = ONE
    if state.phase <= MARKET_STONES:
        out[BOUGHT] = min(state.bought * np.float32(1 / BOUGHT_SCALE), MOST)
        out[PLAYED] = state.free_farmer_played
        out[PLAYED + 1] = state.architect_played
    out[REWARDS] = state.rewards_left * np.float32(1 / REWARDS_SCALE)
    if state.treasury_at != NOWHERE:
        out[TREASURY + int(state.treasury_at)] = ONE
    if state.big_harvest_at != NOWHERE:
        out[BIG_HARVEST + int(state.big_harvest_at)] = ONE


def relative_seat(state: Record, observer: int, seat: int) -> int:
    """The place of a seat, clockwise from the observer."""
    place = int(seat) - int(observer)
    return place if place >= 0 else place + int(state.num_players)


def information_key(state: Record, player: int) -> Word:
    """A hash of all that `player` sees: what everybody sees and the own cards, choice and offering."""
    return absorb_own(state, player, absorb_own_cards(state, player, hash_public(state, player)))


@inlined
def hash_public(state: Record, player: int) -> Word:
    """A hash of what everybody sees in this phase."""
    if state.phase <= PROTECTED_BID:
        return hash_words(state, player, IN_AUCTION)
    if state.phase <= MARKET_STONES:
        return hash_words(state, player, IN_MARKET)
    if state.phase == OFFERING:
        return hash_words(state, player, IN_OFFERING)
    return hash_words(state, player, AFTERWARDS)


@inlined
def absorb_own_cards(state: Record, player: int, key: Word) -> Word:
    """Own favor cards, and which of them were drawn since the deck was shuffled, four kinds a word."""
    word = 0
    for kind in range(NUM_FAVORS):
        word = (word << 16) | (int(state.favors[player, kind]) << 8) | int(state.drawn_since[player, kind])
        if kind % 4 == 3:
            key = absorb(key, word)
            word = 0
    return absorb(key, word)


@inlined
def absorb_own(state: Record, player: int, key: Word) -> Word:
    """The own provinces and choice, the blue card and, until all are revealed, the offer."""
    provinces = 0
    for card in range(ROUNDS):
        if state.hands[player, card] != NOWHERE:
            provinces |= 1 << int(state.hands[player, card])
    rest = int(state.adjusting[player])
    if state.choices[player] != NOWHERE:
        rest |= (int(state.hands[player, state.choices[player]]) + 1) << 1
    if state.phase == OFFERING:
        rest |= (int(state.offers[player]) + 1) << 8
    return absorb(key, provinces | (rest << 32))


jit_module(cache=True, nogil=True, forceinline=False)
