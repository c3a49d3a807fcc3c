"""Messages of nodes: the inputs and attributes of one, and the references to its outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.declared import OWN, Argument, Declaration
from inlay._src.programs.graph_def.wire import Wire


def fill(message: Any, declared: Declaration, wire: Wire, said: Mapping[str, Any]) -> None:
    """Writes inputs and attributes of a node that is as declared."""
    message.input.extend(reference for reference, _ in wire.inputs)
    for name, attribute in declared.attributes.items():
        value = said[name]
        attributes.put(message.attr[name], attribute.kind, value)
        if attribute.kind == "float" and attributes.float32_in(value) != value:
            attributes.put(message.attr[f"_{name}"], "tensor", np.float64(value))
    for name in wire.attrs:
        if name.startswith("_"):
            kind, value = wire.attrs[name] if isinstance(wire.attrs[name], tuple) else ("string", wire.attrs[name])
            attributes.put(message.attr[name], kind, value)


def put_data(message: Any, value: Any) -> None:
    """Writes data; another value is written as a name that no reader accepts as data."""
    try:
        attributes.put_any(message, value)
    except TypeError as error:
        message.Clear()
        message.func.name = f"{OWN}unwritten"
        message.func.attr["reason"].s = str(error).encode()


def output_references(
    name: str, outputs: tuple[Sequence[Argument], Mapping[str, Any]] | None, count: int, in_function: bool
) -> list[str]:
    """The references to the outputs of a node: by number, and in functions by the name that is declared."""
    if not in_function or outputs is None:
        return [name if i == 0 else f"{name}:{i}" for i in range(count)]
    references: list[str] = []
    declared, said = outputs
    for argument in declared:
        size = 1
        if argument.many:
            size = len(said[argument.listed]) if argument.listed in said else said.get(argument.number, count)
        references += [f"{name}:{argument.name}:{i}" for i in range(size)]
    return references
