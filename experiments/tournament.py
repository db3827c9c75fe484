"""A tournament: every agent in every seat equally often, the same deals for every seating."""

import csv
import json
import platform
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from experiments.errors import UsageError
from experiments.match import Games, Match, plan_match, play_match, policy_speed
from experiments.standings import Standing, places, seat_shares, standings, win_shares
from tabletop.compiling import announced
from tabletop.game import load
from tabletop.record import record_of_moves

DISTRIBUTION = "nile-games"
WIDTH_OF_FIGURES = 72  # of the table beside the agents
FILES = ("config.json", "results.csv", "games.jsonl", "summary.csv")


@dataclass(frozen=True)
class TournamentOptions:
    """Play agents against each other and show the table."""

    agents: tuple[str, ...]
    """Agents, each `name` or `name:key=value,...`. As many as seats: they play at one table; fewer: the
    list is repeated round the table; more: every choice of them. One named twice takes two seats."""
    game: str = "ra"
    """The game, see `nile games`."""
    players: int = 3
    """How many play a game."""
    rules: str | None = None
    """A preset of the game's options; by default its first."""
    option: tuple[str, ...] = ()
    """Single options of the game, each `name=value`, in place of the preset's."""
    games: int = 200
    """How many games to play, rounded up to whole deals."""
    seed: int = 1
    """The seed of all deals and agents."""
    workers: int = 1
    """Threads that play games; the results do not depend on it."""
    out: Path | None = None
    """A folder for config.json, results.csv, summary.csv and games.jsonl; nothing is saved without one."""
    overwrite: bool = False
    """Replace the results that the folder holds."""


def run(options: TournamentOptions) -> None:
    """Play the tournament, save it and print the table; Ctrl-C ends it with what has been played."""
    match = prepare(options)
    played: list[Games] = []
    interrupted = False
    with ExitStack() as stack:
        writer = stack.enter_context(ResultWriter(options.out, options, match)) if options.out else None
        try:
            with announced(f"{match.game.title} and its agents"):
                warm_up(match)
            progress = stack.enter_context(progress_bar())
            task = progress.add_task(
                f"{match.game.title}, {match.num_players} players", total=match.num_games
            )
            for games in play_match(match, options.workers):
                played.append(games)
                if writer is not None:
                    writer.write(games)
                progress.update(task, advance=len(games.moves))
        except KeyboardInterrupt:
            interrupted = True
    if played:
        table = standings(match.specs, played, speeds(match, played))
        print_table(match, played, table)
        if options.out is not None:
            write_summary(options.out / "summary.csv", table)
            print(f"saved in {options.out}")
    if interrupted:
        raise SystemExit(130)


def prepare(options: TournamentOptions) -> Match:
    """Check the options and return the match they ask for.

    Raises:
        GameError, AgentError, UsageError: something is not valid; the message says what is.
    """
    game = load(options.game)
    num_players = game.check_num_players(options.players)
    chosen = game.resolve_options(options.rules, **parse_options(options.option))
    for name, value, least in (
        ("games", options.games, 1),
        ("workers", options.workers, 1),
        ("seed", options.seed, 0),
    ):
        if value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    if not options.agents:
        raise UsageError("name at least one agent; see `nile agents`")
    return plan_match(game, num_players, chosen, options.agents, options.games, options.seed)


def parse_options(texts: tuple[str, ...]) -> dict[str, str]:
    """Return `name=value` texts as a dict.

    Raises:
        UsageError: one is not of that form.
    """
    chosen = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"an option of the game is name=value, not {text!r}")
        chosen[name] = value
    return chosen


def warm_up(match: Match) -> None:
    """Play one deal for nothing, so that compiling is neither timed nor shown as play."""
    first = Match(
        match.game,
        match.num_players,
        match.options,
        match.specs,
        match.seatings[:1],
        match.deals[:1],
        match.seed,
    )
    for games in play_match(first):
        record_of_moves(
            match.game, match.num_players, match.options, int(games.seed[0]), match.specs, games.moves[0]
        )


def speeds(match: Match, played: list[Games]) -> list[float]:
    """Return each agent's decisions a second; for compiled games measured on decisions it had in them."""
    found = []
    for agent in range(len(match.specs)):
        seconds = sum(float(games.seconds[agent]) for games in played)
        decisions = sum(int(games.decisions[agent]) for games in played)
        found.append(decisions / seconds if seconds > 0 else policy_speed(match, played[0], agent))
    return found


