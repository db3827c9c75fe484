"""The greedy agent: one move ahead with the game's own valuation, its weights tuned by self-play."""

import json
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.base import Policy
from agents.compiled import CompiledAgent
from tabletop import kernels
from tabletop.game import Game, GameError


class GreedyAgent(CompiledAgent):
    """Looks one move ahead with the game's valuation (`nile games` lists its weights)."""

    OPTION_HELP: ClassVar[dict[str, str]] = {
        "weights": "a file of weights written by `nile tune`, in place of those that are shipped",
        "<weight>": "any weight of the game's valuation by name, in place of its tuned value",
    }

    def __init__(self, game: Game, num_players: int, weights: Path | None = None, **changed: float) -> None:
        if game.weights is None:
            raise GameError(f"{game.name} has no valuation for a greedy agent")
        values = game.weights.tuned(num_players) if weights is None else _read(game, weights, num_players)
        names = game.weights.names
        for name, value in changed.items():
            if name not in names:
                raise GameError(f"greedy has no option {name!r}; valid: weights, {', '.join(names)}")
            values[names.index(name)] = value
        super().__init__(game, num_players, Policy(kernels.GREEDY, values))


def _read(game: Game, path: Path, num_players: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the weights of a file for a number of players; GameError if it does not hold them."""
    assert game.weights is not None
    try:
        values = json.loads(path.read_text())[str(num_players)]
        return np.array([float(values[name]) for name in game.weights.names])
    except OSError as error:
        raise GameError(f"the weights {path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise GameError(
            f"{path} holds no weights of {game.name} for {num_players} players: {error!r}"
        ) from None


AGENT = GreedyAgent
