"""Conversion of values of users' own types to tensors: functions that are registered for a type."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of

_ORDER = itertools.count()


@export("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Says how objects of a type, and of its subclasses, become tensors wherever one is expected.

    The type gets a method `__tf_tensor__`, which calls the function; a type that has one of its own keeps it.

    Args:
      base_type: a class, or a tuple of them; no numbers, and none of NumPy's.
      conversion_func: `conversion_func(value, dtype=None, name=None, as_ref=False)` gives a tensor of that dtype, or
        NotImplemented.
      priority: functions with smaller numbers are asked first; equal ones in the order in which they came.

    Raises:
      TypeError: for what is no class or no function, for numbers, and for classes of C, which take no methods.
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not kinds or not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {repr_of(base_type)}")
    if any(issubclass(kind, (int, float, complex, np.generic, np.ndarray)) for kind in kinds):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {repr_of(conversion_func)}.")
    for kind in kinds:
        own = vars(kind).get("__tf_tensor__")
        if own is None:
            own = _converting(kind)
            kind.__tf_tensor__ = own
        functions = getattr(own, "functions", None)
        if functions is not None:
            functions.append((priority, next(_ORDER), conversion_func))
            functions.sort()


def _converting(kind: type) -> Callable[..., Any]:
    """A method that asks the functions registered for a type, and then those for the types that it inherits from."""
    functions: list[tuple[int, int, Callable[..., Any]]] = []

    def __tf_tensor__(self: Any, dtype: Any = None, name: str | None = None) -> Any:
        for _, _, function in functions:
            tensor = function(self, dtype=dtype, name=name, as_ref=False)
            if tensor is not NotImplemented:
                return tensor
        inherited = getattr(super(kind, self), "__tf_tensor__", None)
        if inherited is None:
            raise TypeError(f"no registered function makes a tensor of {type(self).__name__} with dtype {dtype}")
        return inherited(dtype, name)

    __tf_tensor__.functions = functions  # type: ignore[attr-defined]
    return __tf_tensor__
