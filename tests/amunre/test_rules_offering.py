"""The offering and its rewards. Rulebook: "3. The Offering Phase"."""

import pytest
from amunre_table import (
    asked,
    built,
    end_age,
    farmers,
    gold,
    hand,
    harvest,
    legal,
    legal_verb,
    market,
    offering,
    play,
)

from amunre_env.state import DECLARING, HARVEST, OFFERING, REWARDS


def test_everybody_offers_gold_or_steals_in_turn_order() -> None:
    state = offering(start=1)
    for seat in (1, 2, 0):
        assert state.phase == OFFERING
        assert asked(state) == seat
        assert legal(state) == {"steal", *(f"offer {amount}" for amount in range(1, 21))}
        play(state, "offer 1")
    assert state.phase == REWARDS


def test_an_offering_is_at_most_99_gold() -> None:
    state = offering(gold=[300])
    assert legal_verb(state, "offer") == {str(amount) for amount in range(1, 100)}


def test_a_player_without_gold_must_steal_or_sell_first() -> None:
    state = offering(gold=[0, 0, 0], favors=[["treasury"], []])
    assert legal(state) == {"steal", "sell treasury"}
    play(state, "sell treasury")
    assert legal(state) == {"steal", "offer 1"}
    play(state, "steal")
    assert legal(state) == {"steal"}


def test_offered_gold_is_paid_and_each_thief_takes_3() -> None:
    state = offering()
    play(state, "offer 5")
    assert gold(state) == [20, 20, 20]
    play(state, "steal", "offer 4")
    assert gold(state) == [15, 23, 16]
    assert state.offering == 5 - 3 + 4


@pytest.mark.parametrize(
    ("offers", "tile"),
    [((1, 1, 0), 0), ((2, 3, 0), 0), ((3, 3, 0), 1), ((10, 5, 0), 1), ((10, 6, 0), 2), ((15, 10, 0), 2)]
    + [((15, 11, 0), 3), ((50, 49, 0), 3)],
)
def test_the_total_selects_the_offering_tile(offers: tuple[int, ...], tile: int) -> None:
    state = offering(gold=[99, 99, 99])
    play(state, *[f"offer {amount}" if amount else "steal" for amount in offers])
    assert state.tile == tile


def test_a_negative_total_selects_the_first_tile() -> None:
    state = offering(favors=[["treasury"]])
    play(state, "steal", "steal", "steal")
    assert state.offering == -9
    assert state.tile == 0


def test_a_blue_card_can_be_added_to_gold_or_theft_and_binds_to_the_offer() -> None:
    state = offering(favors=[["offering_adjustment", "offering_adjustment", "scribes"]])
    play(state, "adjust")
    assert asked(state) == 0
    assert legal(state) == {"steal", *(f"offer {amount}" for amount in range(1, 21))}
    play(state, "steal")
    assert hand(state, 0).count("offering_adjustment") == 2


@pytest.mark.parametrize(("moves", "total"), [(("raise", "raise"), 9), (("lower", "raise"), 3)])
def test_blue_cards_are_declared_in_turn_order_and_discarded(moves: tuple[str, ...], total: int) -> None:
    blue = ["offering_adjustment"]
    state = offering(favors=[blue, [], blue], start=1)
    play(state, "offer 3", "adjust", "offer 2", "adjust", "steal")
    seats = []
    for move in moves:
        assert state.phase == DECLARING
        assert legal(state) == {"raise", "lower"}
        seats.append(asked(state))
        play(state, move)
    assert seats == [2, 0]
    assert state.offering == total - 1
    assert hand(state, 0) == hand(state, 2) == []


def test_an_adjustment_does_not_change_the_own_offer() -> None:
    state = offering(favors=[["offering_adjustment"]])
    play(state, "adjust", "offer 3", "offer 4", "offer 1", "raise")
    assert asked(state) == 1
    assert state.rewards_left == 3


def test_the_first_takes_3_rewards_the_second_2_the_rest_1_in_turn_order() -> None:
    state = offering(5, start=1)
    play(state, "offer 2", "offer 5", "offer 2", "offer 1", "offer 4")
    collected = []
    while state.phase == REWARDS:
        collected.append(asked(state))
        play(state, "take_favor")
    assert collected == [2, 2, 2, 0, 0, 1, 3, 4]


def test_a_tie_goes_to_the_earlier_in_turn_order() -> None:
    state = offering(4, start=2)
    play(state, "offer 3", "offer 3", "offer 3", "offer 1")
    collected = []
    while state.phase == REWARDS:
        collected.append((asked(state), int(state.rewards_left)))
        play(state, "done")
    assert collected == [(2, 3), (3, 2), (0, 1), (1, 1)]


