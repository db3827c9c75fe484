"""Train the ppo agent by self-play: MaskablePPO of sb3-contrib on batches of compiled games.

The learner plays every seat that its opponents do not take: each other seat of each new game is the
learner itself, a frozen snapshot of it, or an agent, drawn in proportion. A run is a folder:

    options.json                    all options; with them and the same versions a run can be repeated
    ppo.safetensors, ppo.json       the network as it is now: play it by `ppo:path=FOLDER`
    pool/*.safetensors, *.json      its snapshots
    checkpoint.pt                   all that the run needs to go on, written whole or not at all
    evaluation.jsonl                the curve: matches at intervals, masked, seats rotated, same deals
    evaluation.csv, .png            the same as a table, and as a picture with the extra `report`
    tensorboard/                    losses and speeds, for `tensorboard --logdir`
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents import network
from agents.hints import can_hint
from agents.network import Network
from agents.ppo import NAME, NetworkAgent, stem_of
from agents.registry import make_agent
from agents.seats import SELF, Maker
from agents.selfplay import SelfPlayGames
from experiments.errors import UsageError
from experiments.match import plan_match, play_match
from experiments.standings import standings
from tabletop import description
from tabletop.description import Describer
from tabletop.game import Game, load

OPTIONS, CURVE, POOL = "options.json", "evaluation.jsonl", "pool"
FIXED = "fixed:"
AT_LEAST_ONE = (
    "steps",
    "games",
    "horizon",
    "batch",
    "epochs",
    "pool",
    "compared",
    "evaluate_every",
    "evaluate_games",
    "checkpoint_every",
    "calibrate",
    "torch_threads",
    "threads",
)


@dataclass(frozen=True)
class Preset:
    """What the options that are left at 0 stand for."""

    steps: int
    games: int
    horizon: int
    hidden: tuple[int, ...]
    batch: int
    evaluate_every: int
    checkpoint_every: int
    value_games: int


PRESETS = {
    "default": Preset(20_000_000, 512, 64, (128, 128), 2048, 2_000_000, 500_000, 200_000),
    "quick": Preset(1_000_000, 256, 64, (64, 64), 2048, 250_000, 250_000, 20_000),
}


@dataclass
class TrainOptions:
    """Options of `nile train`. Counts of steps are decisions of the learner."""

    game: str = "ra"
    """Which game: a built-in name, or an importable module that has a GAME."""
    preset: str = "default"
    """What options that are 0 stand for: `default` takes an hour or so, `quick` a minute or two."""
    players: tuple[int, ...] = ()
    """Numbers of players, all learned by one network; by default all that the game allows."""
    rules: str = ""
    """The preset of the game's options, by default the game's first."""
    opponents: tuple[str, ...] = ("self=0.4", "pool=0.15", "greedy=0.43", "random=0.02")
    """Who sits at each other seat of a new game, SPEC=WEIGHT each: `self` the learner, `pool` its frozen
    snapshots, or any agent. `fixed:SPEC` alone: nobody but that agent, to train an exploiter."""
    steps: int = 0
    """Decisions to learn from; rates fall towards their ends over so many."""
    games: int = 0
    """Games played side by side."""
    horizon: int = 0
    """Decisions of each game between updates."""
    hidden: tuple[int, ...] = ()
    """Sizes of the layers that policy and value share."""
    describe: bool = True
    """Let the network see the features of the game's estimate for all seats, if the game has them."""
    hint: bool = True
    """Let a network that is described begin with the game's prior of sensible moves and with what each makes
    its player expect, if the game has a prior, and correct them."""
    settle: int | None = None
    """Moves that all play greedily before it is asked what a move makes its player expect, 0 unless --start
    says otherwise; -1: it is not asked."""
    worlds: int | None = None
    """In how many worlds each move is looked at so, what its player cannot know drawn anew: 1 unless
    --start says otherwise. More tell more and take longer."""
    placement: float = 1.0
    """Share of the reward by placement: +1 for the first to -1 for the last."""
    score: float = 1.0
    """Share of the reward by score: the margin to the others' mean / the game's scale."""
    win: float = 0.0
    """Share of the reward of a win: 1, shared among the winners."""
    shaping: bool = False
    """Pay the change of the expected return by the game's estimate on the way, and take it back at the end."""
    start: str = ""
    """A run, or a network's files without their endings, whose policy the learner begins with. Its
    value is learned anew: `--imitate` gives it a start."""
    imitate: int = 0
    """Decisions of a teacher that the network learns to foretell before it plays itself."""
    teacher: str = "greedy"
    """The agent that is imitated: of one that searches, `mcts:simulations=50`, all that it found out."""
    learning_rate: float = 5e-4
    """Of Adam, at the start."""
    learning_rate_end: float = 5e-5
    """At the end."""
    entropy: float = 0.01
    """Weight of the policy's entropy, at the start."""
    entropy_end: float = 0.002
    """At the end."""
    gamma: float = 1.0
    """Discount of each decision."""
    trace: float = 0.8
    """Lambda of the advantage estimates."""
    batch: int = 0
    """Decisions of each step of the optimizer."""
    epochs: int = 3
    """How often each decision is learned from."""
    clip: float = 0.2
    """How far a probability may change in an update."""
    threshold: float = 0.55
    """A snapshot joins the pool when the learner finishes above the newest one so often, ties half."""
    compared: int = 2000
    """Pairs of seats in the present comparison before a snapshot can join."""
    pool: int = 20
    """The pool's size; the oldest snapshots leave it."""
    evaluate_every: int = 0
    """Steps between evaluations."""
    evaluate_games: int = 240
    """Games of each match of an evaluation."""
    evaluate_players: int = 0
    """Number of players in evaluations, by default 3 or the nearest that is trained."""
    checkpoint_every: int = 0
    """Steps between checkpoints: so much is lost at most when a run is killed."""
    value_games: int | None = None
    """Greedy games from which it is learned first what each seat can expect, for the look ahead and for
    search; 0: none, the look ahead goes by the game's estimate. By default what the preset says, but
    none if --start has a value already or the game has no estimate."""
    value_hidden: tuple[int, ...] = (64,)
    """Sizes of that value's layers."""
    calibrate: int = 300_000
    """Decisions of the finished policy to which the value that search asks for is fitted if there is none."""
    torch_threads: int = 1
    """Threads of torch."""
    threads: int = 1
    """Threads among which the games are shared out."""
    seed: int = 1
    """Of everything: the same run twice gives the same network on the same machine."""
    out: str = ""
    """The folder of the run, by default runs/GAME-SEED; it must not hold a run already."""
    onnx: bool = False
    """Also write the finished network as ppo.onnx; needs the package onnx."""
    resume: str = ""
    """The folder of a run to go on with, exactly as if it had never stopped; of the other options only
    --steps counts, which changes where the run ends and how fast its rates fall."""


