"""Amun-Re: a game of auctions and building for 3 to 5 players, with secret cards and offerings.

`from amunre_env import amunre_v0; env = amunre_v0.env()`.
"""

import gymnasium
import pettingzoo

from amunre_env import (
    actions,
    chance,
    estimate,
    heuristic,
    observation,
    playout,
    prior,
    render,
    rules,
    secrets,
)
from amunre_env.components import MAX_MOVES, MAX_PLAYERS, MIN_PLAYERS
from amunre_env.features import ESTIMATE
from amunre_env.state import OPTIONS, PRESETS, STATE
from amunre_env.weights import WEIGHTS
from tabletop import verbs
from tabletop.game import Game

verbs.implement(
    STATE,
    new_game=rules.new_game,
    current_player=rules.current_player,
    legal_actions=rules.legal_actions,
    apply_action=rules.apply_action,
    is_over=rules.is_over,
    is_truncated=rules.is_truncated,
    scores=rules.scores,
    returns=rules.returns,
    observe=observation.observe,
    resample=secrets.resample,
    greedy_action=heuristic.greedy_action,
    information_key=observation.information_key,
    prior=prior.prior,
    playout_action=playout.playout_action,
    evaluate=estimate.evaluate,
    features=estimate.features,
    describe=estimate.describe,
    stage=estimate.stage,
    progress=estimate.progress,
)

GAME = Game(
    name="amunre",
    title="Amun-Re",
    module="amunre_env",
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    max_moves=MAX_MOVES,
    state_dtype=STATE,
    num_actions=actions.NUM_ACTIONS,
    options=OPTIONS,
    presets=PRESETS,
    layout=observation.LAYOUT,
    action_names=actions.ACTION_NAMES,
    action_blocks=actions.ACTION_BLOCKS,
    state_to_string=render.state_to_string,
    chance=chance.chance,
    setup_with_chance=chance.setup_with_chance,
    apply_with_chance=chance.apply_with_chance,
    weights=WEIGHTS,
    remarks_for=render.remarks_for,
    told=render.told,
    estimate=ESTIMATE,
    board_for=render.board_for,
)

pettingzoo.register("aec", "amunre_env/amunre-v0", entry_point="amunre_env.amunre_v0:env")
gymnasium.register(
    "AmunRe-v0",
    entry_point="agents.seats:SeatEnv",
    vector_entry_point="agents.seats:SeatVectorEnv",
    kwargs={"game": GAME.name},
)

__all__ = ["GAME"]
