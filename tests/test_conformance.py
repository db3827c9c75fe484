"""Every game keeps what `tabletop.conformance` promises, and games that do not are found out."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from helpers import GAMES, ROOT, option_sets, player_counts, run_python

from tabletop import conformance
from tabletop.conformance import Table, check_facts, check_game, play_table
from tabletop.game import load
from tabletop.spiel import SpielGame

pytestmark = pytest.mark.compiled

TABLES = pytest.mark.parametrize(("name", "players"), player_counts())


@cache
def tables(name: str, players: int) -> list[Table]:
    """A random game for every set of options; 27: whoever is to move has a legal action, to the end."""
    game = load(name)
    return [
        play_table(game, players, options, seed=10 * players + number)
        for number, options in enumerate(option_sets(game))
    ]


def check_all(check: Callable[[Table], None], name: str, players: int) -> None:
    for table in tables(name, players):
        check(table)


@pytest.mark.parametrize("name", GAMES)
def test_names_blocks_options_and_record_agree(name: str) -> None:
    """29: one fixed table of actions; the blocks cover it, and every action survives its notation."""
    check_facts(load(name))


@TABLES
def test_all_seats_see_what_is_within_bounds_and_only_who_moves_may_move(name: str, players: int) -> None:
    """10: the acting player's mask is never all zero; 9: looking has no side effect."""
    check_all(conformance.check_views, name, players)


@TABLES
def test_returns_are_zero_sum_and_follow_the_scores(name: str, players: int) -> None:
    check_all(conformance.check_results, name, players)


@TABLES
def test_seed_and_moves_make_the_game_and_clones_play_on_identically(name: str, players: int) -> None:
    """21, 22: from the start, and from anywhere in between."""
    check_all(conformance.check_determinism, name, players)


@TABLES
def test_two_states_that_differ_in_what_a_player_cannot_know_look_alike(name: str, players: int) -> None:
    """25: redrawing the unknown changes nothing that is seen; 27: and can be played to the end."""
    check_all(conformance.check_samples, name, players)


@TABLES
def test_samples_differ_where_more_than_one_hidden_state_fits(name: str, players: int) -> None:
    """25: they are not the truth every time."""
    check_all(conformance.check_unknown, name, players)


@TABLES
def test_strings_keys_and_observations_tell_the_same_states_apart(name: str, players: int) -> None:
    check_all(conformance.check_strings, name, players)


@TABLES
def test_information_state_strings_tell_apart_what_a_player_can(name: str, players: int) -> None:
    """6: of secret moves they show the own ones only, until all are revealed."""
    for table in tables(name, players)[: len(load(name).presets)]:
        conformance.check_histories(table)


@TABLES
def test_what_a_player_is_told_of_a_move_determines_what_it_sees_then(name: str, players: int) -> None:
    for table in tables(name, players)[: len(load(name).presets)]:
        conformance.check_tellings(table)


@TABLES
def test_a_game_survives_its_record(name: str, players: int) -> None:
    """Replayed by moves and chance alone, the seed being that of another game."""
    check_all(conformance.check_records, name, players)


@TABLES
def test_a_state_survives_its_serialization(name: str, players: int) -> None:
    """22: the same future draws."""
    for table in tables(name, players)[: len(load(name).presets)]:
        conformance.check_serialization(table)


def test_a_game_of_ones_own_is_checked_in_one_call() -> None:
    check_game(load("high_bid"))


def test_a_game_that_does_not_say_what_is_told_keeps_its_promises_too() -> None:
    """The changed lines of the observation are told instead, the own moves by name."""
    game = replace(load("high_bid"), told=None)
    for table in conformance.tables(game):
        conformance.check_tellings(table)
        conformance.check_histories(table)
    state = SpielGame(game, 2).new_initial_state(0)
    state.apply_actions([3, 1])
    first, second = (state.information_state_string(seat) for seat in range(2))
    assert "bid 3\n" in first
    assert "bid 1\n" not in first
    assert "seat 0: 1 coins" in first
    assert "bid 1\n" in second


