"""The AEC environment of every game: PettingZoo's own tests, and what its users have suffered.

Numbers in docstrings are those of the project's list of lessons from issue trackers.
"""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from helpers import GAMES, choose, play_env, player_counts
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env_logger import EnvLogger

from ra_env import ra_v0
from tabletop import kernels
from tabletop.aec import GameEnv, IllegalMoveError
from tabletop.game import GameError, load
from tabletop.rewards import final_rewards

pytestmark = pytest.mark.engine


def make(name: str, num_players: int | None = None, **options: Any) -> GameEnv:
    return GameEnv(load(name), num_players=num_players, **options)


@pytest.fixture(params=GAMES)
def env(request: pytest.FixtureRequest) -> GameEnv:
    made = make(request.param)
    made.reset(seed=1)
    return made


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.parametrize(("name", "players"), player_counts())
def test_pettingzoo_accepts_the_environment(name: str, players: int) -> None:
    api_test(make(name, players), num_cycles=150)


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_the_seeding(name: str) -> None:
    """21: the same seed and actions give the same trace."""
    seed_test(lambda: make(name), num_cycles=100)


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_the_state(name: str) -> None:
    env = make(name, illegal_action="terminate")
    EnvLogger.suppress_output()
    check_state_space(env)
    check_state(env, 10)
    EnvLogger.unsuppress_output()


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_the_rendering(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda **options: make(name, **options))
    assert "seat 0" in capsys.readouterr().out


@pytest.mark.parametrize("name", GAMES)
def test_the_game_is_not_parallel_but_converts(name: str) -> None:
    """7: is_parallelizable is False, and the turn-based conversion passes PettingZoo's test."""
    env = make(name, illegal_action="terminate")
    assert env.metadata["is_parallelizable"] is False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        EnvLogger.suppress_output()
        parallel_api_test(turn_based_aec_to_parallel(env), num_cycles=20)
        EnvLogger.unsuppress_output()


def test_the_registry_makes_ra() -> None:
    env = pettingzoo.make("aec", "ra_env/ra-v0", num_players=5, rules="overview", fame_floor=True)
    assert env.num_players == 5
    assert env.options["fame_floor"] is True
    assert env.options["forced_bid"] is False
    assert str(env) == "ra_v0"
    assert ra_v0.env().num_players == 3


def test_step_none_empties_the_agents_after_the_end(env: GameEnv) -> None:
    """1 and 2: at the first `last()` with termination all are still there; each leaves once."""
    generator = np.random.default_rng(0)
    while not env.terminations[env.agent_selection]:
        observation, *_ = env.last()
        assert observation is not None
        env.step(choose(observation, generator))
    assert env.agents == env.possible_agents
    left = []
    while env.agents:
        left.append(env.agent_selection)
        _, _, termination, _, _ = env.last()
        assert termination
        env.step(None)
    assert sorted(left) == env.possible_agents


def test_an_action_for_a_finished_agent_is_refused(env: GameEnv) -> None:
    """3: a ValueError, as PettingZoo raises."""
    generator = np.random.default_rng(0)
    while not env.terminations[env.agent_selection]:
        env.step(choose(env.observe(env.agent_selection), generator))
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)


def test_the_agent_selected_is_the_engines_current_player(env: GameEnv) -> None:
    """4: at every step, also when the same agent moves again."""
    generator = np.random.default_rng(3)
    again = 0
    while not env.terminations[env.agent_selection]:
        mover = env.agent_selection
        assert mover == f"player_{env._states[0].current}"
        env.step(choose(env.observe(mover), generator))
        again += mover == env.agent_selection
    assert again > 0 or env.game.name == "high_bid"


@pytest.mark.parametrize(("name", "players"), player_counts())
@pytest.mark.parametrize("reward", ["placement", "win", "score"])
def test_rewards_seen_through_last_add_up(name: str, players: int, reward: str) -> None:
    """5 and 14: to the engine's results, losses included; one terminal `last()` each, with its own view."""
    env = make(name, players, reward=reward)
    env.reset(seed=5)
    generator = np.random.default_rng(5)
    seen = dict.fromkeys(env.possible_agents, 0.0)
    farewells = []
    for agent in env.agent_iter():
        observation, gained, termination, truncation, _ = env.last()
        seen[agent] += gained
        if termination or truncation:
            farewells.append(agent)
            assert observation is not None
            np.testing.assert_array_equal(observation["observation"], env.observe(agent)["observation"])
            env.step(None)
        else:
            assert observation is not None
            env.step(choose(observation, generator))
    assert sorted(farewells) == env.possible_agents
    scores, returns = np.zeros(players, np.int64), np.zeros(players)
    kernels.results_of(env._states, scores, returns)
    expected = final_rewards(env.game, reward, scores, returns)
    np.testing.assert_allclose([seen[agent] for agent in env.possible_agents], expected)
    if reward == "win":
        assert sum(seen.values()) == pytest.approx(1)
    else:
        assert sum(seen.values()) == pytest.approx(0, abs=1e-9)
        assert min(seen.values()) < 0 or name == "high_bid"


