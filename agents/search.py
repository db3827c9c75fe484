"""Information-set Monte Carlo tree search, compiled over the verbs: it knows no game.

A simulation draws a world that fits all the observer knows, walks down the tree by what earlier
simulations found (`select`), gives a node that is met again its edges (`expand`), puts a value on
where it comes out (`evaluate_leaf`) and adds that to every edge it took (`back_up`). Values are
vectors, a result for each seat, and each mover prefers by its own (max^n). Moves without a choice
are made without a node.

Nodes are found by a key, so which positions share a node is what the key is made of (`node_key`):

- MOVER: what the player to move sees. Nobody acts on what they cannot know, the observer's own
  secrets included; many nodes where others hold hidden cards.
- OBSERVER: what the observer sees (Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree
  Search", 2012: single observer). Others' moves that the observer cannot tell apart lead to one node.
- OPEN: the actions alone (open loop), chance and all else averaged; needs no key from the game.

Where the legal actions of a node differ from world to world, its edges count how often they were
missing.

Shapes, made by `agents.tree.Tree`; the tree is empty but for the root after `begin_search`:

- states: records of the game, [2], ROOT_WORLD the position searched from, WORLD that of a simulation;
- nodes: records of `agents.tree.NODE`; edges: records of `agents.tree.EDGE`. A node's edges are a
  chain; those made together lie side by side, the likeliest first;
- slots: int32[a power of two, at least twice the nodes], the nodes by key in open addressing, or NO_NODE;
- work: one record of `agents.tree.work_dtype`: how to search, generators, counts, and scratch of a
  simulation;
- net: a `Net`, the network that `run_guided` asks.

Records, not an array for each field: references to arrays are counted by atomic operations wherever
they are passed or looked up. With arrays the tree took 7 of the 16 us of a simulation on Ra.

A network (`run_guided`) is asked about the world as it stands, from the mover's side: what others hold
in it was drawn with it. With its prior every leaf gets its edges at once, and one pass gives its value too.

PUCT is that of Silver et al., "Mastering the game of Go without human knowledge", 2017, and UCT that
of Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006.
"""

from math import ceil, exp, inf, log, sqrt

import numpy as np
from numba import jit_module

from agents.hint_kernels import look_ahead
from agents.network_kernels import LOGITS, Net, see, write_logits, write_values
from tabletop.bitset import contains, count, nth
from tabletop.compiled import inlined
from tabletop.description_kernels import hint_moves
from tabletop.kinds import Array, Record, Seed, States, Word
from tabletop.rng import below, mix, next_word
from tabletop.verbs import (
    apply_action,
    current_player,
    evaluate,
    greedy_action,
    information_key,
    is_over,
    legal_actions,
    playout_action,
    prior,
    resample,
    returns,
    stage,
)
from tabletop.words import lowest

ROOT_WORLD, WORLD = range(2)  # records of `states`
ROOT = 0  # the node searched from
NO_NODE = -1
NO_EDGE = -1
DEEPEST = 256  # edges of a path

# What positions share a node.
MOVER, OBSERVER, OPEN = range(3)
# How a simulation goes on below the tree.
NO_ROLLOUT, RANDOM, PLAYOUT, GREEDY = range(4)
# Where a rollout ends; a number from 0 on is so many moves.
GAME_END, STAGE_END = -1, -2


def begin_search(states: States, observer: int, nodes: Array, slots: Array, work: Array) -> None:
    """Empty the tree but for the root, where `observer` is to move."""
    slots[:] = NO_NODE
    work[0].num_nodes = 0
    work[0].num_edges = 0
    work[0].squares[:] = 0.0
    key = np.uint64(0)
    if work[0].sharing != OPEN:
        key = position_key(states[ROOT_WORLD], observer, work[0])
    find_node(states[ROOT_WORLD], nodes, slots, work[0], key)


def run_simulations(
    states: States,
    observer: int,
    simulations: int,
    nodes: Array,
    edges: Array,
    slots: Array,
    work: Array,
) -> None:
    """Add simulations to a tree."""
    state = states[WORLD]
    here = work[0]
    for _ in range(simulations):
        states[WORLD] = states[ROOT_WORLD]
        resample(state, observer, next_word(here.worlds, 0))
        depth = select(state, observer, nodes, edges, slots, here)
        evaluate_leaf(state, here)
        back_up(state, observer, edges, here, depth)


