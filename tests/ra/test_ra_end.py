"""Who wins, and games that are cut off. Rulebook: "End of the game"."""

from itertools import permutations

import pytest
from ra_table import PLAYERS, asked, fame, fill_ra_track, gains, legal, one_ra_short, play, returns, table, up

from ra_env import GAME
from ra_env.state import OVER
from tabletop import verbs

PLACES = {2: [1, -1], 3: [1, 0, -1], 4: [1, 1 / 3, -1 / 3, -1], 5: [1, 0.5, 0, -0.5, -1]}
ART = {"art": 1}
MAX_MOVES = 1000


@pytest.mark.parametrize("players", PLAYERS)
def test_most_fame_wins_and_places_are_evenly_spaced_from_1_to_minus_1(players: int) -> None:
    """28: whoever has how much, at every number of players."""
    for order in permutations(range(players)):
        state = table(players, fame=[20 - 3 * place for place in order])
        assert returns(state) == pytest.approx([PLACES[players][place] for place in order])


@pytest.mark.parametrize("players", PLAYERS)
def test_among_the_tied_the_highest_single_sun_ranks_first(players: int) -> None:
    for order in permutations(range(players)):
        state = table(players, suns_up=[dealt(players)[place] for place in order])
        assert returns(state) == pytest.approx([PLACES[players][place] for place in order])


@pytest.mark.parametrize("players", PLAYERS)
def test_the_highest_sun_decides_whether_it_lies_face_up_or_face_down(players: int) -> None:
    ups = [suns[1:] for suns in dealt(players)]
    downs = [suns[:1] for suns in dealt(players)]
    assert returns(table(players, suns_up=ups, suns_down=downs)) == returns(table(players))
    assert returns(table(players)) == pytest.approx(PLACES[players])


@pytest.mark.parametrize("players", PLAYERS)
def test_the_tie_break_is_the_highest_sun_and_not_the_sum(players: int) -> None:
    """The sets of low numbers have the higher sums from 3 players on; the highest sun still decides."""
    state = table(players)
    sums = [sum(up(state, seat)) for seat in range(players)]
    assert players == 2 or sums[0] < sums[-1]
    assert returns(state)[0] == 1
    assert returns(state)[-1] == -1


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_tie_break_counts_only_among_the_tied(players: int) -> None:
    """Seat 0 has the highest sun and the least fame."""
    state = table(players, fame=[5, *[30] * (players - 1)])
    assert returns(state) == pytest.approx([-1, *PLACES[players][:-1]])
    state = table(players, fame=[30, *[5] * (players - 2), 30])
    assert returns(state) == pytest.approx([PLACES[players][0], *PLACES[players][2:], PLACES[players][1]])


def test_fame_below_zero_ranks_below_zero_fame() -> None:
    assert returns(table(3, fame=[-3, 0, -1])) == [-1, 1, 0]


@pytest.mark.parametrize("players", PLAYERS)
def test_returns_come_from_the_fame_after_the_last_scoring(players: int) -> None:
    """Gold is counted before places are."""
    state = table(
        players, epoch=2, held=[*[ART] * (players - 1), {**ART, "gold": 5}], ra_tiles=one_ra_short(players)
    )
    assert returns(state)[-1] == -1
    fill_ra_track(state)
    assert returns(state)[-1] == 1
    assert fame(state)[-1] == max(fame(state))


def test_a_game_that_is_tied_after_the_last_scoring_is_won_by_the_highest_sun() -> None:
    suns = [[1, 8, 9, 10], [13, 2, 3, 7], [12, 5, 6, 4]]
    extra = gains(3, [ART] * 3, epoch=2, suns_up=suns, center_sun=11)
    assert extra == [5, -5, 0]
    state = table(
        3,
        epoch=2,
        suns_up=suns,
        center_sun=11,
        held=[ART] * 3,
        fame=[20 - points for points in extra],
        ra_tiles=one_ra_short(3),
    )
    fill_ra_track(state)
    assert fame(state) == [20, 20, 20]
    assert returns(state) == [-1, 1, 0]


@pytest.mark.parametrize("players", PLAYERS)
def test_without_forced_bid_a_game_is_cut_off_after_1000_moves(players: int) -> None:
    state = table(players, options={"forced_bid": False}, fame=[7 + seat for seat in range(players)])
    assert GAME.max_moves == MAX_MOVES
    for move in range(MAX_MOVES):
        assert (verbs.is_over(state), verbs.is_truncated(state)) == (False, False), f"after {move} moves"
        verbs.apply_action(state, GAME.string_to_action("pass" if "pass" in legal(state) else "invoke"))
    assert (verbs.is_over(state), verbs.is_truncated(state)) == (True, True)
    assert state.epoch == 0


@pytest.mark.parametrize("players", PLAYERS)
def test_a_game_that_is_cut_off_is_ranked_by_the_fame_of_that_moment(players: int) -> None:
    """Without a scoring: neither tiles nor suns count, but the tie-break does."""
    points = [7, *[9] * (players - 1)]
    state = table(players, options={"forced_bid": False}, fame=points, held=[{"gold": 5, "sphinx": 5}])
    state.moves = MAX_MOVES - 1
    play(state, "draw", tile="nile")
    assert verbs.is_truncated(state)
    assert fame(state) == points
    assert returns(state) == pytest.approx([-1, *PLACES[players][:-1]])


@pytest.mark.parametrize("players", PLAYERS)
def test_a_game_that_ends_with_its_1000th_move_is_not_cut_off(players: int) -> None:
    state = table(players, options={"forced_bid": False}, epoch=2, ra_tiles=one_ra_short(players))
    state.moves = MAX_MOVES - 1
    fill_ra_track(state)
    assert (state.phase, verbs.is_over(state), verbs.is_truncated(state)) == (OVER, True, False)


@pytest.mark.parametrize("players", PLAYERS)
def test_each_move_counts_once(players: int) -> None:
    state = table(players)
    play(state, "draw", tile="nile")
    play(state, "draw", tile="ra")
    play(state, *["pass"] * players)
    assert (state.moves, asked(state)) == (2 + players, 2 % players)


def dealt(players: int) -> list[list[int]]:
    """The suns of every seat, highest first."""
    state = table(players)
    return [sorted(up(state, seat), reverse=True) for seat in range(players)]
