"""What there is: games with their options, actions and observations; agents with their options."""

from collections.abc import Iterable
from dataclasses import dataclass

from tyro.conf import Positional

from agents.registry import agent_class, agent_names, agent_options
from tabletop.game import BUILT_IN, Game, load


@dataclass(frozen=True)
class GamesOptions:
    """List the games, or everything about one."""

    game: Positional[str | None] = None
    """A game's name: show its options, presets, actions, observation, weights and estimate."""


@dataclass(frozen=True)
class AgentsOptions:
    """List the agents with their options."""


def run_games(options: GamesOptions) -> None:
    """Print the games, or the tables of one."""
    if options.game is not None:
        game = load(options.game)
        print(f"{game.title} (`{game.name}`), {game.min_players} to {game.max_players} players")
        print(
            "\n\n".join(
                (
                    "",
                    options_table(game),
                    actions_table(game),
                    game.layout.markdown(),
                    weights_table(game),
                    features_table(game),
                )
            )
        )
        return
    for name in BUILT_IN:
        game = load(name)
        print(
            f"{game.name}: {game.title}, {game.min_players} to {game.max_players} players, "
            f"{game.num_actions} actions, {game.layout.size} observations"
        )
        print(f"  rules: {', '.join(game.presets)}")
        print(f"  options: {'; '.join(_choices(game))}")


def run_agents(options: AgentsOptions) -> None:
    """Print the agents and their options."""
    for name in agent_names():
        kind = agent_class(name)
        print(f"{name}: {(kind.__doc__ or '').splitlines()[0]}")
        for key, (text, default) in agent_options(kind).items():
            print(f"  {key}: {text}" + (f" (default {default})" if default is not None else ""))


def _choices(game: Game) -> Iterable[str]:
    return (f"{option.name}={'|'.join(str(c).lower() for c in option.choices)}" for option in game.options)


def options_table(game: Game) -> str:
    """Return the options of a game and what each preset chooses, as a Markdown table."""
    names = list(game.presets)
    rows = [f"| option | {' | '.join(names)} | meaning |", "|---" * (len(names) + 2) + "|"]
    for option in game.options:
        values = [str(game.resolve_options(name)[option.name]).lower() for name in names]
        rows.append(f"| `{option.name}` | {' | '.join(values)} | {option.meaning} |")
    return "\n".join(rows)


def actions_table(game: Game) -> str:
    """Return the blocks of a game's actions as a Markdown table."""
    rows = ["| actions | ids | from | to |", "|---|---|---|---|"]
    for notation, first, number in game.action_blocks:
        ids = str(first) if number == 1 else f"{first}-{first + number - 1}"
        rows.append(
            f"| `{notation}` | {ids} | `{game.action_names[first]}` | `{game.action_names[first + number - 1]}` |"
        )
    return "\n".join(rows)


def weights_table(game: Game) -> str:
    """Return the weights of a game's greedy valuation with their tuned values, as a Markdown table."""
    if game.weights is None:
        return "no greedy valuation"
    players = range(game.min_players, game.max_players + 1)
    tuned = {number: game.weights.tuned(number) for number in players}
    rows = [
        f"| weight | {' | '.join(f'{number} players' for number in players)} | meaning |",
        "|---" * (len(players) + 2) + "|",
    ]
    for index, weight in enumerate(game.weights.declared):
        values = " | ".join(f"{tuned[number][index]:.3g}" for number in players)
        rows.append(f"| `{weight.name}` | {values} | {weight.meaning} |")
    return "\n".join(rows)


def features_table(game: Game) -> str:
    """Return what a game's estimate of results goes by, as a Markdown table."""
    if game.estimate is None:
        return "no estimate of results"
    rows = ["| feature of the estimate | meaning |", "|---|---|"]
    rows += [f"| `{feature.name}` | {feature.meaning} |" for feature in game.estimate.features]
    return "\n".join(rows)
