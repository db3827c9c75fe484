"""Hashes of what a player sees of a record, for `information_key`.

A game says which fields are public (`public_words`); their bytes are hashed as they lie in the
record, a hundred bytes in a few nanoseconds, and what is seen of the others is absorbed word by
word. The hash folds products of 128 bits to 64: Wang Yi, "wyhash" (github.com/wangyi-fudan/wyhash).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tabletop.compiled import inlined
from tabletop.kinds import Array, Record
from tabletop.rng import wrapping_add
from tabletop.words import fold, word_of

WORD_BYTES = 8
FIRST = np.uint64(0xA0761D6478BD642F)
SECOND = np.uint64(0xE7037ED1A0B428DB)
STEP = np.uint64(0x8EBC6AF09C88C6E3)


def public_words(dtype: np.dtype[Any], *hidden: str) -> npt.NDArray[np.uint64]:
    """Return the mask of all bytes of a record but those of the hidden fields, uint64[words of the record].

    Raises:
        TypeError: there is no such field, or the record is not made of whole words.
    """
    fields: Mapping[str, Any] = dtype.fields or {}
    unknown = sorted(set(hidden) - set(fields))
    if unknown:
        raise TypeError(f"the record has no fields {unknown}; it has: {', '.join(fields)}")
    if dtype.itemsize % WORD_BYTES:
        raise TypeError(f"a record of {dtype.itemsize} bytes is not made of words of {WORD_BYTES}")
    mask = np.zeros(dtype.itemsize, np.uint8)
    for name, (kind, offset, *_) in fields.items():
        if name not in hidden:
            mask[offset : offset + kind.itemsize] = 0xFF
    return mask.view(np.uint64)


@inlined
def hash_words(state: Record, player: int, masks: Array) -> Any:
    """Return a uint64 that depends on the player and on every byte of the record that `masks` shows."""
    key = np.uint64(player)
    left = FIRST
    right = SECOND
    for index in range(0, len(masks) - 1, 2):
        left = wrapping_add(left, STEP)
        right = right ^ left
        one = (word_of(state, index) & masks[index]) ^ left
        two = (word_of(state, index + 1) & masks[index + 1]) ^ right
        key = wrapping_add(key, fold(one, two))
    if len(masks) % 2 == 1:
        last = len(masks) - 1
        key = wrapping_add(key, fold((word_of(state, last) & masks[last]) ^ FIRST, STEP))
    return absorb(key, 0)


@inlined
def absorb(key: Any, word: Any) -> Any:
    """Return a key that depends on another one and on one more word, 0 to 2**64 - 1."""
    return fold(key ^ np.uint64(word) ^ FIRST, SECOND)
