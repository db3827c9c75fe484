"""What tiles and suns score. Rulebook: "Scoring".

Where civilization tiles are not the subject every hand holds one "art", which scores nothing.
"""

import pytest
from ra_table import CIVILIZATIONS, MONUMENTS, PLAYERS, fame, fill_ra_track, gains, one_ra_short, play, table

ART = {"art": 1}


def neutral(players: int, **first: int) -> list[dict[str, int]]:
    """Hands that score nothing, with more tiles in that of seat 0."""
    return [{**ART, **first}, *[ART] * (players - 1)]


@pytest.mark.parametrize("epoch", range(2))
@pytest.mark.parametrize("players", PLAYERS)
def test_one_civilization_tile_each_and_nothing_else_scores_nothing(players: int, epoch: int) -> None:
    assert gains(players, [ART] * players, epoch=epoch) == [0] * players


@pytest.mark.parametrize("epoch", range(2))
@pytest.mark.parametrize("players", PLAYERS)
def test_each_god_scores_2_fame(players: int, epoch: int) -> None:
    for gods in range(9):
        assert gains(players, neutral(players, god=gods), epoch=epoch) == [2 * gods, *[0] * (players - 1)]


@pytest.mark.parametrize("epoch", range(2))
@pytest.mark.parametrize("players", PLAYERS)
def test_each_gold_scores_3_fame(players: int, epoch: int) -> None:
    for gold in range(6):
        assert gains(players, neutral(players, gold=gold), epoch=epoch) == [3 * gold, *[0] * (players - 1)]


@pytest.mark.parametrize("epoch", range(2))
def test_pharaohs_3_2_2_3_give_5_and_minus_2(epoch: int) -> None:
    """The rulebook's example."""
    hands = [{**ART, "pharaoh": number} for number in (3, 2, 2, 3)]
    assert gains(4, hands, epoch=epoch) == [5, -2, -2, 5]


@pytest.mark.parametrize(
    ("pharaohs", "expected"),
    [
        ((1, 0), (5, -2)),
        ((0, 7), (-2, 5)),
        ((2, 1, 0), (5, 0, -2)),
        ((0, 0, 4), (-2, -2, 5)),
        ((4, 4, 3), (5, 5, -2)),
        ((1, 3, 2), (-2, 5, 0)),
        ((1, 2, 3, 4), (-2, 0, 0, 5)),
        ((2, 2, 2, 1), (5, 5, 5, -2)),
        ((0, 0, 0, 9), (-2, -2, -2, 5)),
        ((1, 2, 3, 2, 1), (-2, 0, 5, 0, -2)),
        ((5, 5, 0, 0, 3), (5, 5, -2, -2, 0)),
        ((6, 6, 6, 6, 1), (5, 5, 5, 5, -2)),
    ],
)
def test_most_pharaohs_score_5_and_fewest_lose_2_all_tied_players_alike(
    pharaohs: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    """No Pharaoh at all counts as a number of them."""
    hands = [{**ART, "pharaoh": number} for number in pharaohs]
    assert gains(len(pharaohs), hands) == list(expected)


@pytest.mark.parametrize("number", [0, 1, 5])
@pytest.mark.parametrize("players", PLAYERS)
def test_equal_pharaohs_score_nothing(players: int, number: int) -> None:
    assert gains(players, [{**ART, "pharaoh": number}] * players) == [0] * players


def test_pharaohs_score_again_in_the_next_epoch() -> None:
    state = table(2, held=[{**ART, "pharaoh": 1}, ART], ra_tiles=one_ra_short(2))
    fill_ra_track(state)
    assert fame(state) == [15, 8]
    state = table(2, epoch=1, held=[{**ART, "pharaoh": 1}, ART], ra_tiles=one_ra_short(2), fame=fame(state))
    fill_ra_track(state)
    assert fame(state) == [20, 6]


@pytest.mark.parametrize("epoch", range(2))
@pytest.mark.parametrize(
    ("floods", "niles", "expected"),
    [
        (0, 0, 0),
        (0, 1, 0),
        (0, 25, 0),
        (1, 0, 1),
        (1, 1, 2),
        (1, 9, 10),
        (2, 3, 5),
        (12, 0, 12),
        (12, 25, 37),
    ],
)
def test_niles_and_floods_score_1_fame_each_with_at_least_one_flood(
    floods: int, niles: int, expected: int, epoch: int
) -> None:
    assert gains(3, neutral(3, flood=floods, nile=niles), epoch=epoch) == [expected, 0, 0]


def test_the_flood_of_another_player_does_not_count() -> None:
    assert gains(2, [{**ART, "nile": 4}, {**ART, "flood": 1}]) == [0, 1]


@pytest.mark.parametrize("epoch", range(2))
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("kinds", "expected"), [(0, -5), (1, 0), (2, 0), (3, 5), (4, 10), (5, 15)])
def test_different_civilization_tiles_score_by_their_number(
    players: int, kinds: int, expected: int, epoch: int
) -> None:
    for first in range(5):
        hand = {CIVILIZATIONS[(first + kind) % 5]: 1 for kind in range(kinds)}
        others = [{CIVILIZATIONS[seat % 5]: 1} for seat in range(1, players)]
        assert gains(players, [hand, *others], epoch=epoch) == [expected, *[0] * (players - 1)]


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ({"astronomy": 3, "agriculture": 2, "writing": 2}, 5),  # the rulebook's example
        ({"astronomy": 1, "agriculture": 1, "writing": 1}, 5),
        ({"astronomy": 5}, 0),
        ({"astronomy": 5, "religion": 4}, 0),
        ({"astronomy": 5, "religion": 4, "writing": 3, "agriculture": 2}, 10),
    ],
)
def test_more_tiles_of_the_same_civilization_score_nothing_extra(hand: dict[str, int], expected: int) -> None:
    assert gains(4, [hand, ART, ART, ART]) == [expected, 0, 0, 0]


