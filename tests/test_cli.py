"""The command line: what works, and one clear line with exit status 2 for every mistake."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT, legal_names

from experiments.__main__ import main
from tabletop.game import load
from tabletop.record import parse_record, replay

pytestmark = pytest.mark.compiled


def nile(
    arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Run a command in this process; return exit status, output and errors."""
    monkeypatch.setattr(sys, "argv", ["nile", *arguments.split()])
    monkeypatch.setattr(sys, "path", sys.path[:])
    status = 0
    try:
        main()
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    shown = capsys.readouterr()
    return status, shown.out, shown.err


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Records of a small tournament."""
    out = tmp_path / "run"
    status, _, _ = nile(f"tournament --agents greedy random --games 6 --out {out}", monkeypatch, capsys)
    assert status == 0
    return out / "games.jsonl"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "tournament --agents grady random",
            "unknown agent 'grady'; valid: greedy, guided, mcts, playout, ppo, prior, random",
        ),
        ("tournament --agents random:depth=2", "agent random has no option 'depth'; valid: none"),
        ("tournament --agents random --game chess", "unknown game 'chess'; valid: ra"),
        ("tournament --agents random --players 6", "ra is for 2 to 5 players, not 6"),
        ("tournament --agents random --players 1", "ra is for 2 to 5 players, not 1"),
        ("tournament --agents random --rules house", "no rules 'house'; valid: rulebook, overview"),
        ("tournament --agents random --option god=1", "no option 'god'; valid: forced_bid"),
        ("tournament --agents random --option gods_per_turn", "an option of the game is name=value"),
        ("tournament --agents random --option gods_per_turn=2", "cannot be '2'; valid: any, one"),
        ("tournament --agents random --games 0", "games must be at least 1, not 0"),
        ("tournament --agents random --seed -1", "seed must be at least 0, not -1"),
        ("tournament --agents random --workers 0", "workers must be at least 1, not 0"),
        ("tournament --agents broken_bot random", "agent broken_bot played"),
        ("replay no_such_file.jsonl", "cannot read no_such_file.jsonl: No such file or directory"),
        ("replay tests", "cannot read tests: Is a directory"),
        ("benchmark --seconds 0", "seconds must be above 0, not 0"),
        ("benchmark --peers --seconds -1", "seconds must be above 0, not -1"),
        ("benchmark --peers --game amunre --players 2", "amunre is for 3 to 5 players, not 2"),
        ("benchmark --peers --json /no/such/folder/file.json", "cannot write to /no/such/folder/file.json"),
        ("benchmark --game chess", "unknown game 'chess'; valid: ra"),
        ("benchmark --json /no/such/folder/file.json", "cannot write to /no/such/folder/file.json"),
        ("analyze no_such_file.jsonl", "cannot read no_such_file.jsonl: No such file or directory"),
        ("games chess", "unknown game 'chess'; valid: ra"),
        ("tune --game ra --players 7", "ra is for 2 to 5 players, not 7"),
        ("tune --game high_bid --players 3", "high_bid has no weights to tune"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(
    arguments: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    status, _, errors = nile(arguments, monkeypatch, capsys)
    assert status == 2
    assert message in errors
    last = errors.strip().splitlines()[-1]
    assert last.startswith("nile: ")
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "arguments", ["", "turnament", "tournament", "tournament --agents random --games many"]
)
def test_the_parsers_own_mistakes_have_exit_status_2(
    arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, errors = nile(arguments, monkeypatch, capsys)
    assert status == 2
    assert "Traceback" not in out + errors


def test_an_output_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    status, _, errors = nile(f"tournament --agents random --out {blocked}/run", monkeypatch, capsys)
    assert (status, errors) == (2, f"nile: cannot write to {blocked}/run: Not a directory\n")


def test_replay_checks_every_record(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = nile(f"replay {records}", monkeypatch, capsys)
    assert status == 0
    assert re.fullmatch(r"6 games, [\d,]+ moves: all legal, chance, scores and returns hold\n", out)


def test_replay_says_where_the_first_record_parts(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = records.read_text().splitlines()
    wrong = json.loads(lines[2])
    wrong["scores"][0] += 1
    records.write_text("\n".join([*lines[:2], json.dumps(wrong), *lines[3:]]))
    status, out, _ = nile(f"replay {records}", monkeypatch, capsys)
    assert status == 1
    assert out.startswith(f"{records}, line 3: the scores are")


def test_replay_says_when_a_seed_deals_other_chance(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Replays go by moves and chance; a foreign seed is told, not held against the record."""
    first = json.loads(records.read_text().splitlines()[0])
    records.write_text(json.dumps(first | {"seed": 5}) + "\n")
    status, out, _ = nile(f"replay {records}", monkeypatch, capsys)
    assert status == 0
    assert "1 of them name a seed that deals other chance" in out


