"""Many games stepped by one call, over an array of records: self-play with one network for all seats."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from tabletop import batch_kernels, kernels
from tabletop.aec import IllegalMoveError
from tabletop.batch_kernels import Batch
from tabletop.compiling import announced
from tabletop.game import Game, GameError
from tabletop.rewards import REWARDS, check_reward
from tabletop.rng import MAX_SEED

HEAD_START = 0.03  # of the rows more for the thread that calls: the others have to wake up first
CACHE_LINE = 16  # uint64 words, two lines of 64 bytes: processors fetch them in pairs

Seeds = int | Sequence[int] | npt.NDArray[Any] | None
Kernel = Callable[[npt.NDArray[np.int64], npt.NDArray[np.uint64]], None]


class BatchStep(NamedTuple):
    """What a step of a batch returns; see `GameBatch` for how long the arrays hold it."""

    observation: npt.NDArray[np.float32]  # [games, layout.size] what the player to move sees
    action_mask: npt.NDArray[np.int8]  # [games, num_actions] its legal actions
    player: npt.NDArray[np.int64]  # [games] the seat that moves
    rewards: npt.NDArray[np.float32]  # [games, seats] of this step
    done: npt.NDArray[np.bool_]  # [games] this step ended a game


class BatchArrays:
    """The arrays of a batch of games, its seeds and its threads: what every kind of batch shares.

    Args:
        game: the game.
        num_games: how many are played side by side.
        num_players: how many play each, or a sequence of numbers that is repeated over the games.
        rules: the name of a preset of options, by default the game's first.
        threads: among how many threads the games are shared out; results do not depend on it.
        final_views: how many seats' views of the end of a game are kept; by default all.
        options: single options of the game, in place of those of the preset.

    Raises:
        GameError: an unknown option or a value out of range; the message lists the valid ones.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        num_players: int | Sequence[int],
        rules: str | None,
        threads: int,
        options: dict[str, object],
        final_views: int | None = None,
    ) -> None:
        counts = [num_players] if isinstance(num_players, int) else list(num_players)
        if num_games < 1 or threads < 1 or not counts:
            raise GameError("a batch needs at least one game, one thread and one number of players")
        self.game = game
        self.num_games = num_games
        self.counts = np.resize([game.check_num_players(int(count)) for count in counts], num_games)
        self.num_seats = int(self.counts.max())
        self.options = game.resolve_options(rules, **options)
        self.states = game.new_states(num_games)
        self.batch = Batch(
            counts=self.counts,
            options=game.encode_options(self.options),
            seeds=np.zeros(num_games, np.uint64),
            streams=np.zeros(num_games, np.uint64),
            observations=np.zeros((num_games, game.layout.size), np.float32),
            masks=np.zeros((num_games, game.num_actions), np.int8),
            players=np.zeros(num_games, np.int64),
            done=np.zeros(num_games, bool),
            truncated=np.zeros(num_games, bool),
            final_observations=np.zeros(
                (num_games, self.num_seats if final_views is None else final_views, game.layout.size),
                np.float32,
            ),
            scores=np.zeros((num_games, self.num_seats), np.int64),
            returns=np.zeros((num_games, self.num_seats), np.float64),
        )
        self.everything = np.arange(num_games)
        self._threads = threads
        # Scratch of different threads must not share a cache line: they would slow each other down.
        self._bits = np.zeros((threads, game.num_words + CACHE_LINE), np.uint64)[:, : game.num_words]
        self._pool: ThreadPoolExecutor | None = None
        self._generator = np.random.default_rng()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}

    def run(self, kernel: Kernel, rows: npt.NDArray[np.int64]) -> None:
        """Call a compiled function with rows and scratch, once for each thread's share of the rows."""
        if self._threads == 1 or len(rows) < self._threads:
            kernel(rows, self._bits[0])
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads - 1)
        own = round(len(rows) * (1 / self._threads + HEAD_START))
        shares = np.array_split(rows[own:], self._threads - 1)
        others = [self._pool.submit(kernel, *work) for work in zip(shares, self._bits[1:], strict=True)]
        kernel(rows[:own], self._bits[0])
        for other in others:
            other.result()

    def seed(self, seed: Seeds) -> None:
        """Set what every game is dealt from; later games follow from it.

        Args:
            seed: one for each game (0 to 2**64 - 1), or one number: that plus the index of the game.
                None: the next of the sequence that the last single seed began (at first: seeds that
                nobody can repeat).

        Raises:
            GameError: a seed is out of range, or there is not one for each game.
        """
        if isinstance(seed, int | np.integer):
            if not 0 <= seed <= MAX_SEED:
                raise GameError(f"a seed is an integer from 0 to 2**64 - 1, not {seed}")
            self._generator = np.random.default_rng(int(seed))
            first = np.arange(self.num_games, dtype=np.uint64)
            first += np.uint64(seed)
            self.batch.seeds[:] = first
        elif seed is None:
            self.batch.seeds[:] = self._generator.integers(0, 2**64, self.num_games, dtype=np.uint64)
        else:
            values = [int(value) for value in seed]
            if len(values) != self.num_games or not all(0 <= value <= MAX_SEED for value in values):
                raise GameError(
                    f"seeds are {self.num_games} integers from 0 to 2**64 - 1, one for each game, "
                    f"not {len(values)} from {min(values, default=0)} to {max(values, default=0)}"
                )
            self.batch.seeds[:] = np.array(values, dtype=np.uint64)
        self.batch.streams[:] = self.batch.seeds

    def check_actions(self, actions: Any) -> npt.NDArray[np.int64]:
        """Return the actions as int64[games].

        Raises:
            IllegalMoveError: one is not legal in its game; nothing has been carried out.
            GameError: they are not one integer for each game.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,) or not np.issubdtype(chosen.dtype, np.integer):
            raise GameError(
                f"actions are {self.num_games} integers, one for each game, "
                f"not {chosen.dtype} of shape {chosen.shape}"
            )
        chosen = chosen.astype(np.int64, copy=False)
        wrong = batch_kernels.first_illegal(self.states, self.everything, chosen, self.batch)
        if wrong >= 0:
            raise self.illegal(wrong, int(chosen[wrong]))
        return chosen

    def illegal(self, number: int, action: int) -> IllegalMoveError:
        """Return the error of an illegal move in one of the games."""
        names = self.game.action_names
        name = names[action] if 0 <= action < len(names) else "no action"
        legal = ", ".join(f"{move} ({names[move]})" for move in np.flatnonzero(self.batch.masks[number]))
        return IllegalMoveError(
            f"player {self.batch.players[number]} of game {number} cannot play {action} ({name}) now; "
            f"legal: {legal}"
        )

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


class GameBatch:
    """Many games of one kind stepped by one call; whoever moves is shown, in whichever seat.

    A game that ends is dealt anew in the same step (`metadata["autoreset_mode"]`): `done` and
    `rewards` speak of the game that ended, observation, mask and player of the new one. The end is
    kept in `final_observations`, `final_scores`, `final_returns` and `truncated` until the next
    game in the same place ends. With `autoreset=False` a game that is over stays as it is: its mask
    is all zero, its action ignored.

    All arrays are those that the kernels write: the next step overwrites them, nothing is copied.
    Copy what you keep. They must not be written to.

    Args:
        game: the game.
        num_games: how many are played side by side.
        num_players: how many play each, or a sequence of numbers that is repeated over the games.
        rules: the name of a preset of options, by default the game's first.
        reward: "placement", "win" or "score", as for `tabletop.aec.GameEnv`; absent seats get 0.
        autoreset: deal a new game in the step that ends one.
        threads: among how many threads the games are shared out; the results are the same.
        options: single options of the game, in place of those of the preset.

    Raises:
        GameError: an unknown option or a value out of range; the message lists the valid ones.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        num_players: int | Sequence[int] = 3,
        rules: str | None = None,
        reward: str = "placement",
        autoreset: bool = True,
        threads: int = 1,
        **options: object,
    ) -> None:
        self.game = game
        self.num_games = num_games
        self.metadata: dict[str, Any] = {
            "autoreset_mode": AutoresetMode.SAME_STEP if autoreset else AutoresetMode.DISABLED
        }
        self._arrays = BatchArrays(game, num_games, num_players, rules, threads, options)
        self._reward = REWARDS.index(check_reward(reward))
        self._autoreset = autoreset
        self._rewards = np.zeros((num_games, self._arrays.num_seats), np.float32)
        self._has_reset = False

    @property
    def options(self) -> dict[str, bool | str]:
        """Every option of the game by name."""
        return self._arrays.options

    @property
    def num_players(self) -> npt.NDArray[np.int64]:
        """How many play each game, int64[games]."""
        return self._arrays.counts

    @property
    def states(self) -> npt.NDArray[Any]:
        """The records of all games: a copy of them is a copy of the games."""
        return self._arrays.states

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """What the game in progress in each place was dealt from, uint64[games]."""
        return self._arrays.batch.seeds

    @property
    def final_observations(self) -> npt.NDArray[np.float32]:
        """What every seat saw of the end of the last game in each place, float32[games, seats, layout.size]."""
        return self._arrays.batch.final_observations

    @property
    def final_scores(self) -> npt.NDArray[np.int64]:
        """The scores of the last game that ended in each place, int64[games, seats]."""
        return self._arrays.batch.scores

    @property
    def final_returns(self) -> npt.NDArray[np.float64]:
        """Its returns by placement, float64[games, seats]."""
        return self._arrays.batch.returns

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """Whether the last step cut a game off, bool[games]."""
        return self._arrays.batch.truncated

    def reset(self, seed: Seeds = None) -> BatchStep:
        """Deal new games everywhere.

        Args:
            seed: one for each game (0 to 2**64 - 1), or one number: that plus the index of the game.
                The first game in each place is the one that `GameEnv.reset` deals from that seed;
                later ones follow from it, whatever the other games do. None: seeds that go on from
                the last reset, or that nobody can repeat.

        Raises:
            GameError: a seed is out of range, or there is not one for each game.
        """
        arrays = self._arrays
        arrays.seed(seed)
        with announced(f"the batch of {self.game.title}"):
            batch_kernels.deal_games(arrays.states, arrays.everything, arrays.batch)
            batch_kernels.look_at_batch(
                arrays.states, arrays.everything, arrays.batch, np.zeros(self.game.num_words, np.uint64)
            )
            if not self._has_reset:
                self._step(arrays.everything[:0], np.zeros(self.num_games, np.int64))
        self._rewards[:] = 0
        arrays.batch.done[:] = False
        arrays.batch.truncated[:] = False
        self._has_reset = True
        return self._shown()

    def step(self, actions: npt.ArrayLike) -> BatchStep:
        """Carry out one legal action in every game.

        Args:
            actions: int[games].

        Raises:
            IllegalMoveError: one of them is not legal; the message names the game, the move and the
                legal ones, and no game has moved.
            GameError: they are not one integer for each game, or `reset` was never called.
        """
        if not self._has_reset:
            raise GameError("call reset() before step()")
        self._step(self._arrays.everything, self._arrays.check_actions(actions))
        return self._shown()

    def random_actions(self, generator: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return a random legal action for every game, int64[games]; `generator` is uint64[1], any seed at first."""
        actions = np.zeros(self.num_games, np.int64)
        kernels.random_actions(self._arrays.batch.masks, actions, generator)
        return actions

    def close(self) -> None:
        """Stop the threads."""
        self._arrays.close()

    def _step(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        arrays = self._arrays

        def kernel(share: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> None:
            batch_kernels.step_batch(
                arrays.states,
                share,
                actions,
                arrays.batch,
                self._rewards,
                self._reward,
                self.game.score_scale,
                self._autoreset,
                bits,
            )

        arrays.run(kernel, rows)

    def _shown(self) -> BatchStep:
        batch = self._arrays.batch
        return BatchStep(batch.observations, batch.masks, batch.players, self._rewards, batch.done)
