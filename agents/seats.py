"""Single-seat environments: one seat learns, agents play the others. Gymnasium's `Env` and `VectorEnv`.

`gymnasium.make("ra_env:Ra-v0", num_players=3, opponents="greedy")` gives a `SeatEnv`,
`gymnasium.make_vec("ra_env:Ra-v0", num_envs=1024, ...)` a `SeatVectorEnv`. Both stand on `SeatGames`,
which plays compiled opponents inside the kernel and asks others for a batch of actions at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from agents.base import Agent
from agents.registry import make_agent
from tabletop import batch_kernels
from tabletop.aec import ILLEGAL_REWARD
from tabletop.batch_kernels import EXTERNAL, LEARNER, Table
from tabletop.compiling import announced
from tabletop.description import Describer
from tabletop.game import MAX_PLAYERS, Game, GameError, load
from tabletop.rewards import REWARDS, SHAPINGS, check_reward, check_shaping
from tabletop.vector import BatchArrays, Seeds
from tabletop.view import View

Maker = Callable[[Game, int], Agent]
Opponents = str | Sequence[str | Maker] | Mapping[str, float] | Mapping[str | Maker, float]

SELF = "self"  # the learner sits at this seat as well: only where a batch says which seat moves


class SeatGames:
    """Games with one learner each, played on until the learner has to move.

    Args:
        game: the game, or its name ("ra", "amunre", or a module that has a GAME).
        num_games: how many are played side by side.
        num_players: how many play each, or a sequence of numbers that is repeated over the games.
        opponents: the agents at the other seats. A specification (`"greedy"`, `"greedy:spite=0"`,
            `"my_package.my_bot"`): it sits at all of them. A sequence: one for each place after the
            learner, in the order of play. A mapping of specifications to weights: each seat of each
            new game draws one, in proportion. In a sequence or a mapping there may be functions
            `(game, num_players) -> Agent` among the specifications.
        seat: the learner's seat; None: it moves on by one with every game, and begins at the seed
            modulo the number of players.
        rules: the name of a preset of options, by default the game's first.
        reward: "placement" (+1 for the first to -1 for the last), "win" (1 shared among the
            winners, else 0) or "score" (margin to the others' mean / game.score_scale), at the end.
        shaping: a potential, whose change is added to every reward: F = gamma * after - before, and
            0 after the end, so that the best policy is the same. "none"; "score": the margin so
            far; "value": the expected returns by the game's estimate.
        gamma: the learner's discount, for shaping.
        autoreset: deal a new game in the step that ends one.
        threads: among how many threads the games are shared out; the results are the same.
        options: single options of the game, in place of those of the preset.

    Raises:
        GameError, AgentError: an unknown option or a value out of range; the message lists the valid ones.
    """

    shared = False  # whether the learner may sit at more than one seat of a game

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        num_players: int | Sequence[int] = 3,
        opponents: Opponents = "greedy",
        seat: int | None = None,
        rules: str | None = None,
        reward: str = "placement",
        shaping: str = "none",
        gamma: float = 1.0,
        autoreset: bool = True,
        threads: int = 1,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.game = game = load(game) if isinstance(game, str) else game
        self.arrays = BatchArrays(
            game, num_games, num_players, rules, threads, dict(options or {}), final_views=1
        )
        self.batch = self.arrays.batch
        players = sorted(set(self.arrays.counts.tolist()))
        if seat is not None and not 0 <= seat < players[0]:
            raise GameError(f"unknown seat {seat!r}; valid: None (rotating), 0 to {players[0] - 1}")
        self.seat = seat
        self.reward = REWARDS.index(check_reward(reward))
        self.shaping = SHAPINGS.index(check_shaping(game, shaping))
        self.gamma = gamma
        self.autoreset = autoreset
        self.rewards = np.zeros(num_games, np.float64)
        self.waiting_actions = np.zeros(num_games, np.int64)
        specs, chances = _opponent_specs(opponents, players)
        if SELF in specs and not self.shared:
            raise GameError(f"{SELF!r} is no opponent here: these games have one learner each")
        self.opponents: list[tuple[str | Maker, int]] = [(spec, count) for count in players for spec in specs]
        agents = [_made(spec, game, count) for spec, count in self.opponents]
        self._tables: dict[tuple[int, int, int], tuple[Agent, int]] = {}
        self._batched = {
            number: agent for number, agent in enumerate(agents) if agent.policy is None and agent.batched
        }
        lineup = np.zeros((MAX_PLAYERS + 1, len(specs)), np.int64)
        first = {id(agent): number for number, agent in reversed(list(enumerate(agents)))}
        numbers = [
            LEARNER if spec == SELF else first[id(agent)]
            for (spec, _), agent in zip(self.opponents, agents, strict=True)
        ]
        lineup[players] = np.array(numbers, np.int64).reshape(len(players), len(specs))
        estimate = game.estimate
        tuned = {} if estimate is None else {count: estimate.tuned(count) for count in players}
        estimates = np.zeros((MAX_PLAYERS + 1, max(map(len, tuned.values()), default=0)))
        for count, coefficients in tuned.items():
            estimates[count] = coefficients
        shape = (num_games, self.arrays.num_seats)
        self.table = Table(
            seats=np.zeros(num_games, np.int64),
            seating=np.zeros(shape, np.int64),
            lineup=lineup,
            chances=chances,
            policies=np.array([EXTERNAL if a.policy is None else a.policy.kind for a in agents], np.int64),
            weights=np.array(
                [np.zeros(len(game.weight_names)) if a.policy is None else a.policy.weights for a in agents],
                np.float64,
            ),
            rngs=np.zeros((num_games, 1), np.uint64),
            episodes=np.zeros(num_games, np.int64),
            waiting=np.full(num_games, LEARNER, np.int64),
            potentials=np.zeros(num_games, np.float64),
            estimates=estimates,
            points=np.zeros(shape, np.int64),
            values=np.zeros(shape, np.float64),
        )

    def deal(self, seed: Seeds) -> None:
        """Deal new games from a seed, see `BatchArrays.seed`, and play on to the learner's decision."""
        arrays, rows = self.arrays, self.arrays.everything
        arrays.seed(seed)
        if self.seat is not None:
            self.table.seats[:] = self.seat
        elif seed is None and self.table.episodes.all():
            self.table.seats[:] = (self.table.seats + 1) % self.batch.counts
        else:
            self.table.seats[:] = self.batch.seeds % self.batch.counts.astype(np.uint64)
        with announced(f"the environment of {self.game.title}"):
            batch_kernels.deal_seats(arrays.states, rows, self.batch, self.table, False)
            self._run(rows, self.waiting_actions, False)
        self._ask_others(rows)
        self._clear()

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Carry out the learner's legal actions, int64[games], and play on to its next decision."""
        self._clear()
        self._run(self.arrays.everything, actions, True)
        self._ask_others(self.arrays.everything)

    def _clear(self) -> None:
        self.rewards[:] = 0.0
        self.batch.done[:] = False
        self.batch.truncated[:] = False

    def _run(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], act: bool) -> None:
        def kernel(share: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> None:
            batch_kernels.run_seats(
                self.arrays.states,
                share,
                actions,
                self.batch,
                self.table,
                self.rewards,
                self.reward,
                self.game.score_scale,
                self.shaping,
                self.gamma,
                act,
                self.autoreset,
                self.seat is None,
                bits,
            )

        self.arrays.run(kernel, rows)

    def _ask_others(self, rows: npt.NDArray[np.int64]) -> None:
        """Ask opponents that are not compiled until every game waits for the learner."""
        while len(rows := rows[self.table.waiting[rows] != LEARNER]):
            for number in np.unique(self.table.waiting[rows]):
                own = rows[self.table.waiting[rows] == number]
                self.waiting_actions[own] = self._answers(int(number), own)
            self._run(rows, self.waiting_actions, True)

    def _answers(self, number: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the actions of one opponent in the rows that wait for it."""
        masks = self.batch.masks[rows]
        if number in self._batched:
            answers = self._batched_answers(self._batched[number], rows, masks)
        else:
            answers = np.array([self._answer(number, int(row)) for row in rows], dtype=np.int64)
        inside = (answers >= 0) & (answers < self.game.num_actions)
        legal = inside & (masks[np.arange(len(rows)), np.where(inside, answers, 0)] != 0)
        if not legal.all():
            wrong = int(np.argmin(legal))
            names = ", ".join(self.game.action_names[action] for action in np.flatnonzero(masks[wrong]))
            raise RuntimeError(f"agent {self.opponents[number][0]} played {answers[wrong]}; legal: {names}")
        return answers

    def _batched_answers(
        self, agent: Agent, rows: npt.NDArray[np.int64], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int64]:
        """Return the actions of an opponent that decides many games at once."""
        seen = self.batch.observations[rows]
        if agent.describer is not None:
            told = self._told(agent.describer, rows, self.batch.players[rows], self._seeds(rows))
            seen = np.concatenate([seen, told], axis=1)
        return np.asarray(agent.act_batch(seen, masks, self._seeds(rows)))

    def _told(
        self,
        describer: Describer,
        rows: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.float32]:
        """Return what players are told of some games, float32[rows, describer.size]."""
        told = np.zeros((len(rows), describer.size), np.float32)

        def kernel(share: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> None:
            told[share] = describer(self.arrays.states, rows[share], players[share], seeds[share])

        self.arrays.run(kernel, np.arange(len(rows)))
        return told

    def _answer(self, number: int, row: int) -> int:
        """Return the action of an opponent that looks at one game at a time; each seat has an agent of its own."""
        seat = int(self.batch.players[row])
        seed = int(self._seeds(np.array([row]))[0])
        spec, count = self.opponents[number]
        agent, episode = self._tables.get((number, row, seat), (None, 0))
        if agent is None:
            agent = _made(spec, self.game, count)
        if episode != self.table.episodes[row]:
            agent.begin_game(seat, seed)
            self._tables[number, row, seat] = agent, int(self.table.episodes[row])
        return int(agent.act(View(self.game, self.arrays.states[row : row + 1], seat, seed)))

    def _seeds(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Return fresh seeds for decisions of opponents, uint64[rows], from the opponents' own generators."""
        seeds = np.zeros(len(rows), np.uint64)
        batch_kernels.draw_seeds(self.arrays.states, rows, self.table, seeds)
        return seeds


def _made(spec: str | Maker, game: Game, num_players: int) -> Agent:
    """Return an agent; for the learner's own seats one that is never asked."""
    if spec == SELF:
        return make_agent("random", game, num_players)
    return make_agent(spec, game, num_players) if isinstance(spec, str) else spec(game, num_players)


def _opponent_specs(
    opponents: Opponents, players: Sequence[int]
) -> tuple[list[str | Maker], npt.NDArray[np.float64]]:
    """Return specifications, by place or to draw from, and their summed-up chances, empty if by place."""
    if isinstance(opponents, str):
        return [opponents] * (players[-1] - 1), np.zeros(0)
    if isinstance(opponents, Mapping):
        weights = np.array(list(opponents.values()), np.float64)
        if not len(weights) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
            raise GameError(f"opponents need weights of which one is positive, not {dict(opponents)}")
        return list(opponents), np.cumsum(weights / weights.sum())
    if any(len(opponents) != count - 1 for count in players):
        raise GameError(
            f"{len(opponents)} opponents for games of {' and '.join(map(str, players))} players; valid: "
            f"one specification, one for each of the {players[-1] - 1} other seats, or a mapping to weights"
        )
    return list(opponents), np.zeros(0)


class SeatEnv(gymnasium.Env[npt.NDArray[np.float32], Any]):
    """One seat of a game as a Gymnasium environment; agents play the other seats.

    Observation: float32[game.layout.size], as the learner sees the game at its decision. The legal
    actions are `action_masks()`, bool[num_actions], and `info["action_mask"]`, int8[num_actions]; at
    the end of a game they are all zero. The reward of a game, losses included, comes with its last
    step, whoever makes the last move. `info` names the learner's `seat`, and at the end `scores`
    and `returns` of all seats.

    Args:
        render_mode: None, "ansi" (`render` returns the learner's text board) or "human" (prints it).
        illegal_action: "raise" an IllegalMoveError, or "terminate": the game ends with reward -1.
        options: see `SeatGames` for these and the other arguments.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        num_players: int = 3,
        opponents: Opponents = "greedy",
        seat: int | None = None,
        rules: str | None = None,
        reward: str = "placement",
        shaping: str = "none",
        gamma: float = 1.0,
        render_mode: str | None = None,
        illegal_action: str = "raise",
        **options: object,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise GameError(f"unknown render_mode {render_mode!r}; valid: None, ansi, human")
        if illegal_action not in ("raise", "terminate"):
            raise GameError(f"unknown illegal_action {illegal_action!r}; valid: raise, terminate")
        self.games = SeatGames(
            game,
            1,
            num_players,
            opponents,
            seat,
            rules,
            reward,
            shaping,
            gamma,
            autoreset=False,
            options=options,
        )
        self.game = self.games.game
        self.render_mode = render_mode
        self.illegal_action = illegal_action
        self.observation_space = spaces.Box(self.game.layout.low, self.game.layout.high, dtype=np.float32)
        self.action_space: spaces.Space[Any] = spaces.Discrete(self.game.num_actions)
        self._over = True

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self.games.table.seats[0])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool[num_actions], as sb3-contrib asks for them."""
        return np.array(self.games.batch.masks[0], dtype=bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Deal a new game and play on to the learner's first decision.

        Args:
            seed: 0 to 2**64 - 1: the game dealt with this seed. Without one, the next game of the
                sequence that the last seed began (at first: one that nobody can repeat).
            options: ignored; rules are chosen when the environment is made.
        """
        super().reset(seed=seed)
        self.games.deal(seed)
        self._over = False
        return self.games.batch.observations[0].copy(), self._info()

    def step(self, action: int) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Carry out the learner's move and play on to its next decision, or to the end of the game.

        Raises:
            IllegalMoveError: the move is not legal now (with `illegal_action="raise"`).
            GameError: the game is over, or `reset` was never called.
        """
        if self._over:
            raise GameError("the game is over or was never begun; call reset() before step()")
        games = self.games
        number = int(action)
        if not 0 <= number < self.game.num_actions or not games.batch.masks[0, number]:
            if self.illegal_action == "raise":
                raise games.arrays.illegal(0, number)
            self._over = True
            games.batch.masks[0] = 0
            return games.batch.observations[0].copy(), ILLEGAL_REWARD, True, False, self._info()
        games.step(np.array([number], np.int64))
        observation = games.batch.observations[0].copy()
        info = self._info()
        if self._ended():
            observation = games.batch.final_observations[0, 0].copy()
            info |= {"scores": games.batch.scores[0].copy(), "returns": games.batch.returns[0].copy()}
        if self.render_mode == "human":
            self.render()
        truncated = bool(games.batch.truncated[0])
        return observation, float(games.rewards[0]), self._over and not truncated, truncated, info

    def render(self) -> str | None:
        """Return the text board as the learner sees it ("ansi"), or print it ("human")."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() needs a render_mode; make the environment with render_mode='ansi'"
            )
            return None
        board = View(self.game, self.games.arrays.states, self.seat, 0).board()
        if self.render_mode == "ansi":
            return board
        print(board)
        return None

    def _ended(self) -> bool:
        self._over = bool(self.games.batch.done[0])
        return self._over

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.games.batch.masks[0].copy(), "seat": self.seat}


class SeatVectorEnv(VectorEnv[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[Any]]):
    """One seat of each of many games as a Gymnasium vector environment; agents play the other seats.

    Observation: float32[num_envs, layout.size]. The legal actions are `action_masks()`,
    bool[num_envs, num_actions], and `infos["action_mask"]`, int8 of that shape; they come with the
    observations, in the same call. `infos["seat"]`: int64[num_envs].

    A game that ends is dealt anew in the same step (`metadata["autoreset_mode"]` is SAME_STEP): reward
    and termination are of the game that ended, observation, mask and seat of the new one. In such a
    step `infos["final_obs"]` holds the learner's last view and `infos["final_info"]` the final
    `scores`, `returns` (both [num_envs, seats]) and the learner's `seat`, in the rows where
    `infos["_final_obs"]` and `infos["_final_info"]` are true.

    Args:
        game: the game, or its name.
        num_envs: how many games are played side by side.
        copy: return copies. Without, the arrays are those that the next step overwrites.
        options: see `SeatGames` for these and the other arguments.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        num_players: int | Sequence[int] = 3,
        opponents: Opponents = "greedy",
        seat: int | None = None,
        rules: str | None = None,
        reward: str = "placement",
        shaping: str = "none",
        gamma: float = 1.0,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        if render_mode is not None:
            raise GameError(f"unknown render_mode {render_mode!r}; valid for a batch: None")
        self.games = SeatGames(
            game,
            num_envs,
            num_players,
            opponents,
            seat,
            rules,
            reward,
            shaping,
            gamma,
            threads=threads,
            options=options,
        )
        self.game = self.games.game
        self.num_envs = num_envs
        self.copy = copy
        layout = self.game.layout
        self.single_observation_space = spaces.Box(layout.low, layout.high, dtype=np.float32)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._has_reset = False

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool[num_envs, num_actions]; a view that the next step overwrites."""
        return self.games.batch.masks.view(bool)

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Deal new games and play on to the learner's first decision in each.

        Args:
            seed: one for each game (0 to 2**64 - 1), or one number: that plus the index of the game.
            options: ignored; rules are chosen when the environment is made.
        """
        self.games.deal(seed)
        self._has_reset = True
        return self._kept(self.games.batch.observations), self._infos()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[
        npt.NDArray[np.float32],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Carry out the learner's move in every game and play on to its next decision.

        Raises:
            IllegalMoveError: one of the moves is not legal; no game has moved.
            GameError: they are not one integer for each game, or `reset` was never called.
        """
        if not self._has_reset:
            raise GameError("call reset() before step()")
        games = self.games
        checked = games.arrays.check_actions(actions)
        seats = games.table.seats.copy()
        games.step(checked)
        batch = games.batch
        infos = self._infos()
        if batch.done.any():
            done = batch.done.copy()
            infos |= {
                "final_obs": self._kept(batch.final_observations[:, 0]),
                "_final_obs": done,
                "final_info": {
                    "scores": self._kept(batch.scores),
                    "_scores": done,
                    "returns": self._kept(batch.returns),
                    "_returns": done,
                    "seat": seats,
                    "_seat": done,
                },
                "_final_info": done,
            }
        truncations = batch.truncated.copy()
        return (
            self._kept(batch.observations),
            self._kept(games.rewards),
            batch.done & ~truncations,
            truncations,
            infos,
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self.games.arrays.close()

    def _infos(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, bool)
        return {
            "action_mask": self._kept(self.games.batch.masks),
            "_action_mask": everywhere,
            "seat": self._kept(self.games.table.seats),
            "_seat": everywhere,
        }

    def _kept(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.copy() if self.copy else array
