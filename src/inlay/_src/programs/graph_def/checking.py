"""What the messages of nodes say, read and held against the declarations of their ops."""

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
        GRADIENT,
    }
)
"""What holds of nodes in messages, and is not kept as an attribute."""


def said(error: BaseException) -> str:
    return in_words(error) or str(error) or type(error).__name__


def named(attr: str, read: Callable[..., Any], *args: Any) -> Any:
    """What `read(*args)` gives; its errors name the attribute."""
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


def attributes_of(message: Any, known: Declaration) -> dict[str, Any]:
    """The attributes of a node, with defaults for those that it leaves out."""
    attrs: dict[str, Any] = {}
    for name, attribute in known.attributes.items():
        if name in message.attr:
            value = message.attr[name]
            if value.WhichOneof("value") == "placeholder":
                raise ValueError(f"attribute '{name}' is left open: functions of any type are not read")
            attrs[name] = named(name, attributes.get, value, attribute.kind)
            exact = f"_{name}"
            if attribute.kind == "float" and exact in message.attr:
                attrs[name] = float(named(exact, attributes.get, message.attr[exact], "tensor"))
        elif attribute.default is REQUIRED:
            raise ValueError(f"attribute '{name}' is missing")
        else:
            attrs[name] = attribute.default
    for name in message.attr:
        if name not in known.attributes and not name.startswith("_"):
            raise ValueError(f"attribute '{name}' is unknown: {known.name} has {', '.join(known.attributes) or 'none'}")
    return attrs


def check_inputs(known: Declaration, attrs: Mapping[str, Any], inputs: Sequence[SymbolicTensor]) -> None:
    """Refuses inputs that are more or fewer than declared, or of other types."""
    rest = list(inputs)
    for argument in known.inputs:
        if argument.reference:
            raise ValueError(
                f"its input '{argument.name}' is a reference to a variable of TensorFlow 1: freeze the graph"
            )
        many = size(argument, attrs)
        part, rest = rest[:many], rest[many:]
        if len(part) != many or many < 0:
            raise ValueError(f"its input '{argument.name}' is missing: it takes {many} and is given {len(part)}")
        kinds = attrs[argument.listed] if argument.listed else [argument.dtype or attrs[argument.letter]] * many
        for tensor, kind in zip(part, kinds, strict=True):
            if tensor.dtype is not kind:
                raise ValueError(
                    f"its input '{argument.name}' was passed {tensor.dtype.name} from {tensor.name}, and is to be "
                    f"{kind.name}"
                )
    if rest:
        raise ValueError(f"it is given {len(inputs)} inputs, and takes {len(inputs) - len(rest)}")


def kept(message: Any) -> dict[str, Any]:
    """What holds of a node beside what its op is told: kept as attributes, but for what only TensorFlow understands."""
    kept: dict[str, Any] = {}
    for name, value in message.attr.items():
        if name.startswith("_") and name not in INTERNAL:
            try:
                kept[name] = value.s if value.WhichOneof("value") == "s" else attributes.get_any(value)
            except (ValueError, TypeError):
                continue
    return kept
