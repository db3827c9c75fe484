"""Say so when a call takes long because machine code is made: the first one after an install."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 1.5  # seconds


@contextmanager
def announced(what: str) -> Iterator[None]:
    """Print a line on standard error if the block takes longer than loading compiled code does."""
    started = time.perf_counter()
    told = threading.Event()

    def tell() -> None:
        told.set()
        print(f"compiling {what} for this machine, once (up to a minute) ...", file=sys.stderr, flush=True)

    timer = threading.Timer(PATIENCE, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if told.is_set():
            print(f"compiled {what} in {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
