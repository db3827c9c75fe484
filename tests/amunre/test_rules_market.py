"""The market. Rulebook: "2. The Market Phase"."""

import pytest
from amunre_table import asked, built, farmers, gold, hand, legal, legal_verb, market, play

from amunre_env.components import PROVINCE_NAMES
from amunre_env.state import MARKET_FARMERS, MARKET_FAVORS, MARKET_STONES, OFFERING


@pytest.mark.parametrize(("number", "price"), [(1, 1), (2, 3), (3, 6), (4, 10)])
def test_favor_cards_are_bought_in_one_go_for_1_3_6_or_10_gold(number: int, price: int) -> None:
    state = market(offered=["kharga", "buto", "mendes"])
    cards = " ".join(["scribes", "riverside", "treasury", "bribery"][:number])
    play(state, f"buy {number}", chance=[f"favors 0 {cards}"])
    assert gold(state)[0] == 20 - price
    assert len(hand(state, 0)) == number
    assert state.phase == MARKET_FARMERS


def test_the_most_symbols_on_one_province_limit_the_purchase() -> None:
    state = market(offered=["memphis", "buto", "mendes"], owned=[["edfu"], ["abu"], ["sawu"]])
    assert legal_verb(state, "buy") == {"1", "2", "3"}


def test_without_a_symbol_no_favor_card_can_be_bought() -> None:
    state = market(offered=["buto", "kharga", "mendes"])
    assert state.phase == MARKET_FARMERS


def test_a_purchase_needs_the_gold_for_it() -> None:
    state = market(offered=["kharga", "buto", "mendes"], gold=[5])
    assert legal_verb(state, "buy") == {"1", "2"}


def test_a_purchase_needs_enough_cards_in_deck_and_discards() -> None:
    rest = ["architect"] * 5 + ["bribery"] * 4 + ["protection"] * 4 + ["free_farmer"] * 4
    rest += ["offering_adjustment"] * 4 + ["treasury"] * 4 + ["big_harvest"] * 4
    rest += ["same_bank", "same_half", "riverside", "scribes"] * 2
    state = market(offered=["kharga", "buto", "mendes"], favors=[[], rest])
    assert legal_verb(state, "buy") == {"1", "2"}


def test_a_purchase_that_empties_the_deck_goes_on_with_the_discards() -> None:
    state = market(offered=["kharga", "buto", "mendes"], deck=["scribes", "scribes"])
    play(state, "buy 3", chance=["favors 0 scribes scribes bribery"])
    assert hand(state, 0) == ["bribery", "scribes", "scribes"]
    assert state.discards_size == 0


def test_each_player_takes_a_complete_turn_favor_cards_then_farmers_then_stones() -> None:
    state = market(offered=["edfu", "buto", "mendes"], start=1)
    phases = []
    while state.phase != OFFERING:
        phases.append((asked(state), int(state.phase)))
        play(state, "done")
    steps = [MARKET_FAVORS, MARKET_FARMERS, MARKET_STONES]
    assert phases == [(1, step) for step in steps] + [(seat, step) for seat in (2, 0) for step in steps[1:]]


def test_farmers_and_stones_cost_one_gold_more_each() -> None:
    state = market()
    play(state, "farmer buto", "farmer buto", "farmer buto")
    assert gold(state)[0] == 20 - 6
    play(state, "done", "stone buto", "stone buto")
    assert gold(state)[0] == 20 - 6 - 3


def test_farmers_go_only_into_empty_fields_of_own_provinces() -> None:
    state = market(offered=["edfu", "buto", "mendes"], gold=[99], owned=[["abu"], ["amarna"], ["sawu"]])
    play(state, "done")
    assert legal_verb(state, "farmer") == {"edfu", "abu"}
    play(state, "farmer abu", "farmer abu")
    assert legal_verb(state, "farmer") == {"edfu"}
    play(state, "farmer edfu", "farmer edfu", "farmer edfu")
    assert state.phase == MARKET_STONES


def test_stones_go_onto_own_provinces_and_the_third_becomes_a_pyramid_at_once() -> None:
    state = market()
    play(state, "done")
    assert legal_verb(state, "stone") == {"buto"}
    play(state, "stone buto", "stone buto", "stone buto", "stone buto")
    assert built(state, "buto") == (1, 1)


def test_a_province_can_hold_any_number_of_pyramids() -> None:
    state = market(gold=[1000], pyramids={"buto": 5})
    play(state, "done", *["stone buto"] * 9)
    assert built(state, "buto") == (8, 0)


def test_free_farmer_stands_outside_the_fields_of_any_own_province_and_is_free() -> None:
    state = market(offered=["sawu", "buto", "mendes"], favors=[["free_farmer"]])
    assert state.phase == MARKET_FAVORS
    play(state, "free_farmer sawu")
    assert farmers(state, "sawu") == (0, 1)
    assert gold(state)[0] == 20


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_free_farmer_and_architect_are_played_in_any_step_of_the_own_turn(steps: int) -> None:
    state = market(favors=[["free_farmer", "architect"]], stones={"buto": 2})
    play(state, *["done"] * steps)
    assert {"free_farmer buto", "architect buto"} <= legal(state)