def run_guided(
    states: States,
    observer: int,
    simulations: int,
    nodes: Array,
    edges: Array,
    slots: Array,
    work: Array,
    net: Net,
) -> None:
    """Add simulations to a tree with a network's prior, value or both.

    Apart from `run_simulations`, which is a sixth slower with a network to hand on.
    """
    state = states[WORLD]
    here = work[0]
    for _ in range(simulations):
        states[WORLD] = states[ROOT_WORLD]
        resample(state, observer, next_word(here.worlds, 0))
        if here.network_prior and nodes[ROOT].first == NO_EDGE:
            legal_actions(state, here.bits)
            see(state, net)
            write_policy(state, net.worlds, next_word(here.worlds, 0), here, net)
            expand(state, nodes[ROOT], edges, here)
        here.leaf = NO_NODE
        known = int(here.num_nodes)
        depth = select(state, observer, nodes, edges, slots, here)
        if here.num_nodes > known:
            here.leaf = known
        judge_leaf(state, nodes, edges, here, net)
        back_up(state, observer, edges, here, depth)


@inlined
def select(state: Record, observer: int, nodes: Array, edges: Array, slots: Array, work: Record) -> int:
    """Move the world from the root to a position that is over or new to the tree.

    The edges taken are written to `work.path`, their number returned. Where the prior is a network's
    it also ends at a node that lacks an edge, which is then `work.leaf`.
    """
    legal_actions(state, work.bits)
    node = ROOT
    depth = 0
    while node != NO_NODE and depth < DEEPEST:
        if nodes[node].first == NO_EDGE:
            if not work.network_prior:
                expand(state, nodes[node], edges, work)
            if nodes[node].first == NO_EDGE:
                break
        edge = choose_edge(state, observer, nodes[node], edges, work)
        if edge == NO_EDGE:
            work.leaf = node
            break
        nodes[node].visits += 1
        work.path[depth] = edge
        depth += 1
        apply_action(state, int(edges[edge].action))
        step_forced_moves(state, work)
        if is_over(state):
            break
        key = successor_key(state, observer, nodes[node], edges[edge], work)
        node = find_node(state, nodes, slots, work, key)
    return depth


@inlined
def step_forced_moves(state: Record, work: Record) -> None:
    """Make all moves without a choice; then the legal actions are in `work.bits`."""
    while not is_over(state):
        legal_actions(state, work.bits)
        if count(work.bits) > 1:
            break
        apply_action(state, first_action(state, work))


@inlined
def first_action(state: Record, work: Record) -> int:
    """Return the lowest legal action."""
    for word in range(len(work.bits)):
        if work.bits[word] != np.uint64(0):
            return 64 * word + lowest(work.bits[word])
    return NO_EDGE


@inlined
def successor_key(state: Record, observer: int, node: Record, edge: Record, work: Record) -> Word:
    """Return the key of the world's position, which an edge of a node has led to."""
    if work.sharing == OPEN:
        return mix(node.key ^ np.uint64(edge.action + 1))
    return position_key(state, observer, work)


@inlined
def position_key(state: Record, observer: int, work: Record) -> Word:
    """Return the key of a position by what the observer, or the player to move, sees of it."""
    mover = int(current_player(state))
    viewer = observer if work.sharing == OBSERVER else mover
    return np.uint64(information_key(state, viewer)) ^ mix(np.uint64(mover))


@inlined
def find_node(state: Record, nodes: Array, slots: Array, work: Record, key: Word) -> int:
    """Return the node of a key. If there is none return NO_NODE, and add one if there is room."""
    slot = slot_of(state, nodes, slots, key)
    if slots[slot] != NO_NODE:
        return int(slots[slot])
    if work.num_nodes < len(nodes):
        slots[slot] = work.num_nodes
        node = nodes[work.num_nodes]
        node.key = key
        node.visits = 0
        node.first = NO_EDGE
        work.num_nodes += 1
    return NO_NODE


