"""The memory of a search tree: records that `agents.search` fills."""

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.hints import packed
from agents.network import Network
from agents.search import DEEPEST
from tabletop.game import MAX_PLAYERS, Estimate, Game, Weights
from tabletop.kinds import Array

EDGES_PER_NODE = 16  # room for them on average; without a network a node that was met only once has none


@dataclass(frozen=True)
class Settings:
    """How to search. One compiled function serves all."""

    sharing: int  # what positions share a node: MOVER, OBSERVER or OPEN
    exploration: float  # the weight c of the exploration term, for results in [-1, 1]
    use_prior: bool  # PUCT with a prior, else UCT
    network_prior: bool  # the prior is the network's, else the game's `prior`
    network_value: bool  # the value of a leaf is the network's, else the game's `evaluate`
    blend: float  # the part of the game's `evaluate` in the value of the network
    widening: float  # a node met n times considers widening * sqrt(n) edges; 0: all
    rollout: int  # NO_ROLLOUT, RANDOM, PLAYOUT or GREEDY
    horizon: int  # GAME_END, STAGE_END or a number of moves
    paranoid: bool  # the others move against the observer instead of for themselves


def record(layout: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return an aligned dtype whose records have attributes."""
    return np.dtype((np.record, np.dtype(layout, align=True)))


NODE = record(
    [
        ("key", np.uint64),  # of the positions that share it
        ("visits", np.int32),  # how often one of its edges was chosen
        ("first", np.int32),  # its first edge; NO_EDGE if it has none yet
    ]
)
EDGE = record(
    [
        ("prior", np.float64),  # how likely a sensible player is to take it; 1 without a prior
        ("totals", np.float64, (MAX_PLAYERS,)),  # [seat] sum of the results of its visits
        ("visits", np.int32),
        ("missed", np.int32),  # choices at the node in which its action was not to be had
        ("sibling", np.int32),  # the next edge of the node, or NO_EDGE
        ("action", np.int32),
    ]
)


def work_dtype(game: Game, num_players: int) -> np.dtype[Any]:
    """Return what a search of a game works with besides the tree."""
    return record(
        [
            *((field.name, field.type) for field in fields(Settings)),
            ("worlds", np.uint64, (1,)),  # the generator that worlds are drawn with
            ("choices", np.uint64, (1,)),  # the generator of rollouts and of the order of edges
            ("bits", np.uint64, (game.num_words,)),  # the set of legal actions of the world
            ("num_nodes", np.int64),
            ("num_edges", np.int64),
            ("leaf", np.int64),  # the node that a simulation ends at if it is to be given edges, or NO_NODE
            ("result", np.float64, (MAX_PLAYERS,)),  # [seat] of a simulation; zero for absent seats
            ("policy", np.float64, (game.num_actions,)),  # [action] of `prior`
            ("squares", np.float64, (game.num_actions,)),  # [action] at the root: the sum of squared results
            ("weights", np.float64, tuned(game.weights, num_players).shape),  # of `greedy_action` and `prior`
            ("estimate", np.float64, tuned(game.estimate, num_players).shape),  # of `evaluate`
            ("foretold", np.float64, (MAX_PLAYERS,)),  # [seat] by a network
            ("path", np.int32, (DEEPEST,)),  # [depth] the edges of a simulation
        ]
    )


class Tree:
    """A tree with room for so many nodes; what a search does not use takes no memory.

    Shapes as in `agents.search`.

    Args:
        game: the game.
        num_players: how many play it.
        settings: how to search.
        num_nodes: how many nodes there is room for.
        network: what `settings` ask for; None if they ask for none.
    """

    def __init__(
        self,
        game: Game,
        num_players: int,
        settings: Settings,
        num_nodes: int,
        network: Network | None = None,
    ) -> None:
        self.nodes: Array = np.empty(num_nodes, NODE)
        self.edges: Array = np.empty(EDGES_PER_NODE * num_nodes + game.num_actions, EDGE)
        self.slots: npt.NDArray[np.int32] = np.empty(1 << (2 * num_nodes - 1).bit_length(), np.int32)
        self.work: Array = np.zeros(1, work_dtype(game, num_players))
        for name, value in asdict(settings).items():
            self.work[name] = value
        self.work["weights"] = tuned(game.weights, num_players)
        self.work["estimate"] = tuned(game.estimate, num_players)
        self.net = None if network is None else packed(game, network)


def tuned(numbers: Weights | Estimate | None, num_players: int) -> npt.NDArray[np.float64]:
    """Return a game's numbers for so many players; a zero if it has none, as no array is empty."""
    return np.zeros(1) if numbers is None else numbers.tuned(num_players)
