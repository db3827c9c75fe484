"""The record in which the valuation of Ra notes what holds for a whole decision or estimate.

A record rather than arrays: Numba counts references to arrays at every call, which makes small
functions slow, and their callers slow to compile.
"""

import numpy as np

from ra_env.components import MAX_PLAYERS, MAX_SUN, NUM_MONUMENTS, NUM_TILES
from ra_env.features import NUM_FEATURES
from ra_env.weights import NUM_WEIGHTS

SUNS = MAX_SUN + 1
MAX_CHOICES = NUM_TILES + 1  # draw, invoke and a God tile for any tile but Ra

PROSPECTS = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("weights", np.float64, (NUM_WEIGHTS,)),
                ("rate", np.float64, (MAX_PLAYERS,)),  # [player] tiles to get this epoch for each in the bag
                ("rate_after", np.float64, (MAX_PLAYERS,)),  # [player] the same with one sun less
                ("pharaohs_to_be", np.float64, (MAX_PLAYERS,)),  # [player] to expect at the epoch's end
                ("gain", np.float64, (MAX_PLAYERS,)),  # [player] what the lot is worth, without the price
                ("chance", np.float64, (SUNS,)),  # [sun] what it will buy when there are tiles without end
                ("points", np.float64, (SUNS,)),  # [sun] what it brings beyond the center sun when it is kept
                ("net", np.float64, (SUNS,)),  # [sun] what the lot is worth to its owner less its price
                ("arrival", np.float64, (NUM_MONUMENTS,)),  # [kind] the probability that a missing tile comes
                ("variety", np.float64, (NUM_MONUMENTS + 1,)),  # [number of kinds] scratch of `variety_value`
                ("value", np.float64, (MAX_CHOICES,)),  # [choice] what the move brings
                ("features", np.float64, (MAX_PLAYERS, NUM_FEATURES)),  # [player, feature] of the estimate
                ("strength", np.float64, (MAX_PLAYERS,)),  # [player] scratch of the estimate
                ("sun_sum", np.int64, (MAX_PLAYERS,)),  # [player] in the last epoch
                ("owner", np.int64, (SUNS,)),  # [sun] of a face-up sun
                ("outcome", np.int64, (SUNS,)),  # [highest bid] the sun that will win
                ("alive", np.int64, (SUNS,)),  # the face-up suns, the highest first
                ("num_alive", np.int64),
                ("choice", np.int64, (MAX_CHOICES,)),  # [choice] a legal move
                ("num_choices", np.int64),
            ],
            align=True,
        ),
    )
)
