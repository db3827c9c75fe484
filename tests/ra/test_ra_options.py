"""The options of Ra, each alone, and the presets: where the overview differs from the rulebook."""

import pytest
from ra_table import (
    FULL_LOT,
    PLAYERS,
    asked,
    down,
    fame,
    fill_ra_track,
    gains,
    held,
    legal,
    lot,
    one_ra_short,
    out_of_game,
    play,
    table,
    up,
)

from ra_env import GAME
from ra_env.state import AUCTION, DISCARD, TURN
from tabletop import GameError

RULEBOOK = {
    "forced_bid": True,
    "unsold_ra_lot": "keep",
    "auction_on_last_ra": False,
    "gods_per_turn": "any",
    "god_takes_god": False,
    "gods_score": True,
    "equal_pharaohs_score": False,
    "fame_floor": False,
}
OVERVIEW = {
    "forced_bid": False,
    "unsold_ra_lot": "discard",
    "auction_on_last_ra": True,
    "gods_per_turn": "one",
    "god_takes_god": True,
    "gods_score": False,
    "equal_pharaohs_score": True,
    "fame_floor": False,
}
CHANGED = [(name, value) for name, value in {**OVERVIEW, "fame_floor": True}.items()]
ART = {"art": 1}


def test_the_presets_are_those_of_the_two_rulebooks() -> None:
    assert GAME.resolve_options() == RULEBOOK
    assert GAME.resolve_options("rulebook") == RULEBOOK
    assert GAME.resolve_options("overview") == OVERVIEW
    assert list(GAME.presets) == ["rulebook", "overview"]


@pytest.mark.parametrize(("name", "value"), CHANGED)
def test_every_option_can_be_set_alone(name: str, value: object) -> None:
    assert GAME.resolve_options(**{name: value}) == {**RULEBOOK, name: value}
    assert GAME.resolve_options("overview", **{name: RULEBOOK[name]}) == {**OVERVIEW, name: RULEBOOK[name]}
    state = table(3, options={name: value})
    assert [int(choice) for choice in state.options] == [int(other == name) for other in RULEBOOK]


def test_unknown_options_choices_and_presets_are_refused_with_the_valid_ones() -> None:
    with pytest.raises(GameError, match="no option 'forced_bids'; valid: forced_bid, unsold_ra_lot"):
        GAME.resolve_options(forced_bids=True)
    with pytest.raises(GameError, match="unsold_ra_lot cannot be 'burn'; valid: keep, discard"):
        GAME.resolve_options(unsold_ra_lot="burn")
    with pytest.raises(GameError, match="no rules 'house'; valid: rulebook, overview"):
        GAME.resolve_options("house")


# forced_bid


@pytest.mark.parametrize("tiles", [{}, {"nile": 3}])
@pytest.mark.parametrize("rules", [{"options": {"forced_bid": False}}, {"rules": "overview"}])
@pytest.mark.parametrize("players", PLAYERS)
def test_without_forced_bid_the_invoker_may_pass_and_the_lot_stays(
    players: int, rules: dict[str, object], tiles: dict[str, int]
) -> None:
    state = table(players, **rules, lot=tiles)  # type: ignore[arg-type]
    play(state, "invoke", *["pass"] * (players - 1))
    assert legal(state) == {"pass", *(f"bid {sun}" for sun in up(state, 0))}
    play(state, "pass")
    assert (lot(state), out_of_game(state), state.center_sun) == (tiles, {}, 1)
    assert (asked(state), state.phase) == (1, TURN)


@pytest.mark.parametrize("players", PLAYERS)
def test_without_forced_bid_the_lot_of_a_full_track_is_still_discarded(players: int) -> None:
    state = table(players, options={"forced_bid": False}, lot=FULL_LOT)
    play(state, "invoke", *["pass"] * players)
    assert (lot(state), out_of_game(state)) == ({}, FULL_LOT)


# unsold_ra_lot


@pytest.mark.parametrize("rules", [{"options": {"unsold_ra_lot": "discard"}}, {"rules": "overview"}])
@pytest.mark.parametrize("players", PLAYERS)
def test_unsold_ra_lot_discard_clears_the_track_after_a_drawn_ra_tile(
    players: int, rules: dict[str, object]
) -> None:
    tiles = {"nile": 3, "god": 1, "unrest": 1}
    state = table(players, **rules, lot=tiles)  # type: ignore[arg-type]
    play(state, "draw", tile="ra")
    play(state, *["pass"] * players)
    assert (lot(state), out_of_game(state), state.center_sun, state.ra_tiles) == ({}, tiles, 1, 1)
    assert (asked(state), state.phase) == (1, TURN)


def test_unsold_ra_lot_discard_does_not_touch_a_lot_that_is_sold() -> None:
    state = table(3, options={"unsold_ra_lot": "discard"}, lot={"nile": 3})
    play(state, "draw", tile="ra")
    play(state, "pass", "bid 4", "pass")
    assert (held(state, 2), out_of_game(state)) == ({"nile": 3}, {})


