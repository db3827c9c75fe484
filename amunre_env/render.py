"""The text board of Amun-Re: as everybody sees it, or with what one player holds in secret.

And what else a player has to see (`remarks_for`) and is told of a move (`told`).
"""

from amunre_env.actions import ACTION_NAMES, ADJUST, CHOOSE, OFFER, SCORE, STEAL
from amunre_env.chance import draws, is_new_round, province_names
from amunre_env.components import (
    AGES,
    BID_SPACES,
    FAVOR_NAMES,
    FIELDS,
    FIRST_YELLOW,
    NUM_FAVORS,
    NUM_PROVINCES,
    OFFERING_TILES,
    PROVINCE_NAMES,
    PROVINCES,
    ROUNDS,
)
from amunre_env.state import (
    BIDDING,
    CHOOSE_PROVINCE,
    DECLARING,
    EXPERT,
    HARVEST,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    NO_OFFER,
    NO_TILE,
    NOBODY,
    NOWHERE,
    OFFERING,
    OPTIONS,
    OVER,
    PROTECTED_BID,
    REWARDS,
    SCORING,
    STOLE,
)
from tabletop.game import options_text
from tabletop.kinds import Array, Record

PHASE_NAMES = {
    CHOOSE_PROVINCE: "choice",
    BIDDING: "auction",
    PROTECTED_BID: "protected bid",
    MARKET_FAVORS: "favors",
    MARKET_FARMERS: "farmers",
    MARKET_STONES: "stones",
    OFFERING: "offering",
    DECLARING: "declaring",
    REWARDS: "rewards",
    HARVEST: "harvest",
    SCORING: "scoring",
    OVER: "over",
}
AGE_NAMES = ("Old Kingdom", "New Kingdom")
NUMBER_FIELDS = ("fields", "favors", "temples", "mine", "caravan")


def state_to_string(state: Record) -> str:
    """Return the board: the round, each province on the table, each seat, then what is asked."""
    unseen = sum(int(state.unseen_provinces) >> province & 1 for province in range(len(PROVINCE_NAMES)))
    age = f"{AGE_NAMES[int(state.age)]} (age {state.age + 1} of {AGES})"
    lines = [
        f"{age}, round {state.round_number + 1} of {ROUNDS}   start player {state.start}   {unseen} provinces unseen",
        f"favor deck {state.deck_size}   discards {cards_text(state.favor_discards) or '-'}",
        *offering_lines(state),
        *[province_line(state, province) for province in provinces_on_table(state)],
        *[seat_line(state, seat) for seat in range(int(state.num_players))],
        question(state),
    ]
    return "\n".join(lines)


def board_for(state: Record, player: int) -> str:
    """Return the board with what one player holds in secret."""
    secrets = [f"seat {player} holds favors {cards_text(state.favors[player]) or '-'}"]
    if state.options[EXPERT] == 1:
        hand = [PROVINCE_NAMES[province] for province in state.hands[player] if province != NOWHERE]
        secrets.append(f"provinces in hand {', '.join(hand) or '-'}")
    if state.choices[player] != NOWHERE:
        secrets.append(f"chose {PROVINCE_NAMES[state.hands[player, state.choices[player]]]}")
    if state.phase == OFFERING and state.offers[player] != NO_OFFER:
        secrets.append(offer_text(int(state.offers[player])))
    if state.adjusting[player] == 1:
        secrets.append("added a blue card")
    return f"{state_to_string(state)}\n{'; '.join(secrets)}"


def provinces_on_table(state: Record) -> list[int]:
    """Return the provinces that are owned, up for auction or built on."""
    seats = range(int(state.num_players))
    owned = [int(state.won[seat, turn]) for seat in seats for turn in range(ROUNDS)]
    built = [p for p in range(len(PROVINCE_NAMES)) if state.stones[p] > 0 or state.pyramids[p] > 0]
    return sorted({*owned, *built, *(int(state.offered[place]) for place in seats)} - {NOWHERE})


def province_line(state: Record, province: int) -> str:
    """Return one line about a province: what is printed, who owns or bids, what stands on it."""
    printed = PROVINCES[PROVINCE_NAMES[province]]
    words = [f"{PROVINCE_NAMES[province]:<9}", f"{printed['side']} {printed['half']}"]
    words.append("nile" if printed["nile"] else "    ")
    words += [f"{field} {printed[field]}" for field in NUMBER_FIELDS if printed[field] > 0]
    words += [
        f"({field[6:]} {printed[field]})" for field in printed if field[:6] == "bonus_" and printed[field] > 0
    ]
    words.append(f"| {owner_text(state, province)}")
    if state.pyramids[province] > 0 or state.stones[province] > 0:
        words.append(f"pyramids {state.pyramids[province]} stones {state.stones[province]}")
    if state.farmers[province] > 0:
        words.append(f"farmers {state.farmers[province]} of {FIELDS[province]}")
    if state.free_farmers[province] > 0:
        words.append(f"free farmers {state.free_farmers[province]}")
    return "  " + " ".join(words)


