"""The record that is one game of Amun-Re, and what must hold of it after every move."""

from pathlib import Path
from typing import Any

import numpy as np

from amunre_env.components import (
    FAVOR_COUNTS,
    FAVOR_NAMES,
    FIELDS,
    MAX_PLAYERS,
    MOST_DRAWN,
    NUM_FAVORS,
    NUM_PROVINCES,
    OFFERING_ADJUSTMENT,
    PROVINCE_NAMES,
    ROUNDS,
    STONES_PER_PYRAMID,
)
from tabletop.game import Option, record_dtype

# Phases: what the player to move is asked.
CHOOSE_PROVINCE = 0  # expert: which province to put up for auction
BIDDING = 1  # bid, protect or sell
PROTECTED_BID = 2  # the bid that goes with a Protection
MARKET_FAVORS = 3
MARKET_FARMERS = 4
MARKET_STONES = 5
OFFERING = 6  # offer or steal
DECLARING = 7  # raise or lower
REWARDS = 8
HARVEST = 9
SCORING = 10
OVER = 11
NUM_PHASES = 12

# Streams of the generator.
PROVINCE_STREAM = 0
FAVOR_STREAM = 1
OTHER_STREAM = 2  # the start player; what `resample` redraws

NUM_OPTIONS = 2

NOBODY = -1
NOWHERE = -1
NO_TILE = -1
STOLE = -1  # in `offers`
NO_OFFER = 0

# Facts that everybody knows of a hand: "it holds at least one card of this set of kinds".
DEALT_FACT = 0  # the Architect dealt at setup
HARVEST_FACT = 1  # asked in a harvest
SCORING_FACT = 2  # asked in a scoring
DECLARED_FACT = 3  # asked to raise or lower
NUM_FACTS = 4
NO_FACT = -1

