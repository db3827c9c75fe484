"""Search: exact where the game is small enough, honest about secrets, the same for the same seed, legal."""

import itertools
import re
import resource
from typing import Any

import numpy as np
import pytest
from helpers import GAMES, player_counts, random_game

from agents.mcts import MctsAgent, RootStatistics
from agents.registry import AgentError, agent_class, agent_options, make_agent
from agents.search import WORLD
from experiments.match import plan_match, play_match
from tabletop import kernels
from tabletop.game import BUILT_IN, load
from tabletop.kinds import States
from tabletop.view import View

HIGH_BID = load("high_bid")
OPPONENTS_WITHOUT_COINS = [
    # points, coins of the searcher, the open prize, the prizes in the deck
    ((0, 0), 2, 1, (2, 3)),
    ((0, 0), 2, 3, (1, 2)),
    ((2, 0), 1, 2, (1, 3)),
    ((3, 0), 2, 1, (2, 3)),
    ((1, 0), 1, 1, (3,)),
    ((0, 1, 0), 2, 1, (2, 3)),
    ((0, 2, 1), 1, 2, (3, 1)),
]


def mcts(options: str = "", name: str = "high_bid", players: int = 2, seed: int = 1) -> MctsAgent:
    agent = make_agent(f"mcts:{options}", load(name), players)
    assert isinstance(agent, MctsAgent)
    agent.begin_game(0, seed)
    return agent


def auction(
    points: tuple[int, ...], coins: tuple[int, ...], prize: int, deck: tuple[int, ...] = ()
) -> States:
    """Return a game of High Bid in which a prize is open and nobody has bid."""
    states = HIGH_BID.new_states(1)
    kernels.start_games(states, len(points), HIGH_BID.encode_options({}), np.zeros(1, np.uint64))
    state = states[0]
    state.points[: len(points)] = points
    state.coins[: len(coins)] = coins
    state.prize = prize
    state.deck[:] = 0
    for left in deck:
        state.deck[left] = 1
    return states


def look(agent: MctsAgent, states: States) -> RootStatistics:
    return agent.look(View(agent.game, states, int(states[0].current), seed=3))


def placement(points: tuple[int, ...]) -> list[float]:
    """The returns of High Bid: how many are behind less how many are ahead, of all others."""
    return [sum(np.sign(own - other) for other in points) / (len(points) - 1) for own in points]


def after_auction(points: tuple[int, ...], bids: tuple[int, ...], prize: int) -> tuple[int, ...]:
    """The points when all bids are revealed; the first of the highest wins."""
    winner = bids.index(max(bids))
    return tuple(own + prize * (seat == winner) for seat, own in enumerate(points))


def values_alone(points: tuple[int, ...], coins: int, prize: int, deck: tuple[int, ...]) -> list[float]:
    """The exact value of each bid of the last seat, the others having no coins, by expectimax."""
    found = []
    for bid in range(coins + 1):
        bids = (0,) * (len(points) - 1) + (bid,)
        then = after_auction(points, bids, prize)
        if not deck:
            found.append(placement(then)[-1])
        else:
            rest = [
                max(values_alone(then, coins - bid, following, tuple(set(deck) - {following})))
                for following in deck
            ]
            found.append(sum(rest) / len(rest))
    return found


@pytest.mark.engine
@pytest.mark.compiled
@pytest.mark.parametrize("sharing", ["mover", "observer"])
@pytest.mark.parametrize(("points", "coins", "prize", "deck"), OPPONENTS_WITHOUT_COINS)
def test_it_solves_high_bid_where_only_it_has_coins(
    points: tuple[int, ...], coins: int, prize: int, deck: tuple[int, ...], sharing: str
) -> None:
    """Several decisions with chance in between: the right bid by expectimax; its value but for exploration."""
    exact = values_alone(points, coins, prize, deck)
    seats = len(points)
    states = auction(points, (0,) * (seats - 1) + (coins,), prize, deck)
    for _ in range(seats - 1):
        kernels.apply_game(states, 0)
    agent = mcts(f"simulations=4000,sharing={sharing}", players=seats)
    found = look(agent, states)
    best = agent.best(found)
    assert exact[best] == max(exact)
    assert max(exact) - 0.1 <= found.values[best] <= max(exact) + found.half_widths[best]


