"""What is in the box of Ra: tiles, suns, tracks and the points on the score tables.

Rulebook: "Game Components", "Setup" and the tables of "Scoring".
"""

import numpy as np

MAX_PLAYERS = 5
EPOCHS = 3

# Tile kinds. Those below FUNERAL can stand in a player's area, all but RA in the lot.
RA = 0
GOD = 1
GOLD = 2
PHARAOH = 3
NILE = 4
FLOOD = 5
ART, AGRICULTURE, RELIGION, ASTRONOMY, WRITING = range(6, 11)
FORTRESS, OBELISK, PALACE, PYRAMID, TEMPLE, STATUE, STEP_PYRAMID, SPHINX = range(11, 19)
FUNERAL, DROUGHT, UNREST, EARTHQUAKE = range(19, 23)

TILE_NAMES = (
    *("ra", "god", "gold", "pharaoh", "nile", "flood"),
    *("art", "agriculture", "religion", "astronomy", "writing"),
    *("fortress", "obelisk", "palace", "pyramid", "temple", "statue", "step_pyramid", "sphinx"),
    *("funeral", "drought", "unrest", "earthquake"),
)
NUM_TILES = len(TILE_NAMES)  # kinds
FIRST_CIVILIZATION, NUM_CIVILIZATIONS = ART, 5
FIRST_MONUMENT, NUM_MONUMENTS = FORTRESS, 8
END_CIVILIZATION = FIRST_CIVILIZATION + NUM_CIVILIZATIONS
END_MONUMENT = FIRST_MONUMENT + NUM_MONUMENTS
FIRST_DISASTER = FUNERAL
NUM_HELD = FIRST_DISASTER  # kinds 0 (always none) to 18 can be held

TILE_COUNTS = np.array(
    [30, 8, 5, 25, 25, 12, *[5] * NUM_CIVILIZATIONS, *[5] * NUM_MONUMENTS, 2, 2, 4, 2], dtype=np.int8
)
TOTAL_TILES = 180

CENTER_SUN = 1
MAX_SUN = 16
# Sets of suns that are dealt at random, [number of players][set].
SUN_SETS = {
    2: ((9, 6, 5, 2), (8, 7, 4, 3)),
    3: ((13, 8, 5, 2), (12, 9, 6, 3), (11, 10, 7, 4)),
    4: ((13, 6, 2), (12, 7, 3), (11, 8, 4), (10, 9, 5)),
    5: ((16, 7, 2), (15, 8, 3), (14, 9, 4), (13, 10, 5), (12, 11, 6)),
}
# The same as sets of bits (bit s is the sun s), [number of players, set].
SUN_BITS = np.array(
    [
        [
            sum(1 << sun for sun in SUN_SETS[players][index])
            if players in SUN_SETS and index < players
            else 0
            for index in range(MAX_PLAYERS)
        ]
        for players in range(MAX_PLAYERS + 1)
    ],
    dtype=np.int32,
)
# The sum of a set of low suns (bits 0 to 7) and of a set of high ones (bits 8 to 16), [half, set].
HALF = 8
HALF_SUNS = (1 << HALF) - 1
SUN_SUMS = np.array(
    [
        [sum(first + sun for sun in range(HALF + 1) if suns >> sun & 1) for suns in range(1 << (HALF + 1))]
        for first in (0, HALF)
    ],
    dtype=np.int16,
)
RA_SPACES = np.array([0, 0, 6, 8, 9, 10], dtype=np.int8)  # [number of players]
AUCTION_SPACES = 8

STARTING_FAME = 10
FAME_PER_GOD = 2
FAME_PER_GOLD = 3
MOST_PHARAOHS = 5
FEWEST_PHARAOHS = -2
CIVILIZATION_FAME = np.array([-5, 0, 0, 5, 10, 15], dtype=np.int16)  # [different kinds]
MONUMENT_KINDS_FAME = np.array([0, 1, 2, 3, 4, 5, 6, 10, 15], dtype=np.int16)  # [different kinds]
MONUMENT_SET_FAME = np.array([0, 0, 0, 5, 10, 15], dtype=np.int16)  # [identical monuments]
HIGHEST_SUN_SUM = 5
LOWEST_SUN_SUM = -5
TILES_LOST_PER_DISASTER = 2

MAX_MOVES = 1000  # without `forced_bid` a game may go on for ever
