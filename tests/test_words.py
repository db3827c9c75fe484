"""Sets of actions and the generator: small, exact, the same compiled and not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabletop import bitset, rng

pytestmark = pytest.mark.engine

SIZE = 200
members = st.sets(st.integers(0, SIZE - 1))


def words_of(actions: set[int]) -> np.ndarray:
    bits = np.zeros(bitset.num_words(SIZE), np.uint64)
    bitset.clear(bits)
    for action in actions:
        bitset.add(bits, action)
    return bits


@settings(deadline=None, max_examples=60, derandomize=True)
@given(members)
def test_a_set_holds_what_was_added(actions: set[int]) -> None:
    bits = words_of(actions)
    assert bitset.count(bits) == len(actions)
    assert [bitset.nth(bits, index) for index in range(len(actions))] == sorted(actions)
    assert {action for action in range(SIZE) if bitset.contains(bits, action)} == actions
    mask = np.full(SIZE, 7, np.int8)
    bitset.unpack(bits, mask)
    assert set(np.flatnonzero(mask)) == actions
    assert mask.max(initial=0) <= 1


def test_many_are_added_from_a_pattern() -> None:
    """Also across the words of the array."""
    for first in (0, 61, 64, 70, 124):
        bits = words_of({3})
        bitset.add_many(bits, first, 0b101011)
        added = {first, first + 1, first + 3, first + 5}
        assert {action for action in range(SIZE) if bitset.contains(bits, action)} == {3} | added


def test_an_index_past_the_end_is_no_action() -> None:
    assert bitset.nth(words_of({5}), 1) == -1


def test_the_generator_is_splitmix64() -> None:
    """The first outputs for the state 1234567, as published with the reference implementation."""
    stream = np.array([1234567], np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [int(rng.next_word(stream, 0)) for _ in expected] == expected


def test_draws_are_even_and_in_range() -> None:
    stream = np.array([42], np.uint64)
    draws = np.array([rng.below(stream, 0, 6) for _ in range(6000)])
    counts = np.bincount(draws, minlength=6)
    assert len(counts) == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 25  # chi-square, 5 degrees of freedom: p < 0.0002


def test_streams_are_independent_of_one_another() -> None:
    streams = np.zeros(2, np.uint64)
    rng.seed_streams(streams, np.uint64(9))
    assert streams[0] != streams[1]
    alone = streams.copy()
    for _ in range(5):
        rng.next_word(streams, 1)
    assert rng.next_word(streams, 0) == rng.next_word(alone, 0)
