"""Recorded games that an independent referee played from the rules alone."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amunre_table import legal, points, returns

from amunre_env import GAME
from amunre_env.state import faults
from tabletop import verbs
from tabletop.chance import Chance

pytestmark = pytest.mark.engine

FILE = Path(__file__).parent.parent / "data" / "records_amunre.jsonl"
RECORDS = [json.loads(line) for line in FILE.read_text().splitlines()]


@pytest.mark.parametrize(
    "record", RECORDS, ids=lambda record: f"{record['num_players']}p-{len(record['moves'])}"
)
def test_a_recorded_game_replays_to_its_chance_scores_and_returns(record: dict[str, Any]) -> None:
    """Moves legal, the sets of legal moves equal where they are recorded, all chance met in order."""
    states = GAME.new_states(1)
    state = states[0]
    options = GAME.encode_options(GAME.resolve_options(**record["options"]))
    verbs.new_game(state, record["num_players"], options, np.uint64(0))
    chance = Chance(record["chance"])
    GAME.setup_with_chance(state, chance)
    history = [states.copy()]
    for number, move in enumerate(record["moves"]):
        moves = legal(state)
        assert not verbs.is_over(state), number
        assert move in moves, number
        if "legal" in record:
            assert moves == set(record["legal"][number]), number
        GAME.apply_with_chance(state, GAME.string_to_action(move), chance)
        history.append(states.copy())
    assert chance.left() == 0
    assert verbs.is_over(state)
    assert faults(state) == []
    assert bool(verbs.is_truncated(state)) == record["truncated"]
    assert points(state) == record["scores"]
    assert returns(state) == pytest.approx(record["returns"])
    assert GAME.chance(np.concatenate(history)) == record["chance"]


def test_the_records_cover_all_player_counts_and_every_choice_of_every_option() -> None:
    assert {record["num_players"] for record in RECORDS} == {3, 4, 5}
    for option in GAME.options:
        assert {record["options"][option.name] for record in RECORDS} == set(option.choices)
    assert any("legal" in record for record in RECORDS)
