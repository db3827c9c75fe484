"""Training: the real command at tiny size, stopped and gone on with; what it learns from and plays with."""

import json
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import run_python

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from agents import network  # noqa: E402
from agents.ppo import NetworkAgent  # noqa: E402
from agents.registry import AgentError, make_agent  # noqa: E402
from agents.seats import SELF, SeatGames  # noqa: E402
from agents.selfplay import SelfPlayGames  # noqa: E402
from experiments import trainer as training  # noqa: E402
from experiments.curve import draw, write_table  # noqa: E402
from experiments.errors import UsageError  # noqa: E402
from experiments.learner import SeatBuffer, SelfPlayVecEnv  # noqa: E402
from experiments.onnx_export import write_onnx  # noqa: E402
from experiments.train import TrainOptions, complete, run  # noqa: E402
from experiments.trainer import Trainer  # noqa: E402
from tabletop.batch_kernels import LEARNER  # noqa: E402
from tabletop.game import GameError, load  # noqa: E402

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:You provided an OpenAI Gym"),
]

TINY = TrainOptions(
    game="high_bid",
    opponents=("self=0.5", "pool=0.3", "random=0.2"),
    steps=512,
    games=8,
    horizon=16,
    hidden=(16,),
    batch=64,
    compared=10,
    threshold=0.0,
    evaluate_every=256,
    evaluate_games=6,
    checkpoint_every=128,
    calibrate=200,
)
TINY_RA = replace(
    TINY,
    game="ra",
    opponents=("self=0.1", "pool=0.8", "greedy=0.1"),
    players=(2, 3),
    imitate=256,
    steps=1024,
    evaluate_every=512,
    games=8,
    horizon=32,
    compared=1,
    value_games=20,
    value_hidden=(8,),
    worlds=2,
    settle=1,
)


def trained(folder: Path, options: TrainOptions = TINY) -> Path:
    run(replace(options, out=str(folder)))
    return folder


def new_trainer(folder: Path, options: TrainOptions = TINY_RA) -> Trainer:
    (folder / "pool").mkdir(parents=True)
    return Trainer(complete(options), folder)


def stop_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Let the run be interrupted after so many decisions."""
    on_step = training.RunCallback._on_step

    def counting(self: training.RunCallback) -> bool:
        if self.num_timesteps > steps:
            raise KeyboardInterrupt
        return on_step(self)

    monkeypatch.setattr(training.RunCallback, "_on_step", counting)


def test_a_run_leaves_a_network_a_curve_a_pool_and_its_options(tmp_path: Path) -> None:
    folder = trained(tmp_path / "run", TINY_RA)
    assert json.loads((folder / "options.json").read_text())["players"] == [2, 3]
    curve = [json.loads(line) for line in (folder / "evaluation.jsonl").read_text().splitlines()]
    assert [point["steps"] for point in curve] == [0, 512, 1024]
    assert set(curve[-1]) >= {"random", "greedy"}
    assert len(list((folder / "pool").glob("*.safetensors"))) > 1
    assert list((folder / "tensorboard").iterdir())
    agent = make_agent(f"ppo:path={folder}", load("ra"), 3)
    assert isinstance(agent, NetworkAgent)
    assert agent.network.value


@pytest.mark.parametrize("options", [TINY, TINY_RA], ids=["high_bid", "ra"])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(
    options: TrainOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = trained(tmp_path / "whole", options)
    with monkeypatch.context() as patch:
        stop_after(patch, options.steps * 3 // 4)
        with pytest.raises(KeyboardInterrupt):
            trained(tmp_path / "stopped", options)
    stopped = tmp_path / "stopped"
    assert json.loads((stopped / "ppo.json").read_text())["steps"] == options.steps * 3 // 4
    run(TrainOptions(resume=str(stopped)))
    for name in ("ppo.safetensors", "pool/0001.safetensors"):
        assert (whole / name).read_bytes() == (stopped / name).read_bytes()
    played = [(folder / "evaluation.jsonl").read_text() for folder in (whole, stopped)]
    assert played[0] == played[1]


def test_the_same_seed_trains_the_same_network_and_another_seed_another(tmp_path: Path) -> None:
    short = replace(TINY, steps=128)
    folders = [
        trained(tmp_path / str(number), replace(short, seed=seed)) for number, seed in enumerate((1, 1, 2))
    ]
    weights = [(folder / "ppo.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1] != weights[2]


def test_an_exploiter_meets_nobody_but_the_agent_it_is_trained_against(tmp_path: Path) -> None:
    """16: a frozen opponent's weights do not change."""
    first = trained(tmp_path / "first", replace(TINY, steps=128))
    before = (first / "ppo.safetensors").read_bytes()
    fixed = replace(TINY, opponents=(f"fixed:ppo:path={first}",), players=(3,), steps=128)
    trainer = new_trainer(tmp_path / "second", fixed)
    trainer.train()
    assert (trainer.games.table.seating[:, :3] == LEARNER).sum(axis=1).tolist() == [1] * 8
    assert (first / "ppo.safetensors").read_bytes() == before


