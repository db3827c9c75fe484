"""The random outcomes of Amun-Re as game records tell them, in the order in which they are met.

`start 2`, then `provinces buto memphis thebes` for each round or, under the expert rules,
`hand 0 abydos mendes amarna` for each seat and age, and `favors 1 bribery scribes` whenever a seat
draws. `chance` reads them off a history; the other two play a game whose chance is given: the
engine draws its own, which are then exchanged for the stated ones. Only the reward `take_favor`
has the deck hold the stated card for one step, because harvest cards are looked for in that step.
"""

from itertools import pairwise

import numpy as np

from amunre_env.actions import TAKE_FAVOR
from amunre_env.components import FAVOR_NAMES, NUM_FAVORS, PROVINCE_NAMES, ROUNDS
from amunre_env.rules import apply_action, shuffle_discards
from amunre_env.state import EXPERT
from tabletop.chance import Chance
from tabletop.kinds import Array, Record, States


def chance(history: States) -> list[str]:
    """Return all outcomes of a game, given its record before the first and after every move."""
    outcomes = [f"start {history[0].start}", *dealt(history[0])]
    for before, state in pairwise(history):
        outcomes += [
            " ".join(["favors", str(seat), *(FAVOR_NAMES[kind] for kind in kinds)])
            for seat, kinds in draws(state)
        ]
        if is_new_round(before, state):
            outcomes += dealt(state)
    return outcomes


def draws(state: Record) -> list[tuple[int, list[int]]]:
    """Return who drew which favor cards in the last move, one entry a seat."""
    entries: list[tuple[int, list[int]]] = []
    for draw in range(int(state.num_drawn)):
        seat, kind = int(state.drawn_by[draw]), int(state.drawn[draw])
        if not entries or entries[-1][0] != seat:
            entries.append((seat, []))
        entries[-1][1].append(kind)
    return entries


def is_new_round(before: Record, state: Record) -> bool:
    """Return whether a round has begun between two records of a game."""
    return bool(before.age != state.age or before.round_number != state.round_number)


def dealt(state: Record) -> list[str]:
    """Return what was dealt at the beginning of a round: revealed provinces, or the hands of an age."""
    players = int(state.num_players)
    if state.options[EXPERT] == 0:
        return [" ".join(["provinces", *province_names(state.offered[:players])])]
    if state.round_number > 0:
        return []
    return [" ".join(["hand", str(seat), *province_names(state.hands[seat])]) for seat in range(players)]


def province_names(provinces: Array | list[int]) -> list[str]:
    """Return the names of some provinces."""
    return [PROVINCE_NAMES[province] for province in provinces]


def setup_with_chance(state: Record, outcomes: Chance) -> None:
    """Make the stated seat the start player of a new game and deal the stated provinces."""
    seats = [f"start {seat}" for seat in range(int(state.num_players))]
    text = outcomes.take("the start player")
    if text not in seats:
        raise outcomes.fault(f"valid: {', '.join(seats)}")
    state.start = state.next_start = state.current = seats.index(text)
    deal_stated(state, outcomes)


def deal_stated(state: Record, outcomes: Chance) -> None:
    """Exchange what was dealt at the beginning of a round for what is stated."""
    players = int(state.num_players)
    if state.options[EXPERT] == 0:
        unseen = int(state.unseen_provinces) | sum(1 << int(province) for province in state.offered[:players])
        provinces = take_provinces(outcomes, "provinces", unseen, players)
        state.offered[:players] = provinces
        state.unseen_provinces = unseen & ~sum(1 << province for province in provinces)
    elif state.round_number == 0:
        left = int(state.unseen_provinces)
        for seat in range(players):
            provinces = take_provinces(outcomes, f"hand {seat}", left, ROUNDS)
            state.hands[seat] = provinces
            left &= ~sum(1 << province for province in provinces)


