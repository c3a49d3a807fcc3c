"""Bodies: functions as they travel to other processes.

A body is the function pickled by value (cloudpickle: closures, lambdas, what is defined in `__main__`) or, if it can be
imported, by its name. Its digest identifies it.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inlay import errors
from inlay.interpreter.caches import Cache


class Body(NamedTuple):
    """A function as it travels.

    Attributes:
      digest: SHA-256 of the bytes, hexadecimal.
      data: the pickled function.
      label: its name, for messages.
    """

    digest: str
    data: bytes
    label: str


LARGE = 1 << 16
"""Bytes from which an array is put beside what is pickled, where there is a place for it."""


def dumps(value: Any, beside: list[Any] | None = None) -> bytes:
    """A value pickled, functions that cannot be imported by value; raises whatever pickling raises.

    Args:
      value: the value.
      beside: takes the memory of large arrays, as vectors of bytes that share it; None puts all into the pickle.
    """
    import cloudpickle  # type: ignore[import-untyped]

    if beside is None:
        return cloudpickle.dumps(value)  # type: ignore[no-any-return]
    return cloudpickle.dumps(value, protocol=5, buffer_callback=lambda b: _stays(b.raw(), beside))  # type: ignore[no-any-return]


def _stays(memory: memoryview, beside: list[Any]) -> bool:
    """Whether an array's memory stays in the pickle; else it is put beside."""
    if memory.nbytes >= LARGE:
        beside.append(np.frombuffer(memory, np.uint8))
    return memory.nbytes < LARGE


def body_of(function: Callable[..., Any]) -> Body:
    """A function's body.

    Raises:
      InvalidArgumentError, TypeError: if it refers to something that cannot travel.
    """
    label = getattr(function, "label", None) or getattr(function, "__qualname__", None) or repr(function)
    try:
        data = dumps(function)
    except Exception as error:
        raise errors.refused(
            errors.InvalidArgumentError, TypeError, f"{label} cannot be sent to another process: {error}"
        ) from error
    return Body(hashlib.sha256(data).hexdigest(), data, label)


_FUNCTIONS: Cache[str, Any] = Cache("functions that came from elsewhere", 256)


def function_of(body: Body) -> Callable[..., Any]:
    """The function of a body: the same object for the same digest."""
    found = _FUNCTIONS.get(body.digest)
    if found is None:
        found = _FUNCTIONS[body.digest] = pickle.loads(body.data)
    return found  # type: ignore[no-any-return]
