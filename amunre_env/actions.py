"""The action space of Amun-Re: one fixed table for all player counts and options.

The notation is that of game records: `bid memphis 6`, `protect`, `done`, `sell treasury`, `buy 2`,
`farmer buto`, `offer 7`, `steal`, ... A bid names its gold, not its space.
"""

from amunre_env.components import (
    BID_SPACES,
    FAVOR_NAMES,
    FIRST_YELLOW,
    MAX_OFFER,
    MAX_PURCHASE,
    NUM_FAVORS,
    NUM_PROVINCES,
    NUM_SPACES,
    NUM_YELLOW,
    PROVINCE_NAMES,
)

BID, NUM_BIDS = 0, NUM_PROVINCES * NUM_SPACES  # + province * NUM_SPACES + space
PROTECT = BID + NUM_BIDS
DONE = PROTECT + 1
SELL = DONE + 1  # + kind
BUY = SELL + NUM_FAVORS  # + number - 1
PLACE_FARMER = BUY + MAX_PURCHASE  # + province, as in the five blocks that follow
PLACE_STONE = PLACE_FARMER + NUM_PROVINCES
PLAY_FREE_FARMER = PLACE_STONE + NUM_PROVINCES
PLAY_ARCHITECT = PLAY_FREE_FARMER + NUM_PROVINCES
PLAY_TREASURY = PLAY_ARCHITECT + NUM_PROVINCES
PLAY_BIG_HARVEST = PLAY_TREASURY + NUM_PROVINCES
OFFER = PLAY_BIG_HARVEST + NUM_PROVINCES  # + gold - 1
STEAL = OFFER + MAX_OFFER
ADJUST = STEAL + 1
RAISE = ADJUST + 1
LOWER = RAISE + 1
TAKE_FAVOR = LOWER + 1
SCORE = TAKE_FAVOR + 1  # + kind - FIRST_YELLOW
CHOOSE = SCORE + NUM_YELLOW  # + province
NUM_ACTIONS = CHOOSE + NUM_PROVINCES

ACTION_BLOCKS = (
    ("bid <province> <gold>", BID, NUM_BIDS),
    ("protect", PROTECT, 1),
    ("done", DONE, 1),
    ("sell <favor>", SELL, NUM_FAVORS),
    ("buy <n>", BUY, MAX_PURCHASE),
    ("farmer <province>", PLACE_FARMER, NUM_PROVINCES),
    ("stone <province>", PLACE_STONE, NUM_PROVINCES),
    ("free_farmer <province>", PLAY_FREE_FARMER, NUM_PROVINCES),
    ("architect <province>", PLAY_ARCHITECT, NUM_PROVINCES),
    ("treasury <province>", PLAY_TREASURY, NUM_PROVINCES),
    ("big_harvest <province>", PLAY_BIG_HARVEST, NUM_PROVINCES),
    ("offer <gold>", OFFER, MAX_OFFER),
    ("steal", STEAL, 1),
    ("adjust", ADJUST, 1),
    ("raise", RAISE, 1),
    ("lower", LOWER, 1),
    ("take_favor", TAKE_FAVOR, 1),
    ("score <favor>", SCORE, NUM_YELLOW),
    ("choose <province>", CHOOSE, NUM_PROVINCES),
)

ACTION_NAMES = (
    *(f"bid {province} {gold}" for province in PROVINCE_NAMES for gold in BID_SPACES),
    *("protect", "done"),
    *(f"sell {favor}" for favor in FAVOR_NAMES),
    *(f"buy {number}" for number in range(1, MAX_PURCHASE + 1)),
    *(
        f"{verb} {province}"
        for verb in ("farmer", "stone", "free_farmer", "architect", "treasury", "big_harvest")
        for province in PROVINCE_NAMES
    ),
    *(f"offer {gold}" for gold in range(1, MAX_OFFER + 1)),
    *("steal", "adjust", "raise", "lower", "take_favor"),
    *(f"score {favor}" for favor in FAVOR_NAMES[FIRST_YELLOW:]),
    *(f"choose {province}" for province in PROVINCE_NAMES),
)
