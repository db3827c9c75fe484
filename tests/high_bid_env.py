"""High Bid: a sealed-bid game of chance and secrets for 2 to 5 players, and the template for a new game.

Three prizes worth 1, 2 and 3 points come up in random order. For each, everybody secretly bids some
of their 4 coins; all bids are revealed and paid, and the highest wins; of tied ones the first seat.
"""

from pathlib import Path

import numpy as np
from numba import njit

from tabletop import verbs
from tabletop.bitset import add, clear
from tabletop.chance import Chance
from tabletop.game import Game, record_dtype
from tabletop.keys import absorb, hash_words, public_words
from tabletop.kinds import Array, Record, States, Word
from tabletop.layout import Field, Layout
from tabletop.rng import below, seed_streams

MAX_PLAYERS, PRIZES, COINS, NO_BID = 5, 3, 4, -1
LAYOUT = Layout(
    (
        Field("coins", (MAX_PLAYERS,), "coins of each seat / 4, the observer first"),
        Field("points", (MAX_PLAYERS,), "points of each seat / 6"),
        Field("own_bid", (1,), "1 + the observer's bid, / 5; 0 before it"),
        Field("prizes", (PRIZES + 1,), "1 for each prize still in the deck, then the open one / 3"),
    )
)
STATE = record_dtype(
    [
        ("rng", np.uint64, (1,)),  # the order of the prizes
        ("deck", np.int8, (PRIZES + 1,)),  # [prize] 1 while it is in the deck
        ("coins", np.int8, (MAX_PLAYERS,)),  # [player]
        ("points", np.int8, (MAX_PLAYERS,)),  # [player]
        ("bids", np.int8, (MAX_PLAYERS,)),  # [player] secret until all have bid, or NO_BID
        ("prize", np.int8),  # the open prize; 0 when the game is over
        ("current", np.int8),
        ("num_players", np.int8),
    ],
    Path(__file__),
)

PUBLIC = public_words(STATE, "rng", "bids")


@njit
def new_game(state: Record, num_players: int, options: Array, seed: int) -> None:
    seed_streams(state.rng, seed)
    state.deck[:] = 1
    state.deck[0] = 0
    state.points[:] = 0
    state.coins[:] = 0
    state.coins[:num_players] = COINS
    state.num_players = num_players
    open_prize(state)


@njit
def open_prize(state: Record) -> None:
    """The next prize comes up at random; without one the game is over."""
    state.bids[:] = NO_BID
    state.current = 0
    state.prize = 0
    if state.deck.sum() > 0:
        skip = below(state.rng, 0, state.deck.sum())
        for prize in range(PRIZES + 1):
            if state.deck[prize] == 1:
                if skip == 0:
                    state.prize = prize
                skip -= 1
        state.deck[state.prize] = 0


@njit
def legal_actions(state: Record, bits: Array) -> None:
    clear(bits)
    if state.prize > 0:
        for bid in range(state.coins[state.current] + 1):
            add(bits, bid)


@njit
def apply_action(state: Record, action: int) -> None:
    state.bids[state.current] = action
    state.current += 1
    if state.current == state.num_players:
        winner = np.argmax(state.bids)
        state.points[winner] += state.prize
        for player in range(state.num_players):
            state.coins[player] -= state.bids[player]
        open_prize(state)


@njit
def returns(state: Record, out: Array) -> None:
    out[:] = 0
    for player in range(state.num_players):
        for other in range(state.num_players):
            out[player] += np.sign(int(state.points[player]) - int(state.points[other])) / (
                state.num_players - 1
            )


@njit
def scores(state: Record, out: Array) -> None:
    out[:] = state.points[: len(out)]


@njit
def observe(state: Record, player: int, out: Array) -> None:
    out[:] = 0
    for place in range(state.num_players):
        seat = (player + place) % state.num_players
        out[place] = state.coins[seat] / np.float32(COINS)
        out[MAX_PLAYERS + place] = state.points[seat] / np.float32(6)
    out[2 * MAX_PLAYERS] = (state.bids[player] + 1) / np.float32(COINS + 1)
    for prize in range(1, PRIZES + 1):
        out[2 * MAX_PLAYERS + prize] = state.deck[prize]
    out[2 * MAX_PLAYERS + 1 + PRIZES] = state.prize / np.float32(PRIZES)


