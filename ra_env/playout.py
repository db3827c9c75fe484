"""A policy for playouts of Ra: rules of thumb that cost little more than a random move.

Tiles are worth what they bring on average, a sun what tiles are still to come for it. Nothing is
predicted; a bit of noise keeps playouts different. Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

import numpy as np
from numba import jit_module

from ra_env.actions import BID, DISCARD_CIVILIZATION, DISCARD_MONUMENT, DRAW, END, INVOKE, PASS, TAKE
from ra_env.components import (
    AUCTION_SPACES,
    DROUGHT,
    FIRST_CIVILIZATION,
    FIRST_DISASTER,
    FIRST_MONUMENT,
    FLOOD,
    FUNERAL,
    GOD,
    GOLD,
    NILE,
    NUM_CIVILIZATIONS,
    NUM_MONUMENTS,
    NUM_TILES,
    PHARAOH,
    UNREST,
)
from ra_env.rules import first_target, must_bid
from ra_env.state import AUCTION, GODS, TURN
from tabletop.compiled import inlined
from tabletop.kinds import Array, Record
from tabletop.rng import below
from tabletop.words import highest, lowest, popcount

NOISES = 64  # how many different whims there are

# All in fame.
NEW_KIND = 2.5  # of civilization
SECOND_KIND = 0.4
GOD_WORTH = 2.7
PHARAOH_WORTH = 1.3
NILE_WORTH = 1.3
FLOOD_WORTH = 1.6
MONUMENT_WORTH = 1.6
DOUBLE_MONUMENT = 2.0  # one of a kind that is already held
LOST_TILE = -2.0  # each of two, if they are held
SUN_WORTH = 10.0  # with tiles without end
TILES_PER_RA = 4.0
HALF_TILES = 2.5  # tiles for each sun at which it is worth half of that
LAST_RA = 0.7
CARRY = 0.4  # each point of a sun
EAGERNESS = 1.0
GOD_PRICE = 3.0
WHIM = 1.5


@inlined
def playout_action(state: Record, rng: Array, bits: Array) -> int:
    """Return a legal action that is sensible and costs little more than a random one."""
    return thumb_action(state, below(rng, 0, NOISES))


def thumb_action(state: Record, noise: int) -> int:
    """The action by the rules of thumb, for a whim from 0 to NOISES - 1."""
    whim = WHIM * (2 * noise + 1 - NOISES) / NOISES
    if state.phase == AUCTION:
        return thumb_bid(state, whim)
    if state.phase == TURN:
        return thumb_turn(state, whim)
    if state.phase == GODS:
        return thumb_god_play(state, END)
    return thumb_discard(state)


def thumb_turn(state: Record, whim: float) -> int:
    """Play a God tile on what is worth one; invoke Ra for a lot that pays the highest sun; else draw."""
    player = int(state.current)
    if state.tiles[player, GOD] > 0 and state.lot_size > 0:
        action = thumb_god_play(state, DRAW)
        if action != DRAW:
            return action
    if state.lot_size == AUCTION_SPACES:
        return INVOKE
    if state.lot_size == 0:
        return DRAW
    sun = highest(np.uint64(int(state.suns_up[player])))
    if lot_worth(state, player) + whim > sun_price(state, sun) + EAGERNESS:
        return INVOKE
    return DRAW


def thumb_god_play(state: Record, otherwise: int) -> int:
    """Take the best tile if it is worth more than the God tile."""
    player = int(state.current)
    best = GOD_PRICE
    action = otherwise
    for tile in range(first_target(state), FIRST_DISASTER):
        if state.lot[tile] > 0:
            worth = tile_worth(state, player, tile)
            if worth >= best:
                best = worth
                action = TAKE + tile - GOD
    return action


def thumb_bid(state: Record, whim: float) -> int:
    """Bid the lowest sun that outbids if the lot is worth it."""
    player = int(state.current)
    above = int(state.suns_up[player]) >> (int(state.high_bid) + 1)
    sun = int(state.high_bid) + 1 + lowest(np.uint64(above))
    if must_bid(state) or lot_worth(state, player) + whim > sun_price(state, sun):
        return BID + sun - 1
    return PASS


def thumb_discard(state: Record) -> int:
    """Lose a civilization of which there are most, a monument of which there are fewest."""
    player = int(state.current)
    best = 0
    action = PASS
    if state.civilization_losses > 0:
        for kind in range(NUM_CIVILIZATIONS):
            held = int(state.tiles[player, FIRST_CIVILIZATION + kind])
            if held > best:
                best = held
                action = DISCARD_CIVILIZATION + kind
        return action
    for kind in range(NUM_MONUMENTS):
        held = int(state.tiles[player, FIRST_MONUMENT + kind])
        if held > 0 and (action == PASS or held < best):
            best = held
            action = DISCARD_MONUMENT + kind
    return action


def sun_price(state: Record, sun: int) -> float:
    """What a sun may yet buy, and its points."""
    alive = 0
    for player in range(state.num_players):
        alive += popcount(np.uint64(int(state.suns_up[player])))
    tiles = TILES_PER_RA * max(0.0, int(state.ra_spaces) - int(state.ra_tiles) - LAST_RA) / alive
    return SUN_WORTH * tiles / (tiles + HALF_TILES) + CARRY * (sun - int(state.center_sun))


def lot_worth(state: Record, player: int) -> float:
    """What the lot is worth to a player."""
    worth = 0.0
    for tile in range(GOD, NUM_TILES):
        if state.lot[tile] > 0:
            worth += int(state.lot[tile]) * tile_worth(state, player, tile)
    return worth


def tile_worth(state: Record, player: int, tile: int) -> float:
    """What a tile is worth to a player, disasters included."""
    if tile >= FIRST_MONUMENT and tile < FIRST_DISASTER:
        return DOUBLE_MONUMENT if state.tiles[player, tile] > 0 else MONUMENT_WORTH
    if tile >= FIRST_CIVILIZATION and tile < FIRST_MONUMENT:
        return SECOND_KIND if state.tiles[player, tile] > 0 else NEW_KIND
    if tile == PHARAOH:
        return PHARAOH_WORTH
    if tile == NILE:
        return NILE_WORTH
    if tile == FLOOD:
        return FLOOD_WORTH
    if tile == GOD:
        return GOD_WORTH
    if tile == GOLD:
        return 3.0
    return LOST_TILE * min(2, tiles_at_risk(state, player, tile))


def tiles_at_risk(state: Record, player: int, disaster: int) -> int:
    """How many tiles a player holds of the category that a disaster hits."""
    if disaster == FUNERAL:
        return int(state.tiles[player, PHARAOH])
    if disaster == DROUGHT:
        return int(state.tiles[player, FLOOD]) + int(state.tiles[player, NILE])
    first, kinds = FIRST_MONUMENT, NUM_MONUMENTS
    if disaster == UNREST:
        first, kinds = FIRST_CIVILIZATION, NUM_CIVILIZATIONS
    held = 0
    for tile in range(first, first + kinds):
        held += int(state.tiles[player, tile])
    return held


jit_module(cache=True, nogil=True, forceinline=False)