@pytest.mark.engine
@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_values_of_the_last_bid_lie_within_their_intervals(seats: int) -> None:
    """The others have bid in secret: each bid's value is the mean over all that they can have bid."""
    points = (1, 0, 2, 1, 0)[:seats]
    coins = (2, 3, 1, 2, 3)[5 - seats :]
    exact = np.zeros(coins[-1] + 1)
    for bid in range(coins[-1] + 1):
        exact[bid] = np.mean(
            [
                placement(after_auction(points, (*others, bid), prize=2))[-1]
                for others in itertools.product(*(range(own + 1) for own in coins[:-1]))
            ]
        )
    states = auction(points, coins, prize=2)
    for _ in range(seats - 1):
        kernels.apply_game(states, 1)
    agent = mcts("simulations=4000,c=5", players=seats)
    found = look(agent, states)
    tried = found.visits > 0
    np.testing.assert_array_equal(np.flatnonzero(tried), np.arange(len(exact)))
    assert (np.abs(found.values[tried] - exact) <= 2 * found.half_widths[tried]).all()
    assert found.half_widths[tried].max() < 0.25
    assert exact[agent.best(found)] == exact.max()


def in_the_open(
    points: tuple[int, ...], coins: tuple[int, ...], prize: int, bids: tuple[int, ...], paranoid: bool
) -> list[list[float]]:
    """All values, a vector each, that the last auction can have if everybody sees the bids before theirs.

    More than one where somebody is indifferent. Paranoid: all but the first seat move against it.
    """
    seat = len(bids)
    if seat == len(points):
        return [placement(after_auction(points, bids, prize))]
    choices = [in_the_open(points, coins, prize, (*bids, bid), paranoid) for bid in range(coins[seat] + 1)]
    whose, sign = (0, -1.0) if paranoid and seat > 0 else (seat, 1.0)
    worst = max(min(sign * value[whose] for value in values) for values in choices)
    return [value for values in choices for value in values if sign * value[whose] >= worst]


@pytest.mark.engine
@pytest.mark.compiled
@pytest.mark.parametrize("paranoid", [False, True])
@pytest.mark.parametrize(
    ("points", "coins"),
    [
        ((0, 0), (2, 1)),
        ((2, 0), (2, 3)),
        ((1, 0, 0), (3, 2, 1)),
        ((0, 3, 2), (2, 1, 4)),
        ((2, 1, 0, 0), (2, 1, 2, 1)),
        ((1, 0, 1, 2), (1, 2, 2, 0)),
        ((1, 0, 1, 2, 0), (1, 1, 1, 1, 2)),
    ],
)
def test_each_seat_moves_for_itself_or_all_against_the_searcher(
    points: tuple[int, ...], coins: tuple[int, ...], paranoid: bool
) -> None:
    """20: vectors are backed up with 2 to 5 players: backward induction of the last auction in the open."""
    agent = mcts(f"simulations=20000,sharing=open,paranoid={paranoid}", players=len(points))
    found = look(agent, auction(points, coins, prize=2))
    action = agent.best(found)
    possible = np.array(in_the_open(points, coins, 2, (), paranoid))
    value = found.totals[action] / found.visits[action]
    assert possible[:, 0].min() - 0.05 <= value[0] <= possible[:, 0].max() + 0.05
    assert found.totals.sum(axis=1) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.engine
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "players"), player_counts())
def test_it_plays_legal_moves_only(name: str, players: int) -> None:
    """20: whole games at every table."""
    game = load(name)
    specs = ["mcts:simulations=12", "mcts:simulations=12,sharing=observer,rollout=random,c=2"]
    match = plan_match(game, players, game.resolve_options(), specs[: min(2, players)], 1, seed=4)
    games = next(play_match(match))
    assert games.decisions.sum() == sum(len(moves) for moves in games.moves)
    assert (np.abs(games.returns.sum(axis=1)) < 1e-9).all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("sharing", ["mover", "observer", "open"])
