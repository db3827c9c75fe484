"""Batches of games: the same games as one at a time, dealt anew when they end, whatever the threads."""

import copy
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode
from helpers import GAMES, option_sets, player_counts

from tabletop.aec import GameEnv, IllegalMoveError
from tabletop.game import GameError, load
from tabletop.rewards import REWARDS
from tabletop.vector import BatchStep, GameBatch

pytestmark = pytest.mark.engine


def kept(shown: BatchStep) -> list[npt.NDArray[Any]]:
    """Return copies of what a step showed."""
    return [array.copy() for array in shown]


def play(batch: GameBatch, steps: int, seed: int = 3) -> list[list[npt.NDArray[Any]]]:
    """Go on by random legal moves; return what every step showed."""
    generator = np.array([seed], np.uint64)
    return [kept(batch.step(batch.random_actions(generator))) for _ in range(steps)]


def same(left: list[list[npt.NDArray[Any]]], right: list[list[npt.NDArray[Any]]]) -> bool:
    """Whether two plays showed the same, bit for bit."""
    return all(
        np.array_equal(a, b)
        for one, other in zip(left, right, strict=True)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(("name", "players"), player_counts())
@pytest.mark.parametrize("reward", REWARDS)
def test_a_batch_plays_the_games_that_the_environment_plays(name: str, players: int, reward: str) -> None:
    game = load(name)
    batch = GameBatch(game, 3, players, reward=reward)
    shown = batch.reset(seed=[5, 11, 2**63])
    for place in range(3):
        env = GameEnv(game, num_players=players, reward=reward)
        env.reset(seed=[5, 11, 2**63][place])
        single = GameBatch(game, 1, players, reward=reward)
        shown = single.reset(seed=[[5, 11, 2**63][place]])
        generator = np.array([place], np.uint64)
        while not shown.done[0]:
            assert env.agent_selection == f"player_{shown.player[0]}"
            seen, _, _, _, _ = env.last()
            assert seen is not None
            assert np.array_equal(seen["observation"], shown.observation[0])
            assert np.array_equal(seen["action_mask"], shown.action_mask[0])
            actions = single.random_actions(generator)
            env.step(int(actions[0]))
            shown = single.step(actions)
        for seat in range(players):
            agent = f"player_{seat}"
            assert shown.rewards[0, seat] == np.float32(env.rewards[agent])
            assert np.array_equal(single.final_observations[0, seat], env.observe(agent)["observation"])
        assert single.truncated[0] == env.truncations["player_0"]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_that_ends_is_dealt_anew_in_the_same_step(name: str) -> None:
    """36: the mode is declared, the last observation and the final returns are kept."""
    game = load(name)
    batch = GameBatch(game, 4)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    shown = batch.reset(seed=1)
    seeds = batch.seeds.copy()
    generator = np.ones(1, np.uint64)
    ended = 0
    while ended < 6:
        shown = batch.step(batch.random_actions(generator))
        assert shown.action_mask.any(axis=1).all()
        for place in np.flatnonzero(shown.done):
            ended += 1
            assert batch.seeds[place] != seeds[place]
            fresh = GameBatch(game, 1)
            first = fresh.reset(seed=[batch.seeds[place]])
            assert np.array_equal(first.observation[0], shown.observation[place])
            assert np.array_equal(shown.rewards[place], batch.final_returns[place].astype(np.float32))
            assert batch.final_returns[place].sum() == pytest.approx(0)
            best = batch.final_scores[place][batch.final_returns[place] == batch.final_returns[place].max()]
            assert (best == batch.final_scores[place].max()).all()
        assert not shown.rewards[~shown.done].any()
        seeds = batch.seeds.copy()


@pytest.mark.parametrize("name", GAMES)
def test_without_autoreset_a_game_that_is_over_stays(name: str) -> None:
    batch = GameBatch(load(name), 2, autoreset=False)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    batch.reset(seed=4)
    generator = np.ones(1, np.uint64)
    payments = np.zeros((2, 3))
    over = np.zeros(2, bool)
    while not over.all():
        shown = batch.step(batch.random_actions(generator))
        payments += shown.rewards
        over |= shown.done
        assert not shown.action_mask[over].any()
    assert np.array_equal(payments, batch.final_returns)
    before = batch.states.copy()
    shown = batch.step(np.full(2, -1))
    assert not shown.done.any()
    assert not shown.rewards.any()
    assert np.array_equal(batch.states, before)


@pytest.mark.parametrize("name", GAMES)
def test_the_number_of_threads_changes_nothing(name: str) -> None:
    game = load(name)
    counts = range(game.min_players, game.max_players + 1)
    plays = []
    for threads in (1, 2, 3):
        batch = GameBatch(game, 7, counts, threads=threads)
        plays.append([kept(batch.reset(seed=9)), *play(batch, 150)])
        batch.close()
    assert same(plays[0], plays[1])
    assert same(plays[0], plays[2])


@pytest.mark.parametrize("name", GAMES)
def test_a_game_does_not_depend_on_its_neighbours(name: str) -> None:
    game = load(name)
    many, one = GameBatch(game, 3), GameBatch(game, 1)
    shown, alone = many.reset(seed=[7, 8, 9]), one.reset(seed=[8])
    generator = np.ones(1, np.uint64)
    for _ in range(300):
        assert np.array_equal(shown.observation[1], alone.observation[0])
        actions = many.random_actions(generator)
        shown, alone = many.step(actions), one.step(actions[1:2])
        assert shown.done[1] == alone.done[0]
    assert many.seeds[1] == one.seeds[0]


@pytest.mark.parametrize("name", GAMES)
def test_games_of_all_player_counts_stand_side_by_side(name: str) -> None:
    game = load(name)
    counts = list(range(game.min_players, game.max_players + 1))
    batch = GameBatch(game, 2 * len(counts), counts)
    assert batch.num_players.tolist() == counts * 2
    batch.reset(seed=0)
    generator = np.ones(1, np.uint64)
    ended = np.zeros(len(batch.num_players), bool)
    while not ended.all():
        shown = batch.step(batch.random_actions(generator))
        assert (shown.player < batch.num_players).all()
        for place in np.flatnonzero(shown.done):
            assert shown.rewards[place].sum() == pytest.approx(0, abs=1e-6)
            assert not shown.rewards[place, batch.num_players[place] :].any()
        ended |= shown.done


@pytest.mark.parametrize("name", GAMES)
def test_every_option_reaches_the_games(name: str) -> None:
    game = load(name)
    for options in option_sets(game):
        batch = GameBatch(game, 1, **options)
        assert batch.options == options
        env = GameEnv(game, **options)
        env.reset(seed=3)
        seen, _, _, _, _ = env.last()
        assert seen is not None
        assert np.array_equal(batch.reset(seed=3).observation[0], seen["observation"])


def test_seeds_go_on_from_the_last_one() -> None:
    """21: the same seed gives the same games, other seeds others."""
    game = load("high_bid")
    batch, other = GameBatch(game, 3), GameBatch(game, 3)
    batch.reset(seed=5)
    assert batch.seeds.tolist() == [5, 6, 7]
    batch.reset()
    later = batch.seeds.copy()
    other.reset(seed=5)
    other.reset()
    assert np.array_equal(later, other.seeds)
    other.reset(seed=6)
    other.reset()
    assert not np.array_equal(later, other.seeds)
    assert len(set(play_seeds(batch))) > 20


def play_seeds(batch: GameBatch) -> list[int]:
    """Play for a while and return the seeds of all games that were dealt."""
    found = batch.seeds.tolist()
    generator = np.ones(1, np.uint64)
    for _ in range(100):
        done = batch.step(batch.random_actions(generator)).done
        found += batch.seeds[done].tolist()
    assert len(found) == len(set(found))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_copies_and_pickles_play_on_identically(name: str) -> None:
    """8: taken in the middle of games."""
    batch = GameBatch(load(name), 3, threads=2)
    batch.reset(seed=1)
    play(batch, 20)
    others = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    expected = play(batch, 200)
    assert all(same(expected, play(other, 200)) for other in others)


def test_the_arrays_are_the_same_at_every_step() -> None:
    batch = GameBatch(load("high_bid"), 2)
    first = batch.reset(seed=0)
    second = batch.step(np.zeros(2, np.int64))
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_an_illegal_action_names_the_game_and_moves_nothing() -> None:
    """13: every action is held against the mask."""
    batch = GameBatch(load("ra"), 3)
    batch.reset(seed=1)
    before = batch.states.copy()
    with pytest.raises(
        IllegalMoveError, match=r"of game 1 cannot play 54 \(discard .*\) now; legal: 0 \(draw\)"
    ):
        batch.step(np.array([0, 54, 0]))
    with pytest.raises(IllegalMoveError, match="of game 2 cannot play 55"):
        batch.step(np.array([0, 0, 55]))
    with pytest.raises(IllegalMoveError, match="of game 0 cannot play -1"):
        batch.step(np.array([-1, 0, 0]))
    assert np.array_equal(batch.states, before)


def test_bad_arguments_say_what_is_valid() -> None:
    """31: unknown options raise and list the valid ones."""
    game = load("ra")
    with pytest.raises(GameError, match="ra is for 2 to 5 players, not 6"):
        GameBatch(game, 2, [3, 6])
    with pytest.raises(GameError, match="at least one game"):
        GameBatch(game, 0)
    with pytest.raises(GameError, match="no option 'spam'; valid: forced_bid"):
        GameBatch(game, 2, spam=True)
    with pytest.raises(GameError, match="unknown reward 'gold'; valid: placement, win, score"):
        GameBatch(game, 2, reward="gold")
    batch = GameBatch(game, 2)
    with pytest.raises(GameError, match="call reset"):
        batch.step(np.zeros(2, np.int64))
    for seed in (-1, 2**64, [1], [1, -1]):
        with pytest.raises(GameError, match="from 0 to 2"):
            batch.reset(seed=seed)
    batch.reset(seed=0)
    for actions in (np.zeros(3, np.int64), np.zeros(2), 0):
        with pytest.raises(GameError, match="actions are 2 integers"):
            batch.step(actions)
