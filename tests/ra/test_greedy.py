"""What the greedy agent does in positions where the answer is plain, and how it plays whole games."""

import numpy as np
import numpy.typing as npt
import pytest
from helpers import option_sets
from ra_table import PLAYERS, State, copy_of, one_ra_short, play, table

from ra_env import GAME
from ra_env.weights import WEIGHTS, WEIGHTS_DECLARED
from tabletop import kernels, verbs
from tabletop.game import Options

OPTIONS = option_sets(GAME)


def greedy(state: State, **changed: float) -> str:
    """The greedy move, by its notation, with some weights changed."""
    weights = WEIGHTS.tuned(int(state.num_players))
    for name, value in changed.items():
        weights[WEIGHTS.names.index(name)] = value
    return GAME.action_to_string(int(verbs.greedy_action(state, weights)))


def self_play(num_players: int, options: Options, seed: int) -> tuple[list[int], npt.NDArray[np.int64]]:
    """The moves and scores of a game between greedy agents, every move checked to be legal."""
    weights = WEIGHTS.tuned(num_players)
    states = GAME.new_states(1)
    bits = np.zeros(GAME.num_words, np.uint64)
    observation, mask = np.zeros(GAME.layout.size, np.float32), np.zeros(GAME.num_actions, np.int8)
    status, action = np.zeros(kernels.STATUS_SIZE, np.int64), np.zeros(1, np.int64)
    rng = np.zeros(1, np.uint64)
    kernels.start_games(states, num_players, GAME.encode_options(options), np.array([seed], np.uint64))
    moves = []
    while not verbs.is_over(states[0]):
        kernels.policy_actions(states, kernels.GREEDY, weights, rng, bits, action)
        moves.append(int(action[0]))
        kernels.step_game(states, moves[-1], observation, mask, bits, status)
        assert status[kernels.WAS_LEGAL], GAME.action_to_string(moves[-1])
    points = np.zeros(num_players, np.int64)
    verbs.scores(states[0], points)
    return moves, points


def win_shares(num_players: int, deals: int) -> float:
    """How often one greedy agent beats random ones, over the same deals at every seat."""
    games = deals * num_players
    focus = np.tile(np.eye(num_players, dtype=bool), (deals, 1))
    results = np.zeros((games, num_players))
    kernels.play_games(
        GAME.new_states(1),
        num_players,
        GAME.encode_options(GAME.resolve_options()),
        np.repeat(np.arange(deals, dtype=np.uint64), num_players),
        np.where(focus, 0, 1),
        np.array([kernels.GREEDY, kernels.RANDOM]),
        np.stack([WEIGHTS.tuned(num_players)] * 2),
        np.arange(games * num_players, dtype=np.uint64).reshape(games, num_players),
        np.zeros((games, GAME.max_moves), np.int16),
        np.zeros(games, np.int64),
        np.zeros((games, num_players), np.int64),
        results,
        np.zeros(2, np.int64),
        np.zeros(GAME.num_words, np.uint64),
    )
    return float((results[focus] == 1).mean())


@pytest.mark.parametrize("players", PLAYERS)
def test_every_weight_has_a_tuned_value_in_its_range(players: int) -> None:
    tuned = WEIGHTS.tuned(players)
    assert len(tuned) == len(WEIGHTS_DECLARED)
    for weight, value in zip(WEIGHTS_DECLARED, tuned, strict=True):
        assert weight.low <= value <= weight.high, weight.name


@pytest.mark.engine
@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_greedy_plays_legal_moves_and_comes_to_an_end_under_every_option(
    players: int, options: Options
) -> None:
    moves, points = self_play(players, options, seed=players)
    assert len(moves) < GAME.max_moves
    assert points.sum() > 10 * players  # more than they began with


