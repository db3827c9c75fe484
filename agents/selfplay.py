"""Self-play for learners: games at some of whose seats the learner sits, agents at the others.

Every decision at the learner's seats is one to learn from, and the seats it plays itself cost no
second look at the network. A row is one game: each step is a decision of whichever of the learner's
seats has to move, so what follows a decision is the next one *of the same seat* in that row.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.seats import Maker, SeatGames
from tabletop import batch_kernels, description
from tabletop.batch_kernels import LEARNER
from tabletop.description import Describer
from tabletop.game import MAX_PLAYERS, Game
from tabletop.rewards import REWARDS
from tabletop.vector import Seeds

Floats = npt.NDArray[np.float32]


class SelfPlayGames(SeatGames):
    """Many games, in each of which the learner sits at one seat or more.

    What a seat is paid at the end is the sum of its `rewards`: each kind of `tabletop.rewards` times
    its share. `shaping` pays each seat the change of its expected return by the game's estimate on
    the way and takes all of it back at the end.

    Args:
        game: the game.
        num_games: how many are played side by side.
        num_players: numbers of players, repeated over the games.
        opponents: who sits at each other seat of each new game, drawn in proportion; "self" is the
            learner.
        rewards: the share of each kind of reward.
        describer: what the learner sees beside the observation.
        shaping: whether to pay the change of the expected return; needs a describer.
        rules: the name of a preset of options.
        threads: among how many threads the games are shared out.
    """

    shared = True

    def __init__(
        self,
        game: Game,
        num_games: int,
        num_players: Sequence[int],
        opponents: Mapping[str | Maker, float],
        rewards: Mapping[str, float],
        describer: Describer | None = None,
        shaping: bool = False,
        rules: str | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__(game, num_games, num_players, opponents, rules=rules, threads=threads)
        self.kinds = [(REWARDS.index(kind), share) for kind, share in rewards.items() if share]
        self.describer = describer
        self.shaped = shaping
        told = 0 if describer is None else describer.size
        self.inputs = np.zeros((num_games, game.layout.size + told), np.float32)
        shape = (num_games, self.arrays.num_seats)
        self.movers = np.zeros(num_games, np.int64)  # who made the last step's decision
        self.paid = np.zeros(shape, np.float32)  # [games, seats] what each seat got in the last step
        self.played = np.zeros(shape, np.int64)  # [games, seats] who sat there before the last step
        self.hopes = np.zeros(shape, np.float32)  # [games, seats] expected returns, if shaped
        self.seconds = 0.0  # spent on rules, observations and compiled opponents, of all steps
        self._answering = 0.0  # seconds that other opponents took in the last step
        self._worlds = np.zeros(num_games, np.uint64)  # generators of what is drawn anew for descriptions

    def deal(self, seed: Seeds) -> None:
        """Deal new games and play on to the learner's first decision."""
        super().deal(seed)
        self._worlds[:] = self.batch.seeds
        self._look()

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Carry out a legal action in every game and play on to the learner's next decision."""
        begun = time.perf_counter()
        self._answering = 0.0
        self.movers[:] = self.batch.players
        self.played[:] = self.table.seating
        super().step(actions)
        self.seconds += time.perf_counter() - begun - self._answering
        self.paid[:] = 0
        ended = np.flatnonzero(self.batch.done)
        if len(ended):
            pays = np.zeros((len(ended), self.paid.shape[1]))
            batch_kernels.pay_seats(
                self.arrays.states,
                ended,
                self.batch,
                np.array([kind for kind, _ in self.kinds], np.int64),
                np.array([share for _, share in self.kinds], np.float64),
                self.game.score_scale,
                pays,
            )
            self.paid[ended] = pays
        self._look()

    def _answers(self, number: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        begun = time.perf_counter()
        answers = super()._answers(number, rows)
        self._answering += time.perf_counter() - begun
        return answers

    def compared(self, opponent: int) -> tuple[float, int]:
        """Return how often the learner finished above an opponent in games that ended, and pairs compared.

        A tie counts as half.
        """
        won, pairs = 0.0, 0
        for game in np.flatnonzero(self.batch.done):
            count = self.batch.counts[game]
            results, seating = self.batch.returns[game, :count], self.played[game, :count]
            own, others = results[seating == LEARNER], results[seating == opponent]
            leads = own[:, None] - others[None, :]
            won += float((leads > 0).sum() + 0.5 * (leads == 0).sum())
            pairs += leads.size
        return won, pairs

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of all that changes in play, by name; agents that are asked one by one excepted."""
        return {name: array.copy() for name, array in self._changing().items()}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `state` returned, by games made with the same arguments."""
        for name, array in self._changing().items():
            array[...] = state[name]
        self._tables.clear()

    def _changing(self) -> dict[str, npt.NDArray[Any]]:
        arrays = {"states": self.arrays.states, "inputs": self.inputs, "hopes": self.hopes}
        arrays |= {"worlds": self._worlds}
        arrays |= {f"batch.{name}": array for name, array in self.batch._asdict().items()}
        table = self.table._asdict()
        return arrays | {f"table.{name}": table[name] for name in ("seats", "seating", "rngs", "episodes")}

    def _look(self) -> None:
        """Write the inputs of every game's decision, and pay for the change of what seats hope for."""
        size = self.game.layout.size
        self.inputs[:, :size] = self.batch.observations
        if self.describer is None:
            return
        rows, players = self.arrays.everything, self.batch.players
        seeds = np.zeros(len(rows), np.uint64)
        batch_kernels.draw_words(self.arrays.states, self._worlds, seeds)
        self.inputs[:, size:] = self._told(self.describer, rows, players, seeds)
        if self.shaped:
            told = self.inputs[:, size : size + len(description.names(self.game)) * MAX_PLAYERS]
            hopes = told.reshape(len(rows), MAX_PLAYERS, -1)[:, :, -1]
            places = (np.arange(self.paid.shape[1]) - players[:, None]) % self.batch.counts[:, None]
            hopes = np.take_along_axis(hopes, places, axis=1)
            self.paid += np.where(self.batch.done[:, None], 0, hopes) - self.hopes
            self.hopes[:] = hopes
