"""Game records: written, read, replayed by moves and chance alone, and checked to the last field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import GAMES, random_game

import amunre_env.state
import ra_env.state
from tabletop.game import BUILT_IN, load
from tabletop.record import (
    GameRecord,
    RecordError,
    Replayer,
    parse_record,
    read_records,
    record_of_history,
    replay,
)

pytestmark = pytest.mark.engine

DATA = Path(__file__).parent / "data"
REFERENCE = {name: (DATA / f"records_{name}.jsonl").read_text().splitlines() for name in BUILT_IN}
FAULTS: dict[str, Callable[[Any], list[str]]] = {"ra": ra_env.state.faults, "amunre": amunre_env.state.faults}


def make_record(name: str = "ra", players: int = 3, seed: int = 4, **options: object) -> GameRecord:
    game = load(name)
    chosen = game.resolve_options(None, **options)
    moves, states = random_game(game, players, chosen, seed)
    return record_of_history(game, chosen, seed, ["random"] * players, moves, states)


def changed(record: GameRecord, **values: Any) -> GameRecord:
    return parse_record(json.dumps(json.loads(record.to_json()) | values))


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_deals_the_recorded_chance(name: str) -> None:
    record = make_record(name)
    replayer = Replayer(record)
    replayer.run()
    assert replayer.deals_as_seeded() is True
    unseeded = Replayer(changed(record, seed=None))
    unseeded.run()
    assert unseeded.deals_as_seeded() is None


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name, lines in REFERENCE.items() for line in lines],
    ids=[f"{name}-{number}" for name in REFERENCE for number in range(len(REFERENCE[name]))],
)
def test_a_game_of_the_independent_referee_replays(name: str, line: str) -> None:
    """Its moves, its legal moves where it lists them, chance, scores and returns; every state sound."""
    record = parse_record(line)
    states = replay(record)
    assert load(name).chance(states) == record.chance
    assert all(FAULTS[name](state) == [] for state in states)


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_referees_games_cover_all_tables_and_options(name: str) -> None:
    game = load(name)
    records = [parse_record(line) for line in REFERENCE[name]]
    tables = set(range(game.min_players, game.max_players + 1))
    assert {record.num_players for record in records} == tables
    for option in game.options:
        assert {record.options[option.name] for record in records} == set(option.choices)
    assert sum(record.legal is not None for record in records) >= 8


def test_a_record_has_the_documented_fields_in_order() -> None:
    record = make_record()
    fields = "format game num_players options seed agents moves chance scores returns truncated"
    assert list(json.loads(record.to_json())) == fields.split()
    assert record.format == 1
    assert list(record.options) == [option.name for option in load("ra").options]
    assert record.chance[0].startswith("suns ")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"moves": ["pass"]}, r"move 1 \('pass'\) is not legal; legal: draw, invoke"),
        ({"moves": ["fly"]}, r"move 1 \('fly'\) is not legal; legal: draw, invoke"),
        ({"moves": []}, "the moves end after 0, but the game is not over"),
        ({"chance": []}, "setup: the list of chance ends after 0 outcomes; expected the sets of suns"),
        (
            {"chance": ["suns 0 1 1"]},
            r"setup: chance 1 \('suns 0 1 1'\): expected 'suns' and the numbers 0 to 2",
        ),
        ({"chance": ["nile"]}, r"setup: chance 1 \('nile'\): expected 'suns'"),
        ({"scores": [1, 2, 3]}, r"the scores are \[.*\], not \[1, 2, 3\]"),
        ({"returns": [0, 0, 0]}, r"the returns are \[.*\], not \[0, 0, 0\]"),
        ({"truncated": True}, "truncated is False, not True"),
        ({"scores": [1, 2]}, "2 scores for 3 players"),
        ({"agents": ["a"]}, "1 agents for 3 players"),
        ({"num_players": 9}, "ra is for 2 to 5 players, not 9"),
        ({"game": "chess"}, "unknown game 'chess'; valid: ra"),
        ({"options": {}}, "the options do not name .*forced_bid"),
        ({"options": {"rules": "overview"}}, "ra has no option 'rules'; valid: forced_bid"),
    ],
)
def test_a_record_that_parts_from_the_rules_says_where(values: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        replay(changed(make_record(), **values))


def test_a_draw_of_a_tile_that_is_not_there_says_so() -> None:
    record = make_record()
    chance = [record.chance[0], *["funeral"] * (len(record.chance) - 1)]
    with pytest.raises(
        RecordError, match=r"\('draw'\): chance \d+ \('funeral'\): no funeral is left in the bag"
    ):
        replay(changed(record, chance=chance))
    with pytest.raises(RecordError, match="no such tile; valid: ra, god"):
        replay(changed(record, chance=[record.chance[0], *["camel"] * (len(record.chance) - 1)]))


def test_chance_left_over_says_so() -> None:
    record = make_record()
    with pytest.raises(RecordError, match="1 outcomes of chance are left over"):
        replay(changed(record, chance=[*record.chance, "nile"]))


def test_moves_after_the_end_say_so() -> None:
    record = make_record()
    with pytest.raises(RecordError, match="the game is already over"):
        replay(changed(record, moves=[*record.moves, "draw"]))


def test_other_legal_moves_than_listed_say_so() -> None:
    record = make_record()
    listed = [["draw", "invoke"]] * len(record.moves)
    with pytest.raises(RecordError, match="the legal moves differ in"):
        replay(changed(record, legal=listed))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not a line of JSON"),
        ("[1]", "not a JSON object"),
        ("{}", "the field 'format' is missing"),
        ('{"format": 2}', "the field 'format' is not the number 1"),
    ],
)
def test_a_damaged_line_says_what_is_wrong(line: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_record(line)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("game", 1), ("num_players", "3"), ("options", []), ("seed", -1), ("agents", "random")],
        *[("moves", [1]), ("chance", None), ("scores", [1.5]), ("returns", ["1"]), ("truncated", 0)],
        ("legal", [["draw"]]),
    ],
)
def test_a_field_of_the_wrong_kind_is_named(field: str, value: Any) -> None:
    with pytest.raises(RecordError, match=f"the field '{field}' is not"):
        changed(make_record(), **{field: value})


def test_a_file_with_a_damaged_line_still_yields_the_others(tmp_path: Path) -> None:
    good = make_record().to_json()
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n" + good.encode() + b"\n\xff\xfe\n" + good.encode()[:50] + b"\n\n" + good.encode())
    found = list(read_records(path))
    assert [line for line, _ in found] == [2, 3, 4, 6]
    assert [isinstance(record, GameRecord) for _, record in found] == [True, False, False, True]
    assert "not UTF-8" in str(found[1][1])
