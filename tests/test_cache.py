"""Compiled code on disk never goes stale: an edit anywhere in a game or in `tabletop` is noticed."""

import shutil
from pathlib import Path

import pytest
from helpers import ROOT, run_python

pytestmark = pytest.mark.compiled

PROGRAM = """
import numpy as np
from numba import config
from tabletop import kernels
from tabletop.game import load

game = load("ra")
states = game.new_states(1)
options = game.encode_options(game.resolve_options())
kernels.start_games(states, 2, options, np.zeros(1, np.uint64))
kernels.apply_game(states, game.string_to_action("invoke"))
points, results = np.zeros(2, np.int64), np.zeros(2)
kernels.results_of(states, points, results)
hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in (kernels.start_games, kernels.results_of))
print(*points, hits)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the packages, with a cache of its own."""
    for package in ("tabletop", "ra_env"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_edited_constant_is_noticed(project: Path) -> None:
    def play() -> list[int]:
        # the tests' own environment may have the packages installed: only the copy may be found
        shown = run_python(PROGRAM, folder=project, NUMBA_CACHE_DIR=str(project / "cache"))
        return [int(word) for word in shown.split()]

    assert play() == [10, 10, 0]
    assert play() == [10, 10, 2]
    edit(project / "ra_env" / "components.py", "STARTING_FAME = 10", "STARTING_FAME = 12")
    assert play() == [12, 12, 0]
    assert play() == [12, 12, 2]
    edit(
        project / "tabletop" / "rng.py",
        "GOLDEN_GAMMA = 0x9E3779B97F4A7C15",
        "GOLDEN_GAMMA = 0x9E3779B97F4A7C17",
    )
    assert play() == [12, 12, 0]
