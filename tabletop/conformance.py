"""What every game promises, as checks that the tests of a game run in one call: `check_game(GAME)`.

The checks play short series of random games at every number of players, under every preset and
every option on its own, and raise ConformanceError where the game breaks a promise; the message
says which, and in what game. Nothing here needs pytest.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tabletop import kernels, verbs
from tabletop.game import Game, GameError, Options
from tabletop.kinds import States
from tabletop.record import RecordError, Replayer, parse_record, record_of_history
from tabletop.rng import MAX_SEED
from tabletop.spiel import SpielGame, SpielState
from tabletop.view import View

SAMPLES = 3  # of the unknown, for each seat at each position looked at
POSITIONS = 8  # looked at in each game, besides the last one, and moves tried at each
WORLDS = 40  # sampled where more than one is possible; that all are the same is no accident then
OTHER_SEED = 977
TOLERANCE = 1e-9


class ConformanceError(AssertionError):
    """A game breaks a promise; the message says which one, and where."""


def check_game(game: Game, seed: int = 0) -> None:
    """Check all that is promised of a game; a few seconds for a small one, once it is compiled.

    Raises:
        ConformanceError: the first promise that is broken.
    """
    check_facts(game)
    for table in tables(game, seed):
        for check in TABLE_CHECKS:
            check(table)


@dataclass(frozen=True)
class Table:
    """One random game, all its records kept."""

    game: Game
    num_players: int
    options: Options
    seed: int
    moves: npt.NDArray[np.int16]  # [moves]
    states: States  # [moves + 1] before the first and after every move

    def positions(self) -> Iterator[tuple[int, States]]:
        """Yield the numbers and records, [1], of some positions, the first and the last among them."""
        last = len(self.moves)
        for number in sorted({*range(0, last, max(1, last // POSITIONS)), last}):
            yield number, self.states[number : number + 1]

    def fail(self, what: str, number: int | None = None) -> ConformanceError:
        """Return the error for a broken promise, after a number of moves."""
        where = f"{self.game.name}, {self.num_players} players, {self.options}, seed {self.seed}"
        after = "" if number is None else f", after {number} moves"
        return ConformanceError(f"{what} ({where}{after})")


def option_sets(game: Game) -> list[Options]:
    """Return the options of each preset, and each option alone away from its default, none twice."""
    sets = [game.resolve_options(preset) for preset in game.presets]
    for option in game.options:
        alone = [game.resolve_options(None, **{option.name: choice}) for choice in option.choices[1:]]
        sets += [options for options in alone if options not in sets]
    return sets


def tables(game: Game, seed: int = 0) -> Iterator[Table]:
    """Yield a random game for every number of players and set of options."""
    for num_players in range(game.min_players, game.max_players + 1):
        for number, options in enumerate(option_sets(game)):
            yield play_table(game, num_players, options, seed + number)


def play_table(game: Game, num_players: int, options: Options, seed: int) -> Table:
    """Return a random game.

    Raises:
        ConformanceError: somebody has no legal action, or the game does not end.
    """
    states = game.new_states(game.max_moves + 1)
    kernels.start_games(states[:1], num_players, game.encode_options(options), np.array([seed], np.uint64))
    generator = np.random.default_rng(seed)
    moves: list[int] = []
    while True:
        here = states[len(moves) : len(moves) + 1]
        table = Table(game, num_players, options, seed, np.array(moves, np.int16), states[: len(moves) + 1])
        legal = legal_actions(game, here)
        if status_of(here)[kernels.IS_OVER]:
            if legal:
                raise table.fail(f"the game is over, and yet {legal} are legal", len(moves))
            return table
        if not legal:
            raise table.fail("the player to move has no legal action", len(moves))
        if len(moves) == game.max_moves:
            raise table.fail(f"the game goes on after max_moves, {game.max_moves}", len(moves))
        moves.append(legal[int(generator.random() * len(legal))])
        states[len(moves)] = here[0]
        kernels.apply_game(states[len(moves) : len(moves) + 1], moves[-1])


def legal_actions(game: Game, states: States) -> list[int]:
    """Return the legal actions of the first record."""
    actions = np.empty(game.num_actions, np.int64)
    number = kernels.list_legal(states, actions, np.empty(game.num_words, np.uint64))
    listed: list[int] = actions[:number].tolist()
    return listed


def status_of(states: States) -> list[int]:
    """Return the status of the first record as `kernels.status_of` writes it."""
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    kernels.status_of(states, status)
    listed: list[int] = status.tolist()
    return listed


def look(game: Game, states: States, player: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """Return observation and mask of a player, both filled with nonsense before."""
    observation = np.full(game.layout.size, np.nan, np.float32)
    mask = np.full(game.num_actions, -1, np.int8)
    kernels.look(states, player, observation, mask, np.zeros(game.num_words, np.uint64))
    return observation, mask


def key_of(states: States, player: int) -> int:
    """Return the information key of a player."""
    keys = np.zeros(1, np.uint64)
    kernels.information_keys(states[:1], player, keys)
    return int(keys[0])


def seen_by(game: Game, states: States, player: int) -> dict[str, object]:
    """Return by name all that a player sees of the first record."""
    observation, mask = look(game, states, player)
    seen: dict[str, object] = {
        "observation": observation.tobytes(),
        "legal actions": mask.tobytes(),
        "observation_string": game.observation_string(states[0], player),
    }
    if verbs.has(game.state_dtype, "information_key"):
        seen["information_key"] = key_of(states, player)
    return seen


# The facts


def check_facts(game: Game) -> None:
    """Names of actions, blocks, options, layout and record agree with each other."""
    if not 2 <= game.min_players <= game.max_players:
        raise ConformanceError(f"{game.name} is for {game.min_players} to {game.max_players} players")
    for action in range(game.num_actions):
        if game.string_to_action(game.action_to_string(action)) != action:
            raise ConformanceError(f"action {action} of {game.name} does not survive its notation")
    starts = [first for _, first, _ in game.action_blocks]
    ends = [first + number for _, first, number in game.action_blocks]
    if starts != [0, *ends[:-1]] or ends[-1] != game.num_actions:
        raise ConformanceError(f"the blocks of {game.name} do not cover its {game.num_actions} actions")
    for options in option_sets(game):
        codes = game.encode_options(options)
        chosen = [option.choices[code] for option, code in zip(game.options, codes, strict=True)]
        if chosen != list(options.values()):
            raise ConformanceError(f"options {options} of {game.name} are coded as {chosen}")
    names = [field.name for field in game.layout.fields]
    if len(set(names)) != len(names) or not (game.layout.low < game.layout.high).all():
        raise ConformanceError(f"the observation of {game.name} has fields of one name, or without a range")
    check_record_dtype(game)


def check_record_dtype(game: Game) -> None:
    """A record has no undefined byte, and changes with the sources of its rules."""
    dtype = game.state_dtype
    fields = dtype.names or ()
    if sum(dtype[name].itemsize for name in fields) != dtype.itemsize:
        raise ConformanceError(f"the record of {game.name} has bytes that belong to no field")
    if not game.fingerprint().startswith("revision_"):
        raise ConformanceError(f"the last field of {game.name} is no revision: make it with record_dtype")
    for name in ("num_players", "rng"):
        if name not in fields:
            raise ConformanceError(f"the record of {game.name} has no field {name}")


# What is played


def check_views(table: Table) -> None:
    """What anybody sees is within its bounds; only who moves has legal actions; looking changes nothing."""
    game = table.game
    for number, states in table.positions():
        before = states.tobytes()
        player, over, *_ = status_of(states)
        if not 0 <= player < table.num_players:
            raise table.fail(f"seat {player} is to move", number)
        for seat in range(table.num_players):
            observation, mask = look(game, states, seat)
            outside = ~((observation >= game.layout.low) & (observation <= game.layout.high))
            if outside.any():
                entry = int(outside.argmax())
                field = max((start, name) for name, start in game.layout.offsets.items() if start <= entry)[1]
                value = float(observation[entry])
                raise table.fail(f"{field} of the observation of seat {seat} is {value}", number)
            legal = legal_actions(game, states) if seat == player and not over else []
            if np.flatnonzero(mask).tolist() != legal or mask.max() > 1:
                raise table.fail(f"the mask of seat {seat} is not what is legal", number)
            game.observation_string(states[0], seat)
        if states.tobytes() != before:
            raise table.fail("looking at a record changes it", number)


def check_results(table: Table) -> None:
    """Returns are zero-sum, between -1 and 1, and nobody with a lower score stands higher."""
    last = table.states[-1:]
    points = np.zeros(table.num_players, np.int64)
    results = np.zeros(table.num_players)
    kernels.results_of(last, points, results)
    if abs(results.sum()) > TOLERANCE or np.abs(results).max() > 1 + TOLERANCE:
        raise table.fail(f"the returns {results.tolist()} are not zero-sum between -1 and 1")
    for one in range(table.num_players):
        for other in range(table.num_players):
            if results[one] > results[other] + TOLERANCE and points[one] < points[other]:
                raise table.fail(f"returns {results.tolist()} do not follow scores {points.tolist()}")
    _, over, truncated, _ = status_of(last)
    if not over or (truncated and len(table.moves) < table.game.max_moves):
        raise table.fail(f"the game is cut off after {len(table.moves)} moves")


def check_determinism(table: Table) -> None:
    """The same seed and moves give the same records to the last byte, in a record that was used before.

    So do clones, from anywhere in the game; and other seeds deal other games.
    """
    game, codes = table.game, table.game.encode_options(table.options)
    again = game.new_states(len(table.states))
    again.view(np.uint8)[:] = 0xFF
    again[game.fingerprint()] = 0
    kernels.play_moves(again, table.num_players, codes, np.uint64(table.seed), table.moves)
    for number, (state, other) in enumerate(zip(table.states, again, strict=True)):
        if state.tobytes() != other.tobytes():
            raise table.fail("the same seed and moves do not give the same record", number)
    for number, states in table.positions():
        clone = states.copy()
        for move in table.moves[number:]:
            kernels.apply_game(clone, int(move))
        if clone.tobytes() != table.states[-1:].tobytes():
            raise table.fail("a clone does not play on identically", number)
    seeds = np.arange(WORLDS, dtype=np.uint64)
    others = game.new_states(WORLDS)
    kernels.start_games(others, table.num_players, codes, seeds)
    if len({state.tobytes() for state in others}) == 1:
        raise table.fail("all seeds deal the same game")


def check_samples(table: Table) -> None:
    """A sample of the unknown keeps all that a player sees, and the real game; it can be played on."""
    game = table.game
    for number, states in table.positions():
        before = states.tobytes()
        for seat in range(table.num_players):
            seen = seen_by(game, states, seat)
            for sample in range(SAMPLES):
                world = View(game, states, seat, sample).sample_state(sample)
                for what, value in seen_by(game, world, seat).items():
                    if value != seen[what]:
                        raise table.fail(f"a sample for seat {seat} changes its {what}", number)
            play_on(table, number, world)
        if states.tobytes() != before:
            raise table.fail("sampling the unknown changes the real game", number)


def play_on(table: Table, number: int, world: States) -> None:
    """Play a sampled world to its end by random moves."""
    generator = np.random.default_rng(number)
    for _ in range(table.game.max_moves + 1):
        legal = legal_actions(table.game, world)
        if status_of(world)[kernels.IS_OVER]:
            return
        if not legal:
            raise table.fail("in a sampled world the player to move has no legal action", number)
        kernels.apply_game(world, legal[int(generator.random() * len(legal))])
    raise table.fail("a sampled world does not end", number)


def check_unknown(table: Table) -> None:
    """Where moves differ that a player cannot tell apart, samples of that player differ, too."""
    game = table.game
    for number, states in table.positions():
        children = children_of(game, states)
        for seat in range(table.num_players):
            alike: dict[str, States] = {}
            for child in children:
                text = game.observation_string(child[0], seat)
                if differ(game, alike.setdefault(text, child), child):
                    worlds = [
                        View(game, child, seat, sample).sample_state(sample) for sample in range(WORLDS)
                    ]
                    if not any(differ(game, worlds[0], world) for world in worlds):
                        raise table.fail(f"all samples for seat {seat} are alike; not all it may be", number)
                    break


def differ(game: Game, one: States, other: States) -> bool:
    """Whether two records differ in anything but the generator."""
    fields = [name for name in game.state_dtype.names or () if name != "rng"]
    return any((one[name] != other[name]).any() for name in fields)


def children_of(game: Game, states: States) -> list[States]:
    """Return the records after some of the legal moves of the first record."""
    children = []
    for action in some_actions(game, states):
        children.append(states.copy())
        kernels.apply_game(children[-1], action)
    return children


def some_actions(game: Game, states: States) -> list[int]:
    """Return some of the legal actions of the first record, the last one among them; none when it is over."""
    legal = legal_actions(game, states)
    return [*legal[: -1 : max(1, len(legal) // POSITIONS)], *legal[-1:]]


def check_strings(table: Table) -> None:
    """Observation strings and information keys are equal for the same states, and tell observations apart."""
    game = table.game
    for seat in range(table.num_players):
        by_text: dict[str, dict[str, object]] = {}
        keys: dict[object, str] = {}
        for number, states in table.positions():
            for looked_at in (states, *children_of(game, states)):
                seen = seen_by(game, looked_at, seat)
                text = str(seen["observation_string"])
                for what, value in by_text.setdefault(text, seen).items():
                    if what != "legal actions" and seen[what] != value:
                        raise table.fail(f"one observation_string of seat {seat}, but another {what}", number)
                if keys.setdefault(seen.get("information_key", text), text) != text:
                    raise table.fail(f"one key of seat {seat}, but another observation_string", number)


def check_tellings(table: Table) -> None:
    """What a player is told of a move and saw before it determines what the player sees after it."""
    game = table.game
    for number, states in table.positions():
        for seat in range(table.num_players):
            told: dict[str | None, str] = {None: game.observation_string(states[0], seat)}
            view = View(game, states, seat, number)
            for world in (states, *(view.sample_state(sample) for sample in range(SAMPLES))):
                for action in some_actions(game, world):
                    after = world.copy()
                    kernels.apply_game(after, action)
                    text = game.told_to(world[0], action, after[0], seat)
                    seen = game.observation_string(after[0], seat)
                    if told.setdefault(text, seen) != seen:
                        raise table.fail(
                            f"seat {seat} is told the same of moves after which it sees different things: "
                            f"{text!r}:\n{seen}\n\n{told[text]}\n",
                            number,
                        )


def check_histories(table: Table) -> None:
    """Information state strings are equal exactly when a player has seen and done the same all along.

    Looked at after one or two of some moves from the same state.
    """
    states = spiel_states(table)
    for number, _ in table.positions():
        for seat in range(table.num_players):
            by_text: dict[str, tuple[str, ...]] = {}
            by_sight: dict[tuple[str, ...], str] = {}
            for state in descendants(states[number]):
                text, sight = state.information_state_string(seat), sight_of(state, states[number], seat)
                if by_text.setdefault(text, sight) != sight:
                    raise table.fail(
                        f"one information_state_string of seat {seat} for histories that it can tell apart:\n{text}\n",
                        number,
                    )
                if by_sight.setdefault(sight, text) != text:
                    raise table.fail(
                        f"two information_state_strings of seat {seat} for histories that look alike to it:\n"
                        f"{text}\n\n{by_sight[sight]}\n",
                        number,
                    )


def spiel_states(table: Table) -> list[SpielState]:
    """Return the game with its history, before the first and after every move."""
    chosen: dict[str, object] = dict(table.options)
    game = SpielGame(table.game, table.num_players, None, "placement", None, **chosen)
    states = [game.new_initial_state(table.seed)]
    for move in table.moves:
        states.append(states[-1].child(int(move)))
    return states


def descendants(state: SpielState) -> list[SpielState]:
    """Return the states after some of the legal moves, and after one or two more."""
    children = successors(state, POSITIONS)
    return [*children, *(second for child in children for second in successors(child, 2))]


def successors(state: SpielState, most: int) -> list[SpielState]:
    """Return the states after some legal moves, of those that leave the same record behind only one.

    What such a move was may be seen though nothing is left to see of it.
    """
    legal = state.legal_actions()
    found: list[SpielState] = []
    for action in sorted({*legal[:: max(1, len(legal) // most)], *legal[-most:]}):
        child = state.child(action)
        if all(differ(state.get_game().game, child.record(), other.record()) for other in found):
            found.append(child)
    return found


def sight_of(state: SpielState, since: SpielState, seat: int) -> tuple[str, ...]:
    """Return what a player has seen and done since an earlier state: own moves, and every new observation."""
    game = state.get_game().game
    moves = state.full_history()[len(since.history()) :]
    seen = [since.observation_string(seat)]
    here = since
    for player, action in moves:
        here = here.child(action)
        if player == seat:
            seen.append(game.action_names[action])
        text = here.observation_string(seat)
        if text != seen[-1]:
            seen.append(text)
    return tuple(seen)


def check_records(table: Table) -> None:
    """The game survives its record, replayed by moves and chance alone; its own seed deals that chance."""
    game = table.game
    agents = ["random"] * table.num_players
    record = record_of_history(game, table.options, table.seed, agents, table.moves, table.states)
    seeded = Replayer(parse_record(record.to_json()), game)
    reseeded = replace(record, seed=(table.seed + OTHER_SEED) % MAX_SEED)
    try:
        states = Replayer(parse_record(reseeded.to_json()), game).run()
        seeded.run()
    except (RecordError, GameError) as error:
        raise table.fail(f"its record does not replay: {error}") from None
    for number, (state, other) in enumerate(zip(table.states, states, strict=True)):
        changed = [name for name in game.state_dtype.names or () if (state[name] != other[name]).any()]
        if set(changed) - {"rng"}:
            raise table.fail(f"replayed from its record, {', '.join(changed)} differ", number)
    if seeded.deals_as_seeded() is not True:
        raise table.fail("the seed does not deal the chance of the record")


def check_serialization(table: Table) -> None:
    """A state survives its serialization and meets the same chance then; undoing a move restores it."""
    states = spiel_states(table)
    game = states[0].get_game()
    for number, _ in table.positions():
        again = game.deserialize_state(states[number].serialize())
        again.apply_actions(table.moves[number:].tolist())
        if again.serialize() != states[-1].serialize() or again.returns() != states[-1].returns():
            raise table.fail("a state read back does not play on identically", number)
    for earlier, later in pairwise(states):
        undone = later.clone()
        undone.undo_action(earlier.current_player(), later.history()[-1])
        if undone.observation_string(0) != earlier.observation_string(0):
            raise table.fail("a move cannot be undone", len(earlier.history()))


TABLE_CHECKS: tuple[Callable[[Table], None], ...] = (
    check_views,
    check_results,
    check_determinism,
    check_samples,
    check_unknown,
    check_strings,
    check_tellings,
    check_histories,
    check_records,
    check_serialization,
)
