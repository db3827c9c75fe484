"""Information keys: equal when a player cannot tell two states apart, different when they can."""

import numpy as np
import pytest
from helpers import GAMES, random_game

from tabletop import kernels, verbs
from tabletop.game import load
from tabletop.keys import public_words
from tabletop.kinds import States

pytestmark = pytest.mark.engine


def key_of(states: States, seat: int) -> int:
    keys = np.zeros(1, np.uint64)
    kernels.information_keys(states[:1], seat, keys)
    return int(keys[0])


@pytest.mark.parametrize("name", GAMES)
def test_what_a_player_sees_change_changes_the_key(name: str) -> None:
    """No two states of some games which differ in an observation share a key."""
    game = load(name)
    seen: dict[int, bytes] = {}
    keys: set[int] = set()
    number = 0
    for seed in range(6):
        _, states = random_game(game, 3, game.resolve_options(), seed)
        for index in range(len(states)):
            out = np.zeros(game.layout.size, np.float32)
            verbs.observe(states[index], 1, out)
            key = key_of(states[index : index + 1], 1)
            assert seen.setdefault(key, out.tobytes()) == out.tobytes()
            keys.add(key)
            number += 1
    assert len(keys) > number / 4


@pytest.mark.parametrize("name", GAMES)
def test_every_public_byte_counts(name: str) -> None:
    """Whatever byte of a record is changed: the key changes, or nobody's key does but for secrets."""
    game = load(name)
    _, states = random_game(game, 3, game.resolve_options(), seed=3)
    world = states[len(states) // 2 : len(states) // 2 + 1].copy()
    before = [key_of(world, seat) for seat in range(3)]
    changed: dict[str, set[int]] = {}
    for field, (kind, offset, *_) in (game.state_dtype.fields or {}).items():
        for byte in range(offset, offset + kind.itemsize):
            other = world.copy()
            other.view(np.uint8)[byte] = (int(other.view(np.uint8)[byte]) + 1) % 256
            if field not in ("phase", "current", "choices", "hands", "in_auction", "cause"):
                after = [key_of(other, seat) for seat in range(3)]
                changed.setdefault(field, set()).add(sum(a != b for a, b in zip(after, before, strict=True)))
    for field, numbers in changed.items():
        assert numbers in ({0}, {3}, {0, 1}, {0, 3}), field  # hidden, public, own, unused bits
    assert changed["rng"] == {0}
    assert changed["num_players"] == {3}
    assert len([field for field, numbers in changed.items() if numbers == {3}]) > 3


def test_a_secret_bid_is_in_no_key_but_the_own() -> None:
    """6: the others' keys are equal whatever I bid."""
    game = load("high_bid")
    keys = []
    for bid in (0, 4):
        states = game.new_states(1)
        kernels.start_games(states, 3, game.encode_options({}), np.zeros(1, np.uint64))
        kernels.apply_game(states, bid)
        keys.append([key_of(states, seat) for seat in range(3)])
    assert keys[0][0] != keys[1][0]
    assert keys[0][1:] == keys[1][1:]


def test_the_mask_of_public_words_leaves_out_what_is_hidden() -> None:
    dtype = np.dtype([("a", np.uint64), ("b", np.uint8), ("c", np.uint8, (7,))])
    shown = public_words(dtype, "a").view(np.uint8)
    assert shown.tolist() == [0] * 8 + [255] * 8
    assert public_words(dtype, "b").view(np.uint8).tolist() == [255] * 8 + [0] + [255] * 7
    with pytest.raises(TypeError, match=r"has no fields \['d'\]; it has: a, b, c"):
        public_words(dtype, "d")
    with pytest.raises(TypeError, match="not made of words of 8"):
        public_words(np.dtype([("a", np.uint8)]))