def test_observe_works_for_any_agent_without_side_effects(env: GameEnv) -> None:
    """9: at any time, and it changes nothing."""
    generator = np.random.default_rng(2)
    for _ in range(30):
        before = env.get_state()
        views = {agent: env.observe(agent) for agent in env.possible_agents}
        assert env.get_state() == before
        for agent, view in views.items():
            np.testing.assert_array_equal(view["observation"], env.observe(agent)["observation"])
            live = agent == env.agent_selection and not env.terminations[agent]
            assert view["action_mask"].any() == live
        if env.terminations[env.agent_selection]:
            break
        env.step(choose(views[env.agent_selection], generator))


def test_the_mask_stands_in_observation_and_info(env: GameEnv) -> None:
    """10: equal, int8 of shape (n,), never all zero for the player to move; `Discrete.sample` takes it."""
    generator = np.random.default_rng(4)
    while not env.terminations[env.agent_selection]:
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            np.testing.assert_array_equal(mask, env.infos[agent]["action_mask"])
            assert mask.dtype == np.int8
            assert mask.shape == (env.game.num_actions,)
        observation, _, _, _, info = env.last()
        assert observation is not None
        assert info["action_mask"].any()
        assert (
            observation["action_mask"][env.action_space(env.agent_selection).sample(info["action_mask"])] == 1
        )
        env.step(choose(observation, generator))


def test_observations_of_earlier_steps_stay_as_they_were(env: GameEnv) -> None:
    generator = np.random.default_rng(6)
    kept = [env.observe(env.agent_selection)]
    copies = copy.deepcopy(kept)
    for _ in range(8):
        if env.terminations[env.agent_selection]:
            break
        env.step(choose(kept[-1], generator))
        kept.append(env.observe(env.agent_selection))
        copies.append(copy.deepcopy(kept[-1]))
    for now, then in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(now["observation"], then["observation"])
        np.testing.assert_array_equal(now["action_mask"], then["action_mask"])


def test_an_illegal_move_names_itself_and_the_legal_ones() -> None:
    """11: it raises, and the game goes on as if it had not been tried."""
    env = make("ra")
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(IllegalMoveError, match=r"player_\d cannot play 3 \(pass\) now; legal: 0 \(draw\), 1"):
        env.step(3)
    assert env.get_state() == before
    env.step(0)


def test_an_illegal_move_can_end_the_game_at_the_offenders_cost() -> None:
    """11: as PettingZoo's TerminateIllegalWrapper does, which is compared with here."""
    EnvLogger.suppress_output()
    ours = make("ra", illegal_action="terminate")
    theirs = wrappers.TerminateIllegalWrapper(make("ra"), illegal_reward=-1)
    traces = []
    for env in (ours, theirs):
        env.reset(seed=3)
        env.step(0)
        env.step(3)
        trace = []
        while env.agents:
            agent = env.agent_selection
            _, gained, termination, truncation, _ = env.last()
            trace.append((agent, gained, termination, truncation))
            env.step(None)
        traces.append(trace)
    EnvLogger.unsuppress_output()
    assert traces[0] == traces[1]
    assert sorted(gained for _, gained, _, _ in traces[0]) == [-1, 0, 0]


@pytest.mark.parametrize("action", [-1, 55, None, 1.5, "draw", np.array([1])])
def test_an_action_outside_the_space_is_an_assertion_error(action: Any) -> None:
    env = make("ra")
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)


@pytest.mark.parametrize("action", [0, np.int32(0), np.int64(0), np.array(0)])
def test_any_integer_is_an_action(action: Any) -> None:
    env = make("ra")
    env.reset(seed=1)
    env.step(action)
    assert env._states[0].moves == 1


