"""Agents by name: `greedy`, `greedy:spite=0.3`, or `my_package.my_bot:depth=2` for one outside."""

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any, get_type_hints

import agents
from agents.base import Agent
from tabletop.game import Game, import_if_there


class AgentError(ValueError):
    """There is no such agent, or it has no such option; the message lists the valid ones."""


def agent_names() -> list[str]:
    """Return the names of the agents that come with the project."""
    modules = (module.name for module in pkgutil.iter_modules(agents.__path__))
    return sorted(name for name in modules if hasattr(importlib.import_module(f"agents.{name}"), "AGENT"))


def agent_class(name: str) -> type[Agent]:
    """Return the class of an agent by its name, or by the module that holds its AGENT.

    Raises:
        AgentError: there is none; the message lists those that come with the project.
    """
    for module_name in (f"agents.{name}", name):
        found = getattr(import_if_there(module_name), "AGENT", None)
        if isinstance(found, type) and issubclass(found, Agent):
            return found
    valid = ", ".join(agent_names())
    raise AgentError(f"unknown agent {name!r}; valid: {valid}, or a module that has an AGENT")


def make_agent(spec: str, game: Game, num_players: int) -> Agent:
    """Return a new agent for a specification `name` or `name:key=value,key=value`.

    Raises:
        AgentError: the name, an option or its value is not valid; the message says what is.
        GameError: the agent cannot play this game, or refuses a value.
    """
    name, _, text = spec.partition(":")
    kind = agent_class(name)
    return kind(game, num_players, **_options(kind, name, text))


def agent_options(kind: type[Agent]) -> dict[str, tuple[str, object]]:
    """Return the options of an agent: for each name its help and its default."""
    parameters = inspect.signature(kind).parameters
    return {
        name: (help_text, parameters[name].default if name in parameters else None)
        for name, help_text in kind.OPTION_HELP.items()
    }


def _options(kind: type[Agent], name: str, text: str) -> dict[str, Any]:
    """Parse `key=value,key=value` by the types of the constructor's keyword arguments."""
    hints = get_type_hints(kind.__init__)
    parameters = inspect.signature(kind).parameters
    valid = [key for key in parameters if key not in ("game", "num_players")]
    rest = next((key for key in valid if parameters[key].kind is inspect.Parameter.VAR_KEYWORD), None)
    named = [key for key in valid if key != rest]
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise AgentError(f"agent {name}: {part!r} is not key=value")
        if key not in named and rest is None:
            raise AgentError(f"agent {name} has no option {key!r}; valid: {', '.join(named) or 'none'}")
        options[key] = _convert(name, key, value, hints[key if key in named else str(rest)])
    return options


def _convert(name: str, key: str, value: str, kind: Any) -> Any:
    """Convert an option's text to its type, the first of a union."""
    first = next((part for part in getattr(kind, "__args__", ()) if part is not type(None)), kind)
    if first is bool:
        if value.lower() not in ("true", "false"):
            raise AgentError(f"agent {name}: {key}={value!r} is not true or false")
        return value.lower() == "true"
    try:
        return Path(value) if first is Path else first(value)
    except ValueError:
        raise AgentError(f"agent {name}: {key}={value!r} is not of type {first.__name__}") from None
