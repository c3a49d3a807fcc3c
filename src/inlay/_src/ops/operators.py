"""Attaches Python's operators to Tensor. Each is the op of the same meaning."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.foreign_names import AbsentMember
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import elementwise
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, number
from inlay._src.core.eager.emit import operand
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import bits, complex_numbers, division, indexing, math, powers
from inlay._src.ops.array import constant
from inlay._src.ops.matmul import matmul

_PLAIN = frozenset({EagerTensor, int, float})


def left(function: Callable[..., Any], label: str | None = None) -> Callable[[Any, Any], Any]:
    """The operator; `label` is its name, after which its nodes are called, None for one that has no reflected one."""
    reflected = f"__r{label}__"

    @boundary
    def operator(self: Any, other: Any) -> Any:
        try:
            try:
                kind = other.__class__
                if kind in _PLAIN and self.__class__ is EagerTensor:
                    return function(self, other)
                if kind is not SymbolicTensor and declines(other):
                    return NotImplemented
                if label is not None and (self.__class__ is SymbolicTensor or kind is SymbolicTensor):
                    return function(self, other, name=label)
                return function(self, other)
            except (TypeError, ValueError, errors.InvalidArgumentError) as error:
                if label == "mul" and getattr(self, "dtype", None) is getattr(other, "dtype", 0) is dtypes.bool_:
                    return math.logical_and(self, other)
                return _reflected(error, self, other, reflected)
        except Exception as error:
            leave(error)
            raise

    return operator


def _reflected(refusal: Exception, self: Any, other: Any, name: str) -> Any:
    """The answer of the reflected operator of what no tensor is made of; where it has none, the refusal is raised."""
    if not hasattr(type(other), name) or not _is_unknown(other):
        raise refusal
    try:
        answer = getattr(type(other), name)(other, self)
    except (TypeError, ValueError) as own:
        raise refusal from (None if isinstance(other, np.ndarray) else own)  # an array's says nothing of the operand
    if answer is NotImplemented:
        raise refusal
    return answer


def _right(function: Callable[..., Any], label: str) -> Callable[[Any, Any], Any]:
    """The operator with its operands exchanged."""

    @boundary
    def operator(self: Any, other: Any) -> Any:
        try:
            kind = other.__class__
            if (kind is float or kind is int) and self.__class__ is EagerTensor:
                tensor = number(other, self._dtype)
                if tensor is not None and (context.get() or context.base()).graph is None:
                    return function(tensor, self)
            if declines(other):
                return NotImplemented
            if self.__class__ is SymbolicTensor:
                return function(other, self, name=label)
            return function(convert_to_tensor(other, self.dtype) if not hasattr(other, "dtype") else other, self)
        except Exception as error:
            leave(error)
            raise

    return operator


def _is_unknown(other: Any) -> bool:
    """Whether no tensor is made of a value, whatever its dtype may be."""
    try:
        convert_to_tensor(other)
    except (TypeError, ValueError):
        return True
    return False


def declines(other: Any) -> bool:
    """Values whose own reflected operator should answer."""
    return getattr(other, "__inlay_operators__", False)


def _by_kind(numbers: Callable[..., Any], booleans: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any, *y: Any, name: str | None = None) -> Any:
        kind = operand(x).dtype
        return (booleans if kind.is_bool else numbers)(x, *y, name=name)

    return function


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": math.add,
    "sub": math.subtract,
    "mul": math.multiply,
    "truediv": division.divide,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": powers.pow,
    "matmul": matmul,
    "and": _by_kind(bits.bitwise_and, math.logical_and),
    "or": _by_kind(bits.bitwise_or, math.logical_or),
    "xor": _by_kind(bits.bitwise_xor, math.logical_xor),
}
"""Operator -> function; each is also there with its operands exchanged."""
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": math.less,
    "le": math.less_equal,
    "gt": math.greater,
    "ge": math.greater_equal,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": math.negative,
    "abs": complex_numbers.abs,
    "invert": _by_kind(bits.invert, math.logical_not),
}


def compared_by_identity(tensor: Any) -> bool:
    """Whether `==` asks if two tensors are the same one: so it is in a graph of 1.x."""
    return not elementwise() or (isinstance(tensor, SymbolicTensor) and not tensor.op.graph.building_function)


def comparing(function: Callable[[Any, Any], Any], equal: bool) -> Callable[[Any, Any], Any]:
    """`==` or `!=`: elementwise, but identity in a graph of 1.x; operands that no tensor can represent compare
    themselves.

    Tensors whose shapes are known not to fit are not equal.
    """

    @boundary
    def operator(self: Any, other: Any) -> Any:
        try:
            if other is None:
                return not equal
            if compared_by_identity(self):
                return (self is other) is equal
            try:
                return function(self, other)
            except (TypeError, ValueError, errors.InvalidArgumentError):
                if _is_unknown(other):
                    return NotImplemented
                if _shapes_differ(self, other):
                    return constant(not equal)
                raise
        except Exception as error:
            leave(error)
            raise

    return operator


def _shapes_differ(tensor: Any, other: Any) -> bool:
    """Whether a value, of the dtype of a tensor, is known to have a shape that is not broadcast with the tensor's."""
    try:
        shape = convert_to_tensor(other, tensor.dtype).shape
    except (TypeError, ValueError):
        return False
    try:
        shapes.broadcast(tensor.shape._dims, shape._dims)
    except ValueError:
        return True
    return False


