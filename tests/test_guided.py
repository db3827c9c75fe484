"""Search by a network: its pass is the network's, no secret leaks into it, every game and option is played."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from helpers import GAMES, random_game
from test_ppo import any_network

from agents import network, network_kernels, search
from agents.hint_kernels import look_ahead
from agents.hints import packed
from agents.mcts import MctsAgent, RootStatistics
from agents.network import Network
from agents.registry import AgentError, agent_class, agent_options, make_agent
from agents.tree import Settings, Tree
from experiments.match import plan_match, play_match
from tabletop import description, kernels
from tabletop.description_kernels import describe_seats, hint_moves
from tabletop.game import BUILT_IN, Game, load
from tabletop.kinds import States
from tabletop.view import View

HIGH_BID = load("high_bid")


def bare(game: Game) -> Network:
    """A network of three layers that is neither described nor hinted."""
    rng = np.random.default_rng(2)
    net = any_network(game, described=False)
    extra = rng.standard_normal((8, 8)).astype(np.float32), rng.standard_normal(8).astype(np.float32)
    return replace(net, trunk=(*net.trunk, extra))


def told_only(game: Game) -> Network:
    """A network that is described but not hinted."""
    return replace(any_network(game), valuations=np.zeros((0, 0)))


KINDS = {"any": any_network, "bare": bare, "told only": told_only}


def saved(game: Game, folder: Path, kind: str = "any") -> Path:
    network.save(KINDS[kind](game), game, folder / "ppo", {})
    return folder


def guided(folder: Path, options: str = "", name: str = "high_bid", players: int = 3) -> MctsAgent:
    agent = make_agent(f"guided:network={folder},{options}", load(name), players)
    assert isinstance(agent, MctsAgent)
    agent.begin_game(0, 1)
    return agent


def look(agent: MctsAgent, states: States, seed: int = 3) -> RootStatistics:
    return agent.look(View(agent.game, states, int(states[0].current), seed=seed))


SETTINGS = Settings(
    sharing=search.OPEN,
    exploration=1.0,
    use_prior=True,
    network_prior=True,
    network_value=True,
    blend=0.0,
    widening=0.0,
    rollout=search.NO_ROLLOUT,
    horizon=search.GAME_END,
    paranoid=False,
)


def look_at(
    world: States, game: Game, net: Network, mask: npt.NDArray[np.int8], bits: npt.NDArray[np.uint64]
) -> network.Floats:
    """What a network sees of a world as it is, float32[1, num_inputs]; nothing is drawn anew.

    The legal actions are written to `mask`, int8[1, num_actions], and to `bits`.
    """
    mover, players = int(world[0].current), int(world[0].num_players)
    seen = np.zeros(game.layout.size, np.float32)
    kernels.look(world, mover, seen, mask[0], bits)
    parts = [seen]
    if net.described:
        told = np.zeros(len(net.mean), np.float32)
        table = np.zeros((5, len(description.names(game)) - 1))
        describe_seats(world[0], mover, net.estimates[players], table, np.zeros(5), told)
        parts.append(told)
    if net.hinted:
        hints = np.zeros(game.num_actions)
        hint_moves(world[0], net.valuations[players], hints)
        kernel = packed(game, net)
        look_ahead(np.concatenate([world, world, world]), hints, 1, np.uint64(0), kernel)
        parts += [hints.astype(np.float32), kernel.expected.astype(np.float32)]
    return np.concatenate(parts)[None]


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_compiled_pass_is_that_of_the_network(name: str, kind: str) -> None:
    """In a world as it is: how likely each legal action is, and values of all seats from the mover on."""
    game = load(name)
    net = KINDS[kind](game)
    for players in (game.min_players, game.max_players):
        tree = Tree(game, players, SETTINGS, 2, net)
        work = tree.work[0]
        assert tree.net is not None
        _, states = random_game(game, players, game.resolve_options(), seed=4)
        for turn in range(0, len(states) - 1, 1 + len(states) // 15):
            world = states[turn : turn + 1].copy()
            mover = int(world[0].current)
            mask = np.zeros((1, game.num_actions), np.int8)
            inputs = look_at(world, game, net, mask, work.bits)
            logits, values = net.logits(inputs), net.values(inputs)
            network_kernels.see(world[0], tree.net)
            search.write_result(world[0], work, tree.net)
            search.write_policy(world[0], 1, np.uint64(0), work, tree.net)
            policy = np.where(mask[0] != 0, work.policy, 0)
            np.testing.assert_allclose(policy, network.probabilities(logits, mask)[0], rtol=1e-4, atol=1e-6)
            seats = (mover + np.arange(players)) % players
            np.testing.assert_allclose(work.result[seats], values[0, :players], rtol=1e-4, atol=1e-5)
            assert not work.result[players:].any()


@pytest.mark.engine
def test_a_layer_is_a_product_of_matrices() -> None:
    """Any number of inputs that are not 0: they are added in fours, and the rest."""
    rng = np.random.default_rng(1)
    for used in range(10):
        weight = rng.standard_normal((5, 9)).astype(np.float32)
        bias = rng.standard_normal(5).astype(np.float32)
        scratch = np.full((3, 9), 7, np.float32)
        scratch[0] = 0
        scratch[0, rng.permutation(9)[:used]] = rng.standard_normal(used)
        weights = np.concatenate([[9], bias, weight.T.ravel()]).astype(np.float32)
        layers = np.array([[9, 5, 1]], np.int64)
        network_kernels.apply_layer(layers, weights, scratch, np.zeros(9, np.int64), 0, 0, 1)
        np.testing.assert_allclose(scratch[1, :5], weight @ scratch[0] + bias, rtol=1e-5, atol=1e-5)
        assert (scratch[1, 5:] == 7).all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_plays_legal_moves_only_and_the_same_for_the_same_seed(
    name: str, kind: str, tmp_path: Path
) -> None:
    game = load(name)
    specs = [f"guided:network={saved(game, tmp_path, kind)},simulations=15", "random", "random"]
    match = plan_match(game, 3, game.resolve_options(), specs, 1, seed=4)
    one, two = (next(play_match(match)) for _ in range(2))
    assert one.decisions.sum() == sum(len(moves) for moves in one.moves)
    for left, right in zip(one.moves, two.moves, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(
    "options",
    [
        "value=estimate",
        "prior=none",
        "prior=heuristic,blend=0.5",
        "rollout=greedy,blend=1",
        "rollout=random,horizon=3,sharing=observer",
        "sharing=open,widen=1,paranoid=true,threads=2,final=value",
    ],
)
def test_all_simulations_are_made_however_the_network_is_asked(
    name: str, options: str, tmp_path: Path
) -> None:
    game = load(name)
    agent = guided(saved(game, tmp_path), f"simulations=100,{options}", name)
    _, states = random_game(game, 3, game.resolve_options(), seed=2)
    for turn in (0, len(states) // 2):
        if len(View(game, states[turn : turn + 1], int(states[turn].current), 1).legal_actions()) > 1:
            found = look(agent, states[turn : turn + 1])
            assert found.visits.sum() == 100
            assert np.abs(found.totals).max() <= 100
            assert (found.visits[found.priors == 0] == 0).all()
            assert found.priors.sum() == pytest.approx(1) or "prior=none" in options


@pytest.mark.engine
def test_a_leaf_is_given_its_edges_by_the_pass_that_judges_it(tmp_path: Path) -> None:
    """So every node has edges, and the root's priors are the network's."""
    agent = guided(saved(HIGH_BID, tmp_path), "simulations=30")
    _, states = random_game(HIGH_BID, 3, HIGH_BID.resolve_options(), seed=2)
    found = look(agent, states[:1])
    tree = agent.search.trees[0]
    assert tree.work[0].num_nodes > 5
    assert (tree.nodes["first"][: int(tree.work[0].num_nodes)] != search.NO_EDGE).all()
    view = View(HIGH_BID, states[:1], int(states[0].current), seed=3)
    logits = any_network(HIGH_BID).logits(view.observation()[None])
    expected = network.probabilities(logits, view.action_mask()[None])[0]
    np.testing.assert_allclose(found.priors, expected, rtol=1e-4, atol=1e-6)


def indistinguishable(name: str) -> list[tuple[int, States, States]]:
    """Pairs of different worlds that look alike to the player who moves, with that player."""
    game = load(name)
    _, states = random_game(game, 3, game.resolve_options(), seed=9)
    pairs = []
    for turn in range(0, len(states) - 1, 1 + len(states) // 8):
        player = int(states[turn].current)
        real = View(game, states[turn : turn + 1], player, seed=1)
        one, two = (real.sample_state(seed) for seed in (1, 2))
        if len(real.legal_actions()) > 1 and one.tobytes() != two.tobytes():
            pairs.append((player, one, two))
    assert len(pairs) > 2
    return pairs


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ra", "high_bid"])
def test_it_cannot_tell_what_is_hidden(name: str, tmp_path: Path) -> None:
    """24 and 25: worlds that look alike to the searcher are searched alike to the last bit."""
    agent = guided(saved(load(name), tmp_path), "simulations=40", name)
    for player, *worlds in indistinguishable(name):
        seen = set()
        for world in worlds:
            agent.begin_game(player, 5)
            before = world.tobytes()
            found = look(agent, world)
            assert world.tobytes() == before
            seen.add((tuple(found.visits), found.totals.tobytes(), found.priors.tobytes()))
        assert len(seen) == 1


@pytest.mark.compiled
def test_it_cannot_tell_what_is_hidden_in_amunre(tmp_path: Path) -> None:
    """Worlds are drawn by exchanges from the one at hand, so alike on average, not seed by seed."""
    agent = guided(saved(load("amunre"), tmp_path), "simulations=25", "amunre")
    for player, *worlds in indistinguishable("amunre"):
        agent.begin_game(player, 5)
        one, two = (
            np.array([np.append(found.priors, found.visits) for found in searches])
            for searches in ([look(agent, world, seed) for seed in range(100)] for world in worlds)
        )
        spread = np.sqrt((one.var(axis=0) + two.var(axis=0)) / 100)
        assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) <= 5.5 * spread + 1e-6).all()


def test_options_pass_through_and_are_described() -> None:
    options = agent_options(agent_class("guided"))
    assert options.keys() == agent_options(agent_class("mcts")).keys()
    assert all(text for text, _ in options.values())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("guided", "agent guided: high_bid comes with no network; name one of your own: network=DIR"),
        ("mcts:prior=ppo", "agent mcts: high_bid comes with no network; name one of your own: network=DIR"),
        ("mcts:network=DIR", "agent mcts: network is for prior=ppo or value=ppo; neither is given"),
        ("mcts:value=best", "agent mcts: value cannot be 'best'; valid: estimate, ppo"),
        ("mcts:blend=0.5", "agent mcts: blend is part of value=ppo"),
        ("guided:network=missing", "agent guided: no network at missing"),
        ("guided:network=DIR,blend=2", "agent guided: blend must be from 0 to 1, not 2"),
        ("guided:network=DIR,blend=0.5", "agent guided: high_bid has no evaluate, which blend=0.5 needs"),
        ("guided:network=DIR,c=0", "agent guided: c must be above 0, not 0"),
        ("guided:depth=1", "agent guided has no option 'depth'; valid: simulations, "),
    ],
)
def test_a_wrong_option_names_what_is_valid(spec: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=re.escape(message)):
        make_agent(spec.replace("DIR", str(saved(HIGH_BID, tmp_path))) if "," in spec else spec, HIGH_BID, 2)


def test_an_unfinished_network_gives_a_prior_but_no_value(tmp_path: Path) -> None:
    network.save(replace(any_network(HIGH_BID), value=()), HIGH_BID, tmp_path / "ppo", {})
    with pytest.raises(AgentError, match=r"has no value, which value=ppo needs: .* before the end"):
        guided(tmp_path)
    assert guided(tmp_path, "value=estimate,rollout=random,simulations=20").uses_prior


def test_a_network_of_another_game_is_refused(tmp_path: Path) -> None:
    saved(HIGH_BID, tmp_path)
    with pytest.raises(AgentError, match="is a network for game high_bid, but ra has ra"):
        guided(tmp_path, "", "ra")