def test_rates_do_not_fall_below_their_ends_when_the_last_rollout_is_longer_than_the_run(
    tmp_path: Path,
) -> None:
    trainer = new_trainer(tmp_path, replace(TINY, steps=1))
    trainer.train()
    assert trainer.policy.optimizer.param_groups[0]["lr"] == pytest.approx(trainer.options.learning_rate_end)
    net = trainer.current()
    assert np.abs(net.policy[0]).max() < 10


def test_an_illegal_move_of_a_policy_that_diverged_is_an_error(tmp_path: Path) -> None:
    trainer = new_trainer(tmp_path)
    env = SelfPlayVecEnv(trainer.games)
    with pytest.raises(ValueError, match="has diverged"):
        env.step_async(trainer.games.batch.masks.argmin(axis=1))


def test_snapshots_stay_as_they_were_while_the_learner_changes(tmp_path: Path) -> None:
    trainer = new_trainer(tmp_path)
    assert trainer.pool.newest is not None
    frozen = trainer.pool.newest.network.policy[0].copy()
    trainer.pool.options = replace(trainer.options, compared=10**9)
    trainer.train()
    np.testing.assert_array_equal(trainer.pool.newest.network.policy[0], frozen)
    assert not np.array_equal(trainer.current().policy[0], frozen)


def test_every_seat_of_the_learner_is_paid_its_own_result_losses_included(tmp_path: Path) -> None:
    """14: the sum of what a seat is paid is its return; with shaping it is that less what it hoped for."""
    game = load("ra")
    for shaped in (False, True):
        games = SelfPlayGames(
            game, 6, (2, 4), {SELF: 0.7, "greedy": 0.3}, {"placement": 1.0}, describer(), shaped
        )
        games.deal(5)
        first, sums, ended = games.hopes.copy(), np.zeros((6, 4)), 0
        rng = np.random.default_rng(1)
        for _ in range(400):
            games.step((games.batch.masks * rng.random(games.batch.masks.shape)).argmax(axis=1))
            sums += games.paid
            for row in np.flatnonzero(games.batch.done):
                count = games.batch.counts[row]
                owed = games.batch.returns[row, :count] - first[row, :count] * shaped
                np.testing.assert_allclose(sums[row, :count], owed, atol=1e-4)
                assert owed.min() < 0
                ended += 1
                sums[row], first[row] = 0, games.hopes[row]
        assert ended > 10


def describer() -> Any:
    from tabletop import description  # noqa: PLC0415

    game = load("ra")
    return description.Describer(game, description.tuned(game))