def test_unsold_ra_lot_discard_does_not_touch_an_invoked_lot() -> None:
    state = table(3, options={"unsold_ra_lot": "discard", "forced_bid": False}, lot={"nile": 3})
    play(state, "invoke", "pass", "pass", "pass")
    assert lot(state) == {"nile": 3}


# auction_on_last_ra


@pytest.mark.parametrize("rules", [{"options": {"auction_on_last_ra": True}}, {"rules": "overview"}])
@pytest.mark.parametrize("players", PLAYERS)
def test_auction_on_last_ra_sells_the_lot_before_the_epoch_ends(
    players: int, rules: dict[str, object]
) -> None:
    for winner in range(players):
        state = table(players, **rules, lot={"gold": 2}, ra_tiles=one_ra_short(players))  # type: ignore[arg-type]
        play(state, "draw", tile="ra")
        assert (state.phase, state.epoch, asked(state)) == (AUCTION, 0, 1)
        sun = max(up(state, winner))
        while state.epoch == 0:
            play(state, f"bid {sun}" if asked(state) == winner else "pass")
        assert (state.center_sun, up(state, winner) >= {1}, down(state, winner)) == (sun, True, set())
        assert (lot(state), state.ra_tiles, out_of_game(state)["gold"]) == ({}, 0, 2)
        assert fame(state)[winner] - min(fame(state)) == 6
        beginner = max(range(players), key=lambda seat: max(up(state, seat)))
        assert (asked(state), state.phase) == (beginner, TURN)


@pytest.mark.parametrize("unsold_ra_lot", ["keep", "discard"])
@pytest.mark.parametrize("players", PLAYERS)
def test_auction_on_last_ra_ends_the_epoch_also_when_nobody_bids(players: int, unsold_ra_lot: str) -> None:
    options = {"auction_on_last_ra": True, "unsold_ra_lot": unsold_ra_lot}
    state = table(players, options=options, lot={"gold": 2}, ra_tiles=one_ra_short(players))
    play(state, "draw", tile="ra")
    play(state, *["pass"] * players)
    assert (state.epoch, state.phase, lot(state), state.center_sun) == (1, TURN, {}, 1)
    assert out_of_game(state)["gold"] == 2


def test_auction_on_last_ra_resolves_disasters_before_the_epoch_is_scored() -> None:
    hand = {"art": 1, "writing": 1, "religion": 1, "astronomy": 1}
    options = {"auction_on_last_ra": True}
    state = table(2, options=options, lot={"unrest": 1}, held=[hand, ART], ra_tiles=one_ra_short(2))
    play(state, "draw", tile="ra")
    play(state, "pass", "bid 2")
    assert (state.phase, state.epoch, asked(state)) == (DISCARD, 0, 0)
    play(state, "discard art", "discard writing")
    assert (state.epoch, fame(state)) == (1, [10, 10])


def test_auction_on_last_ra_ends_the_game_in_the_third_epoch() -> None:
    state = table(3, options={"auction_on_last_ra": True}, epoch=2, ra_tiles=one_ra_short(3), held=[ART] * 3)
    play(state, "draw", tile="ra")
    play(state, "pass", "pass", "bid 13")
    assert (state.epoch, legal(state)) == (3, set())
    # 13 - 8 - 5 - 2 has become 8 - 5 - 2 - 1
    assert fame(state) == [5, 10, 15]


# gods_per_turn


@pytest.mark.parametrize("rules", [{"options": {"gods_per_turn": "one"}}, {"rules": "overview"}])
@pytest.mark.parametrize("players", PLAYERS)
def test_with_one_god_per_turn_the_turn_ends_after_it(players: int, rules: dict[str, object]) -> None:
    state = table(players, **rules, held=[{"god": 3}], lot={"nile": 3})  # type: ignore[arg-type]
    play(state, "god nile")
    assert (asked(state), state.phase) == (1, TURN)
    assert (held(state, 0), lot(state)) == ({"god": 2, "nile": 1}, {"nile": 2})


def test_with_one_god_per_turn_the_turn_ends_after_the_discards_it_brings() -> None:
    hand = {"god": 2, "art": 2, "writing": 2}
    state = table(3, options={"gods_per_turn": "one"}, held=[hand], lot={"unrest": 1, "nile": 1})
    play(state, "god unrest")
    assert (asked(state), state.phase) == (0, DISCARD)
    play(state, "discard art", "discard art")
    assert (asked(state), state.phase) == (1, TURN)


# god_takes_god


@pytest.mark.parametrize("rules", [{"options": {"god_takes_god": True}}, {"rules": "overview"}])
@pytest.mark.parametrize("players", PLAYERS)
def test_god_takes_god_makes_gods_a_target(players: int, rules: dict[str, object]) -> None:
    state = table(players, **rules, held=[{"god": 1}], lot={"god": 2})  # type: ignore[arg-type]
    assert legal(state) == {"draw", "invoke", "god god"}
    play(state, "god god")
    assert (held(state, 0), lot(state), out_of_game(state)) == ({"god": 1}, {"god": 1}, {"god": 1})