def test_architect_makes_a_pyramid_of_exactly_2_stones() -> None:
    state = market(favors=[["architect"]], stones={"buto": 1})
    assert legal_verb(state, "architect") == set()
    play(state, "done", "done", "stone buto", "architect buto")
    assert built(state, "buto") == (1, 0)
    assert hand(state, 0) == []


def test_at_most_one_card_of_a_kind_is_played_in_a_phase() -> None:
    twice = ["free_farmer", "free_farmer", "architect", "architect"]
    state = market(favors=[twice], owned=[["abu"], ["amarna"], ["sawu"]], stones={"abu": 2, "buto": 2})
    play(state, "free_farmer abu", "architect abu")
    assert legal_verb(state, "free_farmer") == set()
    assert legal_verb(state, "architect") == set()


def test_the_next_market_turn_allows_each_kind_again() -> None:
    state = market(favors=[["free_farmer"], ["free_farmer"]])
    play(state, "free_farmer buto", "done", "done", "free_farmer mendes")
    assert farmers(state, "mendes") == (0, 1)


def test_a_market_step_with_nothing_to_do_is_not_asked() -> None:
    state = market(gold=[0, 0, 1])
    assert asked(state) == 2
    play(state, "buy 1", chance=["favors 2 scribes"])
    assert legal(state) == {"sell scribes", "done"}
    state = market(gold=[0, 1, 0])
    assert (asked(state), legal(state)) == (1, {"farmer mendes", "done"})
    play(state, "farmer mendes")
    assert state.phase == OFFERING


def test_a_market_step_is_asked_while_a_card_can_be_sold() -> None:
    state = market(gold=[0, 0, 0], favors=[["scribes"]])
    assert legal(state) == {"sell scribes", "done"}
    play(state, "sell scribes")
    assert legal(state) == {"farmer buto", "done"}


def test_one_of_each_kind_costs_3_gold() -> None:
    state = market(offered=["edfu", "buto", "mendes"])
    play(state, "buy 1", chance=["favors 0 scribes"])
    play(state, "farmer edfu", "done", "stone edfu")
    assert gold(state)[0] == 20 - 3


def test_eight_of_a_kind_cost_36_gold_and_nine_45() -> None:
    state = market(gold=[99])
    play(state, "done", *["stone buto"] * 8)
    assert gold(state)[0] == 99 - 36
    play(state, "stone buto")
    assert gold(state)[0] == 99 - 45


def test_a_step_that_was_done_or_passed_does_not_come_back_in_this_turn() -> None:
    state = market(offered=["edfu", "buto", "mendes"])
    play(state, "done", "farmer edfu", "done")
    assert state.phase == MARKET_STONES
    play(state, "stone edfu")
    assert legal(state) == {"stone edfu", "done"}


def test_several_pyramids_may_be_built_in_one_turn() -> None:
    state = market(gold=[99], owned=[["abu"], ["amarna"], ["sawu"]], pyramids={"buto": 1})
    play(state, "done", "done", *["stone buto"] * 3, *["stone abu"] * 3)
    assert (built(state, "buto"), built(state, "abu")) == ((2, 0), (1, 0))


def test_a_third_stone_makes_a_pyramid_though_an_architect_is_in_hand() -> None:
    state = market(favors=[["architect"]], stones={"buto": 2})
    play(state, "done", "done", "stone buto")
    assert built(state, "buto") == (1, 0)
    assert hand(state, 0) == ["architect"]
    assert legal_verb(state, "architect") == set()


def test_more_stones_pyramids_and_farmers_stand_than_are_in_the_box() -> None:
    """Ruling `unlimited-supply`: 15 stones, 15 + 2 x 15 pyramids, 45 farmers."""
    state = market(
        owned=[["thebes"], ["abydos"], ["damanhur"]],
        stones=dict.fromkeys(PROVINCE_NAMES, 2),
        pyramids={"abu": 45},
        farmers={"thebes": 3},
        free_farmers={"thebes": 45},
        favors=[["free_farmer", "architect"]],
    )
    play(state, "free_farmer thebes", "architect buto", "done", "farmer thebes", "done", "stone buto")
    assert (farmers(state, "thebes"), built(state, "buto")) == ((4, 46), (1, 1))


def test_provinces_of_others_are_not_built_on() -> None:
    state = market(favors=[["free_farmer", "architect"]], stones={"mendes": 2, "buto": 2})
    for verb in ("free_farmer", "architect", "farmer", "stone"):
        while legal_verb(state, verb) == set():
            play(state, "done")
        assert legal_verb(state, verb) == {"buto"}