@inlined
def slot_of(state: Record, nodes: Array, slots: Array, key: Word) -> int:
    """Return the slot of a key, or the free one where it would be put."""
    mask = len(slots) - 1
    slot = np.int64(key & np.uint64(mask))
    while slots[slot] != NO_NODE and nodes[slots[slot]].key != key:
        slot = (slot + 1) & mask
    return slot  # type: ignore[return-value]


@inlined
def choose_edge(state: Record, observer: int, node: Record, edges: Array, work: Record) -> int:
    """Return the edge to take from a node, one of the world's legal actions.

    NO_EDGE if one of them has no edge yet and a network has to be asked for its prior first.
    """
    mover = int(current_player(state))
    varies = work.sharing == OPEN or (work.sharing == OBSERVER and mover != observer)
    if varies and miss_edges(state, node, edges, work) < count(work.bits):
        if work.network_prior and work.num_edges + count(work.bits) <= len(edges):
            return NO_EDGE
        expand(state, node, edges, work)
    sign = 1.0
    if work.paranoid and mover != observer:
        mover = observer
        sign = -1.0
    return most_urgent_edge(state, node, edges, work, mover, sign, varies)


@inlined
def miss_edges(state: Record, node: Record, edges: Array, work: Record) -> int:
    """Count a miss for each edge whose action is not legal in the world; return how many are."""
    legal = 0
    edge = int(node.first)
    while edge != NO_EDGE:
        if contains(work.bits, int(edges[edge].action)):
            legal += 1
        else:
            edges[edge].missed += 1
        edge = int(edges[edge].sibling)
    return legal


@inlined
def most_urgent_edge(
    state: Record,
    node: Record,
    edges: Array,
    work: Record,
    seat: int,
    sign: float,
    varies: bool,
) -> int:
    """Return the edge whose value for a seat (times a sign) and lack of visits make it most urgent.

    PUCT: value + c * prior * sqrt(times the edge could be had) / (1 + visits), the value of an edge
    not tried being the mean of those that were. UCT: value + c * sqrt(log(times) / visits), edges
    not tried first.
    """
    mean = mean_value(state, node, edges, seat)
    times = int(node.visits) + 1
    considered = len(edges)
    if work.widening > 0.0:
        considered = ceil(work.widening * sqrt(times))
    breadth = sqrt(times) if work.use_prior else log(times)
    best = NO_EDGE
    highest = -inf
    number = int(node.first)
    while number != NO_EDGE and considered > 0:
        edge = edges[number]
        if not varies or contains(work.bits, int(edge.action)):
            considered -= 1
            scale = breadth
            if edge.missed > 0:
                met = times - int(edge.missed)
                scale = sqrt(met) if work.use_prior else log(met)
            visits = int(edge.visits)
            value = edge.totals[seat] / visits if visits > 0 else mean
            if work.use_prior:
                bonus = edge.prior * scale / (1 + visits)
            elif visits > 0:
                bonus = sqrt(scale / visits)
            else:
                bonus = inf
            urgency = sign * value + work.exploration * bonus
            if urgency > highest:
                highest = urgency
                best = number
        number = int(edge.sibling)
    return best


@inlined
def mean_value(state: Record, node: Record, edges: Array, seat: int) -> float:
    """Return a seat's mean result over the visits of all of a node's edges; 0 before the first."""
    visits = 0
    total = 0.0
    edge = int(node.first)
    while edge != NO_EDGE:
        visits += int(edges[edge].visits)
        total += edges[edge].totals[seat]
        edge = int(edges[edge].sibling)
    return total / visits if visits > 0 else 0.0


def expand(state: Record, node: Record, edges: Array, work: Record) -> None:
    """Give a node an edge for each legal action of the world that has none, if there is room.

    They stand in the order of the prior; without one all are equal and in random order. That of a
    network is in `work.policy` already.
    """
    if work.num_edges + count(work.bits) > len(edges):
        return
    if work.use_prior and not work.network_prior:
        prior(state, work.weights, work.policy)
    start = int(work.num_edges)
    for word in range(len(work.bits)):
        rest = work.bits[word]
        while rest != np.uint64(0):
            action = 64 * word + lowest(rest)
            rest &= rest - np.uint64(1)
            if edge_of(state, node, edges, action) == NO_EDGE:
                add_edge(state, node, edges, work, action, start)
    if work.num_edges > start:
        edges[work.num_edges - 1].sibling = node.first
        node.first = start