def owner_text(state: Record, province: int) -> str:
    """Return who owns a province, or who bids how much for it."""
    for seat in range(int(state.num_players)):
        if province in state.won[seat]:
            return f"seat {seat}"
    for place in range(int(state.num_players)):
        if state.offered[place] == province:
            leader = int(state.leaders[place])
            return "no bid" if leader == NOBODY else f"seat {leader} bids {BID_SPACES[state.bids[leader]]}"
    return "nobody"


def seat_line(state: Record, seat: int) -> str:
    """Return one line of what everybody knows of a seat."""
    marker = ">" if seat == state.current and state.phase != OVER else " "
    words = [f"{marker} seat {seat}   points {state.points[seat]:3d}   gold {state.gold[seat]:3d}"]
    words.append(f"favor cards {state.hand_sizes[seat]}")
    if state.protected[seat] == 1:
        words.append("protected")
    if state.phase <= PROTECTED_BID and state.barred[seat] != NOWHERE:
        words.append(f"barred from {PROVINCE_NAMES[state.offered[state.barred[seat]]]}")
    return "   ".join(words)


def offering_lines(state: Record) -> list[str]:
    """Return the offers once they are revealed, their total and the tile."""
    if state.phase <= OFFERING:
        made = sum(int(offer) != NO_OFFER for offer in state.offers)
        return [f"offerings made: {made}"] if state.phase == OFFERING else []
    offers = [f"seat {seat} {offer_text(int(state.offers[seat]))}" for seat in range(int(state.num_players))]
    line = f"offering {state.offering}: {', '.join(offers)}"
    if state.tile != NO_TILE:
        tile = OFFERING_TILES[int(state.tile)]
        camel = ", camel" if tile["camel"] else ""
        line += f"; tile: farmers {tile['farmer']}, temples {tile['temple']}{camel}"
    return [line]


def offer_text(offer: int) -> str:
    """Return what an offer is."""
    return "stole" if offer == STOLE else f"offered {offer}"


def cards_text(counts: Array) -> str:
    """Return favor cards as "2 treasury, bribery"."""
    named = [(int(counts[kind]), FAVOR_NAMES[kind]) for kind in range(NUM_FAVORS)]
    return ", ".join(name if number == 1 else f"{number} {name}" for number, name in named if number > 0)


def question(state: Record) -> str:
    """Return one line that says what the game waits for."""
    seat = int(state.current)
    return {
        CHOOSE_PROVINCE: f"seat {seat} to choose a province, secretly",
        BIDDING: f"auction: seat {seat} to bid",
        PROTECTED_BID: f"auction: seat {seat} to make the protected bid",
        MARKET_FAVORS: f"market: seat {seat} to buy favor cards",
        MARKET_FARMERS: f"market: seat {seat} to buy farmers, {state.bought} bought",
        MARKET_STONES: f"market: seat {seat} to buy stones, {state.bought} bought",
        OFFERING: f"offering: seat {seat} to offer or steal, secretly",
        DECLARING: f"offering: seat {seat} to raise or lower the total",
        REWARDS: f"rewards: seat {seat} to collect {state.rewards_left}",
        HARVEST: f"harvest: seat {seat} to play a harvest card",
        SCORING: f"scoring: seat {seat} to play a yellow card",
        OVER: "the game is over",
    }[int(state.phase)]


def remarks_for(state: Record, player: int) -> str:
    """Return what the board leaves out of what a player sees: traces of the round, and what can be deduced."""
    seats = range(int(state.num_players))
    unseen = [p for p in range(NUM_PROVINCES) if int(state.unseen_provinces) >> p & 1]
    won = [f"seat {seat} {named(state.won[seat])}" for seat in seats]
    lines = [
        f"seat {state.current} asked; start player next round: seat {state.next_start}",
        f"unseen: {', '.join(province_names(unseen)) or '-'}",
        f"up for auction: {named(state.offered)}",
        f"won: {'; '.join(won)}",
        f"shuffled into the favor deck: {cards_text(state.shuffled)}",
        f"of them drawn by seat {player}: {cards_text(state.drawn_since[player]) or '-'}",
        *[line for seat in seats for line in knowledge_lines(state, seat)],
        *[line for seat in seats for line in played_lines(state, seat)],
        *turn_lines(state),
        f"rules: {options_text(state, OPTIONS)}",
    ]
    return "\n".join(lines)