def test_thieves_get_no_reward() -> None:
    state = offering(4)
    play(state, "steal", "offer 1", "steal", "offer 2")
    collected = []
    while state.phase == REWARDS:
        collected.append(asked(state))
        play(state, "done")
    assert collected == [3, 1]


def test_a_reward_is_a_favor_card_a_farmer_or_a_stone_and_may_be_declined() -> None:
    state = offering(favors=[["architect", "free_farmer"]], stones={"buto": 2})
    play(state, "offer 3", "offer 1", "offer 1")
    assert legal(state) == {"take_favor", "farmer buto", "stone buto", "done"}
    play(state, "stone buto", "farmer buto")
    assert built(state, "buto") == (1, 0)
    assert farmers(state, "buto") == (1, 0)
    assert gold(state)[0] == 17
    play(state, "done")
    assert asked(state) == 1


def test_a_favor_card_as_reward_needs_no_symbol() -> None:
    state = offering()
    play(state, "offer 3", "offer 1", "offer 1")
    play(state, "take_favor", chance=["favors 0 riverside"])
    assert hand(state, 0) == ["riverside"]


def test_take_favor_is_not_legal_when_deck_and_discards_are_empty() -> None:
    everything = ["architect"] * 5
    for name in ("bribery", "protection", "free_farmer", "offering_adjustment", "treasury", "big_harvest"):
        everything += [name] * 4
    everything += ["same_bank", "same_half", "riverside", "scribes", "harvesters"] * 2
    state = offering(favors=[everything])
    play(state, "offer 3", "offer 1", "offer 1")
    assert "take_favor" not in legal(state)


def test_the_last_reward_may_be_a_harvest_card_that_is_then_asked_for() -> None:
    state = offering(deck=["treasury"])
    play(state, "offer 3", "steal", "steal", "stone buto", "stone buto")
    play(state, "take_favor", chance=["favors 0 treasury"])
    assert state.phase == HARVEST
    assert legal(state) == {"treasury buto", "done"}


def test_the_highest_offer_is_start_player_from_the_next_round_on() -> None:
    state = offering(favors=[["treasury"]])
    play(state, "offer 1", "offer 4", "offer 2")
    assert state.start == 0
    while state.phase != HARVEST:
        play(state, "done")
    assert asked(state) == 0
    assert state.start == 0
    play(state, "done")
    assert state.start == 1
    assert asked(state) == 1


def test_the_start_player_stays_when_everybody_stole() -> None:
    state = harvest(["steal"] * 3, start=2)
    assert state.round_number == 1
    assert state.start == 2


def test_the_start_player_of_the_last_round_begins_the_new_kingdom() -> None:
    earlier = [["abu", "sawu"], ["memphis", "dakhla"], ["thebes", "abydos"]]
    state = end_age(["offer 1", "offer 1", "offer 2"], owned=earlier)
    assert state.age == 1
    assert state.start == 2


def test_nobody_is_asked_for_an_offering_before_the_market_is_over() -> None:
    assert market().phase != OFFERING


def test_a_thief_keeps_the_theft_card_for_the_next_round() -> None:
    state = harvest(["steal", "offer 1", "offer 1"], gold=[0, 9, 9])
    assert state.round_number == 1
    while state.phase != OFFERING:
        play(state, max(move for move in legal(state) if move == "done" or move.startswith("bid")))
    assert "steal" in legal(state)
    while asked(state) != 0:
        play(state, "steal")
    assert "steal" in legal(state)


@pytest.mark.parametrize(
    ("moves", "tile"), [(("raise", "raise"), 2), (("raise", "lower"), 1), (("lower",) * 2, 0)]
)
def test_the_tile_is_selected_after_the_blue_cards(moves: tuple[str, ...], tile: int) -> None:
    blue = ["offering_adjustment"]
    state = offering(favors=[blue, blue])
    play(state, "adjust", "offer 4", "adjust", "offer 3", "offer 1", moves[0])
    assert state.tile == -1
    play(state, moves[1])
    assert (state.offering, state.tile) == ({2: 14, 1: 8, 0: 2}[tile], tile)


def test_a_player_may_offer_the_last_gold() -> None:
    state = offering(gold=[7])
    play(state, "offer 7", "offer 1", "offer 1")
    assert gold(state)[0] == 0


def test_a_thief_may_adjust_the_total_too() -> None:
    state = offering(favors=[["offering_adjustment"]])
    play(state, "adjust", "steal", "offer 9", "offer 9", "lower")
    assert state.offering == 9 + 9 - 3 - 3
    assert gold(state)[0] == 23