@inlined
def edge_of(state: Record, node: Record, edges: Array, action: int) -> int:
    """Return the edge of a node for an action; NO_EDGE if it has none."""
    edge = int(node.first)
    while edge != NO_EDGE and edges[edge].action != action:
        edge = int(edges[edge].sibling)
    return edge


@inlined
def add_edge(state: Record, node: Record, edges: Array, work: Record, action: int, start: int) -> None:
    """Add an edge and put it in its place among the new ones, which begin at `start`."""
    last = int(work.num_edges)
    work.num_edges += 1
    edge = edges[last]
    edge.totals[:] = 0.0
    edge.visits = 0
    edge.missed = node.visits
    edge.sibling = last + 1
    likelihood = 1.0
    place = last
    if work.use_prior:
        likelihood = work.policy[action]
        while place > start and edges[place - 1].prior < likelihood:
            edges[place].action = edges[place - 1].action
            edges[place].prior = edges[place - 1].prior
            place -= 1
    else:
        place = start + below(work.choices, 0, last - start + 1)
        edge.action = edges[place].action
        edge.prior = likelihood
    edges[place].action = action
    edges[place].prior = likelihood


@inlined
def evaluate_leaf(state: Record, work: Record) -> None:
    """Write the result of the simulation for each seat: the game's own at its end, else its estimate."""
    if work.rollout != NO_ROLLOUT:
        roll_out(state, work)
    if is_over(state):
        returns(state, work.result)
    else:
        evaluate(state, work.estimate, work.result)


def judge_leaf(state: Record, nodes: Array, edges: Array, work: Record, net: Net) -> None:
    """Write the result of the simulation for each seat, and give `work.leaf` the edges it lacks.

    If a network gives both prior and value, and nothing is played in between, it looks but once.
    """
    judged = False
    if work.network_prior and work.leaf != NO_NODE:
        see(state, net)
        if work.network_value and work.rollout == NO_ROLLOUT:
            write_result(state, work, net)
            judged = True
        write_policy(state, 1, np.uint64(0), work, net)
        expand(state, nodes[work.leaf], edges, work)
    if judged:
        return
    if not work.network_value:
        evaluate_leaf(state, work)
        return
    if work.rollout != NO_ROLLOUT:
        roll_out(state, work)
        step_forced_moves(state, work)
    if is_over(state):
        returns(state, work.result)
        return
    see(state, net)
    write_result(state, work, net)


def write_policy(state: Record, worlds: int, seed: Seed, work: Record, net: Net) -> None:
    """Write how likely a network is to take each legal action, of those in `work.bits`, to `work.policy`.

    It looks ahead in so many worlds, of which the seed is: at the root as the network does in play,
    elsewhere in the one at hand.
    """
    write_logits(state, net)
    policy = work.policy
    policy[:] = 0.0
    if net.hinted:
        players = int(state.num_players)
        hint_moves(state, net.valuations[players], policy)
        net.states[0] = state
        look_ahead(net.states, policy, worlds, seed, net)
    highest = -inf
    for action in range(len(policy)):
        if contains(work.bits, action):
            policy[action] = np.float64(net.scratch[LOGITS, action]) + net.sharpness[0] * policy[action]
            if net.hinted:
                policy[action] += net.sharpness[1] * net.expected[action]
            highest = max(highest, policy[action])
    total = 0.0
    for action in range(len(policy)):
        if contains(work.bits, action):
            policy[action] = exp(policy[action] - highest)
            total += policy[action]
    for action in range(len(policy)):
        if contains(work.bits, action):
            policy[action] /= total


def write_result(state: Record, work: Record, net: Net) -> None:
    """Write what a network foretells for each seat, of what it saw, to `work.result`; `blend` of it is the estimate's."""
    players = int(state.num_players)
    write_values(state, net, work.foretold)
    if work.blend > 0.0:
        evaluate(state, work.estimate, work.result)
    for seat in range(players):
        work.result[seat] = work.blend * work.result[seat] + (1.0 - work.blend) * work.foretold[seat]