def run(options: TrainOptions) -> None:
    """Train, or go on with a run.

    Raises:
        UsageError, GameError, AgentError: an option is not valid; the message says what is.
    """
    folder, options = _resumed(options) if options.resume else _begun(options)
    try:
        from experiments.trainer import Trainer  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            f"training needs the package {error.name}; install it with: pip install 'nile-games[train]'"
        ) from None
    try:
        Trainer(options, folder).train()
    except KeyboardInterrupt:
        print(f"stopped; go on with: nile train --resume {folder}", file=sys.stderr)
        raise


def _begun(options: TrainOptions) -> tuple[Path, TrainOptions]:
    """Check the options of a new run and write them into its folder."""
    options = complete(options)
    folder = Path(options.out or f"runs/{options.game}-{options.seed}")
    if (folder / OPTIONS).exists():
        raise UsageError(
            f"{folder} holds a run already; go on with it (--resume {folder}) or name another --out"
        )
    (folder / POOL).mkdir(parents=True, exist_ok=True)
    (folder / OPTIONS).write_text(json.dumps(asdict(options), indent=2) + "\n")
    return folder, options


def _resumed(options: TrainOptions) -> tuple[Path, TrainOptions]:
    """Return the folder and the options of a run."""
    folder = Path(options.resume)
    try:
        saved = json.loads((folder / OPTIONS).read_text())
        unknown = sorted(set(saved) - {entry.name for entry in fields(TrainOptions)})
        if unknown or not saved:
            raise UsageError(f"{folder / OPTIONS} is of another version: {unknown}")
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder} holds no run: {error}") from None
    if options.steps:
        saved["steps"] = options.steps
    lists = {name: tuple(value) for name, value in saved.items() if isinstance(value, list)}
    return folder, TrainOptions(**(saved | lists))


