"""The estimate of results of Ra moves the right way in positions where the way is plain."""

import numpy as np
import pytest
from ra_table import PLAYERS, State, one_ra_short, play, table

from ra_env import GAME
from ra_env.components import EPOCHS
from ra_env.features import ESTIMATE, FEATURES
from tabletop import verbs

LAST = EPOCHS - 1


def estimate(state: State) -> list[float]:
    """The expected return of every seat."""
    players = int(state.num_players)
    results = np.zeros(players)
    verbs.evaluate(state, ESTIMATE.tuned(players), results)
    return [float(result) for result in results]


def likely_gain(action: str, state: State) -> float:
    """How likely the prior calls a move."""
    out = np.zeros(GAME.num_actions)
    assert GAME.weights is not None
    verbs.prior(state, GAME.weights.tuned(int(state.num_players)), out)
    return float(out[GAME.string_to_action(action)])


@pytest.mark.parametrize("players", PLAYERS)
def test_every_feature_has_coefficients_for_every_epoch(players: int) -> None:
    assert len(ESTIMATE.tuned(players)) == len(ESTIMATE.valuation.declared) + EPOCHS * 2 * len(FEATURES)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_game_is_open_at_its_start(players: int) -> None:
    assert max(abs(result) for result in estimate(table(players))) < 0.25


@pytest.mark.parametrize("epoch", range(1, EPOCHS))
def test_more_fame_is_better_and_decides_more_the_later_it_is(epoch: int) -> None:
    leads = [
        estimate(table(3, epoch=epoch, ra_tiles=tiles, fame=[20, 10, 10]))[0]
        - estimate(table(3, epoch=epoch, ra_tiles=tiles, fame=[10, 10, 10]))[0]
        for tiles in (0, one_ra_short(3))
    ]
    assert 0.1 < leads[0] < leads[1]


def test_a_great_lead_before_the_last_tile_is_all_but_won() -> None:
    state = table(3, epoch=LAST, ra_tiles=one_ra_short(3), fame=[80, 40, 10], suns_up=[[], [2], []])
    assert estimate(state)[0] > 0.98
    assert estimate(state)[2] < -0.98


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"nile": 3, "flood": 1}, {"nile": 4}),
        ({"nile": 3}, {}),
        ({"gold": 1}, {}),
        ({"art": 1, "writing": 1, "religion": 1}, {"art": 2, "writing": 1}),
        ({"art": 1}, {}),
        ({"sphinx": 3}, {"sphinx": 2}),
        ({"sphinx": 1, "temple": 1}, {"sphinx": 1}),
        ({"pharaoh": 3}, {"pharaoh": 1}),
        ({"god": 1}, {}),
    ],
)
@pytest.mark.parametrize("epoch", range(EPOCHS))
def test_tiles_that_score_more_are_better(better: dict[str, int], worse: dict[str, int], epoch: int) -> None:
    found = [
        estimate(table(3, epoch=epoch, ra_tiles=5, held=[tiles, worse, {"pharaoh": 2}]))[0]
        for tiles in (better, worse)
    ]
    assert found[0] > found[1]


def test_a_face_up_sun_more_is_better_while_there_are_tiles_to_come() -> None:
    state = table(3, suns_up=[[10, 9], [8], [7]], suns_down=[[], [11], [12]])
    assert estimate(state)[0] > max(estimate(state)[1:])


def test_the_highest_sum_of_suns_is_worth_fame_at_the_games_end() -> None:
    late = {"epoch": LAST, "ra_tiles": one_ra_short(3), "fame": [30, 30, 30]}
    state = table(3, suns_up=[[], [], []], suns_down=[[13, 12, 11], [8, 7, 6], [4, 3, 2]], **late)  # type: ignore[arg-type]
    first, second, third = estimate(state)
    assert first > second > third


def test_an_auction_is_taken_as_it_should_end() -> None:
    lot = {"gold": 4, "flood": 1, "unrest": 1}
    held = [{"art": 2, "writing": 1, "religion": 1}]
    state = table(3, lot=lot, held=held, suns_up=[[13], [5], [4]], turn=0)
    play(state, "invoke", "pass", "pass")
    foreseen = estimate(state)
    play(state, "bid 13")
    assert estimate(state) == pytest.approx(foreseen, abs=0.02)
    play(state, "discard art")
    assert estimate(state) == pytest.approx(foreseen, abs=0.1)


def test_the_prior_prefers_a_lot_of_gold_and_shuns_one_of_disasters() -> None:
    state = table(3, lot={"gold": 4}, suns_up=[[13, 9, 2], [8, 5], [7, 6]], turn=2)
    play(state, "invoke")
    assert likely_gain("bid 9", state) > 0.4
    assert likely_gain("pass", state) < 0.2
    held = [{"pharaoh": 3, "art": 1, "writing": 1, "religion": 1}] * 2
    state = table(2, lot={"funeral": 1, "unrest": 2}, held=held, turn=0)
    play(state, "draw", tile="ra")
    assert likely_gain("pass", state) > 0.8
