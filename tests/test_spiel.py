"""Games as OpenSpiel shows them: its conventions, and search written for it."""

import copy
import json
import math
import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from helpers import GAMES

from tabletop import spiel
from tabletop.game import GameError
from tabletop.spiel import PlayerId, SpielError, SpielGame, SpielState, load_game

pytestmark = pytest.mark.compiled


def play_randomly(state: SpielState, generator: np.random.Generator, moves: int = 10**6) -> SpielState:
    for _ in range(moves):
        if state.is_terminal():
            break
        state.apply_action(int(generator.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("name", GAMES)
def test_the_loop_of_openspiels_example_plays_a_game(name: str) -> None:
    """After `open_spiel/python/examples/example.py`."""
    game = load_game(name, {"players": 3}, seed=1)
    state = game.new_initial_state()
    generator = np.random.default_rng(1)
    while not state.is_terminal():
        assert not state.is_chance_node()
        assert not state.is_simultaneous_node()
        player = state.current_player()
        legal = state.legal_actions(player)
        assert legal == state.legal_actions() == sorted(legal)
        assert np.flatnonzero(state.legal_actions_mask()).tolist() == legal
        assert state.legal_actions((player + 1) % 3) == []
        assert state.rewards() == [0, 0, 0]
        action = int(generator.choice(legal))
        text = state.action_to_string(player, action)
        assert state.string_to_action(player, text) == state.string_to_action(text) == action
        state.apply_action(action)
    assert state.current_player() == PlayerId.TERMINAL == -4
    assert state.legal_actions() == []
    assert sum(state.returns()) == pytest.approx(game.utility_sum())
    assert state.returns() == state.rewards() == [state.player_return(seat) for seat in range(3)]
    assert max(state.returns()) <= game.max_utility()
    assert min(state.returns()) >= game.min_utility()
    assert len(state.history()) <= game.max_game_length()
    assert [action for _, action in state.full_history()] == state.history()


def test_a_game_tells_its_facts() -> None:
    game = load_game("ra", num_players=4, rules="overview", fame_floor=True)
    assert game.num_players() == 4
    assert game.num_distinct_actions() == 55
    assert game.observation_tensor_shape() == [game.game.layout.size] == [game.observation_tensor_size()]
    assert game.new_initial_state().observation_tensor(2).shape == (game.game.layout.size,)
    assert game.get_type().chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert str(game).startswith("ra(num_players=4,reward=placement,forced_bid=false,")
    assert SpielGame(game.game, **game.get_parameters()).options == game.options
    bounds = {
        reward: (game.min_utility(), game.max_utility(), game.utility_sum())
        for reward in ("placement", "win", "score")
        for game in [load_game("ra", reward=reward)]
    }
    assert bounds == {"placement": (-1, 1, 0), "win": (0, 1, 1), "score": (-math.inf, math.inf, 0)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": 9}, "ra is for 2 to 5 players, not 9"),
        ({"rules": "house"}, "ra has no rules 'house'; valid: rulebook, overview"),
        ({"colour": 1}, "ra has no option 'colour'; valid: forced_bid"),
        ({"reward": "gold"}, "unknown reward 'gold'; valid: placement"),
        ({"seed": -1}, "a seed is an integer from 0"),
    ],
)
def test_a_wrong_argument_names_the_right_ones(arguments: dict[str, object], message: str) -> None:
    """31: as a mapping or by name."""
    with pytest.raises(GameError, match=message):
        load_game("ra", arguments)
    with pytest.raises(GameError, match=message):
        load_game("ra", **arguments)  # type: ignore[arg-type]


def test_an_illegal_action_changes_nothing_and_lists_the_legal_ones() -> None:
    state = load_game("ra").new_initial_state(1)
    for action in (3, -1, 55):
        with pytest.raises(
            SpielError, match=rf"action {action} is not legal; legal: 0 \(draw\), 1 \(invoke\)"
        ):
            state.apply_action(action)
    assert state.is_initial_state()
    with pytest.raises(SpielError, match="there is no player 3; valid: 0 to 2"):
        state.observation_string(3)
    with pytest.raises(TypeError):
        state.apply_action(0.5)  # type: ignore[arg-type]
    over = play_randomly(state, np.random.default_rng(0))
    with pytest.raises(SpielError, match="none, the game is over"):
        over.apply_action(0)


@pytest.mark.parametrize("name", GAMES)
def test_clones_copies_and_pickles_play_on_identically(name: str) -> None:
    """22: the same moves meet the same chance, and each goes its own way."""
    state = play_randomly(load_game(name, seed=5).new_initial_state(), np.random.default_rng(0), 5)
    others = [state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    ends = [play_randomly(other, np.random.default_rng(7)) for other in others]
    assert len(state.history()) == 5
    assert len({(str(end), end.history_str()) for end in ends}) == 1
    assert not state.is_terminal()


def test_deals_follow_the_seed_of_the_game() -> None:
    """21: and every new state is another deal."""
    deals = [
        [play_randomly(game.new_initial_state(), np.random.default_rng(0), 9).to_string() for _ in range(4)]
        for game in (load_game("ra", seed=1), load_game("ra", seed=1), load_game("ra", seed=2))
    ]
    game = load_game("ra", seed=1)
    again = copy.deepcopy(game)
    assert again.new_initial_state().serialize() == game.new_initial_state().serialize()
    assert deals[0] == deals[1] != deals[2]
    assert len(set(deals[0])) == 4


def test_a_state_of_another_game_or_version_is_refused() -> None:
    game = load_game("ra")
    data = game.new_initial_state(3).serialize()
    with pytest.raises(SpielError, match="not a serialized state"):
        game.deserialize_state("{")
    with pytest.raises(SpielError, match=r"a state of \{'game': 'ra'.*'num_players': 3.*, not of .*: 4"):
        load_game("ra", num_players=4).deserialize_state(data)
    fields = json.loads(data)
    fields["stamp"]["version"] = "revision_0"
    with pytest.raises(SpielError, match="'version': 'revision_0'"):
        game.deserialize_state(json.dumps(fields))


def test_only_the_last_move_can_be_undone() -> None:
    state = load_game("ra").new_initial_state(3)
    player = state.current_player()
    state.apply_action(0)
    with pytest.raises(SpielError, match=f"the last move was not action 1 by player {player}"):
        state.undo_action(player, 1)
    state.undo_action(player, 0)
    assert state.is_initial_state()


@pytest.mark.parametrize("name", GAMES)
def test_a_sample_is_the_same_to_its_player_and_tells_nobody_more(name: str) -> None:
    """24, 25: the real state stays; others' strings hold what the player knew, not what they did."""
    generator = np.random.default_rng(2)
    state = play_randomly(load_game(name, seed=3).new_initial_state(), generator, 1)
    player = state.current_player()
    before = state.serialize()
    others = set()
    for _ in range(20):
        sample = state.resample_from_infostate(player, generator)
        assert sample.information_state_string(player) == state.information_state_string(player)
        assert sample.legal_actions() == state.legal_actions()
        assert sample.history() == []
        assert sample.information_key(player) == state.information_key(player)
        text = sample.information_state_string((player + 1) % 3)
        assert text.startswith(state.information_state_string(player).partition("\n\n")[0])
        others.add(play_randomly(sample, np.random.default_rng(0), 30).information_state_string(0))
    assert len(others) > 1
    assert state.serialize() == before
    sampler = spiel.UniformProbabilitySampler(0.0, 1.0, seed=1)
    assert not state.resample_from_infostate(player, sampler).is_terminal()


@pytest.mark.parametrize(("name", "rules"), [("ra", None), ("amunre", "basic"), ("amunre", "expert")])
def test_information_state_strings_are_far_shorter_than_all_observations(
    name: str, rules: str | None
) -> None:
    state = load_game(name, rules=rules, seed=4).new_initial_state()
    generator = np.random.default_rng(4)
    seen = 0
    while not state.is_terminal():
        seen += len(state.observation_string(0))
        play_randomly(state, generator, 1)
    assert len(state.information_state_string(0)) < seen / 10


def test_offers_of_others_are_told_when_all_are_made() -> None:
    """6: and blue cards never, before they are declared."""
    state = load_game("amunre", seed=1, num_players=3).new_initial_state()
    generator = np.random.default_rng(1)
    while not state.legal_actions() or "steal" not in [
        state.action_to_string(a) for a in state.legal_actions()
    ]:
        play_randomly(state, generator, 1)
    first = state.current_player()
    for text in ("offer 3", "steal"):
        state.apply_action(state.string_to_action(text))
    seen = [state.information_state_string(seat).splitlines() for seat in range(3)]
    lines = [
        f"{first} offer 3; next {(first + 1) % 3} offering",
        f"{first} offer ?; next {(first + 1) % 3} offering",
    ]
    assert [lines[0] in text for text in seen] == [seat == first for seat in range(3)]
    assert [lines[1] in text for text in seen] == [seat != first for seat in range(3)]
    state.apply_action(state.string_to_action("offer 1"))
    offers = {first: "3", (first + 1) % 3: "steal", (first + 2) % 3: "1"}
    told = f"all offer {offers[0]} {offers[1]} {offers[2]}"
    assert all(told in state.information_state_string(seat) for seat in range(3))


# Search as it is written for OpenSpiel


@dataclass
class Node:
    """One node of a search tree."""

    visits: int = 0
    children: dict[int, "Node"] = field(default_factory=dict)
    total: float = 0.0  # for the player who moved here


def uct_search(state: SpielState, simulations: int, c: float, generator: np.random.Generator) -> int:
    """After `open_spiel/python/algorithms/mcts.py`: UCT with random rollouts, over clones."""
    root = Node()
    for _ in range(simulations):
        working, node, path = state.clone(), root, []
        while not working.is_terminal() and node.visits > 0:
            player = working.current_player()
            for action in working.legal_actions():
                node.children.setdefault(action, Node())
            parent = node
            action = max(
                node.children,
                key=lambda a: (
                    math.inf
                    if parent.children[a].visits == 0
                    else parent.children[a].total / parent.children[a].visits
                    + c * math.sqrt(math.log(parent.visits) / parent.children[a].visits)
                ),
            )
            working.apply_action(action)
            node = node.children[action]
            path.append((player, node))
        while not working.is_terminal():
            working.apply_action(int(generator.choice(working.legal_actions())))
        returns = working.returns()
        root.visits += 1
        for player, visited in path:
            visited.visits += 1
            visited.total += returns[player]
    return max(root.children, key=lambda action: root.children[action].visits)


def ismcts_search(state: SpielState, simulations: int, c: float, generator: np.random.Generator) -> int:
    """After `open_spiel/python/algorithms/ismcts.py`: information sets by their strings, over samples."""
    nodes: dict[tuple[int, str], dict[int, list[float]]] = {}  # action -> visits, sum of returns
    root = state.current_player()

    def simulate(working: SpielState) -> list[float]:
        if working.is_terminal():
            return working.returns()
        player = working.current_player()
        key = (player, working.information_state_string())
        if key not in nodes:
            nodes[key] = {action: [0, 0.0] for action in working.legal_actions()}
            return play_randomly(working, generator).returns()
        children = nodes[key]
        assert list(children) == working.legal_actions()
        visits = sum(count for count, _ in children.values())
        action = max(
            children,
            key=lambda a: (
                math.inf
                if children[a][0] == 0
                else children[a][1] / children[a][0] + c * math.sqrt(math.log(visits) / children[a][0])
            ),
        )
        working.apply_action(action)
        returns = simulate(working)
        children[action][0] += 1
        children[action][1] += returns[player]
        return returns

    for _ in range(simulations):
        sample = state.resample_from_infostate(root, generator)
        assert sample.information_state_string(root) == state.information_state_string(root)
        simulate(sample)
    children = nodes[root, state.information_state_string(root)]
    return max(children, key=lambda action: children[action][0])


@pytest.mark.parametrize("name", ["ra", "high_bid"])
@pytest.mark.parametrize("search", [uct_search, ismcts_search])
def test_search_written_for_openspiel_runs(name: str, search: object) -> None:
    assert callable(search)
    state = load_game(name, num_players=2, seed=1).new_initial_state()
    before = state.serialize()
    action = search(state, 60, 1.0, np.random.default_rng(0))
    assert action in state.legal_actions()
    assert state.serialize() == before
    again = search(state.clone(), 60, 1.0, np.random.default_rng(0))
    assert again == action


def last_bids() -> list[SpielState]:
    """High Bid for two: the last bid, the other having no coins left, where it decides who wins."""
    game = load_game("high_bid", num_players=2, seed=0)
    generator = np.random.default_rng(0)
    found = []
    while len(found) < 5:
        state = play_randomly(game.new_initial_state(), generator, 5)
        values = {state.child(action).player_return(1) for action in state.legal_actions()}
        if state.record()["coins"][0, 0] == 0 and len(values) > 1:
            found.append(state)
    return found


@pytest.mark.parametrize("search", [uct_search, ismcts_search])
def test_search_finds_the_winning_bid(search: object) -> None:
    assert callable(search)
    for state in last_bids():
        values = {action: state.child(action).player_return(1) for action in state.legal_actions()}
        best = search(state, 60, 1.0, np.random.default_rng(3))
        assert values[best] == max(values.values())
