"""A node as it is written, and what its inputs and outputs tell of its attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types.dtypes import DType
from inlay._src.programs.graph_def.declared import REQUIRED, Argument, Declaration, declaration

CUSTOM, PLACES, COUNT = "_custom_gradient", "_places", "_count"
"""Attributes of a node that passes tensors on, with a gradient of its own: the function, the index of its result for
each input, and how many of the tensors are results."""


class Wire(NamedTuple):
    """A node as it is written.

    Attributes:
      op: its type.
      inputs: (reference, dtype) of each.
      attrs: the declared attributes that inputs and outputs do not determine; omitted ones have their defaults.
      outputs: the dtypes of its outputs.
      first: the index of the output that stands for the node's first one; the next ones stand for the others.
    """

    op: str
    inputs: Sequence[tuple[str, DType]]
    attrs: Mapping[str, Any]
    outputs: Sequence[DType]
    first: int = 0


def is_as_declared(wire: Wire) -> bool:
    """Whether a node is as its op is declared."""
    declared = declaration(wire.op)
    return declared is not None and deduced(declared, wire) is not None


def deduced(op_declaration: Declaration, wire: Wire) -> dict[str, Any] | None:
    """The attributes that inputs and outputs tell: types and numbers of tensors; None if they are not as declared."""
    said: dict[str, Any] = {}
    sides = (op_declaration.inputs, [d for _, d in wire.inputs]), (op_declaration.outputs, list(wire.outputs))
    for declared, kinds in sides:
        if not _divided(declared, kinds, wire.attrs, said):
            return None
    for name, attribute in op_declaration.attributes.items():
        value = said.get(name, wire.attrs.get(name, attribute.default))
        if value is REQUIRED or value is None:
            return None
        said[name] = value
    return said


def _divided(declared: Sequence[Argument], kinds: list[DType], attrs: Mapping[str, Any], said: dict[str, Any]) -> bool:
    """Divides the tensors of one side among its arguments, and notes what they say; whether that fits."""
    single = sum(not a.many for a in declared)
    for argument in declared:
        if argument.many:
            last = argument is [a for a in declared if a.many][-1]
            declared_count = len(attrs[argument.listed]) if argument.listed in attrs else attrs.get(argument.number, -1)
            count = len(kinds) - single if last else declared_count
            if count < 0:
                return False
            part, kinds = kinds[:count], kinds[count:]
        else:
            if not kinds:
                return False
            single -= 1
            part, kinds = kinds[:1], kinds[1:]
        if not _noted(argument, part, said):
            return False
    return not kinds


def _noted(argument: Argument, part: Sequence[DType], said: dict[str, Any]) -> bool:
    """Notes what the tensors of one argument say; whether that agrees with what others said."""
    if argument.listed:
        return said.setdefault(argument.listed, tuple(part)) == tuple(part)
    if argument.number and said.setdefault(argument.number, len(part)) != len(part):
        return False
    if argument.dtype is not None:
        return all(d is argument.dtype for d in part)
    return all(said.setdefault(argument.letter, d) is d for d in part)
