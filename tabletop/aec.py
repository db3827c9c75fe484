"""The one PettingZoo AEC environment, for any `Game`.

PettingZoo's stack of wrappers costs 81 us a step. Here the environment itself checks order and
legality, behaves as those wrappers do, and makes one compiled call a step.
"""

import copy
import operator
from collections.abc import Iterator
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from tabletop import kernels
from tabletop.compiling import announced
from tabletop.game import Game, GameError
from tabletop.rewards import check_reward, final_rewards
from tabletop.rng import MAX_SEED

Observation = dict[str, npt.NDArray[Any]]

ILLEGAL_REWARD = -1.0
AFTER_RESET = frozenset(
    ("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents")
)


_compiled: set[str] = set()


def compile_once(game: Game) -> None:
    """Make the machine code of a game's environment, or load it, and say so if it takes long."""
    if game.module in _compiled:
        return
    with announced(f"the environment of {game.title}"):
        states, status = game.new_states(1), np.zeros(kernels.STATUS_SIZE, np.int64)
        bits, mask = np.zeros(game.num_words, np.uint64), np.zeros(game.num_actions, np.int8)
        observation = np.zeros(game.layout.size, np.float32)
        codes = game.encode_options(game.resolve_options())
        kernels.start_games(states, game.min_players, codes, np.zeros(1, np.uint64))
        kernels.legal_mask(states, mask, bits)
        kernels.step_game(states, int(mask.argmax()), observation, mask, bits, status)
        kernels.status_of(states, status)
        kernels.look(states, 0, observation, mask, bits)
        seats = game.min_players
        kernels.results_of(states, np.zeros(seats, np.int64), np.zeros(seats, np.float64))
    _compiled.add(game.module)


class IllegalMoveError(ValueError):
    """A move that is in the action space but not legal now; the message lists those that are."""


