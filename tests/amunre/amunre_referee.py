"""What a player of Amun-Re may do, by brute force from the rulebook, and random games to ask it about.

Written from the rules, apart from the engine: an account is kept of gold, cards, provinces and points
from the moves alone, and every one of the 367 moves is judged by itself. From the engine come only
what chance deals, whose turn it is in which phase, and the kinds of the cards in a hand.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from amunre_table import State, asked, gold, hand, legal, owned

from amunre_env import GAME
from amunre_env.actions import ACTION_NAMES
from amunre_env.components import BOARD, FAVOR_NAMES, PROVINCE_NAMES
from amunre_env.state import (
    BIDDING,
    CHOOSE_PROVINCE,
    DECLARING,
    HARVEST,
    MARKET_FARMERS,
    MARKET_FAVORS,
    MARKET_STONES,
    OFFERING,
    OVER,
    PROTECTED_BID,
    REWARDS,
    SCORING,
)
from tabletop import verbs

PROVINCES = BOARD["provinces"]
SPACES = BOARD["bid_spaces"]
AUCTION = (BIDDING, PROTECTED_BID)
MARKET = (MARKET_FAVORS, MARKET_FARMERS, MARKET_STONES)
THEFT = 0  # among offers
Question = tuple[int, int]  # phase, seat
NEXT_ROUND = (-1, -1)  # or the end of the game


def total_of(provinces: Sequence[str], what: str) -> int:
    """The sum of a number that is printed on provinces."""
    return sum(int(PROVINCES[name][what]) for name in provinces)


@dataclass
class Account:
    """What everybody at the table can write down: gold, cards, provinces and points from the moves."""

    players: int
    temples_at_harvest: bool
    gold: list[int]
    cards: list[int]  # in each hand
    points: list[int]
    owned: list[list[str]]
    farmers: Counter[str] = field(default_factory=Counter)  # in fields
    free_farmers: Counter[str] = field(default_factory=Counter)
    stones: Counter[str] = field(default_factory=Counter)
    pyramids: Counter[str] = field(default_factory=Counter)
    # of this round
    bids: dict[str, tuple[int, int]] = field(default_factory=dict)  # province: seat, gold
    outbid_at: dict[int, str] = field(default_factory=dict)  # where a seat's next bid is barred
    bribed: set[int] = field(default_factory=set)
    protected: set[int] = field(default_factory=set)
    bought: int = 0  # in this step of the market
    played: set[str] = field(default_factory=set)  # card kinds of this turn in the market or harvest
    offers: dict[int, int] = field(default_factory=dict)
    blue: set[int] = field(default_factory=set)  # seats with a blue card beside their offer
    total: int = 0
    harvested: int = 0  # seats paid in this harvest
    treasury: str = ""
    big_harvest: str = ""
    scored: set[tuple[int, str]] = field(default_factory=set)
    rewards: Counter[int] = field(default_factory=Counter)  # that each seat has collected
    expected: Question | None = None  # who is asked next in which phase

    def cards_to_draw(self) -> int:
        """How many favor cards are in nobody's hand."""
        return sum(BOARD["favor_cards"].values()) - sum(self.cards)

    def tile(self) -> dict[str, int]:
        """The offering tile that the total selects."""
        tiles = BOARD["offering_tile"]
        return next((tile for tile in tiles[:-1] if self.total <= tile["up_to"]), tiles[-1])

    def seats(self, start: int) -> list[int]:
        """All seats in turn order."""
        return [(start + place) % self.players for place in range(self.players)]

    def note_move(self, before: "Moment", move: str) -> None:
        """Take down a move."""
        verb, _, what = move.partition(" ")
        seat = before.seat
        if verb == "bid":
            province, gold = what.split()
            self.note_bid(before, province, int(gold))
        elif verb == "buy":
            self.gold[seat] -= sum(range(1, int(what) + 1))
            self.cards[seat] += int(what)
        elif verb in ("farmer", "stone"):
            self.note_token(before, verb, what)
        elif verb in ("offer", "steal"):
            self.note_offer(seat, THEFT if verb == "steal" else int(what))
        elif verb == "take_favor":
            self.cards[seat] += 1
        elif verb == "adjust":
            self.blue.add(seat)
        elif verb not in ("done", "choose"):
            self.note_card(seat, verb, what)
        if before.phase == REWARDS and verb != "done":
            self.rewards[seat] += 1

    def note_bid(self, before: "Moment", province: str, gold: int) -> None:
        """A bid sends another's pawn away; with the last province taken, all pay."""
        if self.outbid_at.pop(before.seat, "") == province:
            self.bribed.add(before.seat)
            self.cards[before.seat] -= 1
        if province in self.bids:
            self.outbid_at[self.bids[province][0]] = province
        self.bids[province] = (before.seat, gold)
        if len(self.bids) == self.players:
            wins = {seat: (won, paid) for won, (seat, paid) in self.bids.items()}
            for seat in self.seats(before.start):
                won, paid = wins[seat]
                self.owned[seat].append(won)
                bonus = PROVINCES[won]
                self.gold[seat] += bonus["bonus_gold"] - paid
                self.free_farmers[won] += bonus["bonus_farmers"]
                self.cards[seat] += min(bonus["bonus_favors"], self.cards_to_draw())
                for _ in range(bonus["bonus_stones"]):
                    self.add_stone(won)

    def add_stone(self, province: str) -> None:
        """Three stones are replaced by a pyramid."""
        self.stones[province] += 1
        if self.stones[province] == 3:
            self.stones[province] = 0
            self.pyramids[province] += 1

    def note_token(self, before: "Moment", verb: str, province: str) -> None:
        """In the market each one more of a kind costs 1 gold more; a reward costs nothing."""
        if before.phase in MARKET:
            self.bought += 1
            self.gold[before.seat] -= self.bought
        if verb == "farmer":
            self.farmers[province] += 1
        else:
            self.add_stone(province)

    def note_offer(self, seat: int, offer: int) -> None:
        """Nobody pays before all have offered."""
        self.offers[seat] = offer
        if len(self.offers) == self.players:
            for other, amount in self.offers.items():
                taken = BOARD["theft"] if amount == THEFT else -amount
                self.gold[other] += taken
                self.total -= taken

    def note_card(self, seat: int, verb: str, what: str) -> None:
        """A card leaves a hand."""
        self.cards[seat] -= 1
        if verb == "sell":
            self.gold[seat] += 1
        elif verb == "protect":
            self.protected.add(seat)
        elif verb in ("raise", "lower"):
            self.total += BOARD["offering_adjustment"] * (1 if verb == "raise" else -1)
        elif verb == "score":
            self.scored.add((seat, what))
        else:
            self.played.add(verb)
        if verb == "free_farmer":
            self.free_farmers[what] += 1
        elif verb == "architect":
            self.stones[what] -= 2
            self.pyramids[what] += 1
        elif verb == "treasury":
            self.treasury = what
        elif verb == "big_harvest":
            self.big_harvest = what

    def note_what_follows(self, before: "Moment", later: State) -> None:
        """The turn of another, incomes, and at the end of a round or an age what scores there."""
        if (before.phase, before.seat) != (later.phase, asked(later)):
            self.bought = 0
        if before.seat != asked(later) and before.phase in MARKET:
            self.played = set()
        is_new_round = (before.age, before.round_number) != (later.age, later.round_number)
        seats = self.seats(before.start)
        if later.phase == HARVEST:
            due = seats.index(asked(later))
        elif is_new_round or later.phase in (SCORING, OVER):
            due = self.players
        else:
            due = 0
        while self.harvested < due:
            self.harvest(seats[self.harvested])
        if is_new_round or later.phase == OVER:
            if before.round_number == 2:
                self.score_age(is_last=later.phase == OVER)
            self.clear_round()

    def harvest(self, seat: int) -> None:
        """A seat's provinces pay."""
        tile = self.tile()
        for name in self.owned[seat]:
            if name == self.treasury:
                self.gold[seat] += BOARD["treasury"]
                continue
            each = tile["farmer"] + (1 if name == self.big_harvest else 0)
            self.gold[seat] += PROVINCES[name]["mine"] + each * self.farmers_on([name])
            if tile["camel"]:
                self.gold[seat] += PROVINCES[name]["caravan"]
        self.treasury = self.big_harvest = ""
        self.played = set()
        self.harvested += 1
        if self.harvested == self.players and self.temples_at_harvest:
            self.score_temples()

    def farmers_on(self, provinces: Sequence[str]) -> int:
        """Farmers in fields and outside."""
        return sum(self.farmers[name] + self.free_farmers[name] for name in provinces)

    def score_temples(self) -> None:
        """Each temple is worth what the tile says."""
        for seat in range(self.players):
            self.points[seat] += self.tile()["temple"] * total_of(self.owned[seat], "temples")

    def score_age(self, is_last: bool) -> None:
        """The points of an age; after the second, gold, to which cards are sold."""
        if not self.temples_at_harvest:
            self.score_temples()
        for seat, names in enumerate(self.owned):
            pyramids = [self.pyramids[name] for name in names]
            self.points[seat] += sum(pyramids) + 3 * min(pyramids)
            self.points[seat] += 3 * sum(scorer == seat for scorer, _ in self.scored)
        for bank in ("west", "east"):
            size = {
                (self.pyramids[name], self.stones[name], seat)
                for seat, names in enumerate(self.owned)
                for name in names
                if PROVINCES[name]["side"] == bank and self.pyramids[name] > 0
            }
            for _, _, seat in {built for built in size if built[:2] == max(size)[:2]}:
                self.points[seat] += 5
        if is_last:
            self.gold = [gold + cards for gold, cards in zip(self.gold, self.cards, strict=True)]
            self.cards = [0] * self.players
            for seat, gold in enumerate(self.gold):
                self.points[seat] += (6, 4, 2, 0, 0)[sum(other > gold for other in self.gold)]
        else:
            self.owned = [[] for _ in range(self.players)]
            self.farmers.clear()
            self.free_farmers.clear()

    def clear_round(self) -> None:
        """Pawns, offers and the tile are put back."""
        self.bids, self.outbid_at, self.offers = {}, {}, {}
        self.bribed, self.protected, self.blue, self.scored = set(), set(), set(), set()
        self.rewards.clear()
        self.total = self.harvested = 0


