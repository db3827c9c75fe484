"""Sets of actions as arrays of uint64 words: bit `i % 64` of word `i // 64` is action `i`.

A set of legal actions is counted, drawn from and tested in a few nanoseconds; an int8 mask is made
from it only where Python needs one. Callers pass the array of words, so nothing is allocated here.
"""

import numpy as np
from numba import jit_module

from tabletop.kinds import Array
from tabletop.words import lowest, popcount

WORD = 64


def num_words(num_actions: int) -> int:
    """Return how many uint64 words hold a set of `num_actions` actions."""
    return (num_actions + WORD - 1) // WORD


def clear(bits: Array) -> None:
    """Make the set empty."""
    for word in range(len(bits)):
        bits[word] = np.uint64(0)


def add(bits: Array, action: int) -> None:
    """Put one action into the set."""
    bits[action >> 6] |= np.uint64(1) << np.uint64(action & 63)


def add_many(bits: Array, first: int, pattern: int) -> None:
    """Put `first + i` into the set for every bit i of a pattern of at most 63 bits."""
    word = first >> 6
    shift = first & 63
    bits[word] |= np.uint64(pattern) << np.uint64(shift)
    if shift > 0:
        rest = np.uint64(pattern) >> np.uint64(WORD - shift)
        if rest != np.uint64(0):
            bits[word + 1] |= rest


def contains(bits: Array, action: int) -> bool:
    """Return whether an action (0 <= action < number of actions) is in the set."""
    return (bits[action >> 6] >> np.uint64(action & 63)) & np.uint64(1) != np.uint64(0)


def count(bits: Array) -> int:
    """Return how many actions the set holds."""
    total = 0
    for word in range(len(bits)):
        total += popcount(bits[word])
    return total


def nth(bits: Array, index: int) -> int:
    """Return the action that has `index` smaller ones in the set, 0 <= index < count(bits)."""
    remaining = index
    for word in range(len(bits)):
        held = popcount(bits[word])
        if remaining < held:
            rest = bits[word]
            for _ in range(remaining):
                rest &= rest - np.uint64(1)
            return 64 * word + lowest(rest)
        remaining -= held
    return -1


def unpack(bits: Array, mask: Array) -> None:
    """Write the set into an int8 mask of shape (num_actions,): 1 where the action is in the set."""
    for word in range(len(bits)):
        first = WORD * word
        held = bits[word]
        for offset in range(min(WORD, len(mask) - first)):
            mask[first + offset] = (held >> np.uint64(offset)) & np.uint64(1)


jit_module(cache=True, nogil=True, forceinline=True)
