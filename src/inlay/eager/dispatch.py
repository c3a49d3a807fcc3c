"""Composite values (ragged, sparse) answer ops themselves: the funnel asks here before it converts inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

DISPATCH: dict[type, Callable[..., Any]] = {}
"""Class of a composite value -> `answer(op, inputs, attrs, name)`, the result of an op applied to such a value."""


def answers(value: Any) -> bool:
    """Whether `value` is of a class that answers ops itself."""
    return value.__class__ in DISPATCH


def dispatch(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The answer of the first composite among the inputs, list inputs included."""
    spread = (v for x in inputs for v in (x if x.__class__ is list else (x,)))
    return DISPATCH[next(type(v) for v in spread if v.__class__ in DISPATCH)](op, inputs, attrs, name)
