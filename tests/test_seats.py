"""Single seats: one learner a game, agents at the other seats, as Gymnasium environments."""

import copy
import sys
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode
from helpers import GAMES, player_counts

import agents.greedy
import agents.random
from agents.base import Agent
from agents.registry import AgentError
from agents.seats import SeatEnv, SeatGames, SeatVectorEnv
from tabletop import kernels
from tabletop.aec import IllegalMoveError
from tabletop.game import BUILT_IN, Game, GameError, load
from tabletop.view import View

IDS = {"ra": "ra_env:Ra-v0", "amunre": "amunre_env:AmunRe-v0"}


def first_legal(masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the first legal action of each row."""
    return np.asarray(masks.argmax(axis=-1), dtype=np.int64)


def varied(masks: npt.NDArray[Any], step: int) -> npt.NDArray[np.int64]:
    """Return a legal action of each row, another one at another step."""
    rows = np.atleast_2d(masks)
    return np.array([legal[step % len(legal)] for legal in map(np.flatnonzero, rows)], dtype=np.int64)


class Slow(Agent):
    """Plays as greedy does, but outside compiled code."""

    def __init__(self, game: Game, num_players: int) -> None:
        super().__init__(game, num_players)
        self._greedy = agents.greedy.GreedyAgent(game, num_players)

    def act(self, view: View) -> int:
        return self._greedy.act(view)


class First(Agent):
    """Takes the first legal move, for many games at once."""

    batched = True

    def act(self, view: View) -> int:
        return view.legal_actions()[0]

    def act_batch(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        assert observations.shape == (len(masks), self.game.layout.size)
        assert seeds.shape == (len(masks),)
        assert masks.any(axis=1).all()
        return first_legal(masks)


class Cheat(First):
    """Takes a move that is never legal."""

    batched = False

    def act(self, view: View) -> int:
        return -1


@pytest.fixture(autouse=True)
def agents_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the agents above known by the names `slow`, `first` and `cheat`."""
    for kind in (Slow, First, Cheat):
        module = ModuleType(f"{kind.__name__.lower()}_agent")
        module.AGENT = kind  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)


def trace(env: SeatVectorEnv, steps: int, seed: int = 0) -> list[npt.NDArray[Any]]:
    """Play for some steps and return all that was seen."""
    observations, infos = env.reset(seed=seed)
    seen: list[npt.NDArray[Any]] = [observations, infos["action_mask"], infos["seat"]]
    for step in range(steps):
        result = env.step(varied(infos["action_mask"], step))
        infos = result[4]
        seen += [*result[:4], infos["action_mask"], infos["seat"]]
    return seen


def equal(left: list[npt.NDArray[Any]], right: list[npt.NDArray[Any]]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(left, right, strict=True))


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
def test_greedy_opponents_move_as_greedy_does(name: str) -> None:
    game = load(name)
    env = SeatEnv(name, num_players=3, opponents="greedy", seat=1)
    observation, info = env.reset(seed=5)
    states = game.new_states(1)
    codes = game.encode_options(game.resolve_options())
    kernels.start_games(states, 3, codes, np.array([5], np.uint64))
    weights = game.weights.tuned(3) if game.weights else np.zeros(0)
    status, actions = np.zeros(kernels.STATUS_SIZE, np.int64), np.zeros(1, np.int64)
    bits, rng = np.zeros(game.num_words, np.uint64), np.ones(1, np.uint64)
    seen, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    ended = False
    for step in range(10**6):
        kernels.status_of(states, status)
        while not status[kernels.IS_OVER] and status[kernels.PLAYER] != 1:
            kernels.policy_actions(states, kernels.GREEDY, weights, rng, bits, actions)
            kernels.apply_game(states, int(actions[0]))
            kernels.status_of(states, status)
        assert ended == bool(status[kernels.IS_OVER])
        kernels.look(states, 1, seen, mask, bits)
        assert np.array_equal(observation, seen)
        assert np.array_equal(info["action_mask"], mask)
        if ended:
            break
        action = int(varied(info["action_mask"], step)[0])
        kernels.apply_game(states, action)
        observation, reward, ended, _, info = env.step(action)
    points, results = np.zeros(3, np.int64), np.zeros(3)
    kernels.results_of(states, points, results)
    assert reward == results[1]
    assert np.array_equal(info["scores"], points)
    assert np.array_equal(info["returns"], results)


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
def test_opponents_outside_compiled_code_play_the_same_games(name: str) -> None:
    inside = SeatVectorEnv(name, 3, opponents="greedy", seat=0)
    outside = SeatVectorEnv(name, 3, opponents="slow_agent", seat=0)
    assert equal(trace(inside, 60), trace(outside, 60))
    mixed = SeatVectorEnv(name, 3, opponents=["slow_agent", "greedy"], seat=0)
    assert equal(trace(inside, 60), trace(mixed, 60))


