"""The spec of a variable among the arguments of a traced function: one trace serves every variable of one spec."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.state import HandleKey
from inlay._src.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization


class VariableSpec(TypeSpec, Composite):
    """The static description of a variable.

    Args:
      shape: its partial shape.
      dtype: its type.
      trainable: whether tapes watch it.
      name: the name of the variable that represents the argument; ignored when specs are compared.
    """

    __slots__ = ("_dtype", "_shape", "_trainable", "name")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, trainable: bool = True, name: str = "") -> None:
        self._shape, self._dtype, self._trainable = shapes.as_shape(shape), dtypes.as_dtype(dtype), trainable
        self.name: str = name

    @classmethod
    def from_value(cls, variable: Variable) -> VariableSpec:
        """The spec of a variable."""
        return cls(variable.shape, variable.dtype, variable.trainable, variable.name)

    @property
    def shape(self) -> shapes.TensorShape:
        """The partial shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type."""
        return self._dtype

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it."""
        return self._trainable

    @property
    def value_type(self) -> type[Variable]:
        """The class of values."""
        return Variable

    def key(self, handle: Any = None) -> HandleKey:
        """The state key of the handle of a variable that is described by this spec alone (`handle_key`).

        Args:
          handle: the handle of the variable that a function is traced with.
        """
        key, traced_key = HandleKey(self.name, self._dtype, self._shape._dims, self._trainable), None
        if isinstance(handle, Tensor):
            traced_key = handle_key(handle)
        key.traced = getattr(traced_key, "traced", None) or getattr(traced_key, "owner", None)
        return key

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a variable, or another spec, satisfies this spec."""
        spec = self.from_value(spec_or_value) if isinstance(spec_or_value, Variable) else spec_or_value
        return super().is_compatible_with(spec) if isinstance(spec, TypeSpec) else False

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._trainable

    @property
    def _type_spec(self) -> TypeSpec:
        return self

    def _components(self) -> Sequence[Any]:
        return [TensorSpec((), dtypes.resource)]

    def _rebuild(self, components: Sequence[Any]) -> Variable:
        """The variable whose handle is an input of a function's graph; for one input it is always the same."""
        key = handle_key(components[0])
        owner = None if key.owner is None else key.owner()
        if owner is not None:
            return owner  # type: ignore[no-any-return]
        variable = Variable.__new__(Variable)
        variable._handle, variable._dims, variable._dtype = components[0], self._shape._dims, self._dtype
        variable._trainable, variable._name, variable.constraint = self._trainable, self.name, None
        variable._initializer, variable._initial, variable._graph = None, None, None
        variable.synchronization, variable.aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
        key.owner = weakref.ref(variable)
        return variable


def stands_for_argument(variable: Variable) -> bool:
    """Whether a variable stands for an argument of a function that is traced."""
    return variable._graph is None and variable._handle.__class__ is SymbolicTensor


def traced_with(value: Any) -> Any:
    """The variable that a function is traced with, of one that stands for an argument; anything else as it is."""
    if not isinstance(value, Variable) or not stands_for_argument(value):
        return value
    reference = handle_key(value._handle).traced
    variable = None if reference is None else reference()
    return value if variable is None else variable