def _array_member(name: str, what: str, switch: str = "") -> AbsentMember:
    """A member of NumPy's arrays that a tensor or a variable, which `what` names, does not have itself."""
    return AbsentMember(name, f". {switch}An eager {what}'s array has it: .numpy().{name}")


_SWITCH = (
    "If you are looking for numpy-related methods, please run the following: "
    "tf.experimental.numpy.experimental_enable_numpy_behavior() "
)
MEMBERS = "T astype clip data flatten max mean min ravel reshape size tolist transpose".split()
"""Members of NumPy arrays beyond operators that tensors have under `numpy_behavior`."""

ARRAYS_ALONE = ("item",)
"""Members of NumPy arrays that tensors never have, and that programs ask for."""


def _arrow_stream(value: Any, requested_schema: Any = None) -> Any:
    """`__arrow_c_stream__` of an eager tensor or a variable: its rows as one column, in memory of the reader's own.

    Arrow's data are made by the library that asks, polars or PyArrow: this package needs neither.

    Args:
      value: the tensor or variable; strings become binary data.
      requested_schema: a capsule with the schema that the reader would like.

    Returns:
      A capsule with a stream of Arrow arrays.

    Raises:
      TypeError: if neither library is loaded.
    """
    array = np.asarray(value)
    rows = array.tolist() if array.dtype == object else array
    if polars := sys.modules.get("polars"):
        return polars.Series(rows).__arrow_c_stream__(requested_schema)
    if pyarrow := sys.modules.get("pyarrow"):
        return pyarrow.chunked_array([pyarrow.array(rows)]).__arrow_c_stream__(requested_schema)
    raise TypeError("a tensor becomes Arrow data through polars or PyArrow, and neither is loaded; pass `.numpy()`")


def install_array_members(variable: type) -> None:
    """Gives a class of variables the errors of absent members, and Arrow's protocol."""
    for name in (*MEMBERS, *ARRAYS_ALONE):
        setattr(variable, name, _array_member(name, "variable"))
    variable.__arrow_c_stream__ = _arrow_stream  # type: ignore[attr-defined]


def install() -> None:
    """Attaches the operators."""
    for name in MEMBERS:
        setattr(Tensor, name, _array_member(name, "tensor", _SWITCH))
    for name in ARRAYS_ALONE:
        setattr(Tensor, name, _array_member(name, "tensor"))
    EagerTensor.__arrow_c_stream__ = _arrow_stream  # type: ignore[attr-defined]
    function: Any
    for name, function in BINARY.items():
        setattr(Tensor, f"__{name}__", left(function, name))
        setattr(Tensor, f"__r{name}__", _right(function, name))
    for name, function in COMPARISONS.items():
        setattr(Tensor, f"__{name}__", left(function))
    methods: dict[str, Any] = {
        **UNARY,
        "getitem": indexing.getitem,
        "eq": comparing(math.equal, True),
        "ne": comparing(math.not_equal, False),
        "div": division.divide,
    }
    for name, method in methods.items():
        setattr(Tensor, f"__{name}__", _method(method))
    words = [*(f"{r}{name}" for name in BINARY for r in ("", "r")), *COMPARISONS, *methods]
    Tensor.OVERLOADABLE_OPERATORS = frozenset(f"__{word}__" for word in words)
    for kind in (EagerTensor, SymbolicTensor):  # a class that defines __eq__ late keeps its own __hash__
        assert kind.__hash__ is not None


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    @boundary
    def method(self: Any, *args: Any) -> Any:
        try:
            return function(self, *args)
        except Exception as error:
            leave(error)
            raise

    return method