@pytest.mark.parametrize("players", PLAYERS)
def test_monuments_and_suns_score_only_after_the_third_epoch(players: int) -> None:
    hands = [{**ART, "pyramid": 5, "temple": 3}, *[ART] * (players - 1)]
    for epoch in range(2):
        assert gains(players, hands, epoch=epoch) == [0] * players
    assert gains(players, hands, epoch=2)[0] != 0


def monument_gain(players: int, hand: dict[str, int]) -> int:
    """What a hand of monuments adds to the fame of seat 0 after the third epoch."""
    alone = gains(players, [ART] * players, epoch=2)
    scored = gains(players, [{**ART, **hand}, *[ART] * (players - 1)], epoch=2)
    assert scored[1:] == alone[1:]
    return scored[0] - alone[0]


@pytest.mark.parametrize("players", PLAYERS)
def test_4_pyramids_3_temples_2_fortresses_and_1_sphinx_score_19(players: int) -> None:
    """The rulebook's example."""
    assert monument_gain(players, {"pyramid": 4, "temple": 3, "fortress": 2, "sphinx": 1}) == 19


@pytest.mark.parametrize(
    ("kinds", "expected"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 10), (8, 15)]
)
def test_different_monuments_score_by_their_number(kinds: int, expected: int) -> None:
    for first in range(8):
        assert monument_gain(3, {MONUMENTS[(first + kind) % 8]: 1 for kind in range(kinds)}) == expected


@pytest.mark.parametrize("monument", MONUMENTS)
@pytest.mark.parametrize(("number", "expected"), [(1, 1), (2, 1), (3, 6), (4, 11), (5, 16)])
def test_three_four_or_five_identical_monuments_score_5_10_or_15_more(
    monument: str, number: int, expected: int
) -> None:
    assert monument_gain(3, {monument: number}) == expected


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        (dict.fromkeys(MONUMENTS, 5), 15 + 8 * 15),
        (dict.fromkeys(MONUMENTS, 2), 15),
        (dict.fromkeys(MONUMENTS[:7], 3), 10 + 7 * 5),
        ({"sphinx": 5, "statue": 4, "palace": 3}, 3 + 15 + 10 + 5),
    ],
)
def test_each_group_of_identical_monuments_scores(hand: dict[str, int], expected: int) -> None:
    assert monument_gain(2, hand) == expected


