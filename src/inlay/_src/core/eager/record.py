"""Record: one op application as a tape keeps it, and its structure, the key of a compiled vector-Jacobian product."""

from __future__ import annotations

import contextvars
import copy
from collections.abc import Callable, Container, Mapping
from typing import Any

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.types.keys import THEMSELVES, NoKey, key_of
from inlay._src.core.opdef import OpDef, no_gradient
from inlay._src.core.signature import attr_value
from inlay._src.core.tensor import EagerTensor

ASKED: contextvars.ContextVar[Container[int] | None] = contextvars.ContextVar("inlay_asked", default=None)
"""Identities of the tensors whose cotangents the accumulation in progress asks for; None is all."""


class Record:
    """One op application that a tape keeps for its gradient.

    The same names as `Operation`, so that one gradient function serves both.

    Attributes:
      structure: its part of the key of a compiled vector-Jacobian product: the record's number in its tape, its op and
        attributes, and per input the number of what the tape follows, or the type and rank of what it does not; None if
        the gradient depends on more (a closure, an array among the attributes).
      body: the label of the function whose body applied the op, or None.
      pull: the gradient of this very application, `pull(record, *output_grads)`, or None. One that depends on nothing
        but the record sets its attribute `structural`.
      host: None; the call of a function that a tape keeps brings its own `pull` if it has a gradient.
    """

    host = site = None

    __slots__ = ("attrs", "body", "inputs", "opdef", "outputs", "override", "pull", "structure")

    def __init__(
        self,
        opdef: OpDef,
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        attrs: Mapping[str, Any],
        structure: tuple[Any, ...] | None,
        body: str | None = None,
        override: str | None = None,
        pull: Callable[..., Any] | None = None,
    ) -> None:
        self.opdef, self.inputs, self.outputs, self.attrs, self.structure = opdef, inputs, outputs, attrs, structure
        self.body, self.override, self.pull = body, override, pull

    def needs(self, index: int) -> bool:
        """Whether anybody asks for the cotangent of input `index`: gradients may leave others out (None)."""
        asked = ASKED.get()
        return asked is None or id(self.inputs[index]) in asked

    def lets_pass(self) -> bool:
        """Whether a gradient may flow from the outputs to the inputs."""
        return self.pull is not None or self.opdef.vjp is not no_gradient

    @property
    def name(self) -> str:
        return self.opdef.name

    @property
    def type(self) -> str:
        return self.opdef.name

    def get_attr(self, name: str) -> Any:
        """An attribute's value, strings as bytes."""
        return attr_value(self.attrs[name])


_MOST_STATIC = 64  # numbers in a static array: axes and sizes have few


def structure_of(value: Any) -> Any:
    """The part of a structure for an input that no tape follows: type and rank of a tensor, the value of a static one.

    Raises:
      NoKey: if the value cannot be part of a structure: it differs from call to call, or nothing is known of it.
    """
    if value.__class__ is EagerTensor:
        dtype = value._dtype
        return (dtype,) if dtype._kind in "rv" else (dtype, value._value.ndim)  # those two are no arrays
    if value.__class__ is np.ndarray and (value.size > _MOST_STATIC or value.dtype.kind not in "iub"):
        raise NoKey("neither axes nor sizes")
    return key_of(value)


class Attributes:
    """The part of a structure for attributes: one object for all that are equal, so that it is compared as such.

    Attributes:
      content: their names, and their values with their types.
    """

    __slots__ = ("content",)

    def __init__(self, content: tuple[Any, ...]) -> None:
        self.content: tuple[Any, ...] = content

    def __reduce__(self) -> tuple[Any, ...]:
        return _attributes, (self.content,)


_ATTRIBUTES: BoundedCache[tuple[Any, ...], Attributes] = BoundedCache("attributes of records", 1024, Attributes)
_MET: BoundedCache[tuple[Any, ...], tuple[Any, ...]] = BoundedCache("attributes met by identity", 1024)
"""Names and identities of values -> the values, which keep those identities, and their part of a structure."""


def _attributes(content: tuple[Any, ...]) -> Attributes:
    return _ATTRIBUTES[content]


def kept_attrs(attrs: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Attributes] | None]:
    """An op's attributes as the caller can no longer change them, and their part of a structure (None: no part)."""
    met = _MET.get((*attrs, *map(id, attrs.values())))
    if met is not None:
        return attrs, met[1]
    values = tuple(attrs.values())
    if THEMSELVES.issuperset(map(type, values)):
        part = (_ATTRIBUTES[*attrs, *values, *map(type, values)],)
        _MET[*attrs, *map(id, values)] = values, part
        return attrs, part
    key: list[Any] = [*attrs]
    changed: dict[str, Any] = {}
    try:
        for name, value in attrs.items():
            if value.__class__ is list or value.__class__ is np.ndarray:
                changed[name] = copy.copy(value)
        key += map(structure_of, values)
    except NoKey:
        return {**attrs, **changed} if changed else attrs, None
    return {**attrs, **changed} if changed else attrs, (_ATTRIBUTES[tuple(key)],)


def unshared(value: Any) -> Any:
    """A static input that the caller can no longer change."""
    return copy.copy(value) if value.__class__ is list or value.__class__ is np.ndarray else value
