"""A game as OpenSpiel shows it, so that search code written for `pyspiel` runs on it: `load_game("ra")`.

Names, arguments and results are those of `pyspiel` (github.com/google-deepmind/open_spiel), over the
same records as everything else. What is different:

- Chance is sampled inside `apply_action` ("sampled stochastic"): there are no chance nodes. The
  generator is part of the state, so a clone meets the same chance as its original. Search that must
  not look ahead begins each simulation with `resample_from_infostate`, as IS-MCTS does.
- Choices made at the same time are made one after the other, unseen by the others.
- The order of chance to come is hidden, so all games count as games of imperfect information.
- `observation_tensor` and `legal_actions_mask` return NumPy arrays.
- There is no `information_state_tensor`; `information_state_string` has perfect recall.
- An illegal action raises SpielError.
"""

import base64
import json
import operator
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tabletop import kernels, verbs
from tabletop.compiling import announced
from tabletop.game import Game, GameError, copy_records, load
from tabletop.kinds import States
from tabletop.rewards import check_reward, final_rewards
from tabletop.rng import MAX_SEED

INVALID_ACTION = -1
SEED_STEPS = 2**53  # different values of a random float


class SpielError(GameError):
    """A call that the state of the game does not allow; the message says what would be."""


class PlayerId(IntEnum):
    """What stands for a player where there is none; of these only TERMINAL is ever met here."""

    CHANCE = -1
    SIMULTANEOUS = -2
    INVALID = -3
    TERMINAL = -4


@dataclass(frozen=True)
class GameType:
    """The facts of a game by which OpenSpiel's algorithms decide whether they fit."""

    Dynamics = Enum("Dynamics", ["SEQUENTIAL", "SIMULTANEOUS"])
    ChanceMode = Enum("ChanceMode", ["DETERMINISTIC", "EXPLICIT_STOCHASTIC", "SAMPLED_STOCHASTIC"])
    Information = Enum("Information", ["ONE_SHOT", "PERFECT_INFORMATION", "IMPERFECT_INFORMATION"])
    Utility = Enum("Utility", ["ZERO_SUM", "CONSTANT_SUM", "GENERAL_SUM", "IDENTICAL"])
    RewardModel = Enum("RewardModel", ["REWARDS", "TERMINAL"])

    short_name: str
    long_name: str
    min_num_players: int
    max_num_players: int
    utility: Enum
    dynamics: Enum = Dynamics.SEQUENTIAL
    chance_mode: Enum = ChanceMode.SAMPLED_STOCHASTIC
    information: Enum = Information.IMPERFECT_INFORMATION
    reward_model: Enum = RewardModel.TERMINAL
    provides_information_state_string: bool = True
    provides_information_state_tensor: bool = False
    provides_observation_string: bool = True
    provides_observation_tensor: bool = True


class HasRandom(Protocol):
    """A generator of random floats in [0, 1), such as NumPy's."""

    def random(self) -> float:
        """Return the next one."""


Sampler = Callable[[], float] | HasRandom


