"""Sparse tensors of features: ids as coordinates, empty rows, shapes that fit, softmax over the stored values."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting, control, division, joining, math, powers, reductions, segments
from inlay._src.ops import sparse as kernels
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.composite.sparse import SparseTensor, checked, reorder, to_dense
from inlay._src.ops.gathering import gather
from inlay._src.ops.image_checks import refusal
from inlay._src.ops.matmul import matmul, matrix_transpose
from inlay._src.ops.sorting import setdiff1d


@export("sparse.fill_empty_rows", "sparse_fill_empty_rows")
def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Any]:
    """A value for each row that has none.

    Args:
      sp_input: the sparse tensor.
      default_value: the value, which is put at the start of such rows; a scalar.
      name: ignored.

    Returns:
      `(the tensor with its coordinates in the order of rows, which rows were empty)`.
    """
    sparse = checked(sp_input, "fill_empty_rows")
    default = convert_to_tensor(default_value, sparse.dtype)
    indices, values, empty, _ = kernels.fill_empty_rows(sparse.indices, sparse.values, sparse.dense_shape, default)
    return SparseTensor(indices, values, sparse.dense_shape), empty


@export("sparse.reset_shape", "sparse_reset_shape")
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same values in a tensor of another size along each axis.

    Args:
      sp_input: the sparse tensor.
      new_shape: sizes that are not less than those of `sp_input`; None takes the least that hold all values.

    Raises:
      ValueError: if `new_shape` is too small, or has another length.
    """
    sparse = checked(sp_input, "reset_shape")
    if new_shape is None:
        top = math.maximum(reductions.reduce_max(sparse.indices, 0), np.int64(-1))
        return SparseTensor(sparse.indices, sparse.values, math.add(top, np.int64(1)))
    new_shape, old = convert_to_tensor(new_shape), sparse.dense_shape
    new_shape.shape.assert_has_rank(1)
    wanted = math.cast(new_shape, dtypes.int64)
    if wanted.shape.rank is not None and not wanted.shape.is_compatible_with(old.shape):
        raise ValueError(f"new_shape needs one size for each axis of {old.shape}, got shape {wanted.shape}")
    requested, held = constant_of(wanted), constant_of(old)
    checks: list[Any] = []
    if requested is not None and held is not None:
        if (requested < held).any():
            raise ValueError(
                f"Requested new_shape should have dimension sizes >= sp_input.shape. Found new_shape "
                f"({requested.tolist()}), sp_input.shape ({held.tolist()})."
            )
    else:
        checks.append(asserting.assert_equal(array.shape(old), array.shape(wanted)))
        with control.control_dependencies([c for c in checks if c is not None]):
            checks.append(asserting.assert_less_equal(old, wanted))
    with control.control_dependencies([c for c in checks if c is not None]):
        wanted = array.identity(wanted)
    return SparseTensor(sparse.indices, sparse.values, wanted)


@export("sparse_merge", "compat.v1.sparse.merge")
def merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Values at coordinates that ids give: those of their row, and the id.

    Args:
      sp_ids: integers below `vocab_size`, a sparse tensor; or a list of them, one for each new axis.
      sp_values: the values, at the same coordinates as `sp_ids`.
      vocab_size: the size of the new last axis; a list if `sp_ids` is one.
      name: ignored.
      already_sorted: whether the result's coordinates are in order already.

    Returns:
      A SparseTensor of shape [axes of `sp_ids` but the last ..., vocab_size].
    """
    several = isinstance(sp_ids, list)
    if several != isinstance(vocab_size, list) or (several and len(sp_ids) != len(vocab_size)):
        raise ValueError("sp_ids and vocab_size must both be lists of one length, or neither of them")
    ids = [checked(v, "merge") for v in (sp_ids if several else [sp_ids])]
    values = checked(sp_values, "merge")
    columns = [array.expand_dims(math.cast(v.values, dtypes.int64), 1) for v in ids]
    sizes = math.cast(convert_to_tensor(vocab_size if several else [vocab_size]), dtypes.int64)
    indices = joining.concat([ids[0].indices[:, :-1], *columns], 1)
    merged = SparseTensor(indices, values.values, joining.concat([ids[0].dense_shape[:-1], sizes], 0))
    return merged if already_sorted else reorder(merged)


@export("sparse.to_indicator", "sparse_to_indicator")
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """The presence of ids in each row, as bools.

    Args:
      sp_input: integers below `vocab_size`.
      vocab_size: the size of the result's last axis.
      name: the node's name.

    Returns:
      A dense bool tensor of shape [axes of `sp_input` but the last ..., vocab_size].
    """
    sparse = checked(sp_input, "to_indicator")
    ones = sparse.with_values(array.ones_like(sparse.values, dtypes.bool_))
    return to_dense(
        merge(sparse, ones, math.whole_numbers(vocab_size, dtypes.int64)), False, validate_indices=False, name=name
    )


@export("sparse.softmax", "sparse_softmax")
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax along the last axis over the values that are there; absent values count as minus infinity.

    Args:
      sp_input: floating numbers, of rank 2 at least.
      name: ignored.
    """
    sparse = reorder(checked(sp_input, "softmax"))
    if sparse.shape.rank is not None and sparse.shape.rank < 2:
        raise refusal(f"Input should have rank >= 2, but got rank {sparse.shape.rank}")
    if sparse.shape.rank is None:
        rank = array.size(sparse.dense_shape)
        check = asserting.assert_greater_equal(rank, 2, message="Input should have rank >= 2")
        with control.control_dependencies([check]):
            sparse = sparse.with_values(array.identity(sparse.values))
    rows, ids = kernels.sparse_groups(sparse.indices[:, :-1])
    count = array.shape(rows)[0]
    top = gather(segments.unsorted_segment_max(array.stop_gradient(sparse.values), ids, count), ids)
    parts = powers.exp(math.subtract(sparse.values, top))
    return sparse.with_values(
        division.real_divide(parts, gather(segments.unsorted_segment_sum(parts, ids, count), ids))
    )


