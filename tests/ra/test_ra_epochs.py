"""How an epoch ends and the next one begins. Rulebook: "The Epochs"."""

import pytest
from ra_table import (
    CIVILIZATIONS,
    FULL_LOT,
    MONUMENTS,
    PLAYERS,
    asked,
    bag,
    down,
    fame,
    fill_ra_track,
    held,
    legal,
    lot,
    one_ra_short,
    out_of_game,
    play,
    returns,
    table,
    up,
)

from ra_env.state import OVER, TURN
from tabletop import verbs

RA_SPACES = {2: 6, 3: 8, 4: 9, 5: 10}
HIGHEST = {2: 9, 3: 13, 4: 13, 5: 16}  # sun
SEATS = [(players, seat) for players in PLAYERS for seat in range(players)]


@pytest.mark.parametrize("tiles", [{}, {"nile": 2, "funeral": 1}, {"nile": 7}])
@pytest.mark.parametrize("players", PLAYERS)
def test_a_full_ra_track_ends_the_epoch_and_clears_both_tracks(players: int, tiles: dict[str, int]) -> None:
    state = table(players, ra_tiles=one_ra_short(players), lot=tiles)
    fill_ra_track(state)
    assert (state.epoch, state.phase, lot(state), state.ra_tiles) == (1, TURN, {}, 0)
    assert out_of_game(state) == {"ra": RA_SPACES[players], **tiles}


@pytest.mark.parametrize("players", PLAYERS)
def test_no_suns_left_ends_the_epoch_and_clears_both_tracks(players: int) -> None:
    state = table(players, suns_up=[[], [6], *[[]] * (players - 2)], turn=1, ra_tiles=3)
    play(state, "invoke", "bid 6")
    assert (state.epoch, state.phase, lot(state), state.ra_tiles) == (1, TURN, {}, 0)
    assert out_of_game(state) == {"ra": 3}


@pytest.mark.parametrize("players", PLAYERS)
def test_the_epoch_goes_on_while_anybody_has_a_face_up_sun(players: int) -> None:
    for last in range(1, players):
        suns = [[6], *[[3] if seat == last else [] for seat in range(1, players)]]
        state = table(players, suns_up=suns)
        play(state, "invoke", "pass", "bid 6")
        assert (state.epoch, asked(state)) == (0, last)


@pytest.mark.parametrize("players", PLAYERS)
def test_every_seat_can_spend_the_last_sun_of_an_epoch(players: int) -> None:
    """Played from the deal: everybody invokes with the lowest sun until none is left."""
    state = table(players)
    while state.epoch == 0:
        ra_player = asked(state)
        play(state, "invoke")
        while asked(state) != ra_player:
            play(state, "pass")
        play(state, f"bid {min(up(state, ra_player))}")
    assert bag(state) == bag(table(players))
    sizes = {len(up(state, seat)) for seat in range(players)}
    assert sizes == {len(up(table(players), 0))}
    assert fame(state) == [5] * players  # nobody has civilization tiles


@pytest.mark.parametrize("players", PLAYERS)
def test_a_drawn_ra_tile_and_the_last_sun_end_the_epoch_together_only_once(players: int) -> None:
    state = table(players, suns_up=[[6], *[[]] * (players - 1)])
    play(state, "draw", tile="ra")
    play(state, "bid 6")
    assert (state.epoch, state.ra_tiles, out_of_game(state)) == (1, 0, {"ra": 1})
    assert fame(state) == [5] * players


@pytest.mark.parametrize("players", PLAYERS)
def test_the_sun_in_the_center_stays_for_the_next_epoch(players: int) -> None:
    state = table(
        players, ra_tiles=one_ra_short(players), center_sun=6, suns_up=[[9], [1], *[[]] * (players - 2)]
    )
    fill_ra_track(state)
    assert state.center_sun == 6