STATE = record_dtype(
    [
        ("rng", np.uint64, (3,)),  # [stream] province deck, favor deck, anything else
        ("unseen_provinces", np.int32),  # bit p set: province p can still come up in this age
        ("gold", np.int16, (MAX_PLAYERS,)),  # [player]
        ("points", np.int16, (MAX_PLAYERS,)),  # [player] victory points
        ("facts", np.int16, (MAX_PLAYERS, NUM_FACTS)),  # [player, fact] holds one of these kinds (bits), or 0
        ("lacks", np.int16, (MAX_PLAYERS,)),  # [player] bit k set: all know that no card of kind k is in hand
        ("offering", np.int16),  # the total of this round's offering, once revealed
        ("moves", np.int16),  # moves made so far
        ("favors", np.int8, (MAX_PLAYERS, NUM_FAVORS)),  # [player, kind] cards in hand
        ("favor_deck", np.int8, (NUM_FAVORS,)),  # [kind] in the favor deck
        ("favor_discards", np.int8, (NUM_FAVORS,)),  # [kind] discarded since the deck was last shuffled
        ("shuffled", np.int8, (NUM_FAVORS,)),  # [kind] in the favor deck when it was last shuffled
        ("drawn_since", np.int8, (MAX_PLAYERS, NUM_FAVORS)),  # [player, kind] drawn since then
        ("hand_sizes", np.int8, (MAX_PLAYERS,)),  # [player] favor cards in hand
        ("deck_size", np.int8),
        ("discards_size", np.int8),
        ("num_drawn", np.int8),  # favor cards drawn in the last move
        ("drawn_by", np.int8, (MOST_DRAWN,)),  # [draw] who drew it
        ("drawn", np.int8, (MOST_DRAWN,)),  # [draw] its kind
        ("stones", np.int8, (NUM_PROVINCES,)),  # [province] not yet a pyramid, 0 to 2
        ("pyramids", np.int8, (NUM_PROVINCES,)),  # [province]
        ("farmers", np.int8, (NUM_PROVINCES,)),  # [province] in its fields
        ("free_farmers", np.int8, (NUM_PROVINCES,)),  # [province] outside its fields
        ("won", np.int8, (MAX_PLAYERS, ROUNDS)),  # [player, round] province gained in this age, or NOWHERE
        ("hands", np.int8, (MAX_PLAYERS, ROUNDS)),  # [player, card] expert: provinces in hand, or NOWHERE
        (
            "choices",
            np.int8,
            (MAX_PLAYERS,),
        ),  # [player] expert: position of the unrevealed choice, or NOWHERE
        ("offered", np.int8, (MAX_PLAYERS,)),  # [place] provinces up for auction in this round
        ("leaders", np.int8, (MAX_PLAYERS,)),  # [place] who holds the highest bid there, or NOBODY
        ("pawns", np.int8, (MAX_PLAYERS,)),  # [player] place of the highest bid, or NOWHERE
        ("bids", np.int8, (MAX_PLAYERS,)),  # [player] its bid space
        ("barred", np.int8, (MAX_PLAYERS,)),  # [player] place of which just outbid, or NOWHERE
        ("bribed", np.int8, (MAX_PLAYERS,)),  # [player] 1: played Bribery in this auction
        ("protected", np.int8, (MAX_PLAYERS,)),  # [player] 1: played Protection in this auction
        ("offers", np.int8, (MAX_PLAYERS,)),  # [player] gold, STOLE or NO_OFFER
        ("adjusting", np.int8, (MAX_PLAYERS,)),  # [player] 1: added a blue card that is still to be declared
        ("scored", np.int8, (MAX_PLAYERS,)),  # [player] bit k set: yellow kind k played in this scoring
        ("options", np.int8, (NUM_OPTIONS,)),  # [option] index into its choices, in the order of OPTIONS
        ("num_players", np.int8),
        ("age", np.int8),  # 0 Old Kingdom, 1 New Kingdom
        ("round_number", np.int8),  # 0 to 2 within the age
        ("phase", np.int8),
        ("current", np.int8),  # the seat that moves
        ("start", np.int8),  # the start player of this round
        ("next_start", np.int8),  # the start player of the next round
        ("runner_up", np.int8),  # the second highest offer of this round, or NOBODY
        ("tile", np.int8),  # offering tile of this round, or NO_TILE
        ("bought", np.int8),  # items bought in this step of the market
        ("free_farmer_played", np.int8),  # 1: in this market turn
        ("architect_played", np.int8),  # 1: in this market turn
        ("rewards_left", np.int8),  # of the seat that collects
        ("treasury_at", np.int8),  # province of the current seat's Treasury, or NOWHERE
        ("big_harvest_at", np.int8),  # province of the current seat's Big Harvest, or NOWHERE
    ],
    Path(__file__).parent,
)

OPTIONS = (
    Option("expert", (False, True), "every player puts up provinces from a secret hand instead of the deck"),
    Option("temples", ("scoring", "harvest"), "temples score at the end of each age, or after every harvest"),
)
PRESETS: dict[str, dict[str, bool | str]] = {"basic": {}, "expert": {"expert": True}}

# Positions in `state.options`.
EXPERT, TEMPLES_AT_HARVEST = range(NUM_OPTIONS)


def faults(state: Any) -> list[str]:
    """Return everything that is wrong with a record; an empty list if it can stand on a table."""
    return [
        *favor_card_faults(state),
        *knowledge_faults(state),
        *province_faults(state),
        *auction_faults(state),
        *offering_faults(state),
    ]


def favor_card_faults(state: Any) -> list[str]:
    """Every card is in the deck, among the discards or in a hand."""
    found = []
    players = int(state.num_players)
    for kind, name in enumerate(FAVOR_NAMES):
        hands = [int(state.favors[player, kind]) for player in range(MAX_PLAYERS)]
        places = [int(state.favor_deck[kind]), int(state.favor_discards[kind]), *hands]
        if min(places) < 0 or sum(places) != FAVOR_COUNTS[kind]:
            found.append(f"{name}: deck, discards and hands {places} are not {FAVOR_COUNTS[kind]} cards")
    for player in range(MAX_PLAYERS):
        held = int(state.favors[player].sum())
        if held != int(state.hand_sizes[player]) or (held > 0 and player >= players):
            found.append(f"seat {player} holds {held} favor cards, not {state.hand_sizes[player]}")
    if int(state.favor_deck.sum()) != int(state.deck_size):
        found.append(f"deck_size {state.deck_size} but {state.favor_deck.sum()} cards in the favor deck")
    if int(state.favor_discards.sum()) != int(state.discards_size):
        found.append(f"discards_size {state.discards_size} but {state.favor_discards.sum()} cards discarded")
    return found


