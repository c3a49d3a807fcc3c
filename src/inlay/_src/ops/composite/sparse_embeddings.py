"""Rows of a table looked up for rows of ids, and combined into one for each."""

from __future__ import annotations

from typing import Any

from inlay._src.base.errors import InvalidArgumentError
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, division, embeddings, math, powers, segments
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor

COMBINERS = ("mean", "sqrtn", "sum")


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The rows of `params` at the ids of each row of a sparse or ragged tensor, combined.

    Args:
      params: a matrix of floating-point numbers, or a list of them that hold successive rows.
      sp_ids: a `SparseTensor` of integers, in the order of its rows, or a ragged matrix of them.
      sp_weights: the weights at the same places, of the same class as `sp_ids`; None weighs all alike.
      combiner: "mean", the weighted mean (None too), "sum", or "sqrtn", the sum over the root of the weights' squares.
      max_norm: if given, longer rows of `params` are scaled down to it before they are combined.
      name: the scope of the nodes.
      allow_fast_lookup: accepted.

    Returns:
      One row for each up to the last that has ids; zeros where there are none.

    Raises:
      TypeError: if ids are neither sparse nor ragged, or weights of another class; in graphs for other params.
      ValueError: for another combiner, and another number of weights than of ids.
      InvalidArgumentError: for ragged ids that are no matrix, and for params that are no floating-point numbers.
    """
    return _combined(params, sp_ids, sp_weights, "div", combiner, max_norm, name)


@export("compat.v1.nn.embedding_lookup_sparse")
def embedding_lookup_sparse_v1(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`nn.embedding_lookup_sparse`; `partition_strategy` says how matrices share the rows, "mod" or "div"."""
    return _combined(params, sp_ids, sp_weights, partition_strategy, combiner, max_norm, name)


def _combined(
    params: Any, ids: Any, weights: Any, strategy: str, combiner: str | None, max_norm: Any, name: str | None
) -> Any:
    combiner = "mean" if combiner is None else combiner
    if combiner not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    for what, value in (("sp_ids", ids), ("sp_weights", weights)):
        if not isinstance(value, (SparseTensor, RaggedTensor)) and (what == "sp_ids" or value is not None):
            raise TypeError(f"{what} must be a SparseTensor or RaggedTensor, got {type(value)}")
    if weights is not None and isinstance(ids, RaggedTensor) is not isinstance(weights, RaggedTensor):
        raise TypeError(
            f"sp_weights must be of the class of sp_ids, got {type(ids).__name__} and {type(weights).__name__}"
        )
    if isinstance(ids, RaggedTensor) and ids.shape.rank not in (None, 2):
        raise InvalidArgumentError(None, None, f"sp_ids must be a matrix if they are ragged, got shape {ids.shape}")
    if weights is not None and not weights.values.shape.is_compatible_with(ids.values.shape):
        raise ValueError(f"Shapes {ids.values.shape} and {weights.values.shape} are incompatible")
    with name_scope(name or "embedding_lookup_sparse"):
        rows = embeddings.sharded_lookup(params, ids.values, strategy, max_norm, None)
        if not rows.dtype.is_floating:
            words = f"params must be floating-point numbers, got {rows.dtype.name}"
            raise InvalidArgumentError(None, None, words) if isinstance(rows, EagerTensor) else TypeError(words)
        of = math.cast(ids.value_rowids() if isinstance(ids, RaggedTensor) else ids.indices[:, 0], dtypes.int32)
        one_each = rows if rows.shape.rank == 1 else rows[..., :1]  # embeddings may be numbers
        weight = array.ones_like(one_each) if weights is None else _beside(weights.values, rows)
        total = segments.segment_sum(math.multiply(rows, weight), of)
        if combiner == "sum":
            return total
        share = segments.segment_sum(weight if combiner == "mean" else powers.square(weight), of)
        return division.divide_no_nan(total, share if combiner == "mean" else powers.sqrt(share))


def _beside(weights: Any, rows: Any) -> Any:
    """A weight for each row, in the type of the rows and with axes of one element."""
    wide = math.cast(convert_to_tensor(weights), rows.dtype)
    for _ in range((rows.shape.rank or 2) - 1):
        wide = array.expand_dims(wide, -1)
    return wide