@pytest.mark.parametrize("name", GAMES)
def test_opponents_that_decide_in_batches_are_asked_for_many_games_at_once(name: str) -> None:
    env = SeatVectorEnv(name, 5, opponents="first_agent")
    single = [SeatVectorEnv(name, 1, opponents="first_agent") for _ in range(5)]
    traces = [trace(one, 40, seed) for seed, one in enumerate(single)]
    together = trace(env, 40)
    for index in range(5):
        assert equal([array[index : index + 1] for array in together], traces[index])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("reward", ["placement", "win", "score"])
def test_losses_are_seen_in_the_reward_whoever_ends_the_game(name: str, reward: str) -> None:
    """14: the rewards that a learner sees include losses. 5: they add up to the engine's returns."""
    env = SeatVectorEnv(name, 4, opponents="random", reward=reward)
    _, infos = env.reset(seed=1)
    total, paid, last, step = np.zeros(4), [], [], 0
    while len(paid) < 12:
        _, rewards, terminations, truncations, infos = env.step(varied(infos["action_mask"], step))
        step += 1
        total += rewards
        for place in np.flatnonzero(terminations | truncations):
            final = infos["final_info"]
            seat = final["seat"][place]
            won = final["returns"][place] == final["returns"][place].max()
            points = final["scores"][place]
            expected = {
                "placement": final["returns"][place, seat],
                "win": won[seat] / won.sum(),
                "score": (points[seat] - (points.sum() - points[seat]) / 2) / env.game.score_scale,
            }
            assert total[place] == pytest.approx(expected[reward])
            paid.append(total[place])
            last.append(rewards[place])
            total[place] = 0.0
    assert paid == last
    assert len(set(paid)) > 1
    assert min(paid) < 0 or reward == "win"


@pytest.mark.parametrize(("name", "players"), player_counts())
def test_the_seat_moves_on_with_every_game(name: str, players: int) -> None:
    env = SeatEnv(name, num_players=players, opponents="random")
    _, info = env.reset(seed=players + 1)
    seats = [info["seat"]]
    for _ in range(players):
        _, info = env.reset()
        seats.append(info["seat"])
    assert seats == [(1 + game) % players for game in range(players + 1)]
    games = SeatVectorEnv(name, players, num_players=players, opponents="random")
    _, infos = games.reset(seed=0)
    assert infos["seat"].tolist() == list(range(players))
    step = 0
    while True:
        before = infos["seat"]
        _, _, terminations, truncations, infos = games.step(varied(infos["action_mask"], step))
        step += 1
        done = terminations | truncations
        assert np.array_equal(infos["seat"], np.where(done, (before + 1) % players, before))
        if done.any():
            break
    fixed = SeatVectorEnv(name, 3, num_players=players, opponents="random", seat=players - 1)
    assert all((array == players - 1).all() for array in trace(fixed, 50)[2::6])


def test_the_mover_is_always_the_learner() -> None:
    """10: the mask of the acting player is never all zero, int8, in the infos and from `action_masks`."""
    for name in GAMES:
        env = SeatVectorEnv(name, 3, opponents="random", copy=False)
        _, infos = env.reset(seed=0)
        for step in range(100):
            assert infos["action_mask"].dtype == np.int8
            assert env.action_masks().dtype == bool
            assert np.array_equal(env.action_masks(), infos["action_mask"] == 1)
            assert infos["action_mask"].any(axis=1).all()
            assert np.array_equal(env.games.batch.players, infos["seat"])
            _, _, _, _, infos = env.step(varied(infos["action_mask"], step))


@pytest.mark.parametrize("name", GAMES)
def test_one_environment_and_a_batch_play_the_same_game(name: str) -> None:
    batch = SeatVectorEnv(name, 2, opponents="random")
    single = SeatEnv(name, opponents="random")
    observations, infos = batch.reset(seed=[8, 9])
    observation, info = single.reset(seed=9)
    for step in range(10**6):
        assert np.array_equal(observation, observations[1])
        assert np.array_equal(single.action_masks(), batch.action_masks()[1])
        actions = varied(infos["action_mask"], step)
        observations, rewards, terminations, truncations, infos = batch.step(actions)
        observation, reward, terminated, truncated, info = single.step(int(actions[1]))
        assert (reward, terminated, truncated) == (rewards[1], terminations[1], truncations[1])
        if terminated or truncated:
            break
    assert infos["_final_obs"][1]
    assert np.array_equal(infos["final_obs"][1], observation)
    assert np.array_equal(infos["final_info"]["scores"][1], info["scores"])
    assert not info["action_mask"].any()
    with pytest.raises(GameError, match="call reset"):
        single.step(0)