def test_greedy_is_deterministic_and_leaves_the_record_alone() -> None:
    state = table(3, lot={"nile": 2, "god": 1, "unrest": 1}, held=[{"god": 1}, {"art": 2, "writing": 1}])
    before = copy_of(state)
    assert greedy(state) == greedy(state)
    assert state.tobytes() == before.tobytes()
    options = GAME.resolve_options()
    assert self_play(3, options, 5)[0] == self_play(3, options, 5)[0]
    assert self_play(3, options, 5)[0] != self_play(3, options, 6)[0]


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "least"), [(2, 0.99), (3, 0.99), (4, 0.98), (5, 0.97)])
def test_greedy_beats_random_players(players: int, least: float) -> None:
    assert win_shares(players, 240 // players) >= least


def test_greedy_bids_the_lowest_sun_that_is_sure_to_win() -> None:
    """Nobody else can outbid 9, all are after the lot, and 13 would be wasted on it."""
    suns = [[13, 9, 2], [8, 5], [7, 6]]
    state = table(3, lot={"gold": 4}, suns_up=suns, turn=2)
    play(state, "invoke")
    assert greedy(state) == "bid 9"


def test_greedy_who_bids_last_outbids_by_the_lowest_sun_that_does() -> None:
    state = table(3, lot={"gold": 4}, suns_up=[[13, 9, 6], [8, 5], [7, 3]], turn=0)
    play(state, "invoke", "bid 5", "bid 7")
    assert greedy(state) == "bid 9"


def test_greedy_who_alone_holds_suns_bids_the_lowest_for_a_good_lot() -> None:
    state = table(3, lot={"gold": 4}, suns_up=[[13, 9, 6], [], []], turn=0)
    play(state, "invoke")
    assert greedy(state) == "bid 6"


def test_greedy_does_not_take_a_lot_of_pure_disasters() -> None:
    held = [{"pharaoh": 3, "art": 1, "writing": 1, "religion": 1}] * 2
    state = table(2, lot={"funeral": 1, "unrest": 2}, held=held, turn=0)
    play(state, "draw", tile="ra")
    assert greedy(state) == "pass"


def test_greedy_does_not_invoke_ra_for_a_lot_that_nobody_wants() -> None:
    held = [{"art": 1, "writing": 1, "religion": 1}] * 3
    for options in ({}, {"forced_bid": False}):
        state = table(3, lot={"unrest": 2}, held=held, options=options)
        assert greedy(state) == "draw"


def test_greedy_who_invoked_bids_even_where_it_may_pass() -> None:
    state = table(2, lot={"gold": 1}, suns_up=[[9, 6], [2]], options={"forced_bid": False}, turn=0)
    play(state, "invoke", "pass")
    assert greedy(state).startswith("bid")


def test_greedy_buys_at_once_when_the_next_ra_tile_ends_the_epoch_and_it_alone_may_buy() -> None:
    """Seven tiles of gold and civilizations lie there; one Ra tile more and they are gone."""
    lot = {"gold": 3, "art": 1, "writing": 1, "religion": 1, "astronomy": 1}
    state = table(3, lot=lot, suns_up=[[6], [], []], ra_tiles=one_ra_short(3), turn=0)
    assert greedy(state) == "invoke"


def test_greedy_waits_for_a_full_track_while_nobody_else_can_buy() -> None:
    state = table(3, lot={"gold": 1}, suns_up=[[6], [], []], ra_tiles=2, turn=0)
    assert greedy(state) == "draw"


def test_greedy_plays_a_god_for_the_third_kind_rather_than_pay_a_high_sun() -> None:
    held = [{"god": 1, "art": 1, "writing": 1}]
    state = table(3, lot={"religion": 1}, held=held, suns_up=[[13], [12], [11]], ra_tiles=one_ra_short(3))
    assert greedy(state) == "god religion"
    assert greedy(state, god_margin=20) != "god religion"
    useless = table(3, lot={"art": 1}, held=held, suns_up=[[13], [12], [11]], ra_tiles=one_ra_short(3))
    assert not greedy(useless).startswith("god")


def test_greedy_discards_what_costs_it_least() -> None:
    """The second art tile, not one of the three kinds that score."""
    state = table(2, lot={"unrest": 1}, held=[{"art": 3, "writing": 1, "religion": 1}], turn=0)
    play(state, "invoke")
    while state.current != 0:
        play(state, "pass")
    play(state, "bid " + str(min(sun for sun in range(1, 17) if int(state.suns_up[0]) >> sun & 1)))
    assert greedy(state) == "discard art"


def test_greedy_keeps_its_three_pyramids() -> None:
    state = table(2, lot={"earthquake": 1}, held=[{"pyramid": 3, "temple": 1, "statue": 1}], turn=0, epoch=2)
    play(state, "invoke")
    while state.current != 0:
        play(state, "pass")
    play(state, "bid " + str(min(sun for sun in range(1, 17) if int(state.suns_up[0]) >> sun & 1)))
    assert greedy(state) in ("discard temple", "discard statue")


def test_the_price_of_a_sun_counts_the_center_sun() -> None:
    """In the first epoch a sun is given for little if the center sun is far higher, not if it is 1."""
    suns = [[2], [], []]
    lot = {"nile": 1}
    rich = table(3, lot=lot, suns_up=suns, center_sun=13, ra_tiles=one_ra_short(3))
    poor = table(3, lot=lot, suns_up=[[12], [], []], center_sun=1, ra_tiles=one_ra_short(3))
    assert greedy(rich, drawn_tile=0) == "invoke"
    assert greedy(poor, drawn_tile=0) == "draw"