@inlined
def roll_out(state: Record, work: Record) -> None:
    """Play on to the horizon by the rollout policy."""
    begun = 0
    if work.horizon == STAGE_END:
        begun = stage(state)
    left = work.horizon
    while left != 0 and not is_over(state):
        if work.horizon == STAGE_END and stage(state) != begun:
            break
        if work.rollout == RANDOM:
            action = random_legal_action(state, work)
        elif work.rollout == PLAYOUT:
            action = playout_action(state, work.choices, work.bits)
        else:
            action = greedy_action(state, work.weights)
        apply_action(state, action)
        left -= 1


@inlined
def random_legal_action(state: Record, work: Record) -> int:
    """Return a legal action, all equally likely."""
    legal_actions(state, work.bits)
    return nth(work.bits, below(work.choices, 0, count(work.bits)))


@inlined
def back_up(state: Record, observer: int, edges: Array, work: Record, depth: int) -> None:
    """Add the result of the simulation to every edge it took."""
    for step in range(depth):
        edge = edges[work.path[step]]
        edge.visits += 1
        for seat in range(len(work.result)):
            edge.totals[seat] += work.result[seat]
    if depth > 0:
        work.squares[edges[work.path[0]].action] += work.result[observer] ** 2


def read_root(
    states: States,
    nodes: Array,
    edges: Array,
    work: Array,
    visits: Array,
    totals: Array,
    squares: Array,
    priors: Array,
) -> None:
    """Add the root's edges to statistics by action: [num_actions], totals [num_actions, seats]."""
    number = int(nodes[ROOT].first)
    while number != NO_EDGE:
        edge = edges[number]
        visits[edge.action] += edge.visits
        for seat in range(totals.shape[1]):
            totals[edge.action, seat] += edge.totals[seat]
        squares[edge.action] += work[0].squares[edge.action]
        priors[edge.action] = edge.prior
        number = int(edge.sibling)


def follow_line(
    states: States,
    observer: int,
    action: int,
    seed: Seed,
    nodes: Array,
    edges: Array,
    slots: Array,
    work: Array,
    moves: Array,
    movers: Array,
    visits: Array,
) -> int:
    """Write what follows an action at the root by most visits, in a world of its own seed.

    moves, movers and visits are int64[longest line]: the action, who makes it, and how many
    simulations took it, 0 for moves without a choice. Returns how many there are: the line ends with
    the tree, the game or the arrays.
    """
    states[WORLD] = states[ROOT_WORLD]
    state = states[WORLD]
    here = work[0]
    resample(state, observer, seed)
    legal_actions(state, here.bits)
    length = 0
    node = ROOT
    edge = edge_of(state, nodes[ROOT], edges, action)
    while edge != NO_EDGE and edges[edge].visits > 0 and length < len(moves):
        length = write_move(
            state, int(edges[edge].action), int(edges[edge].visits), length, moves, movers, visits
        )
        while not is_over(state) and length < len(moves):
            legal_actions(state, here.bits)
            if count(here.bits) > 1:
                break
            length = write_move(state, first_action(state, here), 0, length, moves, movers, visits)
        if is_over(state) or length == len(moves):
            break
        node = slots[
            slot_of(state, nodes, slots, successor_key(state, observer, nodes[node], edges[edge], here))
        ]
        edge = NO_EDGE if node == NO_NODE else most_visited_edge(state, nodes[node], edges, here)
    return length


def write_move(
    state: Record, action: int, taken: int, length: int, moves: Array, movers: Array, visits: Array
) -> int:
    """Add a move to a line and make it; return the new length."""
    moves[length] = action
    movers[length] = current_player(state)
    visits[length] = taken
    apply_action(state, action)
    return length + 1


@inlined
def most_visited_edge(state: Record, node: Record, edges: Array, work: Record) -> int:
    """Return the edge of most visits whose action is legal in the world; NO_EDGE if there is none."""
    best = NO_EDGE
    edge = int(node.first)
    while edge != NO_EDGE:
        legal = contains(work.bits, int(edges[edge].action))
        if legal and (best == NO_EDGE or edges[edge].visits > edges[best].visits):
            best = edge
        edge = int(edges[edge].sibling)
    return best


jit_module(cache=True, nogil=True, forceinline=False)
