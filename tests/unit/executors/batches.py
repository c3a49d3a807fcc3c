"""The outcomes of calls that an executor started together."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from inlay._src.core.executor import Batch


def outcomes(batch: Batch, count: int, seconds: float, reads: bool = False) -> list[Any]:
    """The result or the exception of each of so many calls.

    Args:
      batch: the calls.
      count: their number.
      seconds: until they have ended.
      reads: whether the calling thread receives their ends itself, as far as it may.
    """
    left, over = set(range(count)), threading.Event()

    def ended(positions: Sequence[int]) -> None:
        left.difference_update(positions)
        if not left:
            over.set()
            batch.interrupt()

    batch.listen(ended)
    timer = threading.Timer(seconds, batch.interrupt)
    timer.start()
    while reads and batch.readable and left and timer.is_alive() and batch.read():
        pass
    timer.cancel()
    assert over.wait(seconds), f"calls {sorted(left)} have not ended"

    def outcome(position: int) -> Any:
        try:
            return batch.result(position)
        except Exception as error:
            return error

    return list(map(outcome, range(count)))