def complete(options: TrainOptions) -> TrainOptions:
    """Return the options with everything filled in that the preset and the game say.

    Raises:
        UsageError, GameError, AgentError: a value is not valid; the message says what is.
    """
    if options.preset not in PRESETS:
        raise UsageError(f"unknown preset {options.preset!r}; valid: {', '.join(PRESETS)}")
    preset = asdict(PRESETS[options.preset])
    value_games = preset.pop("value_games")
    options = replace(
        options, **{name: value for name, value in preset.items() if not getattr(options, name)}
    )
    game = load(options.game)
    has_value = False
    players = options.players or tuple(range(game.min_players, game.max_players + 1))
    for count in players:
        game.check_num_players(count)
    nearest = min(players, key=lambda count: (abs(count - 3), count))
    evaluated = options.evaluate_players or nearest
    rules = options.rules or next(iter(game.presets))
    game.resolve_options(rules)
    options = replace(options, players=tuple(players), evaluate_players=evaluated, rules=rules)
    _check_numbers(options)
    game.check_num_players(evaluated)
    for spec in shares(options):
        if spec not in (SELF, POOL):
            make_agent(spec, game, players[0])
    if options.start:
        start = load_network(options.start, game)
        hidden = tuple(len(bias) for _, bias in start.trunk)
        settle = start.settle if options.settle is None else options.settle
        worlds = start.worlds if options.worlds is None else options.worlds
        has_value = bool(start.value)
        options = replace(options, hidden=hidden, settle=settle, worlds=worlds)
    options = replace(
        options, settle=options.settle or 0, worlds=1 if options.worlds is None else options.worlds
    )
    can_learn = options.describe and options.hint and can_hint(game) and bool(description.names(game))
    if options.value_games is None:
        options = replace(options, value_games=value_games if can_learn and not has_value else 0)
    elif options.value_games and not can_learn:
        raise UsageError("--value-games needs --describe, --hint and a game with an estimate and a prior")
    if options.imitate:
        make_agent(options.teacher, game, players[0])
    if options.shaping and not (options.describe and description.names(game)):
        raise UsageError(f"--shaping needs --describe and a game with features; {game.name} has none")
    return options


def load_network(path: str, game: Game) -> Network:
    """Return the network of a run or of files without their endings; GameError if it is none of the game."""
    return network.load(game, stem_of(game, Path(path), "--start DIR"))


def _check_numbers(options: TrainOptions) -> None:
    """Raise UsageError if a number is out of range."""
    for name in AT_LEAST_ONE:
        if getattr(options, name) < 1:
            raise UsageError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(options, name)}")
    for name in ("gamma", "trace", "clip", "threshold"):
        if not 0 <= getattr(options, name) <= 1:
            raise UsageError(f"--{name} must be from 0 to 1, not {getattr(options, name)}")
    if options.value_games is not None and options.value_games < 0:
        raise UsageError(f"--value-games must be 0 or more, not {options.value_games}")
    if options.settle is not None and options.settle < -1:
        raise UsageError(f"--settle must be a number of moves, or -1, not {options.settle}")
    if options.worlds is not None and options.worlds < 1:
        raise UsageError(f"--worlds must be at least 1, not {options.worlds}")
    for name in ("hidden", "value_hidden"):
        if not all(size > 0 for size in getattr(options, name)):
            raise UsageError(
                f"--{name.replace('_', '-')} must be sizes of layers, not {getattr(options, name)}"
            )
    if not (options.placement or options.score or options.win):
        raise UsageError("a reward is needed: --placement, --score or --win must not be 0")
    if options.batch == 1 or options.games * options.horizon % options.batch == 1:
        raise UsageError(
            "a batch of one decision cannot be learned from: change --batch, --games or --horizon"
        )


def shares(options: TrainOptions) -> dict[str, float]:
    """Return who sits at other seats, and how often.

    Raises:
        UsageError: an entry is not SPEC=WEIGHT.
    """
    if len(options.opponents) == 1 and options.opponents[0].startswith(FIXED):
        return {options.opponents[0].removeprefix(FIXED): 1.0}
    weights = {}
    for entry in options.opponents:
        spec, _, text = entry.rpartition("=")
        try:
            weights[spec] = float(text)
        except ValueError:
            weights[spec] = -1.0
        if not spec or not weights[spec] >= 0:
            raise UsageError(
                f"opponent {entry!r} is neither SPEC=WEIGHT (as in greedy=0.2) nor {FIXED}SPEC alone"
            )
    if not sum(weights.values()) > 0:
        raise UsageError("opponents need weights of which one is positive")
    return {spec: weight for spec, weight in weights.items() if weight > 0}