def test_what_follows_a_decision_is_the_next_one_of_the_same_seat() -> None:
    """Advantages against those that a plain loop over every seat's own decisions gives."""
    rng = np.random.default_rng(3)
    games = SelfPlayGames(load("high_bid"), 4, (2, 3), {SELF: 1.0}, {"placement": 1.0})
    games.deal(1)
    env = SelfPlayVecEnv(games)
    steps, gamma, trace = 30, 0.9, 0.8
    buffer = SeatBuffer(
        steps, env.observation_space, env.action_space, "cpu", trace, gamma, 4, games=games, seed=1
    )
    buffer.reset()
    for _ in range(steps):
        masks = games.batch.masks.astype(bool)
        actions = (masks * rng.random(masks.shape)).argmax(axis=1)
        values = torch.from_numpy(rng.standard_normal((4, 1)).astype(np.float32))
        inputs = games.inputs.copy()
        games.step(actions)
        buffer.add(inputs, actions[:, None], None, None, values, torch.zeros(4), action_masks=masks)
    last = torch.from_numpy(rng.standard_normal((4, 1)).astype(np.float32))
    buffer.compute_returns_and_advantage(last, np.zeros(4))
    assert buffer.ended.any()
    for row in range(4):
        for seat in range(games.batch.counts[row]):
            expected = plain_advantages(buffer, row, seat, float(last[row, 0]), gamma, trace)
            for step, advantage in expected.items():
                assert buffer.advantages[step, row] == pytest.approx(advantage, abs=1e-5)


def plain_advantages(
    buffer: SeatBuffer, row: int, seat: int, last: float, gamma: float, trace: float
) -> dict[int, float]:
    """Return the advantage of each of a seat's decisions in a row, by its step."""
    own = [step for step in range(buffer.buffer_size) if buffer.movers[step, row] == seat]
    found: dict[int, float] = {}
    for step in reversed(own):
        gained, follower, over = 0.0, None, False
        for later in range(step, buffer.buffer_size):
            if later > step and buffer.movers[later, row] == seat:
                follower = later
                break
            gained += float(buffer.paid[later, row, seat])
            if buffer.ended[later, row]:
                over = True
                break
        value = float(buffer.values[step, row])
        if over:
            found[step] = gained - value
        elif follower is not None:
            surprise = gained + gamma * float(buffer.values[follower, row]) - value
            found[step] = surprise + gamma * trace * found[follower]
        elif buffer.games.batch.players[row] == seat:
            found[step] = gained + gamma * last - value
        else:
            found[step] = 0.0
    return found


def test_the_agent_plays_with_the_probabilities_of_the_policy_that_was_trained(tmp_path: Path) -> None:
    """19: save, load, same action distribution, also as sb3-contrib itself computes it."""
    trainer = new_trainer(tmp_path)
    trainer.train()
    inputs, masks = trainer.games.inputs.copy(), trainer.games.batch.masks.astype(bool)
    with torch.no_grad():
        wanted = trainer.policy.get_distribution(torch.from_numpy(inputs), action_masks=masks)
    net = network.load(trainer.game, tmp_path / "ppo")
    found = network.probabilities(net.logits(inputs), masks)
    np.testing.assert_allclose(found, wanted.distribution.probs.numpy(), atol=1e-5)
    assert (found[~masks] == 0).all()


def test_actions_and_log_probabilities_are_those_of_sb3_contrib(tmp_path: Path) -> None:
    trainer = new_trainer(tmp_path)
    inputs = torch.from_numpy(trainer.games.inputs.copy())
    masks = trainer.games.batch.masks.astype(bool)
    with torch.no_grad():
        actions, _, shares = trainer.policy(inputs, action_masks=masks)
        _, again, entropy = trainer.policy.evaluate_actions(inputs, actions, torch.from_numpy(masks))
        theirs = trainer.policy.get_distribution(inputs, action_masks=masks)
    assert masks[np.arange(len(masks)), actions.numpy()].all()
    for found in (shares, again):
        np.testing.assert_allclose(found.numpy(), theirs.log_prob(actions).numpy(), atol=1e-5)
    assert entropy is not None
    np.testing.assert_allclose(entropy.numpy(), theirs.entropy().numpy(), atol=1e-5)


def test_a_run_begins_with_the_policy_it_is_given(tmp_path: Path) -> None:
    first = new_trainer(tmp_path / "1", replace(TINY_RA, hidden=(24,), imitate=0))
    wanted = first.current()
    network.save(wanted, first.game, tmp_path / "1" / "ppo", {})
    found = new_trainer(
        tmp_path / "2", replace(TINY_RA, seed=2, imitate=0, start=str(tmp_path / "1"), value_games=None)
    ).current()
    for name, tensor in wanted.tensors().items():
        np.testing.assert_array_equal(found.tensors()[name].astype(np.float32), tensor.astype(np.float32))