BROKEN = {
    "a player without a move": (
        "range(state.coins[state.current] + 1)",
        "range(state.coins[state.current])",
        "has no legal action",
    ),
    "more points than there are": (
        "out[MAX_PLAYERS + place] = state.points[seat] / np.float32(6)",
        "out[MAX_PLAYERS + place] = state.points[seat]",
        "points of the observation of seat",
    ),
    "looking": (
        "    out[2 * MAX_PLAYERS] = (state",
        "    state.points[0] = 1\n    out[2 * MAX_PLAYERS] = (state",
        "looking at a record changes it",
    ),
    "zero-sum": ("out[player] += np.sign(", "out[player] += 2 * np.sign(", "are not zero-sum"),
    "the order of the places": (
        "out[player] += np.sign(",
        "out[player] -= np.sign(",
        "do not follow scores",
    ),
    "the end": ("max_moves=PRIZES * MAX_PLAYERS", "max_moves=5", "goes on after max_moves"),
    "a bid that others see": (
        "out[2 * MAX_PLAYERS] = (state.bids[player] + 1)",
        "out[2 * MAX_PLAYERS] = (state.bids[0] + 1)",
        "changes its observation",
    ),
    "a bid that others' keys tell": (
        'public_words(STATE, "rng", "bids")',
        'public_words(STATE, "rng")',
        "changes its information_key",
    ),
    "a key that leaves something out": (
        'public_words(STATE, "rng", "bids")',
        'public_words(STATE, "rng", "bids", "coins")',
        "one key of seat",
    ),
    "a board that others' bids are on": (
        'own = "no bid" if state.bids[player]',
        'own = f"{state.bids}" if state.bids[player]',
        "changes its observation_string",
    ),
    "a bid that others are told": ("else '?'}\"", 'else action}"', "two information_state_strings"),
    "bids that are never revealed": (
        "{text}; all bid {' '.join(str(bid) for bid in bids)}; prize",
        "{text}; prize",
        "is told the same of moves after which it sees",
    ),
    "own bids redrawn": ("        if other != player:", "        if other == player:", "changes its"),
    "samples that are the truth": (
        "        if other != player:",
        "        if other > MAX_PLAYERS:",
        "are alike; not all it may be",
    ),
    "a seed that is not used": (
        "seed_streams(state.rng, seed)\n    state.deck",
        "seed_streams(state.rng, 1)\n    state.deck",
        "all seeds deal the same game",
    ),
    "what is left of another game": ("    state.points[:] = 0\n", "", "do not give the same record"),
    "chance left out of the record": ("for index in opened]", "for index in opened[1:]]", "does not replay"),
    "blocks": ('("bid <coins>", 0, COINS + 1)', '("bid <coins>", 0, COINS)', "do not cover"),
}


def test_every_broken_promise_is_found(tmp_path: Path) -> None:
    """High Bid, each time with one fault: the message names it."""
    source = (ROOT / "tests" / "high_bid_env.py").read_text()
    for number, (fault, (old, new, _)) in enumerate(BROKEN.items()):
        assert source.count(old) == 1, fault
        (tmp_path / f"broken_{number}.py").write_text(source.replace(old, new))
    program = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
from tabletop.conformance import ConformanceError, check_game

for number in range(int(sys.argv[2])):
    try:
        check_game(importlib.import_module(f"broken_{number}").GAME)
        print(json.dumps("nothing"))
    except ConformanceError as error:
        print(json.dumps(str(error)))
"""
    shown = run_python(program, str(tmp_path), str(len(BROKEN)), NUMBA_DISABLE_JIT="1")
    for line, (fault, (_, _, message)) in zip(shown.splitlines(), BROKEN.items(), strict=True):
        assert message in json.loads(line), fault
