"""What the estimate of results of Amun-Re goes by, for each seat: its position, its meaning and unit.

Provinces, gold and buildings are those that the seat should have when the auction or the offering
that is under way has ended. The coefficients stand in `estimate.json`.
"""

from pathlib import Path

from amunre_env.components import AGES, ROUNDS
from amunre_env.weights import WEIGHTS
from tabletop.game import Estimate, Feature

FEATURES = (
    Feature("total", "points with those that the age would score now, in tens"),
    Feature("points", "points, with yellow cards played in this scoring, in tens"),
    Feature("pyramids", "pyramids, in threes"),
    Feature("sets", "complete sets, in twos"),
    Feature("banks", "banks where the seat has the greatest province, in twos"),
    Feature("banks_soft", "the same by how likely it is to last"),
    Feature("banks_wide", "the same, less sharply"),
    Feature("level_low", "pyramids and parts of one on the own province of fewest, in twos; -0.5 for none"),
    Feature("level_middle", "the same for the next one"),
    Feature("level_high", "the same for that of most"),
    Feature("loose", "stones that are no pyramid yet, in threes"),
    Feature("temples", "points to expect from temples, in fives"),
    Feature("gold_root", "root of the gold, in threes"),
    Feature("gold", "gold, in twenties"),
    Feature("wealth_root", "root of the gold after the harvest, in threes"),
    Feature(
        "gold_points", "New Kingdom: points for the gold ranking after the harvest as it stands, in fives"
    ),
    Feature("gold_points_soft", "the same by how likely it is to last"),
    Feature("market_root", "gold_root, by the part of the own market turn that is to come"),
    Feature("market_gold", "gold, by the same"),
    Feature("bought", "items bought in the market step under way, in fives"),
    Feature("fixed_income", "gold of mines and caravans in a harvest, in tens"),
    Feature("farmers", "farmers, in fives"),
    Feature("fields", "empty fields, by the part of the own market turn that is to come, in tens"),
    Feature("field_roots", "roots of the empty fields of each province, in fives"),
    Feature("symbols", "most favor symbols on one province, in threes"),
    Feature("rewards", "rewards of this offering to come, in twos"),
    Feature("first", "chance of the highest offer"),
    Feature("architects", "Architects in hand, in twos"),
    Feature("architect_now", "0.5 with an Architect and a market turn to come"),
    Feature("auction_cards", "Briberies and Protections in hand, in twos"),
    Feature("free_farmers", "Free Farmers in hand, in twos"),
    Feature("free_farmer_now", "0.5 with a Free Farmer and a market turn to come"),
    Feature("blue_cards", "Offering Adjustments in hand, in twos"),
    Feature("treasuries", "Treasuries in hand, in twos"),
    Feature("big_harvests", "Big Harvests in hand, in twos"),
    Feature("yellow", "yellow cards in hand whose condition can still be met, in twos"),
    Feature("yellow_lost", "other yellow cards in hand, in twos"),
    Feature("hand", "favor cards in hand, in fives"),
    Feature("place", "seats before this one in the next turn order, by the number of seats"),
    Feature("start", "1 for the next start player"),
    Feature("unplaced", "0.5 for who holds no highest bid in the auction under way"),
    Feature("unoffered", "0.5 for who has still to make an offer in this round"),
)
NUM_FEATURES = len(FEATURES)

# Moments of a round, the phases that are alike: choosing a province, auction, market, offering,
# rewards, harvest with scoring.
MOMENTS = 6
ESTIMATE = Estimate(FEATURES, AGES * ROUNDS, Path(__file__).with_name("estimate.json"), WEIGHTS, MOMENTS)

(
    TOTAL,
    POINTS,
    PYRAMIDS,
    SETS,
    BANKS_NOW,
    BANKS_SOFT,
    BANKS_WIDE,
    LEVEL_LOW,
    LEVEL_MIDDLE,
    LEVEL_HIGH,
    LOOSE,
    TEMPLES,
    GOLD_ROOT,
    GOLD,
    WEALTH_ROOT,
    GOLD_POINTS,
    GOLD_POINTS_SOFT,
    MARKET_ROOT,
    MARKET_GOLD,
    BOUGHT,
    FIXED_INCOME,
    FARMERS,
    FIELDS,
    FIELD_ROOTS,
    SYMBOLS,
    REWARDS,
    FIRST,
    ARCHITECTS,
    ARCHITECT_NOW,
    AUCTION_CARDS,
    FREE_FARMERS,
    FREE_FARMER_NOW,
    BLUE_CARDS,
    TREASURIES,
    BIG_HARVESTS,
    YELLOW,
    YELLOW_LOST,
    HAND,
    PLACE,
    START,
    UNPLACED,
    UNOFFERED,
) = range(NUM_FEATURES)
