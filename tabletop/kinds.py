"""Names for what compiled code takes, as far as a type checker is concerned.

Numba infers the real types. A record's fields are attributes that only its dtype knows.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Record = Any  # one game: an element of a States array
States = npt.NDArray[Any]  # records of one game's dtype, shape (games,)
Array = npt.NDArray[Any]  # shape and dtype as the docstring says
Seed = int | np.uint64
Word = Any  # uint64
