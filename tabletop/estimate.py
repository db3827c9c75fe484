"""The estimate of results that all games share: who will finish above whom.

For each seat i a game writes features f_i. The seat's strength is s_i = sum_k w_k f_ik, with
coefficients w that are given for some moments of each stage of the game, its beginning and its end at
least, and go in a straight line from one to the next. The probability that i finishes above j is
1 / (1 + exp(s_j - s_i)), and the expected return of i the mean of 2 P - 1 over all others: the
expectation of returns by placement, zero-sum.
`experiments.fit` finds the coefficients by pairwise logistic regression.
"""

from math import tanh

from numba import jit_module

from tabletop.kinds import Array, Record


def expected_returns(
    state: Record,
    num_players: int,
    weights: Array,
    first: int,
    progress: float,
    features: Array,
    strengths: Array,
    out: Array,
) -> None:
    """Write each seat's expected return into `out`, float64[num_players or more], the rest zero.

    The coefficients of the moment before this position begin at weights[first], followed by those of
    the moment after it; `progress` is the part of the way between them that has passed. features
    float64[seats, number of features]; strengths float64[seats] is scratch.
    """
    number = features.shape[1]
    for player in range(num_players):
        strength = 0.0
        for index in range(number):
            early = weights[first + index]
            late = weights[first + number + index]
            strength += (early + progress * (late - early)) * features[player, index]
        strengths[player] = strength
    for player in range(len(out)):
        out[player] = 0.0
    for player in range(num_players):
        for other in range(player):
            lead = tanh(0.5 * (strengths[player] - strengths[other])) / (num_players - 1)
            out[player] += lead
            out[other] -= lead


jit_module(cache=True, nogil=True, forceinline=False)