def knowledge_faults(state: Any) -> list[str]:
    """What everybody knows of the hands and the favor deck is true."""
    found = []
    for player in range(int(state.num_players)):
        held = sum(1 << kind for kind in range(NUM_FAVORS) if state.favors[player, kind] > 0)
        if held & int(state.lacks[player]):
            found.append(f"seat {player} holds a card that it is known to lack")
        for fact in range(NUM_FACTS):
            if state.facts[player, fact] != 0 and not held & int(state.facts[player, fact]):
                found.append(f"seat {player} holds no card of fact {fact}")
    for kind, name in enumerate(FAVOR_NAMES):
        drawn = int(state.drawn_since[:, kind].sum())
        if int(state.favor_deck[kind]) > int(state.shuffled[kind]) - int(state.drawn_since[:, kind].max()):
            found.append(f"more {name} in the deck than were shuffled into it, less {drawn} drawn")
    asked = {HARVEST: HARVEST_FACT, SCORING: SCORING_FACT, DECLARING: DECLARED_FACT}
    fact = asked.get(int(state.phase), NO_FACT)
    if fact != NO_FACT and state.facts[state.current, fact] == 0:
        found.append(f"seat {state.current} is asked but known to have no answer")
    return found


def province_faults(state: Any) -> list[str]:
    """Nobody shares a province; buildings and farmers fit; expert hands are apart."""
    found = []
    players = range(int(state.num_players))
    taken = [int(state.won[player, turn]) for player in players for turn in range(ROUNDS)]
    taken = [province for province in taken if province != NOWHERE]
    held = [int(province) for player in players for province in state.hands[player] if province != NOWHERE]
    if len(set(taken)) != len(taken):
        found.append(f"a province is won twice: {sorted(taken)}")
    if len(set(held)) != len(held) or any(
        not int(state.unseen_provinces) >> province & 1 for province in held
    ):
        found.append(f"a province in hand is there twice or has been played: {sorted(held)}")
    for province, name in enumerate(PROVINCE_NAMES):
        if not 0 <= int(state.stones[province]) < STONES_PER_PYRAMID:
            found.append(f"{name}: {state.stones[province]} stones")
        if not 0 <= int(state.farmers[province]) <= FIELDS[province]:
            found.append(f"{name}: {state.farmers[province]} farmers in {FIELDS[province]} fields")
        if min(int(state.pyramids[province]), int(state.free_farmers[province])) < 0:
            found.append(f"{name}: fewer than no pyramids or farmers")
        if province not in taken and int(state.farmers[province]) + int(state.free_farmers[province]) > 0:
            found.append(f"{name}: farmers but no owner")
    for player in players:
        if state.choices[player] != NOWHERE and state.hands[player, state.choices[player]] == NOWHERE:
            found.append(f"seat {player} chose a province that is not in hand")
    return found


def auction_faults(state: Any) -> list[str]:
    """Pawns and highest bids tell the same."""
    found = []
    for player in range(int(state.num_players)):
        place = int(state.pawns[player])
        if place != NOWHERE and int(state.leaders[place]) != player:
            found.append(f"the pawn of seat {player} is at {place}, where seat {state.leaders[place]} leads")
        if state.gold[player] < 0:
            found.append(f"seat {player} has {state.gold[player]} gold")
    return found


def offering_faults(state: Any) -> list[str]:
    """Nobody offers gold they lack before it is paid; a blue card is in the hand it is played from."""
    found = []
    for player in range(int(state.num_players)):
        if state.phase == OFFERING and state.offers[player] > state.gold[player]:
            found.append(f"seat {player} offers {state.offers[player]} of {state.gold[player]} gold")
        if state.adjusting[player] == 1 and state.favors[player, OFFERING_ADJUSTMENT] == 0:
            found.append(f"seat {player} adjusts without a card")
    return found
