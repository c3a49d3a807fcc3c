"""Bodies in which tensors lend their memory: those of `py_function(..., copy=False)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.core import context
from inlay._src.host.executors.event_loop import Awaited


def lending(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose body sees read-only views where it asks tensors for memory.

    Args:
      function: a host function of eager tensors; it runs as it would, in the same state otherwise.
    """
    if isinstance(function, Awaited):
        coroutine_function = function.function

        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with context.using(context.current().replace(lends=True)):
                return await coroutine_function(*args, **kwargs)

        return Awaited(coroutine)

    def called(*args: Any, **kwargs: Any) -> Any:
        before = context.get()
        context.set_state(context.current().replace(lends=True))
        try:
            return function(*args, **kwargs)
        finally:
            context.set_state(before)

    return called
