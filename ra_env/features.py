"""What the estimate of results of Ra goes by, for each seat: its position and its meaning.

During an auction they are those after it, sold to the one who should win it. Fame is reckoned with
the weights of the greedy valuation. The coefficients stand in `estimate.json`.
"""

from pathlib import Path

from ra_env.components import EPOCHS
from ra_env.weights import WEIGHTS
from tabletop.game import Estimate, Feature

FEATURES = (
    Feature("fame", "fame on the tablets"),
    Feature("sure", "Gold, and what Gods score"),
    Feature("pharaohs", "fame to expect for Pharaohs in this epoch"),
    Feature("pharaohs_later", "and in later epochs"),
    Feature("niles", "fame to expect for Niles and Floods in this epoch"),
    Feature("niles_later", "Niles held, for each later epoch"),
    Feature("civilizations", "fame to expect for civilizations"),
    Feature("monuments", "fame to expect for different monuments"),
    Feature("monument_sets", "fame to expect for identical monuments"),
    Feature("gods", "God tiles, by the part of the Ra track that is left to use them"),
    Feature("suns", "face-up suns, by the tiles that are still to come for each"),
    Feature("rank", "their ranks among the others' suns, -1 to 1 each, by the same"),
    Feature("carried", "the sum of all suns, before the last epoch"),
    Feature("sun_sum", "fame to expect for the sum of suns, in the last epoch"),
    Feature("highest_sun", "the highest sun, in the last epoch"),
    Feature("lot", "net gain of the one who should win the lot on the track, outside auctions"),
    Feature("alone", "the part of all face-up suns that are the seat's, by the tiles still to come"),
)
NUM_FEATURES = len(FEATURES)
ESTIMATE = Estimate(FEATURES, EPOCHS, Path(__file__).with_name("estimate.json"), WEIGHTS)

(
    FAME,
    SURE,
    PHARAOHS,
    PHARAOHS_LATER,
    NILES,
    NILES_LATER,
    CIVILIZATIONS,
    MONUMENTS,
    MONUMENT_SETS,
    GODS,
    SUNS,
    RANK,
    CARRIED,
    SUN_SUM,
    HIGHEST_SUN,
    LOT_GAIN,
    ALONE,
) = range(NUM_FEATURES)
