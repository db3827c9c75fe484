"""A table of Ra for the tests: set up a position, play moves by their notation, read the table.

Tiles and moves are named as in game records; a lot or a hand is a mapping of tile to number. What a
test does not mention is where it is at the start of a game: tiles in the bag, suns dealt face up.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ra_env import GAME
from ra_env.actions import ACTION_NAMES
from ra_env.components import RA_SPACES, SUN_SETS, TILE_COUNTS, TILE_NAMES
from ra_env.state import faults
from tabletop import verbs
from tabletop.chance import Chance

State = Any
Tiles = Mapping[str, int]

PLAYERS = (2, 3, 4, 5)
MONUMENTS = ("fortress", "obelisk", "palace", "pyramid", "temple", "statue", "step_pyramid", "sphinx")
CIVILIZATIONS = ("art", "agriculture", "religion", "astronomy", "writing")
DISASTERS = ("funeral", "drought", "unrest", "earthquake")
FULL_LOT = {"nile": 4, "pharaoh": 3, "gold": 1}
CAUSES = ("draw", "invoke", "invoke on a full track")  # of an auction


def table(
    num_players: int,
    *,
    rules: str = "rulebook",
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    turn: int = 0,
    epoch: int = 0,
    ra_tiles: int = 0,
    lot: Tiles | None = None,
    held: Sequence[Tiles] = (),
    bag: Tiles | None = None,
    suns_up: Sequence[Sequence[int]] | None = None,
    suns_down: Sequence[Sequence[int]] = (),
    center_sun: int = 1,
    fame: Sequence[int] = (),
) -> State:
    """Return a record at the start of the turn of seat `turn`, with all 180 tiles and all suns.

    `held` begins with seat 0; seats left out hold nothing. Of `bag` a given mapping is all that is
    left in it, the other tiles are out of the game. Where `suns_up` is given, each seat gets as many
    face-down suns as it lacks: those of `suns_down`, then any that nobody else has.
    """
    state = GAME.new_states(1)[0]
    encoded = GAME.encode_options(GAME.resolve_options(rules, **dict(options or {})))
    verbs.new_game(state, num_players, encoded, np.uint64(seed))
    state.turn_player = state.current = turn
    state.epoch = epoch
    place_suns(state, suns_up, suns_down, center_sun)
    state.fame[: len(fame)] = fame
    state.ra_tiles = ra_tiles
    state.bag[0] -= ra_tiles
    for name, number in (lot or {}).items():
        move_from_bag(state, state.lot, name, number)
    state.lot_size = state.lot.sum()
    for seat, tiles in enumerate(held):
        for name, number in tiles.items():
            move_from_bag(state, state.tiles[seat], name, number)
    if bag is not None:
        for name in TILE_NAMES:
            tile = TILE_NAMES.index(name)
            move_from_bag(state, state.discarded, name, int(state.bag[tile]) - bag.get(name, 0))
    state.bag_total = state.bag.sum()
    assert faults(state) == []
    return state


def move_from_bag(state: State, place: Any, name: str, number: int) -> None:
    """Put a number of tiles of a kind somewhere else; the bag must have them."""
    tile = TILE_NAMES.index(name)
    place[tile] += number
    state.bag[tile] -= number
    assert state.bag[tile] >= 0, f"there are only {TILE_COUNTS[tile]} {name} tiles"


def place_suns(
    state: State, suns_up: Sequence[Sequence[int]] | None, suns_down: Sequence[Sequence[int]], center_sun: int
) -> None:
    """Hand out the suns as `table` says."""
    num_players = int(state.num_players)
    sets = SUN_SETS[num_players]
    faces_up = sets if suns_up is None else suns_up
    faces_down = [list(suns) for suns in suns_down] or [[] for _ in range(num_players)]
    placed = {center_sun, *(sun for suns in (*faces_up, *faces_down) for sun in suns)}
    free = sorted({1, *(sun for suns in sets for sun in suns)} - placed)
    for seat in range(num_players):
        while len(faces_up[seat]) + len(faces_down[seat]) < len(sets[0]):
            faces_down[seat].append(free.pop(0))
        state.suns_up[seat] = sum(1 << sun for sun in faces_up[seat])
        state.suns_down[seat] = sum(1 << sun for sun in faces_down[seat])
    state.center_sun = center_sun


def one_ra_short(num_players: int) -> int:
    """Return the number of Ra tiles after which the next one fills the Ra track."""
    return int(RA_SPACES[num_players]) - 1


def legal(state: State) -> set[str]:
    """Return the notation of every move that the player to move has."""
    bits = np.zeros(GAME.num_words, np.uint64)
    verbs.legal_actions(state, bits)
    words = sum(int(word) << 64 * place for place, word in enumerate(bits))
    return {name for action, name in enumerate(ACTION_NAMES) if words >> action & 1}


def play(state: State, *moves: str, tile: str | None = None) -> None:
    """Play legal moves one after the other; `tile` is what a draw brings to light."""
    chance = Chance([] if tile is None else [tile])
    for move in moves:
        assert move in legal(state), f"{move} is not legal, but {sorted(legal(state))}:\n{board(state)}"
        GAME.apply_with_chance(state, GAME.string_to_action(move), chance)
        assert faults(state) == [], f"after {move}:\n{board(state)}"
    assert chance.left() == 0, f"no tile was drawn by {moves}"


def start_auction(state: State, cause: str) -> None:
    """Start an auction for one of `CAUSES`."""
    if cause == "draw":
        play(state, "draw", tile="ra")
    else:
        play(state, "invoke")


def win_lot(state: State, sun: int) -> None:
    """The player whose turn it is invokes Ra and wins with a sun, everybody else passing."""
    player = int(state.turn_player)
    play(state, "invoke")
    while int(state.current) != player:
        play(state, "pass")
    play(state, f"bid {sun}")


def fill_ra_track(state: State) -> None:
    """Draw the Ra tile that ends the epoch at once."""
    assert state.ra_tiles == state.ra_spaces - 1
    play(state, "draw", tile="ra")
    assert state.ra_tiles == 0


def gains(
    num_players: int,
    hands: Sequence[Tiles],
    *,
    epoch: int = 0,
    options: Mapping[str, object] | None = None,
    suns_up: Sequence[Sequence[int]] | None = None,
    suns_down: Sequence[Sequence[int]] = (),
    center_sun: int = 1,
) -> list[int]:
    """Return the fame that each seat wins or loses at the end of an epoch, from 100 each."""
    state = table(
        num_players,
        options=options,
        epoch=epoch,
        held=hands,
        suns_up=suns_up,
        suns_down=suns_down,
        center_sun=center_sun,
        fame=[100] * num_players,
        ra_tiles=one_ra_short(num_players),
    )
    fill_ra_track(state)
    return [points - 100 for points in fame(state)]


def copy_of(state: State) -> State:
    """Return the same position once more."""
    states = GAME.new_states(1)
    states[0] = state
    return states[0]


def asked(state: State) -> int:
    """Return the seat that moves."""
    return int(verbs.current_player(state))


def up(state: State, seat: int) -> set[int]:
    """Return the suns a seat holds face up."""
    return suns_in(int(state.suns_up[seat]))


def down(state: State, seat: int) -> set[int]:
    """Return the suns a seat holds face down."""
    return suns_in(int(state.suns_down[seat]))


def suns_in(bits: int) -> set[int]:
    """Return the suns of a set of bits."""
    return {sun for sun in range(1, 17) if bits >> sun & 1}


def held(state: State, seat: int) -> dict[str, int]:
    """Return the tiles in the play area of a seat."""
    return counted(state.tiles[seat])


def lot(state: State) -> dict[str, int]:
    """Return the tiles on the auction track."""
    return counted(state.lot)


def bag(state: State) -> dict[str, int]:
    """Return the tiles in the bag."""
    return counted(state.bag)


def out_of_game(state: State) -> dict[str, int]:
    """Return the tiles that were returned to the box."""
    return counted(state.discarded)


def fame(state: State) -> list[int]:
    """Return the fame of every seat."""
    points = np.zeros(5, np.int64)
    verbs.scores(state, points)
    return [int(point) for point in points[: state.num_players]]


def returns(state: State) -> list[float]:
    """Return the result of every seat."""
    results = np.zeros(5, np.float64)
    verbs.returns(state, results)
    return [float(result) for result in results[: state.num_players]]


def board(state: State) -> str:
    """Return the text board, for messages."""
    return GAME.state_to_string(state)


def counted(places: Any) -> dict[str, int]:
    """Return the kinds of tiles that are there, with their number."""
    return {TILE_NAMES[tile]: number for tile, number in enumerate(places.tolist()) if number != 0}