@pytest.mark.parametrize("content", ["", "\n\n", "{oops\n", "\xff"])
def test_a_damaged_file_is_exit_status_2(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content.encode("latin-1"))
    status, _, errors = nile(f"replay {path}", monkeypatch, capsys)
    assert status == 2
    assert errors.startswith(f"nile: {path}")
    assert len(errors.splitlines()) == 1


def test_replay_shows_a_game_move_by_move(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(records.read_text().splitlines()[1])
    status, out, _ = nile(f"replay {records} --show 2", monkeypatch, capsys)
    assert status == 0
    for number, move in enumerate(record["moves"], start=1):
        assert f"\n{number}. {move}\n" in out
    assert out.count("Ra track") == len(record["moves"]) + 1
    assert f"scores {record['scores']}" in out


def test_replay_shows_a_faulty_game_up_to_the_fault(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(records.read_text().splitlines()[0])
    record["moves"][5] = "bid 1"
    records.write_text(json.dumps(record))
    status, out, _ = nile(f"replay {records} --show 1", monkeypatch, capsys)
    assert status == 1
    assert "\n5. " in out
    assert "\n6. " not in out
    assert "line 1: move 6 ('bid 1') is not legal" in out.splitlines()[-1]


@pytest.mark.parametrize("number", [0, 7])
def test_replay_knows_how_many_games_there_are(
    number: int, records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = nile(f"replay {records} --show {number}", monkeypatch, capsys)
    assert status == 2
    assert f"has no game {number}; valid: 1 to 6" in errors


def test_analyze_shows_each_legal_move_and_what_follows(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "analysis.json"
    status, out, _ = nile(
        f"analyze {records} --game 2 --move 1 --simulations 300 --agent mcts:c=50 --json {path}",
        monkeypatch,
        capsys,
    )
    assert status == 0
    analysis = json.loads(path.read_text())
    record = json.loads(records.read_text().splitlines()[1])
    assert analysis["simulations"] == sum(move["visits"] for move in analysis["moves"]) == 300
    assert analysis["played"] == record["moves"][0]
    assert {move["move"] for move in analysis["moves"]} == {"draw", "invoke"}
    for move in analysis["moves"]:
        assert f"\n  {move['move']} " in out
        assert move["low"] <= move["value"] <= move["high"]
        assert move["value"] == move["values"][analysis["seat"]]
        assert move["line"][0] == [analysis["seat"], move["move"]]
    assert sum(move["prior"] for move in analysis["moves"]) == pytest.approx(1)
    assert len(analysis["moves"][0]["line"]) > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--game 9", "has no game 9; valid: 1 to 6"),
        ("--move 0", "game 1 has no move 0; valid: 1 to "),
        ("--agent greedy", "agent 'greedy' does not search; valid: mcts, mcts:key=value,..."),
        ("--agent mcts:depth=3", "agent mcts has no option 'depth'; valid: simulations, "),
        ("--simulations 0", "simulations must be at least 1, not 0"),
        ("--seed -1", "seed must be at least 0, not -1"),
        ("--simulations 4 --json /no/such/file", "cannot write to /no/such/file: No such file or directory"),
    ],
)
def test_analyze_says_what_cannot_be_analyzed(
    arguments: str,
    message: str,
    records: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, _, errors = nile(f"analyze {records} {arguments}", monkeypatch, capsys)
    assert status == 2
    assert message in errors


def test_a_move_without_a_choice_is_not_analyzed(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A player with a sun may always pass or draw; the end of a God turn or of an epoch has forced moves."""
    record = json.loads(records.read_text().splitlines()[0])
    states = replay(parse_record(json.dumps(record)))
    forced = next(
        number
        for number in range(len(record["moves"]))
        if len(legal_names(load("ra"), states[number : number + 1])) == 1
    )
    status, _, errors = nile(f"analyze {records} --move {forced + 1}", monkeypatch, capsys)
    assert status == 2
    assert f"move {forced + 1} is no choice: {record['moves'][forced]!r} is the only legal move" in errors


def test_lists_name_everything(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _, agents, _ = nile("agents", monkeypatch, capsys)
    assert "greedy: " in agents
    assert "random: " in agents
    assert "  weights: " in agents
    _, games, _ = nile("games", monkeypatch, capsys)
    assert "ra: Ra, 2 to 5 players, 55 actions" in games
    assert "forced_bid=true|false" in games
    _, ra, _ = nile("games ra", monkeypatch, capsys)
    for text in ("`forced_bid`", "`bid <sun>`", "`suns_up`", "| weight |"):
        assert text in ra


def test_the_benchmark_measures_all_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figures.json"
    status, out, _ = nile(
        f"benchmark --game ra --seconds 0.02 --no-compile --json {path}", monkeypatch, capsys
    )
    assert status == 0
    figures = json.loads(path.read_text())["figures"]
    names = [figure["what"] for figure in figures]
    assert len(names) == len(set(names)) == 12
    words = ("playouts", "batch", "two threads", "single seats", "AEC", "OpenSpiel", "rollouts", "clone")
    for word in (*words, "estimate at the leaf", "prior"):
        assert any(word in name for name in names)
        assert word in out
    assert all(figure["best"] > 0 for figure in figures)


def test_module_and_script_are_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "experiments", "replay", "nothing.jsonl"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ.copy(),
    )
    assert done.returncode == 2
    assert done.stderr == "nile: cannot read nothing.jsonl: No such file or directory\n"


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m experiments games ra | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.startswith("Ra (`ra`)")
    assert done.stderr == ""


def test_a_ladder_sets_each_rung_against_the_one_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "ladder"
    arguments = "ladder --agent greedy:bid_margin={} --rungs 30 0.5 --ground random --games 30"
    status, shown, _ = nile(f"{arguments} --out {out}", monkeypatch, capsys)
    assert status == 0
    assert "Ra, 3 players: each rung against a table of the one below, fair share 0.333" in shown
    rows = list(csv.DictReader((out / "ladder.csv").read_text().splitlines()))
    assert [row["agent"] for row in rows] == ["greedy:bid_margin=30", "greedy:bid_margin=0.5"]
    assert [row["below"] for row in rows] == ["random", "greedy:bid_margin=30"]
    assert [row["games"] for row in rows] == ["30", "30"]
    assert float(rows[1]["win_share"]) > 0.8
    assert float(rows[1]["low"]) < float(rows[1]["win_share"]) <= float(rows[1]["high"])
    assert ("no picture" in shown) != (out / "ladder.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--agent greedy", "agent needs {} where the rung's number goes, not 'greedy'"),
        ("--agent random:{}", "agent random: '30' is not key=value"),
        ("--rungs 30 30", "rungs are different numbers, not 30 30"),
        ("--ground nobody", "unknown agent 'nobody'"),
        ("--games 0", "games must be at least 1, not 0"),
    ],
)
def test_a_bad_ladder_is_told_what_is_valid(
    arguments: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = nile(f"ladder {arguments}", monkeypatch, capsys)
    assert status == 2
    assert message in errors
