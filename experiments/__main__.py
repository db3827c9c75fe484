"""The command line: `nile`, the same as `python -m experiments`."""

import os
import sys
from collections.abc import Callable
from typing import Any

import tyro

from agents.registry import AgentError
from experiments import benchmark, listing, replay, tournament
from experiments.errors import UsageError
from tabletop.game import GameError

COMMANDS: dict[str, tuple[type, Callable[[Any], None]]] = {
    "tournament": (tournament.TournamentOptions, tournament.run),
    "replay": (replay.ReplayOptions, replay.run),
    "benchmark": (benchmark.BenchmarkOptions, benchmark.run),
    "agents": (listing.AgentsOptions, listing.run_agents),
    "games": (listing.GamesOptions, listing.run_games),
}


def main() -> None:
    """Run a command; a user's mistake is one line on standard error and exit status 2."""
    sys.path.insert(0, os.getcwd())  # so that agents and games in the user's folder are found by module name
    options = tyro.extras.subcommand_cli_from_dict(
        {name: kind for name, (kind, _) in COMMANDS.items()},
        prog="nile",
        description="Tournaments, replays, benchmarks and tuning of agents on Ra and other games.",
    )
    run = next(run for kind, run in COMMANDS.values() if isinstance(options, kind))
    try:
        run(options)
        sys.stdout.flush()
    except (GameError, AgentError, UsageError) as error:
        print(f"nile: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None


if __name__ == "__main__":
    main()
