"""Golden playthroughs: whole games as text, compared to the letter, compiled and not.

`pytest tests/test_golden.py --regenerate` writes them anew; the difference in git shows what a
change of the rules does to a game.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import GAMES, legal_names, random_game

from tabletop.game import Game, Options, load
from tabletop.record import record_of_history

pytestmark = pytest.mark.engine

FOLDER = Path(__file__).parent / "golden"


def playthroughs() -> list[tuple[str, int, str]]:
    """Every game with every number of players and every preset."""
    return [
        (name, players, preset)
        for name in GAMES
        for players in range(load(name).min_players, load(name).max_players + 1)
        for preset in load(name).presets
    ]


def tell(game: Game, players: int, options: Options) -> Iterator[str]:
    """Tell a random game: chance, then the board, the legal moves by name and the move."""
    moves, states = random_game(game, players, options, seed=players)
    record = record_of_history(game, options, None, ["random"] * players, moves, states)
    yield f"{game.name}, {players} players, {options}"
    yield f"chance: {', '.join(record.chance)}"
    for number, move in enumerate(record.moves):
        yield game.state_to_string(states[number])
        legal = legal_names(game, states[number : number + 1])
        assert move in legal
        yield f"{number + 1}. {move}   of: {', '.join(legal)}"
    yield game.state_to_string(states[-1])
    yield f"scores {record.scores}, returns {[round(value, 4) for value in record.returns]}"


@pytest.mark.parametrize(("name", "players", "preset"), playthroughs())
def test_the_game_goes_as_it_always_has(
    name: str, players: int, preset: str, request: pytest.FixtureRequest
) -> None:
    game = load(name)
    told = "\n".join(tell(game, players, game.resolve_options(preset))) + "\n"
    path = FOLDER / f"{name}_{players}_{preset}.txt"
    if request.config.getoption("--regenerate"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(told)
    assert path.exists(), f"{name} has no playthrough for {players} players: run with --regenerate"
    assert told == path.read_text()


def test_there_is_no_playthrough_of_a_game_that_is_gone() -> None:
    expected = {f"{name}_{players}_{preset}.txt" for name, players, preset in playthroughs()}
    assert {path.name for path in FOLDER.iterdir()} == expected