class GameEnv(AECEnv[str, Observation, int | None]):
    """A game as an AEC environment: agents `player_0`, `player_1`, ... in seat order.

    An observation is `{"observation": float32[game.layout.size], "action_mask":
    int8[game.num_actions]}`; the mask also stands in `infos[agent]`, and is all zero for whoever
    does not move. Rewards come at the end of the game. The arrays are new at every step.

    Args:
        game: the game.
        num_players: how many play; by default 3, or as few as the game allows above that.
        rules: the name of a preset of options, by default the game's first.
        render_mode: None, "ansi" (`render` returns the text board) or "human" (it prints it).
        illegal_action: "raise" an IllegalMoveError, or "terminate": the game ends, the offender
            gets -1 and the others 0, as with PettingZoo's TerminateIllegalWrapper.
        reward: "placement" (+1 for the first to -1 for the last), "win" (1 shared among the
            winners, else 0) or "score" (margin to the others' mean / game.score_scale).
        options: single options of the game, in place of those of the preset.

    Raises:
        GameError: an unknown option or a value out of range; the message lists the valid ones.
    """

    def __init__(
        self,
        game: Game,
        num_players: int | None = None,
        rules: str | None = None,
        render_mode: str | None = None,
        illegal_action: str = "raise",
        reward: str = "placement",
        **options: object,
    ) -> None:
        super().__init__()
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": ["ansi", "human"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        if render_mode not in (None, "ansi", "human"):
            raise GameError(f"unknown render_mode {render_mode!r}; valid: None, ansi, human")
        if illegal_action not in ("raise", "terminate"):
            raise GameError(f"unknown illegal_action {illegal_action!r}; valid: raise, terminate")
        self.game = game
        self.num_players = game.check_num_players(
            max(3, game.min_players) if num_players is None else num_players
        )
        self.options = game.resolve_options(rules, **options)
        self.render_mode = render_mode
        self.illegal_action = illegal_action
        self.reward = check_reward(reward)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        box = spaces.Box(game.layout.low, game.layout.high, dtype=np.float32)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(box.low, box.high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(
            np.tile(box.low, self.num_players), np.tile(box.high, self.num_players), dtype=np.float32
        )
        self._codes = game.encode_options(self.options)
        self._states = game.new_states(1)
        self._bits = np.zeros(game.num_words, np.uint64)
        self._status = np.zeros(kernels.STATUS_SIZE, np.int64)
        self._no_mask = np.zeros(game.num_actions, np.int8)
        self._no_mask.flags.writeable = False
        self._view: Observation | None = None
        self._generator = np.random.default_rng()
        self._has_reset = False
        self._has_updated = False

    def __getattr__(self, name: str) -> Any:
        if name in AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __copy__(self) -> "GameEnv":
        return copy.deepcopy(self)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: 0 to 2**64 - 1: the game dealt with this seed. Without one, the next game of the
                sequence that the last seed began (at first: one that nobody can repeat).
            options: ignored; rules are chosen when the environment is made.

        Raises:
            GameError: the seed is out of range.
        """
        if seed is None:
            seed = int(self._generator.integers(0, MAX_SEED, dtype=np.uint64, endpoint=True))
        else:
            if not 0 <= seed <= MAX_SEED:
                raise GameError(f"a seed is an integer from 0 to 2**64 - 1, not {seed}")
            self._generator = np.random.default_rng(seed)
        compile_once(self.game)
        kernels.start_games(self._states, self.num_players, self._codes, np.array([seed], np.uint64))
        self._begin()

    def step(self, action: int | None) -> None:
        """Carry out the move of `agent_selection`; None for an agent whose game has ended.

        Raises:
            AssertionError: the action is not in the action space, or `reset` was never called.
            IllegalMoveError: the move is not legal now (with `illegal_action="raise"`).
            ValueError: an action that is not None for an agent whose game has ended.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            self._view = None
            return
        number = self._in_action_space(action)
        game = self.game
        observation = np.empty(game.layout.size, np.float32)
        mask = np.empty(game.num_actions, np.int8)
        status = self._status
        kernels.step_game(self._states, number, observation, mask, self._bits, status)
        _, over, _, legal = status.tolist()
        if not legal:
            self._refuse(agent, number)
        elif over:
            self._finish()
        else:
            self._offer(agent, observation, mask)
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last move, termination, truncation and info of the agent to move."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now, whether or not it is to move."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        if self._view is not None and agent == self.agent_selection:
            return dict(self._view)
        observation = np.empty(self.game.layout.size, np.float32)
        mask = np.empty(self.game.num_actions, np.int8)
        kernels.look(self._states, self._seats[agent], observation, mask, self._bits)
        if agent not in self.agents or self.terminations[agent] or self.truncations[agent]:
            mask[:] = 0
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[np.float32]:
        """Return the observations of all seats, one after the other: together they hold every secret in play."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def render(self) -> str | None:
        """Return the text board ("ansi"), or print it ("human")."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() needs a render_mode; make the environment with render_mode='ansi'"
            )
            return None
        board = self.game.state_to_string(self._states[0])
        if self.render_mode == "ansi":
            return board
        print(board)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield `agent_selection` until all agents are done; each iteration must call `step` or `reset`."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return self._iterate(max_iter)

    def get_state(self) -> bytes:
        """Return the game as it stands, future chance included."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return self._stamp() + self._states.tobytes()

    def set_state(self, data: bytes) -> None:
        """Go on from a game that `get_state` returned, all players seated, nothing yet rewarded.

        Raises:
            GameError: it is not a state of this game, number of players, options and version.
        """
        stamp = self._stamp()
        if not data.startswith(stamp) or len(data) != len(stamp) + self._states.nbytes:
            known = f"{self.game.name} with {self.num_players} players, {self.options}"
            raise GameError(f"not a state of {known} in this version ({self.game.fingerprint()})")
        self._states[:] = np.frombuffer(data[len(stamp) :], dtype=self.game.state_dtype)
        self._begin()

    def _stamp(self) -> bytes:
        head = f"{self.game.name} {self.num_players} {self._codes.tolist()} {self.game.fingerprint()}\n"
        return head.encode()

    def _begin(self) -> None:
        """Seat everybody and show the game to the player to move."""
        self._has_reset = True
        self._has_updated = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self._skip_agent_selection = None
        kernels.status_of(self._states, self._status)
        agent = self.possible_agents[int(self._status[kernels.PLAYER])]
        self.agent_selection = agent
        if self._status[kernels.IS_OVER]:
            self._finish()
            return
        self._view = None
        self._offer(agent, **self.observe(agent))

    def _offer(self, mover: str, observation: npt.NDArray[Any], action_mask: npt.NDArray[Any]) -> None:
        """Make the player whom the status names the next to move."""
        self.infos[mover] = {"action_mask": self._no_mask}
        agent = self.possible_agents[self._status.item(kernels.PLAYER)]
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": action_mask}
        self._view = {"observation": observation, "action_mask": action_mask}

    def _finish(self) -> None:
        """The game is over: pay everybody and let them leave one by one."""
        scores = np.zeros(self.num_players, np.int64)
        returns = np.zeros(self.num_players, np.float64)
        kernels.results_of(self._states, scores, returns)
        paid = final_rewards(self.game, self.reward, scores, returns)
        truncated = bool(self._status[kernels.IS_TRUNCATED])
        self._end({agent: float(paid[seat]) for agent, seat in self._seats.items()}, not truncated, truncated)

    def _refuse(self, agent: str, action: int) -> None:
        """An illegal move: say what is legal, or end the game at the offender's cost."""
        if self.illegal_action == "raise":
            mask = np.empty(self.game.num_actions, np.int8)
            kernels.legal_mask(self._states, mask, self._bits)
            legal = ", ".join(
                f"{number} ({self.game.action_names[number]})" for number in np.flatnonzero(mask)
            )
            name = self.game.action_names[action]
            raise IllegalMoveError(f"{agent} cannot play {action} ({name}) now; legal: {legal}")
        EnvLogger.warn_on_illegal_move()
        rewards = dict.fromkeys(self.agents, 0.0)
        rewards[agent] = ILLEGAL_REWARD
        self._end(rewards, True, True)

    def _end(self, rewards: dict[str, float], terminated: bool, truncated: bool) -> None:
        """Set what everybody gets and leave the order of leaving to PettingZoo."""
        self.rewards = rewards
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self._accumulate_rewards()
        self._deads_step_first()
        self._view = None

    def _in_action_space(self, action: SupportsIndex | None) -> int:
        """Return an action as an int, or raise AssertionError as PettingZoo's wrapper does."""
        try:
            number = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            number = -1
        if not 0 <= number < self.game.num_actions:
            valid = f"an integer from 0 to {self.game.num_actions - 1}"
            raise AssertionError(f"action is not in action space: {action!r}; valid: {valid}")
        return number

    def _iterate(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            assert self._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
            self._has_updated = False
            max_iter -= 1
            yield self.agent_selection
