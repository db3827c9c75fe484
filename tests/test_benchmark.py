"""The benchmark's loops do the work that they report, and the comparison with peers names who is missing."""

import json
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from experiments import benchmark, measures, peers
from experiments.__main__ import main
from experiments.benchmark import BenchmarkOptions
from experiments.measures import FirstGames, Measure, Sample
from tabletop.aec import GameEnv
from tabletop.game import Game, load

HIGH_BID = load("high_bid")
PLAYERS = 3
DECISIONS = 3 * PLAYERS  # of every game of High Bid
NOWHERE = peers.Peer("Nowhere", ("nowhere",), lambda: [import_module("no_such_library").contender])


@pytest.mark.parametrize(
    ("prepare", "length"),
    [
        (measures.playouts, DECISIONS),
        (partial(measures.batch, places=4), DECISIONS),
        (partial(measures.batch, places=4, threads=2), DECISIONS),
        (partial(measures.learners, places=4, policy="random"), DECISIONS / PLAYERS),
        (measures.learner, DECISIONS / PLAYERS),
        (measures.aec_loop, DECISIONS),
        (measures.records, DECISIONS),
        (measures.spiel_view, DECISIONS),
    ],
    ids=["playouts", "batch", "threads", "learners", "learner", "aec", "records", "spiel"],
)
def test_every_loop_plays_whole_games(prepare: Callable[[Game, int], Measure], length: float) -> None:
    measure = prepare(HIGH_BID, PLAYERS)
    for _ in range(DECISIONS):  # a batch makes one step in no time
        sample = measure(0.0)
    assert sample.length == length
    assert sample.work >= 1
    assert sample.games_rate == pytest.approx(sample.rate / length)


@pytest.mark.parametrize(
    "prepare",
    [
        measures.record_copies,
        measures.compiled_copies,
        lambda game, players: measures.env_copies(GameEnv(game, num_players=players)),
    ],
    ids=["record", "compiled", "environment"],
)
def test_copies_are_counted_one_by_one(prepare: Callable[[Game, int], Measure]) -> None:
    sample = prepare(HIGH_BID, PLAYERS)(0.0)
    assert (sample.work, sample.length, sample.games_rate) == (1, None, 0.0)


@pytest.mark.compiled
def test_a_search_counts_its_simulations_and_what_they_play() -> None:
    sample = measures.search(HIGH_BID, PLAYERS, measures.RANDOM_ROLLOUTS)(0.0)
    assert sample.length == DECISIONS
    assert sample.work == measures.SIMULATIONS * DECISIONS


def test_a_loop_goes_on_for_as_long_as_asked() -> None:
    played: list[int] = []

    def play(games: range) -> int:
        played.extend(games)
        end = measures.cpu_clock() + 0.002 * len(games)
        while measures.cpu_clock() < end:
            pass
        return 5 * len(games)

    sample = measures.repeated(play)(0.05)
    assert played == list(range(len(played)))
    assert sample.work == 5 * len(played)
    assert sample.length == 5
    assert sample.seconds >= 0.05


def test_choosing_is_not_timed_and_steps_are() -> None:
    def wait() -> None:
        end = measures.cpu_clock() + 0.02
        while measures.cpu_clock() < end:
            pass

    measure = measures.stepped(wait, lambda _: np.zeros(2, bool), 2, measures.cpu_clock)
    assert measure(0.1).seconds < 0.02


def test_the_length_of_games_in_a_batch_is_that_of_the_first_in_each_place() -> None:
    first = FirstGames(2)
    assert first.mean is None
    for done in ([False, True], [False, True]):
        first.saw(done)
        assert first.mean is None
    first.saw([True, False])
    first.saw([True, True])
    assert first.mean == (3 + 1) / 2


class Dice:
    """A game in OpenSpiel's interface: a die before each of three decisions."""

    def __init__(self) -> None:
        self.rolls: list[int] = []
        self.decisions = 0
        self.is_terminal = lambda: self.decisions == 3
        self.is_chance_node = lambda: len(self.rolls) == self.decisions
        self.chance_outcomes = lambda: [(1, 0.25), (2, 0.75), (3, 0.0)]
        self.legal_actions = lambda: [0, 7]

    def apply_action(self, action: int) -> None:
        """Roll, or decide."""
        if self.is_chance_node():
            self.rolls.append(action)
        else:
            assert action in self.legal_actions()
            self.decisions += 1


def test_chance_in_openspiels_interface_is_drawn_but_not_counted() -> None:
    generator = np.random.default_rng(0)
    rolls: list[int] = []
    for _ in range(500):
        state = Dice()
        assert measures.spiel_moves(state, generator) == 3
        rolls += state.rolls
    assert set(rolls) == {1, 2}
    assert rolls.count(1) / len(rolls) == pytest.approx(0.25, abs=0.05)
    state = Dice()
    assert measures.spiel_moves(state, generator, 0) == 0
    assert len(state.rolls) == 1


