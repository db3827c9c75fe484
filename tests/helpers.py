"""What several tests need: all games, random legal play, and a way to run code in a fresh process."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tabletop import kernels
from tabletop.aec import GameEnv
from tabletop.conformance import option_sets, play_table
from tabletop.game import BUILT_IN, Game, Options, load

__all__ = ["option_sets"]

ROOT = Path(__file__).parents[1]
GAMES = (*BUILT_IN, "high_bid")


def player_counts() -> list[tuple[str, int]]:
    """Every game with every number of players."""
    return [
        (name, players)
        for name in GAMES
        for players in range(load(name).min_players, load(name).max_players + 1)
    ]


def random_game(
    game: Game, num_players: int, options: Options, seed: int
) -> tuple[npt.NDArray[np.int16], npt.NDArray[Any]]:
    """Return the moves of a random game and its states before the first and after every move."""
    table = play_table(game, num_players, options, seed)
    return table.moves, table.states


def legal_names(game: Game, states: npt.NDArray[Any]) -> list[str]:
    """Return the legal moves of the first record by name."""
    mask = np.zeros(game.num_actions, np.int8)
    kernels.legal_mask(states, mask, np.zeros(game.num_words, np.uint64))
    return [game.action_names[action] for action in np.flatnonzero(mask)]


def choose(observation: dict[str, Any], generator: np.random.Generator) -> int:
    """Pick a random legal action from an observation's mask."""
    legal = observation["action_mask"].nonzero()[0]
    return int(legal[int(generator.random() * len(legal))])


def play_env(env: GameEnv, generator: np.random.Generator, max_moves: int = 10**6) -> list[int]:
    """Go on with an environment's game by random legal moves; return them."""
    moves: list[int] = []
    while env.agents and len(moves) < max_moves:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
        else:
            assert observation is not None
            moves.append(choose(observation, generator))
            env.step(moves[-1])
    return moves


def run_python(program: str, *arguments: str, folder: Path = ROOT, **variables: str) -> str:
    """Run a program in a new process, return what it prints; its errors fail the test."""
    path = os.pathsep.join([str(folder), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path} | variables,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
