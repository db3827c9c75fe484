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
from ra_env.state import AUCTION, GODS, TURN
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


@dataclass(frozen=True)
class Question:
    """What the player to move knows when asked."""

    phase: int
    options: dict[str, bool | str]
    log: Log
    suns: set[int]  # face up
    hand: dict[str, int]
    track: dict[str, int]
    is_ra_player: bool
    hit: tuple[str, ...]  # the category that a disaster hits


def legal_by_the_rules(state: State, log: Log) -> set[str]:
    """Every move that the rules allow."""
    seat = asked(state)
    question = Question(
        phase=int(state.phase),
        options={
            option.name: option.choices[state.options[place]] for place, option in enumerate(GAME.options)
        },
        log=log,
        suns=up(state, seat),
        hand=held(state, seat),
        track=lot(state),
        is_ra_player=seat == state.turn_player,
        hit=CIVILIZATIONS if state.civilization_losses > 0 else MONUMENTS,
    )
    return {move for move in ACTION_NAMES if is_allowed(question, move)}


def is_allowed(question: Question, move: str) -> bool:
    """Whether the rules allow one move."""
    word, _, what = move.partition(" ")
    is_full = sum(question.track.values()) == 8
    if question.phase == TURN:
        return (
            (word == "draw" and not is_full)
            or word == "invoke"
            or (word == "god" and god_takes(question, what))
        )
    if question.phase == GODS:
        return word == "end" or (word == "god" and god_takes(question, what))
    if question.phase == AUCTION:
        if word == "bid":
            return int(what) in question.suns and int(what) > max(question.log.bids, default=0)
        voluntary = question.log.caused_by == "invoke" and not is_full
        alone = question.is_ra_player and not question.log.bids
        return word == "pass" and not (question.options["forced_bid"] and voluntary and alone)
    return word == "discard" and what in question.hit and what in question.hand


def god_takes(question: Question, tile: str) -> bool:
    """Whether the player has a God tile that may take a tile."""
    may_take = tile != "god" or question.options["god_takes_god"] is True
    return "god" in question.hand and tile in question.track and may_take


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