@pytest.mark.compiled
def test_a_game_without_a_valuation_is_measured_against_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "PLACES", 8)
    monkeypatch.setattr(benchmark, "LEARNERS", 8)
    figures = benchmark.measure(HIGH_BID, BenchmarkOptions(seconds=0.001, compile=False))
    names = [figure.what for figure in figures]
    assert len(names) == len(set(names))
    assert "8 single seats against random, learner random" in names
    assert not any("greedy" in name for name in names)
    for figure in figures:
        best, median = sorted((figure.best, figure.median), reverse=figure.unit != "ns")
        assert (figure.best, figure.median) == (best, median)
        assert figure.best > 0


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PLACES", 8)
    monkeypatch.setattr(measures, "SIMULATIONS", 20)


@pytest.mark.compiled
@pytest.mark.usefixtures("small")
def test_an_absent_peer_is_named_with_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peers, "PEERS", (NOWHERE,))
    path = tmp_path / "figures.json"
    command = f"nile benchmark --game high_bid --peers --seconds 0.001 --json {path}"
    monkeypatch.setattr(sys, "argv", command.split())
    monkeypatch.setattr(sys, "path", sys.path[:])
    main()
    out = " ".join(capsys.readouterr().out.split())
    assert "Nowhere was not measured: No module named 'no_such_library'" in out
    assert f"install with: {peers.INSTALL}" in out
    found = json.loads(path.read_text())
    assert found["absent_peers"] == {"Nowhere": "No module named 'no_such_library'"}
    assert found["peer_versions"] == {}
    assert {figure["task"] for figure in found["peers"]} == {
        peers.STATES,
        peers.RECORDS,
        peers.LOOP,
        peers.BATCH,
        peers.CLONE,
        peers.DEEP_COPY,
        peers.SEARCH,
    }
    for figure in found["peers"]:
        assert figure["library"] == peers.OURS
        assert figure["best"] >= figure["median"] > 0
        assert figure["first_call"] > 0
        copied = figure["task"] in (peers.CLONE, peers.DEEP_COPY)
        assert figure["length"] in ((None,) if copied else (DECISIONS, None))


def figure(task: str, library: str, game: str, rate: float) -> peers.Figure:
    return peers.Figure(task, library, game, 2, 9.0, rate, rate, 0.1)


def test_ratios_are_to_our_games_in_the_same_task(capsys: pytest.CaptureFixture[str]) -> None:
    found = peers.Comparison(
        [
            figure(peers.LOOP, peers.OURS, "Ra", 1000.0),
            figure(peers.LOOP, peers.OURS, "Amun-Re", 500.0),
            figure(peers.LOOP, peers.CLASSIC, "slow", 100.0),
            figure(peers.LOOP, peers.CLASSIC, "quick", 200.0),
            figure(peers.BATCH, peers.OURS, "Ra", 7.0),
        ],
        versions={"pettingzoo": "1.27.0"},
    )
    peers.show(found)
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if "slow" in line)
    assert row.split()[-2:] == ["10", "5"]
    text = " ".join(" ".join(lines).split())
    assert "AEC loop: Ra is 5.0 times as fast as quick, the fastest of PettingZoo classic" in text
    assert "AEC loop: Amun-Re is 2.5 times as fast as quick" in text
    assert "pettingzoo 1.27.0" in text


@pytest.mark.compiled
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("peer", "module", "games", "tasks"),
    [
        (peers.PEERS[0], "pyspiel", "SPIEL_GAMES", {peers.STATES, peers.RECORDS, peers.CLONE, peers.SEARCH}),
        (peers.PEERS[1], "pygame", "CLASSIC_GAMES", {peers.LOOP, peers.DEEP_COPY}),
        (peers.PEERS[2], "rlcard", "RLCARD_GAMES", {peers.LOOP}),
        (peers.PEERS[3], "pgx", "PGX_GAMES", {peers.BATCH}),
    ],
    ids=["openspiel", "pettingzoo", "rlcard", "pgx"],
)
@pytest.mark.filterwarnings("ignore")
def test_an_installed_peer_is_measured(
    peer: peers.Peer, module: str, games: str, tasks: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(module)
    few = getattr(peers, games)[:1]
    monkeypatch.setattr(peers, games, few)
    found = peers.compare([HIGH_BID], PLAYERS, 0.001, (peer,))
    assert found.absent == {}
    assert set(found.versions) == set(peer.distributions)
    theirs = [each for each in found.figures if each.library != peers.OURS]
    assert {each.task for each in theirs} == tasks
    for each in theirs:
        assert each.game == few[0]
        assert each.players >= 2
        assert each.best >= each.median > 0


def test_a_sample_is_work_by_time() -> None:
    assert Sample(10, 2.0).rate == 5
    assert Sample(10, 2.0, 5).games_rate == 1
