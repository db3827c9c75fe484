"""Game records: one JSON object a line, written and read here, and replayed by their moves and chance.

A record can be checked by anyone with a rulebook: `moves` holds every decision and `chance` every
random outcome in the order in which the game met them. The seed is never needed for a replay.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tabletop import kernels
from tabletop.chance import Chance, ChanceError
from tabletop.game import Game, GameError, Options, load
from tabletop.kinds import States
from tabletop.rng import MAX_SEED

FORMAT = 1


class RecordError(ValueError):
    """A record that cannot be read, or that parts from the rules; the message says where."""


@dataclass(frozen=True)
class GameRecord:
    """One finished game."""

    format: int
    game: str
    num_players: int
    options: Options
    seed: int | None
    agents: list[str]
    moves: list[str]
    chance: list[str]
    scores: list[int]
    returns: list[float]
    truncated: bool
    legal: list[list[str]] | None = None  # the legal moves before each move, if the writer gave them

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        values = asdict(self)
        if self.legal is None:
            del values["legal"]
        return json.dumps(values)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list_of(value: object, kinds: type | tuple[type, ...]) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kinds) for entry in value)


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "format": ("the number 1", lambda value: value == FORMAT),
    "game": ("the name of a game", lambda value: isinstance(value, str)),
    "num_players": ("an integer", _is_integer),
    "options": ("an object", lambda value: isinstance(value, dict)),
    "seed": (
        "null or an integer from 0 to 2**64 - 1",
        lambda value: value is None or (_is_integer(value) and 0 <= value <= MAX_SEED),
    ),
    "agents": ("a list of names", lambda value: _is_list_of(value, str)),
    "moves": ("a list of moves", lambda value: _is_list_of(value, str)),
    "chance": ("a list of outcomes", lambda value: _is_list_of(value, str)),
    "scores": ("a list of integers", lambda value: isinstance(value, list) and all(map(_is_integer, value))),
    "returns": ("a list of numbers", lambda value: _is_list_of(value, (int, float))),
    "truncated": ("true or false", lambda value: isinstance(value, bool)),
}


def parse_record(line: str) -> GameRecord:
    """Return the record that a line holds.

    Raises:
        RecordError: it is not JSON, or a field is missing or of the wrong kind.
    """
    try:
        values = json.loads(line)
    except ValueError as error:
        raise RecordError(f"not a line of JSON: {error}") from None
    if not isinstance(values, dict):
        raise RecordError("not a JSON object")
    for name, (kind, fits) in _KINDS.items():
        if name not in values:
            raise RecordError(f"the field {name!r} is missing")
        if not fits(values[name]):
            raise RecordError(f"the field {name!r} is not {kind}")
    legal = values.get("legal")
    if legal is not None:
        fits_moves = isinstance(legal, list) and all(_is_list_of(moves, str) for moves in legal)
        if not fits_moves or len(legal) != len(values["moves"]):
            raise RecordError("the field 'legal' is not a list of moves for each move")
    return GameRecord(**{name: values[name] for name in _KINDS}, legal=legal)


def read_records(path: Path) -> Iterator[tuple[int, GameRecord | RecordError]]:
    """Yield the line number, from 1, and the record of each line that is not blank, or what is wrong with it.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.strip():
                continue
            try:
                yield number, parse_record(raw.decode("utf-8"))
            except UnicodeDecodeError as error:
                yield number, RecordError(f"not UTF-8 text: {error.reason} at byte {error.start}")
            except RecordError as error:
                yield number, error


def record_of_moves(
    game: Game,
    num_players: int,
    options: Options,
    seed: int,
    agents: Sequence[str],
    moves: npt.NDArray[np.int16],
) -> GameRecord:
    """Return the record of a game that was dealt with a seed and played with legal moves, int16[moves]."""
    history = game.new_states(len(moves) + 1)
    kernels.play_moves(history, num_players, game.encode_options(options), np.uint64(seed), moves)
    return record_of_history(game, options, seed, agents, moves, history)


def record_of_history(
    game: Game,
    options: Options,
    seed: int | None,
    agents: Sequence[str],
    moves: npt.NDArray[np.int16],
    history: States,
) -> GameRecord:
    """Return the record of a game from its moves and its states before the first and after every move."""
    num_players = int(history[0].num_players)
    scores, returns, truncated = _results(history[-1:], num_players)
    return GameRecord(
        format=FORMAT,
        game=game.name,
        num_players=num_players,
        options=dict(options),
        seed=seed,
        agents=list(agents),
        moves=[game.action_names[move] for move in moves],
        chance=game.chance(history),
        scores=scores,
        returns=returns,
        truncated=truncated,
    )


def replay(record: GameRecord, game: Game | None = None) -> States:
    """Play a record by its moves and chance and check everything it says.

    Returns:
        The states before the first and after every move, [moves + 1].

    Raises:
        RecordError: where the record and the rules part; the message names move, chance or field.
    """
    return Replayer(record, game).run()