def test_imitation_foretells_greedy_better_than_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_trainer(tmp_path, replace(TINY_RA, imitate=6000, hidden=(32,), games=32, learning_rate=3e-3))
    told = capsys.readouterr().err
    assert float(told.split()[-1]) > 0.4


def test_a_teacher_that_searches_is_followed_in_all_it_found_out(tmp_path: Path) -> None:
    """The network learns shares of visits, not only the move that was played."""
    trainer = new_trainer(tmp_path, replace(TINY, players=(2,), games=4, horizon=8, batch=8))
    buffer = trainer.model.rollout_buffer
    assert isinstance(buffer, SeatBuffer)
    teacher = make_agent("mcts:simulations=20", trainer.game, 2)
    teacher.begin_game(0, 1)
    targets = trainer._watch(trainer.games, buffer, {2: teacher})
    masks = buffer.action_masks.reshape(targets.shape)
    np.testing.assert_allclose(targets.sum(axis=1), 1, rtol=1e-5)
    assert not targets[~masks].any()
    assert ((targets > 0).sum(axis=1) > 1).any()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'; valid: ra, amunre"),
        ({"preset": "huge"}, "unknown preset 'huge'; valid: default, quick"),
        ({"players": (9,)}, "high_bid is for 2 to 5 players, not 9"),
        ({"opponents": ("greedy",)}, "opponent 'greedy' is neither SPEC=WEIGHT"),
        ({"opponents": ("random=-1",)}, "opponent 'random=-1' is neither SPEC=WEIGHT"),
        ({"opponents": ("random=0",)}, "opponents need weights of which one is positive"),
        ({"opponents": ("grady=1",)}, "unknown agent 'grady'"),
        ({"opponents": ("fixed:grady",)}, "unknown agent 'grady'"),
        ({"steps": -1}, "--steps must be at least 1, not -1"),
        ({"gamma": 1.5}, "--gamma must be from 0 to 1, not 1.5"),
        ({"settle": -2}, "--settle must be a number of moves, or -1, not -2"),
        ({"worlds": 0}, "--worlds must be at least 1, not 0"),
        ({"hidden": (0,)}, "--hidden must be sizes of layers"),
        ({"value_hidden": (0,)}, "--value-hidden must be sizes of layers"),
        ({"value_games": -1}, "--value-games must be 0 or more, not -1"),
        ({"value_games": 10}, "--value-games needs .* a game with an estimate and a prior"),
        ({"placement": 0.0, "score": 0.0}, "a reward is needed"),
        ({"rules": "chess"}, "has no rules 'chess'"),
        ({"games": 1, "horizon": 65}, "a batch of one decision"),
        ({"shaping": True}, "--shaping needs"),
        ({"imitate": 10}, "high_bid has no valuation"),
    ],
)
def test_a_wrong_option_says_what_is_valid(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises((UsageError, GameError, AgentError), match=message):
        run(replace(TINY, out=str(tmp_path / "run"), **changed))
    assert not (tmp_path / "run").exists()


def test_a_run_is_neither_overwritten_nor_made_up(tmp_path: Path) -> None:
    (tmp_path / "options.json").write_text("{}")
    with pytest.raises(UsageError, match="holds a run already"):
        trained(tmp_path)
    with pytest.raises(UsageError, match="is of another version"):
        run(TrainOptions(resume=str(tmp_path)))
    with pytest.raises(UsageError, match="holds no run"):
        run(TrainOptions(resume=str(tmp_path / "missing")))


def test_the_learner_is_no_opponent_where_only_one_seat_learns() -> None:
    with pytest.raises(GameError, match="'self' is no opponent here"):
        SeatGames("high_bid", 1, 3, SELF)


def test_training_without_torch_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['torch'] = None; sys.modules['stable_baselines3'] = None\n"
        "from experiments.train import TrainOptions, run\n"
        "try: run(TrainOptions(game='high_bid', opponents=('random=1',), out=sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    told = run_python(program, str(tmp_path / "run"))
    assert told.startswith("UsageError training needs the package")
    assert "nile-games[train]" in told


def test_without_descriptions_or_hints_a_network_sees_the_observation_alone(tmp_path: Path) -> None:
    game = load("ra")
    plain = new_trainer(tmp_path / "plain", replace(TINY_RA, describe=False, imitate=0, value_games=0))
    assert plain.games.inputs.shape[1] == game.layout.size
    described = new_trainer(tmp_path / "described", replace(TINY_RA, hint=False, imitate=0, value_games=0))
    hinted = new_trainer(tmp_path / "hinted", replace(TINY_RA, imitate=0))
    assert hinted.games.inputs.shape[1] - described.games.inputs.shape[1] == 2 * game.num_actions
    for trainer in (plain, described, hinted):
        trainer.train()
        agent = make_agent(f"ppo:path={trainer.folder}", game, 2)
        assert isinstance(agent, NetworkAgent)
        assert agent.network.num_inputs == trainer.games.inputs.shape[1]


def test_a_hinted_network_begins_with_the_prior(tmp_path: Path) -> None:
    trainer = new_trainer(tmp_path, replace(TINY_RA, imitate=0))
    masks = trainer.games.batch.masks.astype(bool)
    priors, expected = np.split(trainer.games.inputs[:, -2 * trainer.game.num_actions :], 2, axis=1)
    assert (priors[~masks] == 0).all()
    assert np.exp(priors)[masks].sum() == pytest.approx(len(masks), rel=0.1)
    assert (expected[~masks] == 0).all()
    np.testing.assert_allclose(np.where(masks, expected, -9).max(axis=1), 0, atol=1e-6)
    found = network.probabilities(trainer.current().logits(trainer.games.inputs), masks)
    sharp = network.probabilities(3 * priors + 3 * expected, masks)
    np.testing.assert_allclose(found, sharp, atol=0.05)


def test_the_curve_is_also_a_table_and_a_picture_where_matplotlib_is(tmp_path: Path) -> None:
    result = {"win_share": 0.5, "low": 0.4, "high": 0.6, "mean_place": 1.5}
    points = [
        {"steps": steps, "players": 3, "games": 60, "greedy": result, f"snapshot {steps:04d}": result}
        for steps in (100, 200)
    ]
    write_table(points, tmp_path / "curve.csv")
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    assert lines[0] == "steps,players,games,opponent,win_share,low,high,mean_place"
    assert lines[1] == "100,3,60,greedy,0.5,0.4,0.6,1.5"
    assert len(lines) == 5
    has_matplotlib = find_spec("matplotlib") is not None
    assert draw(points, "Ra", tmp_path / "curve.png") == has_matplotlib
    assert (tmp_path / "curve.png").exists() == has_matplotlib
    assert not draw([], "Ra", tmp_path / "nothing.png")


@pytest.mark.parametrize("changed", [{}, {"hint": False}, {"describe": False}])
def test_onnx_computes_what_the_network_computes(changed: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    reference = pytest.importorskip("onnx.reference")
    trainer = new_trainer(
        tmp_path, replace(TINY_RA, imitate=0, onnx=True, value_games=0 if changed else 20, **changed)
    )
    trainer.train()
    net = network.load(trainer.game, tmp_path / "ppo")
    inputs = trainer.games.inputs
    logits, values = net.logits(inputs), net.values(inputs)
    found = reference.ReferenceEvaluator(str(tmp_path / "ppo.onnx")).run(None, {"inputs": inputs})
    np.testing.assert_allclose(found[0], logits, atol=1e-4)
    np.testing.assert_allclose(found[1], values, atol=1e-5)


def test_onnx_that_is_not_installed_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    trainer = new_trainer(tmp_path, replace(TINY, steps=128))
    with pytest.raises(UsageError, match="pip install onnx"):
        write_onnx(trainer.current(), tmp_path / "ppo.onnx")