def take_provinces(outcomes: Chance, prefix: str, possible: int, number: int) -> list[int]:
    """Return the provinces that the next outcome names, members of the set `possible`."""
    words = outcomes.take(f"'{prefix}' and {number} provinces").split()
    first = len(prefix.split())
    valid = [name for province, name in enumerate(PROVINCE_NAMES) if possible >> province & 1]
    names = words[first:]
    if words[:first] != prefix.split() or len(names) != number or len(set(names)) != number:
        raise outcomes.fault(f"expected '{prefix}' and {number} different provinces")
    for name in names:
        if name not in valid:
            raise outcomes.fault(f"{name} cannot be dealt; valid: {', '.join(valid)}")
    return [PROVINCE_NAMES.index(name) for name in names]


def apply_with_chance(state: Record, action: int, outcomes: Chance) -> None:
    """Carry out an action; its draws are the stated ones."""
    deck_size = int(state.deck_size)
    age, round_number = int(state.age), int(state.round_number)
    if action == TAKE_FAVOR:
        take_stated_favor(state, outcomes)
    else:
        apply_action(state, action)
        if state.num_drawn > 0:
            exchange_draws(state, deck_size, outcomes)
    if (age, round_number) != (int(state.age), int(state.round_number)):
        deal_stated(state, outcomes)


def take_favors(outcomes: Chance, seat: int, number: int) -> list[int]:
    """Return the kinds of favor cards that the next outcome names."""
    words = outcomes.take(f"'favors {seat}' and {number} favor cards").split()
    if words[:2] != ["favors", str(seat)] or len(words) != 2 + number:
        raise outcomes.fault(f"expected 'favors {seat}' and {number} favor cards")
    for name in words[2:]:
        if name not in FAVOR_NAMES:
            raise outcomes.fault(f"no favor card {name}; valid: {', '.join(FAVOR_NAMES)}")
    return [FAVOR_NAMES.index(name) for name in words[2:]]


def check_in_deck(deck: Array, kind: int, outcomes: Chance) -> None:
    """Raise the error of the last outcome if the deck has no card of a kind."""
    if deck[kind] == 0:
        raise outcomes.fault(f"no {FAVOR_NAMES[kind]} is left in the deck")


def take_stated_favor(state: Record, outcomes: Chance) -> None:
    """Carry out `take_favor` with a deck that holds only the stated card."""
    (kind,) = take_favors(outcomes, int(state.current), 1)
    if state.deck_size == 0:
        shuffle_discards(state)
    check_in_deck(state.favor_deck, kind, outcomes)
    rest = state.favor_deck.copy()
    rest[kind] -= 1
    state.favor_deck[:] = 0
    state.favor_deck[kind] = 1
    state.deck_size = 1
    apply_action(state, TAKE_FAVOR)
    state.favor_deck += rest
    state.deck_size += rest.sum()


def exchange_draws(state: Record, deck_size: int, outcomes: Chance) -> None:
    """Undo the draws of the last move, from a deck that had `deck_size` cards, and draw the stated ones."""
    stated = [
        (seat, kind) for seat, kinds in draws(state) for kind in take_favors(outcomes, seat, len(kinds))
    ]
    deck, renewed = decks_before(state, deck_size)
    for draw, (seat, kind) in enumerate(stated):
        drawn = state.drawn[draw]
        if draw == deck_size:
            deck = renewed
        check_in_deck(deck, kind, outcomes)
        deck[kind] -= 1
        state.favors[seat, drawn] -= 1
        state.favors[seat, kind] += 1
        if draw >= deck_size or len(stated) <= deck_size:
            state.drawn_since[seat, drawn] -= 1
            state.drawn_since[seat, kind] += 1
        state.drawn[draw] = kind
    state.favor_deck[:] = deck


def decks_before(state: Record, deck_size: int) -> tuple[Array, Array]:
    """Return the deck before the draws of the last move, and the one that renewed it, as counts by kind."""
    drawn = state.drawn[: state.num_drawn]
    first = np.bincount(drawn[:deck_size], minlength=NUM_FAVORS).astype(np.int8)
    second = np.bincount(drawn[deck_size:], minlength=NUM_FAVORS).astype(np.int8)
    if len(drawn) <= deck_size:
        return first + state.favor_deck, second
    return first, second + state.favor_deck
