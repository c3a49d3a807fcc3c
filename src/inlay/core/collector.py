"""Python's garbage collector, paused for a moment in the whole process."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.RLock()
_pauses = 0
_enabled = False  # before the first of the pauses in force


@contextmanager
def paused() -> Iterator[None]:
    """Nothing is collected in the block, by any thread. Pauses may overlap; the last to end lets it go on.

    For blocks that are short, or make much and drop nothing: there each collection walks all of it in vain.
    """
    global _pauses, _enabled
    with _lock:
        if not _pauses:
            _enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _enabled:
                gc.enable()
