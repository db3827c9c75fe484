"""Pairwise logistic regression: who finishes above whom, from features of each seat.

The model is that of `tabletop.estimate`. For one stage of a game the loss is the mean over positions
and pairs of seats of the log loss, a tie counting as half a win for both, plus `ridge` / 2 times the
squares of the coefficients of features scaled to standard deviation 1. It is convex; Newton's
method with step halving finds its minimum.
"""

import numpy as np
import numpy.typing as npt

from experiments.positions import Floats, Positions

STEPS = 30
CHUNK = 4096  # positions
ENOUGH = 1e-10  # a step that gains less ends the search
TINY = 1e-9


def fit_coefficients(positions: Positions, stages: int, moments: int, ridge: float) -> Floats:
    """Return the coefficients that predict results best, float64[stages, moments, features]."""
    number = positions.features.shape[2]
    found = np.zeros((stages, moments, number))
    for stage in range(stages):
        chosen = positions[positions.stage == stage]
        if len(chosen) > 0:
            scale = np.maximum(chosen.features.reshape(-1, number).std(axis=0), TINY)
            found[stage] = minimum(chosen, moments, scale, ridge).reshape(moments, number) / scale
    return found


def minimum(positions: Positions, moments: int, scale: Floats, ridge: float) -> Floats:
    """Return the coefficients [moments * features] with the least loss, features divided by `scale`."""
    best = np.zeros(moments * len(scale))
    loss, slope, curvature = loss_at(best, positions, scale, ridge)
    for _ in range(STEPS):
        step = np.linalg.solve(curvature, slope)
        length = 1.0
        while True:
            there = best - length * step
            found, new_slope, new_curvature = loss_at(there, positions, scale, ridge)
            if found <= loss or length < TINY:
                break
            length /= 2
        gain, best, loss, slope, curvature = loss - found, there, found, new_slope, new_curvature
        if gain < ENOUGH:
            break
    return best


def loss_at(
    coefficients: Floats, positions: Positions, scale: Floats, ridge: float
) -> tuple[float, Floats, Floats]:
    """Return the loss, its slope [moments * features], and its curvature, a square of that size."""
    first, second = pairs(positions.returns.shape[1])
    size = len(coefficients)
    loss, slope, curvature = 0.0, np.zeros(size), np.zeros((size, size))
    for start in range(0, len(positions), CHUNK):
        part = positions[start : start + CHUNK]
        lead = (part.features[:, first] - part.features[:, second]) / scale
        near = nearness(part.progress, size // len(scale))
        rows = (near[:, None, :, None] * lead[:, :, None, :]).reshape(-1, size)
        won = shares_won(part.returns).ravel()
        margin = rows @ coefficients
        chance = 1 / (1 + np.exp(-margin))
        loss += float(log_loss(margin, won).sum())
        slope += rows.T @ (chance - won)
        curvature += (rows * (chance * (1 - chance))[:, None]).T @ rows
    total = len(positions) * len(first)
    return (
        loss / total + ridge / 2 * float(coefficients @ coefficients),
        slope / total + ridge * coefficients,
        curvature / total + ridge * np.eye(size),
    )


def pairs(seats: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all pairs of different seats, each once: the first of each and the second."""
    first, second = np.triu_indices(seats, 1)
    return first, second


def shares_won(returns: Floats) -> Floats:
    """Return for each pair 1 if the first seat finished above the second, 0.5 for a tie, else 0."""
    first, second = pairs(returns.shape[1])
    shares: Floats = (np.sign(returns[:, first] - returns[:, second]) + 1) / 2
    return shares


def log_loss(margin: Floats, won: Floats) -> Floats:
    """Return the log loss of a probability 1 / (1 + exp(-margin)) where the share `won` came true."""
    loss: Floats = won * np.logaddexp(0, -margin) + (1 - won) * np.logaddexp(0, margin)
    return loss


def nearness(progress: Floats, moments: int) -> Floats:
    """Return the weight of the coefficients of each moment, float64[position, moments], adding up to 1."""
    places = progress[:, None] * (moments - 1) - np.arange(moments)
    near: Floats = np.maximum(0.0, 1 - np.abs(places))
    return near


def strengths(positions: Positions, coefficients: Floats) -> Floats:
    """Return the strength of each seat, float64[position, seat]."""
    near = nearness(positions.progress, coefficients.shape[1])
    mixed = np.einsum("pm,pmk->pk", near, coefficients[positions.stage])
    found: Floats = np.einsum("pk,psk->ps", mixed, positions.features)
    return found


def margins(positions: Positions, coefficients: Floats) -> Floats:
    """Return by how much the first of each pair of seats is stronger, float64[position, pair]."""
    found = strengths(positions, coefficients)
    first, second = pairs(found.shape[1])
    leads: Floats = found[:, first] - found[:, second]
    return leads


def expected_returns(positions: Positions, coefficients: Floats) -> Floats:
    """Return what `evaluate` says, float64[position, seat]."""
    found = strengths(positions, coefficients)
    leads = np.tanh((found[:, :, None] - found[:, None, :]) / 2)
    returns: Floats = leads.sum(axis=2) / (found.shape[1] - 1)
    return returns


def mean_log_loss(positions: Positions, coefficients: Floats) -> float:
    """Return the mean log loss over all positions and pairs of seats."""
    return float(log_loss(margins(positions, coefficients), shares_won(positions.returns)).mean())


def correlation(predicted: Floats, actual: Floats) -> float:
    """Return the correlation of two arrays of the same shape; 0 if one of them is constant."""
    if predicted.std() < TINY or actual.std() < TINY:
        return 0.0
    return float(np.corrcoef(predicted.ravel(), actual.ravel())[0, 1])
