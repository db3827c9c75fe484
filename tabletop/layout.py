"""An observation layout: declared once, as named fields; the rest is derived from it.

The flat float32 vector that learners get, named views into it and the README's table all come from
one tuple of `Field`s.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Field:
    """One named part of an observation."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Layout:
    """All fields of an observation, one after the other."""

    fields: tuple[Field, ...]

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Where each field begins in the flat vector."""
        starts: dict[str, int] = {}
        position = 0
        for part in self.fields:
            starts[part.name] = position
            position += prod(part.shape)
        return starts

    @cached_property
    def size(self) -> int:
        """The length of the flat vector."""
        return sum(prod(part.shape) for part in self.fields)

    @cached_property
    def low(self) -> npt.NDArray[np.float32]:
        """The least value of each entry, float32[size]."""
        return np.concatenate([np.full(prod(part.shape), part.low, np.float32) for part in self.fields])

    @cached_property
    def high(self) -> npt.NDArray[np.float32]:
        """The greatest value of each entry, float32[size]."""
        return np.concatenate([np.full(prod(part.shape), part.high, np.float32) for part in self.fields])

    def view(self, observation: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[np.float32]]:
        """Return named views into a flat observation (or a batch of them, last axis flat)."""
        leading = observation.shape[:-1]
        return {
            part.name: observation[..., start : start + prod(part.shape)].reshape(*leading, *part.shape)
            for part, start in zip(self.fields, self.offsets.values(), strict=True)
        }

    def markdown(self) -> str:
        """Return the layout as a Markdown table."""
        rows = ["| field | first | shape | range | meaning |", "|---|---|---|---|---|"]
        for part in self.fields:
            shape = " x ".join(str(size) for size in part.shape)
            rows.append(
                f"| `{part.name}` | {self.offsets[part.name]} | {shape} | {part.low:g} to {part.high:g} | {part.meaning} |"
            )
        return "\n".join(rows)
