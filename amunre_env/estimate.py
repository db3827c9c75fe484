"""How far a game of Amun-Re has gone: `stage`."""

from numba import jit_module

from amunre_env.components import AGES, ROUNDS
from amunre_env.state import OVER
from tabletop.kinds import Record


def stage(state: Record) -> int:
    """How many rounds have ended, 0 to 6."""
    if state.phase == OVER:
        return AGES * ROUNDS
    return int(state.age) * ROUNDS + int(state.round_number)


jit_module(cache=True, nogil=True, forceinline=False)
