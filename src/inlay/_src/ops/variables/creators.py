"""`variable_creator_scope`: functions of the user's that make the variables of a block."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave

_CREATORS: contextvars.ContextVar[tuple[Callable[..., Any], ...]] = contextvars.ContextVar("creators", default=())


@export("variable_creator_scope")
class variable_creator_scope:
    """In the block `variable_creator(next_creator, **kwargs)` makes variables; the innermost one is asked first.

    Args:
      variable_creator: returns `next_creator(**kwargs)`, also with other keywords of `Variable`, or one of its own.
    """

    def __init__(self, variable_creator: Callable[..., Any]) -> None:
        self._creator = variable_creator
        self._opened: list[tuple[Any, tuple[Callable[..., Any], ...]]] = []

    def __enter__(self) -> None:
        creators = (*_CREATORS.get(), self._creator)
        self._opened.append((_CREATORS.set(creators), creators))

    def __exit__(self, *error: Any) -> None:
        token, creators = self._opened[-1]
        if _CREATORS.get() is not creators:
            raise RuntimeError(
                "Exiting variable_creator_scope without proper nesting with respect to other variable_creator_scopes."
            )
        self._opened.pop()
        _CREATORS.reset(token)


_Made = TypeVar("_Made")

_signature = functools.cache(inspect.signature)


class MadeByCreators(type):
    """The type of `Variable`: calls of it go through the creators in force."""

    @boundary
    def __call__(cls: type[_Made], *args: Any, **kwargs: Any) -> _Made:
        try:
            creators = _CREATORS.get()
            if not creators or isinstance(cls.__base__, MadeByCreators):
                return super().__call__(*args, **kwargs)  # type: ignore[misc, no-any-return]
            arguments = _signature(cls.__init__).bind(None, *args, **kwargs)  # type: ignore[misc]
            arguments.apply_defaults()
            make = super().__call__  # type: ignore[misc]
            for creator in creators:
                make = functools.partial(creator, make)
            return make(**{name: value for name, value in arguments.arguments.items() if name != "self"})
        except Exception as error:
            leave(error)
            raise