@pytest.mark.parametrize("options", ["", "prior=none,widen=1,final=value", "paranoid=true,c=3,threads=2"])
def test_each_way_of_searching_gives_legal_moves_and_the_same_for_the_same_seed(
    name: str, sharing: str, options: str
) -> None:
    _, states = random_game(load(name), 3, load(name).resolve_options(), seed=6)
    trails = []
    for _ in range(2):
        agent = mcts(f"sharing={sharing},simulations=150,{options}", name, 3)
        trail = []
        for number in range(0, len(states) - 1, 1 + len(states) // 12):
            here = states[number : number + 1].copy()
            view = View(agent.game, here, int(here[0].current), seed=number)
            trail.append(agent.act(view))
            assert trail[-1] in view.legal_actions()
        trails.append(trail)
    assert trails[0] == trails[1]


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("rollout", ["none", "random", "playout", "greedy"])
@pytest.mark.parametrize("horizon", ["game", "stage", "3"])
def test_results_of_simulations_are_within_those_of_games(name: str, rollout: str, horizon: str) -> None:
    """Whatever is at the leaf: from -1 to 1, adding up to nothing, all simulations made."""
    agent = mcts(f"rollout={rollout},horizon={horizon},simulations=60", name, 3)
    _, states = random_game(agent.game, 3, agent.game.resolve_options(), seed=2)
    found = look(agent, states[:1])
    assert found.visits.sum() == 60
    means = found.totals / np.maximum(found.visits, 1)[:, None]
    assert np.abs(means).max() <= 1
    assert np.abs(means.sum(axis=1)).max() < 1e-9
    assert np.abs(means).max() > 0


@pytest.mark.engine
def test_seed_and_threads_decide_the_search_and_nothing_else() -> None:
    states = auction((0, 0, 0), (4, 4, 4), prize=2, deck=(1, 3))

    def statistics(options: str, seed: int) -> list[Any]:
        found = look(mcts(f"simulations=101,{options}", players=3, seed=seed), states)
        return [found.visits.tolist(), found.totals.tolist(), found.squares.tolist()]

    for threads in (1, 2, 3):
        first = statistics(f"threads={threads}", seed=5)
        assert sum(first[0]) == 101
        assert statistics(f"threads={threads}", seed=5) == first
        assert statistics(f"threads={threads}", seed=6) != first


@pytest.mark.engine
def test_another_search_begins_with_an_empty_tree() -> None:
    """The same position again adds nothing up, and a smaller one is not mistaken for part of it."""
    agent = mcts("simulations=50")
    for states in (auction((0, 0), (4, 4), 2, (1, 3)), auction((0, 0), (1, 1), 1)):
        for _ in range(2):
            found = look(agent, states)
            assert found.visits.sum() == 50
            assert (found.visits > 0).sum() <= int(states[0].coins[0]) + 1


@pytest.mark.engine
def test_it_cannot_tell_what_is_hidden() -> None:
    """24 and 25: whatever the others have bid in secret, the search is the same to the last bit."""
    seen = set()
    for bids in itertools.product(range(4), repeat=2):
        states = auction((0, 1, 0), (3, 3, 3), prize=1, deck=(2, 3))
        for bid in bids:
            kernels.apply_game(states, bid)
        found = look(mcts("simulations=60", players=3), states)
        seen.add((tuple(found.visits), found.totals.tobytes()))
    assert len(seen) == 1


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_a_search_at_every_move_leaves_the_games_future_as_it_is(name: str) -> None:
    """24: the moves that were played lead through the same states when the seed is dealt again."""
    game = load(name)
    agent = mcts("simulations=20", name, 3)
    states = game.new_states(1)
    codes = game.encode_options(game.resolve_options())
    kernels.start_games(states, 3, codes, np.array([9], np.uint64))
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    history, moves = [states.tobytes()], []
    while not status[kernels.IS_OVER]:
        moves.append(agent.act(View(game, states, int(states[0].current), seed=len(moves))))
        assert states.tobytes() == history[-1]
        kernels.apply_game(states, moves[-1])
        kernels.status_of(states, status)
        history.append(states.tobytes())
    again = game.new_states(len(moves) + 1)
    kernels.play_moves(again, 3, codes, np.uint64(9), np.array(moves, np.int16))
    assert [again[number : number + 1].tobytes() for number in range(len(again))] == history


@pytest.mark.compiled
def test_simulated_worlds_hold_the_real_offers_only_by_chance() -> None:
    """25: of the worlds drawn while two offers of Amun-Re are hidden, few hold both as they are."""
    game = load("amunre")
    agent = mcts("simulations=1", "amunre", 3)
    alike = drawn = 0
    for seed in range(40):
        _, states = random_game(game, 3, game.resolve_options(), seed)
        secret = next(
            number
            for number in range(len(states))
            if (states[number].offers[:3] != 0).sum() == 2
            and states[number].phase == states[number - 1].phase
        )
        here = states[secret : secret + 1].copy()
        others = [seat for seat in range(3) if seat != int(here[0].current)]
        for _ in range(20):
            look(agent, here)
            world = agent.search.states[0][WORLD]
            if world.round_number == here[0].round_number and world.offers[others].all():
                drawn += 1
                alike += bool((world.offers[others] == here[0].offers[others]).all())
    assert drawn > 100
    assert alike < drawn / 4


@pytest.mark.compiled
def test_ten_thousand_moves_take_no_more_memory_than_some() -> None:
    agent = mcts("simulations=30", players=3)
    view = View(HIGH_BID, auction((0, 0, 0), (4, 4, 4), prize=2, deck=(1, 3)), 0, seed=1)
    for _ in range(500):
        agent.act(view)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10_000):
        agent.act(view)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB


