"""The verbs that every game gives, dispatched on the dtype of the record.

A game says `verbs.implement(STATE, new_game=..., apply_action=..., ...)` once. From then on
`apply_action(state, action)` finds that game's function for any record of that dtype: at compile
time inside compiled code (`numba.extending.overload`), by looking it up in plain Python. So search
and batch loops are written once, at module level, and cache on disk.

Shapes: `state` is one record; `bits` uint64[bitset.num_words(num_actions)]; `out` of `scores`
int64[num_players or more]; of `returns` float64[num_players or more]; of `observe`
float32[layout.size]; `options` int8[number of options], indices into each option's choices;
`weights` float64[number of weights], the game's valuation as `Game.weights` names it; of `evaluate`,
`features` and `describe` the game's estimate of results as `Game.estimate.tuned` gives it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, from_dtype, types
from numba.extending import overload

Kernel = Callable[..., Any]

OPTIONAL = (
    "greedy_action",
    "evaluate",
    "features",
    "describe",
    "stage",
    "progress",
    "prior",
    "playout_action",
    "information_key",
)
_by_dtype: dict[np.dtype[Any], dict[str, Kernel]] = {}
_by_numba_type: dict[types.Type, dict[str, Kernel]] = {}
_verbs: list[str] = []


def _verb(signature: Kernel) -> Kernel:
    """Turn a documented signature into a verb: plain dispatch and its compiled twin."""
    name = signature.__name__
    _verbs.append(name)

    def choose(state: types.Type, *arguments: types.Type) -> Kernel | None:
        kernels = _by_numba_type.get(state)
        if kernels is None:
            return None
        if name not in kernels:  # compiled loops mention every verb; Python checks before it asks for one
            return lambda state, *arguments: -1
        return _forwarder(kernels[name], len(arguments))

    def dispatch(state: Any, *arguments: Any) -> Any:
        try:
            kernels = _by_dtype[state.dtype]
        except (KeyError, AttributeError):
            raise TypeError(f"{name} needs the record of a known game, not {type(state).__name__}") from None
        if name not in kernels:
            raise TypeError(f"this game has no {name}; it has: {', '.join(sorted(kernels))}")
        return kernels[name](state, *arguments)

    dispatch.__name__ = dispatch.__qualname__ = name
    dispatch.__doc__ = signature.__doc__
    dispatch.__module__ = __name__
    overload(dispatch, strict=False)(choose)
    return dispatch


def _forwarder(kernel: Kernel, extra: int) -> Kernel:
    """Return a function of the state and `extra` arguments that Numba can compile as an overload."""
    if extra == 0:
        return lambda state: kernel(state)
    if extra == 1:
        return lambda state, a: kernel(state, a)
    if extra == 2:
        return lambda state, a, b: kernel(state, a, b)
    return lambda state, a, b, c: kernel(state, a, b, c)


@_verb
def new_game(state: Any, num_players: int, options: Any, seed: int) -> None:
    """Set the record up for the first decision of a new game."""


@_verb
def current_player(state: Any) -> Any:
    """Return the seat that moves next; meaningless when the game is over."""


@_verb
def legal_actions(state: Any, bits: Any) -> None:
    """Write the set of legal actions into `bits`; empty when the game is over."""


@_verb
def apply_action(state: Any, action: int) -> None:
    """Carry out a legal action, chance and all that is not asked included. Legality is not checked."""


@_verb
def is_over(state: Any) -> Any:
    """Return whether the game has ended, truncated or not."""


@_verb
def is_truncated(state: Any) -> Any:
    """Return whether the game was cut off rather than played to its end."""


@_verb
def scores(state: Any, out: Any) -> None:
    """Write the score of every seat, in the game's own points, as they stand."""


@_verb
def returns(state: Any, out: Any) -> None:
    """Write each seat's result by placement: +1 for the first to -1 for the last, ties share."""


@_verb
def observe(state: Any, player: int, out: Any) -> None:
    """Write what `player` sees into the flat observation, every entry of it."""


@_verb
def resample(state: Any, player: int, seed: int) -> None:
    """Redraw everything that `player` cannot know, future chance included; keep what they know."""


@_verb
def greedy_action(state: Any, weights: Any) -> Any:
    """Return the action that a one-move look ahead with the game's valuation prefers."""


@_verb
def evaluate(state: Any, weights: Any, out: Any) -> None:
    """Write each seat's expected `returns`, as estimated from the record as it stands; exact when it is over."""


@_verb
def features(state: Any, weights: Any, out: Any) -> None:
    """Write what the estimate goes by, float64[num_players or more, features]; not for a game that is over."""


@_verb
def describe(state: Any, weights: Any, table: Any, out: Any) -> None:
    """Write what `features` writes to `table`, and what `evaluate` makes of it to `out`, reckoned once."""


@_verb
def stage(state: Any) -> Any:
    """Return how many stages of the game (epochs, rounds) have ended."""


@_verb
def progress(state: Any) -> Any:
    """Return how much of the present stage has passed, from 0 to 1."""


@_verb
def prior(state: Any, weights: Any, out: Any) -> None:
    """Write how likely a sensible player is to take each legal action; they add up to 1.

    `weights` are those of `greedy_action`; `out` float64[num_actions], entries of illegal actions
    are left as they are.
    """


@_verb
def playout_action(state: Any, rng: Any, bits: Any) -> Any:
    """Return a legal action that is sensible and costs little more than a random one.

    `rng` uint64[1] is the generator that chance comes from, `bits` scratch for a set of actions.
    """


@_verb
def information_key(state: Any, player: int) -> Any:
    """Return a hash, uint64, of all that `player` sees: equal for two states which look alike to them."""


def has(dtype: np.dtype[Any], name: str) -> bool:
    """Return whether the game of a record's dtype gives a verb."""
    return name in _by_dtype.get(dtype, {})


def implement(dtype: np.dtype[Any], **kernels: Kernel) -> None:
    """Give a game's functions to the verbs, by name.

    Raises:
        TypeError: a required verb is missing or a name is not a verb.
    """
    unknown = sorted(set(kernels) - set(_verbs))
    missing = sorted(set(_verbs) - set(OPTIONAL) - set(kernels))
    if unknown or missing:
        raise TypeError(f"unknown verbs {unknown}, missing verbs {missing}; the verbs are {_verbs}")
    _by_dtype[dtype] = kernels
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        _by_numba_type[from_dtype(dtype)] = kernels