@pytest.mark.parametrize("name", GAMES)
def test_threads_and_copies_change_nothing(name: str) -> None:
    """21: the same seed gives the same games. 8: a copy taken in the middle plays on identically."""
    traces = [
        trace(SeatVectorEnv(name, 5, opponents="random", threads=threads, copy=threads < 3), 80)
        for threads in (1, 2)
    ]
    assert equal(*traces)
    assert not equal(traces[0], trace(SeatVectorEnv(name, 5, opponents="random"), 80, seed=77))
    env = SeatEnv(name, opponents="random")
    env.reset(seed=0)
    other = copy.deepcopy(env)
    over = False
    step = 0
    while not over:
        action = int(varied(env.action_masks(), step)[0])
        step += 1
        one, two = env.step(action), other.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        over = one[2] or one[3]


@pytest.mark.parametrize("name", GAMES)
def test_opponents_are_drawn_for_every_game(name: str) -> None:
    """16: opponents from a pool."""
    games = SeatGames(name, 200, opponents={"random": 1.0, "first_agent": 3.0}, seat=0)
    games.deal(0)
    drawn = games.table.seating[:, 1:]
    assert (games.table.seating[:, 0] == -1).all()
    assert drawn.mean() == pytest.approx(0.75, abs=0.1)
    assert {tuple(row) for row in drawn.tolist()} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    ordered = SeatGames(name, 1, 3, opponents=["random", "first_agent"], seat=2)
    ordered.deal(0)
    assert ordered.table.seating.tolist() == [[0, 1, -1]]
    assert [spec for spec, _ in ordered.opponents] == ["random", "first_agent"]


@pytest.mark.compiled
def test_opponents_have_the_weights_of_their_number_of_players() -> None:
    game = load("ra")
    assert game.weights is not None
    games = SeatGames("ra", 4, [2, 5], opponents={"greedy": 1.0, "random": 0.0})
    games.deal(0)
    assert games.opponents == [("greedy", 2), ("random", 2), ("greedy", 5), ("random", 5)]
    for row, count in enumerate([2, 5, 2, 5]):
        seated = games.table.seating[row, :count]
        for opponent in seated[seated >= 0]:
            assert np.array_equal(games.table.weights[opponent], game.weights.tuned(count))
    before = games.table.weights.copy()
    for step in range(100):
        games.step(varied(games.batch.masks, step))
    assert np.array_equal(games.table.weights, before)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_shaping_adds_the_change_of_a_potential(name: str, gamma: float) -> None:
    plain = SeatVectorEnv(name, 3, opponents="random", gamma=gamma)
    shaped = SeatVectorEnv(name, 3, opponents="random", shaping="score", gamma=gamma)
    game = plain.game

    def potential() -> npt.NDArray[np.float64]:
        points, found = np.zeros((3, 3), np.int64), np.zeros(3)
        for place in range(3):
            kernels.results_of(plain.games.arrays.states[place : place + 1], points[place], np.zeros(3))
            seat = plain.games.table.seats[place]
            found[place] = points[place, seat] - (points[place].sum() - points[place, seat]) / 2
        return found / game.score_scale

    _, infos = plain.reset(seed=2)
    shaped.reset(seed=2)
    before = potential()
    moved = 0
    for step in range(200):
        actions = varied(infos["action_mask"], step)
        _, rewards, terminations, truncations, infos = plain.step(actions)
        _, others, _, _, _ = shaped.step(actions)
        after = potential()
        done = terminations | truncations
        assert others == pytest.approx(rewards + np.where(done, 0.0, gamma * after) - before)
        moved += (~done & (after != before)).sum()
        before = after
    assert moved > 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("players", [3, 5])
