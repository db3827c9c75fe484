"""Disasters. Rulebook: "Disasters"."""

import pytest
from ra_table import (
    CAUSES,
    CIVILIZATIONS,
    FULL_LOT,
    MONUMENTS,
    PLAYERS,
    asked,
    down,
    held,
    legal,
    lot,
    one_ra_short,
    out_of_game,
    play,
    start_auction,
    table,
    up,
    win_lot,
)

from ra_env.state import DISCARD, TURN

Tiles = dict[str, int]


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(
    ("lot_won", "before", "after"),
    [
        ({"funeral": 1}, {"pharaoh": 5}, {"pharaoh": 3}),
        ({"funeral": 1}, {"pharaoh": 2}, {}),
        ({"funeral": 1}, {"pharaoh": 1}, {}),
        ({"funeral": 1}, {}, {}),
        ({"funeral": 2}, {"pharaoh": 5}, {"pharaoh": 1}),
        ({"funeral": 2}, {"pharaoh": 3}, {}),
        ({"drought": 1}, {"flood": 3, "nile": 3}, {"flood": 1, "nile": 3}),
        ({"drought": 1}, {"flood": 2, "nile": 3}, {"nile": 3}),
        ({"drought": 1}, {"flood": 1, "nile": 3}, {"nile": 2}),
        ({"drought": 1}, {"nile": 3}, {"nile": 1}),
        ({"drought": 1}, {"flood": 1}, {}),
        ({"drought": 1}, {"nile": 1}, {}),
        ({"drought": 1}, {}, {}),
        ({"drought": 2}, {"flood": 5, "nile": 3}, {"flood": 1, "nile": 3}),
        ({"drought": 2}, {"flood": 3, "nile": 3}, {"nile": 2}),
        ({"drought": 2}, {"flood": 1, "nile": 2}, {}),
        ({"unrest": 1}, {"art": 3}, {"art": 1}),
        ({"unrest": 1}, {"art": 1, "writing": 1}, {}),
        ({"unrest": 1}, {"art": 1}, {}),
        ({"unrest": 1}, {}, {}),
        ({"unrest": 2}, {"art": 5}, {"art": 1}),
        ({"unrest": 2}, {"art": 2, "writing": 1, "religion": 1}, {}),
        ({"unrest": 4}, dict.fromkeys(CIVILIZATIONS, 1), {}),
        ({"earthquake": 1}, {"sphinx": 5}, {"sphinx": 3}),
        ({"earthquake": 1}, {"sphinx": 1, "temple": 1}, {}),
        ({"earthquake": 1}, {"sphinx": 1}, {}),
        ({"earthquake": 1}, {}, {}),
        ({"earthquake": 2}, {"sphinx": 5}, {"sphinx": 1}),
        ({"earthquake": 2}, {"sphinx": 1, "temple": 2, "fortress": 1}, {}),
    ],
)
def test_two_tiles_of_its_category_are_lost_for_each_disaster_all_if_fewer(
    players: int, lot_won: Tiles, before: Tiles, after: Tiles
) -> None:
    others = {"gold": 1, "god": 1}
    state = table(players, held=[{**before, **others}, {"pharaoh": 2, "nile": 2, "temple": 2}], lot=lot_won)
    win_lot(state, min(up(state, 0)))
    assert held(state, 0) == {**after, **others}
    assert held(state, 1) == {"pharaoh": 2, "nile": 2, "temple": 2}
    assert out_of_game(state) == {
        **lot_won,
        **{
            tile: number - after.get(tile, 0)
            for tile, number in before.items()
            if number > after.get(tile, 0)
        },
    }
    assert (asked(state), state.phase, lot(state)) == (1, TURN, {})


@pytest.mark.parametrize(
    ("disaster", "kinds"),
    [
        ("funeral", ["pharaoh"]),
        ("drought", ["flood", "nile"]),
        ("unrest", CIVILIZATIONS),
        ("earthquake", MONUMENTS),
    ],
)
def test_a_disaster_hits_no_other_category(disaster: str, kinds: list[str]) -> None:
    every = dict.fromkeys(("god", "gold", "pharaoh", "nile", "flood", *CIVILIZATIONS, *MONUMENTS), 1)
    spared = {tile: 1 for tile in every if tile not in kinds}
    state = table(3, held=[spared], lot={disaster: 2})
    win_lot(state, 2)
    assert held(state, 0) == spared


