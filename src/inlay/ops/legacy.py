"""TensorFlow 1.x forms of array ops: other argument names and orders, conversions by name."""

from __future__ import annotations

from typing import Any

from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops import array, gathering, math
from inlay.ops.asserting import check_numerics
from inlay.types import dtypes


@export("compat.v1.expand_dims")
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """The tensor with a dimension of size 1 inserted at `axis` (also called `dim`)."""
    at = axis if axis is not None else dim
    if at is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return array.expand_dims(input, at, name=name)


@export("compat.v1.gather")
def gather(
    params: Any, indices: Any, validate_indices: Any = None, name: Any = None, axis: Any = None, batch_dims: int = 0
) -> Any:
    """Slices of `params` along `axis`, in the order of `indices`; `name` is the fourth argument, as in 1.x."""
    return gathering.gather(params, indices, validate_indices, axis, batch_dims, name=name)


@export("compat.v1.gather_nd")
def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0) -> Any:
    """Slices of `params` at multi-dimensional indices; `name` is the third argument, as in 1.x."""
    return gathering.gather_nd(params, indices, batch_dims, name=name)


@export("compat.v1.boolean_mask")
def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None) -> Any:
    """The slices of `tensor` where `mask` holds; the masked axes become one."""
    return gathering.boolean_mask(tensor, mask, name, axis)


@export("compat.v1.where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`x` where `condition` holds, else `y`, by the 1.x rules: no broadcasting, but a vector chooses whole rows.

    Args:
      condition: a bool tensor of the shape of `x`, a vector as long as `x` has rows, or a scalar.
      x, y: tensors of one shape; without both, the result is the indices of the true elements.
      name: the node's name.

    Raises:
      ValueError: if the shapes do not fit.
    """
    if x is None or y is None:
        return array.where(condition, x, y, name=name)
    condition, x = convert_to_tensor(condition), convert_to_tensor(x)
    y = convert_to_tensor(y, x.dtype) if not hasattr(y, "dtype") else convert_to_tensor(y)
    if not x.shape.is_compatible_with(y.shape):
        raise ValueError(f"x and y must have one shape, got {x.shape} and {y.shape}")
    rank, rows = x.shape.rank, condition.shape.rank
    if rows == 1 and rank is not None and rank > 1:
        if x.shape[0] is not None and condition.shape[0] not in (None, x.shape[0]):
            raise ValueError(f"the condition has {condition.shape[0]} entries for {x.shape[0]} rows")
        condition = array.reshape(condition, [-1] + [1] * (rank - 1))
    elif rows != 0 and not condition.shape.is_compatible_with(x.shape):
        raise ValueError(
            f"the condition must be a scalar, a vector, or shaped as x: got {condition.shape} for {x.shape}; "
            "tf.where of 2.x broadcasts"
        )
    return array.where(condition, x, y, name=name)


def _converter(dtype: Any) -> Any:
    def convert(x: Any, name: str | None = None) -> Any:
        return math.cast(x, dtype, name=name)

    convert.__name__ = convert.__qualname__ = "to_" + {"float32": "float", "float64": "double"}.get(
        dtype.name, dtype.name
    )
    convert.__doc__ = f"`x` as {dtype.name}; the 1.x spelling of `tf.cast(x, tf.{dtype.name})`."
    return convert


to_float = export("to_float")(_converter(dtypes.float32))
to_double = export("to_double")(_converter(dtypes.float64))
to_int32 = export("to_int32")(_converter(dtypes.int32))
to_int64 = export("to_int64")(_converter(dtypes.int64))
to_bfloat16 = export("to_bfloat16")(_converter(dtypes.bfloat16))
to_complex64 = export("to_complex64")(_converter(dtypes.complex64))
to_complex128 = export("to_complex128")(_converter(dtypes.complex128))


@export("compat.v1.batch_gather")
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Slices of `params` along the last axis of `indices`, all axes before it matched up."""
    indices = convert_to_tensor(indices)
    if indices.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return gathering.gather(params, indices, batch_dims=indices.shape.rank - 1, name=name)


@export("compat.v1.guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Any:
    """`input`; the promise that it never changes is accepted and not used."""
    return array.identity(input, name=name)


@export("compat.v1.verify_tensor_all_finite")
def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None
) -> Any:
    """The tensor, refusing it when it holds NaN or an infinity; `x` and `message` are the later names."""
    return check_numerics(t if t is not None else x, msg if msg is not None else message or "", name=name)
