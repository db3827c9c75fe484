"""What must hold after every move of any game of Amun-Re, for any seed, options and number of players."""

import numpy as np
import pytest
from amunre_referee import NEXT_ROUND, legal_by_the_rules, owners, random_game
from amunre_table import State, asked, board, copy_of, gold, legal, points
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amunre_env import GAME
from amunre_env.components import ALL_PROVINCES, FAVOR_COUNTS, PROVINCE_NAMES
from amunre_env.observation import LAYOUT
from amunre_env.rules import draw_favor
from amunre_env.state import BIDDING, CHOOSE_PROVINCE, OVER, SCORING, faults
from tabletop import verbs

pytestmark = pytest.mark.engine

EVERY_WAY = st.fixed_dictionaries({option.name: st.sampled_from(option.choices) for option in GAME.options})
SEEDS = st.integers(0, 2**32 - 1)
THRIFT = st.sampled_from([0.0, 0.5, 0.9])


@st.composite
def new_tables(draw: st.DrawFn) -> State:
    """A new game of any number of players, options and seed; some begin with more cards and gold."""
    players, options, seed = draw(st.integers(3, 5)), draw(EVERY_WAY), draw(SEEDS)
    state = GAME.new_states(1)[0]
    verbs.new_game(state, players, GAME.encode_options(options), np.uint64(seed))
    for _ in range(draw(st.sampled_from([0, 6]))):
        for seat in range(players):
            draw_favor(state, seat)
            state.num_drawn = 0
            state.gold[seat] += 5
    return state


def settled(max_examples: int) -> settings:
    """The same examples at every run."""
    return settings(
        max_examples=max_examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )


@settled(6)
@given(new_tables(), SEEDS, THRIFT)
def test_the_39_favor_cards_and_all_provinces_are_there_after_every_move(
    state: State, seed: int, thrift: float
) -> None:
    old_kingdom: set[str] = set()
    for later, _ in random_game(state, seed, thrift):
        assert faults(later) == [], board(later)
        cards = later.favor_deck + later.favor_discards + later.favors.sum(axis=0)
        assert list(cards) == list(FAVOR_COUNTS)
        won = [name for names in owners(later) for name in names]
        up = [PROVINCE_NAMES[index] for index in later.offered if index >= 0]
        places = [*set(won + up), *names_in(int(later.unseen_provinces))]
        assert len(set(places)) == len(places)
        if later.age == 0:
            assert set(places) == names_in(ALL_PROVINCES)
            old_kingdom = set(won)
        else:
            assert set(places) == old_kingdom | set(up)
            assert len(places) == 3 * later.num_players
    assert not verbs.is_truncated(state)


@settled(12)
@given(new_tables(), SEEDS, THRIFT)
def test_every_change_of_gold_cards_buildings_and_points_is_explained_by_the_moves(
    state: State, seed: int, thrift: float
) -> None:
    """An account kept apart from the engine: bids, prices, offers, theft, sales, incomes, scoring."""
    for later, account in random_game(state, seed, thrift):
        assert gold(later) == account.gold, board(later)
        assert points(later) == account.points, board(later)
        assert list(later.hand_sizes[: account.players]) == account.cards
        assert owners(later) == account.owned
        for counts, own in (
            (later.farmers, account.farmers),
            (later.free_farmers, account.free_farmers),
            (later.stones, account.stones),
            (later.pyramids, account.pyramids),
        ):
            assert [int(count) for count in counts] == [own[name] for name in PROVINCE_NAMES]


@settled(12)
@given(new_tables(), SEEDS, THRIFT)
def test_the_legal_moves_are_those_of_a_brute_force_check_and_never_none(
    state: State, seed: int, thrift: float
) -> None:
    for later, account in random_game(state, seed, thrift):
        moves = legal(later)
        if verbs.is_over(later):
            assert not moves
        else:
            assert moves == legal_by_the_rules(later, account), board(later)
            assert moves


@settled(10)
@given(new_tables(), SEEDS, THRIFT)
def test_the_next_in_order_who_has_something_to_decide_is_asked(
    state: State, seed: int, thrift: float
) -> None:
    """Ruling `no-empty-question`: nobody is asked without a choice, and nobody with one is passed over."""
    for later, account in random_game(state, seed, thrift):
        if account.expected == NEXT_ROUND:
            assert later.phase in (CHOOSE_PROVINCE, BIDDING, OVER)
            assert verbs.is_over(later) or asked(later) == later.start
        elif account.expected is not None:
            assert (later.phase, asked(later)) == account.expected, board(later)


@settled(4)
@given(new_tables(), SEEDS, THRIFT)
def test_observations_are_finite_float32_within_the_bounds_of_the_layout(
    state: State, seed: int, thrift: float
) -> None:
    for count, (later, _) in enumerate(random_game(state, seed, thrift)):
        observation = np.full(LAYOUT.size, np.nan, np.float32)
        verbs.observe(later, count % int(later.num_players), observation)
        assert np.isfinite(observation).all()
        assert (LAYOUT.low <= observation).all()
        assert (observation <= LAYOUT.high).all()


@settled(5)
@given(new_tables(), SEEDS, THRIFT)
def test_rounds_and_moves_only_go_one_way(state: State, seed: int, thrift: float) -> None:
    """And points change only with the round."""
    before = copy_of(state)
    for count, (later, _) in enumerate(random_game(state, seed, thrift)):
        rounds = 3 * int(later.age) + int(later.round_number)
        passed = rounds - (3 * int(before.age) + int(before.round_number))
        assert later.moves == count
        assert passed in (0, 1)
        changed = points(later) != points(before)
        assert not changed or passed or later.phase == SCORING or verbs.is_over(later)
        before = copy_of(later)


def names_in(provinces: int) -> set[str]:
    """The names in a set of bits."""
    return {name for index, name in enumerate(PROVINCE_NAMES) if provinces >> index & 1}
