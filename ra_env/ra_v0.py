"""Ra as a PettingZoo AEC environment, version 0."""

from typing import Any

from ra_env import GAME
from tabletop.aec import GameEnv


def env(**kwargs: Any) -> GameEnv:
    """Return the environment; the arguments are those of `tabletop.aec.GameEnv` and the options of Ra."""
    return GameEnv(GAME, **kwargs)


raw_env = env
