"""A ladder: one agent at growing effort, each rung against a table of the rung below, and the curve."""

import csv
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.errors import UsageError
from experiments.match import play_match
from experiments.standings import standings
from experiments.tournament import TournamentOptions, prepare, progress_bar, speeds, warm_up
from tabletop.compiling import announced
from tabletop.game import load

PLACE = "{}"  # what a rung's number stands for in an agent
TABLE, PICTURE = "ladder.csv", "ladder.svg"


@dataclass(frozen=True)
class LadderOptions:
    """Play an agent at growing effort, each rung against a table of the rung below."""

    agent: str = "mcts:simulations={}"
    """The agent; `{}` stands for the rung's number."""
    rungs: tuple[str, ...] = ("30", "100", "300", "1000", "3000", "10000")
    """The numbers, from the lowest rung up."""
    ground: str = "greedy"
    """Whom the lowest rung plays against."""
    game: str = "ra"
    """The game, see `nile games`."""
    players: int = 3
    """How many play a game: one of the rung, the others of the rung below."""
    rules: str | None = None
    """A preset of the game's options; by default its first."""
    option: tuple[str, ...] = ()
    """Single options of the game, each `name=value`, in place of the preset's."""
    games: int = 300
    """How many games to play for each rung, rounded up to whole deals."""
    seed: int = 1
    """The seed of all deals and agents."""
    workers: int = 1
    """Threads that play games; the results do not depend on it."""
    out: Path | None = None
    """A folder for ladder.csv, written rung by rung, and the picture ladder.svg (extra `report`)."""


@dataclass(frozen=True)
class Rung:
    """How one rung did against the one below."""

    rung: str
    agent: str
    below: str
    games: int
    win_share: float
    low: float  # of the 95% interval
    high: float
    mean_score: float
    score_below: float
    decisions_per_second: float


def run(options: LadderOptions) -> None:
    """Play the ladder from below, and print it; Ctrl-C ends it with the rungs that have been played.

    Raises:
        GameError, AgentError, UsageError: something is not valid; the message says what is.
    """
    agents = [options.ground, *climbers(options)]
    for agent in agents:
        prepare(pairing(options, agent, options.ground))
    title = f"{load(options.game).title}, {options.players} players"
    climbed: list[Rung] = []
    try:
        for rung, below, agent in zip(options.rungs, agents[:-1], agents[1:], strict=True):
            climbed.append(climb(options, rung, agent, below))
            if options.out is not None:
                save(climbed, options.out)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    finally:
        if climbed:
            print_ladder(climbed, title, 1 / options.players)
            if options.out is not None:
                if not draw(climbed, title, 1 / options.players, options.out / PICTURE):
                    print("no picture: matplotlib is not installed (pip install 'nile-games[report]')")
                print(f"saved in {options.out}")


def climbers(options: LadderOptions) -> list[str]:
    """Return the agent of each rung.

    Raises:
        UsageError: there is no place for the number, no rung, or one twice.
    """
    if PLACE not in options.agent:
        raise UsageError(f"agent needs {PLACE} where the rung's number goes, not {options.agent!r}")
    if not options.rungs or len(set(options.rungs)) < len(options.rungs):
        raise UsageError(f"rungs are different numbers, not {' '.join(options.rungs) or 'none'}")
    return [options.agent.replace(PLACE, rung) for rung in options.rungs]


def pairing(options: LadderOptions, agent: str, below: str) -> TournamentOptions:
    """Return the tournament of one agent against a table of another."""
    return TournamentOptions(
        agents=(agent, *[below] * (options.players - 1)),
        game=options.game,
        players=options.players,
        rules=options.rules,
        option=options.option,
        games=options.games,
        seed=options.seed,
        workers=options.workers,
    )


def climb(options: LadderOptions, rung: str, agent: str, below: str) -> Rung:
    """Play one rung."""
    match = prepare(pairing(options, agent, below))
    with announced(f"{match.game.title} and its agents"):
        warm_up(match)
    played = []
    with progress_bar() as progress:
        task = progress.add_task(f"{agent} against {below}", total=match.num_games)
        for games in play_match(match, options.workers):
            played.append(games)
            progress.update(task, advance=len(games.moves))
    table = {row.agent: row for row in standings(match.specs, played, speeds(match, played))}
    upper, lower = table[agent], table[below]
    return Rung(
        rung,
        agent,
        below,
        upper.games,
        upper.win_share,
        upper.low,
        upper.high,
        upper.mean_score,
        lower.mean_score,
        upper.decisions_per_second,
    )


def save(climbed: list[Rung], folder: Path) -> None:
    """Write the rungs played so far.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / TABLE).open("w", newline="") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Rung)])
            writer.writeheader()
            writer.writerows(asdict(rung) for rung in climbed)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None


def print_ladder(climbed: list[Rung], title: str, fair: float) -> None:
    """Print the rungs on standard output."""
    print(f"{title}: each rung against a table of the one below, fair share {fair:.3f}")
    shown = Table(box=box.SIMPLE_HEAD)
    for heading in ("rung", "below", "games", "win share", "95% interval", "score", "below", "decisions/s"):
        shown.add_column(heading, justify="right", no_wrap=True)
    below = [climbed[0].below, *[rung.rung for rung in climbed]]
    for rung, lower in zip(climbed, below, strict=False):
        shown.add_row(
            rung.rung,
            lower,
            f"{rung.games:,}",
            f"{rung.win_share:.3f}",
            f"{rung.low:.3f}-{rung.high:.3f}",
            f"{rung.mean_score:.1f}",
            f"{rung.score_below:.1f}",
            f"{rung.decisions_per_second:,.0f}",
        )
    Console(width=100).print(shown)


def draw(climbed: list[Rung], title: str, fair: float, path: Path) -> bool:
    """Draw the win share of each rung over the one below; return False without matplotlib."""
    if find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure  # noqa: PLC0415  # an extra, and slow to import

    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    shares = [rung.win_share for rung in climbed]
    errors = [
        [rung.win_share - rung.low for rung in climbed],
        [rung.high - rung.win_share for rung in climbed],
    ]
    axes.errorbar(range(len(climbed)), shares, yerr=errors, marker="o", capsize=3)
    axes.axhline(fair, color="gray", linestyle=":", label="fair share")
    axes.set_xticks(range(len(climbed)), [rung.rung for rung in climbed])
    axes.set(title=title, xlabel=f"rung, the first against {climbed[0].below}", ylabel="share of wins")
    axes.set_ylim(0, 1)
    axes.legend()
    figure.savefig(path)
    return True
