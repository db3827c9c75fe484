"""Amun-Re as a PettingZoo AEC environment, version 0."""

from typing import Any

from amunre_env import GAME
from tabletop.aec import GameEnv
from tabletop.vector import GameBatch


def env(**kwargs: Any) -> GameEnv:
    """Return the environment; the arguments are those of `tabletop.aec.GameEnv` and the options of Amun-Re."""
    return GameEnv(GAME, **kwargs)


raw_env = env


def batch(num_games: int, **kwargs: Any) -> GameBatch:
    """Return many games stepped by one call; the arguments are those of `tabletop.vector.GameBatch` and the options of Amun-Re."""
    return GameBatch(GAME, num_games, **kwargs)
