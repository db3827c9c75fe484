"""The record that is one game of Ra, and what must hold of it after every move."""

from pathlib import Path
from typing import Any

import numpy as np

from ra_env.components import (
    CENTER_SUN,
    MAX_PLAYERS,
    NUM_HELD,
    NUM_TILES,
    SUN_BITS,
    TILE_COUNTS,
    TILE_NAMES,
)
from tabletop.game import Option, record_dtype
from tabletop.words import popcount

# Phases: what the player to move is asked.
TURN = 0  # draw, play a God tile or invoke Ra
GODS = 1  # play one more God tile or end the turn
AUCTION = 2  # bid or pass
DISCARD = 3  # which tile to lose to a disaster
OVER = 4
NUM_PHASES = 5

# What caused the auction.
RA_DRAWN = 0
INVOKED = 1
INVOKED_ON_FULL_TRACK = 2
NUM_CAUSES = 3

NUM_OPTIONS = 8

NO_SUN = 0
NOBODY = -1

STATE = record_dtype(
    [
        ("rng", np.uint64, (1,)),  # the order of the bag
        ("suns_up", np.int32, (MAX_PLAYERS,)),  # [player] bit s set: holds sun s face up
        ("suns_down", np.int32, (MAX_PLAYERS,)),  # [player] face down, for the next epoch
        ("fame", np.int16, (MAX_PLAYERS,)),  # [player] the tablets; may be below zero
        ("bag_total", np.int16),  # tiles in the bag
        ("moves", np.int16),  # moves made so far
        ("bag", np.int8, (NUM_TILES,)),  # [tile] still in the bag
        ("lot", np.int8, (NUM_TILES,)),  # [tile] on the auction track
        ("discarded", np.int8, (NUM_TILES,)),  # [tile] out of the game
        ("tiles", np.int8, (MAX_PLAYERS, NUM_HELD)),  # [player, tile] in the play area
        ("options", np.int8, (NUM_OPTIONS,)),  # [option] index into its choices, in the order of OPTIONS
        ("num_players", np.int8),
        ("lot_size", np.int8),  # tiles on the auction track, 0 to 8
        ("ra_tiles", np.int8),  # Ra tiles on the Ra track
        ("ra_spaces", np.int8),  # spaces of the Ra track
        ("center_sun", np.int8),
        ("epoch", np.int8),  # 0, 1, 2; 3 when the game has been played to its end
        ("phase", np.int8),
        ("current", np.int8),  # the seat that moves
        ("turn_player", np.int8),  # whose turn it is: the Ra player during an auction
        ("cause", np.int8),  # what caused the auction
        ("high_bid", np.int8),  # the highest sun bid so far, or NO_SUN
        ("high_bidder", np.int8),  # who bid it, or NOBODY
        ("in_auction", np.int8),  # 1 from the start of an auction until its disasters are resolved
        ("civilization_losses", np.int8),  # civilization tiles the current player must still discard
        ("monument_losses", np.int8),  # monument tiles the current player must still discard
    ],
    Path(__file__).parent,
)

OPTIONS = (
    Option(
        "forced_bid", (True, False), "an invoker must bid when all others passed and the track was not full"
    ),
    Option(
        "unsold_ra_lot", ("keep", "discard"), "what becomes of the lot when nobody bids after a drawn Ra tile"
    ),
    Option(
        "auction_on_last_ra",
        (False, True),
        "the Ra tile that fills the track is auctioned before the epoch ends",
    ),
    Option("gods_per_turn", ("any", "one"), "how many God tiles may be played in one turn"),
    Option("god_takes_god", (False, True), "a God tile may take a God tile"),
    Option(
        "gods_score", (True, False), "Gods score 2 fame each and are discarded, or score nothing and are kept"
    ),
    Option(
        "equal_pharaohs_score",
        (False, True),
        "when all hold equally many Pharaohs all are both most and fewest",
    ),
    Option("fame_floor", (False, True), "fame is never below zero after an epoch"),
)
PRESETS: dict[str, dict[str, bool | str]] = {
    "rulebook": {},
    "overview": {
        "forced_bid": False,
        "unsold_ra_lot": "discard",
        "auction_on_last_ra": True,
        "gods_per_turn": "one",
        "god_takes_god": True,
        "gods_score": False,
        "equal_pharaohs_score": True,
    },
}

# Positions in `state.options`; there 0 is the rulebook's way and 1 the overview's.
(
    UNFORCED_BID,
    DISCARD_UNSOLD,
    AUCTION_ON_LAST_RA,
    ONE_GOD,
    GOD_TAKES_GOD,
    GODS_KEPT,
    EQUAL_PHARAOHS_SCORE,
    FAME_FLOOR,
) = range(NUM_OPTIONS)


def faults(state: Any) -> list[str]:
    """Return everything that is wrong with a record; an empty list if it can stand on a table."""
    found = []
    players = range(int(state.num_players))
    for tile, name in enumerate(TILE_NAMES):
        held = sum(int(state.tiles[player, tile]) for player in players) if tile < NUM_HELD else 0
        on_track = int(state.ra_tiles) if tile == 0 else int(state.lot[tile])
        places = [int(state.bag[tile]), on_track, held, int(state.discarded[tile])]
        if min(places) < 0 or sum(places) != TILE_COUNTS[tile]:
            found.append(f"{name}: bag, track, held, discarded {places} are not {TILE_COUNTS[tile]} tiles")
    if int(state.bag_total) != int(state.bag.sum()):
        found.append(f"bag_total {state.bag_total} but {state.bag.sum()} tiles in the bag")
    if int(state.lot_size) != int(state.lot.sum()):
        found.append(f"lot_size {state.lot_size} but {state.lot.sum()} tiles on the auction track")
    if state.bag_total <= 0 and state.phase in (TURN, GODS):
        found.append("the bag has run dry before the last Ra tile was drawn")
    suns = [1 << int(state.center_sun)]
    for player in players:
        suns += [int(state.suns_up[player]), int(state.suns_down[player])]
    dealt = (1 << CENTER_SUN) + int(SUN_BITS[int(state.num_players)].sum())
    if sum(suns) != dealt or sum(popcount(bits) for bits in suns) != popcount(dealt):
        found.append("the suns are not those that were dealt")
    each = {popcount(int(state.suns_up[player]) | int(state.suns_down[player])) for player in players}
    if len(each) != 1:
        found.append(f"players hold different numbers of suns: {sorted(each)}")
    if not 0 <= int(state.ra_tiles) <= int(state.ra_spaces):
        found.append(f"{state.ra_tiles} Ra tiles on a track of {state.ra_spaces}")
    return found
