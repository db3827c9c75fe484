"""What is in the box of Amun-Re: the board as `board.toml` tells it, cards, tracks and points.

Rulebook: "Components", "Setup" and the tables of "Scoring". The board is read once, here; nothing
elsewhere depends on its particular numbers.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_PLAYERS = 5
MIN_PLAYERS = 3
AGES = 2  # Old Kingdom, New Kingdom
ROUNDS = 3  # in each age

# Kinds of favor cards.
ARCHITECT, BRIBERY, PROTECTION, FREE_FARMER, OFFERING_ADJUSTMENT, TREASURY, BIG_HARVEST = range(7)
SAME_BANK, SAME_HALF, RIVERSIDE, SCRIBES, HARVESTERS = range(7, 12)
FAVOR_NAMES = (
    *("architect", "bribery", "protection", "free_farmer", "offering_adjustment", "treasury", "big_harvest"),
    *("same_bank", "same_half", "riverside", "scribes", "harvesters"),
)
NUM_FAVORS = len(FAVOR_NAMES)  # kinds
FIRST_YELLOW, NUM_YELLOW = SAME_BANK, 5

WEST, EAST = range(2)
BANKS = ("west", "east")
HALVES = ("upper", "lower")

MAX_PURCHASE = 4  # favor cards in one market turn
MAX_OFFER = 99
FIRST_REWARDS, SECOND_REWARDS, OTHER_REWARDS = 3, 2, 1
STONES_PER_PYRAMID = 3
STONES_FOR_ARCHITECT = 2
GOLD_PER_FAVOR = 1  # when sold
BIG_HARVEST_GOLD = 1  # more for each farmer

PYRAMID_POINTS = 1
SET_POINTS = 3
BANK_POINTS = 5
YELLOW_POINTS = 3
GOLD_POINTS = np.array([6, 4, 2, *[0] * MAX_PLAYERS], dtype=np.int64)  # [players with more gold]
SCRIBES_NEEDED = 7
HARVESTERS_NEEDED = 9

MAX_MOVES = 2000  # never met: gold, fields, cards and bid spaces bound every phase far below

# What a province may say: field -> (lowest, highest).
PROVINCE_NUMBERS = {
    "fields": (0, 20),
    "favors": (0, MAX_PURCHASE),
    "temples": (0, 9),
    "mine": (0, 99),
    "caravan": (0, 99),
    "bonus_stones": (0, 9),
    "bonus_favors": (0, 9),
    "bonus_gold": (0, 99),
    "bonus_farmers": (0, 9),
}
PROVINCE_FIELDS = ("side", "half", "nile", *PROVINCE_NUMBERS)
NUMBERS = {"start_gold": (0, 999), "theft": (0, 99), "offering_adjustment": (0, 99), "treasury": (0, 99)}
MOST_PROVINCES = 30
MOST_SPACES = 20
MOST_FAVOR_CARDS = 100
MOST_OFFERING = 999


class BoardError(ValueError):
    """The board's file holds something that is no board; the message names file, field and valid values."""


def read_board(path: Path) -> dict[str, Any]:
    """Return the tables of a board file, checked.

    Raises:
        BoardError: a field is missing, unknown or out of range.
    """
    try:
        board = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BoardError(f"{path}: not TOML: {error}") from None
    check_keys(path, "the file", board, ("bid_spaces", *NUMBERS, "offering_tile", "favor_cards", "provinces"))
    for name, (low, high) in NUMBERS.items():
        check_number(path, name, board[name], low, high)
    check_bid_spaces(path, board["bid_spaces"])
    check_offering_tiles(path, board["offering_tile"])
    check_favor_cards(path, board["favor_cards"])
    check_provinces(path, board["provinces"])
    return board


def check_keys(path: Path, place: str, table: object, names: tuple[str, ...]) -> None:
    """Raise BoardError unless a table has exactly these fields."""
    if not isinstance(table, Mapping):
        raise BoardError(f"{path}: {place} is {table!r}; valid: a table of {', '.join(names)}")
    for name in names:
        if name not in table:
            raise BoardError(f"{path}: {place} lacks {name}; it needs: {', '.join(names)}")
    for name in table:
        if name not in names:
            raise BoardError(f"{path}: {place} has an unknown field {name}; valid: {', '.join(names)}")


def check_number(path: Path, place: str, value: object, low: int, high: int) -> None:
    """Raise BoardError unless a value is a whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BoardError(f"{path}: {place} is {value!r}; valid: whole numbers from {low} to {high}")


def check_choice(path: Path, place: str, value: object, choices: tuple[str | bool, ...]) -> None:
    """Raise BoardError unless a value is one of the choices, of the same type."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        valid = ", ".join(str(choice).lower() for choice in choices)
        raise BoardError(f"{path}: {place} is {value!r}; valid: {valid}")


def check_list(path: Path, place: str, value: object, fewest: int, most: int) -> list[Any]:
    """Return a value if it is a list of a fitting length, or raise BoardError."""
    if not isinstance(value, list) or not fewest <= len(value) <= most:
        raise BoardError(f"{path}: {place} is {value!r}; valid: a list of {fewest} to {most} entries")
    return value


def check_bid_spaces(path: Path, spaces: object) -> None:
    """Bid spaces begin with 0, so that everybody can bid, and rise."""
    previous = -1
    for index, gold in enumerate(check_list(path, "bid_spaces", spaces, 2, MOST_SPACES)):
        check_number(path, f"bid_spaces[{index}]", gold, previous + 1, 0 if index == 0 else MOST_OFFERING)
        previous = gold