def test_a_god_that_a_god_took_may_be_played_in_the_same_turn() -> None:
    state = table(3, options={"god_takes_god": True}, held=[{"god": 1}], lot={"god": 1, "nile": 1})
    play(state, "god god")
    assert (asked(state), legal(state)) == (0, {"end", "god nile"})
    play(state, "god nile")
    assert (held(state, 0), asked(state)) == ({"nile": 1}, 1)


def test_god_takes_god_still_takes_no_ra_tile() -> None:
    state = table(3, options={"god_takes_god": True}, held=[{"god": 1}], ra_tiles=3)
    assert legal(state) == {"draw", "invoke"}


# gods_score


@pytest.mark.parametrize("rules", [{"options": {"gods_score": False}}, {"rules": "overview"}])
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("epoch", range(3))
def test_without_gods_score_gods_are_worth_nothing_and_kept(
    players: int, epoch: int, rules: dict[str, object]
) -> None:
    alone = table(players, **rules, epoch=epoch, ra_tiles=one_ra_short(players))  # type: ignore[arg-type]
    state = table(
        players,
        **rules,
        epoch=epoch,
        held=[{"god": 3}, {"god": 1}],
        ra_tiles=one_ra_short(players),  # type: ignore[arg-type]
    )
    for deal in (alone, state):
        while deal.epoch == epoch:
            if "draw" in legal(deal):
                play(deal, "draw", tile="ra")
            else:
                play(deal, "pass")
    assert fame(state) == fame(alone)
    assert [held(state, seat) for seat in range(2)] == [{"god": 3}, {"god": 1}]


# equal_pharaohs_score


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("players", PLAYERS)
def test_equal_pharaohs_score_counts_all_as_most_and_fewest(players: int, number: int) -> None:
    hands = [{**ART, "pharaoh": number}] * players
    assert gains(players, hands, options={"equal_pharaohs_score": True}) == [5 - 2] * players


def test_equal_pharaohs_score_changes_nothing_when_pharaohs_differ() -> None:
    hands = [{**ART, "pharaoh": number} for number in (3, 2, 2, 3)]
    assert gains(4, hands, options={"equal_pharaohs_score": True}) == [5, -2, -2, 5]


# fame_floor


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("epoch", range(2))
def test_with_fame_floor_fame_is_never_below_zero_after_an_epoch(players: int, epoch: int) -> None:
    options = {"fame_floor": True}
    hands = [{"pharaoh": 1}]
    state = table(
        players,
        options=options,
        epoch=epoch,
        fame=[5, *[6] * (players - 1)],
        held=hands,
        ra_tiles=one_ra_short(players),
    )
    fill_ra_track(state)
    assert fame(state) == [5, *[0] * (players - 1)]


def test_fame_floor_clamps_the_result_of_an_epoch_and_not_its_parts() -> None:
    state = table(
        2, options={"fame_floor": True}, fame=[1, 1], held=[{"gold": 2}, {}], ra_tiles=one_ra_short(2)
    )
    fill_ra_track(state)
    assert fame(state) == [1 - 5 + 6, 0]


def test_fame_floor_clamps_the_result_of_the_third_epoch_with_monuments_and_suns() -> None:
    options = {"fame_floor": True}
    hands = [{"sphinx": 5, "statue": 1}, {}, {}]
    state = table(3, options=options, epoch=2, fame=[0, 3, 0], held=hands, ra_tiles=one_ra_short(3))
    fill_ra_track(state)
    # no civilization tiles -5 each; sun sums 28, 30, 32
    assert fame(state) == [-5 - 5 + 2 + 15, 0, 0]


# presets


def test_the_overview_plays_by_the_rulebook_where_it_is_silent() -> None:
    """Suns, monuments, a single flood, civilizations, gold: as in the rulebook."""
    suns = [[3, 5, 9], [13, 10, 2], [12, 8, 1], [4, 6, 7]]
    hands = [{"pyramid": 4, "temple": 3, "fortress": 2, "sphinx": 1, "art": 1, "pharaoh": 1}, *[ART] * 3]
    state = table(
        4,
        rules="overview",
        epoch=2,
        suns_up=suns,
        center_sun=11,
        held=hands,
        ra_tiles=one_ra_short(4),
        fame=[0] * 4,
    )
    play(state, "draw", tile="ra")
    play(state, *["pass"] * 4)
    assert fame(state) == [19 + 5 - 5, -2 + 5, -2, -2 - 5]


@pytest.mark.parametrize("players", PLAYERS)
def test_the_rulebook_preset_plays_none_of_the_overviews_ways(players: int) -> None:
    state = table(players, rules="rulebook")
    assert not state.options.any()