@export("sparse.mask", "sparse_mask")
def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """The rows of IndexedSlices without some.

    Args:
      a: the IndexedSlices.
      mask_indices: the indices of the rows to leave out.
      name: ignored.
    """
    remaining = setdiff1d(a.indices, mask_indices)
    return IndexedSlices(gather(a.values, remaining.idx), remaining.out, a.dense_shape)


@export("sparse_to_dense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A dense tensor with values at coordinates; the 1.x form of `sparse.to_dense`.

    Args:
      sparse_indices: a matrix of coordinates; a vector of indices, or one, for a result of rank 1.
      output_shape: the result's shape.
      sparse_values: the values, or one for all coordinates.
      default_value: value of absent entries.
      validate_indices: whether the coordinates must be in order and without repetition.
      name: the node's name.
    """
    indices, values = convert_to_tensor(sparse_indices, dtype_hint=dtypes.int32), convert_to_tensor(sparse_values)
    sizes = math.cast(convert_to_tensor(output_shape, indices.dtype), dtypes.int64)
    indices = math.cast(indices, dtypes.int64)
    if indices.shape.rank is not None and indices.shape.rank < 2:
        indices = array.reshape(indices, [-1, 1])
    if values.shape.rank == 0:
        values = array.fill(array.shape(indices)[:1], values)
    default = convert_to_tensor(default_value, values.dtype)
    return kernels.sparse_to_dense(indices, sizes, values, default, validate_indices=validate_indices, name=name)


@export("sparse.sampled_addmm")
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = dtypes.float32,
) -> tuple[Any, Any, Any]:
    """`beta * values + alpha * (mat1 @ mat2)` where `values` stand; the product is computed there only.

    Args:
      indices: where the elements stand, [..., n, 2].
      values: the elements, [..., n].
      dense_shape: `[rows, columns]` of the whole.
      mat1, mat2: [..., rows, k] and [..., k, columns].
      beta, alpha: factors.
      output_type: the type of `values`, `mat1`, `mat2` and the result.

    Returns:
      `(indices, result, dense_shape)`.

    Raises:
      ValueError: for tensors of another type, or if the product is known to have another shape than `dense_shape`.
      InvalidArgumentError: if an index is outside the product.
    """
    values, mat1, mat2, beta, alpha = (convert_to_tensor(x, output_type) for x in (values, mat1, mat2, beta, alpha))
    indices, dense_shape = convert_to_tensor(indices), convert_to_tensor(dense_shape)
    for name, tensor in (("indices", indices), ("mat1", mat1), ("mat2", mat2)):
        rank = tensor.shape.rank
        if rank is None or (rank < 2 and name != "indices"):
            raise ValueError(f"`{name}` must have a known rank of at least 2, got shape {tensor.shape}")
    sizes, constant = TensorShape([mat1.shape[-2], mat2.shape[-1]]), constant_of(dense_shape)
    if constant is not None and not sizes.is_compatible_with(constant.tolist()):
        raise ValueError(f"dense_shape {constant.tolist()} does not match output shape {sizes}")
    lead = indices.shape.rank - 2
    rows = gather(mat1, indices[..., 0], batch_dims=lead, axis=lead)
    columns = gather(matrix_transpose(mat2), indices[..., 1], batch_dims=lead, axis=lead)
    products = matmul(array.expand_dims(rows, -2), array.expand_dims(columns, -1))
    return indices, alpha * array.squeeze(products, [-2, -1]) + beta * values, dense_shape
