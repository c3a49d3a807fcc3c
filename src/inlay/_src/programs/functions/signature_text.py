"""The signature of a traced function as text: a line, or a page."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base.types import nest
from inlay._src.base.types.specs import TypeSpec
from inlay._src.programs.functions.arguments import TracingTypeArgument


def type_text(value: Any) -> str:
    """A nest of specs and Python values as a type: `Tuple[TensorSpec(...), Literal[7]]`."""
    if isinstance(value, (TypeSpec, TracingTypeArgument)):
        return repr(value)
    if isinstance(value, Mapping):
        return f"Dict[{', '.join(f'[{key!r}, {type_text(v)}]' for key, v in value.items())}]"
    if type(value) in (list, tuple):
        return f"{'List' if type(value) is list else 'Tuple'}[{', '.join(map(type_text, value))}]"
    if nest.is_nested(value):
        return f"{type(value).__name__}[{', '.join(map(type_text, nest.flatten(value)))}]"
    return f"Literal[{value!r}]"


def names(signature: inspect.Signature) -> str:
    """The parameters of a Python function by name: `(x, *rest, axis)`."""
    plain = (p.replace(annotation=p.empty, default=p.empty) for p in signature.parameters.values())
    return f"({', '.join(map(str, plain))})"


def line(parameters: Mapping[str, Any], outputs: Any) -> str:
    """`(x: type, y: type) -> type`."""
    return f"({', '.join(f'{name}: {type_text(v)}' for name, v in parameters.items())}) -> {type_text(outputs)}"


def page(
    positional: Mapping[str, Any], keyword: Mapping[str, Any], outputs: Any, captures: Sequence[tuple[int, TypeSpec]]
) -> str:
    """One line for each parameter, the result, and the (number, spec) of each thing captured."""
    kinds = (("POSITIONAL_OR_KEYWORD", positional), ("KEYWORD_ONLY", keyword))
    parameters = [f"  {name} ({kind}): {type_text(v)}" for kind, of_kind in kinds for name, v in of_kind.items()]
    taken = [f"  {at}: {spec!r}" for at, spec in captures]
    return "\n".join(
        ["Input Parameters:", *(parameters or ["  None"]), "Output Type:", f"  {type_text(outputs)}", "Captures:"]
        + (taken or ["  None"])
    )
