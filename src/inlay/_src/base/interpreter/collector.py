"""Python's garbage collector, paused for a moment in the whole process."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from inlay._src.base.interpreter.forking import in_child, new_rlock
from inlay._src.base.tuning import TUNING

_lock = new_rlock()
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
            _pauses = max(0, _pauses - 1)  # a child forked in the block has ended the pause already
            if not _pauses and _enabled:
                gc.enable()


def paused_for(count: int) -> AbstractContextManager[None]:
    """Nothing is collected in the block if so many nodes or steps are made into something else in it."""
    return paused() if count >= TUNING.collection_pause_nodes else nullcontext()


def _end_pauses() -> None:
    """A forked child has none of the threads that paused."""
    global _pauses
    if _pauses:
        _pauses = 0
        if _enabled:
            gc.enable()


in_child(_end_pauses)
