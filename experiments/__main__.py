"""The command line: `nile`, the same as `python -m experiments`."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import tyro

from agents.registry import AgentError
from experiments import analyze, benchmark, calibrate, fit, ladder, listing, replay, tournament, train, tune
from experiments.errors import UsageError
from experiments.match import IllegalAgentError
from tabletop.game import GameError

COMMANDS: dict[str, tuple[type, Callable[[Any], None]]] = {
    "tournament": (tournament.TournamentOptions, tournament.run),
    "ladder": (ladder.LadderOptions, ladder.run),
    "replay": (replay.ReplayOptions, replay.run),
    "analyze": (analyze.AnalyzeOptions, analyze.run),
    "benchmark": (benchmark.BenchmarkOptions, benchmark.run),
    "train": (train.TrainOptions, train.run),
    "tune": (tune.TuneOptions, tune.run),
    "fit": (fit.FitOptions, fit.run),
    "calibrate": (calibrate.CalibrateOptions, calibrate.run),
    "agents": (listing.AgentsOptions, listing.run_agents),
    "games": (listing.GamesOptions, listing.run_games),
}


def main() -> None:
    """Run a command; a user's mistake is one line on standard error and exit status 2."""
    sys.path.insert(0, os.getcwd())  # so that agents and games in the user's folder are found by module name
    options, run = parse(sys.argv[1:])
    try:
        run(options)
        sys.stdout.flush()
    except (GameError, AgentError, IllegalAgentError, UsageError) as error:
        print(f"nile: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None


def parse(arguments: Sequence[str]) -> tuple[Any, Callable[[Any], None]]:
    """Return the options of a command, and what runs it; exit with status 2 if they do not parse."""
    options = tyro.extras.subcommand_cli_from_dict(
        {name: kind for name, (kind, _) in COMMANDS.items()},
        prog="nile",
        description="Tournaments, replays, analyses, benchmarks, tuning and training of agents on Ra, Amun-Re and other games.",
        args=arguments,
    )
    return options, next(run for kind, run in COMMANDS.values() if type(options) is kind)


if __name__ == "__main__":
    main()
