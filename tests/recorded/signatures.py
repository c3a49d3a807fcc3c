"""A public name's signatures as text, in the same words for TensorFlow's names and for ours.

A function is its parameters: order, names, kinds and defaults, without annotations. A class is its constructor and its
public methods. What has no signature that Python can tell (classes of C, a metaclass's arguments) is left out.
"""

from __future__ import annotations

import enum
import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_PLAIN = (bool, int, float, str, bytes, type(None))


def default_text(value: Any) -> str:
    """A default as both libraries write it: types and functions by name, objects by class."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(default_text, value))
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return value.__name__
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if type(value).__name__ == "DType":
        return f"tf.{value.name}"
    text = repr(value)
    return f"<{type(value).__name__}>" if _ADDRESS.search(text) or text.startswith("<") else text


def parameters_text(parameters: list[inspect.Parameter]) -> str:
    """Parameters as they stand between the brackets of a definition."""
    bare = [
        p.replace(annotation=inspect.Parameter.empty, default=p.default if p.default is p.empty else _Text(p.default))
        for p in parameters
    ]
    return str(inspect.Signature(bare))


class _Text:
    """A default that is written as `default_text` says."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return default_text(self.value)


def function_text(function: Callable[..., Any], *, bound: bool = False) -> str | None:
    """A function's parameters; without the first one if it is `bound`. None if Python cannot tell them."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    return parameters_text(parameters[1:] if bound else parameters)


def methods(cls: type) -> Iterator[tuple[str, str]]:
    """The constructor, under the name "", and the public methods of a class, with their parameters."""
    for name in ("__init__", "__new__"):
        made = getattr(cls, name)
        if made is not getattr(object, name) and isinstance(made, types.FunctionType):
            yield "", function_text(made, bound=True) or "()"
            break
    for name in sorted(dir(cls)):
        found = inspect.getattr_static(cls, name, None)
        if name.startswith("_") and name != "__call__":
            continue
        if isinstance(found, (staticmethod, classmethod)):
            text = function_text(getattr(cls, name))
        elif isinstance(found, types.FunctionType):
            text = function_text(found, bound=True)
        else:
            continue
        if text is not None:
            yield name, text


def signature_of(value: Any) -> str | dict[str, str] | None:
    """The signature of a public name's value: text, a class's methods, or None for what is not called."""
    if isinstance(value, type):
        return dict(methods(value))
    if callable(value) and not isinstance(value, types.ModuleType):
        return function_text(value)
    return None
