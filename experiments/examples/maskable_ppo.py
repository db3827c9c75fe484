"""MaskablePPO of sb3-contrib on the native batch: one seat learns, agents play the others.

python -m experiments.examples.maskable_ppo --game ra --opponents greedy random --steps 1000000
"""

import numpy as np
import torch
import tyro
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from agents.adapters.sb3 import SeatVecEnv
from agents.seats import SeatVectorEnv


def main(
    game: str = "ra",
    players: int = 3,
    opponents: tuple[str, ...] = ("greedy",),
    reward: str = "score",
    shaping: str = "score",
    steps: int = 500_000,
    games: int = 256,
    horizon: int = 64,
    evaluation_games: int = 500,
    seed: int = 1,
    threads: int = 1,
) -> float:
    """Train, and return the share of wins, ties shared, against the same opponents.

    Args:
        game: a game by its name.
        players: how many play.
        opponents: agents, of which each of the other seats draws one for every game.
        reward: what the learner is paid: score, placement or win; a beginner cannot yet change the last two.
        shaping: a potential whose change is paid on the way: none, or score, the margin so far.
        steps: decisions of the learner.
        games: how many are played side by side.
        horizon: decisions in each of them between two updates.
        evaluation_games: in each of the five evaluations on the way, and at the end.
        seed: of the network, the games and the opponents.
        threads: of torch; more than one make small networks slower.
    """
    torch.set_num_threads(threads)
    pool = dict.fromkeys(opponents, 1.0)
    env = SeatVecEnv(SeatVectorEnv(game, games, players, pool, reward=reward, shaping=shaping))
    # Paid by wins, the mean reward is the share of wins. Only the maskable evaluation plays legally.
    judge = SeatVecEnv(SeatVectorEnv(game, min(games, evaluation_games), players, pool, reward="win"))
    judge.seed(seed + 10**6)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=horizon,
        batch_size=min(2048, games * horizon),
        n_epochs=3,
        learning_rate=1e-3,
        gamma=1.0,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )
    every = max(1, steps // games // 5)
    model.learn(steps, MaskableEvalCallback(judge, eval_freq=every, n_eval_episodes=evaluation_games))
    rewards, _ = evaluate_policy(model, judge, evaluation_games, return_episode_rewards=True)
    share = float(np.mean(rewards))
    env.close()
    judge.close()
    print(f"{game}: share of wins {share:.3f} in {evaluation_games} games, fair share {1 / players:.3f}")
    return share


if __name__ == "__main__":
    tyro.cli(main)
