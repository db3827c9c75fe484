"""Scoring at the end of an age, one function a category, and the standing at the end of the game.

Rulebook: "Intermediate Scoring" and "Final Scoring". Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

from numba import jit_module

from amunre_env.components import (
    BANK,
    BANK_POINTS,
    EAST,
    FAVOR_SYMBOLS,
    FIRST_YELLOW,
    GOLD_POINTS,
    HALF,
    HARVESTERS,
    HARVESTERS_NEEDED,
    NILE,
    NUM_FAVORS,
    PYRAMID_POINTS,
    RIVERSIDE,
    ROUNDS,
    SAME_BANK,
    SAME_HALF,
    SCRIBES,
    SCRIBES_NEEDED,
    SET_POINTS,
    STONES_PER_PYRAMID,
    TEMPLES,
    TILE_TEMPLE,
    WEST,
    YELLOW_POINTS,
)
from amunre_env.state import NOWHERE, TEMPLES_AT_HARVEST
from tabletop.kinds import Record


def temple_points(state: Record, player: int) -> int:
    """The offering tile's temple value for each temple."""
    temples = 0
    for turn in range(ROUNDS):
        province = state.won[player, turn]
        if province != NOWHERE:
            temples += TEMPLES[province]
    return int(temples * TILE_TEMPLE[state.tile])


def pyramid_points(state: Record, player: int) -> int:
    """1 for each pyramid."""
    return PYRAMID_POINTS * own_pyramids(state, player)


def set_points(state: Record, player: int) -> int:
    """3 for each complete set: the smallest number of pyramids on any of the three provinces."""
    fewest = int(state.pyramids[state.won[player, 0]])
    for turn in range(1, ROUNDS):
        fewest = min(fewest, int(state.pyramids[state.won[player, turn]]))
    return SET_POINTS * fewest


def bank_points(state: Record, player: int) -> int:
    """5 for each bank of the Nile on which the player has the greatest province, ties alike."""
    return single_bank_points(state, player, WEST) + single_bank_points(state, player, EAST)


def single_bank_points(state: Record, player: int, bank: int) -> int:
    """5 for the greatest province of a bank, or a tied one, once; none without a pyramid."""
    own = greatest_on_bank(state, player, bank)
    if own < STONES_PER_PYRAMID:
        return 0
    for other in range(state.num_players):
        if greatest_on_bank(state, other, bank) > own:
            return 0
    return BANK_POINTS


def greatest_on_bank(state: Record, player: int, bank: int) -> int:
    """Pyramids, then stones, of the player's greatest province on a bank, counted in stones."""
    greatest = 0
    for turn in range(ROUNDS):
        province = state.won[player, turn]
        if BANK[province] == bank:
            built = STONES_PER_PYRAMID * int(state.pyramids[province]) + int(state.stones[province])
            greatest = max(greatest, built)
    return greatest


def yellow_points(state: Record, player: int) -> int:
    """3 for each yellow card played in this scoring."""
    played = int(state.scored[player])
    points = 0
    while played != 0:
        points += YELLOW_POINTS
        played &= played - 1
    return points


def age_points(state: Record, player: int) -> int:
    """What every age scores for a player."""
    points = (
        pyramid_points(state, player)
        + set_points(state, player)
        + bank_points(state, player)
        + yellow_points(state, player)
    )
    if state.options[TEMPLES_AT_HARVEST] == 0:
        points += temple_points(state, player)
    return points


def gold_points(state: Record, player: int) -> int:
    """6, 4, 2 for the most gold after the New Kingdom; the tied share the better place."""
    richer = 0
    for other in range(state.num_players):
        if state.gold[other] > state.gold[player]:
            richer += 1
    return int(GOLD_POINTS[richer])


# The conditions of the yellow cards


def scoring_cards(state: Record, player: int) -> int:
    """The set of yellow kinds that the player holds, has not played yet and whose condition holds."""
    cards = 0
    for kind in range(FIRST_YELLOW, NUM_FAVORS):
        if state.favors[player, kind] > 0:
            cards |= 1 << kind
    if cards != 0:
        cards &= scorable_kinds(state, player)
    return cards


def scorable_kinds(state: Record, player: int) -> int:
    """The set of yellow kinds that score if held: the condition holds and none has been played yet."""
    return conditions_met(state, player) & ~(int(state.scored[player]) << FIRST_YELLOW)


def conditions_met(state: Record, player: int) -> int:
    """The set of yellow kinds whose condition holds for the player's three provinces."""
    banks, halves, riverside, symbols, farmers = 0, 0, 0, 0, 0
    for turn in range(ROUNDS):
        province = state.won[player, turn]
        banks += int(BANK[province])
        halves += int(HALF[province])
        riverside += int(NILE[province])
        symbols += int(FAVOR_SYMBOLS[province])
        farmers += int(state.farmers[province]) + int(state.free_farmers[province])
    met = 0
    if banks in (0, ROUNDS):
        met |= 1 << SAME_BANK
    if halves in (0, ROUNDS):
        met |= 1 << SAME_HALF
    if riverside == ROUNDS:
        met |= 1 << RIVERSIDE
    if symbols >= SCRIBES_NEEDED:
        met |= 1 << SCRIBES
    if farmers >= HARVESTERS_NEEDED:
        met |= 1 << HARVESTERS
    return met


# The end of the game


def own_pyramids(state: Record, player: int) -> int:
    """Pyramids on the player's provinces."""
    pyramids = 0
    for turn in range(ROUNDS):
        province = state.won[player, turn]
        if province != NOWHERE:
            pyramids += int(state.pyramids[province])
    return pyramids


def own_stones(state: Record, player: int) -> int:
    """Stones on the player's provinces."""
    stones = 0
    for turn in range(ROUNDS):
        province = state.won[player, turn]
        if province != NOWHERE:
            stones += int(state.stones[province])
    return stones


def is_ahead(state: Record, player: int, other: int) -> bool:
    """Whether a player ranks before another: more points, then pyramids, then stones."""
    if state.points[player] != state.points[other]:
        return state.points[player] > state.points[other]
    own, their = own_pyramids(state, player), own_pyramids(state, other)
    if own != their:
        return own > their
    return own_stones(state, player) > own_stones(state, other)


jit_module(cache=True, nogil=True, forceinline=False)
