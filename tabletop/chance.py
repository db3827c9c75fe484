"""The chance of a recorded game: the outcomes it met, taken one by one while it is replayed."""

from collections.abc import Sequence


class ChanceError(ValueError):
    """A recorded outcome cannot have happened; the message says which and why."""


class Chance:
    """An iterator over the `chance` of a game record that says what it expected when it fails."""

    def __init__(self, outcomes: Sequence[str]) -> None:
        self._outcomes = outcomes
        self.taken = 0

    def take(self, expected: str) -> str:
        """Return the next outcome.

        Raises:
            ChanceError: none is left; the message says what was expected.
        """
        if self.taken >= len(self._outcomes):
            raise ChanceError(f"the list of chance ends after {self.taken} outcomes; expected {expected}")
        self.taken += 1
        return self._outcomes[self.taken - 1]

    def left(self) -> int:
        """Return how many outcomes have not been taken."""
        return len(self._outcomes) - self.taken

    def fault(self, reason: str) -> ChanceError:
        """Return the error for the outcome that was taken last."""
        return ChanceError(f"chance {self.taken} ({self._outcomes[self.taken - 1]!r}): {reason}")
