"""The table of a match: win shares with intervals, places, scores; and the effect of the seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from experiments.match import Games

NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Standing:
    """How one agent did; a game counts once for each seat that it took."""

    agent: str
    games: int
    win_share: float
    low: float
    high: float
    mean_place: float
    mean_score: float
    decisions_per_second: float


def win_shares(returns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the share of the win at each seat, [game, seat]: 1 for the winner, shared among ties."""
    won = returns == returns.max(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = won / won.sum(axis=1, keepdims=True)
    return shares


def places(returns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the place at each seat, 1 for the first; ties share the mean."""
    others: int = returns.shape[1] - 1
    first_is_one: npt.NDArray[np.float64] = 1 + (1 - returns) / 2 * others
    return first_is_one


def interval(share: float, count: int, clusters: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95% interval (Wilson) of a share.

    Games of the same deal are not independent, so the number of games that enters is the effective
    one: what the variance between the deals' mean shares (`clusters`) is worth, at most `count`.
    """
    size = float(count)
    if len(clusters) > 1:
        variance = float(clusters.var(ddof=1)) / len(clusters)
        if variance > 0:
            size = min(size, share * (1 - share) / variance)
    spread = NORMAL_95**2 / size
    middle = (share + spread / 2) / (1 + spread)
    half = NORMAL_95 * sqrt(share * (1 - share) / size + spread / (4 * size)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def standings(specs: Sequence[str], games: Sequence[Games], speeds: Sequence[float]) -> list[Standing]:
    """Return the table of the games played so far, best win share first."""
    deal = np.concatenate([part.deal for part in games])
    seating = np.concatenate([part.seating for part in games])
    returns = np.concatenate([part.returns for part in games])
    scores = np.concatenate([part.scores for part in games])
    shares, order = win_shares(returns), places(returns)
    rows = []
    for index, spec in enumerate(specs):
        mine = seating == index
        if not mine.any():
            continue
        taken = deal[np.nonzero(mine)[0]]
        counts = np.bincount(taken)
        sums = np.bincount(taken, weights=shares[mine])
        share = float(shares[mine].mean())
        low, high = interval(share, int(mine.sum()), sums[counts > 0] / counts[counts > 0])
        rows.append(
            Standing(
                spec,
                int(mine.sum()),
                share,
                low,
                high,
                float(order[mine].mean()),
                float(scores[mine].mean()),
                speeds[index],
            )
        )
    return sorted(rows, key=lambda row: -row.win_share)


def seat_shares(games: Sequence[Games]) -> list[float]:
    """Return the share of wins of each seat, whoever sat there."""
    shares = win_shares(np.concatenate([part.returns for part in games]))
    return [float(share) for share in shares.mean(axis=0)]
