"""Record: one op application that a tape heard, and its wire: how it hangs together with the others."""

from __future__ import annotations

import contextvars
import copy
from collections.abc import Callable, Container, Mapping
from typing import Any

import numpy as np

from inlay.core.opdef import OpDef
from inlay.core.tensor import EagerTensor
from inlay.types.dtypes import DType
from inlay.types.shapes import TensorShape

WATCHED: contextvars.ContextVar[Container[int] | None] = contextvars.ContextVar("inlay_watched", default=None)
"""Identities of the tensors whose cotangents the backward walk in progress asks for; None is all."""


class Record:
    """One op application that a tape heard: what a gradient needs.

    The same names as `Operation`, so that one gradient function serves both.

    Attributes:
      wire: what a gradient's source code depends on: the record's number in its tape, its op and attributes, and per
        input the number of what the tape follows, or the type and rank of what it does not; None if the gradient
        depends on more (a closure, an array among the attributes).
      body: the label of the function whose body applied the op, or None.
      pull: the gradient of this very application, `pull(record, *output_grads)`, or None. One that depends on nothing
        but the record says so in an attribute `wired`.
      host: None; a call that a tape heard brings its own `pull` if it has a gradient.
    """

    host = site = None

    __slots__ = ("attrs", "body", "inputs", "opdef", "outputs", "override", "pull", "wire")

    def __init__(
        self,
        opdef: OpDef,
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        attrs: Mapping[str, Any],
        wire: tuple[Any, ...] | None,
        body: str | None = None,
        override: str | None = None,
        pull: Callable[..., Any] | None = None,
    ) -> None:
        self.opdef, self.inputs, self.outputs, self.attrs, self.wire = opdef, inputs, outputs, attrs, wire
        self.body, self.override, self.pull = body, override, pull

    def needs(self, index: int) -> bool:
        """Whether anybody asks for the cotangent of input `index`: gradients may leave others out (None)."""
        watched = WATCHED.get()
        return watched is None or id(self.inputs[index]) in watched

    @property
    def name(self) -> str:
        return self.opdef.name

    @property
    def type(self) -> str:
        return self.opdef.name

    def get_attr(self, name: str) -> Any:
        """An attribute's value."""
        return self.attrs[name]


_PLAIN = frozenset({int, bool, str, type(None), DType})
_MOST_STATIC = 64  # numbers in a static array: axes and sizes have few


def typed(value: Any) -> Any:
    """What a wire says of an input that no tape follows: type and rank of a tensor, a static value itself, or None."""
    if value.__class__ is EagerTensor:
        try:
            return value._dtype, value._value.ndim
        except AttributeError:  # a variable, a list of tensors
            return (value._dtype,)
    return frozen(value)


def frozen(value: Any) -> Any:
    """A static input or an attribute as part of a wire, with its type; None if it cannot be."""
    kind = value.__class__
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return kind, value.hex()  # -0.0 is not 0.0
    if kind is tuple or kind is list:
        parts = tuple([frozen(v) for v in value])
        return None if None in parts else (kind, parts)
    if kind is np.ndarray and value.size <= _MOST_STATIC and value.dtype.kind in "iub":
        return kind, value.dtype, value.shape, value.tobytes()
    return (kind, value._dims) if kind is TensorShape else None


def with_attrs(wire: tuple[Any, ...], attrs: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """A wire and an op's attributes; None if one cannot be part of it."""
    given = [frozen(v) for v in attrs.values()]
    return None if None in given else (*wire, *attrs, *given)


def unshared(value: Any) -> Any:
    """A static input or an attribute that the caller can no longer change."""
    return copy.copy(value) if value.__class__ is list or value.__class__ is np.ndarray else value