class Replayer:
    """A replay in steps; `states` holds what was reached before a fault."""

    def __init__(self, record: GameRecord, game: Game | None = None) -> None:
        """Check the head of a record.

        Raises:
            RecordError: an unknown game, option, or number of players or agents.
        """
        self.record = record
        try:
            self.game = load(record.game) if game is None else game
            self.game.check_num_players(record.num_players)
            self.options = self.game.resolve_options(None, **record.options)
        except GameError as error:
            raise RecordError(str(error)) from None
        missing = sorted(set(self.options) - set(record.options))
        if missing:
            raise RecordError(f"the options do not name {', '.join(missing)}")
        for name in ("agents", "scores", "returns"):
            number = len(getattr(record, name))
            if number != record.num_players:
                raise RecordError(f"{number} {name} for {record.num_players} players")
        self.states = self.game.new_states(len(record.moves) + 1)
        self.played = 0
        self._chance = Chance(record.chance)

    def run(self) -> States:
        """Replay all moves, then check the end; see `replay`."""
        self._set_up()
        mask = np.empty(self.game.num_actions, np.int8)
        bits = np.empty(self.game.num_words, np.uint64)
        status = np.zeros(kernels.STATUS_SIZE, np.int64)
        for number, text in enumerate(self.record.moves):
            here = self.states[number : number + 1]
            where = f"move {number + 1} ({text!r})"
            kernels.status_of(here, status)
            if status[kernels.IS_OVER]:
                raise RecordError(f"{where}: the game is already over")
            kernels.legal_mask(here, mask, bits)
            self._check_legal(number, text, where, mask)
            self.states[number + 1] = self.states[number]
            try:
                self.game.apply_with_chance(
                    self.states[number + 1], self.game.string_to_action(text), self._chance
                )
            except ChanceError as error:
                raise RecordError(f"{where}: {error}") from None
            self.played = number + 1
        self._check_end(status)
        return self.states

    def deals_as_seeded(self) -> bool | None:
        """Return whether the record's seed deals the same chance; None without a seed. After `run`."""
        if self.record.seed is None:
            return None
        moves = np.array([self.game.string_to_action(text) for text in self.record.moves], np.int16)
        history = self.game.new_states(len(moves) + 1)
        codes = self.game.encode_options(self.options)
        kernels.start_games(
            history[:1], self.record.num_players, codes, np.array([self.record.seed], np.uint64)
        )
        mask = np.empty(self.game.num_actions, np.int8)
        bits = np.empty(self.game.num_words, np.uint64)
        status = np.zeros(kernels.STATUS_SIZE, np.int64)
        for number, move in enumerate(moves):
            here = history[number : number + 1]
            kernels.status_of(here, status)
            kernels.legal_mask(here, mask, bits)
            if status[kernels.IS_OVER] or not mask[move]:
                return False
            history[number + 1] = history[number]
            kernels.apply_game(history[number + 1 : number + 2], int(move))
        return self.game.chance(history) == self.record.chance

    def _set_up(self) -> None:
        codes = self.game.encode_options(self.options)
        seed = 0 if self.record.seed is None else self.record.seed
        kernels.start_games(self.states[:1], self.record.num_players, codes, np.array([seed], np.uint64))
        try:
            self.game.setup_with_chance(self.states[0], self._chance)
        except ChanceError as error:
            raise RecordError(f"setup: {error}") from None

    def _check_legal(self, number: int, text: str, where: str, mask: npt.NDArray[np.int8]) -> None:
        legal = {self.game.action_names[action] for action in np.flatnonzero(mask)}
        if text not in legal:
            raise RecordError(f"{where} is not legal; legal: {', '.join(sorted(legal))}")
        if self.record.legal is not None and set(self.record.legal[number]) != legal:
            differing = ", ".join(sorted(legal ^ set(self.record.legal[number])))
            raise RecordError(f"{where}: the legal moves differ in {differing}")

    def _check_end(self, status: npt.NDArray[np.int64]) -> None:
        last = self.states[-1:]
        kernels.status_of(last, status)
        if not status[kernels.IS_OVER]:
            raise RecordError(f"the moves end after {len(self.record.moves)}, but the game is not over")
        if self._chance.left():
            raise RecordError(f"{self._chance.left()} outcomes of chance are left over")
        scores, returns, truncated = _results(last, self.record.num_players)
        if scores != self.record.scores:
            raise RecordError(f"the scores are {scores}, not {self.record.scores}")
        if not np.allclose(returns, self.record.returns, rtol=0, atol=1e-9):
            raise RecordError(f"the returns are {returns}, not {self.record.returns}")
        if truncated != self.record.truncated:
            raise RecordError(f"truncated is {truncated}, not {self.record.truncated}")


def _results(states: States, num_players: int) -> tuple[list[int], list[float], bool]:
    """Return scores, returns and truncation of a game that is over."""
    points = np.zeros(num_players, np.int64)
    results = np.zeros(num_players, np.float64)
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    kernels.results_of(states, points, results)
    kernels.status_of(states, status)
    return points.tolist(), results.tolist(), bool(status[kernels.IS_TRUNCATED])
