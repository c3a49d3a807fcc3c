"""A traced function as a method of one instance."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any


def reference_to(instance: Any) -> Callable[[], Any]:
    """A function that returns an instance, by a weak reference if that is possible."""
    try:
        return weakref.ref(instance)
    except TypeError:
        return lambda: instance


def signature_of(function: Callable[..., Any], is_method: bool) -> inspect.Signature | None:
    """A function's signature, that of a method without the instance; None if it has none to be had."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    return signature.replace(parameters=list(signature.parameters.values())[1:]) if is_method else signature


class BoundFunction:
    """A method of one instance. It holds the instance, which the traces it leads to do not.

    Args:
      function: the `Function` that is traced for the instance.
      instance: the instance.
    """

    __slots__ = ("__weakref__", "_function", "_instance")

    def __init__(self, function: Any, instance: Any) -> None:
        self._function, self._instance = function, instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """`Function`: programs ask `isinstance(obj.method, type(tf.function(...)))`."""
        return type(self._function)

    @property
    def __signature__(self) -> inspect.Signature | None:
        """The parameters without the instance."""
        return self._function._python_signature  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __repr__(self) -> str:
        return f"<bound {self._function!r} of {self._instance!r}>"
