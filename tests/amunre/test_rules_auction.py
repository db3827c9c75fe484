"""The auction of provinces. Rulebook: "1. The Auction Phase"."""

from collections import Counter

import numpy as np
import pytest
from amunre_table import (
    PLAYERS,
    asked,
    built,
    farmers,
    gold,
    hand,
    in_auction,
    legal,
    legal_verb,
    owned,
    play,
    table,
)

from amunre_env.components import FAVOR_COUNTS, FAVOR_NAMES, PROVINCE_NAMES


def test_bid_spaces_are_0_1_3_6_10_15_21_28_36() -> None:
    spaces = (0, 1, 3, 6, 10, 15, 21, 28, 36)
    state = table(gold=[99])
    assert legal(state) == {
        f"bid {name} {space}" for name in ("buto", "mendes", "amarna") for space in spaces
    }


def test_a_bid_is_never_more_than_the_gold_in_hand() -> None:
    state = table(gold=[6])
    assert {move.split()[2] for move in legal(state)} == {"0", "1", "3", "6"}


def test_a_bid_on_an_occupied_province_must_be_higher_and_may_skip_spaces() -> None:
    state = table(gold=[20, 20, 20])
    play(state, "bid buto 3")
    assert {move for move in legal(state) if "buto" in move} == {"bid buto 6", "bid buto 10", "bid buto 15"}


def test_players_bid_in_turn_order_and_who_holds_a_highest_bid_is_skipped() -> None:
    state = table(4, start=2)
    seats = []
    for move in ("bid buto 0", "bid buto 1", "bid mendes 0", "bid amarna 0"):
        seats.append(asked(state))
        play(state, move)
    assert seats == [2, 3, 0, 1]
    assert asked(state) == 2
    play(state, "bid amarna 1")
    assert asked(state) == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_the_auction_ends_when_every_province_has_one_bidder(players: int) -> None:
    state = table(players)
    names = [PROVINCE_NAMES[index] for index in state.offered[:players]]
    for name in names:
        assert in_auction(state)
        play(state, f"bid {name} 0")
    assert not in_auction(state)
    assert [owned(state, seat) for seat in range(players)] == [[name] for name in names]


@pytest.mark.parametrize("players", PLAYERS)
def test_every_auction_ends_with_everybody_paying_and_the_start_player_going_on(players: int) -> None:
    """30: price, payer and who is asked next, whoever bids last; 28: bids go clockwise past the pawns."""
    generator = np.random.default_rng(players)
    last = set()
    for number in range(60):
        start = number % players
        state = table(players, start=start)
        highest: dict[str, tuple[int, int]] = {}  # province -> seat, gold
        seat = start
        while in_auction(state):
            assert asked(state) == seat
            bids = sorted(move for move in legal_verb(state, "bid") if int(move.split()[1]) <= 15)
            name, price = str(generator.choice(bids)).split()
            play(state, f"bid {name} {price}")
            highest[name] = (seat, int(price))
            last.add((seat - start) % players)
            waiting = set(range(players)) - {leader for leader, _ in highest.values()}
            order = [(seat + place) % players for place in range(1, players)]
            seat = next((other for other in order if other in waiting), start)
        paid = {leader: (name, price) for name, (leader, price) in highest.items()}
        assert [owned(state, player) for player in range(players)] == [[paid[s][0]] for s in range(players)]
        assert gold(state) == [20 - paid[player][1] for player in range(players)]
        assert asked(state) == start
    assert last == set(range(players))


def test_an_outbid_player_may_not_put_the_very_next_bid_on_the_same_province() -> None:
    state = table()
    play(state, "bid buto 0", "bid buto 1", "bid mendes 0")
    assert asked(state) == 0
    assert not [move for move in legal(state) if "buto" in move]


def test_an_earlier_province_is_open_again_after_being_outbid_elsewhere() -> None:
    state = table()
    play(state, "bid buto 0", "bid buto 1", "bid mendes 0", "bid mendes 1", "bid buto 3", "bid mendes 3")
    assert asked(state) == 0
    assert "bid buto 6" in legal(state)
    assert not [move for move in legal(state) if "mendes" in move]


def test_bribery_allows_the_next_bid_on_the_barred_province_and_is_discarded() -> None:
    state = table(favors=[["bribery"]])
    play(state, "bid buto 0", "bid buto 1", "bid mendes 0")
    assert "bid buto 3" in legal(state)
    play(state, "bid buto 3")
    assert hand(state, 0) == []
    assert state.favor_discards[1] == 1


def test_a_bid_elsewhere_does_not_use_bribery() -> None:
    state = table(favors=[["bribery"]])
    play(state, "bid buto 0", "bid buto 1", "bid mendes 0", "bid amarna 0")
    assert hand(state, 0) == ["bribery"]


def test_at_most_one_bribery_per_player_and_auction() -> None:
    state = table(favors=[["bribery", "bribery"]])
    play(state, "bid buto 0", "bid buto 1", "bid mendes 0", "bid buto 3", "bid mendes 1", "bid buto 6")
    assert asked(state) == 0
    assert not [move for move in legal(state) if "buto" in move]


def test_protection_blocks_the_space_right_above_the_bid() -> None:
    state = table(favors=[["protection"]])
    play(state, "protect", "bid buto 3")
    assert {move for move in legal(state) if "buto" in move} == {"bid buto 10", "bid buto 15"}
    assert hand(state, 0) == []


def test_after_protect_only_bids_are_legal() -> None:
    state = table(favors=[["protection", "treasury"]])
    assert {"protect", "sell treasury", "sell protection"} <= legal(state)
    play(state, "protect")
    assert {move.split()[0] for move in legal(state)} == {"bid"}
    assert asked(state) == 0