def test_shaping_by_value_pays_what_a_game_brings_beyond_what_it_promised(name: str, players: int) -> None:
    env = SeatVectorEnv(name, 3, players, opponents="random", shaping="value")
    _, infos = env.reset(seed=4)
    promised = env.games.table.potentials.copy()
    total, steps, ended = np.zeros(3), np.zeros(3), 0
    while ended < 6:
        _, rewards, terminations, truncations, infos = env.step(varied(infos["action_mask"], ended))
        total += rewards
        steps += rewards != 0.0
        for place in np.flatnonzero(terminations | truncations):
            seat = infos["final_info"]["seat"][place]
            brought = infos["final_info"]["returns"][place, seat]
            assert total[place] == pytest.approx(brought - promised[place])
            assert steps[place] > 2
            assert 0.0 < abs(promised[place]) < 0.9
            promised[place] = env.games.table.potentials[place]
            total[place] = steps[place] = 0.0
            ended += 1


@pytest.mark.parametrize("name", BUILT_IN)
def test_gymnasium_makes_both_kinds(name: str) -> None:
    env = gymnasium.make(IDS[name], num_players=4, opponents="random", seat=2)
    observation, info = env.reset(seed=1)
    assert isinstance(env.unwrapped, SeatEnv)
    assert env.unwrapped.game is load(name)
    assert env.observation_space.contains(observation)
    assert env.unwrapped.action_masks().sum() > 0
    assert info["seat"] == 2
    games = gymnasium.make_vec(IDS[name], num_envs=6, num_players=3, opponents="random")
    assert isinstance(games, SeatVectorEnv)
    assert games.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, infos = games.reset(seed=1)
    assert games.observation_space.contains(observations)
    assert infos["action_mask"].shape == (6, load(name).num_actions)
    games.close()


def test_an_illegal_action_raises_or_ends_the_game() -> None:
    """11: an option says which."""
    env = SeatEnv("ra", opponents="random")
    env.reset(seed=0)
    with pytest.raises(IllegalMoveError, match=r"cannot play 54 \(discard sphinx\) now; legal: 0 \(draw\)"):
        env.step(54)
    _, reward, over, truncated, info = env.step(0)
    assert not over
    strict = SeatEnv("ra", opponents="random", illegal_action="terminate")
    strict.reset(seed=0)
    _, reward, over, truncated, info = strict.step(54)
    assert (reward, over, truncated) == (-1.0, True, False)
    assert not info["action_mask"].any()
    batch = SeatVectorEnv("ra", 2, opponents="random")
    batch.reset(seed=0)
    with pytest.raises(IllegalMoveError, match="of game 1 cannot play 54"):
        batch.step(np.array([0, 54]))


def test_an_opponent_that_breaks_the_rules_is_named() -> None:
    env = SeatEnv("ra", opponents="cheat_agent", seat=1)
    with pytest.raises(RuntimeError, match="agent cheat_agent played -1; legal: draw"):
        env.reset(seed=0)


def test_the_board_is_the_learners() -> None:
    env = SeatEnv("amunre", opponents="random", seat=0, render_mode="ansi", rules="expert")
    env.reset(seed=0)
    view = View(env.game, env.games.arrays.states, 0, 1)
    assert env.render() == view.board()


def test_bad_arguments_say_what_is_valid() -> None:
    """31: unknown options raise and list the valid ones."""
    with pytest.raises(GameError, match="unknown seat 3; valid: None \\(rotating\\), 0 to 2"):
        SeatEnv("ra", seat=3)
    with pytest.raises(GameError, match="2 opponents for games of 4 players; valid: one specification"):
        SeatEnv("ra", num_players=4, opponents=["random", "random"])
    with pytest.raises(GameError, match="opponents need weights"):
        SeatEnv("ra", opponents={"random": 0.0})
    with pytest.raises(GameError, match="opponents need weights"):
        SeatEnv("ra", opponents={"random": -1.0, "first_agent": 2.0})
    with pytest.raises(AgentError, match="unknown agent 'nobody'; valid: greedy"):
        SeatEnv("ra", opponents="nobody")
    with pytest.raises(GameError, match="has no valuation for a greedy agent"):
        SeatEnv("high_bid", opponents="greedy")
    with pytest.raises(GameError, match="unknown shaping 'value'; valid for high_bid: none, score"):
        SeatEnv("high_bid", opponents="random", shaping="value")
    with pytest.raises(GameError, match="unknown render_mode 'rgb_array'; valid: None, ansi, human"):
        SeatEnv("ra", render_mode="rgb_array")
    with pytest.raises(GameError, match="unknown illegal_action 'ignore'; valid: raise, terminate"):
        SeatEnv("ra", illegal_action="ignore")
    with pytest.raises(GameError, match="has no option 'spam'; valid: forced_bid"):
        SeatEnv("ra", spam=1)
