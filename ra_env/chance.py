"""The random outcomes of Ra as game records tell them: `suns 2 0 1`, then the tile of each draw.

`chance` reads them off a history; the other two play a game whose chance is given, by making the
bag hold only the stated tile for one step.
"""

import numpy as np

from ra_env.actions import DRAW
from ra_env.components import SUN_BITS, TILE_NAMES
from ra_env.rules import apply_action, holder_of_highest_sun, start_turn
from tabletop.chance import Chance
from tabletop.kinds import Record, States


def chance(history: States) -> list[str]:
    """Return all outcomes of a game, given its record before the first and after every move."""
    first = history[0]
    players = int(first.num_players)
    dealt = [
        int(np.flatnonzero(SUN_BITS[players, :players] == first.suns_up[seat])[0]) for seat in range(players)
    ]
    bags = history["bag"].astype(np.int16)
    drawn = np.nonzero(bags[:-1] - bags[1:])[1]
    return ["suns " + " ".join(str(index) for index in dealt), *(TILE_NAMES[tile] for tile in drawn)]


def setup_with_chance(state: Record, outcomes: Chance) -> None:
    """Deal the stated sets of suns in a new game."""
    players = int(state.num_players)
    text = outcomes.take("the sets of suns")
    words = text.split()
    dealt = [int(word) if word.isdecimal() else -1 for word in words[1:]]
    if words[:1] != ["suns"] or sorted(dealt) != list(range(players)):
        raise outcomes.fault(f"expected 'suns' and the numbers 0 to {players - 1} in some order")
    for seat, index in enumerate(dealt):
        state.suns_up[seat] = SUN_BITS[players, index]
    start_turn(state, holder_of_highest_sun(state))


def apply_with_chance(state: Record, action: int, outcomes: Chance) -> None:
    """Carry out an action; a draw takes the stated tile from the bag."""
    if action != DRAW:
        apply_action(state, action)
        return
    name = outcomes.take("the tile of a draw")
    if name not in TILE_NAMES:
        raise outcomes.fault(f"no such tile; valid: {', '.join(TILE_NAMES)}")
    tile = TILE_NAMES.index(name)
    bag = state.bag.copy()
    if bag[tile] == 0:
        raise outcomes.fault(f"no {name} is left in the bag")
    total = int(state.bag_total)
    state.bag[:] = 0
    state.bag[tile] = 1
    state.bag_total = 1
    apply_action(state, action)
    bag[tile] -= 1
    state.bag[:] = bag
    state.bag_total = total - 1
