"""`arg_scope`: default arguments of functions, for the length of a block."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from inlay._src.base.export import export

P = ParamSpec("P")
R = TypeVar("R")
Scope = dict[str, dict[str, Any]]
"""Key of a function -> its default arguments."""

_CURRENT: contextvars.ContextVar[Scope] = contextvars.ContextVar("inlay_arg_scope", default={})  # noqa: B039
_DECORATED: dict[str, tuple[str, ...]] = {}
"""Key of a function -> the arguments that it has defaults for."""


@export("contrib.framework.arg_scope_func_key", "contrib.slim.arg_scope_func_key")
def arg_scope_func_key(op: Any) -> str:
    """The key of a function in an argument scope."""
    return getattr(op, "_key_op", str(op))


@export("contrib.framework.current_arg_scope", "contrib.slim.current_arg_scope")
def current_arg_scope() -> Scope:
    """The argument scope in force: key of a function -> its default arguments."""
    return _CURRENT.get()


@export("contrib.framework.arg_scope", "contrib.slim.arg_scope")
@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """Gives functions default arguments in the block; those of an outer block stay where this one says nothing.

    Args:
      list_ops_or_scope: functions decorated with `add_arg_scope`, or a scope that an earlier block gave.
      **kwargs: the arguments.

    Yields:
      The scope, which may be entered again.

    Raises:
      TypeError: if there is no list of functions.
      ValueError: for a function that is not decorated, or arguments beside a scope.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by supplying a dictionary, kwargs must be empty.")
        scope: Scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(_CURRENT.get())
        for op in list_ops_or_scope:
            key = arg_scope_func_key(op)
            if not has_arg_scope(op):
                raise ValueError(f"{(op.__module__, op.__name__)} is not decorated with @add_arg_scope")
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    token = _CURRENT.set(scope)
    try:
        yield scope
    finally:
        _CURRENT.reset(token)


@export("contrib.framework.add_arg_scope", "contrib.slim.add_arg_scope")
def add_arg_scope(func: Callable[P, R]) -> Callable[P, R]:
    """Decorator: the function takes arguments that it is not given from the argument scope in force."""
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def with_defaults(*args: P.args, **kwargs: P.kwargs) -> R:
        defaults: Mapping[str, Any] | None = _CURRENT.get().get(key)
        return func(*args, **{**defaults, **kwargs}) if defaults else func(*args, **kwargs)  # type: ignore[arg-type]

    parameters = inspect.signature(func).parameters.values()
    _DECORATED[key] = tuple(p.name for p in parameters if p.default is not p.empty)
    with_defaults._key_op = key  # type: ignore[attr-defined]
    return with_defaults


@export("contrib.framework.has_arg_scope", "contrib.slim.has_arg_scope")
def has_arg_scope(func: Any) -> bool:
    """Whether a function is decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _DECORATED


@export("contrib.framework.arg_scoped_arguments", "contrib.slim.arg_scoped_arguments")
def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The arguments of a decorated function that an argument scope can give.

    Raises:
      ValueError: if it is not decorated.
    """
    if not has_arg_scope(func):
        raise ValueError(f"{func} is not decorated with @add_arg_scope")
    return _DECORATED[arg_scope_func_key(func)]
