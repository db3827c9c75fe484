"""Makes the helper modules of the tests importable by their own names."""

import sys
from pathlib import Path

TESTS = Path(__file__).parent

for folder in (TESTS, TESTS / "ra", TESTS / "amunre"):
    sys.path.insert(0, str(folder))
