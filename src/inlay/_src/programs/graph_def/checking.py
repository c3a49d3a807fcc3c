"""The messages of nodes: their attributes and inputs, checked against the declarations of their ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.files.damage import in_words
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.declared import REQUIRED, Argument, Declaration
from inlay._src.programs.graph_def.exporting import FOR_AN_ATTRIBUTE
from inlay._src.programs.graph_def.host_functions import GRADIENT

INTERNAL = frozenset(
    {
        FOR_AN_ATTRIBUTE,
        "_class",
        "_set_shapes",
        "_output_shapes",
        "_dtypes",
        "_shapes",
        "_gradient_op_type",
        "_places",
        "_by_reference",
        "_custom_gradient",
        "_count",
        GRADIENT,
    }
)
"""Internal attributes of messages that do not become attributes of nodes."""


class UnsupportedError(ValueError):
    """A node of an op that is not here, or in a form that is not."""


def said(error: BaseException) -> str:
    return in_words(error) or str(error) or type(error).__name__


def named(attr: str, read: Callable[..., Any], *args: Any) -> Any:
    """The result of `read(*args)`; its errors name the attribute."""
    try:
        return read(*args)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"attribute '{attr}': {said(error)}") from error


def labels(declared: Sequence[Argument], attrs: Mapping[str, Any], count: int) -> dict[str, int]:
    """Name of an output -> which of the tensors is its first."""
    labels, at = {}, 0
    for argument in declared:
        labels[argument.name] = at
        at += size(argument, attrs, count)
    return labels


def size(argument: Argument, attrs: Mapping[str, Any], count: int = 1) -> int:
    if argument.listed:
        return len(attrs[argument.listed]) if argument.listed in attrs else count
    return int(attrs[argument.number]) if argument.number else 1


def attributes_of(message: Any, declaration: Declaration) -> dict[str, Any]:
    """The attributes of a node, with defaults for those that it leaves out."""
    attrs: dict[str, Any] = {}
    for name, attribute in declaration.attributes.items():
        if name in message.attr:
            value = message.attr[name]
            if value.WhichOneof("value") == "placeholder":
                raise UnsupportedError(f"attribute '{name}' is left open: functions of any type are not read")
            attrs[name] = named(name, attributes.get, value, attribute.kind)
            exact = f"_{name}"
            if attribute.kind == "float" and exact in message.attr:
                attrs[name] = float(named(exact, attributes.get, message.attr[exact], "tensor"))
        elif attribute.default is REQUIRED:
            raise ValueError(f"attribute '{name}' is missing")
        else:
            attrs[name] = attribute.default
    for name in message.attr:
        if name not in declaration.attributes and not name.startswith("_"):
            raise ValueError(
                f"attribute '{name}' is unknown: {declaration.name} has {', '.join(declaration.attributes) or 'none'}"
            )
    return attrs


def check_inputs(declaration: Declaration, attrs: Mapping[str, Any], inputs: Sequence[SymbolicTensor]) -> None:
    """Refuses inputs that are more or fewer than declared, or of other types."""
    rest = list(inputs)
    for argument in declaration.inputs:
        if argument.reference:
            raise UnsupportedError(
                f"its input '{argument.name}' is a reference to a variable of TensorFlow 1: freeze the graph"
            )
        many = size(argument, attrs)
        part, rest = rest[:many], rest[many:]
        if len(part) != many or many < 0:
            raise ValueError(f"its input '{argument.name}' has the wrong count: expected {many}, got {len(part)}")
        kinds = attrs[argument.listed] if argument.listed else [argument.dtype or attrs[argument.letter]] * many
        for tensor, kind in zip(part, kinds, strict=True):
            if tensor.dtype is not kind:
                raise ValueError(
                    f"its input '{argument.name}' : expected {kind.name}, got {tensor.dtype.name} from {tensor.name}"
                )
    if rest:
        raise ValueError(f"expected {len(inputs) - len(rest)} inputs, got {len(inputs)}")


def internal_attributes(message: Any) -> dict[str, Any]:
    """The attributes of a node besides those of its op, without those that only TensorFlow understands."""
    attrs: dict[str, Any] = {}
    for name, value in message.attr.items():
        if name.startswith("_") and name not in INTERNAL:
            try:
                attrs[name] = value.s if value.WhichOneof("value") == "s" else attributes.get_any(value)
            except (ValueError, TypeError):
                continue
    return attrs
