"""The generator that lives inside each record: splitmix64, one uint64 word a stream.

A game's chance is a function of its record alone, so clones, batches, threads and replays agree on
every platform. Games with several decks keep one stream for each, so that what one player draws
never shifts another deck. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014; the constants are those of Vigna's splitmix64.c.
"""

from typing import Any

import numpy as np
from numba import config, jit_module

from tabletop.kinds import Array, Seed

GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
MAX_SEED = 2**64 - 1

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    # NumPy warns when a uint64 scalar wraps around, which is what these are for.
    def wrapping_add(left: Any, right: Any) -> Any:
        """Return left + right modulo 2**64."""
        return np.uint64((int(left) + int(right)) & MAX_SEED)

    def wrapping_multiply(left: Any, right: Any) -> Any:
        """Return left * right modulo 2**64."""
        return np.uint64((int(left) * int(right)) & MAX_SEED)

else:

    def wrapping_add(left: Any, right: Any) -> Any:
        """Return left + right modulo 2**64."""
        return np.uint64(left) + np.uint64(right)

    def wrapping_multiply(left: Any, right: Any) -> Any:
        """Return left * right modulo 2**64."""
        return np.uint64(left) * np.uint64(right)


def mix(word: Any) -> Any:
    """Return a uint64 that depends on every bit of `word`."""
    z = np.uint64(word)
    z = wrapping_multiply(z ^ (z >> np.uint64(30)), np.uint64(MIX_1))
    z = wrapping_multiply(z ^ (z >> np.uint64(27)), np.uint64(MIX_2))
    return z ^ (z >> np.uint64(31))


def seed_streams(rng: Array, seed: Seed) -> None:
    """Start every stream of `rng`, uint64[streams], from one seed (0 to 2**64 - 1)."""
    word = np.uint64(seed)
    for stream in range(len(rng)):
        word = wrapping_add(word, np.uint64(GOLDEN_GAMMA))
        rng[stream] = mix(word)


def next_word(rng: Array, stream: int) -> Any:
    """Advance one stream and return its next 64 random bits."""
    rng[stream] = wrapping_add(rng[stream], np.uint64(GOLDEN_GAMMA))
    return mix(rng[stream])


def below(rng: Array, stream: int, bound: int) -> int:
    """Return a random integer from 0 to bound - 1, 1 <= bound < 2**31.

    The upper 32 bits times the bound, shifted down: the bias is below bound / 2**32.
    """
    upper = next_word(rng, stream) >> np.uint64(32)
    return np.int64((upper * np.uint64(bound)) >> np.uint64(32))  # type: ignore[return-value]


jit_module(cache=True, nogil=True, forceinline=True)
