"""Who knows what: observations tell no secret, samples keep all that is known and vary the rest."""

import numpy as np
from amunre_table import State, asked, board, copy_of, hand, harvest, legal, market, offering, play, table
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amunre_env import GAME
from amunre_env.components import FAVOR_COUNTS, FAVOR_NAMES, OFFERING_ADJUSTMENT
from amunre_env.observation import LAYOUT
from amunre_env.scoring import scorable_kinds
from amunre_env.state import CHOOSE_PROVINCE, DECLARING, OFFERING, faults
from tabletop import verbs

OPTIONS = st.fixed_dictionaries({option.name: st.sampled_from(option.choices) for option in GAME.options})
SEEDS = st.integers(0, 2**32 - 1)
CALM = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def positions(draw: st.DrawFn) -> State:
    """A position of a random game in which cards are bought and kept rather than sold."""
    state = GAME.new_states(1)[0]
    options = GAME.encode_options(draw(OPTIONS))
    verbs.new_game(state, draw(st.integers(3, 5)), options, np.uint64(draw(SEEDS)))
    generator = np.random.default_rng(draw(SEEDS))
    for _ in range(draw(st.integers(0, 250))):
        moves = [
            move for move in sorted(legal(state)) if not move.startswith("sell") or generator.random() < 0.2
        ]
        if verbs.is_over(state):
            break
        drawing = [move for move in moves if move.startswith(("buy", "take_favor"))]
        play(state, str(generator.choice(drawing or moves)))
    return state


def observation(state: State, player: int) -> bytes:
    out = np.full(LAYOUT.size, np.nan, np.float32)
    verbs.observe(state, player, out)
    assert (out >= LAYOUT.low).all()
    assert (out <= LAYOUT.high).all()
    return out.tobytes()


def sample(state: State, player: int, seed: int) -> State:
    again = copy_of(state)
    verbs.resample(again, player, np.uint64(seed))
    assert faults(again) == [], board(again)
    return again


@CALM
@given(positions(), SEEDS)
def test_states_that_differ_only_in_secrets_look_alike(state: State, seed: int) -> None:
    for player in range(int(state.num_players)):
        again = sample(state, player, seed)
        assert observation(again, player) == observation(state, player)
        assert GAME.state_to_string(again) == GAME.state_to_string(state)
        assert GAME.board_for is not None
        assert GAME.board_for(again, player) == GAME.board_for(state, player)
        if player == asked(state):
            assert legal(again) == legal(state)


@CALM
@given(positions(), SEEDS)
def test_samples_keep_the_public_facts_and_the_own_secrets(state: State, seed: int) -> None:
    for player in range(int(state.num_players)):
        again = sample(state, player, seed)
        secret = (
            "rng",
            "moves",
            "favors",
            "favor_deck",
            "drawn_since",
            "num_drawn",
            "drawn_by",
            "drawn",
            "hands",
        )
        for name in GAME.state_dtype.names or ():
            if name not in (*secret, "choices", "offers", "adjusting"):
                assert (again[name] == state[name]).all(), name
        assert again.moves - again.adjusting.sum() == state.moves - state.adjusting.sum()
        for name in ("favors", "hands", "choices", "offers", "adjusting"):
            assert (again[name][player] == state[name][player]).all(), name
        assert ((again.choices < 0) == (state.choices < 0)).all()
        assert ((again.hands < 0) == (state.hands < 0)).all()
        assert ((again.offers == 0) == (state.offers == 0)).all()
        if state.phase > OFFERING:
            assert (again.offers == state.offers).all()


@CALM
@given(positions())
def test_the_seed_says_what_is_sampled(state: State) -> None:
    assert sample(state, 0, 5).tobytes() == sample(state, 0, 5).tobytes()


@CALM
@given(positions(), SEEDS)
def test_a_sampled_game_can_be_played_to_its_end(state: State, seed: int) -> None:
    again = sample(state, seed % int(state.num_players), seed)
    while not verbs.is_over(again):
        play(again, max(legal(again)))


def hands_of(state: State, player: int, other: int, samples: int = 40) -> list[list[str]]:
    return [hand(sample(state, player, seed), other) for seed in range(samples)]


def test_samples_vary_others_cards() -> None:
    state = market(favors=[["bribery"], ["treasury", "scribes"]])
    assert len({tuple(cards) for cards in hands_of(state, 0, 1)}) > 20
    assert {tuple(cards) for cards in hands_of(state, 1, 1)} == {("treasury", "scribes")}


def test_every_arrangement_is_about_equally_likely_where_nothing_is_known() -> None:
    state = market(favors=[[], ["treasury"]])
    drawn = [cards[0] for cards in hands_of(state, 0, 1, 2000)]
    share = drawn.count("architect") / len(drawn)
    assert abs(share - FAVOR_COUNTS[0] / FAVOR_COUNTS.sum()) < 0.03


