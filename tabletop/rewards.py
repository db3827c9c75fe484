"""What a finished game is worth to each seat, in one of three currencies."""

import numpy as np
import numpy.typing as npt

from tabletop.game import Game, GameError

REWARDS = ("placement", "win", "score")
SHAPINGS = ("none", "score", "value")


def check_reward(kind: str) -> str:
    """Return the name of a reward, or raise GameError with the valid ones."""
    if kind not in REWARDS:
        raise GameError(f"unknown reward {kind!r}; valid: {', '.join(REWARDS)}")
    return kind


def check_shaping(game: Game, kind: str) -> str:
    """Return the name of a potential, or raise GameError with the valid ones.

    `none`; `score`: the margin to the others' mean score so far, divided by `game.score_scale`;
    `value`: the expected returns by the game's estimate.
    """
    valid = SHAPINGS if game.estimate is not None else SHAPINGS[:2]
    if kind not in valid:
        raise GameError(f"unknown shaping {kind!r}; valid for {game.name}: {', '.join(valid)}")
    return kind


def final_rewards(
    game: Game, kind: str, scores: npt.NDArray[np.int64], returns: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the reward of each seat, float64[players], from scores and returns of that shape.

    `placement`: the returns, +1 for the first to -1 for the last. `win`: 1 shared among the winners,
    else 0. `score`: the margin to the mean score of the others, divided by `game.score_scale`.
    """
    if kind == "win":
        won = returns == returns.max()
        return won / won.sum()
    if kind == "score":
        points = scores.astype(np.float64)
        others = (points.sum() - points) / (len(points) - 1)
        margin: npt.NDArray[np.float64] = (points - others) / game.score_scale
        return margin
    return returns
