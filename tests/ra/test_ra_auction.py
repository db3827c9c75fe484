"""Auctions: every way one can end. Rulebook: "Invoke Ra", "Auction"."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from ra_table import (
    CAUSES,
    FULL_LOT,
    PLAYERS,
    State,
    asked,
    copy_of,
    down,
    held,
    legal,
    lot,
    one_ra_short,
    out_of_game,
    play,
    start_auction,
    table,
    up,
)

from ra_env.state import AUCTION, TURN

LOTS = {"draw": {"nile": 2, "god": 1}, "invoke": {"nile": 2, "god": 1}, "invoke on a full track": FULL_LOT}
SEATS = [(players, seat) for players in PLAYERS for seat in range(players)]
# Face-up suns by seat: high and low ones, some that cannot outbid, seats without any.
HANDS = {
    2: ([[9, 2], [8, 4, 3]], [[5], [6, 2]]),
    3: ([[13, 2], [12, 6], [7, 4]], [[5, 2], [], [11, 3]], [[3], [13, 9], [2]]),
    4: ([[6, 2], [13, 3], [11, 4], [10]], [[8], [], [6], [13, 2]], [[], [7, 3], [12], []]),
    5: ([[7, 2], [16, 3], [4], [13, 5], [6]], [[2], [15], [], [9, 3], [12]], [[11], [], [4], [], [16]]),
}


@dataclass(frozen=True)
class Bidding:
    """One way in which an auction can go: the moves, who won, with which sun."""

    moves: tuple[str, ...]
    winner: int | None
    sun: int


def all_biddings(suns: list[set[int]], ra_player: int, must_bid: bool) -> Iterator[Bidding]:
    """Every course of an auction by the rulebook: once around from the Ra player's left."""
    players = len(suns)
    order = [(ra_player + place) % players for place in range(1, players + 1)]

    def bid(place: int, moves: tuple[str, ...], winner: int | None, highest: int) -> Iterator[Bidding]:
        if place == players:
            yield Bidding(moves, winner, highest)
            return
        seat = order[place]
        higher = {sun for sun in suns[seat] if sun > highest}
        if not higher:
            yield from bid(place + 1, moves, winner, highest)
            return
        for sun in sorted(higher):
            yield from bid(place + 1, (*moves, f"bid {sun}"), seat, sun)
        if not (must_bid and seat == ra_player and winner is None):
            yield from bid(place + 1, (*moves, "pass"), winner, highest)

    yield from bid(0, (), None, 0)


def biddings_of(state: State) -> Iterator[tuple[tuple[str, ...], State]]:
    """Every course of the auction that the engine knows, and the table after it."""
    if state.phase != AUCTION:
        yield (), state
        return
    for move in sorted(legal(state)):
        after = copy_of(state)
        play(after, move)
        for moves, end in biddings_of(after):
            yield (move, *moves), end


@pytest.mark.parametrize("unsold_ra_lot", ["keep", "discard"])
@pytest.mark.parametrize("forced_bid", [True, False])
@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("players", PLAYERS)
def test_every_way_an_auction_can_end(players: int, cause: str, forced_bid: bool, unsold_ra_lot: str) -> None:
    """30: price, payer, who gets the center sun, what becomes of the lot, and whose turn is next."""
    options = {"forced_bid": forced_bid, "unsold_ra_lot": unsold_ra_lot}
    for hands in HANDS[players]:
        for ra_player in (seat for seat in range(players) if hands[seat]):
            tiles = LOTS[cause]
            start = table(players, options=options, suns_up=hands, turn=ra_player, lot=tiles)
            suns = [up(start, seat) for seat in range(players)]
            hidden = [down(start, seat) for seat in range(players)]
            start_auction(start, cause)
            must_bid = forced_bid and cause == "invoke"
            courses = dict(biddings_of(start))
            expected = {bidding.moves: bidding for bidding in all_biddings(suns, ra_player, must_bid)}
            assert set(courses) == set(expected)
            for moves, end in courses.items():
                check_end(end, expected[moves], suns, hidden, ra_player, cause, tiles, unsold_ra_lot)


