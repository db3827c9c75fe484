"""Makes the helper modules of the tests importable by their own names."""

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

for folder in (TESTS, TESTS / "ra", TESTS / "amunre"):
    sys.path.insert(0, str(folder))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files are written anew on demand."""
    parser.addoption(
        "--regenerate", action="store_true", help="write the golden playthroughs and README tables anew"
    )