def progress_bar(auto_refresh: bool = True) -> Progress:
    """Return a progress bar on standard error; without `auto_refresh` it moves when it is told to."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=auto_refresh)


def print_table(match: Match, played: list[Games], table: list[Standing]) -> None:
    """Print the standings on standard output."""
    games = sum(len(part.moves) for part in played)
    deals = _number(games // len(match.seatings), "deal")
    seatings = _number(len(match.seatings), "seating")
    print(f"{match.game.title}, {match.num_players} players: {games:,} games ({deals}, each in {seatings})")
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("agent", no_wrap=True)
    for heading in ("games", "win share", "95% interval", "place", "score", "decisions/s"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in table:
        shown.add_row(
            row.agent,
            f"{row.games:,}",
            f"{row.win_share:.3f}",
            f"{row.low:.3f}-{row.high:.3f}",
            f"{row.mean_place:.2f}",
            f"{row.mean_score:.1f}",
            f"{row.decisions_per_second:,.0f}",
        )
    console = Console()
    console.width = max(console.width, max(len(row.agent) for row in table) + WIDTH_OF_FIGURES)
    console.print(shown)
    seats = "  ".join(f"{share:.3f}" for share in seat_shares(played))
    console.print(f"fair share {1 / match.num_players:.3f}; wins by seat: {seats}", highlight=False)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def write_summary(path: Path, table: list[Standing]) -> None:
    """Save the standings."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(table[0])))
        writer.writeheader()
        writer.writerows(asdict(row) for row in table)


class ResultWriter:
    """Saves a tournament while it is played: what was played is on disk, whatever happens then."""

    def __init__(self, folder: Path, options: TournamentOptions, match: Match) -> None:
        """Make the folder and write config.json.

        Raises:
            UsageError: the folder cannot be written, or holds results and may not be overwritten.
        """
        self._match = match
        self._folder = folder
        self._played = 0
        self._files = ExitStack()
        taken = [name for name in FILES if (folder / name).exists()]
        if taken and not options.overwrite:
            raise UsageError(
                f"{folder} holds results already ({', '.join(taken)}); choose another --out or --overwrite"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in taken:
                (folder / name).unlink()
            (folder / "config.json").write_text(json.dumps(config(options, match), indent=2) + "\n")
            self._records = self._open(folder / "games.jsonl")
            self._table = self._open(folder / "results.csv")
        except OSError as error:
            self._files.close()
            raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
        self._results = csv.writer(self._table)
        self._results.writerow(("game", "seed", "seat", "agent", "score", "place", "return", "win_share"))

    def _open(self, path: Path) -> TextIO:
        return self._files.enter_context(path.open("w", newline=""))

    def __enter__(self) -> "ResultWriter":
        return self

    def __exit__(self, *details: object) -> None:
        self._files.close()

    def write(self, games: Games) -> None:
        """Save some games: a record each, and a row for each seat.

        Raises:
            UsageError: the folder cannot be written any more.
        """
        try:
            self._write(games)
        except OSError as error:
            raise UsageError(f"cannot write to {self._folder}: {error.strerror}") from None

    def _write(self, games: Games) -> None:
        match = self._match
        order, shares = places(games.returns), win_shares(games.returns)
        for row, moves in enumerate(games.moves):
            agents = [match.specs[agent] for agent in games.seating[row]]
            seed = int(games.seed[row])
            record = record_of_moves(match.game, match.num_players, match.options, seed, agents, moves)
            self._records.write(record.to_json() + "\n")
            for seat, agent in enumerate(agents):
                score, result = int(games.scores[row, seat]), float(games.returns[row, seat])
                place, share = float(order[row, seat]), float(shares[row, seat])
                self._results.writerow((self._played, seed, seat, agent, score, place, result, share))
            self._played += 1
        self._records.flush()
        self._table.flush()


def config(options: TournamentOptions, match: Match) -> dict[str, Any]:
    """Return everything that is needed to play the tournament again."""
    return {
        "options": {
            name: str(value) if isinstance(value, Path) else value for name, value in asdict(options).items()
        },
        "rules": match.options,
        "revision": match.game.fingerprint(),
        "games": match.num_games,
        "deals": len(match.deals),
        "seatings": [[match.specs[agent] for agent in table] for table in match.seatings],
        "versions": versions(),
        "git": git_hash(),
        "command": sys.argv,
    }


def versions() -> dict[str, str]:
    """Return the versions of what the results depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in (DISTRIBUTION, "numpy", "numba", "gymnasium", "pettingzoo"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def git_hash() -> str | None:
    """Return the commit of the project's checkout, "-dirty" added if it is changed; None outside of one."""
    command = [
        "git",
        "-C",
        str(Path(__file__).parent),
        "describe",
        "--always",
        "--dirty",
        "--abbrev=40",
        "--exclude=*",
    ]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
