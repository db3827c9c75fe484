"""What a player of Ra may do, by brute force from the rulebook, and random games to ask it about.

Written from the rules and from what everybody at the table sees, apart from the engine: every one of
the 55 moves is judged by itself.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from ra_table import CIVILIZATIONS, MONUMENTS, State, asked, copy_of, held, legal, lot, up

from ra_env import GAME
from ra_env.actions import ACTION_NAMES
from ra_env.state import AUCTION, DISCARD, GODS, TURN
from tabletop import verbs


@dataclass
class Log:
    """What the players said since the turn began: what the table itself does not show."""

    caused_by: str = ""  # the move that began this turn or auction
    bids: list[int] = field(default_factory=list)

    def note(self, move: str) -> None:
        """Take down a move."""
        word, _, what = move.partition(" ")
        if word == "bid":
            self.bids.append(int(what))
        elif word != "pass":
            self.caused_by, self.bids = move, []


def options_of(state: State) -> dict[str, bool | str]:
    """The options by name."""
    return {option.name: option.choices[state.options[place]] for place, option in enumerate(GAME.options)}


def legal_by_the_rules(state: State, log: Log) -> set[str]:
    """Every move that the rules allow."""
    return {move for move in ACTION_NAMES if is_allowed(state, log, move)}


def is_allowed(state: State, log: Log, move: str) -> bool:
    """Whether the rules allow one move."""
    word, _, what = move.partition(" ")
    seat = asked(state)
    if state.phase == TURN:
        if word == "draw":
            return sum(lot(state).values()) < 8
        return word == "invoke" or (word == "god" and god_takes(state, seat, what))
    if state.phase == GODS:
        return word == "end" or (word == "god" and god_takes(state, seat, what))
    if state.phase == AUCTION:
        highest = max(log.bids, default=0)
        if word == "bid":
            return int(what) in up(state, seat) and int(what) > highest
        voluntary = log.caused_by == "invoke" and sum(lot(state).values()) < 8
        forced = options_of(state)["forced_bid"] and voluntary and seat == state.turn_player and not log.bids
        return word == "pass" and not forced
    if state.phase == DISCARD:
        category = CIVILIZATIONS if state.civilization_losses > 0 else MONUMENTS
        return word == "discard" and what in category and what in held(state, seat)
    return False


def god_takes(state: State, seat: int, tile: str) -> bool:
    """Whether a player has a God tile that may take a tile."""
    may_take = tile != "god" or options_of(state)["god_takes_god"] is True
    return "god" in held(state, seat) and tile in lot(state) and may_take


def random_game(state: State, seed: int, calm: float) -> Iterator[tuple[State, Log]]:
    """Play a game to its end at random and yield the table before every move and at the end.

    With the chance `calm` a player draws or passes, if that is legal, so that lots grow.
    """
    choose = random.Random(seed)
    log = Log()
    yield state, log
    while not verbs.is_over(state):
        moves = sorted(legal(state))
        quiet = sorted({"draw", "pass"} & set(moves))
        move = quiet[0] if quiet and choose.random() < calm else choose.choice(moves)
        log.note(move)
        verbs.apply_action(state, GAME.string_to_action(move))
        yield state, log


def position(state: State, seed: int, calm: float, moves: int) -> State:
    """Return the table after some moves of a random game, or when fewer end it, before the last of them."""
    before = copy_of(state)
    for count, (later, _) in enumerate(random_game(state, seed, calm)):
        if count > moves or verbs.is_over(later):
            break
        before = copy_of(later)
    return before
