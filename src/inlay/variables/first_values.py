"""What a variable made by name starts from: an initialiser, its class, a function, or a value."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from inlay.types import shapes
from inlay.types.dtypes import DType
from inlay.variables import initializers


def of(name: str, shape: Any, kind: DType, initializer: Any, validate_shape: bool) -> Any:
    """What `Variable` starts from: a value, or a function that makes it.

    Raises:
      ValueError: if the shape is not known, or there is no default for the type.
    """
    if isinstance(initializer, type):
        initializer = initializer(dtype=kind) if issubclass(initializer, initializers._Typed) else initializer()
    if initializer is None:
        initializer = _default_initializer(name, kind)
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return initializer
    if shape is None:
        if isinstance(initializer, initializers.Initializer):
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
        return initializer  # a function without arguments
    dims = shapes.as_shape(shape)
    if validate_shape and not dims.is_fully_defined():
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was {dims}.")
    return lambda: _called(initializer, dims, kind)


def _called(initializer: Callable[..., Any], dims: Any, kind: DType) -> Any:
    """An initialiser takes a shape and a type; plain functions may take no arguments, or the shape only."""
    if isinstance(initializer, initializers.Initializer):
        return initializer(dims.as_list(), dtype=kind)
    try:
        parameters = inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        return initializer(dims.as_list(), dtype=kind)
    if not parameters:
        return initializer()
    takes_dtype = "dtype" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return initializer(dims.as_list(), dtype=kind) if takes_dtype else initializer(dims.as_list())


def _default_initializer(name: str, kind: DType) -> Any:
    if kind.is_floating:
        return initializers.GlorotUniform(dtype=kind)
    if kind.is_integer or kind.is_bool:
        return initializers.Zeros(dtype=kind)
    raise ValueError(f"An initializer for variable {name} of {kind!r} is required")
