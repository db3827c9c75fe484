"""The weights of the greedy valuation of Ra: their positions, ranges and meanings.

Values are in fame unless said otherwise. The tuned values stand in `greedy_weights.json`.
"""

from pathlib import Path

from tabletop.game import Weight, Weights

WEIGHTS_DECLARED = (
    Weight("flow", 1, 9, "tiles that will be sold for each Ra tile still to come"),
    Weight("lost_flow", 0, 2, "Ra tiles at the end of an epoch before which nothing more is sold"),
    Weight("most_tiles", 2, 9, "the most tiles to expect from one sun"),
    Weight("sun", 1, 25, "a face-up sun when there are tiles without end"),
    Weight("sun_half", 0.3, 12, "tiles for each face-up sun at which a sun is worth half of that"),
    Weight("rank", -2, 8, "the highest of the face-up suns, above the middle one"),
    Weight("carry", 0, 1.5, "each point of a sun that is kept for the next epoch"),
    Weight("sum_spread", 1, 25, "points between sums of suns that make their order fairly certain"),
    Weight("bid_margin", -2, 4, "what a lot must bring beyond the price of the sun"),
    Weight("call_margin", -3, 4, "what invoking Ra must bring beyond drawing"),
    Weight("call_of_others", -3, 6, "what an auction must bring others for them to invoke Ra"),
    Weight("spite", 0, 1.2, "share of a winner's gain that counts as the others' loss"),
    Weight("drawn_tile", -0.5, 4, "what a drawn tile adds to the lot"),
    Weight("kept_lot", -0.5, 1, "share of an unsold lot's gain that remains"),
    Weight("god_option", 0, 6, "a God tile's choice of tiles during a whole epoch, beyond what it scores"),
    Weight("god_margin", -2, 4, "what playing a God tile must bring"),
    Weight("nile_later", 0, 1, "a Nile tile for each later epoch"),
    Weight("floods", 0, 4, "factor on the Floods to expect"),
    Weight("pharaohs", 0, 2.5, "factor on this epoch's fame for Pharaohs"),
    Weight("pharaohs_later", 0, 2.5, "factor on the fame for Pharaohs in each later epoch"),
    Weight(
        "pharaoh_spread", 0.2, 6, "tiles between Pharaohs that make their order fairly certain, at the start"
    ),
    Weight("pharaoh_later_spread", 0.5, 12, "the same for later epochs"),
    Weight("civilizations", 0, 4, "factor on the civilization tiles to expect"),
    Weight("monuments", 0, 3, "factor on the monuments to expect"),
    Weight("monument_sets", 0, 2.5, "factor on the fame for identical monuments"),
)
WEIGHTS = Weights(WEIGHTS_DECLARED, Path(__file__).with_name("greedy_weights.json"))

(
    FLOW,
    LOST_FLOW,
    MOST_TILES,
    SUN,
    SUN_HALF,
    RANK,
    CARRY,
    SUM_SPREAD,
    BID_MARGIN,
    CALL_MARGIN,
    CALL_OF_OTHERS,
    SPITE,
    DRAWN_TILE,
    KEPT_LOT,
    GOD_OPTION,
    GOD_MARGIN,
    NILE_LATER,
    FLOODS,
    PHARAOHS,
    PHARAOHS_LATER,
    PHARAOH_SPREAD,
    PHARAOH_LATER_SPREAD,
    CIVILIZATIONS,
    MONUMENTS,
    MONUMENT_SETS,
) = range(len(WEIGHTS_DECLARED))
NUM_WEIGHTS = len(WEIGHTS_DECLARED)
