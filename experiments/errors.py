"""The error of a user's mistake on the command line."""


class UsageError(ValueError):
    """Something asked for cannot be done; the message names it and what is valid."""
