"""The checkers of invariants find what is wrong: a record is damaged, and they say how."""

from collections.abc import Callable
from typing import Any

import pytest
from helpers import random_game

import amunre_env.state
import ra_env.state
from tabletop.game import load

FAULTS: dict[str, Callable[[Any], list[str]]] = {"ra": ra_env.state.faults, "amunre": amunre_env.state.faults}


def damaged(name: str, rules: str, moves_before: int, damage: Callable[[Any], None]) -> list[str]:
    """Return what the checker says of a sound record after it has been damaged."""
    game = load(name)
    _, states = random_game(game, 3, game.resolve_options(rules), seed=3)
    state = states[moves_before : moves_before + 1].copy()[0]
    assert FAULTS[name](state) == []
    damage(state)
    return FAULTS[name](state)


def put(field: str, value: int, *place: int) -> Callable[[Any], None]:
    """Return a damage: one entry of a field is replaced."""

    def damage(state: Any) -> None:
        if place:
            state[field][place] = value
        else:
            state[field] = value

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (put("bag", 3, 7), "agriculture: bag, track, held, discarded"),
        (put("lot", -1, 2), "gold: bag, track, held, discarded"),
        (put("bag_total", 200), "bag_total 200 but"),
        (put("lot_size", 9), "lot_size 9 but"),
        (put("bag_total", 0), "the bag has run dry before the last Ra tile"),
        (put("center_sun", 16), "the suns are not those that were dealt"),
        (put("suns_up", 0, 1), "players hold different numbers of suns"),
        (put("ra_tiles", 9), "9 Ra tiles on a track of 8"),
    ],
)
def test_a_damaged_record_of_ra_is_found_out(damage: Callable[[Any], None], message: str) -> None:
    assert any(message in fault for fault in damaged("ra", "rulebook", 0, damage))


@pytest.mark.parametrize(
    ("moves_before", "damage", "message"),
    [
        (0, put("favor_deck", 9, 2), "protection: deck, discards and hands"),
        (0, put("hand_sizes", 2, 0), "seat 0 holds 1 favor cards, not 2"),
        (0, put("deck_size", 1), "deck_size 1 but"),
        (0, put("discards_size", 1), "discards_size 1 but"),
        (0, put("lacks", 1, 1), "seat 1 holds a card that it is known to lack"),
        (0, put("facts", 2, 1, 0), "seat 1 holds no card of fact 0"),
        (0, put("drawn_since", 9, 0, 4), "in the deck than were shuffled into it"),
        (0, put("stones", 3, 5), "edfu: 3 stones"),
        (0, put("farmers", 7, 0), "buto: 7 farmers in 6 fields"),
        (0, put("farmers", 1, 0), "buto: farmers but no owner"),
        (0, put("pyramids", -1, 3), "baharya: fewer than no pyramids or farmers"),
        (0, put("pawns", 1, 2), "the pawn of seat 2 is at 1, where seat"),
        (0, put("gold", -1, 2), "seat 2 has -1 gold"),
        (0, put("adjusting", 1, 2), "seat 2 adjusts without a card"),
        (60, put("won", 4, 0, 2), "a province is won twice"),
    ],
)
def test_a_damaged_record_of_amun_re_is_found_out(
    moves_before: int, damage: Callable[[Any], None], message: str
) -> None:
    def damage_all(state: Any) -> None:
        if moves_before:
            state.won[1, 2] = 4
        damage(state)

    assert any(message in fault for fault in damaged("amunre", "basic", moves_before, damage_all))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda state: state["hands"].__setitem__((0, 0), state["hands"][1, 0]),
            "a province in hand is there twice",
        ),
        (put("unseen_provinces", 0), "a province in hand is there twice or has been played"),
        (lambda state: (put("choices", 2, 0)(state), put("hands", -1, 0, 2)(state)), "that is not in hand"),
    ],
)
def test_a_damaged_expert_hand_is_found_out(damage: Callable[[Any], None], message: str) -> None:
    assert any(message in fault for fault in damaged("amunre", "expert", 0, damage))


def test_an_offer_that_cannot_be_paid_is_found_out() -> None:
    game = load("amunre")
    _, states = random_game(game, 3, game.resolve_options(), seed=3)
    offering = next(state for state in states if state.phase == amunre_env.state.OFFERING).copy()
    offering.offers[offering.current] = offering.gold[offering.current] + 1
    assert any("offers" in fault for fault in amunre_env.state.faults(offering))


def test_a_seat_that_is_asked_in_vain_is_found_out() -> None:
    game = load("amunre")
    for seed in range(20):
        _, states = random_game(game, 3, game.resolve_options(), seed=seed)
        asked = [state for state in states if state.phase == amunre_env.state.HARVEST]
        if asked:
            state = asked[0].copy()
            state.facts[state.current, amunre_env.state.HARVEST_FACT] = 0
            found = amunre_env.state.faults(state)
            assert any("is asked but known to have no answer" in fault for fault in found)
            return
    pytest.fail("no harvest was met in 20 games")
