"""Ra: a game of auctions for 2 to 5 players. `from ra_env import ra_v0; env = ra_v0.env()`."""

import gymnasium
import pettingzoo

from ra_env import actions, chance, estimate, heuristic, observation, playout, render, rules
from ra_env.components import MAX_MOVES
from ra_env.features import ESTIMATE
from ra_env.state import OPTIONS, PRESETS, STATE
from ra_env.weights import WEIGHTS
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
    resample=rules.resample,
    greedy_action=heuristic.greedy_action,
    evaluate=estimate.evaluate,
    features=estimate.features,
    describe=estimate.describe,
    stage=estimate.stage,
    progress=estimate.progress,
    prior=heuristic.prior,
    playout_action=playout.playout_action,
    information_key=observation.information_key,
)

GAME = Game(
    name="ra",
    title="Ra",
    module="ra_env",
    min_players=2,
    max_players=5,
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
    estimate=ESTIMATE,
    remarks_for=render.remarks_for,
    told=render.told,
)

pettingzoo.register("aec", "ra_env/ra-v0", entry_point="ra_env.ra_v0:env")
gymnasium.register(
    "Ra-v0",
    entry_point="agents.seats:SeatEnv",
    vector_entry_point="agents.seats:SeatVectorEnv",
    kwargs={"game": GAME.name},
)

__all__ = ["GAME"]