@pytest.mark.engine
def test_a_full_tree_goes_on_with_what_it_has() -> None:
    """More simulations than there is room for: all are made, each is counted."""
    agent = mcts("simulations=40")
    states = auction((0, 0), (4, 4), 2, (1, 3))
    found = agent.search.run(states, 0, simulations=3000)
    tree = agent.search.trees[0]
    assert found.visits.sum() == 3000
    assert tree.work[0].num_nodes == len(tree.nodes) == 41


@pytest.mark.compiled
def test_time_is_kept() -> None:
    """Seconds alone: many simulations; with simulations: whichever is spent first."""
    states = auction((0, 0, 0), (4, 4, 4), prize=2, deck=(1, 3))
    assert look(mcts("seconds=0.05", players=3), states).visits.sum() > 100
    assert look(mcts("seconds=60,simulations=70", players=3), states).visits.sum() == 70


@pytest.mark.engine
def test_a_move_without_a_choice_is_made_at_once() -> None:
    agent = mcts("seconds=600")
    assert agent.act(View(HIGH_BID, auction((0, 0), (0, 4), 2), 0, seed=1)) == 0


def test_a_horizon_beyond_the_game_is_its_end() -> None:
    far = mcts(f"rollout=greedy,horizon={10**30},simulations=5", "ra", 2)
    end = mcts("rollout=greedy,horizon=game,simulations=5", "ra", 2)
    _, states = random_game(far.game, 2, far.game.resolve_options(), seed=2)
    assert look(far, states[-40:-39]).totals.tolist() == look(end, states[-40:-39]).totals.tolist()


def test_every_option_is_described() -> None:
    described = agent_options(agent_class("mcts"))
    assert all(text for text, _ in described.values())
    assert len(described) == 14


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("simulations=0", "simulations must be at least 1, not 0"),
        ("simulations=many", "simulations='many' is not of type int"),
        ("seconds=0", "seconds must be above 0, not 0"),
        ("seconds=nan", "seconds must be above 0, not nan"),
        ("c=-1", "c must be above 0, not -1"),
        ("threads=0", "threads must be at least 1, not 0"),
        ("widen=-1", "widen must be at least 0, not -1"),
        ("widen=inf", "widen must be finite, not inf"),
        ("sharing=all", "sharing cannot be 'all'; valid: mover, observer, open"),
        ("prior=flat", "prior cannot be 'flat'; valid: none, heuristic, ppo"),
        ("rollout=long", "rollout cannot be 'long'; valid: none, random, playout, greedy"),
        ("horizon=epoch", "horizon cannot be 'epoch'; valid: game, stage, a number of moves"),
        ("final=best", "final cannot be 'best'; valid: visits, value"),
        ("paranoid=very", "paranoid='very' is not true or false"),
        ("depth=2", "agent mcts has no option 'depth'; valid: simulations, seconds, "),
        ("prior=heuristic", "high_bid has no prior, which prior=heuristic needs"),
        ("rollout=greedy", "high_bid has no greedy_action, which rollout=greedy needs"),
        ("rollout=playout", "high_bid has no playout_action, which rollout=playout needs"),
        ("rollout=none", "high_bid has no evaluate, which rollout=none needs"),
        ("horizon=stage", "high_bid has no evaluate, which horizon=stage needs"),
        ("horizon=5", "high_bid has no evaluate, which horizon=5 needs"),
    ],
)
def test_a_wrong_option_names_what_is_valid(options: str, message: str) -> None:
    with pytest.raises(AgentError, match=re.escape(message)):
        make_agent(f"mcts:{options}", HIGH_BID, 2)