def test_sun_sums_17_25_21_17_give_minus_5_plus_5_0_minus_5() -> None:
    """The rulebook's example."""
    suns = [[3, 5, 9], [13, 10, 2], [12, 8, 1], [4, 6, 7]]
    assert [sum(own) for own in suns] == [17, 25, 21, 17]
    assert gains(4, [ART] * 4, epoch=2, suns_up=suns, center_sun=11) == [-5, 5, 0, -5]


@pytest.mark.parametrize(
    ("suns", "center", "expected"),
    [
        ([[9, 6, 5, 2], [8, 7, 4, 1]], 3, [5, -5]),
        ([[2, 3, 8, 9], [4, 5, 6, 7]], 1, [0, 0]),
        ([[13, 8, 5, 2], [12, 9, 6, 3], [11, 10, 7, 4]], 1, [-5, 0, 5]),
        ([[13, 1, 5, 9], [2, 12, 4, 10], [3, 11, 8, 6]], 7, [0, 0, 0]),
        ([[13, 9, 6, 2], [12, 10, 5, 3], [11, 8, 7, 4]], 1, [0, 0, 0]),
        ([[13, 9, 6, 3], [12, 10, 5, 4], [11, 8, 7, 2]], 1, [5, 5, -5]),
        ([[13, 9, 4, 2], [12, 10, 5, 1], [11, 8, 7, 6]], 3, [-5, -5, 5]),
        ([[13, 12, 11], [1, 2, 3], [4, 6, 8], [5, 7, 9]], 10, [5, -5, 0, 0]),
        ([[13, 6, 1], [12, 5, 3], [10, 8, 2], [9, 7, 4]], 11, [0, 0, 0, 0]),
        ([[13, 11, 2], [12, 10, 4], [9, 6, 5], [8, 7, 3]], 1, [5, 5, 0, -5]),
        ([[16, 9, 2], [15, 7, 5], [14, 10, 3], [13, 8, 6], [12, 11, 4]], 1, [0, 0, 0, 0, 0]),
        ([[1, 2, 3], [16, 15, 14], [13, 4, 5], [12, 6, 7], [11, 9, 10]], 8, [-5, 5, 0, 0, 0]),
        ([[16, 10, 2], [15, 9, 4], [14, 8, 6], [13, 12, 3], [11, 7, 5]], 1, [5, 5, 5, 5, -5]),
    ],
)
def test_highest_sum_of_suns_scores_5_and_lowest_loses_5_all_tied_players_alike(
    suns: list[list[int]], center: int, expected: list[int]
) -> None:
    assert gains(len(suns), [ART] * len(suns), epoch=2, suns_up=suns, center_sun=center) == expected


def test_suns_score_face_up_and_face_down() -> None:
    """The same suns as in the rulebook's example, some of them spent."""
    ups, downs = [[9], [10, 2], [12, 8, 1], []], [[3, 5], [13], [], [4, 6, 7]]
    assert gains(4, [ART] * 4, epoch=2, suns_up=ups, suns_down=downs, center_sun=11) == [-5, 5, 0, -5]


@pytest.mark.parametrize("players", PLAYERS)
def test_all_categories_add_up(players: int) -> None:
    hand = {"god": 1, "gold": 2, "pharaoh": 1, "flood": 2, "nile": 3, "art": 1, "writing": 2, "religion": 1}
    others = [ART] * (players - 1)
    assert gains(players, [hand, *others]) == [2 + 6 + 5 + 5 + 5, *[-2] * (players - 1)]


def test_everybody_scores_before_tiles_are_discarded() -> None:
    hand = {"god": 1, "gold": 1, "flood": 1, "nile": 1, "art": 1, "writing": 1, "religion": 1}
    assert gains(5, [hand] * 5) == [2 + 3 + 2 + 5] * 5


@pytest.mark.parametrize("players", PLAYERS)
def test_fame_may_go_below_zero(players: int) -> None:
    """Ruling `fame-below-zero`."""
    state = table(players, fame=[3] * players, held=[{"pharaoh": 1}], ra_tiles=one_ra_short(players))
    fill_ra_track(state)
    assert fame(state) == [3, *[-4] * (players - 1)]


def test_scores_show_the_fame_of_the_moment() -> None:
    state = table(3, fame=[7, -2, 30])
    play(state, "draw", tile="nile")
    assert fame(state) == [7, -2, 30]
