"""The harvest. Rulebook: "4. The Harvest Phase"."""

import pytest
from amunre_table import asked, gold, hand, harvest, legal, play

from amunre_env.state import HARVEST

LOW, SECOND, THIRD, HIGH = (  # offers that select each tile
    ["steal"] * 3,
    ["offer 1", "offer 1", "offer 1"],
    ["offer 5", "offer 5", "offer 5"],
    ["offer 9", "offer 9", "offer 9"],
)
PAID = {0: 3, 1: -1, 2: -5, 3: -9}


@pytest.mark.parametrize(("tile", "offers"), list(enumerate([LOW, SECOND, THIRD, HIGH])))
def test_each_farmer_pays_the_value_of_the_tile_free_ones_too(tile: int, offers: list[str]) -> None:
    state = harvest(
        offers,
        owned=[["thebes"], ["abydos"], ["damanhur"]],
        farmers={"thebes": 2},
        free_farmers={"thebes": 1},
    )
    assert gold(state) == [20 + PAID[tile] + 3 * (tile + 1), 20 + PAID[tile], 20 + PAID[tile]]


def test_gold_mines_always_pay() -> None:
    for offers, paid in ((LOW, 3), (HIGH, -9)):
        state = harvest(offers, offered=["berenike", "abu", "buto"])
        assert gold(state) == [20 + paid + 8, 20 + paid + 4, 20 + paid]


@pytest.mark.parametrize(("tile", "offers"), list(enumerate([LOW, SECOND, THIRD, HIGH])))
def test_caravans_pay_when_the_tile_shows_a_camel(tile: int, offers: list[str]) -> None:
    state = harvest(offers, offered=["avaris", "sawu", "buto"])
    pay = 20 + PAID[tile]
    assert gold(state) == ([pay + 8, pay + 7, pay] if tile < 2 else [pay, pay, pay])


def test_provinces_of_earlier_rounds_pay_again() -> None:
    state = harvest(LOW, owned=[["abu"], ["berenike"], ["buto"]], offered=["mendes", "edfu", "amarna"])
    assert gold(state) == [27, 31, 23]


def test_treasury_pays_8_gold_instead_of_a_province() -> None:
    state = harvest(LOW, owned=[["abu"], ["damanhur"], ["thebes"]], favors=[["treasury"]], farmers={"abu": 2})
    assert legal(state) == {"treasury abu", "treasury buto", "done"}
    play(state, "treasury abu")
    assert gold(state)[0] == 23 + 8
    assert hand(state, 0) == []


def test_big_harvest_pays_1_more_for_each_farmer_of_a_province() -> None:
    position = {"owned": [["abu"], ["damanhur"], ["thebes"]], "favors": [["big_harvest"]]}
    state = harvest(LOW, farmers={"abu": 2}, free_farmers={"abu": 1}, **position)
    play(state, "big_harvest abu")
    assert gold(state)[0] == 23 + 4 + 3 * 2


@pytest.mark.parametrize("cards", [("treasury", "big_harvest"), ("big_harvest", "treasury")])
def test_big_harvest_on_a_province_under_treasury_pays_nothing(cards: tuple[str, str]) -> None:
    state = harvest(LOW, owned=[["abu"], ["damanhur"], ["thebes"]], favors=[[*cards]], farmers={"abu": 2})
    play(state, f"{cards[0]} abu")
    assert asked(state) == 0
    play(state, f"{cards[1]} abu")
    assert gold(state)[0] == 23 + 8


def test_harvest_cards_are_asked_for_in_turn_order_each_once() -> None:
    state = harvest(LOW, start=1, favors=[["treasury", "treasury"], [], ["big_harvest", "treasury"]])
    assert (asked(state), state.phase) == (2, HARVEST)
    play(state, "treasury mendes")
    assert legal(state) == {"big_harvest mendes", "done"}
    play(state, "done")
    assert asked(state) == 0
    play(state, "treasury amarna")
    assert state.round_number == 1
    assert hand(state, 0) == ["treasury"]


def test_a_harvest_without_cards_is_not_asked() -> None:
    state = harvest(LOW, favors=[["scribes", "bribery"]])
    assert state.round_number == 1