def test_protection_follows_the_pawn_to_another_province() -> None:
    state = table(favors=[["protection"]])
    play(state, "protect", "bid buto 0", "bid buto 3", "bid buto 6", "bid mendes 0")
    assert asked(state) == 1
    assert "bid mendes 1" not in legal(state)
    assert "bid mendes 3" in legal(state)


def test_at_most_one_protection_per_player_and_auction() -> None:
    state = table(favors=[["protection", "protection"]])
    play(state, "protect", "bid buto 0", "bid buto 3", "bid mendes 0")
    assert asked(state) == 0
    assert "protect" not in legal(state)


def test_a_bribery_bid_respects_the_space_blocked_by_protection() -> None:
    state = table(favors=[["bribery"], ["protection"]])
    play(state, "bid buto 0", "protect", "bid buto 1", "bid mendes 0")
    assert "bid buto 3" not in legal(state)
    assert "bid buto 6" in legal(state)


def test_a_protected_bid_below_the_last_space_cannot_be_outbid() -> None:
    state = table(gold=[99, 99, 99], favors=[["protection"]])
    play(state, "protect", "bid buto 28")
    assert not [move for move in legal(state) if "buto" in move]


def test_a_bid_on_the_last_space_cannot_be_outbid() -> None:
    state = table(gold=[99, 99, 99])
    play(state, "bid buto 36")
    assert not [move for move in legal(state) if "buto" in move]


def test_there_is_always_an_empty_province_at_0() -> None:
    state = table(gold=[0, 0, 0])
    assert legal(state) == {"bid buto 0", "bid mendes 0", "bid amarna 0"}
    play(state, "bid buto 0")
    assert legal(state) == {"bid mendes 0", "bid amarna 0"}


def test_everybody_pays_their_bid() -> None:
    state = table()
    play(state, "bid buto 3", "bid mendes 10", "bid amarna 0")
    assert gold(state) == [17, 10, 20]


def test_bonus_gold_is_collected_after_paying() -> None:
    state = table(offered=["dakhla", "buto", "mendes"], gold=[15, 20, 20])
    play(state, "bid dakhla 15", "bid buto 0", "bid mendes 0")
    assert gold(state)[0] == 10


def test_bonus_stones_go_onto_the_province() -> None:
    state = table(offered=["memphis", "abydos", "buto"])
    play(state, "bid memphis 0", "bid abydos 0", "bid buto 0")
    assert built(state, "memphis") == (0, 2)
    assert built(state, "abydos") == (0, 1)


def test_bonus_stones_complete_a_pyramid_with_stones_left_from_the_old_kingdom() -> None:
    state = table(
        age=1, offered=["memphis", "mendes", "buto"], stones={"memphis": 2}, pyramids={"memphis": 1}
    )
    play(state, "bid memphis 0", "bid mendes 0", "bid buto 0")
    assert built(state, "memphis") == (2, 1)


def test_bonus_farmers_stand_outside_the_fields() -> None:
    state = table(offered=["baharya", "mendes", "buto"])
    play(state, "bid baharya 0", "bid mendes 0", "bid buto 0")
    assert farmers(state, "baharya") == (0, 2)
    assert legal_verb(state, "farmer") == set()


def test_bonus_favor_cards_are_drawn_from_the_deck() -> None:
    state = table(offered=["thebes", "mendes", "buto"])
    play(state, "bid thebes 0", "bid mendes 0")
    play(state, "bid buto 0", chance=["favors 0 treasury bribery"])
    assert hand(state, 0) == ["bribery", "treasury"]


def test_bonus_cards_renew_the_deck_from_the_discards_in_the_middle_of_the_draw() -> None:
    state = table(offered=["thebes", "mendes", "buto"], deck=["scribes"])
    play(state, "bid thebes 0", "bid mendes 0")
    play(state, "bid buto 0", chance=["favors 0 scribes riverside"])
    assert hand(state, 0) == ["riverside", "scribes"]
    assert state.deck_size == 37
    assert state.discards_size == 0


def test_bonus_cards_end_when_deck_and_discards_are_empty() -> None:
    rest = Counter(dict(zip(FAVOR_NAMES, (int(number) for number in FAVOR_COUNTS), strict=True)))
    rest["scribes"] -= 1
    state = table(offered=["thebes", "mendes", "buto"], favors=[[], [*rest.elements()]])
    play(state, "bid thebes 0", "bid mendes 0")
    play(state, "bid buto 0", chance=["favors 0 scribes"])
    assert hand(state, 0) == ["scribes"]
    assert (state.deck_size, state.discards_size) == (0, 0)


def test_a_protected_player_who_is_outbid_blocks_nothing_there() -> None:
    state = table(gold=[99, 99, 99], favors=[["protection"]])
    play(state, "protect", "bid buto 0", "bid buto 3")
    assert "bid buto 6" in legal(state)


def test_bribery_and_protection_are_allowed_again_in_the_next_auction() -> None:
    state = table(favors=[["bribery", "bribery", "protection", "protection"]])
    play(state, "protect", "bid buto 0", "bid buto 3", "bid mendes 0", "bid buto 6", "bid mendes 3")
    assert hand(state, 0) == ["bribery", "protection"]
    play(state, "bid amarna 0")
    while not in_auction(state):
        play(state, "steal" if "steal" in legal(state) else "done")
    assert asked(state) == 0
    assert "protect" in legal(state)
    play(state, *[f"bid {PROVINCE_NAMES[state.offered[0]]} {gold}" for gold in (0, 1)])
    play(state, f"bid {PROVINCE_NAMES[state.offered[1]]} 0")
    assert f"bid {PROVINCE_NAMES[state.offered[0]]} 3" in legal(state)
