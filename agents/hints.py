"""What a network is told beside the observation: the game's description, and hints at each move."""

from typing import Any

import numpy as np
import numpy.typing as npt

from agents import hint_kernels
from agents.network import CLIP, NUM_HINTS, SUREST, Network
from agents.network_kernels import SCRATCH_ROWS, Net
from tabletop import description, verbs
from tabletop.description import Describer
from tabletop.game import MAX_PLAYERS, Game
from tabletop.kinds import States


def can_hint(game: Game) -> bool:
    """Return whether a game has a prior of sensible moves."""
    return game.weights is not None and verbs.has(game.state_dtype, "prior")


def valuations(game: Game) -> npt.NDArray[np.float64]:
    """Return what the game's prior goes by for each number of players, float64[MAX_PLAYERS + 1, weights]."""
    assert game.weights is not None
    weights = np.zeros((MAX_PLAYERS + 1, len(game.weights.names)))
    for count in range(game.min_players, game.max_players + 1):
        weights[count] = game.weights.tuned(count)
    return weights


def packed(game: Game, network: Network) -> Net:
    """Return a network as compiled code reads it, with scratch of its own."""
    rows, blocks = [], []
    first = 0
    for weight, bias in (*network.trunk, network.policy, *network.value):
        rows.append((weight.shape[1], weight.shape[0], first))
        blocks += [bias, weight.T.ravel()]
        first += bias.size + weight.size
    table = np.array(rows, np.int64)
    return Net(
        layers=table,
        weights=np.concatenate(blocks).astype(np.float32),
        trunk=len(network.trunk),
        mean=network.mean.astype(np.float32),
        scale=network.scale.astype(np.float32),
        clip=np.float32(CLIP),
        surest=SUREST,
        estimates=np.ascontiguousarray(network.estimates, np.float64),
        valuations=np.ascontiguousarray(network.valuations, np.float64),
        described=network.described,
        hinted=network.hinted,
        sharpness=network.sharpness.astype(np.float32),
        settle=network.settle,
        worlds=network.worlds,
        **scratch(game, int(table[:, :2].max())),
    )


def scratch(game: Game, widest: int) -> dict[str, Any]:
    """Return the scratch of a `Net` by name, for layers of so many inputs and outputs at most."""
    return {
        "scratch": np.zeros((SCRATCH_ROWS, widest), np.float32),
        "places": np.zeros(widest, np.int64),
        "table": np.zeros((MAX_PLAYERS, max(1, len(description.names(game)) - 1))),
        "values": np.zeros(MAX_PLAYERS),
        "states": game.new_states(3),
        "bits": np.zeros(game.num_words, np.uint64),
        "expected": np.zeros(game.num_actions),
        "candidates": np.zeros(game.num_actions, np.int64),
    }


class Adviser(Describer):
    """Describes positions and adds two hints at each move, 0 for illegal ones.

    They are the logarithm of the game's prior, then what the move makes its player expect, see
    `agents.hint_kernels.look_ahead`. Hints are for the seat that moves; they look at nothing that this
    seat cannot know.

    Args:
        game: a game with features and a prior.
        network: by whose estimates, valuations and value it goes; its policy is not asked.
    """

    def __init__(self, game: Game, network: Network) -> None:
        super().__init__(game, network.estimates)
        self.size += NUM_HINTS * game.num_actions
        self._net = packed(game, network)

    def __call__(
        self,
        states: States,
        rows: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.float32]:
        """Return descriptions and hints of some records, float32[rows, size]; see `Describer`."""
        out = super().__call__(states, rows, players, seeds)
        net = self._net._replace(**scratch(self.game, self._net.scratch.shape[1]))
        hint_kernels.hint(states, rows, players, seeds, net, np.zeros(self.game.num_actions), out)
        return out


def teller(game: Game, network: Network) -> Describer | None:
    """Return what tells what a network wants to know: nothing, descriptions, or hints as well."""
    if not network.described:
        return None
    return Adviser(game, network) if network.hinted else Describer(game, network.estimates)
