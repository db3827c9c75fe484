"""Tuning: the real command at tiny size; reproducible, never worse than what it began with, nothing lost."""

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.tune import TuneOptions, read_weights, run
from tabletop.game import GameError, load

pytestmark = pytest.mark.compiled


def tune(path: Path, seed: int = 1, **options: object) -> dict[str, dict[str, float]]:
    values = {"players": 3, "rounds": 2, "games": 90, "confidence": 0.0, **options}
    run(TuneOptions(game="ra", seed=seed, out=str(path), **values))  # type: ignore[arg-type]
    written: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.exists() else {}
    return written


def test_the_same_seed_finds_the_same_weights(tmp_path: Path) -> None:
    found = [tune(tmp_path / f"{number}.json", workers=workers) for number, workers in enumerate((1, 2))]
    assert found[0] == found[1]


def test_weights_stay_in_their_ranges_and_those_of_other_tables_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"5": {"kept": 1.0}}))
    found = tune(path, step=0.5, rounds=3)
    assert found["5"] == {"kept": 1.0}
    weights = load("ra").weights
    assert weights is not None
    values = read_weights(weights, path, 3)
    assert all(
        weight.low <= value <= weight.high for weight, value in zip(weights.declared, values, strict=True)
    )


def test_a_file_of_weights_is_what_greedy_plays_with(tmp_path: Path) -> None:
    weights = load("ra").weights
    assert weights is not None
    path = tmp_path / "weights.json"
    path.write_text(weights.path.read_text())
    np.testing.assert_array_equal(read_weights(weights, path, 4), weights.tuned(4))


def test_only_a_game_with_weights_can_be_tuned(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="high_bid has no"):
        run(TuneOptions(game="high_bid", out=str(tmp_path / "weights.json")))