@njit
def information_key(state: Record, player: int) -> Word:
    return absorb(hash_words(state, player, PUBLIC), int(state.bids[player]) + 1)


@njit
def resample(state: Record, player: int, seed: int) -> None:
    """Bids that are not revealed, and the order of the prizes to come, are unknown."""
    seed_streams(state.rng, seed)
    for other in range(state.current):
        if other != player:
            state.bids[other] = below(state.rng, 0, int(state.coins[other]) + 1)


@njit
def current_player(state: Record) -> int:
    return int(state.current)


@njit
def is_over(state: Record) -> bool:
    return state.prize == 0


@njit
def is_truncated(state: Record) -> bool:
    return False


def chance(history: States) -> list[str]:
    opened = np.flatnonzero(np.diff(history["deck"].sum(axis=1).astype(int), prepend=PRIZES))
    return [f"prize {history['prize'][index]}" for index in opened]


def force_prize(state: Record, outcomes: Chance) -> None:
    """Replace the prize that has just come up by the recorded one."""
    if state.prize > 0:
        text = outcomes.take("the next prize")
        prize = int(text.removeprefix("prize ")) if text.removeprefix("prize ").isdecimal() else 0
        state.deck[state.prize] = 1
        if not 1 <= prize <= PRIZES or state.deck[prize] == 0:
            raise outcomes.fault("no such prize is left")
        state.prize = prize
        state.deck[prize] = 0


def apply_with_chance(state: Record, action: int, outcomes: Chance) -> None:
    before = int(state.deck.sum())
    apply_action(state, action)
    if int(state.deck.sum()) != before:
        force_prize(state, outcomes)


def state_to_string(state: Record) -> str:
    seats = range(int(state.num_players))
    lines = [f"seat {seat}: {state.coins[seat]} coins, {state.points[seat]} points" for seat in seats]
    left = " ".join(str(prize) for prize in range(1, PRIZES + 1) if state.deck[prize])
    return "\n".join([f"prize {state.prize}, then {left or 'none'}, seat {state.current} to bid", *lines])


def board_for(state: Record, player: int) -> str:
    own = "no bid" if state.bids[player] == NO_BID else f"bid {state.bids[player]}"
    return f"{state_to_string(state)}\nseat {player}: {own}"


def told(before: Record, action: int, after: Record, player: int) -> str:
    """A bid is seen when it is one's own; all are when the last is made, and then the next prize."""
    seat, last = int(before.current), int(before.num_players) - 1
    text = f"{seat} bids {action if seat == player else '?'}"
    if seat < last:
        return text
    bids = [*before.bids[:last].tolist(), action]
    return f"{text}; all bid {' '.join(str(bid) for bid in bids)}; prize {after.prize}"


verbs.implement(
    STATE,
    new_game=new_game,
    current_player=current_player,
    legal_actions=legal_actions,
    apply_action=apply_action,
    is_over=is_over,
    is_truncated=is_truncated,
    scores=scores,
    returns=returns,
    observe=observe,
    resample=resample,
    information_key=information_key,
)
GAME = Game(
    name="high_bid",
    title="High Bid",
    module="high_bid_env",
    min_players=2,
    max_players=MAX_PLAYERS,
    max_moves=PRIZES * MAX_PLAYERS,
    state_dtype=STATE,
    num_actions=COINS + 1,
    options=(),
    presets={"standard": {}},
    layout=LAYOUT,
    action_names=tuple(f"bid {coins}" for coins in range(COINS + 1)),
    action_blocks=(("bid <coins>", 0, COINS + 1),),
    state_to_string=state_to_string,
    chance=chance,
    setup_with_chance=force_prize,
    apply_with_chance=apply_with_chance,
    board_for=board_for,
    told=told,
)
