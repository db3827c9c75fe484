"""Favor cards at any time, and the expert rules. Rulebook: "Game Play", "Expert Rules"."""

import numpy as np
import pytest
from amunre_table import (
    PLAYERS,
    State,
    asked,
    gold,
    hand,
    harvest,
    legal,
    legal_verb,
    market,
    offering,
    play,
    table,
)

from amunre_env import GAME
from amunre_env.components import ALL_PROVINCES, PROVINCE_NAMES
from amunre_env.state import (
    BIDDING,
    CHOOSE_PROVINCE,
    HARVEST,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    OFFERING,
    SCORING,
)
from tabletop import verbs

CARDS = ["architect", "treasury", "scribes"]


def test_a_sold_card_pays_1_gold_is_discarded_and_keeps_the_turn() -> None:
    state = table(favors=[CARDS])
    play(state, "sell treasury")
    assert gold(state)[0] == 21
    assert hand(state, 0) == ["architect", "scribes"]
    assert state.discards_size == 1
    assert asked(state) == 0


def test_cards_may_be_sold_at_every_own_decision_before_it_is_bound() -> None:
    state = table(favors=[CARDS])
    assert legal_verb(state, "sell") == set(CARDS)
    state = market(favors=[CARDS])
    for _ in ("favor cards", "farmers", "stones"):
        assert legal_verb(state, "sell") == set(CARDS)
        play(state, "done")
    state = offering(favors=[CARDS])
    assert legal_verb(state, "sell") == set(CARDS)


def test_no_card_is_sold_during_rewards_harvest_or_declaring() -> None:
    state = offering(favors=[[*CARDS, "offering_adjustment"]])
    play(state, "adjust")
    assert legal_verb(state, "sell") == set()
    play(state, "offer 1", "offer 1", "offer 1")
    assert legal_verb(state, "sell") == set()
    play(state, "lower")
    assert legal_verb(state, "sell") == set()
    while legal_verb(state, "treasury") == set():
        play(state, "done")
    assert legal_verb(state, "sell") == set()


def test_selling_in_the_auction_can_pay_for_a_higher_space() -> None:
    state = table(gold=[0], favors=[["scribes"]])
    assert "bid buto 1" not in legal(state)
    play(state, "sell scribes")
    assert "bid buto 1" in legal(state)


def expert_game(players: int, seed: int = 0) -> State:
    state = GAME.new_states(1)[0]
    verbs.new_game(state, players, GAME.encode_options(GAME.resolve_options("expert")), np.uint64(seed))
    return state


def in_hand(state: State, seat: int) -> list[str]:
    return [PROVINCE_NAMES[province] for province in state.hands[seat] if province >= 0]


def choose_all(state: State) -> list[str]:
    """Everybody chooses the first province of the hand."""
    chosen = []
    while state.phase == CHOOSE_PROVINCE:
        chosen.append(in_hand(state, asked(state))[0])
        play(state, f"choose {chosen[-1]}")
    return chosen


def play_on(state: State, age: int, round_number: int) -> None:
    """Play anything legal up to a round."""
    while (state.age, state.round_number) != (age, round_number):
        if state.phase == CHOOSE_PROVINCE:
            choose_all(state)
        play(state, min(legal(state)))


@pytest.mark.parametrize("players", PLAYERS)
def test_under_the_expert_rules_everybody_is_dealt_three_provinces(players: int) -> None:
    state = expert_game(players)
    dealt = [name for seat in range(players) for name in in_hand(state, seat)]
    assert len(set(dealt)) == 3 * players
    assert state.unseen_provinces == ALL_PROVINCES


@pytest.mark.parametrize("players", PLAYERS)
def test_everybody_chooses_one_of_their_provinces_for_the_auction(players: int) -> None:
    state = expert_game(players)
    start = int(state.start)
    assert asked(state) == start
    assert legal(state) == {f"choose {name}" for name in in_hand(state, start)}
    chosen = choose_all(state)
    assert state.phase == BIDDING
    assert asked(state) == start
    assert [PROVINCE_NAMES[province] for province in state.offered[:players]] == chosen
    assert [len(in_hand(state, seat)) for seat in range(players)] == [2] * players


def test_a_choice_is_hidden_until_the_last_one() -> None:
    state = expert_game(3)
    play(state, min(legal(state)))
    assert (state.offered == -1).all()
    assert [len(in_hand(state, seat)) for seat in range(3)] == [3, 3, 3]
    assert in_hand(state, int(state.start))[0] not in GAME.state_to_string(state)


def test_the_provinces_of_the_old_kingdom_are_dealt_again_for_the_new_one() -> None:
    state = expert_game(4, seed=2)
    before = {name for seat in range(4) for name in in_hand(state, seat)}
    play_on(state, 1, 0)
    after = {name for seat in range(4) for name in in_hand(state, seat)}
    assert after == before
    assert state.phase == CHOOSE_PROVINCE


def test_each_card_is_played_only_in_its_own_phase() -> None:
    """Architect and Free Farmer in the market, Treasury and Big Harvest in the harvest, and so on."""
    phases = {
        "protect": {BIDDING},
        "free_farmer": {MARKET_FAVORS, MARKET_FARMERS, MARKET_STONES},
        "architect": {MARKET_FAVORS, MARKET_FARMERS, MARKET_STONES},
        "adjust": {OFFERING},
        "treasury": {HARVEST},
        "big_harvest": {HARVEST},
        "score": {SCORING},
    }
    cards = ["protection", "free_farmer", "architect", "offering_adjustment", "treasury", "big_harvest"]
    state = table(
        favors=[[*cards, "same_half"]],
        owned=[["memphis", "avaris"], ["abydos", "thebes"], ["sawu", "baharya"]],
        stones={"memphis": 2},
    )
    seen: dict[str, set[int]] = {verb: set() for verb in phases}
    while state.age == 0:
        if asked(state) == 0:
            for verb, phase in ((verb, int(state.phase)) for verb in phases if legal_verb(state, verb)):
                seen[verb].add(phase)
        moves = legal(state) - {"protect", "adjust"}
        calm = ("done", "offer 5", "raise", min(moves))
        play(state, next(move for move in calm if move in moves))
    assert seen == phases


def test_no_card_is_sold_while_provinces_are_chosen_or_yellow_cards_scored() -> None:
    """Ruling `when-to-sell`: the market, the auction and the offering are enough."""
    assert legal_verb(expert_game(3), "sell") == set()
    state = harvest(
        ["steal"] * 3,
        owned=[["memphis", "avaris"], ["abydos", "thebes"], ["sawu", "baharya"]],
        offered=["buto", "mendes", "amarna"],
        favors=[["same_half", "bribery"]],
    )
    assert state.phase == SCORING
    assert legal_verb(state, "sell") == set()
