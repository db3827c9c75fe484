"""What a player of Amun-Re cannot know, redrawn: `resample`.

Hidden are others' favor cards, the decks, unrevealed offers, blue cards and choices, and under the
expert rules the provinces in others' hands. Everything that can be deduced from public moves holds
in every sample: the discards and the size of each hand; cards of which all know that a hand has one
(`facts`: the Architect of the setup until an Architect leaves the hand, a harvest or yellow card or
a blue card while and after its owner is asked for it) or none (`lacks`: who was passed over in a
harvest or a scoring, until the next draw); and that the deck holds only what was last shuffled into
it (`shuffled`), less what the observer drew from it. Chances of what is left are even, not weighed
by how people play.
"""

import numpy as np
from numba import jit_module

from amunre_env.components import MAX_OFFER, NUM_FAVORS, OFFERING_ADJUSTMENT, ROUNDS, TOTAL_FAVORS
from amunre_env.rules import left_of, random_province
from amunre_env.state import (
    DECLARING,
    EXPERT,
    NO_OFFER,
    NOWHERE,
    NUM_FACTS,
    OFFERING,
    OTHER_STREAM,
    STOLE,
)
from tabletop.kinds import Record, Seed
from tabletop.rng import below, seed_streams

DECK = -1  # where a card lies that is in nobody's hand
SHUFFLES = 3
UNKNOWN_STEALS = 4  # one in so many unrevealed offers is taken for a theft


def resample(state: Record, player: int, seed: Seed) -> None:
    """Redraw what `player` cannot know: others' cards, choices and offers, and the decks."""
    seed_streams(state.rng, seed)
    state.num_drawn = 0
    state.drawn_by[:] = 0
    state.drawn[:] = 0
    redraw_favors(state, player)
    if state.options[EXPERT] == 1:
        redraw_hands(state, player)
    if state.phase in (OFFERING, DECLARING):
        redraw_offerings(state, player)


def redraw_favors(state: Record, player: int) -> None:
    """Exchange cards among the others' hands and the deck, one with a random other, if both fit.

    Cards begin where they are, so what is known of the hands and the deck holds from the first to
    the last exchange. Where nothing is known every arrangement is equally likely.
    """
    kinds = np.empty(TOTAL_FAVORS, np.int64)
    owners = np.empty(TOTAL_FAVORS, np.int64)
    number = 0
    for owner in range(DECK, int(state.num_players)):
        if owner != player:
            for kind in range(NUM_FAVORS):
                held = state.favor_deck[kind] if owner == DECK else state.favors[owner, kind]
                for _ in range(held):
                    kinds[number] = kind
                    owners[number] = owner
                    number += 1
    for _ in range(SHUFFLES):
        for card in range(number - 1, 0, -1):
            other = below(state.rng, OTHER_STREAM, card + 1)
            if can_exchange(state, player, owners[card], kinds[card], kinds[other]) and can_exchange(
                state, player, owners[other], kinds[other], kinds[card]
            ):
                move_card(state, owners[card], kinds[card], kinds[other])
                move_card(state, owners[other], kinds[other], kinds[card])
                kinds[card], kinds[other] = kinds[other], kinds[card]
    forget_draws(state, player)


def can_exchange(state: Record, player: int, owner: int, old: int, new: int) -> bool:
    """Whether, for all that `player` knows, an owner can have a card of kind `new` for one of `old`."""
    if old == new:
        return True
    if owner == DECK:
        return state.favor_deck[new] < state.shuffled[new] - state.drawn_since[player, new]
    if (int(state.lacks[owner]) >> new) & 1:
        return False
    for fact in range(NUM_FACTS):
        known = int(state.facts[owner, fact])
        if (known >> old) & 1 and not (known >> new) & 1:
            held = 0
            for kind in range(NUM_FAVORS):
                held += int(state.favors[owner, kind]) * ((known >> kind) & 1)
            if held < 2:
                return False
    return True


def move_card(state: Record, owner: int, old: int, new: int) -> None:
    """Replace a card of a hand or the deck."""
    if owner == DECK:
        state.favor_deck[old] -= 1
        state.favor_deck[new] += 1
    else:
        state.favors[owner, old] -= 1
        state.favors[owner, new] += 1


def forget_draws(state: Record, player: int) -> None:
    """What others have drawn since the deck was shuffled is theirs to know, not the sample's."""
    for other in range(state.num_players):
        if other != player:
            state.drawn_since[other, :] = 0


def redraw_hands(state: Record, player: int) -> None:
    """Deal the provinces that `player` has not seen to the others, and let them choose anew."""
    left = int(state.unseen_provinces)
    for card in range(ROUNDS):
        if state.hands[player, card] != NOWHERE:
            left &= ~(1 << int(state.hands[player, card]))
    for other in range(state.num_players):
        if other != player:
            held = 0
            for card in range(ROUNDS):
                if state.hands[other, card] != NOWHERE:
                    province = random_province(state, left, OTHER_STREAM)
                    state.hands[other, card] = province
                    left &= ~(1 << province)
                    held += 1
            if state.choices[other] != NOWHERE:
                redraw_choice(state, other, below(state.rng, OTHER_STREAM, held))


def redraw_choice(state: Record, player: int, skip: int) -> None:
    """Choose the province that has `skip` others before it in the hand."""
    left = skip
    for card in range(ROUNDS):
        if state.hands[player, card] != NOWHERE:
            if left == 0:
                state.choices[player] = card
            left -= 1


def redraw_offerings(state: Record, player: int) -> None:
    """Replace unrevealed offers, and blue cards that are still to be declared."""
    other = int(state.start)
    declared = state.phase == DECLARING
    for _ in range(state.num_players):
        if declared and other == state.current:
            declared = False
        elif other != player and not declared:
            redraw_blue_card(state, other)
            if state.phase == OFFERING and state.offers[other] != NO_OFFER:
                redraw_offer(state, other)
        other = left_of(state, other)


def redraw_blue_card(state: Record, player: int) -> None:
    """Who holds a blue card and has been asked for an offering may have added it, which is a move."""
    asked = state.phase == DECLARING or state.offers[player] != NO_OFFER or player == state.current
    state.moves -= state.adjusting[player]
    if asked and state.favors[player, OFFERING_ADJUSTMENT] > 0:
        state.adjusting[player] = below(state.rng, OTHER_STREAM, 2)
    else:
        state.adjusting[player] = 0
    state.moves += state.adjusting[player]


def redraw_offer(state: Record, player: int) -> None:
    """Theft, always without gold; or an amount of the player's gold, small ones more often."""
    most = min(int(state.gold[player]), MAX_OFFER)
    if most == 0 or below(state.rng, OTHER_STREAM, UNKNOWN_STEALS) == 0:
        state.offers[player] = STOLE
    else:
        state.offers[player] = 1 + below(state.rng, OTHER_STREAM, 1 + below(state.rng, OTHER_STREAM, most))


jit_module(cache=True, nogil=True, forceinline=False)
