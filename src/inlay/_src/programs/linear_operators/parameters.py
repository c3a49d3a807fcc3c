"""Operators as values: their components are the parameters of their constructor, tensors among them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.types import dtypes
from inlay._src.base.types.nest import Composite
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS
from inlay._src.ops import array
from inlay._src.ops.composite.batch_encoder import ExtensionTypeBatchEncoder
from inlay._src.ops.composite.fielded import Fielded, FieldedSpec
from inlay._src.ops.composite.fields import ImmutableDict, mapped
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.linear_operators.answers import answer
from inlay._src.programs.linear_operators.sizes import Sizes, spread
from inlay._src.programs.module import Module

_NO_PARAMETERS = ("self", "name", "parameters", "graph_parents")
"""Arguments of constructors that are no part of the value."""
_SIGNATURES: BoundedCache[Any, inspect.Signature] = BoundedCache(
    "constructors of linear operators", 512, lambda cls: inspect.signature(cls.__init__)
)
"""Class -> the parameters of its constructor, `self` first."""


def require(condition: Any, message: str) -> None:
    """Raises ValueError unless a condition holds."""
    if not condition:
        raise ValueError(message)


def parameter(value: Any, name: str, rank: int = 0, allowed: Iterable[dtypes.DType] = ()) -> Any:
    """A parameter of an operator as a tensor; a variable remains one, so each use reads its present value.

    Args:
      value: a tensor, a variable or anything that becomes a tensor.
      name: the parameter's name.
      rank: the least number of axes.
      allowed: the types that it may have; any if empty.

    Raises:
      ValueError: for fewer axes.
      TypeError: for another type.
    """
    value = value if isinstance(value, Variable) else convert_to_tensor(value, name=name)
    if value.shape.rank is not None and value.shape.rank < rank:
        raise ValueError(
            f"Argument `{name}` must have at least {rank} dimension{'s' if rank > 1 else ''}. Received: {value}"
        )
    if allowed and value.dtype not in allowed:
        names = ", ".join(f"tf.{dtype.name}" for dtype in allowed)
        raise TypeError(f"Argument `{name}` must have dtype in [{names}]. Received: {value.dtype!r}.")
    return value


class LinearOperatorSpec(FieldedSpec):
    """The static description of a linear operator: a spec for each tensor, the value of every other parameter."""

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(self._field_values())

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return cls(*serialization)


class Parametrized(Module, Fielded):
    """A module that is a value too, with the parameters of its constructor as fields.

    A parameter is what the attribute of its name with an underscore holds, else the argument of that name.
    """

    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | {"_parameters", "_graph_parents"}
    __batch_encoder__: ClassVar[ExtensionTypeBatchEncoder] = ExtensionTypeBatchEncoder()
    Spec: ClassVar[Any]
    _matrix_ranks: ClassVar[dict[str, int]] = {}
    """Parameter -> the number of its last axes that belong to one matrix; the others are batch axes."""
    _parameters: dict[str, Any]
    _hints: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.Spec = type(f"{cls.__name__}Spec", (LinearOperatorSpec,), {"value_type": cls, "__module__": cls.__module__})
        ANSWERS[cls] = answer

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        operator = super().__new__(cls)
        try:
            bound = _SIGNATURES[cls].bind(operator, *args, **kwargs)
        except TypeError:  # which the constructor words
            return operator
        bound.apply_defaults()
        vars(operator)["_parameters"] = {name: value for name, value in bound.arguments.items() if name != "self"}
        return operator

    @classmethod
    def _declared(cls) -> dict[str, Any]:
        return {name: Any for name in _SIGNATURES[cls].parameters if name not in _NO_PARAMETERS}

    @classmethod
    def _bound(cls, args: Sequence[Any], kwargs: Any) -> dict[str, Any]:
        return {**dict(zip(cls._declared(), args, strict=False)), **kwargs}

    @classmethod
    def _of(cls, values: Sequence[Any]) -> Any:
        return cls(**dict(zip(cls._declared(), values, strict=True)))

    def _field_values(self) -> list[Any]:
        return [_frozen(self._field(name)) for name in self._declared()]

    def _field(self, name: str) -> Any:
        """A parameter as the operator holds it: a tensor instead of what became one."""
        if name in self._hints:
            return getattr(self, name)
        return vars(self).get(f"_{name}", self._parameters.get(name))

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        if all(derivative is None for derivative in derivatives):
            return None
        pairs = zip(derivatives, self._differentiable_parts(), strict=True)
        return super()._with_derivatives([_zeros_like(part) if d is None else d for d, part in pairs])

    # ---- slices of the batch

    def _sliced(self, slices: Sequence[Any], batch: Sizes) -> Any:
        """The operator with slices of its batch axes, after it was repeated to a batch shape."""
        fields = {name: self._field(name) for name in self._declared()}
        for name, value in fields.items():
            rank = self._matrix_ranks.get(name)
            if rank is not None or isinstance(value, (Parametrized, list, tuple)):
                fields[name] = mapped(
                    _frozen(value), functools.partial(_part, slices=slices, batch=batch, rank=rank or 0)
                )
        own = {"name": self.name} if "name" in _SIGNATURES[type(self)].parameters else {}
        return type(self)(**fields, **own)


def _part(value: Any, slices: Sequence[Any], batch: Sizes, rank: int) -> Any:
    """Slices of the batch axes of a parameter of which the last `rank` axes belong to one matrix."""
    if isinstance(value, Parametrized):
        return value._sliced(slices, batch)
    open_end = [] if any(s is Ellipsis for s in slices) else [Ellipsis]
    return spread(value, batch, rank)[(*slices, *open_end, *[slice(None)] * rank)]


def _zeros_like(part: Any) -> Any:
    """The derivative of a part on which nothing depends; integers, which have none, remain."""
    if isinstance(part, Composite):
        return part._rebuild(list(map(_zeros_like, part._components())))
    return array.zeros_like(part) if part.dtype.is_floating or part.dtype.is_complex else part


def _frozen(field: Any) -> Any:
    """A parameter with its lists and mappings immutable."""
    if isinstance(field, dict):
        return ImmutableDict({key: _frozen(item) for key, item in field.items()})
    return tuple(map(_frozen, field)) if isinstance(field, (list, tuple)) else field
