"""Agents: found by name, made from specifications, deterministic given a seed, and always legal."""

import re
from typing import Any

import numpy as np
import pytest
from helpers import GAMES, player_counts, random_game
from sample_bot import SampleBot

from agents.registry import AgentError, agent_class, agent_names, agent_options, make_agent
from tabletop import kernels
from tabletop.game import BUILT_IN, GameError, load
from tabletop.view import View

pytestmark = pytest.mark.engine


def test_agents_are_found_by_their_modules_names() -> None:
    assert {"random", "greedy"} <= set(agent_names())
    assert agent_class("sample_bot") is SampleBot
    assert set(agent_options(agent_class("sample_bot"))) == {"last", "depth"}


def test_options_are_converted_by_their_types() -> None:
    bot = make_agent("sample_bot:last=true,depth=3", load("ra"), 3)
    assert isinstance(bot, SampleBot)
    assert bot.last is True
    assert bot.depth == 3


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("grady", "unknown agent 'grady'; valid: greedy, guided, mcts, playout, ppo, prior, random"),
        ("", "unknown agent ''; valid: greedy, guided, mcts, playout, ppo, prior, random"),
        ("base", "unknown agent 'base'; valid: greedy, guided, mcts, playout, ppo, prior, random"),
        ("random:depth=2", "agent random has no option 'depth'; valid: none"),
        ("sample_bot:dept=2", "agent sample_bot has no option 'dept'; valid: last, depth"),
        ("sample_bot:depth=two", "agent sample_bot: depth='two' is not of type int"),
        ("sample_bot:last=maybe", "agent sample_bot: last='maybe' is not true or false"),
        ("sample_bot:last", "agent sample_bot: 'last' is not key=value"),
        ("greedy:no_such_weight=1", "greedy has no option 'no_such_weight'; valid: weights, "),
        ("greedy:weights=missing.json", "the weights missing.json cannot be read"),
    ],
)
def test_a_wrong_specification_names_what_is_valid(spec: str, message: str) -> None:
    with pytest.raises((AgentError, GameError), match=re.escape(message)):
        make_agent(spec, load("ra"), 3)


def test_greedy_refuses_a_game_without_a_valuation() -> None:
    with pytest.raises(GameError, match="high_bid has no valuation"):
        make_agent("greedy", load("high_bid"), 3)


@pytest.mark.parametrize("content", ["{}", "[]", "{", '{"3": {}}', '{"3": 1}'])
def test_greedy_refuses_a_file_that_holds_no_weights(content: str, tmp_path: Any) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(GameError, match="holds no weights of ra for 3 players"):
        make_agent(f"greedy:weights={path}", load("ra"), 3)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_weight_can_be_changed_by_name(name: str) -> None:
    game = load(name)
    weight = game.weight_names[0]
    shipped, changed = (make_agent(spec, game, 3).policy for spec in ("greedy", f"greedy:{weight}=7.5"))
    assert shipped is not None
    assert changed is not None
    assert changed.weights[0] == 7.5
    np.testing.assert_array_equal(changed.weights[1:], shipped.weights[1:])


@pytest.mark.parametrize(("name", "players"), player_counts())
def test_compiled_agents_play_legally_and_repeat_themselves(name: str, players: int) -> None:
    """11 and 26: asked through views, in every game and at every table, twice with the same seed."""
    game = load(name)
    for spec in ("random", "greedy")[: 1 + (game.weights is not None)]:
        _, states = random_game(game, players, game.resolve_options(), seed=players)
        trails = []
        for _ in range(2):
            agent = make_agent(spec, game, players)
            agent.begin_game(0, seed=8)
            trail = []
            for number in range(0, len(states) - 1, 5):
                here = states[number : number + 1].copy()
                view = View(game, here, int(here[0].current), seed=number)
                trail.append(agent.act(view))
                assert trail[-1] in view.legal_actions()
            trails.append(trail)
        assert trails[0] == trails[1]


@pytest.mark.parametrize("name", GAMES)
def test_random_play_is_even(name: str) -> None:
    """From one position, each legal move about equally often."""
    game = load(name)
    states = game.new_states(1)
    kernels.start_games(states, 3, game.encode_options(game.resolve_options()), np.zeros(1, np.uint64))
    view = View(game, states, int(states[0].current), seed=0)
    agent = make_agent("random", game, 3)
    agent.begin_game(0, seed=1)
    draws = np.array([agent.act(view) for _ in range(900)])
    legal = view.legal_actions()
    counts = np.array([(draws == action).sum() for action in legal])
    expected = len(draws) / len(legal)
    assert counts.sum() == len(draws)
    assert ((counts - expected) ** 2 / expected).sum() < 3 * len(legal) + 15


@pytest.mark.parametrize("name", BUILT_IN)
def test_greedy_does_not_act_on_what_it_cannot_know(name: str) -> None:
    """Its move is the same in every world that fits what its seat knows."""
    game = load(name)
    bits, action = np.zeros(game.num_words, np.uint64), np.zeros(1, np.int64)
    for players in range(game.min_players, game.max_players + 1):
        weights = game.weights.tuned(players) if game.weights is not None else np.zeros(0)
        _, states = random_game(game, players, game.resolve_options(), seed=players)
        for number in range(0, len(states) - 1, 9):
            here = states[number : number + 1].copy()
            seat = int(here[0].current)
            moves = set()
            for seed in range(4):
                world = View(game, here, seat, seed).sample_state(seed)
                kernels.policy_actions(world, kernels.GREEDY, weights, np.ones(1, np.uint64), bits, action)
                moves.add(int(action[0]))
            kernels.policy_actions(here, kernels.GREEDY, weights, np.ones(1, np.uint64), bits, action)
            assert moves == {int(action[0])}