def named(provinces: Array) -> str:
    """Return the names of some provinces, in order, NOWHERE left out."""
    return ", ".join(province_names(provinces[provinces != NOWHERE])) or "-"


def knowledge_lines(state: Record, seat: int) -> list[str]:
    """Return what everybody knows of the favor cards of a seat."""
    lines = [f"seat {seat} holds {' or '.join(kinds_of(known))}" for known in state.facts[seat] if known]
    if state.lacks[seat]:
        lines.append(f"seat {seat} does not hold {' nor '.join(kinds_of(state.lacks[seat]))}")
    return lines


def kinds_of(kinds: int) -> list[str]:
    """Return the names of a set of kinds of favor cards."""
    return [name for kind, name in enumerate(FAVOR_NAMES) if int(kinds) >> kind & 1]


def played_lines(state: Record, seat: int) -> list[str]:
    """Return which cards a seat has played in this round, as far as it limits the next ones."""
    lines = [f"seat {seat} played bribery"] if state.bribed[seat] == 1 else []
    if state.scored[seat]:
        lines.append(f"seat {seat} scored {', '.join(kinds_of(int(state.scored[seat]) << FIRST_YELLOW))}")
    return lines


def turn_lines(state: Record) -> list[str]:
    """Return what the seat that is asked has done in this phase, and who collects second."""
    lines = []
    if state.phase <= MARKET_STONES:
        lines += ["free_farmer played in this turn"] if state.free_farmer_played == 1 else []
        lines += ["architect played in this turn"] if state.architect_played == 1 else []
    if state.runner_up != NOBODY:
        lines.append(f"second in the offering: seat {state.runner_up}")
    if state.treasury_at != NOWHERE:
        lines.append(f"treasury at {PROVINCE_NAMES[state.treasury_at]}")
    if state.big_harvest_at != NOWHERE:
        lines.append(f"big_harvest at {PROVINCE_NAMES[state.big_harvest_at]}")
    return lines


def told(before: Record, action: int, after: Record, player: int) -> str | None:
    """Return what a player learns of a move: secret ones as "?", until all are revealed."""
    own = before.current == player
    if action == ADJUST and not own:
        return None
    words = [f"{before.current} {move_text(action, own)}"]
    if before.phase == OFFERING and STEAL >= action >= OFFER and all_but_one_offered(before):
        words.append(f"all offer {' '.join(offers_text(before, action))}")
    if before.phase == CHOOSE_PROVINCE and after.phase == BIDDING:
        words.append(f"up for auction {named(after.offered)}")
    for seat, kinds in draws(after):
        cards = " ".join(FAVOR_NAMES[kind] for kind in kinds) if seat == player else str(len(kinds))
        words.append(f"{seat} draws {cards}")
    if is_new_round(before, after):
        if after.options[EXPERT] == 0:
            words.append(f"up for auction {named(after.offered)}")
        elif after.round_number == 0:
            words.append(f"dealt {named(after.hands[player])}")
    if after.phase == OVER:
        words += [f"{seat} sells {cards}" for seat, cards in enumerate(last_sales(before, action)) if cards]
    words.append(f"next {after.current} {PHASE_NAMES[int(after.phase)]}")
    return "; ".join(words)


def last_sales(before: Record, action: int) -> list[str]:
    """Return the favor cards of each seat that are sold at the end of the game, after its last move."""
    hands = before.favors[: before.num_players].copy()
    if SCORE <= action < CHOOSE:
        hands[before.current, FIRST_YELLOW + action - SCORE] -= 1
    return [cards_text(hand) for hand in hands]


def move_text(action: int, own: bool) -> str:
    """Return the notation of a move as its player or another sees it."""
    if not own and action >= CHOOSE:
        return "choose ?"
    if not own and OFFER <= action <= STEAL:
        return "offer ?"
    return ACTION_NAMES[action]


def all_but_one_offered(state: Record) -> bool:
    """Whether the next offer is the last of the round."""
    players = int(state.num_players)
    return int((state.offers[:players] != NO_OFFER).sum()) == players - 1


def offers_text(state: Record, action: int) -> list[str]:
    """Return all offers of a round, by seat, with the last one, which is being made."""
    offers = state.offers[: state.num_players].tolist()
    offers[state.current] = STOLE if action == STEAL else action - OFFER + 1
    return ["steal" if offer == STOLE else str(offer) for offer in offers]
