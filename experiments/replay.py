"""Check the records of a file, or show one of its games move by move."""

from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

from experiments.errors import UsageError
from tabletop.record import GameRecord, RecordError, Replayer, read_records


@dataclass(frozen=True)
class ReplayOptions:
    """Check every record of a file: moves, chance, scores, returns.

    Exit status 0 if all hold, 1 if one parts from the rules, 2 if the file cannot be read.
    """

    file: Positional[Path]
    """A file of game records, one JSON object a line."""
    show: int | None = None
    """Show this game, counted from 1, move by move with the board."""


def run(options: ReplayOptions) -> None:
    """Check the file, or show one game of it."""
    if options.show is None:
        check(options.file, load_records(options.file))
    else:
        line, record = choose_record(options.file, options.show)
        show(options.file, line, record)


def load_records(path: Path) -> list[tuple[int, GameRecord | RecordError]]:
    """Return the line number of each record of a file, and the record or what is wrong with it.

    Raises:
        UsageError: the file cannot be read or is empty.
    """
    try:
        records = list(read_records(path))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if not records:
        raise UsageError(f"{path} holds no records; a record is one JSON object a line")
    return records


def choose_record(path: Path, number: int) -> tuple[int, GameRecord]:
    """Return one record of a file, counted from 1, and its line.

    Raises:
        UsageError: the file cannot be read, or there is no such record, or it is damaged.
    """
    records = load_records(path)
    if not 1 <= number <= len(records):
        raise UsageError(f"{path} has no game {number}; valid: 1 to {len(records)}")
    line, record = records[number - 1]
    if isinstance(record, RecordError):
        raise UsageError(f"{path}, line {line}: {record}")
    return line, record


def check(path: Path, records: list[tuple[int, GameRecord | RecordError]]) -> None:
    """Replay all records, print what is wrong with the first that fails, and exit accordingly."""
    damaged = [(line, record) for line, record in records if isinstance(record, RecordError)]
    if damaged:
        line, fault = damaged[0]
        raise UsageError(f"{path}, line {line}: {fault}{_more(len(damaged) - 1)}")
    faults: list[tuple[int, RecordError]] = []
    unseeded = moves = 0
    for line, record in records:
        assert isinstance(record, GameRecord)
        try:
            replayer = Replayer(record)
            replayer.run()
            if replayer.deals_as_seeded() is False:
                unseeded += 1
        except RecordError as error:
            faults.append((line, error))
        moves += len(record.moves)
    if faults:
        line, first = faults[0]
        print(f"{path}, line {line}: {first}{_more(len(faults) - 1)}")
        raise SystemExit(1)
    print(f"{len(records):,} games, {moves:,} moves: all legal, chance, scores and returns hold")
    if unseeded:
        print(
            f"{unseeded:,} of them name a seed that deals other chance here; they were checked by their own"
        )


def _more(number: int) -> str:
    return f" (and {number} more records at fault)" if number else ""


def show(path: Path, line: int, record: GameRecord) -> None:
    """Print a game move by move; where it parts from the rules, up to there."""
    try:
        replayer = Replayer(record)
    except RecordError as error:
        raise UsageError(f"{path}, line {line}: {error}") from None
    fault: RecordError | None = None
    try:
        replayer.run()
    except RecordError as error:
        fault = error
    game = replayer.game
    print(f"{game.title}, {record.num_players} players: {', '.join(record.agents)}")
    print("  ".join(f"{name}={value}" for name, value in replayer.options.items()))
    print(game.state_to_string(replayer.states[0]))
    for number in range(replayer.played):
        print(f"\n{number + 1}. {record.moves[number]}")
        print(game.state_to_string(replayer.states[number + 1]))
    if fault is not None:
        print(f"\n{path}, line {line}: {fault}")
        raise SystemExit(1)
    print(f"\nscores {record.scores}   returns {[round(value, 3) for value in record.returns]}")
