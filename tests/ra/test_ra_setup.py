"""Setup of Ra: what is in the box, and how a game begins. Rulebook: "Game Components", "Setup"."""

from itertools import permutations

import numpy as np
import pytest
from ra_table import (
    CIVILIZATIONS,
    MONUMENTS,
    PLAYERS,
    State,
    asked,
    bag,
    down,
    fame,
    held,
    legal,
    lot,
    out_of_game,
    play,
    table,
    up,
)

from ra_env import GAME
from ra_env.components import CIVILIZATION_FAME, MONUMENT_KINDS_FAME, MONUMENT_SET_FAME
from tabletop import verbs
from tabletop.chance import Chance, ChanceError

BOX = {
    "ra": 30,
    "god": 8,
    "gold": 5,
    "pharaoh": 25,
    "nile": 25,
    "flood": 12,
    **dict.fromkeys(CIVILIZATIONS, 5),
    **dict.fromkeys(MONUMENTS, 5),
    "funeral": 2,
    "drought": 2,
    "unrest": 4,
    "earthquake": 2,
}
SUN_SETS = {
    2: [{9, 6, 5, 2}, {8, 7, 4, 3}],
    3: [{13, 8, 5, 2}, {12, 9, 6, 3}, {11, 10, 7, 4}],
    4: [{13, 6, 2}, {12, 7, 3}, {11, 8, 4}, {10, 9, 5}],
    5: [{16, 7, 2}, {15, 8, 3}, {14, 9, 4}, {13, 10, 5}, {12, 11, 6}],
}
RA_SPACES = {2: 6, 3: 8, 4: 9, 5: 10}


def test_the_box_holds_180_tiles() -> None:
    assert sum(BOX.values()) == 180


@pytest.mark.parametrize("players", PLAYERS)
def test_all_tiles_of_the_box_are_in_the_bag_at_the_start(players: int) -> None:
    state = table(players)
    assert bag(state) == BOX
    assert state.bag_total == 180
    assert lot(state) == out_of_game(state) == {}
    assert all(held(state, seat) == {} for seat in range(players))


@pytest.mark.parametrize("players", PLAYERS)
def test_everyone_starts_with_10_fame(players: int) -> None:
    assert fame(table(players)) == [10] * players


@pytest.mark.parametrize("players", PLAYERS)
def test_the_center_sun_is_1_at_the_start(players: int) -> None:
    assert table(players).center_sun == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_every_seat_is_dealt_one_set_of_suns_face_up(players: int) -> None:
    for seed in range(20):
        state = dealt(players, seed)
        assert sorted(map(sorted, suns_of(state))) == sorted(map(sorted, SUN_SETS[players]))
        assert all(down(state, seat) == set() for seat in range(players))


@pytest.mark.parametrize("players", PLAYERS)
def test_the_sets_of_suns_are_dealt_at_random(players: int) -> None:
    """Every order of the sets comes up, and about equally often."""
    games = 2000 if players == 5 else 600
    deals = [
        tuple(SUN_SETS[players].index(suns) for suns in suns_of(dealt(players, seed)))
        for seed in range(games)
    ]
    orders = list(permutations(range(players)))
    assert set(deals) == set(orders)
    expected = games / len(orders)
    assert sum((deals.count(order) - expected) ** 2 / expected for order in orders) < 2 * len(orders)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_stated_sets_of_suns_can_be_dealt(players: int) -> None:
    for order in permutations(range(players)):
        state = dealt(players, 0)
        GAME.setup_with_chance(state, Chance(["suns " + " ".join(map(str, order))]))
        assert suns_of(state) == [SUN_SETS[players][index] for index in order]
        assert asked(state) == order.index(0)


@pytest.mark.parametrize("text", ["suns 0 1", "suns 0 1 1", "suns 0 1 3", "nile", "suns 0 1 x"])
def test_sets_of_suns_that_cannot_be_dealt_are_refused(text: str) -> None:
    with pytest.raises(ChanceError, match="numbers 0 to 2"):
        GAME.setup_with_chance(dealt(3, 0), Chance([text]))


@pytest.mark.parametrize("players", PLAYERS)
def test_the_player_with_the_highest_sun_begins(players: int) -> None:
    highest = max(max(suns) for suns in SUN_SETS[players])
    beginners = set()
    for seed in range(40):
        state = dealt(players, seed)
        assert highest in up(state, asked(state))
        beginners.add(asked(state))
    assert beginners == set(range(players))


@pytest.mark.parametrize("players", PLAYERS)
def test_the_ra_track_has_6_8_9_10_spaces_for_2_3_4_5_players(players: int) -> None:
    assert table(players).ra_spaces == RA_SPACES[players]


@pytest.mark.parametrize("players", PLAYERS)
def test_both_tracks_are_empty_and_the_first_epoch_begins(players: int) -> None:
    state = table(players)
    assert (state.ra_tiles, state.lot_size, state.epoch) == (0, 0, 0)
    assert legal(state) == {"draw", "invoke"}


@pytest.mark.parametrize("players", PLAYERS)
def test_the_same_seed_deals_the_same_game_and_another_seed_another(players: int) -> None:
    def tiles_drawn(seed: int) -> list[str]:
        state = dealt(players, seed)
        while state.bag_total > 174:
            if "draw" in legal(state):
                play_blindly(state)
            else:
                play(state, "pass")
        return [*map(str, suns_of(state)), str(bag(state))]

    games = [tiles_drawn(seed) for seed in range(10)]
    assert games == [tiles_drawn(seed) for seed in range(10)]
    assert len({str(game) for game in games}) == 10


def test_every_tile_in_the_bag_is_equally_likely_to_be_drawn() -> None:
    """The first tile of 3,600 games: within four standard deviations for every kind."""
    games = 3600
    drawn = dict.fromkeys(BOX, 0)
    for seed in range(games):
        state = dealt(2, seed)
        play_blindly(state)
        for name, number in BOX.items():
            drawn[name] += number - bag(state).get(name, 0)
    assert sum(drawn.values()) == games
    for name, number in BOX.items():
        share = number / 180
        assert abs(drawn[name] - games * share) < 4 * (games * share * (1 - share)) ** 0.5, name


def test_the_fame_tables_are_those_of_the_board() -> None:
    assert list(CIVILIZATION_FAME) == [-5, 0, 0, 5, 10, 15]
    assert list(MONUMENT_KINDS_FAME) == [0, 1, 2, 3, 4, 5, 6, 10, 15]
    assert list(MONUMENT_SET_FAME) == [0, 0, 0, 5, 10, 15]


def test_a_draw_of_a_tile_that_is_not_in_the_bag_is_refused() -> None:
    state = table(3, bag={"nile": 2})
    with pytest.raises(ChanceError, match="no flood is left"):
        play(state, "draw", tile="flood")


@pytest.mark.parametrize("players", (1, 6))
def test_ra_is_for_2_to_5_players(players: int) -> None:
    with pytest.raises(ValueError, match="2 to 5 players"):
        GAME.check_num_players(players)


def dealt(players: int, seed: int) -> State:
    """A new game with suns as the seed deals them."""
    state = GAME.new_states(1)[0]
    verbs.new_game(state, players, GAME.encode_options(GAME.resolve_options()), np.uint64(seed))
    return state


def suns_of(state: State) -> list[set[int]]:
    """The face-up suns of every seat."""
    return [up(state, seat) for seat in range(state.num_players)]


def play_blindly(state: State) -> None:
    """Draw what the bag's generator gives."""
    verbs.apply_action(state, GAME.string_to_action("draw"))