@pytest.mark.parametrize(
    ("lot_won", "before", "after"),
    [
        ({"funeral": 1, "pharaoh": 3}, {}, {"pharaoh": 1}),
        ({"drought": 1, "flood": 1, "nile": 1}, {"nile": 2}, {"nile": 2}),
        ({"unrest": 1, "art": 1}, {"art": 2}, {"art": 1}),
        ({"earthquake": 1, "sphinx": 2}, {}, {}),
        (
            {"funeral": 1, "drought": 1, "unrest": 1, "earthquake": 1, "nile": 3, "pharaoh": 1},
            {"pharaoh": 2, "art": 1, "temple": 3, "gold": 1},
            {"pharaoh": 1, "nile": 1, "temple": 1, "gold": 1},
        ),
    ],
)
def test_all_other_tiles_of_the_lot_are_taken_before_disasters_strike(
    lot_won: Tiles, before: Tiles, after: Tiles
) -> None:
    state = table(3, held=[before], lot=lot_won)
    win_lot(state, 2)
    assert held(state, 0) == after


def test_tiles_just_won_may_be_discarded_for_unrest() -> None:
    state = table(3, held=[{"art": 2}], lot={"unrest": 1, "writing": 1, "religion": 1})
    win_lot(state, 2)
    assert legal(state) == {"discard art", "discard writing", "discard religion"}
    play(state, "discard writing", "discard art")
    assert held(state, 0) == {"art": 1, "religion": 1}


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("cause", CAUSES)
def test_the_winner_chooses_and_then_the_turn_is_left_of_the_ra_player(players: int, cause: str) -> None:
    """The winner, not the Ra player, is asked; afterwards the auction goes on as any other."""
    for offset in range(1, players):
        for disaster, kinds in (("unrest", CIVILIZATIONS[:3]), ("earthquake", MONUMENTS[:3])):
            winner = offset % players
            hands = [dict.fromkeys(kinds, 1) if seat == winner else {"art": 1} for seat in range(players)]
            nile = 7 if cause == "invoke on a full track" else 1
            state = table(players, held=hands, lot={disaster: 1, "nile": nile})
            start_auction(state, cause)
            sun = max(up(state, winner))
            while state.high_bidder < 0:
                play(state, f"bid {sun}" if asked(state) == winner else "pass")
            while state.phase != DISCARD:
                play(state, "pass")
            assert (asked(state), state.center_sun, down(state, winner)) == (winner, sun, {1})
            assert legal(state) == {f"discard {kind}" for kind in kinds}
            play(state, f"discard {kinds[2]}", f"discard {kinds[0]}")
            assert held(state, winner) == {kinds[1]: 1, "nile": nile}
            assert (asked(state), state.phase, state.turn_player) == (1, TURN, 1)


def test_discards_are_asked_one_tile_at_a_time() -> None:
    state = table(2, held=[{"art": 2, "writing": 2, "astronomy": 2}], lot={"unrest": 2})
    win_lot(state, 2)
    lost = ["art", "art", "writing", "astronomy"]
    choices = [
        {"art", "writing", "astronomy"},
        {"art", "writing", "astronomy"},
        {"writing", "astronomy"},
        {"writing", "astronomy"},
    ]
    for tile, kinds in zip(lost, choices, strict=True):
        assert (asked(state), legal(state)) == (0, {f"discard {kind}" for kind in kinds})
        play(state, f"discard {tile}")
    assert held(state, 0) == {"writing": 1, "astronomy": 1}
    assert asked(state) == 1