@pytest.mark.parametrize("players", PLAYERS)
def test_face_down_suns_turn_up_and_unused_suns_stay_up(players: int) -> None:
    suns = [[9, 2], [8], *[[]] * (players - 2)]
    state = table(players, ra_tiles=one_ra_short(players), suns_up=suns)
    before = [up(state, seat) | down(state, seat) for seat in range(players)]
    fill_ra_track(state)
    assert [up(state, seat) for seat in range(players)] == before
    assert all(down(state, seat) == set() for seat in range(players))


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_the_highest_sun_begins_the_next_epoch_wherever_it_lay(players: int, seat: int) -> None:
    """Face up or face down when the epoch ended, and whoever ended it."""
    hands = [[HIGHEST[players]] if other == seat else [2 + other] for other in range(players)]
    for turn in range(players):
        state = table(players, turn=turn, suns_up=hands, ra_tiles=one_ra_short(players))
        fill_ra_track(state)
        assert (asked(state), state.phase) == (seat, TURN)
        assert legal(state) == {"draw", "invoke"}
    spent = [hands[other] if other == seat else [] for other in range(players)]
    unspent = [[] if other == seat else hands[other] for other in range(players)]
    for turn in (other for other in range(players) if other != seat):
        state = table(players, turn=turn, suns_up=unspent, suns_down=spent, ra_tiles=one_ra_short(players))
        fill_ra_track(state)
        assert (asked(state), state.phase) == (seat, TURN)


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_the_highest_sun_in_a_hand_begins_while_the_highest_of_all_lies_in_the_center(
    players: int, seat: int
) -> None:
    hands = [[HIGHEST[players] - 1] if other == seat else [1 + other] for other in range(players)]
    state = table(players, suns_up=hands, ra_tiles=one_ra_short(players), center_sun=HIGHEST[players])
    fill_ra_track(state)
    assert asked(state) == seat


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("epoch", range(3))
def test_pharaohs_niles_and_monuments_are_kept_all_other_tiles_are_discarded(
    players: int, epoch: int
) -> None:
    kept = {"pharaoh": 2, "nile": 2, **dict.fromkeys(MONUMENTS, 1)}
    lost = {"god": 1, "gold": 1, "flood": 2, **dict.fromkeys(CIVILIZATIONS, 1)}
    state = table(players, epoch=epoch, held=[{**kept, **lost}] * players, ra_tiles=one_ra_short(players))
    fill_ra_track(state)
    assert all(held(state, seat) == kept for seat in range(players))
    assert out_of_game(state) == {
        "ra": RA_SPACES[players],
        **{tile: number * players for tile, number in lost.items()},
    }


@pytest.mark.parametrize("players", PLAYERS)
def test_there_is_no_auction_when_the_ra_track_is_full(players: int) -> None:
    state = table(players, ra_tiles=one_ra_short(players), lot={"nile": 4})
    fill_ra_track(state)
    assert all(held(state, seat) == {} for seat in range(players))
    assert (state.in_auction, state.center_sun) == (0, 1)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_next_epoch_needs_a_full_ra_track_again(players: int) -> None:
    state = table(players, ra_tiles=one_ra_short(players))
    fill_ra_track(state)
    for _ in range(one_ra_short(players)):
        play(state, "draw", tile="ra")
        play(state, *["pass"] * players)
        assert state.epoch == 1
    fill_ra_track(state)
    assert state.epoch == 2


@pytest.mark.parametrize("players", PLAYERS)
def test_the_game_ends_with_the_third_epoch(players: int) -> None:
    state = table(players)
    for epoch in range(3):
        assert (state.epoch, verbs.is_over(state)) == (epoch, False)
        for _ in range(one_ra_short(players)):
            play(state, "draw", tile="ra")
            play(state, *["pass"] * players)
        fill_ra_track(state)
    assert (state.epoch, state.phase, verbs.is_over(state)) == (3, OVER, True)
    assert legal(state) == set()


@pytest.mark.parametrize("players", PLAYERS)
def test_the_game_ends_also_when_the_last_sun_of_the_third_epoch_is_spent(players: int) -> None:
    state = table(players, epoch=2, suns_up=[[6], *[[]] * (players - 1)], lot=FULL_LOT)
    play(state, "invoke", "bid 6")
    assert (state.epoch, state.phase, verbs.is_over(state), verbs.is_truncated(state)) == (
        3,
        OVER,
        True,
        False,
    )
    assert held(state, 0) == {"nile": 4, "pharaoh": 3}
    assert len(returns(state)) == players


@pytest.mark.parametrize("players", PLAYERS)
def test_the_bag_cannot_run_dry_before_the_game_ends(players: int) -> None:
    """At most 3 x 10 Ra tiles are drawn before the end, the last of them ends it."""
    assert 3 * RA_SPACES[players] <= 30
    state = table(
        players, epoch=2, ra_tiles=one_ra_short(players), bag={"ra": 30 - 3 * RA_SPACES[players] + 1}
    )
    fill_ra_track(state)
    assert verbs.is_over(state)
