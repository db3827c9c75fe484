"""What a search thinks of a position of a recorded game: each legal move, and what would follow it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from agents.mcts import MctsAgent, RootStatistics
from agents.registry import make_agent
from experiments.errors import UsageError
from experiments.replay import choose_record
from tabletop import kernels
from tabletop.compiling import announced
from tabletop.game import Game
from tabletop.kinds import States
from tabletop.record import GameRecord, RecordError, Replayer
from tabletop.view import View

LEAST_WIDTH = 100  # of the table, where it is not shown on a terminal


@dataclass(frozen=True)
class AnalyzeOptions:
    """Search a position of a record and show each legal move: visits, value, interval, prior, line.

    The value is the expected return of the player to move, -1 to 1; its 95% interval says how far the
    luck of the simulations may have moved it. The search sees what that player could see.
    """

    file: Positional[Path]
    """A file of game records, one JSON object a line."""
    game: int = 1
    """Which game of the file, counted from 1."""
    move: int = 1
    """The position before this move, counted from 1."""
    simulations: int | None = None
    """How many simulations; by default as many as the agent makes."""
    agent: str = "mcts"
    """The search, `mcts` or `mcts:key=value,...`."""
    seed: int = 1
    """The seed of the search."""
    json: Path | None = None
    """A file for the same as JSON."""


@dataclass(frozen=True)
class Move:
    """What the search found out about one legal move."""

    move: str
    visits: int
    value: float | None  # of the player to move; None without a visit
    low: float | None  # of the 95% interval; None below two visits
    high: float | None
    prior: float | None  # None without a prior
    values: list[float]  # [seat]; empty without a visit
    line: list[tuple[int, str]]  # (seat, move), beginning with the move itself


def run(options: AnalyzeOptions) -> None:
    """Replay the game up to the move, search, print the table and save it."""
    if options.seed < 0:
        raise UsageError(f"seed must be at least 0, not {options.seed}")
    line, record = choose_record(options.file, options.game)
    game, position, seat = find_position(options, line, record)
    agent = make_search(options, game, record.num_players)
    agent.begin_game(seat, options.seed)
    view = View(game, position, seat, options.seed)
    if len(view.legal_actions()) == 1:
        raise UsageError(
            f"move {options.move} is no choice: {record.moves[options.move - 1]!r} is the only legal move"
        )
    with announced(game.title):
        found = agent.look(view)
    moves = describe(agent, found, view)
    if options.json is not None:
        save(options, record, seat, moves)
    print_moves(options, game, record, view, moves)


def find_position(options: AnalyzeOptions, line: int, record: GameRecord) -> tuple[Game, States, int]:
    """Return the game, the record of the position before the move, and who makes it."""
    if not 1 <= options.move <= len(record.moves):
        raise UsageError(f"game {options.game} has no move {options.move}; valid: 1 to {len(record.moves)}")
    try:
        replayer = Replayer(record)
        states = replayer.run()
    except RecordError as error:
        raise UsageError(f"{options.file}, line {line}: {error}") from None
    position = states[options.move - 1 : options.move].copy()
    status = np.zeros(kernels.STATUS_SIZE, np.int64)
    kernels.status_of(position, status)
    return replayer.game, position, int(status[kernels.PLAYER])


def make_search(options: AnalyzeOptions, game: Game, num_players: int) -> MctsAgent:
    """Return the agent that searches.

    Raises:
        UsageError: it is none that does.
    """
    spec = options.agent
    if options.simulations is not None:
        spec += f"{',' if ':' in spec else ':'}simulations={options.simulations}"
    agent = make_agent(spec, game, num_players)
    if not isinstance(agent, MctsAgent):
        raise UsageError(f"agent {options.agent!r} does not search; valid: mcts, mcts:key=value,...")
    return agent


def describe(agent: MctsAgent, found: RootStatistics, view: View) -> list[Move]:
    """Return what was found about each legal move, the one that the agent plays first, then by visits."""
    names = agent.game.action_names
    best = agent.best(found)
    order = sorted(view.legal_actions(), key=lambda action: (action != best, -found.visits[action]))
    moves = []
    for action in order:
        visits, value, width = found.visits[action], found.values[action], found.half_widths[action]
        moves.append(
            Move(
                move=names[action],
                visits=int(visits),
                value=float(value) if visits > 0 else None,
                low=max(-1.0, float(value - width)) if np.isfinite(width) else None,
                high=min(1.0, float(value + width)) if np.isfinite(width) else None,
                prior=float(found.priors[action]) if agent.uses_prior else None,
                values=(found.totals[action] / visits).tolist() if visits > 0 else [],
                line=[(seat, names[follows]) for seat, follows in agent.search.line(action)],
            )
        )
    return moves


def save(options: AnalyzeOptions, record: GameRecord, seat: int, moves: list[Move]) -> None:
    """Write the analysis as JSON.

    Raises:
        UsageError: the file cannot be written.
    """
    assert options.json is not None
    data: dict[str, Any] = {
        "game": record.game,
        "file": str(options.file),
        "number": options.game,
        "move": options.move,
        "seat": seat,
        "played": record.moves[options.move - 1],
        "agent": options.agent,
        "seed": options.seed,
        "simulations": sum(move.visits for move in moves),
        "moves": [asdict(move) for move in moves],
    }
    try:
        options.json.write_text(json.dumps(data, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write to {options.json}: {error.strerror}") from None


def print_moves(
    options: AnalyzeOptions, game: Game, record: GameRecord, view: View, moves: list[Move]
) -> None:
    """Print the board and the table."""
    print(
        f"{game.title}, {record.num_players} players, before move {options.move}: seat {view.player} to move"
    )
    print(view.board())
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("move", no_wrap=True)
    for heading in ("visits", "value", "95% interval", "prior"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("what follows")
    for move in moves:
        shown.add_row(
            move.move,
            f"{move.visits:,}",
            "" if move.value is None else f"{move.value:+.3f}",
            "" if move.low is None or move.high is None else f"{move.low:+.3f} {move.high:+.3f}",
            "" if move.prior is None else f"{move.prior:.3f}",
            ", ".join(f"{seat}: {follows}" for seat, follows in move.line[1:]),
        )
    console = Console()
    console.width = max(console.width, LEAST_WIDTH)
    console.print(shown, highlight=False)
    print(f"played: {record.moves[options.move - 1]}")
