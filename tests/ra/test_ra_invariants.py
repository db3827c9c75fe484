"""What must hold after every move of any game of Ra, for any seed, options and number of players."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ra_referee import legal_by_the_rules, position, random_game
from ra_table import State, asked, copy_of, down, fame, held, legal, lot, returns, table, up

from ra_env import GAME
from ra_env.actions import ACTION_NAMES
from ra_env.components import TILE_COUNTS, TILE_NAMES
from ra_env.observation import LAYOUT
from ra_env.state import AUCTION, DISCARD, GODS, faults
from tabletop import verbs

pytestmark = pytest.mark.engine

EVERY_WAY = st.fixed_dictionaries({option.name: st.sampled_from(option.choices) for option in GAME.options})
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def new_tables(draw: st.DrawFn) -> State:
    """A new game of any number of players, options and seed."""
    players, options, seed = draw(st.integers(2, 5)), draw(EVERY_WAY), draw(SEEDS)
    state = table(players)
    verbs.new_game(state, players, GAME.encode_options(options), np.uint64(seed))
    return state


CALM = st.sampled_from([0.3, 0.6, 0.9])
POSITIONS = st.builds(position, new_tables(), SEEDS, CALM, st.integers(0, 150))


def settled(max_examples: int) -> settings:
    """The same examples at every run."""
    return settings(
        max_examples=max_examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )


def observation_of(state: State, seat: int) -> np.ndarray:
    """What a seat sees, over values that `observe` must overwrite."""
    out = np.full(LAYOUT.size, np.nan, np.float32)
    verbs.observe(state, seat, out)
    return out


@settled(30)
@given(new_tables(), SEEDS, CALM)
def test_180_tiles_and_all_suns_are_there_after_every_move_and_the_bag_never_runs_dry(
    state: State, seed: int, calm: float
) -> None:
    for later, _ in random_game(state, seed, calm):
        assert faults(later) == []
        assert later.bag_total > 0 or "draw" not in legal(later)
    assert (state.epoch == 3) != verbs.is_truncated(state)


@settled(30)
@given(new_tables(), SEEDS, CALM)
def test_the_legal_moves_are_those_of_a_brute_force_check_and_never_none(
    state: State, seed: int, calm: float
) -> None:
    for later, log in random_game(state, seed, calm):
        if not verbs.is_over(later):
            moves = legal(later)
            assert moves == legal_by_the_rules(later, log)
            assert moves


@settled(20)
@given(new_tables(), SEEDS, CALM)
def test_nobody_is_asked_an_empty_question(state: State, seed: int, calm: float) -> None:
    """Ruling `no-empty-question`: who is asked to bid can outbid, who is asked to discard can choose."""
    for later, log in random_game(state, seed, calm):
        seat = asked(later)
        if later.phase == AUCTION:
            assert max(up(later, seat)) > max(log.bids, default=0)
        elif later.phase in (DISCARD, GODS):
            assert len(legal(later)) > 1
        elif not verbs.is_over(later):
            assert up(later, seat)


@settled(10)
@given(new_tables(), SEEDS, CALM)
def test_observations_are_finite_float32_within_the_bounds_of_the_layout(
    state: State, seed: int, calm: float
) -> None:
    for count, (later, _) in enumerate(random_game(state, seed, calm)):
        observation = observation_of(later, count % int(later.num_players))
        assert observation.dtype == np.float32
        assert np.isfinite(observation).all()
        assert (LAYOUT.low <= observation).all()
        assert (observation <= LAYOUT.high).all()


@settled(60)
@given(POSITIONS)
def test_the_observation_shows_what_lies_on_the_table_from_each_seat(state: State) -> None:
    players = int(state.num_players)
    for observer in range(players):
        seen = LAYOUT.view(observation_of(state, observer))
        assert [round(share * count) for share, count in zip(seen["bag"], TILE_COUNTS, strict=True)] == list(
            state.bag
        )
        assert counted(seen["lot"] * 4) == lot(state)
        assert np.argmax(seen["center_sun"]) + 1 == state.center_sun
        assert np.argmax(seen["current"]) == (asked(state) - observer) % players
        assert round(seen["ra_tiles"][0] * 10) == state.ra_tiles
        for place in range(players):
            seat = (observer + place) % players
            assert counted(seen["tiles"][place] * 5) == held(state, seat)
            assert {sun + 1 for sun in np.flatnonzero(seen["suns_up"][place])} == up(state, seat)
            assert {sun + 1 for sun in np.flatnonzero(seen["suns_down"][place])} == down(state, seat)
            assert round(seen["fame"][place] * 50) == fame(state)[seat]
        for name in ("tiles", "suns_up", "suns_down", "fame", "fame_if_scored", "seated"):
            assert not seen[name][players:].any(), name


@settled(60)
@given(POSITIONS, st.integers(0, 2**64 - 1))
def test_resampling_leaves_all_that_can_be_seen(state: State, seed: int) -> None:
    for seat in range(int(state.num_players)):
        again = copy_of(state)
        verbs.resample(again, seat, np.uint64(seed))
        assert legal(again) == legal(state)
        for observer in range(int(state.num_players)):
            assert (observation_of(again, observer) == observation_of(state, observer)).all()
        again.rng[:] = state.rng
        assert again.tobytes() == state.tobytes()


@settled(30)
@given(POSITIONS)
def test_resampling_changes_future_draws_and_the_seed_says_how(state: State) -> None:
    assume(state.epoch < 2 and state.bag_total > 30)

    def next_tiles(seed: int) -> tuple[int, ...]:
        again = copy_of(state)
        verbs.resample(again, 0, np.uint64(seed))
        while again.bag_total > state.bag_total - 4 and not verbs.is_over(again):
            moves = legal(again)
            move = next((move for move in ("draw", "pass", "end") if move in moves), min(moves))
            verbs.apply_action(again, GAME.string_to_action(move))
        return tuple(int(tile) for tile in again.bag)

    bags = [next_tiles(seed) for seed in range(8)]
    assert bags == [next_tiles(seed) for seed in range(8)]
    assert len(set(bags)) > 1


def test_the_notation_of_every_action_names_that_action() -> None:
    assert len(ACTION_NAMES) == GAME.num_actions == 55
    for action, name in enumerate(ACTION_NAMES):
        assert GAME.action_to_string(action) == name
        assert GAME.string_to_action(name) == action
    assert sum(count for _, _, count in GAME.action_blocks) == 55


@settled(20)
@given(new_tables(), SEEDS, CALM)
def test_returns_add_up_to_zero_and_follow_fame_and_then_the_highest_sun(
    state: State, seed: int, calm: float
) -> None:
    for later, _ in random_game(state, seed, calm):
        players = int(later.num_players)
        results = returns(later)
        standing = [(fame(later)[seat], max(up(later, seat) | down(later, seat))) for seat in range(players)]
        ranked = sorted(range(players), key=lambda seat: standing[seat], reverse=True)
        expected = {seat: 1 - 2 * place / (players - 1) for place, seat in enumerate(ranked)}
        assert results == [expected[seat] for seat in range(players)]
        assert abs(sum(results)) < 1e-12


@settled(20)
@given(new_tables(), SEEDS, CALM)
def test_epochs_moves_and_bag_only_go_one_way(state: State, seed: int, calm: float) -> None:
    """And fame changes only with the epoch."""
    before = copy_of(state)
    for count, (later, _) in enumerate(random_game(state, seed, calm)):
        assert later.moves == count
        assert before.bag_total - later.bag_total in (0, 1)
        assert later.epoch - before.epoch in (0, 1)
        assert later.epoch != before.epoch or fame(later) == fame(before)
        before = copy_of(later)


def counted(places: np.ndarray) -> dict[str, int]:
    """Tiles from God on, by name."""
    return {TILE_NAMES[place + 1]: round(float(number)) for place, number in enumerate(places) if number > 0}
