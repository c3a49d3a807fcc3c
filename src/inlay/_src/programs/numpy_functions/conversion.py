"""Operands of NumPy's functions as tensors: Python's numbers have NumPy's dtypes, several operands get one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import values
from inlay._src.core.eager import promotion
from inlay._src.core.eager.convert import convert_to_tensor, holds_tensors, known_dtype
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math

_NUMBERS = (bool, int, float, complex)


def default_int() -> DType:
    """The dtype of Python's whole numbers: int32 in the modes "all" and "safe", else int64."""
    return dtypes.int32 if promotion.mode() in ("all", "safe") else dtypes.int64


def default_float() -> DType:
    """The dtype of floating numbers that whole ones become: float32 in the modes "all" and "safe", else float64."""
    return dtypes.float32 if promotion.mode() in ("all", "safe") else dtypes.float64


def dtype_of(dtype: Any) -> DType:
    """A dtype of NumPy or of tensors, or a class of Python's numbers, as that of tensors."""
    if dtype is float:
        return default_float()
    if dtype is int:
        return default_int()
    if isinstance(dtype, str) and dtype not in dtypes.__dict__:  # NumPy's codes: "l", "f4"
        return dtypes.as_dtype(dtypes.numpy_dtype(dtype))
    return dtypes.as_dtype(dtypes.numpy_dtype(dtype) if isinstance(dtype, type) else dtype)


def tensor_of(value: Any, dtype: Any = None) -> Any:
    """A value as a tensor; Python's numbers, and lists of them, have the dtypes that NumPy gives them.

    Args:
      value: a tensor, variable, array, number, or nested lists of them.
      dtype: the dtype to cast to; None keeps that of the value.
    """
    tensor = convert_to_tensor(value) if _has_dtype(value) else _tensor_of_numbers(value)
    if dtype is None:
        return tensor
    target = dtype_of(dtype)
    return tensor if tensor.dtype is target else math.cast(tensor, target)


def _has_dtype(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return holds_tensors(value)
    return isinstance(value, Tensor) or known_dtype(value) is not None


def _tensor_of_numbers(value: Any) -> Any:
    """A tensor of an array, a number, text or lists of these."""
    if value is None or hasattr(value, "__tf_tensor__"):
        return convert_to_tensor(value)
    array = np.asarray(value)
    if array.dtype.kind not in "ifc" or not _of_python(value):
        return convert_to_tensor(array)
    dtype = promotion.weak_dtype({"i": int, "f": float, "c": complex}[array.dtype.kind])
    return convert_to_tensor(array if dtype.np == array.dtype else array.tolist(), dtype)


def _of_python(value: Any) -> bool:
    """Whether a value is a number of Python or lists of them."""
    if isinstance(value, (list, tuple)):
        return values.leaf_types(value, set()) <= set(_NUMBERS)
    return value.__class__ in _NUMBERS


def result(*operands: Any) -> DType | None:
    """The dtype of operands together: Python's numbers give way beside tensors and arrays, not among themselves.

    Args:
      operands: as for `tensor_of`.
    """
    return promotion.result_dtype(*(tensor_of(o) if _has_truths(o) else o for o in operands))


def together(*operands: Any) -> list[Any]:
    """Operands as tensors of the dtype that they have together."""
    dtype = result(*operands)
    if dtype is None:
        return [tensor_of(operand) for operand in operands]
    return [promotion.converted(tensor_of(o) if _has_truths(o) else o, dtype) for o in operands]


def _has_truths(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return not holds_tensors(value) and bool in values.leaf_types(value, set())
    return isinstance(value, bool)


def inexact(tensor: Any) -> Any:
    """A tensor of whole numbers or truths as one of floating numbers; others as they are."""
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return tensor
    return math.cast(tensor, default_float())


def wide(tensor: Any) -> Any:
    """A tensor of truths or of whole numbers narrower than the default in the dtype that their sum has."""
    dtype = tensor.dtype
    if not (dtype.is_bool or dtype.is_integer) or dtype.size >= default_int().size:
        return tensor
    unsigned = dtypes.uint32 if default_int().size == 4 else dtypes.uint64
    return math.cast(tensor, unsigned if dtype.is_unsigned else default_int())


def truths(tensor: Any) -> Any:
    """Whether each element is other than zero."""
    return math.cast(tensor, dtypes.bool_)


def rank_of(tensor: Any) -> int:
    """The rank of a tensor.

    Raises:
      ValueError: if it is not known before the graph runs.
    """
    if tensor.shape.rank is None:
        raise ValueError(f"The rank of {tensor!r} must be known here: say it with tf.ensure_shape.")
    return int(tensor.shape.rank)


def length_of(tensor: Any) -> int:
    """The number of rows of a tensor.

    Raises:
      ValueError: if it has none, or they are not counted before the graph runs.
    """
    if not rank_of(tensor):
        raise ValueError(f"A tensor of rank 1 or more is needed here, got {tensor!r}")
    if tensor.shape[0] is None:
        raise ValueError(f"The number of rows of {tensor!r} must be known here: say it with tf.ensure_shape.")
    return int(tensor.shape[0])


def described(name: str, function: Callable[..., Any], doc: str) -> Callable[..., Any]:
    """A function under the name that it has in NumPy."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def refuse_out(out: Any) -> None:
    """Refuses the argument `out` of NumPy's functions.

    Raises:
      ValueError: if it is not None.
    """
    if out is not None:
        raise ValueError("Setting out is not supported: tensors are not written.")
