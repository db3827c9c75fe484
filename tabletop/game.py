"""What a game is to everything outside it: a frozen collection of facts, found by name."""

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from tabletop import bitset, verbs
from tabletop.chance import Chance
from tabletop.kinds import Record, States
from tabletop.layout import Layout

Options = dict[str, bool | str]

BUILT_IN = ("ra", "amunre")
MAX_PLAYERS = 5


class GameError(ValueError):
    """A game was asked for something it does not have; the message names what it has."""


def revision(*sources: Path) -> str:
    """Return a hash of source files: of each folder its Python and TOML files, of each file itself."""
    digest = hashlib.sha256()
    for source in sources:
        files = sorted([*source.glob("*.py"), *source.glob("*.toml")]) if source.is_dir() else [source]
        for file in files:
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def record_dtype(fields: Sequence[tuple[Any, ...]], source: Path) -> np.dtype[Any]:
    """Return the dtype of a game's record: its fields, aligned, and bytes named after a revision.

    Numba's disk cache does not notice an edit in another file and then runs stale machine code. The
    revision is a hash of the game's sources (`source`: its folder, or its file) and of this
    package's, so an edit changes the dtype, and all that is compiled over it is compiled anew.
    Its bytes fill the record up, so that no byte of a record is left undefined.

    Raises:
        TypeError: the fields leave gaps (put those of larger items first), or one has the name of an
            attribute of NumPy's records, which plain Python would find instead of the field.
    """
    taken = [entry[0] for entry in fields if hasattr(np.recarray, entry[0]) or hasattr(np.record, entry[0])]
    if taken:
        raise TypeError(
            f"fields of a record from {source} cannot be called {taken}: NumPy has attributes of that name"
        )
    name = f"revision_{revision(source, Path(__file__).parent)}"
    used = np.dtype(list(fields)).itemsize
    aligned = np.dtype([*fields, (name, np.uint8)], align=True)
    filled = np.dtype([*fields, (name, np.uint8, (aligned.itemsize - used,))], align=True)
    if filled.itemsize != aligned.itemsize or aligned.fields is None or aligned.fields[name][1] != used:
        raise TypeError(f"the fields of a record from {source} leave gaps; put those of larger items first")
    return np.dtype((np.record, filled))


def copy_records(states: States) -> States:
    """Return a copy of some records, 0.4 us for one; `states.copy()` goes field by field, 30 to 70 us."""
    return np.ndarray(states.shape, states.dtype, bytearray(states.tobytes()))


@dataclass(frozen=True)
class Option:
    """A rule that can be played in more than one way; the first choice is the default."""

    name: str
    choices: tuple[bool | str, ...]
    meaning: str

    @property
    def default(self) -> bool | str:
        """The choice that is played unless another is asked for."""
        return self.choices[0]

    def index(self, value: object) -> int:
        """Return the position of a choice, given as itself or as text ("true" for True).

        Raises:
            GameError: `value` is none of the choices.
        """
        for position, choice in enumerate(self.choices):
            if value is choice or str(value).lower() == str(choice).lower():
                return position
        valid = ", ".join(str(choice).lower() for choice in self.choices)
        raise GameError(f"option {self.name} cannot be {value!r}; valid: {valid}")


def options_text(state: Record, options: Sequence[Option]) -> str:
    """Return the choices that a record's field `options` holds as "name choice, ...", but the default ones."""
    chosen = [(option, int(code)) for option, code in zip(options, state.options, strict=True)]
    named = [f"{option.name} {str(option.choices[code]).lower()}" for option, code in chosen if code > 0]
    return ", ".join(named) or "the default ones"


@dataclass(frozen=True)
class Weight:
    """One number of a game's valuation, with the range in which tuning looks."""

    name: str
    low: float
    high: float
    meaning: str


@dataclass(frozen=True)
class Weights:
    """The names of a game's numbers and their shipped values for each number of players."""

    declared: tuple[Weight, ...]
    path: Path  # JSON: {"<num_players>": {name: value}}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in the order of the array that the verbs take."""
        return tuple(weight.name for weight in self.declared)

    def tuned(self, num_players: int) -> npt.NDArray[np.float64]:
        """Return the shipped weights for a number of players, float64[number of weights]."""
        values = json.loads(self.path.read_text())[str(num_players)]
        return np.array([values[name] for name in self.names], dtype=np.float64)


