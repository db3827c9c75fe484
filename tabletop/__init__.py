"""What every game shares. It knows no game by name: a game is loaded with `load("ra")`."""

from tabletop.game import Game, GameError, Option, load

__all__ = ["Game", "GameError", "Option", "load"]