def check_offering_tiles(path: Path, tiles: object) -> None:
    """Offering tiles are listed from the lowest total; the last has no upper limit."""
    previous = -1
    listed = check_list(path, "offering_tile", tiles, 1, 9)
    for index, tile in enumerate(listed):
        place = f"offering_tile[{index}]"
        limit = ("up_to",) if index < len(listed) - 1 else ()
        check_keys(path, place, tile, (*limit, "farmer", "temple", "camel"))
        if limit:
            check_number(path, f"{place}.up_to", tile["up_to"], previous + 1, MOST_OFFERING)
            previous = tile["up_to"]
        check_number(path, f"{place}.farmer", tile["farmer"], 0, 9)
        check_number(path, f"{place}.temple", tile["temple"], 0, 9)
        check_choice(path, f"{place}.camel", tile["camel"], (True, False))


def check_favor_cards(path: Path, cards: object) -> None:
    """Every kind has a number of cards; there is an Architect for each player."""
    check_keys(path, "favor_cards", cards, FAVOR_NAMES)
    assert isinstance(cards, Mapping)
    for name in FAVOR_NAMES:
        fewest = MAX_PLAYERS if name == FAVOR_NAMES[ARCHITECT] else 0
        check_number(path, f"favor_cards.{name}", cards[name], fewest, MOST_FAVOR_CARDS)
    check_number(path, "the sum of favor_cards", sum(cards.values()), MAX_PLAYERS, MOST_FAVOR_CARDS)


def check_provinces(path: Path, provinces: object) -> None:
    """Three provinces for each player at least, each with all its fields and what is known of them."""
    if not isinstance(provinces, Mapping) or not MAX_PLAYERS * ROUNDS <= len(provinces) <= MOST_PROVINCES:
        raise BoardError(f"{path}: provinces; valid: {MAX_PLAYERS * ROUNDS} to {MOST_PROVINCES} of them")
    for name, province in provinces.items():
        place = f"provinces.{name}"
        if not re.fullmatch("[a-z][a-z_]*", name):
            raise BoardError(f"{path}: {place}: no name for a province; valid: small letters and _")
        check_keys(path, place, province, (*PROVINCE_FIELDS, "known"))
        check_choice(path, f"{place}.side", province["side"], BANKS)
        check_choice(path, f"{place}.half", province["half"], HALVES)
        check_choice(path, f"{place}.nile", province["nile"], (True, False))
        for field, (low, high) in PROVINCE_NUMBERS.items():
            check_number(path, f"{place}.{field}", province[field], low, high)
        for known in check_list(path, f"{place}.known", province["known"], 0, len(PROVINCE_FIELDS)):
            check_choice(path, f"{place}.known", known, PROVINCE_FIELDS)


BOARD = read_board(Path(__file__).with_name("board.toml"))
PROVINCES = BOARD["provinces"]
OFFERING_TILES = BOARD["offering_tile"]


def column(field: str) -> npt.NDArray[np.int64]:
    """Return one number of every province, int64[provinces]."""
    return np.array([int(province[field]) for province in PROVINCES.values()], dtype=np.int64)


PROVINCE_NAMES = tuple(PROVINCES)
NUM_PROVINCES = len(PROVINCE_NAMES)
ALL_PROVINCES = (1 << NUM_PROVINCES) - 1  # as a set of bits
BANK = np.array([BANKS.index(province["side"]) for province in PROVINCES.values()], dtype=np.int64)
HALF = np.array([HALVES.index(province["half"]) for province in PROVINCES.values()], dtype=np.int64)
NILE = column("nile")
FIELDS = column("fields")
FAVOR_SYMBOLS = column("favors")
TEMPLES = column("temples")
MINE = column("mine")
CARAVAN = column("caravan")
BONUS_STONES = column("bonus_stones")
BONUS_FAVORS = column("bonus_favors")
BONUS_GOLD = column("bonus_gold")
BONUS_FARMERS = column("bonus_farmers")

BID_SPACES = np.array(BOARD["bid_spaces"], dtype=np.int64)
NUM_SPACES = len(BID_SPACES)
START_GOLD: int = BOARD["start_gold"]
THEFT_GOLD: int = BOARD["theft"]
ADJUSTMENT_GOLD: int = BOARD["offering_adjustment"]
TREASURY_GOLD: int = BOARD["treasury"]

NUM_TILES = len(OFFERING_TILES)
TILE_UP_TO = np.array([tile["up_to"] for tile in OFFERING_TILES[:-1]], dtype=np.int64)
TILE_FARMER = np.array([tile["farmer"] for tile in OFFERING_TILES], dtype=np.int64)
TILE_TEMPLE = np.array([tile["temple"] for tile in OFFERING_TILES], dtype=np.int64)
TILE_CAMEL = np.array([int(tile["camel"]) for tile in OFFERING_TILES], dtype=np.int64)

FAVOR_COUNTS = np.array([BOARD["favor_cards"][name] for name in FAVOR_NAMES], dtype=np.int8)
TOTAL_FAVORS = int(FAVOR_COUNTS.sum())
# The most favor cards drawn in one move: a purchase, or the bonuses at the end of an auction.
MOST_DRAWN = max(MAX_PURCHASE, int(np.sort(BONUS_FAVORS)[-MAX_PLAYERS:].sum()))