def check_end(
    state: State,
    bidding: Bidding,
    suns: list[set[int]],
    hidden: list[set[int]],
    ra_player: int,
    cause: str,
    tiles: dict[str, int],
    unsold_ra_lot: str,
) -> None:
    """Assert everything that an auction changes, and that it changes nothing else."""
    players = len(suns)
    suns_after, hidden_after = [set(own) for own in suns], [set(own) for own in hidden]
    if bidding.winner is not None:
        suns_after[bidding.winner].remove(bidding.sun)
        hidden_after[bidding.winner].add(1)
        assert (state.center_sun, lot(state), out_of_game(state)) == (bidding.sun, {}, {})
    else:
        removed = cause == "invoke on a full track" or (cause == "draw" and unsold_ra_lot == "discard")
        assert state.center_sun == 1
        assert (lot(state), out_of_game(state)) == (({}, tiles) if removed else (tiles, {}))
    assert [up(state, seat) for seat in range(players)] == suns_after, bidding
    assert [down(state, seat) for seat in range(players)] == hidden_after, bidding
    for seat in range(players):
        assert held(state, seat) == (tiles if seat == bidding.winner else {}), bidding
    assert state.ra_tiles == (1 if cause == "draw" else 0)
    assert (state.phase, state.in_auction, state.epoch) == (TURN, 0, 0)
    order = [(ra_player + place) % players for place in range(1, players + 1)]
    assert asked(state) == next(seat for seat in order if suns_after[seat]), bidding


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_bidding_goes_once_around_from_the_left_of_the_ra_player_who_bids_last(
    players: int, seat: int, cause: str
) -> None:
    """Everybody bids, each a higher sun than the one before."""
    order = [(seat + place) % players for place in range(1, players + 1)]
    suns = [[order.index(bidder) + 3] for bidder in range(players)]
    state = table(players, turn=seat, suns_up=suns, lot=LOTS[cause])
    start_auction(state, cause)
    for place, bidder in enumerate(order[:-1]):
        assert (asked(state), state.phase) == (bidder, AUCTION)
        play(state, f"bid {place + 3}")
        assert (state.high_bid, state.high_bidder) == (place + 3, bidder)
    assert asked(state) == seat
    play(state, f"bid {players + 2}")
    assert held(state, seat) == LOTS[cause]
    assert (state.center_sun, state.epoch) == (players + 2, 0)