@dataclass(frozen=True)
class Moment:
    """Who is asked, and when."""

    seat: int
    phase: int
    start: int
    age: int
    round_number: int
    hand: frozenset[str]  # kinds of the seat's favor cards
    up: frozenset[str]  # provinces for auction
    choosable: frozenset[str]


def moment(state: State) -> Moment:
    """Read off a record what a player knows when asked."""
    seat = asked(state)
    return Moment(
        seat=seat,
        phase=int(state.phase),
        start=int(state.start),
        age=int(state.age),
        round_number=int(state.round_number),
        hand=frozenset(hand(state, seat)),
        up=frozenset(PROVINCE_NAMES[index] for index in state.offered if index >= 0),
        choosable=frozenset(PROVINCE_NAMES[index] for index in state.hands[seat] if index >= 0),
    )


def legal_by_the_rules(state: State, account: Account) -> set[str]:
    """Every move that the rules allow."""
    now = moment(state)
    return {move for move in ACTION_NAMES if is_allowed(now, account, move)}


def is_allowed(now: Moment, account: Account, move: str) -> bool:
    """Whether the rules allow one move."""
    verb, _, what = move.partition(" ")
    if now.phase == CHOOSE_PROVINCE:
        return verb == "choose" and what in now.choosable
    if now.phase in AUCTION:
        return is_allowed_in_auction(now, account, verb, what)
    if now.phase in MARKET:
        return is_allowed_in_market(now, account, verb, what)
    if now.phase == OFFERING:
        if verb == "offer":
            return int(what) <= account.gold[now.seat]
        unbound = now.seat not in account.blue
        return verb == "steal" or (
            unbound
            and (
                (verb == "sell" and what in now.hand)
                or (move == "adjust" and "offering_adjustment" in now.hand)
            )
        )
    if now.phase == DECLARING:
        return verb in ("raise", "lower")
    if verb == "done":
        return True
    if now.phase == REWARDS:
        return (
            (verb == "take_favor" and account.cards_to_draw() > 0)
            or (verb == "farmer" and has_empty_field(now, account, what))
            or (verb == "stone" and what in account.owned[now.seat])
        )
    if now.phase == HARVEST:
        is_card = verb in ("treasury", "big_harvest") and verb in now.hand - account.played
        return is_card and what in account.owned[now.seat]
    return (
        verb == "score"
        and what in now.hand
        and (now.seat, what) not in account.scored
        and condition_holds(account, now.seat, what)
    )