class UniformProbabilitySampler:
    """What `resample_from_infostate` is given in OpenSpiel: a source of floats in [low, high)."""

    def __init__(self, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> None:
        self._low, self._high = low, high
        self._generator = np.random.default_rng(seed)

    def __call__(self) -> float:
        """Return the next float."""
        return float(self._generator.uniform(self._low, self._high))


def load_game(
    name: str,
    parameters: Mapping[str, Any] | None = None,
    /,
    *,
    num_players: int | None = None,
    rules: str | None = None,
    reward: str = "placement",
    seed: int | None = None,
    **options: object,
) -> "SpielGame":
    """Return a game by its name or module, as OpenSpiel shows it.

    Args:
        name: "ra", "amunre" or the module that holds a GAME.
        parameters: any of the other arguments as a mapping; `players` means `num_players`.
        num_players: how many play; by default 3, or as few as the game allows above that.
        rules: the name of a preset of options, by default the game's first.
        reward: "placement", "win" or "score", as in the AEC environment.
        seed: 0 to 2**64 - 1: of the sequence of deals that `new_initial_state` makes.
        options: single options of the game, in place of those of the preset.

    Raises:
        GameError: an unknown game, option or reward, or a value out of range.
    """
    if parameters:
        given = {("num_players" if key == "players" else key): value for key, value in parameters.items()}
        known: dict[str, Any] = {"num_players": num_players, "rules": rules, "reward": reward, "seed": seed}
        return load_game(name, **(known | options | given))
    return SpielGame(load(name), num_players, rules, reward, seed, **options)


class Scratch(threading.local):
    """Arrays that compiled calls write into, each thread its own."""

    def __init__(self, game: Game) -> None:
        self.bits = np.zeros(game.num_words, np.uint64)
        self.actions = np.zeros(game.num_actions, np.int64)
        self.status = np.zeros(kernels.STATUS_SIZE, np.int64)


class SpielGame:
    """A game with its number of players and rules; makes states. See `load_game` for the arguments."""

    def __init__(
        self,
        game: Game,
        num_players: int | None = None,
        rules: str | None = None,
        reward: str = "placement",
        seed: int | None = None,
        **options: object,
    ) -> None:
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise GameError(f"a seed is an integer from 0 to 2**64 - 1, not {seed}")
        self.game = game
        self.options = game.resolve_options(rules, **options)
        self.reward = check_reward(reward)
        self._num_players = game.check_num_players(
            max(3, game.min_players) if num_players is None else num_players
        )
        self._seeds = np.random.default_rng(seed)
        self.scratch = Scratch(game)

    def new_initial_state(self, seed: int | None = None) -> "SpielState":
        """Return a new game: that of a seed, 0 to 2**64 - 1, or the next of the sequence of deals."""
        if seed is None:
            seed = int(self._seeds.integers(0, MAX_SEED, dtype=np.uint64, endpoint=True))
        elif not 0 <= seed <= MAX_SEED:
            raise GameError(f"a seed is an integer from 0 to 2**64 - 1, not {seed}")
        states = self.game.new_states(1)
        codes = self.game.encode_options(self.options)
        with announced(f"the rules of {self.game.title}"):
            kernels.start_games(states, self._num_players, codes, np.array([seed], np.uint64))
            return SpielState(self, self.root(states))

    def root(self, states: States, known: str | None = None) -> "Node":
        """Return the node of a game that begins with a record, of which `known` has been told to all."""
        status = self.scratch.status
        kernels.status_of(states, status)
        player, over, _, _ = status.tolist()
        return Node(None, INVALID_ACTION, states, player, bool(over), known)

    def num_players(self) -> int:
        """Return how many play."""
        return self._num_players

    def num_distinct_actions(self) -> int:
        """Return the number of action ids."""
        return self.game.num_actions

    def max_game_length(self) -> int:
        """Return after how many moves a game is cut off."""
        return self.game.max_moves

    def max_chance_outcomes(self) -> int:
        """Return 0: there are no chance nodes."""
        return 0

    def max_utility(self) -> float:
        """Return the most that a player can get, as far as the kind of reward says; infinite for `score`."""
        return float("inf") if self.reward == "score" else 1.0

    def min_utility(self) -> float:
        """Return the least that a player can get; minus infinity for `score`."""
        return {"placement": -1.0, "win": 0.0, "score": float("-inf")}[self.reward]

    def utility_sum(self) -> float:
        """Return what the players' returns add up to."""
        return 1.0 if self.reward == "win" else 0.0

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of `observation_tensor`, which is flat."""
        return [self.game.layout.size]

    def observation_tensor_size(self) -> int:
        """Return the length of `observation_tensor`."""
        return self.game.layout.size

    def get_type(self) -> GameType:
        """Return the facts by which algorithms decide whether they fit."""
        utilities = GameType.Utility
        return GameType(
            self.game.name,
            self.game.title,
            self.game.min_players,
            self.game.max_players,
            utilities.CONSTANT_SUM if self.reward == "win" else utilities.ZERO_SUM,
        )

    def get_parameters(self) -> dict[str, Any]:
        """Return number of players, reward and every option by name: what `load_game` takes."""
        return {"num_players": self._num_players, "reward": self.reward, **self.options}

    def action_to_string(self, player: int, action: int) -> str:
        """Return the notation of an action, which is the same for all players."""
        return self.game.action_to_string(action)

    def deserialize_state(self, data: str) -> "SpielState":
        """Return the state that `SpielState.serialize` wrote.

        Raises:
            SpielError: it is not that of a state of this game, number of players, options and version.
        """
        try:
            fields = json.loads(data)
            stamp = fields["stamp"]
        except (ValueError, KeyError, TypeError):
            raise SpielError("not a serialized state: it is not the JSON that `serialize` writes") from None
        if stamp != self.stamp():
            raise SpielError(f"a state of {stamp}, not of {self.stamp()}")
        states = np.frombuffer(base64.b64decode(fields["record"]), self.game.state_dtype).copy()
        state = SpielState(self, self.root(states, fields["known"]))
        state.apply_actions(fields["actions"])
        return state

    def stamp(self) -> dict[str, Any]:
        """Return what a serialized state must agree with, the version of the rules included."""
        return {"game": self.game.name, "version": self.game.fingerprint(), **self.get_parameters()}

    def __reduce__(self) -> tuple[Callable[..., "SpielGame"], tuple[Any, ...]]:
        return _restore_game, (self.game, self.get_parameters(), self._seeds)

    def __str__(self) -> str:
        listed = ",".join(f"{name}={str(value).lower()}" for name, value in self.get_parameters().items())
        return f"{self.game.name}({listed})"

    def __repr__(self) -> str:
        return f"<SpielGame {self}>"


class Node:
    """One point of a history. Nodes are never changed, so states and their clones share them."""

    __slots__ = ("action", "known", "legal", "over", "parent", "player", "states", "told")

    def __init__(
        self,
        parent: "Node | None",
        action: int,  # that led here
        states: States,
        player: int,  # who moves
        over: bool,
        known: str | None,  # of a resampled root: what its observer had been told before
    ) -> None:
        self.parent = parent
        self.action = action
        self.states = states
        self.player = player
        self.over = over
        self.known = known
        self.legal: list[int] | None = None
        self.told: dict[int, str] = {}  # by player, once asked for


class SpielState:
    """A game in progress, its history included. Cloning costs nothing but the object."""

    __slots__ = ("_game", "_node")

    def __init__(self, game: SpielGame, node: Node) -> None:
        self._game = game
        self._node = node

    # Whose move it is, and which there are

    def current_player(self) -> int:
        """Return the seat that moves, or PlayerId.TERMINAL."""
        return PlayerId.TERMINAL if self._node.over else self._node.player

    def is_terminal(self) -> bool:
        """Return whether the game is over, or cut off."""
        return self._node.over

    def is_chance_node(self) -> bool:
        """Return False: chance is sampled inside `apply_action`."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Return False: choices made at the same time are asked for one after the other."""
        return False

    def is_player_node(self) -> bool:
        """Return whether somebody is to move."""
        return not self._node.over

    def is_initial_state(self) -> bool:
        """Return whether no move has been made."""
        return self._node.parent is None

    def move_number(self) -> int:
        """Return how many moves have been made since the start or the sample."""
        return len(self.history())

    def num_players(self) -> int:
        """Return how many play."""
        return self._game.num_players()

    def num_distinct_actions(self) -> int:
        """Return the number of action ids."""
        return self._game.num_distinct_actions()

    def get_game(self) -> SpielGame:
        """Return the game that made this state."""
        return self._game

    def get_type(self) -> GameType:
        """Return the facts of the game."""
        return self._game.get_type()

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of a player, by default who moves, ascending; none for the others."""
        node = self._node
        if node.over or (player is not None and self._seat(player) != node.player):
            return []
        if node.legal is None:
            scratch = self._game.scratch
            number = kernels.list_legal(node.states, scratch.actions, scratch.bits)
            node.legal = scratch.actions[:number].tolist()
        return node.legal.copy()

    def legal_actions_mask(self, player: int | None = None) -> npt.NDArray[np.int8]:
        """Return 1 for each legal action of a player, by default who moves, int8[num_distinct_actions]."""
        mask = np.zeros(self._game.game.num_actions, np.int8)
        mask[self.legal_actions(player)] = 1
        return mask

    def action_to_string(self, player_or_action: int, action: int | None = None) -> str:
        """Return the notation of an action; the player may be named first, as in OpenSpiel."""
        return self._game.game.action_to_string(player_or_action if action is None else action)

    def string_to_action(self, player_or_text: int | str, text: str | None = None) -> int:
        """Return the action of a notation; the player may be named first, as in OpenSpiel."""
        return self._game.game.string_to_action(str(player_or_text) if text is None else text)

    # Moves

    def apply_action(self, action: int) -> None:
        """Carry out a move of the current player, and the chance it meets.

        Raises:
            SpielError: it is not legal; the message lists the legal moves.
        """
        game = self._game.game
        number = operator.index(action)
        if 0 <= number < game.num_actions:
            states = copy_records(self._node.states)
            scratch = self._game.scratch
            kernels.try_action(states, number, scratch.bits, scratch.status)
            player, over, _, legal = scratch.status.tolist()
            if legal:
                self._node = Node(self._node, number, states, player, bool(over), None)
                return
        names = [f"{other} ({game.action_names[other]})" for other in self.legal_actions()]
        raise SpielError(
            f"action {number} is not legal; legal: {', '.join(names) or 'none, the game is over'}"
        )

    apply_action_with_legality_check = apply_action  # which it always does

    def apply_actions(self, actions: list[int]) -> None:
        """Carry out several moves."""
        for action in actions:
            self.apply_action(action)

    def child(self, action: int) -> "SpielState":
        """Return the state after a move, this one staying as it is."""
        state = self.clone()
        state.apply_action(action)
        return state

    def undo_action(self, player: int, action: int) -> None:
        """Take back the last move, its chance included.

        Raises:
            SpielError: that was not the last move, by that player.
        """
        node = self._node
        if node.parent is None or (node.parent.player, node.action) != (player, action):
            raise SpielError(f"the last move was not action {action} by player {player}")
        self._node = node.parent

    def clone(self) -> "SpielState":
        """Return the same state once more; the same moves meet the same chance in both."""
        return SpielState(self._game, self._node)

    def resample_from_infostate(self, player: int, sampler: Sampler) -> "SpielState":
        """Return a state that `player` cannot tell from this one, all that they cannot know drawn anew.

        That includes all chance to come. The history of the sample begins where it was drawn; of
        what was before, all players have been told what `player` was.

        Args:
            player: who looks.
            sampler: a function that returns random floats in [0, 1), or an object with such a
                `random`, as NumPy's generators.
        """
        draw: Any = getattr(sampler, "random", sampler)
        states = copy_records(self._node.states)
        kernels.resample_game(states, self._seat(player), np.uint64(draw() * SEED_STEPS))
        return SpielState(self._game, self._game.root(states, self._told(player)))

    # Results

    def returns(self) -> list[float]:
        """Return what each player gets; all zero until the game is over."""
        if not self._node.over:
            return [0.0] * self.num_players()
        points = np.zeros(self.num_players(), np.int64)
        results = np.zeros(self.num_players(), np.float64)
        kernels.results_of(self._node.states, points, results)
        rewards: list[float] = final_rewards(self._game.game, self._game.reward, points, results).tolist()
        return rewards

    def rewards(self) -> list[float]:
        """Return what each player gets for the last move: all of it comes at the end."""
        return self.returns()

    def player_return(self, player: int) -> float:
        """Return what one player gets."""
        return self.returns()[self._seat(player)]

    def player_reward(self, player: int) -> float:
        """Return what one player gets for the last move."""
        return self.player_return(player)

    # History and views

    def history(self) -> list[int]:
        """Return the actions since the start; of a sample, since it was drawn."""
        return [node.action for node in self._path()]

    def full_history(self) -> list[tuple[int, int]]:
        """Return player and action of each move of `history`."""
        return [(node.parent.player, node.action) for node in self._path() if node.parent is not None]

    def history_str(self) -> str:
        """Return the actions of `history` as text."""
        return ", ".join(str(action) for action in self.history())

    def observation_tensor(self, player: int | None = None) -> npt.NDArray[np.float32]:
        """Return what a player, by default who moves, sees now: float32[observation_tensor_size]."""
        observation = np.empty(self._game.game.layout.size, np.float32)
        mask = np.empty(self._game.game.num_actions, np.int8)
        kernels.look(self._node.states, self._observer(player), observation, mask, self._game.scratch.bits)
        return observation

    def observation_string(self, player: int | None = None) -> str:
        """Return all that a player, by default who moves, sees now.

        Two states have equal strings exactly when the player cannot tell them apart by looking.
        """
        return self._game.game.observation_string(self._node.states[0], self._observer(player))

    def information_key(self, player: int | None = None) -> int:
        """Return a hash, 64 bits, of what `observation_string` tells: quicker to make and to compare.

        Raises:
            SpielError: the game has none.
        """
        if not verbs.has(self._game.game.state_dtype, "information_key"):
            raise SpielError(f"{self._game.game.name} has no information_key")
        keys = np.empty(1, np.uint64)
        kernels.information_keys(self._node.states, self._observer(player), keys)
        return int(keys[0])

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a player, by default who moves, has seen since the start.

        These are the first observation, what they were told of each move, and the present one. Two
        states have equal strings exactly when their histories look alike to the player.
        """
        seat = self._observer(player)
        return f"{self._told(seat)}\n\n{self.observation_string(seat)}"

    def record(self) -> States:
        """Return a copy of the record, shape (1,): all there is, secrets and chance to come included."""
        return copy_records(self._node.states)

    def serialize(self) -> str:
        """Return the state as JSON, chance to come included; `SpielGame.deserialize_state` reads it."""
        root = self._node
        while root.parent is not None:
            root = root.parent
        fields = {
            "stamp": self._game.stamp(),
            "record": base64.b64encode(root.states.tobytes()).decode(),
            "known": root.known,
            "actions": self.history(),
        }
        return json.dumps(fields)

    def to_string(self) -> str:
        """Return the board as everybody sees it."""
        return self._game.game.state_to_string(self._node.states[0])

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<SpielState of {self._game}, {self.move_number()} moves>"

    def __copy__(self) -> "SpielState":
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> "SpielState":
        return self.clone()

    def __reduce__(self) -> tuple[Callable[..., "SpielState"], tuple[Any, ...]]:
        return _restore, (self._game, self.serialize())

    def _path(self) -> list[Node]:
        """The nodes after the root, in order."""
        path = []
        node = self._node
        while node.parent is not None:
            path.append(node)
            node = node.parent
        return path[::-1]

    def _told(self, player: int) -> str:
        """What a player was told up to this state: kept at the node, made from the last one that keeps it."""
        game = self._game.game
        untold = []
        node = self._node
        while node.parent is not None and player not in node.told:
            untold.append(node)
            node = node.parent
        text = node.told.get(player)
        if text is None:
            text = game.observation_string(node.states[0], player) if node.known is None else node.known
        for after in reversed(untold):
            assert after.parent is not None
            entry = game.told_to(after.parent.states[0], after.action, after.states[0], player)
            text = text if entry is None else f"{text}\n{entry}"
        self._node.told[player] = text
        return text

    def _observer(self, player: int | None) -> int:
        """The seat that looks: the one named, or who moves."""
        return self._node.player if player is None else self._seat(player)

    def _seat(self, player: int) -> int:
        """The seat, checked."""
        if not 0 <= player < self.num_players():
            raise SpielError(f"there is no player {player}; valid: 0 to {self.num_players() - 1}")
        return player


def _restore_game(game: Game, parameters: dict[str, Any], seeds: np.random.Generator) -> SpielGame:
    """Make a pickled game."""
    restored = SpielGame(game, **parameters)
    restored._seeds = seeds
    return restored


def _restore(game: SpielGame, data: str) -> SpielState:
    """Read a pickled state."""
    return game.deserialize_state(data)