@pytest.mark.parametrize(
    ("disaster", "before", "choices", "after"),
    [
        ("unrest", {"art": 4}, [], {"art": 2}),
        ("unrest", {"art": 1, "writing": 1}, [], {}),
        ("unrest", {"art": 2, "writing": 1}, ["writing"], {"art": 1}),
        ("unrest", {"art": 2, "writing": 1}, ["art", "art"], {"writing": 1}),
        ("unrest", {"art": 3, "writing": 1}, ["writing"], {"art": 2}),
        ("earthquake", {"sphinx": 4}, [], {"sphinx": 2}),
        ("earthquake", {"sphinx": 1, "palace": 1}, [], {}),
        ("earthquake", {"sphinx": 2, "palace": 1}, ["palace"], {"sphinx": 1}),
        ("earthquake", {"sphinx": 2, "palace": 1}, ["sphinx", "palace"], {"sphinx": 1}),
    ],
)
def test_discards_without_a_choice_are_carried_out_at_once(
    disaster: str, before: Tiles, choices: list[str], after: Tiles
) -> None:
    """Ruling `no-empty-question`: all that is left to lose, nothing to lose, or one kind only."""
    state = table(3, held=[before], lot={disaster: 1})
    win_lot(state, 2)
    for tile in choices:
        assert (asked(state), state.phase) == (0, DISCARD)
        play(state, f"discard {tile}")
    assert (asked(state), state.phase) == (1, TURN)
    assert held(state, 0) == after


def test_unrest_and_earthquake_in_one_lot_are_both_fulfilled() -> None:
    lot_won = {"unrest": 1, "earthquake": 1}
    state = table(3, held=[{"art": 2, "writing": 2, "sphinx": 2, "palace": 2}], lot=lot_won)
    win_lot(state, 2)
    for kinds in ({"art", "writing"}, {"art", "writing"}, {"sphinx", "palace"}, {"sphinx", "palace"}):
        assert legal(state) == {f"discard {kind}" for kind in kinds}
        play(state, f"discard {min(kinds)}")
    assert held(state, 0) == {"writing": 2, "sphinx": 2}
    assert (asked(state), state.phase) == (1, TURN)


def test_an_earthquake_strikes_also_when_unrest_leaves_nothing_to_choose() -> None:
    state = table(3, held=[{"art": 1, "sphinx": 2, "palace": 2}], lot={"unrest": 1, "earthquake": 1})
    win_lot(state, 2)
    assert legal(state) == {"discard sphinx", "discard palace"}
    play(state, "discard palace", "discard sphinx")
    assert held(state, 0) == {"sphinx": 1, "palace": 1}


def test_disaster_tiles_leave_the_game() -> None:
    lot_won = {"funeral": 2, "drought": 2, "unrest": 2, "earthquake": 2}
    state = table(3, lot=lot_won)
    win_lot(state, 2)
    assert out_of_game(state) == lot_won
    assert held(state, 0) == lot(state) == {}


@pytest.mark.parametrize("cause", ["draw", "invoke on a full track"])
def test_disasters_of_a_lot_that_nobody_wins_strike_nobody(cause: str) -> None:
    hands = [{"pharaoh": 3}, {"pharaoh": 3}, {"pharaoh": 3}]
    full = {"nile": 6} if cause == "invoke on a full track" else {}
    state = table(3, held=hands, lot={"funeral": 2, **full})
    start_auction(state, cause)
    play(state, "pass", "pass", "pass")
    assert [held(state, seat) for seat in range(3)] == hands


def test_disasters_in_a_lot_that_is_cleared_at_the_end_of_an_epoch_strike_nobody() -> None:
    state = table(3, held=[{"pharaoh": 3}] * 3, lot={"funeral": 1}, ra_tiles=one_ra_short(3))
    play(state, "draw", tile="ra")
    assert [held(state, seat) for seat in range(3)] == [{"pharaoh": 3}] * 3


@pytest.mark.parametrize("players", PLAYERS)
def test_the_last_sun_ends_the_epoch_only_after_the_discards(players: int) -> None:
    suns = [[9], *[[]] * (players - 1)]
    state = table(players, suns_up=suns, held=[{"art": 1, "writing": 1, "religion": 1}], lot={"unrest": 1})
    play(state, "invoke", "bid 9")
    assert (state.phase, state.epoch, up(state, 0)) == (DISCARD, 0, set())
    play(state, "discard art", "discard writing")
    assert (state.phase, state.epoch) == (TURN, 1)


def test_a_full_lot_of_many_kinds_is_taken_whole() -> None:
    state = table(3, held=[{"nile": 1}], lot=FULL_LOT)
    play(state, "invoke", "pass", "pass", "bid 5")
    assert held(state, 0) == {"nile": 5, "pharaoh": 3, "gold": 1}
