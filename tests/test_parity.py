"""Compiled and plain Python play the same games."""

import json
from typing import Any

import pytest
from helpers import GAMES, option_sets, random_game, run_python

from tabletop.game import load

pytestmark = pytest.mark.compiled


def games_of(name: str) -> list[tuple[int, dict[str, Any], int]]:
    """Some games: every number of players, every option."""
    game = load(name)
    return [
        (players, options, 10 * players + number)
        for players in range(game.min_players, game.max_players + 1)
        for number, options in enumerate(option_sets(game))
    ]


@pytest.mark.parametrize("name", GAMES)
def test_plain_python_plays_the_same_games_to_the_last_byte(name: str) -> None:
    game = load(name)
    chosen = games_of(name)
    program = """
import json, sys
from helpers import random_game
from tabletop.game import load

game = load(sys.argv[1])
for players, options, seed in json.loads(sys.argv[2]):
    moves, states = random_game(game, players, options, seed)
    print(json.dumps([moves.tolist(), states.tobytes().hex()]))
"""
    shown = run_python(program, name, json.dumps(chosen), NUMBA_DISABLE_JIT="1")
    for line, (players, options, seed) in zip(shown.splitlines(), chosen, strict=True):
        moves, states = random_game(game, players, options, seed)
        assert json.loads(line) == [moves.tolist(), states.tobytes().hex()]


@pytest.mark.parametrize("name", GAMES)
def test_plain_python_sees_the_same(name: str) -> None:
    """Observations, masks, keys, scores, returns and the greedy agent's moves."""
    program = """
import hashlib, sys
import numpy as np
from helpers import random_game
from tabletop import kernels
from tabletop.game import load

game = load(sys.argv[1])
bits = np.zeros(game.num_words, np.uint64)
seen = hashlib.sha256()
for players in range(game.min_players, game.max_players + 1):
    moves, states = random_game(game, players, game.resolve_options(), players)
    weights = np.zeros(0) if game.weights is None else game.weights.tuned(players)
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    points, results = np.zeros(players, np.int64), np.zeros(players)
    key = np.zeros(1, np.uint64)
    for number in range(0, len(states) - 1, 3):
        here = states[number : number + 1]
        for seat in range(players):
            kernels.look(here, seat, observation, mask, bits)
            kernels.information_keys(here, seat, key)
            seen.update(observation.tobytes() + mask.tobytes() + key.tobytes())
        kernels.results_of(here, points, results)
        seen.update(points.tobytes() + results.tobytes())
        if game.weights is not None:
            action = np.zeros(1, np.int64)
            kernels.policy_actions(here, kernels.GREEDY, weights, np.ones(1, np.uint64), bits, action)
            seen.update(action.tobytes())
print(seen.hexdigest())
"""
    assert run_python(program, name) == run_python(program, name, NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize("name", GAMES)
def test_plain_python_searches_the_same(name: str) -> None:
    """Visits and results of every action at the root, in each way of sharing nodes."""
    program = """
import hashlib, sys
from helpers import random_game
from agents.registry import make_agent
from tabletop.game import load
from tabletop.view import View

game = load(sys.argv[1])
_, states = random_game(game, 3, game.resolve_options(), 4)
seen = hashlib.sha256()
for sharing in ("mover", "observer", "open"):
    for number in range(0, len(states) - 1, 1 + len(states) // 4):
        here = states[number : number + 1].copy()
        view = View(game, here, int(here[0].current), seed=number)
        if len(view.legal_actions()) > 1:
            found = make_agent(f"mcts:simulations=25,sharing={sharing}", game, 3).look(view)
            seen.update(found.visits.tobytes() + found.totals.tobytes())
print(seen.hexdigest())
"""
    assert run_python(program, name) == run_python(program, name, NUMBA_DISABLE_JIT="1")