def is_allowed_in_auction(now: Moment, account: Account, verb: str, what: str) -> bool:
    """Bids, and before a bid that goes with Protection also that card and sales."""
    if verb == "bid":
        province, gold = what.split()
        if province not in now.up or int(gold) > account.gold[now.seat]:
            return False
        is_barred = account.outbid_at.get(now.seat) == province
        if is_barred and ("bribery" not in now.hand or now.seat in account.bribed):
            return False
        if province not in account.bids:
            return True
        leader, highest = account.bids[province]
        blocked = 1 if leader in account.protected else 0
        return SPACES.index(int(gold)) > SPACES.index(highest) + blocked
    if now.phase == PROTECTED_BID:
        return False
    if verb == "protect":
        return "protection" in now.hand and now.seat not in account.protected
    return verb == "sell" and what in now.hand


def is_allowed_in_market(now: Moment, account: Account, verb: str, what: str) -> bool:
    """Purchases of the step, cards of the phase, sales."""
    own = account.owned[now.seat]
    gold = account.gold[now.seat]
    if verb == "buy":
        limit = max(PROVINCES[name]["favors"] for name in own)
        number = int(what)
        affordable = sum(range(1, number + 1)) <= gold and number <= account.cards_to_draw()
        return now.phase == MARKET_FAVORS and number <= limit and affordable
    if verb == "farmer":
        affordable = gold > account.bought
        return now.phase == MARKET_FARMERS and affordable and has_empty_field(now, account, what)
    if verb == "stone":
        return now.phase == MARKET_STONES and gold > account.bought and what in own
    if verb in ("free_farmer", "architect"):
        playable = verb in now.hand - account.played and what in own
        return playable and (verb == "free_farmer" or account.stones[what] == 2)
    return verb == "done" or (verb == "sell" and what in now.hand)