def test_the_architect_dealt_at_setup_is_known_until_one_leaves_the_hand() -> None:
    state = GAME.new_states(1)[0]
    verbs.new_game(state, 3, GAME.encode_options(GAME.resolve_options()), np.uint64(0))
    start, other = int(state.start), (int(state.start) + 1) % 3
    while state.phase < OFFERING:
        moves = legal(state)
        play(state, max(move for move in moves if move[:3] == "bid" or move == "done"))
    play(state, "offer 1", "steal", "steal", "take_favor", "take_favor", "take_favor")
    assert all("architect" in cards for cards in hands_of(state, other, start))
    while "sell architect" not in legal(state) or asked(state) != start:
        play(state, min(move for move in legal(state) if move.split()[0] not in ("sell", "protect")))
    play(state, "sell architect")
    assert not all("architect" in cards for cards in hands_of(state, other, start))


def test_who_was_passed_over_in_a_harvest_is_known_to_hold_no_harvest_card() -> None:
    state = offering(favors=[["treasury"], ["scribes", "riverside"]], start=1)
    assert any("treasury" in cards for cards in hands_of(state, 2, 1))
    play(state, "steal", "steal", "steal")
    assert asked(state) == 0
    assert not any({"treasury", "big_harvest"} & set(cards) for cards in hands_of(state, 2, 1))
    assert all({"treasury", "big_harvest"} & set(cards) for cards in hands_of(state, 2, 0))


def test_who_is_asked_in_a_harvest_may_hold_either_harvest_card() -> None:
    """25: that there is one is known, not which."""
    state = offering(favors=[["treasury"]])
    play(state, "steal", "steal", "steal")
    assert asked(state) == 0
    assert {tuple(cards) for cards in hands_of(state, 2, 0)} == {("treasury",), ("big_harvest",)}


def test_who_is_asked_in_a_scoring_may_hold_any_yellow_card_that_scores() -> None:
    """25: that there is one is known, not which."""
    state = harvest(
        ["steal"] * 3,
        owned=[["memphis", "baharya"], ["abu", "thebes"], ["abydos", "mendes"]],
        offered=["kharga", "buto", "sawu"],
        favors=[["same_bank"]],
    )
    assert (asked(state), legal(state)) == (0, {"score same_bank", "done"})
    scoring = {(name,) for kind, name in enumerate(FAVOR_NAMES) if scorable_kinds(state, 0) >> kind & 1}
    assert {tuple(cards) for cards in hands_of(state, 2, 0, 100)} == scoring
    assert len(scoring) > 1


def test_after_a_renewal_the_deck_is_known_to_hold_only_what_was_discarded() -> None:
    state = table(
        offered=["thebes", "mendes", "buto"], deck=["scribes"], favors=[["riverside"], ["riverside"]]
    )
    play(state, "bid thebes 0", "bid mendes 0")
    play(state, "bid buto 0", chance=["favors 0 scribes treasury"])
    for seed in range(20):
        again = sample(state, 2, seed)
        assert again.favor_deck[9] == 0
        assert hand(again, 1) != []


def test_unrevealed_offers_are_sampled_within_the_gold_and_theft_without_gold() -> None:
    state = offering(gold=[0, 9, 20])
    play(state, "steal", "offer 4")
    sampled = [sample(state, 2, seed) for seed in range(60)]
    assert {int(again.offers[0]) for again in sampled} == {-1}
    assert len({int(again.offers[1]) for again in sampled}) > 5
    assert all(again.offers[1] == -1 or 1 <= again.offers[1] <= 9 for again in sampled)
    assert {int(sample(state, 1, seed).offers[1]) for seed in range(9)} == {4}


def test_a_blue_card_counts_as_in_hand_until_declared() -> None:
    state = offering(favors=[["offering_adjustment"], ["offering_adjustment"]])
    seen = observation(state, 2)
    play(state, "adjust")
    assert observation(state, 2) == seen
    assert observation(state, 0) != seen
    play(state, "offer 1", "adjust", "offer 2", "steal")
    assert state.phase == DECLARING
    for seed in range(20):
        again = sample(state, 2, seed)
        assert again.favors[0, OFFERING_ADJUSTMENT] >= 1
        assert again.adjusting[0] == 1
    assert {int(sample(state, 2, seed).adjusting[1]) for seed in range(90)} == {0, 1}
    play(state, "raise")
    assert state.hand_sizes[0] == 0


def test_expert_hands_and_choices_are_sampled_from_what_has_not_been_seen() -> None:
    state = GAME.new_states(1)[0]
    verbs.new_game(state, 4, GAME.encode_options(GAME.resolve_options("expert")), np.uint64(1))
    play(state, max(legal(state)))
    play(state, max(legal(state)))
    observer = asked(state)
    chooser = int(state.start)
    assert state.phase == CHOOSE_PROVINCE
    sampled = [sample(state, observer, seed) for seed in range(60)]
    own = set(state.hands[observer].tolist())
    others = [set(again.hands[chooser].tolist()) for again in sampled]
    assert all(not own & hands for hands in others)
    assert set().union(*others) == set(range(15)) - own
    assert {int(again.choices[chooser]) for again in sampled} == {0, 1, 2}
    assert all((again.hands[observer] == state.hands[observer]).all() for again in sampled)
