"""The weights of the greedy valuation of Amun-Re: their positions, ranges and meanings.

Values are in victory points unless said otherwise. The tuned values stand in `greedy_weights.json`.
"""

from pathlib import Path

from tabletop.game import Weight, Weights

WEIGHTS_DECLARED = (
    Weight("gold", 0, 4, "worth of gold: times the root of gold and of the turns to spend it in"),
    Weight("gold_base", 0, 40, "gold below which the first coins are hardly worth more than later ones"),
    Weight("market_turn", 0, 2, "rounds that the rest of this market is worth for spending"),
    Weight("offer_turn", 0, 2, "rounds that this offering is worth for spending"),
    Weight("rank", 0, 2, "factor on the points for the gold ranking"),
    Weight(
        "rank_spread", 1, 30, "gold between two players that makes their order fairly certain, a round ahead"
    ),
    Weight("kept_gold", 0, 1, "share of their gold that others keep while they can still spend it"),
    Weight("income", 0, 2, "factor on the gold that provinces will pay"),
    Weight(
        "last_harvest", 0, 1.5, "share of its worth that gold of the very last harvest has before that round"
    ),
    Weight("farmer_yield", 0.5, 4, "gold to expect from a farmer in a harvest to come"),
    Weight("camel", 0, 1, "chance of a camel in a harvest to come"),
    Weight("field_cost", 0.3, 5, "gold that each field makes the next farmer of a province dearer"),
    Weight("temple", 0, 5, "points to expect from a temple"),
    Weight(
        "symbol", -0.5, 1, "each favor symbol above those of the other own provinces, for each round left"
    ),
    Weight("pyramid", 0, 3, "factor on the points of pyramids and stones alone"),
    Weight("set", 0, 2, "factor on the points of complete sets"),
    Weight("set_mean", 0, 1, "share of the mean of the three provinces, not the least, two rounds ahead"),
    Weight("set_future", 0, 2, "pyramids to expect on a province that is still to be won"),
    Weight("bank", 0, 2, "factor on the points for the greatest province of a bank"),
    Weight(
        "bank_spread",
        0.3,
        10,
        "stones between two provinces that make their order fairly certain, a round ahead",
    ),
    Weight(
        "bank_open",
        0,
        1,
        "part of a bank's points that an empty province there may reach, three rounds ahead",
    ),
    Weight("loose", 0, 1.5, "share of a pyramid's worth that its single stones have before the last round"),
    Weight("loose_last", 0, 1, "the same in the last market of an age"),
    Weight("foresight", 0, 1, "how far a bid goes by thinking the auction through rather than by chances"),
    Weight("bid_spread", 0.1, 5, "points of advantage that make it fairly certain that a rival outbids"),
    Weight("displaced", 0, 1, "how much a rival counts who holds a highest bid elsewhere"),
    Weight("outbid", -1, 4, "what being outbid costs: the others' prices will have risen"),
    Weight("deny", 0, 1, "share of the best rival's profit that taking a province counts for the player"),
    Weight("offer_base", -3, 10, "gold that others offer whatever they have"),
    Weight(
        "offer_variety",
        0,
        15,
        "gold by which the guess at others' offers varies from one offering to another",
    ),
    Weight("offer_share", 0, 0.6, "share of their gold that others offer"),
    Weight(
        "offer_interest", 0, 5, "gold more that others offer for each point that the last tile pays them more"
    ),
    Weight("offer_spread", 0.3, 10, "gold between two offers that makes their order fairly certain"),
    Weight("thieves", 0, 0.8, "chance that another player steals"),
    Weight("thief_interest", 0, 0.5, "by how much each such point makes a theft less likely"),
    Weight("start", 0, 3, "being start player"),
    Weight("reward", 0, 2, "factor on the worth of rewards when offering"),
    Weight("harvest", 0, 2, "factor on what the offering tile pays when offering"),
    Weight("spite", 0, 1, "share of the others' mean harvest that counts as a loss"),
    Weight("favor", 0, 2, "factor on the expected worth of an unknown favor card"),
    Weight("architect", 0, 2, "an Architect in hand while markets are to come"),
    Weight("auction_card", 0, 2, "a Bribery or Protection in hand while auctions are to come"),
    Weight("blue_card", 0, 2, "an Offering Adjustment in hand while offerings are to come"),
    Weight(
        "harvest_card", 0, 8, "gold that a Treasury or Big Harvest should bring while harvests are to come"
    ),
    Weight("yellow", 0, 1, "chance, for each round to come, that a yellow card's condition is met"),
)
NUM_WEIGHTS = len(WEIGHTS_DECLARED)
WEIGHTS = Weights(WEIGHTS_DECLARED, Path(__file__).with_name("greedy_weights.json"))

(
    GOLD,
    GOLD_BASE,
    MARKET_TURN,
    OFFER_TURN,
    RANK,
    RANK_SPREAD,
    KEPT_GOLD,
    INCOME,
    LAST_HARVEST,
    FARMER_YIELD,
    CAMEL,
    FIELD_COST,
    TEMPLE,
    SYMBOL,
    PYRAMID,
    SET,
    SET_MEAN,
    SET_FUTURE,
    BANK_FACTOR,
    BANK_SPREAD,
    BANK_OPEN,
    LOOSE,
    LOOSE_LAST,
    FORESIGHT,
    BID_SPREAD,
    DISPLACED,
    OUTBID,
    DENY,
    OFFER_BASE,
    OFFER_VARIETY,
    OFFER_SHARE,
    OFFER_INTEREST,
    OFFER_SPREAD,
    THIEVES,
    THIEF_INTEREST,
    START,
    REWARD,
    HARVEST_FACTOR,
    SPITE,
    FAVOR,
    ARCHITECT_CARD,
    AUCTION_CARD,
    BLUE_CARD,
    HARVEST_CARD,
    YELLOW,
) = range(len(WEIGHTS_DECLARED))
