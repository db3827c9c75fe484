"""Lessons from issue trackers that belong to no other file; the numbers are those of the project's list."""

import numpy as np
import pytest
from helpers import GAMES, ROOT, run_python

from tabletop.game import BUILT_IN, load
from tabletop.vector import GameBatch

TRACE = """
import hashlib, random, sys
import numpy as np
from helpers import choose
from tabletop.aec import GameEnv
from tabletop.game import load

name, seed, disturbed = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "disturbed"
env = GameEnv(load(name), num_players=3)
env.reset(seed=seed)
generator = np.random.default_rng(3)
trace = hashlib.sha256()
for _ in range(200):
    if disturbed:
        np.random.seed(seed)
        random.seed(seed)
    observation, reward, termination, truncation, _ = env.last()
    if termination or truncation:
        break
    trace.update(env.get_state() + observation["observation"].tobytes() + observation["action_mask"].tobytes())
    env.step(choose(observation, generator))
print(trace.hexdigest())
"""


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_seed_and_actions_give_the_same_trace_in_every_process(name: str) -> None:
    """21: whatever happens to the global generators; another seed gives another trace."""
    first = run_python(TRACE, name, "7", "calm")
    assert run_python(TRACE, name, "7", "disturbed") == first
    assert run_python(TRACE, name, "8", "calm") != first


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_ten_thousand_games_by_the_mask_are_played_to_their_end(name: str) -> None:
    """11: no illegal action; 10 and 27: and never a mask without a legal one."""
    game = load(name)
    counts = range(game.min_players, game.max_players + 1)
    batch = GameBatch(game, 10_000, counts, autoreset=False)
    shown = batch.reset(seed=0)
    generator = np.ones(1, np.uint64)
    over = np.zeros(10_000, bool)
    while not over.all():
        assert (shown.action_mask.any(axis=1) != over).all()
        assert (shown.player < batch.num_players).all()
        shown = batch.step(batch.random_actions(generator))
        over |= shown.done


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_is_shipped_beside_the_code_is_small_and_read_without_unpickling(name: str) -> None:
    """17: below 5 MB; 19: text, or bare numbers behind a text that says which, of no library's version."""
    data = [path for path in (ROOT / load(name).module).iterdir() if path.is_file() and path.suffix != ".py"]
    assert {path.suffix for path in data} <= {".json", ".safetensors", ".toml", ".md", ".typed"}
    assert sum(path.stat().st_size for path in data) < 5_000_000
    assert any(path.suffix == ".json" for path in data)