def test_order_is_enforced_before_reset() -> None:
    """As PettingZoo's OrderEnforcingWrapper does."""
    env = make("ra", render_mode="ansi")
    for name in (
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "agent_selection",
        "num_agents",
        "agents",
    ):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="no attribute 'agent_selected'"):
        _ = env.agent_selected
    for call in (
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        lambda: env.render(),
        lambda: env.state(),
        lambda: env.agent_iter(),
        lambda: env.get_state(),
    ):
        with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
            call()


def test_an_iteration_without_a_step_is_refused() -> None:
    env = make("ra")
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass


def test_a_step_after_everybody_left_warns_and_does_nothing() -> None:
    env = make("high_bid", 2)
    env.reset(seed=1)
    play_env(env, np.random.default_rng(0))
    EnvLogger.flush()
    EnvLogger.suppress_output()
    env.step(0)
    EnvLogger.unsuppress_output()
    assert any("Should reset() first" in str(message) for message in EnvLogger.mqueue)
    assert env.agents == []


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_taken_mid_game_plays_on_identically(env: GameEnv, clone: Any) -> None:
    """8 and 22: copy, deepcopy and pickle keep the game, its future draws included."""
    play_env(env, np.random.default_rng(1), max_moves=5)
    twin = pickle.loads(pickle.dumps(clone(env)))
    assert twin.get_state() == env.get_state()
    moves = [play_env(one, np.random.default_rng(9)) for one in (env, twin)]
    assert moves[0] == moves[1]
    assert twin.get_state() == env.get_state()


def test_a_shallow_copy_shares_nothing_with_the_original(env: GameEnv) -> None:
    twin = copy.copy(env)
    before = env.get_state()
    play_env(twin, np.random.default_rng(1))
    assert env.get_state() == before
    assert env.agents == env.possible_agents


def test_state_bytes_restore_the_game(env: GameEnv) -> None:
    """22: saved mid-game and restored, the same future draws; in another environment too."""
    play_env(env, np.random.default_rng(1), max_moves=4)
    saved = env.get_state()
    first = play_env(env, np.random.default_rng(2))
    ends = [env.get_state()]
    other = make(env.game.name)
    for one in (env, other):
        one.set_state(saved)
        assert one.get_state() == saved
        assert play_env(one, np.random.default_rng(2)) == first
        ends.append(one.get_state())
    assert len(set(ends)) == 1


def test_a_foreign_state_is_refused() -> None:
    env = make("ra", 3)
    env.reset(seed=1)
    saved = env.get_state()
    for other in (make("ra", 4), make("ra", 3, rules="overview"), make("high_bid", 3)):
        with pytest.raises(GameError, match="not a state of"):
            other.set_state(saved)
    with pytest.raises(GameError, match="not a state of"):
        env.set_state(saved[:-1])


def test_a_seed_deals_the_same_game_and_the_next_ones() -> None:
    """21 and 23: reset without a seed goes on to other games, the same ones after the same seed."""
    env = make("ra")
    sequences = []
    for _ in range(2):
        env.reset(seed=11)
        states = [env.get_state()]
        for _ in range(3):
            env.reset()
            states.append(env.get_state())
        sequences.append(states)
    assert sequences[0] == sequences[1]
    assert len(set(sequences[0])) == 4


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(GameError, match="a seed is an integer from 0"):
        make("ra").reset(seed=seed)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_players": 6}, "ra is for 2 to 5 players, not 6"),
        ({"rules": "house"}, "no rules 'house'; valid: rulebook, overview"),
        ({"forced_bids": True}, "no option 'forced_bids'; valid: forced_bid, unsold_ra_lot"),
        ({"unsold_ra_lot": "burn"}, "cannot be 'burn'; valid: keep, discard"),
        ({"reward": "money"}, "unknown reward 'money'; valid: placement, win, score"),
        ({"render_mode": "rgb_array"}, "unknown render_mode 'rgb_array'; valid: None, ansi, human"),
        ({"illegal_action": "ignore"}, "unknown illegal_action 'ignore'; valid: raise, terminate"),
    ],
)
def test_a_wrong_argument_names_what_is_valid(wrong: dict[str, Any], message: str) -> None:
    """31: unknown options raise and list the valid ones."""
    with pytest.raises(GameError, match=message):
        ra_v0.env(**wrong)


def test_truncated_games_say_so() -> None:
    """Without `forced_bid` nobody need ever buy: the game is cut off, not terminated."""
    env = make("ra", 2, forced_bid=False)
    env.reset(seed=1)
    while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        legal = env.observe(env.agent_selection)["action_mask"]
        env.step(3 if legal[3] else 1)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert env._states[0].moves == env.game.max_moves
    assert sum(env.rewards.values()) == 0