@pytest.mark.parametrize("place", ["first", "middle", "last", "Ra player"])
@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_highest_bidder_wins_wherever_they_sit_and_play_goes_on_left_of_the_ra_player(
    players: int, cause: str, place: str
) -> None:
    winner = {"first": 1, "middle": players // 2, "last": players - 1, "Ra player": 0}[place]
    state = table(players, lot=LOTS[cause])
    start_auction(state, cause)
    sun = max(up(state, winner))
    others = {seat: up(state, seat) for seat in range(players) if seat != winner}
    while state.phase == AUCTION:
        play(state, f"bid {sun}" if asked(state) == winner else "pass")
    assert held(state, winner) == LOTS[cause]
    assert (state.center_sun, down(state, winner)) == (sun, {1})
    assert all(up(state, seat) == suns and down(state, seat) == set() for seat, suns in others.items())
    assert asked(state) == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_a_bid_is_one_face_up_sun_higher_than_the_highest_bid_so_far(players: int) -> None:
    state = table(players, suns_up=[[6, 2], [5, 3], *[[]] * (players - 2)], turn=0)
    play(state, "draw", tile="ra")
    assert legal(state) == {"bid 3", "bid 5", "pass"}
    play(state, "bid 3")
    assert legal(state) == {"bid 6", "pass"}


def test_face_down_suns_and_the_center_sun_cannot_be_bid() -> None:
    state = table(3, suns_up=[[2], [5], [9, 3]], suns_down=[[13, 12, 11], [10, 8, 7], [1, 4]], center_sun=6)
    play(state, "draw", tile="ra")
    assert legal(state) == {"bid 5", "pass"}
    play(state, "pass")
    assert legal(state) == {"bid 3", "bid 9", "pass"}


def test_the_sun_1_can_be_bid_once_it_has_been_won_and_turned_up() -> None:
    state = table(3, suns_up=[[1, 13], [2, 12], [3, 11]], center_sun=10)
    play(state, "invoke", "pass", "pass")
    assert legal(state) == {"bid 1", "bid 13"}
    play(state, "bid 1")
    assert (state.center_sun, down(state, 0) >= {10}) == (1, True)


def test_players_who_cannot_outbid_are_not_asked() -> None:
    """Ruling `no-empty-question`: neither those without suns nor those with too low ones."""
    state = table(5, suns_up=[[9], [7], [], [8], [6, 2]])
    play(state, "draw", tile="ra")
    assert asked(state) == 1
    play(state, "bid 7")
    assert asked(state) == 3  # seat 2 has no suns
    play(state, "bid 8")
    assert asked(state) == 0  # seat 4 has only lower ones
    play(state, "pass")
    assert (held(state, 3), state.center_sun, asked(state)) == ({}, 8, 1)


def test_the_auction_is_over_at_once_when_nobody_left_can_outbid() -> None:
    state = table(3, lot={"nile": 2}, suns_up=[[11, 8], [13, 2], [12, 3]])
    play(state, "invoke", "bid 13")
    assert (held(state, 1), state.phase, asked(state)) == ({"nile": 2}, TURN, 1)


def test_someone_who_passed_is_not_asked_again() -> None:
    state = table(3, suns_up=[[2], [13, 9], [8]])
    play(state, "draw", tile="ra")
    play(state, "pass", "bid 8")
    assert (state.phase, state.center_sun, asked(state)) == (TURN, 8, 1)


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_invoker_must_bid_when_all_others_passed(players: int, seat: int) -> None:
    state = table(players, turn=seat, lot={"nile": 7})
    play(state, "invoke", *["pass"] * (players - 1))
    assert asked(state) == seat
    assert legal(state) == {f"bid {sun}" for sun in up(state, seat)}


@pytest.mark.parametrize("players", PLAYERS)
def test_invoker_must_bid_also_on_an_empty_track(players: int) -> None:
    state = table(players)
    play(state, "invoke", *["pass"] * (players - 1))
    assert legal(state) == {f"bid {sun}" for sun in up(state, 0)}


def test_a_forced_bid_with_one_sun_is_still_the_players_move() -> None:
    """Ruling `no-empty-question`: nothing but what it names is automatic."""
    state = table(2, suns_up=[[5], [4]])
    play(state, "invoke", "pass")
    assert (asked(state), legal(state)) == (0, {"bid 5"})


def test_a_forced_bid_without_any_opponent_who_could_bid_is_asked_at_once() -> None:
    state = table(4, suns_up=[[], [5, 6], [], []], turn=1)
    play(state, "invoke")
    assert (asked(state), legal(state)) == (1, {"bid 5", "bid 6"})


@pytest.mark.parametrize("bidder", [1, 2, 3])
def test_invoker_may_pass_when_another_has_bid(bidder: int) -> None:
    state = table(4, suns_up=[[13], [4], [3], [2]], lot={"nile": 1})
    play(state, "invoke")
    while asked(state) != 0:
        play(state, f"bid {5 - bidder}" if asked(state) == bidder else "pass")
    assert legal(state) == {"pass", "bid 13"}
    play(state, "pass")
    assert held(state, bidder) == {"nile": 1}


@pytest.mark.parametrize("rules", ["rulebook", "overview"])
@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_the_lot_is_discarded_when_nobody_bids_after_invoking_on_a_full_track(
    players: int, seat: int, rules: str
) -> None:
    state = table(players, rules=rules, turn=seat, lot=FULL_LOT)
    play(state, "invoke", *["pass"] * (players - 1))
    assert "pass" in legal(state)
    play(state, "pass")
    assert (lot(state), out_of_game(state), state.center_sun) == ({}, FULL_LOT, 1)
    assert (asked(state), legal(state)) == ((seat + 1) % players, {"draw", "invoke"})


@pytest.mark.parametrize(("players", "seat"), SEATS)
def test_the_lot_stays_when_nobody_bids_after_a_drawn_ra_tile(players: int, seat: int) -> None:
    state = table(players, turn=seat, lot={"nile": 3, "god": 1})
    play(state, "draw", tile="ra")
    play(state, *["pass"] * players)
    assert (lot(state), out_of_game(state), state.center_sun) == ({"nile": 3, "god": 1}, {}, 1)
    assert asked(state) == (seat + 1) % players


@pytest.mark.parametrize("players", PLAYERS)
def test_a_ra_tile_drawn_with_seven_tiles_on_the_track_may_be_passed_by_all(players: int) -> None:
    state = table(players, lot={"nile": 7})
    play(state, "draw", tile="ra")
    play(state, *["pass"] * players)
    assert lot(state) == {"nile": 7}


def test_the_sun_that_was_won_is_out_of_use_for_the_rest_of_the_epoch() -> None:
    state = table(2)
    play(state, "invoke", "pass", "bid 9", "invoke", "pass", "bid 3")
    assert (up(state, 0), down(state, 0), state.center_sun) == ({6, 5, 2}, {1}, 3)
    assert (up(state, 1), down(state, 1)) == ({8, 7, 4}, {9})
    play(state, "draw", tile="ra")
    assert legal(state) == {"bid 8", "bid 7", "bid 4", "pass"}


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("players", PLAYERS)
def test_next_turn_skips_everybody_who_spent_the_last_sun(players: int, cause: str) -> None:
    """The winner pays with the only sun and sits left of the Ra player: the one after them is next."""
    suns = [[9, 3], [8], *[[7, 2]] * (players > 2), *[[]] * (players - 3)]
    state = table(players, suns_up=suns, lot=LOTS[cause])
    start_auction(state, cause)
    play(state, "bid 8")
    while state.phase == AUCTION:
        play(state, "pass")
    assert (up(state, 1), asked(state)) == (set(), 2 if players > 2 else 0)


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_epoch_ends_when_the_last_sun_is_spent(players: int, cause: str) -> None:
    for ra_player in range(players):
        suns = [[5] if seat == ra_player else [] for seat in range(players)]
        state = table(players, suns_up=suns, turn=ra_player, lot=LOTS[cause])
        start_auction(state, cause)
        play(state, "bid 5")
        assert (state.epoch, state.phase, state.center_sun) == (1, TURN, 5)
        assert (lot(state), state.ra_tiles) == ({}, 0)


@pytest.mark.parametrize("players", PLAYERS)
def test_an_auction_before_the_last_space_of_the_ra_track_does_not_end_the_epoch(players: int) -> None:
    state = table(players, ra_tiles=one_ra_short(players) - 1)
    play(state, "draw", tile="ra")
    play(state, *["pass"] * players)
    assert (state.epoch, state.ra_tiles, asked(state)) == (0, one_ra_short(players), 1)
