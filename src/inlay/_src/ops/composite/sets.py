"""`tf.sets`: sets in the last axis of dense and sparse tensors, as sparse tensors."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import sets
from inlay._src.ops.composite.sparse import SparseTensor, is_sparse


def _converted(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Both of one type, the dense one first, and whether they were exchanged for that.

    Raises:
      TypeError: for members of another type than integers and strings, or of two types.
    """
    a = a if is_sparse(a) else convert_to_tensor(a)
    b = b if is_sparse(b) else convert_to_tensor(b)
    if b.dtype != a.dtype:
        raise TypeError(f"Types don't match, {b.dtype} vs {a.dtype}.")
    _checked(a)
    flipped = is_sparse(a) and not is_sparse(b)
    return (b, a, True) if flipped else (a, b, False)


def _checked(a: Any) -> None:
    if a.dtype not in sets.MEMBERS:
        names = ", ".join(sorted(t.name for t in sets.MEMBERS))
        raise TypeError(f"Invalid dtype {a.dtype.name} of sets: members are of {names}.")


def _operation(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    options = {"set_operation": operation, "validate_indices": validate_indices}
    parts_of_b = (b.indices, b.values, b.dense_shape) if is_sparse(b) else (b,)
    if is_sparse(a):
        parts = sets.sparse_to_sparse(a.indices, a.values, a.dense_shape, *parts_of_b, **options)
    elif is_sparse(b):
        parts = sets.dense_to_sparse(a, *parts_of_b, **options)
    else:
        parts = sets.dense_to_dense(a, *parts_of_b, **options)
    return SparseTensor(*parts)


@export("sets.size", "compat.v1.sets.set_size", "compat.v1.sets.size")
def size(a: Any, validate_indices: bool = True) -> Tensor:
    """The number of distinct members of the sets in the last axis.

    Args:
      a: a SparseTensor of integers or strings, of rank 2 or more, its indices in order.
      validate_indices: whether the order of the indices is checked.

    Returns:
      int32, of the shape of `a` without its last axis.

    Raises:
      TypeError: if `a` is no SparseTensor, or of another type.
    """
    if not is_sparse(a):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    _checked(a)
    return sets.set_size(a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


@export("sets.intersection", "compat.v1.sets.set_intersection", "compat.v1.sets.intersection")
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The members that the sets of both tensors share.

    Args:
      a, b: tensors or sparse tensors of integers or strings; all axes but the last agree.
      validate_indices: whether the order of the indices of sparse ones is checked.

    Returns:
      A SparseTensor of the rank of `a`: each set in its last axis, in order.

    Raises:
      TypeError: for another type, or two types.
      InvalidArgumentError: if shapes or indices do not fit.
    """
    a, b, _ = _converted(a, b)
    return _operation(a, b, "intersection", validate_indices)


@export("sets.difference", "compat.v1.sets.set_difference", "compat.v1.sets.difference")
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The members of the sets of one tensor that are absent from those of the other.

    Args:
      a, b: as for `intersection`.
      aminusb: whether it is `a` without `b`, or `b` without `a`.
      validate_indices: whether the order of the indices of sparse ones is checked.

    Returns:
      As from `intersection`.
    """
    a, b, flipped = _converted(a, b)
    return _operation(a, b, "a-b" if aminusb != flipped else "b-a", validate_indices)


@export("sets.union", "compat.v1.sets.set_union", "compat.v1.sets.union")
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The members of the sets of either tensor; arguments and result as for `intersection`."""
    a, b, _ = _converted(a, b)
    return _operation(a, b, "union", validate_indices)
