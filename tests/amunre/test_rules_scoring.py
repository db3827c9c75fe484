"""Scoring and the end of the game. Rulebook: "Intermediate Scoring", "Final Scoring"."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from amunre_table import (
    State,
    asked,
    be_done,
    end_age,
    gold,
    hand,
    harvest,
    legal,
    play,
    points,
    returns,
    table,
)

from amunre_env.state import HARVEST, OVER, SCORING

# Three provinces a seat, the third is won in the round that is played; sides and halves differ.
EARLIER = [["memphis", "avaris"], ["abydos", "thebes"], ["sawu", "baharya"]]
THIRD = ["buto", "mendes", "amarna"]
STEAL = ["steal"] * 3


def scored(
    *,
    offers: Sequence[str] = STEAL,
    owned: Sequence[Sequence[str]] = EARLIER,
    offered: Sequence[str] = THIRD,
    **more: object,
) -> list[int]:
    """Return what every seat scores at the end of the Old Kingdom."""
    return points(end_age(offers, owned=owned, offered=offered, **more))


def test_nothing_built_scores_nothing() -> None:
    assert scored(offered=["buto", "mendes", "berenike"]) == [0, 0, 0]


@pytest.mark.parametrize(("offer", "value"), [(None, 1), (1, 2), (5, 3), (9, 4)])
def test_temples_score_at_the_end_of_an_age(offer: int | None, value: int) -> None:
    offers = STEAL if offer is None else [f"offer {offer}"] * 3
    assert scored(offers=offers, offered=["damanhur", "edfu", "berenike"]) == [2 * value, value, 0]


def test_temples_do_not_score_in_a_harvest_by_default() -> None:
    state = harvest(["offer 9"] * 3, offered=["damanhur", "edfu", "berenike"])
    assert points(state) == [0, 0, 0]


def test_temples_score_after_every_harvest_under_that_option() -> None:
    option = {"temples": "harvest"}
    state = harvest(["offer 9"] * 3, offered=["damanhur", "edfu", "berenike"], options=option)
    assert points(state) == [8, 4, 0]
    assert scored(offered=["damanhur", "edfu", "berenike"], options=option) == [2, 1, 0]


def test_each_pyramid_scores_1_and_the_greatest_province_of_each_bank_5() -> None:
    assert scored(pyramids={"memphis": 2, "abydos": 1}, offered=["buto", "mendes", "berenike"]) == [
        2 + 5,
        1,
        0,
    ]
    assert scored(pyramids={"memphis": 2, "thebes": 1}, offered=["buto", "mendes", "berenike"]) == [7, 6, 0]


def test_each_complete_set_of_pyramids_scores_3() -> None:
    built = {"memphis": 2, "avaris": 3, "buto": 2}
    assert scored(pyramids=built, offered=["buto", "mendes", "berenike"]) == [7 + 6 + 5 + 5, 0, 0]
    built = {"memphis": 2, "avaris": 3}
    assert scored(pyramids=built, offered=["buto", "mendes", "berenike"]) == [5 + 5 + 5, 0, 0]


def test_more_stones_break_a_tie_on_a_bank() -> None:
    tied = {"memphis": 1, "abydos": 1}
    assert scored(pyramids=tied, stones={"abydos": 1}, offered=["buto", "mendes", "berenike"]) == [1, 6, 0]


def test_every_tied_owner_scores_a_bank_once() -> None:
    tied = {"memphis": 1, "buto": 1, "abydos": 1}
    assert scored(pyramids=tied, offered=["buto", "mendes", "berenike"]) == [2 + 5, 1 + 5, 0]


def test_a_bank_without_pyramids_scores_nothing() -> None:
    assert scored(stones={"memphis": 2, "thebes": 1}, offered=["buto", "mendes", "berenike"]) == [0, 0, 0]


CONDITIONS = {
    "same_bank": (["memphis", "baharya", "kharga"], ["memphis", "baharya", "mendes"]),
    "same_half": (["memphis", "avaris", "buto"], ["memphis", "avaris", "edfu"]),
    "riverside": (["memphis", "thebes", "buto"], ["memphis", "thebes", "avaris"]),
    "scribes": (["kharga", "memphis", "buto"], ["kharga", "sawu", "buto"]),
}


@pytest.mark.parametrize("card", CONDITIONS)
@pytest.mark.parametrize("holds", [True, False])
def test_a_yellow_card_scores_3_when_its_condition_holds(card: str, holds: bool) -> None:
    mine = CONDITIONS[card][0 if holds else 1]
    free = [
        name for name in ("damanhur", "abydos", "dakhla", "abu", "berenike", "amarna") if name not in mine
    ]
    state = harvest(
        STEAL, owned=[mine[:2], free[:2], free[2:4]], offered=[mine[2], *free[4:6]], favors=[[card]]
    )
    if not holds:
        assert state.phase != SCORING
        return
    assert (asked(state), legal(state)) == (0, {f"score {card}", "done"})
    before = copy_points(state, f"score {card}")
    assert before[0] == 3


def copy_points(state: State, *moves: str) -> list[int]:
    """Return the points after some moves and what is left of the scoring, less temples."""
    play(state, *moves)
    be_done(state, SCORING)
    return points(state)


@pytest.mark.parametrize("free", [2, 3])
def test_harvesters_need_9_farmers_on_the_three_provinces(free: int) -> None:
    fields = {"memphis": 2, "avaris": 2, "abydos": 3}
    more = {"memphis": free - 2, "avaris": 4}
    state = harvest(
        STEAL, owned=EARLIER, offered=THIRD, favors=[["harvesters"]], farmers=fields, free_farmers=more
    )
    assert (state.phase == SCORING) == (free == 3)


def test_a_played_yellow_card_is_discarded_and_a_kept_one_stays_in_hand() -> None:
    position = {"owned": EARLIER, "offered": ["buto", "mendes", "berenike"]}
    state = harvest(STEAL, favors=[["same_half", "same_half"]], **position)
    play(state, "score same_half")
    assert points(state)[0] == 3
    assert hand(state, 0) == ["same_half"]
    state = harvest(STEAL, favors=[["same_half"]], **position)
    play(state, "done")
    assert points(state)[0] == 0
    assert hand(state, 0) == ["same_half"]


def test_each_yellow_kind_is_played_at_most_once_per_scoring() -> None:
    state = harvest(STEAL, owned=EARLIER, offered=THIRD, favors=[["same_half", "same_half"]])
    play(state, "score same_half")
    assert state.phase != SCORING


def test_a_scoring_without_a_card_that_holds_is_not_asked() -> None:
    state = harvest(STEAL, owned=EARLIER, offered=THIRD, favors=[["same_bank"], ["treasury"]])
    be_done(state, HARVEST)
    assert state.age == 1


def test_yellow_cards_are_asked_for_in_turn_order() -> None:
    position = {"owned": [["memphis", "avaris"], ["abu", "thebes"], ["abydos", "kharga"]]}
    state = harvest(
        STEAL,
        start=2,
        offered=["edfu", "buto", "sawu"],
        favors=[["same_half"], ["same_half"], ["same_bank"]],
        **position,
    )
    assert asked(state) == 2
    play(state, "score same_bank")
    assert asked(state) == 0
    play(state, "done")
    assert asked(state) == 1


def test_gold_scores_6_4_2_after_the_new_kingdom() -> None:
    state = end_age(STEAL, age=1, owned=EARLIER, offered=["buto", "mendes", "kharga"], gold=[30, 60, 90])
    assert state.phase == OVER
    assert points(state) == [2, 4, 6]


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [((50, 50, 10), [6, 6, 2]), ((90, 20, 20), [6, 4, 4])],
)
def test_tied_gold_scores_alike_and_moves_the_next_down(amounts: Sequence[int], expected: list[int]) -> None:
    position = {"owned": [["memphis", "amarna"], ["abydos", "thebes"], ["edfu", "baharya"]]}
    state = end_age(
        STEAL,
        age=1,
        offered=["buto", "mendes", "dakhla"],
        gold=[*amounts[:2], amounts[2] - 10],
        options={"temples": "harvest"},
        **position,
    )
    won = [score - temples for score, temples in zip(points(state), (1, 0, 1), strict=True)]
    assert won == expected


def test_when_three_are_tied_for_most_gold_nobody_else_scores() -> None:
    state = end_age(
        STEAL + ["steal"],
        4,
        age=1,
        offered=["buto", "mendes", "abydos", "memphis"],
        owned=[["thebes", "baharya"], ["damanhur", "dakhla"], ["edfu", "kharga"], ["amarna", "abu"]],
        gold=[30, 30, 25, 1],
    )
    assert gold(state)[:3] == [33, 33, 33]
    assert points(state)[:3] == [6, 6 + 2, 6 + 1]
    assert points(state)[3] == 0 + 1


def test_gold_does_not_score_after_the_old_kingdom() -> None:
    assert scored(offered=["buto", "mendes", "berenike"], gold=[90, 60, 30]) == [0, 0, 0]


def test_cards_left_after_the_last_scoring_are_sold() -> None:
    state = end_age(
        STEAL,
        age=1,
        owned=EARLIER,
        offered=["buto", "mendes", "kharga"],
        favors=[["bribery", "same_bank"], ["scribes"]],
    )
    assert hand(state, 0) == hand(state, 1) == []
    assert gold(state)[1] == 24
    assert state.discards_size == 3


def test_most_points_win() -> None:
    state = end_age(
        STEAL, age=1, owned=EARLIER, offered=["buto", "mendes", "kharga"], gold=[30, 60, 90], points=[9]
    )
    assert points(state) == [11, 4, 6]
    assert returns(state) == [1, -1, 0]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_places_are_evenly_spaced_whoever_has_how_many_points(players: int) -> None:
    """28: at every number of players."""
    state = table(players)
    for order in permutations(range(players)):
        state.points[:players] = [20 - 3 * place for place in order]
        assert returns(state) == pytest.approx([1 - 2 * place / (players - 1) for place in order])


def over(**position: object) -> State:
    """Return a game at its end with equal points for everybody, other things as told."""
    state = end_age(STEAL, age=1, owned=EARLIER, offered=["buto", "mendes", "kharga"], **position)
    state.points[:3] = 10
    return state


def test_a_tie_goes_to_most_pyramids_on_own_provinces() -> None:
    assert returns(over(pyramids={"buto": 1, "mendes": 2}, stones={"kharga": 2})) == [0, 1, -1]


def test_a_further_tie_goes_to_most_stones_there() -> None:
    assert returns(over(pyramids={"buto": 1, "mendes": 1}, stones={"mendes": 1})) == [0, 1, -1]


def test_those_still_tied_share_the_victory_and_their_places() -> None:
    assert returns(over(pyramids={"buto": 1, "mendes": 1})) == [0.5, 0.5, -1]
    assert returns(over()) == [0, 0, 0]


def test_the_game_is_over_after_the_new_kingdom_and_nothing_is_legal() -> None:
    state = over()
    assert legal(state) == set()


def test_cards_sold_at_the_end_count_when_gold_is_ranked() -> None:
    state = end_age(
        STEAL,
        age=1,
        owned=EARLIER,
        offered=["buto", "mendes", "kharga"],
        gold=[42, 50, 1],
        favors=[["bribery"]],
        options={"temples": "harvest"},
    )
    assert gold(state)[0] == gold(state)[1] + 1
    assert points(state) == [6, 4, 2]


def test_buildings_of_the_old_kingdom_score_for_who_gains_the_province_in_the_new_one() -> None:
    state = end_age(STEAL, owned=EARLIER, offered=["buto", "mendes", "berenike"], pyramids={"memphis": 2})
    assert points(state) == [2 + 5, 0, 0]
    state = end_age(
        STEAL,
        age=1,
        owned=[["abydos", "thebes"], ["memphis", "avaris"], ["sawu", "baharya"]],
        offered=["buto", "mendes", "berenike"],
        pyramids={"memphis": 2},
        points=[7, 0, 0],
        gold=[9, 9, 9],
    )
    assert points(state)[1] == 2 + 5 + 4
