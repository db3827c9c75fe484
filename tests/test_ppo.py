"""The ppo agent and its network: files, probabilities, legal play, and no torch."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import random_game, run_python

from agents import network
from agents.hints import Adviser, valuations
from agents.network import Network
from agents.ppo import NetworkAgent, shipped
from agents.registry import make_agent
from experiments.match import plan_match, play_match
from tabletop import description, kernels
from tabletop.game import BUILT_IN, Game, GameError, load
from tabletop.view import View


def any_network(game: Game, seed: int = 1, described: bool = True) -> Network:
    """A network with random weights."""
    rng = np.random.default_rng(seed)
    estimates = description.tuned(game) if described and description.names(game) else np.zeros((0, 0))
    told = len(description.names(game)) * 5 if estimates.size else 0

    def layer(inputs: int, outputs: int) -> tuple[network.Floats, network.Floats]:
        weight = rng.standard_normal((outputs, inputs)) / np.sqrt(inputs)
        return weight.astype(np.float32), rng.standard_normal(outputs).astype(np.float32)

    return Network(
        trunk=(layer(game.layout.size + told, 12), layer(12, 8)),
        policy=layer(8, game.num_actions),
        value=(layer(game.layout.size + told, 4), layer(4, 5)),
        mean=rng.standard_normal(told).astype(np.float32),
        scale=np.full(told, 3, np.float32),
        estimates=estimates,
        valuations=valuations(game) if estimates.size else np.zeros((0, 0)),
        sharpness=np.array([1, 0.5], np.float32),
        settle=1,
        worlds=2,
    )


def saved(game: Game, folder: Path, facts: Mapping[str, object] | None = None) -> Path:
    network.save(any_network(game), game, folder / "ppo", facts or {})
    return folder


@pytest.mark.parametrize("name", [*BUILT_IN, "high_bid"])
def test_a_network_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    game = load(name)
    found = network.load(game, saved(game, tmp_path) / "ppo")
    for key, tensor in any_network(game).tensors().items():
        np.testing.assert_array_equal(found.tensors()[key], tensor.astype(np.float32))


def test_files_are_safetensors_as_others_write_and_read_them(tmp_path: Path) -> None:
    """The format: a little-endian length, a JSON header of that length, then the tensors' bytes."""
    path = tmp_path / "a.safetensors"
    header = b'{"__metadata__":{"made":"elsewhere"},"a":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + np.array([1.5, -2], "<f2").tobytes())
    np.testing.assert_array_equal(network.read_safetensors(path)["a"], np.array([[1.5], [-2]], np.float32))
    network.write_safetensors(path, {"b": np.arange(3, dtype=np.float32)})
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    assert json.loads(content[8 : 8 + size]) == {"b": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}
    assert (8 + size) % 8 == 0


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 8, b"\x02" + b"\0" * 7 + b"{}", b"\x02" + b"\0" * 7 + b"[]"]
)
def test_a_broken_file_is_refused(content: bytes, tmp_path: Path) -> None:
    game = load("high_bid")
    saved(game, tmp_path)
    (tmp_path / "ppo.safetensors").write_bytes(content)
    with pytest.raises(GameError, match="holds no network"):
        network.load(game, tmp_path / "ppo")


def test_a_network_of_another_game_or_nowhere_is_refused(tmp_path: Path) -> None:
    saved(load("ra"), tmp_path)
    with pytest.raises(GameError, match="is a network for game ra, but amunre has amunre"):
        make_agent(f"ppo:path={tmp_path}", load("amunre"), 3)
    with pytest.raises(GameError, match=r"no network at .*missing"):
        make_agent(f"ppo:path={tmp_path}/missing", load("ra"), 3)
    with pytest.raises(GameError, match="high_bid comes with no network"):
        make_agent("ppo", load("high_bid"), 3)
    with pytest.raises(GameError, match="a temperature is more than 0"):
        make_agent(f"ppo:path={tmp_path},temperature=0", load("ra"), 3)
    with pytest.raises(GameError, match="worlds is at least 1, not 0"):
        make_agent(f"ppo:path={tmp_path},worlds=0", load("ra"), 3)
    with pytest.raises(GameError, match="settle is at least -1, not -2"):
        make_agent(f"ppo:path={tmp_path},settle=-2", load("ra"), 3)
    deeper = make_agent(f"ppo:path={tmp_path},settle=4,worlds=3", load("ra"), 3)
    assert isinstance(deeper, NetworkAgent)
    assert (deeper.network.settle, deeper.network.worlds) == (4, 3)


def test_the_value_is_between_the_last_and_the_first_place() -> None:
    game = load("high_bid")
    inputs = np.random.default_rng(1).standard_normal((50, game.layout.size)).astype(np.float32)
    values = any_network(game).values(inputs)
    assert values.shape == (50, 5)
    assert (np.abs(values) <= 1).all()
    with pytest.raises(ValueError, match="no value"):
        replace(any_network(game), value=()).values(inputs)


