"""Views: agents see what their seat may know, sample worlds that fit it, and cannot reach more."""

from typing import Any

import numpy as np
import pytest
from helpers import GAMES, random_game

from tabletop import kernels
from tabletop.game import load
from tabletop.kinds import States
from tabletop.view import View

pytestmark = pytest.mark.engine


def positions(name: str, players: int, seed: int, every: int = 7) -> list[States]:
    game = load(name)
    _, states = random_game(game, players, game.resolve_options(), seed)
    return [states[number : number + 1].copy() for number in range(0, len(states) - 1, every)]


def observe(name: str, states: States, seat: int) -> bytes:
    game = load(name)
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    kernels.look(states, seat, observation, mask, np.zeros(game.num_words, np.uint64))
    return observation.tobytes() + mask.tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_sampled_worlds_differ_where_something_is_unknown(name: str) -> None:
    """25: when more than one hidden state fits, samples differ."""
    states = positions(name, 3, seed=1)[0]
    view = View(load(name), states, 0, seed=0)
    worlds = {view.sample_state(seed).tobytes() for seed in range(20)}
    assert len(worlds) > 1
    assert view.sample_state(4).tobytes() == view.sample_state(4).tobytes()


def test_offers_stay_secret_until_all_are_made() -> None:
    """6: in High Bid my observation shows my bid; the others' are byte-identical whatever I bid."""
    game = load("high_bid")
    seen: list[list[bytes]] = []
    for bid in (0, 4):
        states = game.new_states(1)
        kernels.start_games(states, 3, game.encode_options({}), np.zeros(1, np.uint64))
        kernels.apply_game(states, bid)
        seen.append([observe("high_bid", states, seat) for seat in range(3)])
    assert seen[0][0] != seen[1][0]
    assert seen[0][1:] == seen[1][1:]


def test_a_sample_has_the_real_secret_only_by_chance() -> None:
    game = load("high_bid")
    states = game.new_states(1)
    kernels.start_games(states, 2, game.encode_options({}), np.zeros(1, np.uint64))
    kernels.apply_game(states, 3)
    view = View(game, states, 1, seed=5)
    bids = [int(view.sample_state(seed)[0].bids[0]) for seed in range(400)]
    assert set(bids) == {0, 1, 2, 3, 4}
    assert 40 < bids.count(3) < 120


def reachable(thing: Any, depth: int = 4) -> list[np.ndarray]:
    """Every array that can be reached through attributes and containers."""
    if isinstance(thing, np.ndarray):
        return [thing] + ([] if thing.base is None else reachable(thing.base, depth - 1))
    if depth == 0:
        return []
    inner = list(vars(thing).values()) if hasattr(thing, "__dict__") else []
    inner += list(thing) if isinstance(thing, list | tuple) else []
    return [array for part in inner for array in reachable(part, depth - 1)]


def test_no_way_leads_from_a_view_to_the_real_game() -> None:
    """26: the arrays that a view holds share no memory with the record, nor hold its secrets."""
    game = load("high_bid")
    states = game.new_states(1)
    kernels.start_games(states, 2, game.encode_options({}), np.array([999], np.uint64))
    kernels.apply_game(states, 3)
    found = []
    for seed in range(30):
        for array in reachable(View(game, states, 1, seed)):
            assert not np.shares_memory(array, states)
            if array.dtype == game.state_dtype:
                found.append(int(array[0]["bids"][0]))
                assert array[0]["rng"][0] != states[0]["rng"][0]
    assert set(found) != {3}


@pytest.mark.parametrize("name", GAMES)
def test_a_view_tells_board_mask_and_players(name: str) -> None:
    game = load(name)
    states = positions(name, 3, seed=2)[0]
    seat = int(states[0].current)
    view = View(game, states, seat, seed=0)
    assert view.num_players == 3
    assert view.legal_actions() == list(np.flatnonzero(view.action_mask()))
    assert view.legal_actions()
    assert game.layout.low.shape == view.observation().shape
    assert "seat" in view.board()
