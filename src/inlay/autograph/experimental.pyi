"""Marks and options for AutoGraph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from collections.abc import Callable as _Callable
from inlay._src.programs.conversion.marks import set_loop_options
from inlay._src.programs.conversion.public import Feature
from typing import Any as _Any, ParamSpec as _ParamSpec, TypeVar as _TypeVar, overload as _overload
_P = _ParamSpec("_P")
_R = _TypeVar("_R")
__all__ = [
    "Feature", "do_not_convert", "set_loop_options"
]
@_overload
def do_not_convert(func: _Callable[_P, _R]) -> _Callable[_P, _R]:
    """Marks a function that AutoGraph leaves as it is; usable as a decorator.

    Args:
      func: the function; left out, a decorator is returned.

    Returns:
      A function that does what `func` does, and is never converted."""
@_overload
def do_not_convert(func: None = None) -> _Callable[[_Callable[_P, _R]], _Callable[_P, _R]]: ...
@_overload
def do_not_convert(func: _Callable[..., _Any] | None = None) -> _Any: ...