def test_moves_are_drawn_as_often_as_the_policy_says() -> None:
    game = load("high_bid")
    net, number = any_network(game), 20_000
    agent = NetworkAgent(game, 3, net, temperature=0.7)
    inputs = np.tile(np.linspace(0, 1, game.layout.size, dtype=np.float32), (number, 1))
    masks = np.ones((number, game.num_actions), np.int8)
    masks[:, 1] = 0
    seeds = np.random.default_rng(1).integers(0, 2**64, number, dtype=np.uint64)
    counts = np.bincount(agent.act_batch(inputs, masks, seeds), minlength=game.num_actions)
    logits = net.logits(inputs[:1])[0].astype(np.float64) / 0.7
    weights = np.where(masks[0] != 0, np.exp(logits), 0)
    np.testing.assert_allclose(counts / number, weights / weights.sum(), atol=0.015)
    best = NetworkAgent(game, 3, net, greedy=True).act_batch(inputs[:5], masks[:5], seeds[:5])
    assert (best == weights.argmax()).all()


def test_one_decision_is_taken_as_it_is_in_a_batch() -> None:
    game = load("high_bid")
    _, states = random_game(game, 3, game.resolve_options(), 4)
    view = View(game, states[2:3], int(states[2].current), 1)
    agent = NetworkAgent(game, 3, any_network(game), greedy=True)
    agent.begin_game(0, 7)
    alone = agent.act(view)
    together = agent.act_batch(
        np.tile(view.observation(), (3, 1)), np.tile(view.action_mask(), (3, 1)), np.zeros(3, np.uint64)
    )
    assert together.tolist() == [alone] * 3


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_description_tells_nothing_of_what_the_player_cannot_know(name: str) -> None:
    """Two games that differ only in what is hidden from a player are described alike, on average."""
    game = load(name)
    options = game.resolve_options(list(game.presets)[-1])
    _, states = random_game(game, 3, options, 9)
    tell = Adviser(game, any_network(game))
    rows = np.zeros(300, np.int64)
    seeds = np.random.default_rng(1).integers(0, 2**64, 300, dtype=np.uint64)
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    different = 0
    for turn in range(0, len(states) - 1, len(states) // 8):
        kernels.status_of(states[turn : turn + 1], status)
        player = int(status[kernels.PLAYER])
        view = View(game, states[turn : turn + 1], player, 1)
        worlds = [view.sample_state(seed) for seed in (1, 2)]
        different += worlds[0].tobytes() != worlds[1].tobytes()
        one, two = (tell(world, rows, np.full(300, player), seeds) for world in worlds)
        spread = np.sqrt((one.var(axis=0) + two.var(axis=0)) / 300)
        assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) <= 5.5 * spread + 1e-5).all()
    assert different > 3


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_no_move_is_illegal_in_many_games(name: str, players: int, tmp_path: Path) -> None:
    """11: every move of a match is checked; freely drawn moves reach what good play does not."""
    game = load(name)
    if players < game.min_players:
        return
    specs = [f"ppo:path={saved(game, tmp_path)},temperature=100", *["random"] * (players - 1)]
    for rules in game.presets:
        match = plan_match(game, players, game.resolve_options(rules), specs, 200, 1)
        played = list(play_match(match))
        assert sum(len(part.moves) for part in played) >= 200
        assert sum(part.decisions[0] for part in played) > 200 * 5


@pytest.mark.compiled
def test_a_match_of_batched_agents_is_the_same_however_it_is_divided(tmp_path: Path) -> None:
    """33: results do not depend on workers; and a replay of the moves gives the same scores."""
    game = load("ra")
    specs = [f"ppo:path={saved(game, tmp_path)}", "greedy", "random"]
    match = plan_match(game, 3, game.resolve_options(), specs, 12, 5)
    tables = [list(play_match(match, workers, deals_per_chunk=2)) for workers in (1, 2)]
    for one, two in zip(*tables, strict=True):
        np.testing.assert_array_equal(one.scores, two.scores)
        for left, right in zip(one.moves, two.moves, strict=True):
            np.testing.assert_array_equal(left, right)


NO_TORCH = """
import sys
for gone in ("torch", "stable_baselines3", "sb3_contrib", "safetensors"):
    sys.modules[gone] = None
from experiments.match import plan_match, play_match
from experiments.standings import standings
from tabletop.game import load
game, spec = load(sys.argv[1]), sys.argv[2]
match = plan_match(game, 3, game.resolve_options(), [spec, "random", "random"], 60, 1)
table = standings(match.specs, list(play_match(match)), [0.0] * 2)
print(next(row.win_share for row in table if row.agent == spec))
"""


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_network_plays_without_torch(name: str, tmp_path: Path) -> None:
    """A sharp hint and no corrections play the prior's best moves: far better than random."""
    game = load(name)
    net = any_network(game)
    nothing = (np.zeros_like(net.policy[0]), np.zeros_like(net.policy[1]))
    network.save(
        replace(net, policy=nothing, sharpness=np.array([8, 0], np.float32)), game, tmp_path / "ppo", {}
    )
    assert float(run_python(NO_TORCH, name, f"ppo:path={tmp_path}")) > 0.85


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_shipped_network_is_small_finished_and_good(name: str) -> None:
    """17, 19: below 5 MB, loaded without torch, with a value, far better than random."""
    game = load(name)
    try:
        stem = shipped(game)
    except GameError:
        pytest.skip(f"{name} comes with no network")
    assert stem.with_suffix(".safetensors").stat().st_size < 5_000_000
    assert network.load(game, stem).value
    assert float(run_python(NO_TORCH, name, "ppo")) > 0.85