def has_empty_field(now: Moment, account: Account, province: str) -> bool:
    """Whether the seat can put a farmer into a field of a province."""
    return province in account.owned[now.seat] and account.farmers[province] < PROVINCES[province]["fields"]


def condition_holds(account: Account, seat: int, card: str) -> bool:
    """Whether a yellow card scores."""
    names = account.owned[seat]
    if card == "same_bank":
        return len({PROVINCES[name]["side"] for name in names}) == 1
    if card == "same_half":
        return len({PROVINCES[name]["half"] for name in names}) == 1
    if card == "riverside":
        return all(PROVINCES[name]["nile"] for name in names)
    if card == "scribes":
        return total_of(names, "favors") >= 7
    return account.farmers_on(names) >= 9


def new_account(state: State) -> Account:
    """The account of a new game."""
    players = int(state.num_players)
    options = {option.name: option.choices[state.options[place]] for place, option in enumerate(GAME.options)}
    return Account(
        players=players,
        temples_at_harvest=options["temples"] == "harvest",
        gold=gold(state),
        cards=[int(cards) for cards in state.hand_sizes[:players]],
        points=[0] * players,
        owned=[[] for _ in range(players)],
    )


def random_game(state: State, seed: int, thrift: float) -> Iterator[tuple[State, Account]]:
    """Play a game to its end at random and yield the table before every move and at the end.

    With the chance `thrift` a player sells nothing and does not stop while there is more to get, and
    offers and bids are small, so that cards, farmers and stones pile up.
    """
    choose = random.Random(seed)
    account = new_account(state)
    yield state, account
    while not verbs.is_over(state):
        moves = sorted(legal(state))
        thrifty = [move for move in moves if is_thrifty(move)]
        move = choose.choice(thrifty if thrifty and choose.random() < thrift else moves)
        before = moment(state)
        hands = hands_of(state)
        verbs.apply_action(state, GAME.string_to_action(move))
        account.note_move(before, move)
        if state.phase == OVER:
            follow_hand(hands[before.seat], move, state)
        else:
            hands = hands_of(state)
        account.expected = next_question(account, before, move, hands)
        account.note_what_follows(before, state)
        yield state, account


