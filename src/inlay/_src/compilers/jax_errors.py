"""Errors of host functions in JAX's programs: XLA passes a text on; the error itself waits here under the number in it.

function raises ─▶ marked(error): "...text... [inlay host error 17]" ─▶ XLA ─▶ JaxRuntimeError
                        │ _errors[17]                                              │ host_errors
                        └──────────────────────────▶ the error, of its own class ◀─┘
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from types import TracebackType
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache

_numbers = itertools.count(1)
_errors: BoundedCache[int, BaseException] = BoundedCache("errors of host functions in compiled programs", 256)
_MOST_CHARACTERS = 50_000
_MARK = re.compile(r"\[inlay host error (\d+)\]")


class Marked(Exception):
    """The text of an error with its number, for XLA."""


def marked(error: BaseException) -> Marked:
    """Keeps an error and returns its text with its number."""
    number = next(_numbers)
    _errors[number] = error
    text = f"{type(error).__name__}: {error}".replace("\0", "\\0")  # which ends a text in C
    return Marked(f"{text[:_MOST_CHARACTERS]}\n[inlay host error {number}]")


def original(error: BaseException) -> BaseException | None:
    """The error of the host function behind an error of JAX; None if there is none, or it is too long ago."""
    number = _MARK.search(str(error))
    return _errors.get(int(number[1])) if number else None


@export("jax.host_errors")
class host_errors:
    """A context and decorator in which errors of host functions arrive as they were raised, not as XLA's text.

    ```python
    import jax, jax.numpy as jnp

    step = jax.jit(tf.jax.op(lambda x: 2.0 * x, lambda x: x))
    with tf.jax.host_errors():
        step(jnp.ones(3)).block_until_ready()  # a ValueError of the function would be a ValueError
    ```

    JAX computes asynchronously: an error arrives where a result is awaited. As a decorator it awaits the results.

    Raises:
      The exception of the function; its `__cause__` is JAX's.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and isinstance(error, xla.jax().errors.JaxRuntimeError):
            cause = original(error)
            if cause is not None:
                raise cause from error

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with the context around it; it awaits its results."""

        @functools.wraps(function)
        def awaiting(*args: Any, **kwargs: Any) -> Any:
            with self:
                return xla.jax().block_until_ready(function(*args, **kwargs))

        return awaiting
