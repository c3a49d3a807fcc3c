"""What a pool is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from inlay._src.base import errors

DEPTH = "INLAY_WORKER_DEPTH"
"""Variable of the environment: how many workers stand above a process."""
START_SECONDS = 120.0
"""How long a worker may take until it is ready, unless `start_timeout` says otherwise."""
DEEPEST = 2
"""How many worker processes may stand above one another; calls of the last run in it."""


class Options(NamedTuple):
    """What a pool was asked for; see `Processes`."""

    workers: int | None = None
    initializer: Callable[..., Any] | None = None
    initargs: tuple[Any, ...] = ()
    environment: Mapping[str, str] = {}
    memory_limit: int | None = None
    timeout: float | None = None
    retries: int = 2
    start_timeout: float = START_SECONDS


def shut_down(pool: str) -> BaseException:
    """The error of a call of a pool that takes no more."""
    text = f"{pool} was shut down: it takes no more calls. Make another one"
    return errors.refused(errors.FailedPreconditionError, RuntimeError, text)
