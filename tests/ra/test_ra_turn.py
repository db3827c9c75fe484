"""A turn of Ra: draw a tile, play God tiles or invoke Ra. Rulebook: "Game Play"."""

import pytest
from ra_table import (
    CIVILIZATIONS,
    DISASTERS,
    FULL_LOT,
    MONUMENTS,
    PLAYERS,
    asked,
    bag,
    down,
    fame,
    held,
    legal,
    lot,
    one_ra_short,
    out_of_game,
    play,
    table,
    up,
)

from ra_env.state import AUCTION, TURN

ALL_BUT_RA = ("god", "gold", "pharaoh", "nile", "flood", *CIVILIZATIONS, *MONUMENTS, *DISASTERS)
SEATS = [(players, seat) for players in PLAYERS for seat in range(players)]


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_a_turn_is_to_draw_or_to_invoke_ra_when_there_is_no_god_to_play(players: int, seat: int) -> None:
    state = table(players, turn=seat, lot={"nile": 3})
    assert asked(state) == seat
    assert legal(state) == {"draw", "invoke"}


@pytest.mark.parametrize("tile", ALL_BUT_RA)
def test_a_drawn_tile_that_is_not_ra_goes_to_the_auction_track(tile: str) -> None:
    state = table(3, lot={"nile": 1})
    left = bag(state)[tile]
    play(state, "draw", tile=tile)
    assert lot(state) == ({"nile": 2} if tile == "nile" else {"nile": 1, tile: 1})
    assert bag(state).get(tile, 0) == left - 1
    assert state.ra_tiles == 0
    assert all(held(state, seat) == {} for seat in range(3))


@pytest.mark.parametrize("tile", ALL_BUT_RA)
def test_drawing_a_tile_that_is_not_ra_ends_the_turn(tile: str) -> None:
    state = table(3, turn=1)
    play(state, "draw", tile=tile)
    assert (asked(state), state.phase) == (2, TURN)


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_a_drawn_ra_tile_goes_to_the_ra_track_and_starts_an_auction(players: int, seat: int) -> None:
    state = table(players, turn=seat, lot={"nile": 2})
    play(state, "draw", tile="ra")
    assert (state.ra_tiles, lot(state), bag(state)["ra"]) == (1, {"nile": 2}, 29)
    assert (state.phase, state.turn_player) == (AUCTION, seat)
    assert asked(state) == (seat + 1) % players


@pytest.mark.parametrize("players", PLAYERS)
def test_the_ra_tile_that_fills_the_ra_track_ends_the_epoch_at_once(players: int) -> None:
    state = table(players, ra_tiles=one_ra_short(players), lot={"nile": 2})
    play(state, "draw", tile="ra")
    assert (state.epoch, state.phase) == (1, TURN)


@pytest.mark.parametrize("players", PLAYERS)
def test_every_ra_tile_before_that_starts_an_auction(players: int) -> None:
    for ra_tiles in range(one_ra_short(players)):
        state = table(players, ra_tiles=ra_tiles)
        play(state, "draw", tile="ra")
        assert (state.epoch, state.phase, state.ra_tiles) == (0, AUCTION, ra_tiles + 1)


@pytest.mark.parametrize("players", PLAYERS)
def test_drawing_is_not_allowed_on_a_full_auction_track(players: int) -> None:
    state = table(players, lot=FULL_LOT, held=[{"art": 3}])
    assert legal(state) == {"invoke"}


@pytest.mark.parametrize("players", PLAYERS)
def test_the_auction_track_has_8_spaces(players: int) -> None:
    state = table(players)
    for number in range(1, 9):
        assert "draw" in legal(state)
        play(state, "draw", tile="nile")
        assert lot(state) == {"nile": number}
    assert legal(state) == {"invoke"}


def test_a_full_track_that_leaves_only_invoking_is_still_the_players_move() -> None:
    """Ruling `no-empty-question`: nothing but what it names is automatic."""
    state = table(4, lot={"nile": 7}, turn=3)
    play(state, "draw", tile="nile")
    assert (asked(state), state.phase, legal(state)) == (0, TURN, {"invoke"})


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_ra_may_be_invoked_on_an_empty_track(players: int, seat: int) -> None:
    state = table(players, turn=seat)
    play(state, "invoke")
    assert (state.phase, asked(state), state.ra_tiles) == (AUCTION, (seat + 1) % players, 0)


def test_the_winner_of_an_empty_lot_gets_only_the_center_sun() -> None:
    state = table(3)
    play(state, "invoke", "pass", "pass", "bid 13")
    assert held(state, 0) == {}
    assert (up(state, 0), down(state, 0), state.center_sun) == ({8, 5, 2}, {1}, 13)


@pytest.mark.parametrize("players", PLAYERS)
def test_turns_go_clockwise(players: int) -> None:
    """28: at every number of players."""
    state = table(players, turn=1)
    seats = []
    for _ in range(7):
        seats.append(asked(state))
        play(state, "draw", tile="nile")
    assert seats == [(1 + turn) % players for turn in range(7)]


@pytest.mark.parametrize("players", PLAYERS)
def test_players_without_face_up_suns_are_skipped(players: int) -> None:
    """Every set of players with suns, every player with suns to begin."""
    for with_suns in range(1, 2**players):
        live = [seat for seat in range(players) if with_suns >> seat & 1]
        suns = [[9 - seat] if seat in live else [] for seat in range(players)]
        for turn in live:
            state = table(players, suns_up=suns, turn=turn)
            play(state, "draw", tile="nile")
            assert asked(state) == following(live, turn, players)
            play(state, "draw", tile="nile")
            assert asked(state) == following(live, following(live, turn, players), players)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_last_player_with_suns_takes_turn_after_turn(players: int) -> None:
    suns = [[9, 6], *[[]] * (players - 1)]
    state = table(players, suns_up=suns)
    for tile in ("nile", "god", "funeral"):
        play(state, "draw", tile=tile)
        assert (asked(state), state.phase) == (0, TURN)


def test_a_drawn_disaster_does_nothing_before_it_is_taken() -> None:
    state = table(2, held=[{"pharaoh": 3}, {"pharaoh": 3}])
    play(state, "draw", tile="funeral")
    assert held(state, 0) == held(state, 1) == {"pharaoh": 3}
    assert lot(state) == {"funeral": 1}
    assert out_of_game(state) == {}


def test_no_fame_changes_hands_before_the_end_of_an_epoch() -> None:
    state = table(2, held=[{"god": 2, "gold": 1}, {"flood": 2}], lot={"gold": 1, "pharaoh": 2})
    play(state, "god gold", "god pharaoh", "invoke", "bid 2", "pass")
    assert fame(state) == [10, 10]


def following(live: list[int], seat: int, players: int) -> int:
    """The next seat clockwise that has suns."""
    return next(other % players for other in range(seat + 1, seat + 1 + players) if other % players in live)