def hands_of(state: State) -> list[list[str]]:
    """The favor cards of every seat."""
    return [hand(state, seat) for seat in range(int(state.num_players))]


def follow_hand(cards: list[str], move: str, later: State) -> None:
    """Change a hand by the move after which all cards were sold."""
    verb, _, what = move.partition(" ")
    if verb == "take_favor":
        cards.append(FAVOR_NAMES[later.drawn[0]])
    elif verb in ("treasury", "big_harvest"):
        cards.remove(verb)
    elif verb == "score":
        cards.remove(what)


def next_question(account: Account, before: Moment, move: str, hands: list[list[str]]) -> Question:
    """Who is asked after a move, and in which phase: the first in order who has something to decide."""
    verb = move.split(maxsplit=1)[0]
    seats = account.seats(before.start)
    if verb == "choose":
        others = seats[seats.index(before.seat) + 1 :]
        return (CHOOSE_PROVINCE, others[0]) if others else (BIDDING, before.start)
    questions = questions_in_order(account, seats, before.round_number)
    first = 0
    if before.phase in AUCTION:
        if verb in ("protect", "sell"):
            return PROTECTED_BID if verb == "protect" else BIDDING, before.seat
        leading = {seat for seat, _ in account.bids.values()}
        waiting = [seat for seat in account.seats(before.seat + 1) if seat not in leading]
        if waiting:
            return BIDDING, waiting[0]
    else:
        first = questions.index((before.phase, before.seat)) + is_last_word(account, before, verb)
    for phase, seat in questions[first:]:
        now = replace(before, phase=phase, seat=seat, hand=frozenset(hands[seat]))
        if has_choice(account, before, now):
            return phase, seat
    return NEXT_ROUND


def questions_in_order(account: Account, seats: list[int], round_number: int) -> list[Question]:
    """Everything that may be asked in a round after its auction."""
    gave = [seat for seat in seats if account.offers.get(seat, THEFT) != THEFT]
    ranked = sorted(gave, key=lambda seat: -account.offers[seat])
    collecting = ranked[:2] + [seat for seat in seats if seat in ranked[2:]]
    return [
        *((step, seat) for seat in seats for step in MARKET),
        *((OFFERING, seat) for seat in seats),
        *((DECLARING, seat) for seat in seats if seat in account.blue),
        *((REWARDS, seat) for seat in collecting),
        *((HARVEST, seat) for seat in seats),
        *((SCORING, seat) for seat in seats if round_number == 2),
    ]


def is_last_word(account: Account, before: Moment, verb: str) -> bool:
    """Whether a move ends what the seat is asked."""
    if before.phase == REWARDS:
        gave = [seat for seat in account.seats(before.start) if account.offers[seat] != THEFT]
        ranked = sorted(gave, key=lambda seat: -account.offers[seat])
        number = (3, 2, 1, 1, 1)[ranked.index(before.seat)]
        return verb == "done" or account.rewards[before.seat] == number
    return verb in ("done", "buy", "offer", "steal", "raise", "lower")


def has_choice(account: Account, before: Moment, now: Moment) -> bool:
    """Whether there is anything to decide but `done`; another's turn begins with nothing bought or played."""
    if (now.phase, now.seat) != (before.phase, before.seat):
        account = replace(account, bought=0)
    if now.seat != before.seat or before.phase not in (*MARKET, HARVEST):
        account = replace(account, played=set())
    return any(move != "done" and is_allowed(now, account, move) for move in ACTION_NAMES)


def is_thrifty(move: str) -> bool:
    """Whether a move is one that builds up a position."""
    verb, _, what = move.partition(" ")
    if verb == "bid":
        return int(what.split()[1]) <= 6
    if verb == "offer":
        return int(what) <= 5
    return verb not in ("sell", "done")


def owners(state: State) -> list[list[str]]:
    """The provinces of every seat."""
    return [owned(state, seat) for seat in range(int(state.num_players))]
