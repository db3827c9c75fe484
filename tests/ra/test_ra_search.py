"""Search finds what the rules decide: constructed end positions, and exact values of small ones.

The last epoch, and one more Ra tile ends it, unless said otherwise. Everybody holds an "art", so
that civilizations score nothing where they are not the subject.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from expectimax import (
    Choices,
    Expectimax,
    TooLargeError,
    after,
    best_moves,
    greedy,
    look,
    searched,
)
from perft import one
from ra_table import CIVILIZATIONS, State, board, fame, one_ra_short, play, table

from ra_env import GAME
from ra_env.components import SUN_SETS, TILE_NAMES
from tabletop.chance import Chance
from tabletop.kinds import States

NO_SUNS: list[int] = []
ONLY_RA = {"ra": 2}
CIVILIZED = frozenset(CIVILIZATIONS)


def outcomes(states: States, move: str) -> list[tuple[float, States]]:
    """Each tile that may be drawn; other moves have one outcome."""
    if move != "draw":
        return [(1.0, after(GAME, states, move))]
    bag = states[0].bag
    found = []
    for tile, name in enumerate(TILE_NAMES):
        if bag[tile] > 0:
            drawn = states[:1].copy()
            GAME.apply_with_chance(drawn[0], GAME.string_to_action(move), Chance([name]))
            found.append((int(bag[tile]) / int(states[0].bag_total), drawn))
    return found


def exact(state: State) -> set[str]:
    """Choose by looking at everything that can happen."""
    return Expectimax(GAME, outcomes).choices(state)


POLICIES = {
    "exact": exact,
    "mcts": searched(GAME, "simulations=2000"),
    "mcts with random rollouts": searched(GAME, "simulations=2000,rollout=random,prior=none"),
    "greedy": greedy(GAME),
}
SEARCHES = ("mcts", "mcts with random rollouts")


@pytest.fixture(params=["exact", *(pytest.param(name, marks=pytest.mark.compiled) for name in SEARCHES)])
def choices(request: pytest.FixtureRequest) -> Choices:
    """Who chooses; the exact solver checks what the tests say is right."""
    return POLICIES[request.param]


def end_of_game(
    num_players: int,
    *,
    held: Sequence[Mapping[str, int]] = (),
    bag: Mapping[str, int] = ONLY_RA,
    ra_short: int = 1,
    **position: Any,
) -> State:
    """Return a turn in the last epoch."""
    hands = [*held, *[{}] * (num_players - len(held))]
    return table(
        num_players,
        epoch=2,
        ra_tiles=one_ra_short(num_players) + 1 - ra_short,
        held=[hand if not CIVILIZED.isdisjoint(hand) else {"art": 1, **hand} for hand in hands],
        bag=bag,
        **position,
    )


def test_the_lot_that_wins_is_taken_before_the_last_ra_tile_can_come(choices: Choices) -> None:
    """2 players; only seat 0 has a sun. Two Gold lie there: 20 + 6 - 5 against 14 + 5 wins, -5 and +5 being for suns.

    Three more Gold are in the bag, but a Ra tile too, with which the game would be lost.
    """
    state = end_of_game(
        2,
        lot={"gold": 2},
        bag={"ra": 1, "gold": 3},
        suns_up=[[2], NO_SUNS],
        suns_down=[[9, 4, 3], [8, 7, 6, 5]],
        fame=[20, 14],
    )
    assert choices(state) <= {"invoke"}


def test_a_lot_that_hurts_is_left_and_the_end_awaited(choices: Choices) -> None:
    """2 players; only seat 0 has a sun. It leads by 1 fame, three civilizations included.

    Who invokes Ra must bid: one Gold (+3), and Unrest, which leaves one civilization (-5). Any tile
    drawn either ends the game or leaves the same choice.
    """
    state = end_of_game(
        2,
        lot={"gold": 1, "unrest": 1},
        held=[{"art": 1, "religion": 1, "writing": 1}],
        bag={"ra": 2, "nile": 1},
        suns_up=[[9], NO_SUNS],
        suns_down=[[2, 3, 4], [8, 7, 6, 5]],
        fame=[21, 15],
    )
    assert choices(state) <= {"draw"}


def test_passing_leaves_the_disaster_to_the_invoker_who_must_bid(choices: Choices) -> None:
    """3 players; seat 2 invoked, seat 0 is asked, seat 1 has no sun. Seat 2 leads by its five pyramids.

    The one Gold of the lot is not enough for seat 0. If it passes, seat 2 must bid and loses two
    pyramids in the Earthquake: 10 fame less.
    """
    state = end_of_game(
        3,
        turn=2,
        lot={"gold": 1, "earthquake": 1},
        held=[{}, {}, {"pyramid": 5}],
        suns_up=[[5], NO_SUNS, [13]],
        suns_down=[[2, 3, 4], [12, 9, 6, 10], [11, 8, 7]],
        fame=[35, 10, 20],
    )
    play(state, "invoke")
    assert choices(state) <= {"pass"}


def test_the_lower_of_two_sure_bids_keeps_the_highest_sum_of_suns(choices: Choices) -> None:
    """2 players; seat 1 invoked with its 5. Both 6 and 9 take the Gold.

    With the 6 gone for the center sun 1 the sum is 20 against 19 (+5, -5), with the 9 it is 17 (-5, +5).
    """
    state = end_of_game(
        2,
        turn=1,
        lot={"gold": 1},
        suns_up=[[9, 6], [5]],
        suns_down=[[8, 2], [7, 4, 3]],
        fame=[10, 21],
    )
    play(state, "invoke")
    assert choices(state) <= {"bid 6"}


def test_the_highest_sun_is_kept_as_it_breaks_the_tie(choices: Choices) -> None:
    """3 players; seat 0 drew a Ra tile. The Gold lets it tie with seat 2, whose highest sun is 12.

    Bid the 8, and the 13 wins the tie; bid the 13, and the 12 does. Seat 2 draws next, and only Ra
    tiles are left. Seat 0 has the lowest sum of suns and seat 1 the highest in any case.
    """
    state = end_of_game(
        3,
        ra_short=2,
        lot={"gold": 1},
        suns_up=[[13, 8], NO_SUNS, [4]],
        suns_down=[[2, 3], [11, 10, 9, 5], [12, 7, 6]],
        fame=[22, 5, 20],
    )
    play(state, "draw", tile="ra")
    play(state, "pass")
    assert choices(state) <= {"bid 8"}


def test_a_god_takes_the_pharaoh_that_ends_the_leaders_majority(choices: Choices) -> None:
    """3 players; only seat 0 has a sun. Gold brings 3, less 2 for the God tile: 1 fame, and seat 1 is 2 ahead.

    A third Pharaoh brings seat 0 nothing, as it has most already, but seat 1 no longer has: 5 less.
    """
    state = end_of_game(
        3,
        lot={"pharaoh": 1, "gold": 1, "funeral": 1},
        held=[{"god": 1, "pharaoh": 2}, {"pharaoh": 2}, {}],
        suns_up=[[13], NO_SUNS, NO_SUNS],
        suns_down=[[2, 3, 4], [12, 9, 6, 8], [11, 10, 7, 5]],
        fame=[25, 19, 5],
    )
    assert choices(state) <= {"god pharaoh"}


def test_unrest_takes_civilizations_held_twice(choices: Choices) -> None:
    """2 players; two of the five tiles go. Three kinds score 5, two kinds nothing, and 1 fame decides."""
    state = end_of_game(
        2,
        lot={"unrest": 1},
        held=[{"art": 2, "agriculture": 2, "religion": 1}],
        suns_up=[[2], NO_SUNS],
        suns_down=[[9, 4, 3], [8, 7, 6, 5]],
        fame=[21, 15],
    )
    play(state, "invoke", "bid 2")
    assert choices(state) <= {"discard art", "discard agriculture"}


def test_an_earthquake_spares_the_four_fortresses_rather_than_the_seventh_kind(choices: Choices) -> None:
    """4 players; seven kinds and four fortresses score 20. Two tiles go.

    Two single kinds: 5 + 10. One kind and a fortress: 6 + 5. Two fortresses: 10.
    """
    state = end_of_game(
        4,
        lot={"earthquake": 1},
        held=[
            {
                "fortress": 4,
                **dict.fromkeys(("obelisk", "palace", "pyramid", "temple", "statue", "step_pyramid"), 1),
            }
        ],
        suns_up=[[2], NO_SUNS, NO_SUNS, NO_SUNS],
        suns_down=[[3, 4], [13, 6, 5], [12, 7, 8], [11, 10, 9]],
        fame=[10, 17, 9, 9],
    )
    play(state, "invoke", "bid 2")
    assert "discard fortress" not in choices(state)


def test_of_two_suns_only_the_highest_is_sure(choices: Choices) -> None:
    """5 players; seat 4 invoked. Two Gold decide between seat 0 and seat 1, who would outbid the 9 with its 10."""
    state = end_of_game(
        5,
        turn=4,
        lot={"gold": 2},
        suns_up=[[16, 9], [10], NO_SUNS, NO_SUNS, [4]],
        suns_down=[[2], [15, 14], [3, 8, 13], [12, 11, 5], [6, 7]],
        fame=[20, 12, 10, 5, 5],
    )
    play(state, "invoke")
    assert choices(state) <= {"bid 16"}


def test_the_leader_takes_a_lot_that_hurts_to_keep_it_from_the_second(choices: Choices) -> None:
    """4 players; seat 1 invoked on the full track and holds a Flood. Seven Niles would bring it 7 fame.

    Seat 0 is 6 ahead. Unrest costs it its three civilizations, 5 fame, if it takes the lot; it has no
    Flood. But 5 is less than 7.
    """
    state = end_of_game(
        4,
        turn=1,
        lot={"nile": 7, "unrest": 1},
        held=[{"art": 1, "religion": 1, "writing": 1}, {"agriculture": 3, "flood": 1}],
        suns_up=[[12], [7], NO_SUNS, NO_SUNS],
        suns_down=[[2, 3], [13, 11], [10, 9, 4], [8, 6, 5]],
        fame=[31, 19, 5, 5],
    )
    play(state, "invoke")
    assert choices(state) <= {"bid 12"}


def test_a_god_takes_the_flood_that_wakes_the_niles(choices: Choices) -> None:
    """5 players; only seat 0 has a sun. For a God tile (2 fame) the Flood scores 7 with the six Niles, Gold 3.

    Whoever buys the whole lot loses the Flood again to the Droughts.
    """
    state = end_of_game(
        5,
        lot={"flood": 1, "gold": 1, "drought": 2},
        held=[{"god": 1, "nile": 6}],
        suns_up=[[16], NO_SUNS, NO_SUNS, NO_SUNS, NO_SUNS],
        suns_down=[[2, 3], [15, 4, 5], [14, 6, 7], [13, 8, 9], [12, 11, 10]],
        fame=[20, 21, 10, 10, 5],
    )
    assert choices(state) <= {"god flood"}


def test_a_tile_is_drawn_when_nothing_on_the_track_wins(choices: Choices) -> None:
    """3 players; only seat 0 has a sun and needs a Gold, two of the three tiles in the bag.

    An auction of the lone Nile ends the game, as nobody has a sun then.
    """
    state = end_of_game(
        3,
        lot={"nile": 1},
        bag={"ra": 1, "gold": 2},
        suns_up=[[5], NO_SUNS, NO_SUNS],
        suns_down=[[2, 3, 4], [12, 9, 6, 8], [11, 10, 7, 13]],
        fame=[20, 12, 11],
    )
    assert choices(state) <= {"draw"}


def test_where_gods_score_nothing_one_is_spent_on_any_tile(choices: Choices) -> None:
    """2 players, option `gods_score`: a Nile scores with the Flood held, and 1 fame wins.

    The lot cannot be bought: Drought would take the Flood.
    """
    state = end_of_game(
        2,
        options={"gods_score": False},
        lot={"nile": 1, "drought": 1},
        held=[{"god": 1, "flood": 1}],
        suns_up=[[9], NO_SUNS],
        suns_down=[[2, 3, 4], [8, 7, 6, 5]],
        fame=[23, 15],
    )
    assert choices(state) <= {"god nile"}
    state = end_of_game(
        2,
        lot={"nile": 1, "drought": 1},
        held=[{"god": 1, "flood": 1}],
        suns_up=[[9], NO_SUNS],
        suns_down=[[2, 3, 4], [8, 7, 6, 5]],
        fame=[22, 15],
    )
    assert choices(state) <= {"draw"}


def test_a_pharaoh_is_bought_that_only_makes_another_share_the_fewest(choices: Choices) -> None:
    """4 players; seat 3 drew a Ra tile. Seat 0 alone has fewest Pharaohs and is 1 fame behind seat 3.

    The Pharaoh of the lot leaves seat 0 with fewest, but seat 3 too then: 2 fame less.
    """
    state = end_of_game(
        4,
        turn=3,
        ra_short=2,
        lot={"pharaoh": 1},
        held=[{}, {"pharaoh": 2}, {"pharaoh": 2}, {"pharaoh": 1}],
        suns_up=[[3], NO_SUNS, NO_SUNS, [2]],
        suns_down=[[10, 4], [13, 9, 8], [12, 7, 6], [11, 5]],
        fame=[24, 3, 5, 18],
    )
    play(state, "draw", tile="ra")
    assert choices(state) <= {"bid 3"}


POSITIONS = [test for name, test in sorted(globals().items()) if name.startswith("test_")]


def test_a_look_one_move_ahead_does_not_find_them_all() -> None:
    """Greedy errs in some of these positions: it is the search that finds the move."""
    missed = 0
    for position in POSITIONS:
        try:
            position(POLICIES["greedy"])
        except AssertionError:
            missed += 1
    assert missed >= 3


HELD = ("gold", "flood", "pharaoh", "pyramid", "god", "writing")
DRAWN = (*HELD, "unrest")


def random_end(seed: int) -> State:
    """Return a random close position of the last epoch with at most five tiles left in the bag.

    Were it scored at once, nobody would be more than 4 fame ahead of anybody.
    """
    generator = np.random.default_rng(seed)
    players = 2 + seed % 4
    each = len(SUN_SETS[players][0])
    suns = generator.permutation([1, *(sun for suns in SUN_SETS[players] for sun in suns)]).tolist()
    hands = [suns[seat * each : (seat + 1) * each] for seat in range(players)]
    numbers_up = [int(seat == 0 or generator.random() < 0.4) for seat in range(players)]

    def some(names: Sequence[str], number: int) -> dict[str, int]:
        return dict(Counter(generator.choice(names, number).tolist()))

    position: dict[str, Any] = {
        "lot": some(DRAWN, generator.integers(0, 3)),
        "held": [some(HELD, generator.integers(0, 3)) for _ in range(players)],
        "bag": {"ra": int(generator.integers(1, 3)), **some(DRAWN, 3)},
        "suns_up": [suns[:number] for suns, number in zip(hands, numbers_up, strict=True)],
        "suns_down": [suns[number:] for suns, number in zip(hands, numbers_up, strict=True)],
        "center_sun": suns[-1],
    }
    scored = end_of_game(players, fame=[0] * players, **position)
    play(scored, "draw", tile="ra")
    close = [20 - points + int(generator.integers(-2, 3)) for points in fame(scored)]
    return end_of_game(players, fame=close, **position)


@pytest.mark.compiled
def test_values_lie_within_their_intervals_of_the_exact_values() -> None:
    """Random ends with up to 300 positions to come: the exact best move, and its value.

    The interval tells how far chance may have moved a value, 19 times of 20; exploration of moves
    that are not best moves it a little more. Counted are the values that are uncertain.
    """
    excesses = []
    for seed in range(80):
        state = random_end(seed)
        exact = Expectimax(GAME, outcomes, most=300)
        try:
            ranges = exact.ranges(one(GAME, state))
        except TooLargeError:
            continue
        agent, found = look(GAME, state, "simulations=50000,prior=none,rollout=random,c=1", seed)
        action = agent.best(found)
        move = GAME.action_to_string(action)
        assert move in best_moves(ranges, 0), f"seed {seed}:\n{board(state)}"
        least, most = (values[0] for values in ranges[move])
        value, half_width = found.values[action], found.half_widths[action]
        excess = max(least - value, value - most, 0.0) - half_width
        assert excess < 0.05, f"seed {seed}: {value} is not from {least} to {most}:\n{board(state)}"
        if half_width > 0.003:
            excesses.append(excess)
    assert len(excesses) >= 10
    assert np.mean(np.array(excesses) < 0.01) >= 0.9
