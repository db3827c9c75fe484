"""The learning curve of a run of `nile train`: a table, and a picture where matplotlib is installed."""

import csv
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def read_curve(path: Path) -> list[dict[str, Any]]:
    """Return the evaluations of a run, oldest first."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write_table(points: list[dict[str, Any]], path: Path) -> None:
    """Write CSV: a row for each evaluation and opponent, the share of wins with its 95% interval."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["steps", "players", "games", "opponent", "win_share", "low", "high", "mean_place"])
        for point in points:
            for opponent, result in opponents_of(point):
                numbers = [result[name] for name in ("win_share", "low", "high", "mean_place")]
                writer.writerow([point["steps"], point["players"], point["games"], opponent, *numbers])


def opponents_of(point: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the opponents of an evaluation and the results against them."""
    return [(name, result) for name, result in point.items() if isinstance(result, dict)]


def draw(points: list[dict[str, Any]], title: str, path: Path) -> bool:
    """Draw the shares of wins against the agents over the steps; return False without matplotlib."""
    if not points or find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name in dict.fromkeys(name.split()[0] for point in points for name, _ in opponents_of(point)):
        found = [
            (point["steps"], result["win_share"], result["low"], result["high"])
            for point in points
            for opponent, result in opponents_of(point)
            if opponent.split()[0] == name
        ]
        steps, shares, low, high = zip(*found, strict=True)
        label = "an earlier snapshot" if name == "snapshot" else name
        (line,) = axes.plot(steps, shares, marker=".", label=label)
        axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.2)
    players = points[-1]["players"]
    axes.axhline(1 / players, color="gray", linestyle=":", label="fair share")
    axes.set(title=title, xlabel="decisions learned from", ylabel="share of wins", ylim=(0, 1))
    axes.legend()
    figure.savefig(path, dpi=120)
    return True
