"""`tf.types.experimental`: the kinds of functions, and what objects say of themselves to traced functions."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.tensor import Tensor
from inlay._src.programs.functions.concrete import ConcreteFunction as TracedFunction
from inlay._src.programs.functions.function import Function
from inlay._src.programs.functions.function_type import AtomicFunction

ConcreteFunction = export("types.experimental.ConcreteFunction")(TracedFunction)
PolymorphicFunction = export("types.experimental.PolymorphicFunction", "types.experimental.GenericFunction")(Function)
TensorLike: Any = export("types.experimental.TensorLike")(
    Tensor | int | float | bool | str | bytes | complex | tuple | list | np.ndarray | np.generic
)


@export("types.experimental.TraceType")
class TraceType(abc.ABC):
    """The type of an argument that is no tensor: arguments of equal types share a trace."""

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Whether a trace for `other` serves this type too.

        Args:
          other: another type.
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest type whose trace serves this type and others; None if there is none.

        Args:
          others: other types.
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The placeholder of the argument while the function is traced.

        Args:
          placeholder_context: None.
        """

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


@export("types.experimental.SupportsTracingProtocol")
@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that says its own `TraceType`."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """Its type for traced functions.

        Args:
          context: None.
        """


@export("types.experimental.Callable")
class Callable(abc.ABC):  # noqa: B024  (others are registered)
    """A callable of tensors that was traced, or is traced when it is called."""


for _kind in (Function, TracedFunction, AtomicFunction):
    Callable.register(_kind)
