"""Tournaments: balanced seats, the same deals, results that do not depend on how they were played."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import GAMES

from agents.registry import make_agent
from experiments import tournament as module
from experiments.errors import UsageError
from experiments.match import (
    Games,
    IllegalAgentError,
    Match,
    ViewPlayer,
    deal_seeds,
    plan_match,
    play_match,
    policy_speed,
    seatings,
)
from experiments.standings import interval, places, seat_shares, standings, win_shares
from experiments.tournament import TournamentOptions, run
from tabletop.game import load
from tabletop.record import GameRecord, read_records, record_of_moves, replay

pytestmark = pytest.mark.compiled


def match_of(*agents: str, players: int = 3, games: int = 12, seed: int = 1, name: str = "ra") -> Match:
    game = load(name)
    return plan_match(game, players, game.resolve_options(), agents, games, seed)


def together(match: Match, **how: Any) -> Games:
    parts = list(play_match(match, **how))
    return Games(
        *(np.concatenate([getattr(part, field) for part in parts]) for field in ("deal", "seed", "seating")),
        *(np.concatenate([getattr(part, field) for part in parts]) for field in ("scores", "returns")),
        [moves for part in parts for moves in part.moves],
        sum(part.decisions for part in parts),
        sum(part.seconds for part in parts),
    )


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("agents", [1, 2, 3, 4, 5, 6, 7])
def test_every_agent_sits_in_every_seat_equally_often(agents: int, players: int) -> None:
    """34: whatever the number of agents and seats."""
    table = seatings(agents, players)
    counts = Counter((agent, seat) for row in table.tolist() for seat, agent in enumerate(row))
    assert len(counts) == agents * players
    assert len(set(counts.values())) == 1


def test_one_agent_against_a_field_of_another() -> None:
    match = match_of("greedy", "random", "random")
    assert match.specs == ("greedy", "random")
    assert sorted(map(tuple, match.seatings.tolist())) == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]


def test_the_same_deals_for_every_seating() -> None:
    """35: a deal has the same tiles in the same order whoever sits where."""
    match = match_of("greedy", "random", games=12)
    games = together(match)
    assert match.num_games == 12
    chances: dict[int, list[list[str]]] = {}
    for row, moves in enumerate(games.moves):
        record = record_of_moves(match.game, 3, match.options, int(games.seed[row]), ["a", "b", "c"], moves)
        chances.setdefault(int(games.deal[row]), []).append(record.chance)
    assert all(len(lists) == 6 for lists in chances.values())
    for lists in chances.values():
        longest = max(lists, key=len)
        assert all(longest[: len(chance)] == chance for chance in lists)


def test_every_deal_has_a_seed_of_its_own() -> None:
    """23: and more deals begin with the same ones."""
    seeds = deal_seeds(7, 500)
    assert len(set(seeds.tolist())) == 500
    np.testing.assert_array_equal(deal_seeds(7, 20), seeds[:20])
    assert set(deal_seeds(8, 500).tolist()).isdisjoint(seeds.tolist())


@pytest.mark.parametrize("name", GAMES)
def test_results_do_not_depend_on_how_they_are_played(name: str) -> None:
    """33: one thread or three, large parts or small, compiled or through views: the same games."""
    agents = ("greedy", "random") if load(name).weights is not None else ("random", "random")
    match = match_of(*agents, name=name, games=12)
    reference = together(match)
    others = [together(match, workers=3), together(match, deals_per_chunk=1)]
    player = ViewPlayer(match)
    parts = [player(range(deal, deal + 1)) for deal in range(len(match.deals))]
    assert reference.seconds.sum() == 0
    assert all(part.seconds.sum() > 0 for part in parts)
    for other in others:
        np.testing.assert_array_equal(other.returns, reference.returns)
        assert [moves.tolist() for moves in other.moves] == [moves.tolist() for moves in reference.moves]
    through_views = [moves.tolist() for part in parts for moves in part.moves]
    assert through_views == [moves.tolist() for moves in reference.moves]
    np.testing.assert_array_equal(sum(part.decisions for part in parts), reference.decisions)


def test_an_agent_outside_the_project_plays() -> None:
    match = match_of("sample_bot:last=true", "random", games=6)
    games = together(match)
    assert games.seconds.sum() > 0
    assert len(games.moves) == 6


def test_an_agent_that_plays_illegally_is_named() -> None:
    with pytest.raises(IllegalAgentError, match=r"agent broken_bot played \d+; legal: "):
        together(match_of("broken_bot", "random", games=2))


def test_ties_share_win_and_place() -> None:
    returns = np.array([[1.0, -0.5, -0.5], [0.0, 0.0, 0.0], [0.5, 0.5, -1.0]])
    np.testing.assert_allclose(win_shares(returns), [[1, 0, 0], [1 / 3] * 3, [0.5, 0.5, 0]])
    np.testing.assert_allclose(places(returns), [[1, 2.5, 2.5], [2, 2, 2], [1.5, 1.5, 3]])


def test_the_interval_covers_the_true_share_about_19_times_in_20() -> None:
    """Also when the games of a deal go together, where counting games would be too sure."""
    generator = np.random.default_rng(0)
    covered = {1: 0, 4: 0}
    for same in covered:
        for _ in range(400):
            luck = generator.random(60)
            won = generator.random((60, 4)) < (luck[:, None] < 0.3 if same == 4 else 0.3)
            low, high = interval(float(won.mean()), won.size, won.mean(axis=1))
            covered[same] += low <= 0.3 <= high
    assert all(0.9 <= hits / 400 <= 0.99 for hits in covered.values()), covered


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_interval_of_a_clean_sweep_is_not_a_point(share: float) -> None:
    low, high = interval(share, 100, np.full(50, share))
    assert 0.02 < high - low < 0.06
    assert low <= share <= high


def test_a_single_deal_has_an_interval_too() -> None:
    low, high = interval(0.5, 4, np.array([0.5]))
    assert 0 < low < 0.5 < high < 1


def test_the_table_adds_up() -> None:
    match = match_of("greedy", "random", games=60)
    played = list(play_match(match))
    rows = standings(match.specs, played, [1.0, 2.0])
    assert [row.agent for row in rows] == ["greedy", "random"]
    assert sum(row.games * row.win_share for row in rows) == pytest.approx(60)
    assert sum(row.games for row in rows) == 180
    assert sum(seat_shares(played)) == pytest.approx(1)
    assert rows[0].win_share > 0.5
    assert rows[0].mean_place < 2 < rows[1].mean_place
    assert policy_speed(match, played[0], 0) > 0


def test_a_tournament_saves_all_that_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "run"
    options = TournamentOptions(
        agents=("greedy", "random"), games=12, out=folder, option=("fame_floor=true",)
    )
    run(options)
    shown = capsys.readouterr().out
    assert "12 games (2 deals, each in 6 seatings)" in shown
    config = json.loads((folder / "config.json").read_text())
    assert config["options"]["agents"] == ["greedy", "random"]
    assert config["rules"]["fame_floor"] is True
    assert config["versions"]["numba"]
    assert "git" in config
    rows = list(csv.DictReader((folder / "results.csv").read_text().splitlines()))
    assert len(rows) == 36
    records = [record for _, record in read_records(folder / "games.jsonl")]
    assert len(records) == 12
    assert len({(int(row["game"]), int(row["seed"])) for row in rows}) == 12
    for number, record in enumerate(records):
        assert isinstance(record, GameRecord)
        replay(record)
        mine = [row for row in rows if int(row["game"]) == number]
        assert [row["agent"] for row in mine] == record.agents
        assert [int(row["score"]) for row in mine] == record.scores
        assert [float(row["return"]) for row in mine] == record.returns
        assert {int(row["seed"]) for row in mine} == {record.seed}
    summary = list(csv.DictReader((folder / "summary.csv").read_text().splitlines()))
    assert {row["agent"] for row in summary} == {"greedy", "random"}


def test_a_tournament_can_be_repeated_from_its_config(tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(TournamentOptions(agents=("random", "greedy"), games=6, seed=5, out=tmp_path / name))
    first, second = ((tmp_path / name / "games.jsonl").read_text() for name in ("one", "two"))
    assert first == second
    run(TournamentOptions(agents=("random", "greedy"), games=6, seed=6, out=tmp_path / "three"))
    assert (tmp_path / "three" / "games.jsonl").read_text() != first


def test_results_are_not_overwritten_unless_asked(tmp_path: Path) -> None:
    options = TournamentOptions(agents=("random",), games=2, out=tmp_path)
    run(options)
    before = (tmp_path / "games.jsonl").read_text()
    with pytest.raises(UsageError, match="holds results already"):
        run(TournamentOptions(agents=("random",), games=3, out=tmp_path))
    assert (tmp_path / "games.jsonl").read_text() == before
    run(TournamentOptions(agents=("random",), games=3, out=tmp_path, overwrite=True))
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 3


def test_ctrl_c_keeps_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(match: Match, workers: int = 1) -> Any:
        yield next(iter(play_match(match, deals_per_chunk=1)))
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "play_match", interrupted)
    monkeypatch.setattr(module, "warm_up", lambda match: None)
    with pytest.raises(SystemExit) as stopped:
        run(TournamentOptions(agents=("random", "greedy"), games=60, out=tmp_path))
    assert stopped.value.code == 130
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 6
    assert "6 games (1 deal" in capsys.readouterr().out
    assert (tmp_path / "summary.csv").exists()


def test_agents_get_their_own_seed_each_game() -> None:
    games = together(match_of("random", games=4))
    assert len({tuple(moves.tolist()) for moves in games.moves}) == 4
    assert make_agent("random", load("ra"), 3).policy is not None