@dataclass(frozen=True)
class Feature:
    """One number that an estimate of results goes by, for each seat."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Estimate:
    """What `evaluate` goes by: features of each seat, and what they tell about its result.

    The coefficients are float64[stages, moments, features]: at evenly spaced moments of each stage from
    its beginning to its end, in between by `progress`. See `tabletop.estimate` for what they mean.
    """

    features: tuple[Feature, ...]
    stages: int  # how many stages the game has
    path: Path  # JSON: {"<num_players>": {feature: [stages][moments]}}
    valuation: Weights  # what the features are reckoned with
    moments: int = 2  # of each stage for which there are coefficients: beginning and end at least

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features in the order in which `features` writes them."""
        return tuple(feature.name for feature in self.features)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of the coefficients."""
        return self.stages, self.moments, len(self.features)

    def tuned(self, num_players: int) -> npt.NDArray[np.float64]:
        """Return the array that `evaluate` takes, float64: the valuation's weights, then the coefficients."""
        return self.joined(num_players, read_coefficients(self, self.path, num_players))

    def joined(self, num_players: int, coefficients: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the array that `evaluate` takes for other coefficients than the shipped ones."""
        return np.concatenate([self.valuation.tuned(num_players), coefficients.ravel()])


def read_coefficients(estimate: Estimate, path: Path, num_players: int) -> npt.NDArray[np.float64]:
    """Return the coefficients of a file for a number of players, float64[stages, moments, features].

    Raises:
        GameError: the file cannot be read, or does not hold them.
    """
    try:
        values = json.loads(path.read_text())[str(num_players)]
        table = np.array([values[name] for name in estimate.names], dtype=np.float64)
        return np.ascontiguousarray(np.moveaxis(table.reshape(-1, *estimate.shape[:2]), 0, 2))
    except OSError as error:
        raise GameError(f"the estimate {path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise GameError(f"{path} holds no estimate for {num_players} players: {error!r}") from None


@dataclass(frozen=True)
class Game:
    """Everything that is fixed about a game. `GAME` of a package or module is one of these."""

    name: str  # how it is named on the command line and in records
    title: str
    module: str  # the importable module whose GAME this is
    min_players: int
    max_players: int
    max_moves: int  # a game is truncated after so many moves
    state_dtype: np.dtype[Any]
    num_actions: int
    options: tuple[Option, ...]
    presets: Mapping[str, Mapping[str, bool | str]]  # the first one is the default
    layout: Layout
    action_names: tuple[str, ...]  # the notation of each action id
    action_blocks: tuple[tuple[str, int, int], ...]  # notation, first id, number of ids
    state_to_string: Callable[[Record], str]  # the text board, as everybody sees it
    chance: Callable[[States], list[str]]  # all random outcomes of a history, in order
    setup_with_chance: Callable[[Record, Chance], None]  # a new game whose chance is what an iterator says
    apply_with_chance: Callable[[Record, int, Chance], None]  # a move whose chance is what an iterator says
    score_scale: float = 20.0  # the reward `score` is the margin to the others' mean score over this
    weights: Weights | None = None  # of `greedy_action` and `prior`
    estimate: Estimate | None = None  # of `evaluate`
    board_for: Callable[[Record, int], str] | None = None  # the text board as one player sees it
    remarks_for: Callable[[Record, int], str] | None = None  # what a player sees that is not on that board
    told: Callable[[Record, int, Record, int], str | None] | None = None  # see `told_to`
    _action_ids: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ids = {name: action for action, name in enumerate(self.action_names)}
        if len(ids) != self.num_actions:
            raise TypeError(
                f"{self.name}: {self.num_actions} actions need as many different names, not {len(ids)}"
            )
        if self.max_players > MAX_PLAYERS:
            raise TypeError(f"{self.name}: at most {MAX_PLAYERS} players, not {self.max_players}")
        object.__setattr__(self, "_action_ids", MappingProxyType(ids))

    def __reduce__(self) -> tuple[Callable[[str], "Game"], tuple[str]]:
        return load, (self.module,)

    @property
    def weight_names(self) -> tuple[str, ...]:
        """The names of the greedy valuation's weights; none if the game has no valuation."""
        return () if self.weights is None else self.weights.names

    @property
    def num_words(self) -> int:
        """How many uint64 words a set of this game's actions takes."""
        return bitset.num_words(self.num_actions)

    def action_to_string(self, action: int) -> str:
        """Return the notation of an action.

        Raises:
            GameError: the action is out of range.
        """
        if not 0 <= action < self.num_actions:
            raise GameError(f"{self.name} has no action {action}; valid: 0 to {self.num_actions - 1}")
        return self.action_names[action]

    def string_to_action(self, text: str) -> int:
        """Return the action of a notation.

        Raises:
            GameError: it is no action of this game; the message lists the forms that are.
        """
        try:
            return self._action_ids[text]
        except KeyError:
            forms = ", ".join(notation for notation, _, _ in self.action_blocks)
            raise GameError(f"{self.name} has no move {text!r}; valid: {forms}") from None

    def board_of(self, state: Record, player: int) -> str:
        """Return the text board as a player sees it."""
        return self.state_to_string(state) if self.board_for is None else self.board_for(state, player)

    def observation_string(self, state: Record, player: int) -> str:
        """Return all that a player sees now as text: equal when they cannot tell two states apart."""
        lines = [f"seat {player} of {state.num_players} looks", self.board_of(state, player)]
        if self.remarks_for is not None:
            lines.append(self.remarks_for(state, player))
        return "\n".join(lines)

    def told_to(self, before: Record, action: int, after: Record, player: int) -> str | None:
        """Return what a player learns of a move, as text; None if they cannot have noticed it.

        That is the move, as far as they see it, and what came of it: what was drawn or revealed. With
        the observation before the move it determines the one after. `told` of a game says it
        shortly; without that it is the own move by name and the lines of the observation that changed.
        """
        if self.told is not None:
            return self.told(before, action, after, player)
        lines = [self.action_names[action]] if verbs.current_player(before) == player else []
        old = self.observation_string(before, player).splitlines()
        new = self.observation_string(after, player).splitlines()
        if len(old) == len(new):
            lines += [
                f"{number}: {line}"
                for number, (line, other) in enumerate(zip(new, old, strict=True), start=1)
                if line != other
            ]
        else:
            lines += new
        return "\n".join(lines) or None

    def check_num_players(self, num_players: int) -> int:
        """Return `num_players`, or raise GameError if the game is not for so many."""
        if not self.min_players <= num_players <= self.max_players:
            raise GameError(
                f"{self.name} is for {self.min_players} to {self.max_players} players, not {num_players}"
            )
        return num_players

    def resolve_options(self, rules: str | None = None, /, **chosen: object) -> Options:
        """Return every option by name: those of the preset `rules`, with single ones replaced.

        Raises:
            GameError: an unknown preset, option or choice; the message lists the valid ones.
        """
        preset = rules if rules is not None else next(iter(self.presets))
        if preset not in self.presets:
            raise GameError(f"{self.name} has no rules {preset!r}; valid: {', '.join(self.presets)}")
        by_name = {option.name: option for option in self.options}
        for name in chosen:
            if name not in by_name:
                valid = ", ".join(by_name) or "none"
                raise GameError(f"{self.name} has no option {name!r}; valid: {valid}")
        values: Options = {option.name: option.default for option in self.options}
        values.update(self.presets[preset])
        for name, value in chosen.items():
            option = by_name[name]
            values[name] = option.choices[option.index(value)]
        return values

    def encode_options(self, options: Mapping[str, object]) -> npt.NDArray[np.int8]:
        """Return all options as int8[number of options], an index into the choices of each."""
        return np.array([option.index(options[option.name]) for option in self.options], dtype=np.int8)

    def new_states(self, count: int) -> States:
        """Return `count` blank records."""
        return np.zeros(count, dtype=self.state_dtype)

    def fingerprint(self) -> str:
        """Return the name of the revision field: it differs when the rules' sources do."""
        return str(self.state_dtype.names[-1]) if self.state_dtype.names else ""


def load(name: str) -> Game:
    """Return a game by its name ("ra") or by the module that holds its GAME ("my_package.my_game").

    Raises:
        GameError: there is no such game; the message lists those that come with the project.
    """
    for module_name in (f"{name}_env", name):
        game = getattr(import_if_there(module_name), "GAME", None)
        if isinstance(game, Game):
            return game
    valid = ", ".join(BUILT_IN)
    raise GameError(f"unknown game {name!r}; valid: {valid}, or a module that has a GAME")


def import_if_there(module_name: str) -> ModuleType | None:
    """Import a module by name; None if there is none of that name."""
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            return None
        raise
    except (TypeError, ValueError):  # a relative or an empty name
        return None
