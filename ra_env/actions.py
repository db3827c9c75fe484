"""The action space of Ra: 55 actions of fixed meaning for all player counts and options.

The notation is that of game records: `draw`, `invoke`, `end`, `pass`, `bid 13`, `god nile`,
`discard step_pyramid`.
"""

from ra_env.components import (
    FIRST_CIVILIZATION,
    FIRST_MONUMENT,
    GOD,
    MAX_SUN,
    NUM_CIVILIZATIONS,
    NUM_MONUMENTS,
    NUM_TILES,
    TILE_NAMES,
)

DRAW = 0
INVOKE = 1
END = 2  # of a God turn
PASS = 3
BID, NUM_BIDS = 4, MAX_SUN  # + sun - 1
TAKE, NUM_TAKES = BID + NUM_BIDS, NUM_TILES - GOD  # with a God tile: + tile - GOD
DISCARD_CIVILIZATION = TAKE + NUM_TAKES  # + tile - FIRST_CIVILIZATION
DISCARD_MONUMENT = DISCARD_CIVILIZATION + NUM_CIVILIZATIONS  # + tile - FIRST_MONUMENT
NUM_ACTIONS = DISCARD_MONUMENT + NUM_MONUMENTS

ACTION_BLOCKS = (
    ("draw", DRAW, 1),
    ("invoke", INVOKE, 1),
    ("end", END, 1),
    ("pass", PASS, 1),
    ("bid <sun>", BID, NUM_BIDS),
    ("god <tile>", TAKE, NUM_TAKES),
    ("discard <tile>", DISCARD_CIVILIZATION, NUM_CIVILIZATIONS + NUM_MONUMENTS),
)

ACTION_NAMES = (
    *("draw", "invoke", "end", "pass"),
    *(f"bid {sun}" for sun in range(1, MAX_SUN + 1)),
    *(f"god {TILE_NAMES[tile]}" for tile in range(GOD, NUM_TILES)),
    *(f"discard {TILE_NAMES[FIRST_CIVILIZATION + kind]}" for kind in range(NUM_CIVILIZATIONS)),
    *(f"discard {TILE_NAMES[FIRST_MONUMENT + kind]}" for kind in range(NUM_MONUMENTS)),
)