class Pool:
    """Snapshots of the learner, two of which are at the tables: the newest, and one drawn from all.

    Args:
        game: the game.
        folder: where they are written.
        options: of the run.
    """

    def __init__(self, game: Game, folder: Path, options: TrainOptions) -> None:
        self.game = game
        self.folder = folder
        self.options = options
        self.names: list[str] = []
        self.made = 0
        self.won = 0.0  # of pairs of seats against the newest snapshot
        self.pairs = 0
        self._networks: dict[str, Network] = {}
        self.newest: NetworkAgent | None = None
        self.drawn: NetworkAgent | None = None

    def add(self, snapshot: Network, steps: int) -> None:
        """Let a snapshot join; the oldest one leaves a full pool."""
        name = f"{self.made:04d}"
        network.save(snapshot, self.game, self.folder / name, {"steps": steps})
        self.made += 1
        self.names = [*self.names, name][-self.options.pool :]
        self.won, self.pairs = 0.0, 0
        self.seat(name, name)

    def seat(self, newest: str, drawn: str) -> None:
        """Put two snapshots at the tables."""
        if self.newest is None or self.drawn is None:
            count = self.options.players[0]
            self.newest = NetworkAgent(self.game, count, self._load(newest))
            self.drawn = NetworkAgent(self.game, count, self._load(drawn))
        self.newest.use(self._load(newest))
        self.drawn.use(self._load(drawn))

    def draw(self, rng: np.random.Generator) -> None:
        """Put another snapshot at the tables beside the newest."""
        self.seat(self.names[-1], self.names[int(rng.integers(len(self.names)))])

    def makers(self) -> tuple[Maker, Maker]:
        """Return what makes the agents of the newest and the drawn snapshot."""
        assert self.newest is not None
        assert self.drawn is not None
        newest, drawn = self.newest, self.drawn
        return (lambda game, count: newest), (lambda game, count: drawn)

    def is_beaten(self) -> bool:
        """Return whether the learner is ahead of the newest snapshot, by enough comparisons."""
        return self.pairs >= self.options.compared and self.won / self.pairs >= self.options.threshold

    def forget(self) -> None:
        """Let old comparisons weigh less: the learner changes."""
        if self.pairs > 2 * self.options.compared:
            self.won, self.pairs = self.won / 2, self.pairs // 2

    def _load(self, name: str) -> Network:
        if name not in self._networks:
            self._networks[name] = network.load(self.game, self.folder / name)
            for gone in set(self._networks) - set(self.names) - {name}:
                del self._networks[gone]
        return self._networks[name]


def evaluate(options: TrainOptions, folder: Path, earlier: str | None, steps: int) -> dict[str, Any]:
    """Play the network of a run against random, greedy and an earlier snapshot; return the win shares."""
    game, count = load(options.game), options.evaluate_players
    me = f"{NAME}:path={folder}"
    others = {"random": "random"}
    if game.weights is not None:
        others["greedy"] = "greedy"
    if earlier is not None:
        others[f"snapshot {earlier}"] = f"{NAME}:path={folder / POOL / earlier}"
    results: dict[str, Any] = {"steps": steps, "players": count, "games": options.evaluate_games}
    for name, spec in others.items():
        rules = game.resolve_options(options.rules)
        match = plan_match(
            game, count, rules, [me, *[spec] * (count - 1)], options.evaluate_games, options.seed
        )
        table = standings(match.specs, list(play_match(match)), [0.0] * len(match.specs))
        mine = next(row for row in table if row.agent == me)
        results[name] = {
            "win_share": round(mine.win_share, 4),
            "low": round(mine.low, 4),
            "high": round(mine.high, 4),
            "mean_place": round(mine.mean_place, 3),
        }
    return results


def make_games(
    options: TrainOptions,
    game: Game,
    opponents: Mapping[str | Maker, float],
    describer: Describer | None,
) -> SelfPlayGames:
    """Return the games of a run."""
    rewards = {"placement": options.placement, "score": options.score, "win": options.win}
    return SelfPlayGames(
        game,
        options.games,
        options.players,
        opponents,
        rewards,
        describer,
        options.shaping,
        options.rules,
        options.threads,
    )
