"""God tiles. Rulebook: "Play God tile"."""

import pytest
from ra_table import (
    CIVILIZATIONS,
    FULL_LOT,
    MONUMENTS,
    PLAYERS,
    asked,
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

from ra_env.state import DISCARD, GODS, TURN

KEPT = ("gold", "pharaoh", "nile", "flood", *CIVILIZATIONS, *MONUMENTS)
SEATS = [(players, seat) for players in PLAYERS for seat in range(players)]


@pytest.mark.parametrize("tile", KEPT)
def test_a_god_takes_one_tile_of_the_lot_and_leaves_the_game(tile: str) -> None:
    state = table(3, turn=1, held=[{}, {"god": 1}], lot={tile: 2, "god": 1})
    play(state, f"god {tile}")
    assert held(state, 1) == {tile: 1}
    assert lot(state) == {tile: 1, "god": 1}
    assert out_of_game(state) == {"god": 1}


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_playing_the_only_god_ends_the_turn(players: int, seat: int) -> None:
    state = table(players, turn=seat, held=[{"god": 1}] * players, lot={"nile": 3})
    play(state, "god nile")
    assert (asked(state), state.phase) == ((seat + 1) % players, TURN)


@pytest.mark.parametrize("players", PLAYERS)
def test_after_a_god_turn_players_without_suns_are_skipped(players: int) -> None:
    suns = [[9], *[[]] * (players - 2), [8]]
    state = table(players, suns_up=suns, held=[{"god": 1}], lot={"nile": 3})
    play(state, "god nile")
    assert asked(state) == players - 1


def test_each_kind_of_the_lot_but_god_is_a_target() -> None:
    tiles = {"god": 2, "gold": 1, "nile": 2, "art": 1, "funeral": 1, "unrest": 1}
    state = table(3, held=[{"god": 1}], lot=tiles)
    gods = {"god gold", "god nile", "god art", "god funeral", "god unrest"}
    assert legal(state) == gods | {"invoke"}


def test_a_god_does_not_take_a_god_nor_a_ra_tile() -> None:
    state = table(3, held=[{"god": 2}], lot={"god": 3}, ra_tiles=4)
    assert legal(state) == {"draw", "invoke"}


def test_a_god_cannot_be_played_on_an_empty_track() -> None:
    assert legal(table(3, held=[{"god": 2}])) == {"draw", "invoke"}


def test_only_the_gods_of_the_player_whose_turn_it_is_can_be_played() -> None:
    assert legal(table(3, held=[{}, {"god": 2}], lot={"nile": 1})) == {"draw", "invoke"}


@pytest.mark.parametrize("players", PLAYERS)
def test_a_god_may_be_played_on_a_full_track(players: int) -> None:
    state = table(players, held=[{"god": 1}], lot=FULL_LOT)
    assert legal(state) == {"invoke", "god nile", "god pharaoh", "god gold"}
    play(state, "god gold")
    assert (held(state, 0), lot(state)) == ({"gold": 1}, {"nile": 4, "pharaoh": 3})
    assert legal(state) == {"draw", "invoke"}


def test_gaps_that_gods_leave_are_refilled_by_later_draws() -> None:
    state = table(2, held=[{"god": 2}], lot=FULL_LOT)
    play(state, "god gold", "god nile")
    play(state, "draw", tile="art")
    play(state, "draw", tile="flood")
    assert lot(state) == {"nile": 3, "pharaoh": 3, "art": 1, "flood": 1}
    assert legal(state) == {"invoke"}


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_several_gods_may_be_played_in_one_turn(players: int, seat: int) -> None:
    hands = [{"god": 3} if other == seat else {} for other in range(players)]
    state = table(players, turn=seat, held=hands, lot={"nile": 2, "art": 1, "gold": 1, "god": 1})
    play(state, "god nile")
    assert (asked(state), state.phase) == (seat, GODS)
    assert legal(state) == {"end", "god nile", "god art", "god gold"}
    play(state, "god gold")
    assert (asked(state), legal(state)) == (seat, {"end", "god nile", "god art"})
    play(state, "god nile")
    assert held(state, seat) == {"nile": 2, "gold": 1}
    assert out_of_game(state) == {"god": 3}
    assert asked(state) == (seat + 1) % players


@pytest.mark.parametrize("players", PLAYERS)
def test_a_player_may_end_a_god_turn_and_keep_the_other_gods(players: int) -> None:
    state = table(players, held=[{"god": 3}], lot={"nile": 2})
    play(state, "god nile", "end")
    assert held(state, 0) == {"god": 2, "nile": 1}
    assert (asked(state), state.phase) == (1, TURN)


def test_ending_is_not_a_turn_in_itself() -> None:
    assert "end" not in legal(table(3, held=[{"god": 1}], lot={"nile": 1}))


def test_after_a_god_there_is_neither_drawing_nor_invoking() -> None:
    """Exactly one kind of action a turn."""
    state = table(3, held=[{"god": 2}], lot={"nile": 2})
    play(state, "god nile")
    assert legal(state) == {"end", "god nile"}


@pytest.mark.parametrize("tiles", [{"nile": 1}, {"nile": 1, "god": 2}])
def test_a_god_turn_ends_by_itself_when_no_target_is_left(tiles: dict[str, int]) -> None:
    """Ruling `no-empty-question`."""
    state = table(3, held=[{"god": 3}], lot=tiles)
    play(state, "god nile")
    assert (asked(state), state.phase) == (1, TURN)
    assert held(state, 0) == {"god": 2, "nile": 1}


def test_a_god_turn_ends_by_itself_when_no_god_is_left() -> None:
    """Ruling `no-empty-question`."""
    state = table(3, held=[{"god": 2}], lot={"nile": 5})
    play(state, "god nile", "god nile")
    assert (asked(state), state.phase) == (1, TURN)


def test_a_god_starts_no_auction_and_costs_no_sun() -> None:
    state = table(3, held=[{"god": 1}], lot={"nile": 5})
    play(state, "god nile")
    assert [up(state, seat) for seat in range(3)] == [{13, 8, 5, 2}, {12, 9, 6, 3}, {11, 10, 7, 4}]
    assert (state.center_sun, state.ra_tiles, state.phase) == (1, 0, TURN)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(
    ("disaster", "before", "after"),
    [
        ("funeral", {"pharaoh": 3, "nile": 1}, {"pharaoh": 1, "nile": 1}),
        ("drought", {"flood": 1, "nile": 3}, {"nile": 2}),
        ("unrest", {"art": 2}, {}),
        ("earthquake", {"sphinx": 3}, {"sphinx": 1}),
    ],
)
def test_a_disaster_taken_by_a_god_is_resolved_at_once(
    players: int, disaster: str, before: dict[str, int], after: dict[str, int]
) -> None:
    """Ruling `god-takes-disaster`: it costs the player two tiles and leaves the game."""
    state = table(players, held=[{"god": 1, **before}], lot={disaster: 1, "nile": 1})
    play(state, f"god {disaster}")
    assert held(state, 0) == after
    assert lot(state) == {"nile": 1}
    assert out_of_game(state)[disaster] == 1
    assert sum(out_of_game(state).values()) == 4
    assert (asked(state), state.phase) == (1, TURN)


def test_a_disaster_taken_by_a_god_hits_only_the_one_who_took_it() -> None:
    state = table(3, held=[{"god": 1, "pharaoh": 1}, {"pharaoh": 5}, {"pharaoh": 5}], lot={"funeral": 2})
    play(state, "god funeral")
    assert [held(state, seat) for seat in range(3)] == [{}, {"pharaoh": 5}, {"pharaoh": 5}]
    assert lot(state) == {"funeral": 1}


@pytest.mark.parametrize(
    ("disaster", "kinds"), [("unrest", CIVILIZATIONS[:3]), ("earthquake", MONUMENTS[:3])]
)
def test_discards_of_a_god_turn_are_asked_before_the_next_god(disaster: str, kinds: tuple[str, ...]) -> None:
    state = table(
        3, turn=2, held=[{}, {}, {"god": 2, **dict.fromkeys(kinds, 1)}], lot={disaster: 1, "nile": 1}
    )
    play(state, f"god {disaster}")
    assert (asked(state), state.phase) == (2, DISCARD)
    assert legal(state) == {f"discard {kind}" for kind in kinds}
    play(state, f"discard {kinds[0]}")
    assert legal(state) == {f"discard {kind}" for kind in kinds[1:]}
    play(state, f"discard {kinds[1]}")
    assert held(state, 2) == {"god": 1, kinds[2]: 1}
    assert (asked(state), legal(state)) == (2, {"end", "god nile"})


def test_after_the_discards_of_a_god_turn_it_ends_when_no_target_is_left() -> None:
    state = table(3, held=[{"god": 2, "art": 2, "writing": 1}], lot={"unrest": 1})
    play(state, "god unrest", "discard art", "discard writing")
    assert held(state, 0) == {"god": 1, "art": 1}
    assert (asked(state), state.phase) == (1, TURN)


def test_tiles_taken_by_gods_score_at_the_end_of_the_epoch() -> None:
    state = table(2, held=[{"god": 1, "art": 1}, {"art": 1}], lot={"gold": 1}, ra_tiles=one_ra_short(2))
    play(state, "god gold")
    play(state, "draw", tile="ra")
    assert fame(state) == [13, 10]
