"""Setup and the turn of ages and rounds. Rulebook: "Setup", "Game Play"."""

import numpy as np
import pytest
from amunre_table import PLAYERS, State, end_age, gold, hand, in_auction, legal, owned, play, table

from amunre_env import GAME
from amunre_env.components import ALL_PROVINCES, TOTAL_FAVORS
from amunre_env.state import BIDDING, MARKET_FARMERS, MARKET_FAVORS, MARKET_STONES, OFFERING, REWARDS
from tabletop import verbs


def new_game(num_players: int, seed: int, **options: object) -> State:
    state = GAME.new_states(1)[0]
    verbs.new_game(state, num_players, GAME.encode_options(GAME.resolve_options(**options)), np.uint64(seed))
    return state


@pytest.mark.parametrize("players", PLAYERS)
def test_everybody_starts_with_20_gold_and_one_architect(players: int) -> None:
    state = new_game(players, 1)
    assert gold(state) == [20] * players
    assert [hand(state, seat) for seat in range(players)] == [["architect"]] * players


@pytest.mark.parametrize("players", PLAYERS)
def test_left_over_architects_are_in_the_favor_deck(players: int) -> None:
    state = new_game(players, 1)
    assert state.favor_deck[0] == 5 - players
    assert state.deck_size == TOTAL_FAVORS - players == state.favor_deck.sum()


def test_the_start_player_is_random() -> None:
    assert {int(new_game(5, seed).start) for seed in range(60)} == set(range(5))


@pytest.mark.parametrize("players", PLAYERS)
def test_as_many_provinces_as_players_are_up_for_auction(players: int) -> None:
    state = new_game(players, 1)
    offered = {int(province) for province in state.offered if province >= 0}
    assert len(offered) == players
    assert int(state.unseen_provinces) == ALL_PROVINCES & ~sum(1 << province for province in offered)


def test_the_provinces_of_the_new_kingdom_are_those_of_the_old_one() -> None:
    state = end_age(["steal"] * 3, owned=[["abu", "sawu"], ["memphis", "dakhla"], ["thebes", "abydos"]])
    assert state.age == 1
    assert in_auction(state)
    left = {int(province) for province in state.offered[:3]}
    left |= {province for province in range(15) if int(state.unseen_provinces) >> province & 1}
    assert len(left) == 9


def test_ownership_and_farmers_go_after_the_old_kingdom_and_buildings_stay() -> None:
    state = end_age(
        ["steal"] * 3,
        owned=[["abu", "sawu"], ["memphis", "dakhla"], ["thebes", "abydos"]],
        farmers={"thebes": 3},
        free_farmers={"sawu": 1},
        stones={"abu": 2},
        pyramids={"abu": 1},
    )
    assert [owned(state, seat) for seat in range(3)] == [[], [], []]
    assert not state.farmers.any()
    assert not state.free_farmers.any()
    assert state.stones.sum() == 2
    assert state.pyramids.sum() == 1


def test_gold_cards_and_the_start_player_stay_after_the_old_kingdom() -> None:
    earlier = [["abu", "sawu"], ["memphis", "dakhla"], ["edfu", "abydos"]]
    state = end_age(
        ["steal"] * 3, owned=earlier, start=1, favors=[["bribery"]], offered=["buto", "mendes", "amarna"]
    )
    assert gold(state) == [20 + 3 + 4 + 7, 23, 23]
    assert hand(state, 0) == ["bribery"]
    assert state.start == 1


def test_the_same_seed_deals_the_same_provinces_whatever_cards_are_drawn() -> None:
    few, many = table(seed=3), table(seed=3, favors=[["architect"] * 3])
    assert list(few.rng) == list(many.rng)
    for state in (few, many):
        verbs.apply_action(state, GAME.string_to_action("bid buto 0"))
    assert few.rng[0] == many.rng[0]


def test_seeds_from_one_stream_do_not_shift_another() -> None:
    state = new_game(3, 5)
    before = list(state.rng)
    for move in range(60):
        bits = np.zeros(GAME.num_words, np.uint64)
        verbs.legal_actions(state, bits)
        words = sum(int(word) << 64 * place for place, word in enumerate(bits))
        legal = [action for action in range(GAME.num_actions) if words >> action & 1]
        verbs.apply_action(state, legal[move % len(legal)])
        if state.round_number == 0:
            assert state.rng[0] == before[0]
            assert state.rng[2] == before[2]


@pytest.mark.parametrize("rules", GAME.presets)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_game_has_2_ages_of_3_rounds_of_4_phases(players: int, rules: str) -> None:
    state = GAME.new_states(1)[0]
    verbs.new_game(state, players, GAME.encode_options(GAME.resolve_options(rules)), np.uint64(4))
    seen = []
    while not verbs.is_over(state):
        here = (int(state.age), int(state.round_number), int(state.phase))
        if here not in seen:
            seen.append(here)
        moves = legal(state)
        calm = [move for move in moves if move.startswith(("bid", "offer 1")) or move == "done"]
        play(state, min(calm or moves))
    assert seen == sorted(seen)
    assert {here[:2] for here in seen} == {(age, turn) for age in range(2) for turn in range(3)}
    for age, turn in {here[:2] for here in seen}:
        phases = {phase for *now, phase in seen if (age, turn) == tuple(now)}
        assert {BIDDING, OFFERING, REWARDS} <= phases
        assert phases & {MARKET_FAVORS, MARKET_FARMERS, MARKET_STONES}
