"""Options of a process pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from inlay._src.base import errors

DEPTH = "INLAY_WORKER_DEPTH"
"""The environment variable with the number of workers above a process."""
START_SECONDS = 120.0
"""The default of `start_timeout`: the seconds that a worker may take until it is ready."""
DEEPEST = 2
"""The number of worker processes that may nest; calls of the innermost run in it."""


class PoolOptions(NamedTuple):
    """The options of a pool; see `Processes`."""

    workers: int | None = None
    initializer: Callable[..., Any] | None = None
    initargs: tuple[Any, ...] = ()
    environment: Mapping[str, str] = {}
    memory_limit: int | None = None
    timeout: float | None = None
    retries: int = 2
    start_timeout: float = START_SECONDS


def shut_down(pool: str) -> BaseException:
    """The error of a call of a pool after its shutdown."""
    text = f"{pool} was shut down: it takes no more calls. Make another one"
    return errors.refused(errors.FailedPreconditionError, RuntimeError, text)
