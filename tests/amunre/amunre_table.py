"""A table of Amun-Re for the tests: set up a position, play moves by their notation, read the table.

Provinces, favor cards and moves are named as in game records. What a test does not mention is as at
the start of a game, but that nobody holds a favor card.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from amunre_env import GAME
from amunre_env.actions import ACTION_NAMES
from amunre_env.components import ALL_PROVINCES, FAVOR_COUNTS, FAVOR_NAMES, PROVINCE_NAMES
from amunre_env.state import (
    BIDDING,
    DECLARING,
    HARVEST,
    MARKET_FAVORS,
    MARKET_STONES,
    NOWHERE,
    OFFERING,
    REWARDS,
    SCORING,
    faults,
)
from tabletop import verbs
from tabletop.chance import Chance

State = Any

PLAYERS = (3, 4, 5)
PLAIN = ("buto", "mendes", "amarna", "edfu", "kharga", "sawu", "berenike")  # provinces without a bonus


def table(
    num_players: int = 3,
    *,
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    start: int = 0,
    age: int = 0,
    offered: Sequence[str] | None = None,
    owned: Sequence[Sequence[str]] | None = None,
    gold: Sequence[int] = (),
    points: Sequence[int] = (),
    favors: Sequence[Sequence[str]] = (),
    deck: Sequence[str] | None = None,
    stones: Mapping[str, int] | None = None,
    pyramids: Mapping[str, int] | None = None,
    farmers: Mapping[str, int] | None = None,
    free_farmers: Mapping[str, int] | None = None,
) -> State:
    """Return a record at the start of an auction of the basic rules, seat `start` to bid.

    `owned` names what each seat has won in the earlier rounds of the age. Of `deck` given names are
    all that is left of the favor deck, which has just been shuffled; the other cards are discarded.
    """
    state = GAME.new_states(1)[0]
    encoded = GAME.encode_options(GAME.resolve_options("basic", **dict(options or {})))
    verbs.new_game(state, num_players, encoded, np.uint64(seed))
    state.start = state.next_start = state.current = start
    state.age = age
    won = owned or [()] * num_players
    state.round_number = len(won[0])
    for seat, names in enumerate(won):
        for turn, name in enumerate(names):
            state.won[seat, turn] = province(name)
    taken = {name for names in won for name in names}
    names = offered or [name for name in PLAIN if name not in taken][:num_players]
    state.offered[:num_players] = [province(name) for name in names]
    state.unseen_provinces = ALL_PROVINCES & ~sum(1 << province(name) for name in (*taken, *names))
    state.gold[: len(gold)] = gold
    state.points[: len(points)] = points
    place_favors(state, favors, deck)
    for field, counts in (
        (state.stones, stones),
        (state.pyramids, pyramids),
        (state.farmers, farmers),
        (state.free_farmers, free_farmers),
    ):
        for name, number in (counts or {}).items():
            field[province(name)] = number
    assert faults(state) == []
    return state


def place_favors(state: State, favors: Sequence[Sequence[str]], deck: Sequence[str] | None) -> None:
    """Hand out favor cards as `table` says."""
    state.favors[:] = 0
    state.facts[:] = 0
    rest = FAVOR_COUNTS.copy()
    for seat, names in enumerate(favors):
        for name in names:
            state.favors[seat, kind(name)] += 1
            rest[kind(name)] -= 1
    state.hand_sizes[:] = state.favors.sum(axis=1)
    state.favor_deck[:] = rest
    state.shuffled[:] = FAVOR_COUNTS
    state.drawn_since[:] = state.favors
    if deck is not None:
        state.favor_deck[:] = [deck.count(name) for name in FAVOR_NAMES]
        state.favor_discards[:] = rest - state.favor_deck
        state.shuffled[:] = state.favor_deck
        state.drawn_since[:] = 0
    state.deck_size = state.favor_deck.sum()
    state.discards_size = state.favor_discards.sum()


def market(num_players: int = 3, **position: Any) -> State:
    """Return a table after an auction in which every seat paid nothing for the provinces in turn order."""
    state = table(num_players, **position)
    for place in range(num_players):
        play(state, f"bid {PROVINCE_NAMES[state.offered[place]]} 0")
    return state


def offering(num_players: int = 3, **position: Any) -> State:
    """Return a table at the first offering after `market`, where nobody bought anything."""
    state = market(num_players, **position)
    be_done(state, *range(MARKET_FAVORS, MARKET_STONES + 1))
    assert state.phase == OFFERING
    return state


def harvest(offers: Sequence[str], num_players: int = 3, **position: Any) -> State:
    """Return a table after offerings, in turn order, of which no rewards were collected."""
    state = offering(num_players, **position)
    play(state, *offers)
    assert state.phase not in (OFFERING, DECLARING)
    be_done(state, REWARDS)
    return state


def end_age(offers: Sequence[str], num_players: int = 3, **position: Any) -> State:
    """Return a table after the third round of an age, in which no card was played."""
    state = harvest(offers, num_players, **position)
    be_done(state, HARVEST)
    be_done(state, SCORING)
    return state


def be_done(state: State, *phases: int) -> None:
    """Everybody is done with these phases."""
    while state.phase in phases:
        play(state, "done")


def legal(state: State) -> set[str]:
    """Return the notation of every move that the player to move has."""
    bits = np.zeros(GAME.num_words, np.uint64)
    verbs.legal_actions(state, bits)
    words = sum(int(word) << 64 * place for place, word in enumerate(bits))
    return {name for action, name in enumerate(ACTION_NAMES) if words >> action & 1}


def legal_verb(state: State, verb: str) -> set[str]:
    """Return what may follow a verb: {"buto", "mendes"} for the moves `stone buto`, `stone mendes`."""
    return {move.split(" ", 1)[-1] for move in legal(state) if move.split()[0] == verb}


def play(state: State, *moves: str, chance: Sequence[str] | None = None) -> None:
    """Play legal moves one after the other; `chance` is all that they meet."""
    outcomes = Chance(chance or [])
    for move in moves:
        assert move in legal(state), f"{move} is not legal, but {sorted(legal(state))}:\n{board(state)}"
        if chance is None:
            verbs.apply_action(state, GAME.string_to_action(move))
        else:
            GAME.apply_with_chance(state, GAME.string_to_action(move), outcomes)
        assert faults(state) == [], f"after {move}:\n{board(state)}"
    assert outcomes.left() == 0


def copy_of(state: State) -> State:
    """Return the same position once more."""
    states = GAME.new_states(1)
    states[0] = state
    return states[0]


def asked(state: State) -> int:
    """Return the seat that moves."""
    return int(verbs.current_player(state))


def province(name: str) -> int:
    """Return the number of a province."""
    return PROVINCE_NAMES.index(name)


def kind(name: str) -> int:
    """Return the number of a kind of favor card."""
    return FAVOR_NAMES.index(name)


def gold(state: State) -> list[int]:
    """Return the gold of every seat."""
    return [int(amount) for amount in state.gold[: state.num_players]]


def points(state: State) -> list[int]:
    """Return the victory points of every seat."""
    out = np.zeros(5, np.int64)
    verbs.scores(state, out)
    return [int(point) for point in out[: state.num_players]]


def returns(state: State) -> list[float]:
    """Return the result of every seat."""
    results = np.zeros(5, np.float64)
    verbs.returns(state, results)
    return [float(result) for result in results[: state.num_players]]


def hand(state: State, seat: int) -> list[str]:
    """Return the favor cards of a seat."""
    return [name for name, number in zip(FAVOR_NAMES, state.favors[seat], strict=True) for _ in range(number)]


def owned(state: State, seat: int) -> list[str]:
    """Return the provinces of a seat."""
    return [PROVINCE_NAMES[index] for index in state.won[seat] if index != NOWHERE]


def built(state: State, name: str) -> tuple[int, int]:
    """Return the pyramids and stones of a province."""
    return int(state.pyramids[province(name)]), int(state.stones[province(name)])


def farmers(state: State, name: str) -> tuple[int, int]:
    """Return the farmers in the fields of a province, and those outside."""
    return int(state.farmers[province(name)]), int(state.free_farmers[province(name)])


def in_auction(state: State) -> bool:
    """Whether the auction goes on."""
    return bool(state.phase == BIDDING)


def board(state: State) -> str:
    """Return the text board, for messages."""
    return GAME.state_to_string(state)
