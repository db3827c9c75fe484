"""Scoring at the end of an epoch, one function a category, and the standing at the end of the game.

Rulebook: "Scoring" and "End of the game". Every function takes the record first: see
`tabletop.game.record_dtype` for why.
"""

from numba import jit_module

from ra_env.components import (
    CIVILIZATION_FAME,
    END_CIVILIZATION,
    END_MONUMENT,
    FAME_PER_GOD,
    FAME_PER_GOLD,
    FEWEST_PHARAOHS,
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    FLOOD,
    GOD,
    GOLD,
    HALF,
    HALF_SUNS,
    HIGHEST_SUN_SUM,
    LOWEST_SUN_SUM,
    MONUMENT_KINDS_FAME,
    MONUMENT_SET_FAME,
    MOST_PHARAOHS,
    NILE,
    PHARAOH,
    SUN_SUMS,
)
from ra_env.state import EQUAL_PHARAOHS_SCORE, GODS_KEPT
from tabletop.compiled import inlined
from tabletop.kinds import Record


@inlined
def god_fame(state: Record, player: int) -> int:
    """2 fame for each God tile (option `gods_score`)."""
    if state.options[GODS_KEPT] == 1:
        return 0
    return FAME_PER_GOD * int(state.tiles[player, GOD])


@inlined
def gold_fame(state: Record, player: int) -> int:
    """3 fame for each Gold tile."""
    return FAME_PER_GOLD * int(state.tiles[player, GOLD])


@inlined
def pharaoh_fame(state: Record, player: int) -> int:
    """+5 for the most Pharaohs, -2 for the fewest, all tied alike; nothing when all are equal."""
    own = int(state.tiles[player, PHARAOH])
    most = own
    fewest = own
    for other in range(state.num_players):
        held = int(state.tiles[other, PHARAOH])
        most = max(most, held)
        fewest = min(fewest, held)
    if most == fewest and state.options[EQUAL_PHARAOHS_SCORE] == 0:
        return 0
    return MOST_PHARAOHS * int(own == most) + FEWEST_PHARAOHS * int(own == fewest)


@inlined
def nile_fame(state: Record, player: int) -> int:
    """With at least one Flood, 1 fame for each Flood and Nile."""
    floods = int(state.tiles[player, FLOOD])
    return (floods + int(state.tiles[player, NILE])) * int(floods > 0)


@inlined
def civilization_kinds(state: Record, player: int) -> int:
    """How many different civilization tiles the player holds."""
    kinds = 0
    for tile in range(FIRST_CIVILIZATION, END_CIVILIZATION):
        kinds += int(state.tiles[player, tile] > 0)
    return kinds


@inlined
def civilization_fame(state: Record, player: int) -> int:
    """-5 without civilization tiles, 5 / 10 / 15 for 3 / 4 / 5 kinds."""
    return int(CIVILIZATION_FAME[civilization_kinds(state, player)])


@inlined
def monument_fame(state: Record, player: int) -> int:
    """For different monuments, and for three, four or five identical ones; only after epoch 3."""
    kinds = 0
    fame = 0
    for tile in range(FIRST_MONUMENT, END_MONUMENT):
        held = int(state.tiles[player, tile])
        kinds += int(held > 0)
        fame += int(MONUMENT_SET_FAME[held])
    return fame + int(MONUMENT_KINDS_FAME[kinds])


@inlined
def sun_sum(state: Record, player: int) -> int:
    """The sum of the player's suns, face up and face down."""
    suns = int(state.suns_up[player]) | int(state.suns_down[player])
    return int(SUN_SUMS[0, suns & HALF_SUNS]) + int(SUN_SUMS[1, suns >> HALF])


@inlined
def sun_fame(state: Record, player: int) -> int:
    """+5 for the highest sum of suns, -5 for the lowest, all tied alike; only after epoch 3."""
    own = sun_sum(state, player)
    highest = own
    least = own
    for other in range(state.num_players):
        total = sun_sum(state, other)
        highest = max(highest, total)
        least = min(least, total)
    if highest == least:
        return 0
    return HIGHEST_SUN_SUM * int(own == highest) + LOWEST_SUN_SUM * int(own == least)


@inlined
def epoch_fame(state: Record, player: int) -> int:
    """What every epoch scores for a player."""
    return (
        god_fame(state, player)
        + pharaoh_fame(state, player)
        + nile_fame(state, player)
        + civilization_fame(state, player)
        + gold_fame(state, player)
    )


@inlined
def final_fame(state: Record, player: int) -> int:
    """What is scored only after epoch 3."""
    return monument_fame(state, player) + sun_fame(state, player)


def is_ahead(state: Record, player: int, other: int) -> bool:
    """Whether a player ranks before another: more fame, or the same and the highest single sun."""
    if state.fame[player] != state.fame[other]:
        return state.fame[player] > state.fame[other]
    own = int(state.suns_up[player]) | int(state.suns_down[player])
    return own > (int(state.suns_up[other]) | int(state.suns_down[other]))


jit_module(cache=True, nogil=True, forceinline=False)
