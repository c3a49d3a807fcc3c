"""Embeddings of rows of ids, some of which may be invalid or missing."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, joining, math, reductions, stacking
from inlay._src.ops.composite import sparse, sparse_ops, sparse_shapes
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.composite.sparse_embeddings import embedding_lookup_sparse_v1
from inlay._src.ops.composite.sparse_features import fill_empty_rows


@export("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`nn.embedding_lookup_sparse` without invalid ids and weights, and with a row for each row of ids, empty ones too.

    Args:
      embedding_weights: a matrix, or a list of them that hold successive rows.
      sparse_ids: a `SparseTensor` or ragged tensor of integers of rank 2 or more; negative ids are left out.
      sparse_weights: a `SparseTensor` of weights at the same places; None weighs all alike. Unless the combiner is
        "sum", ids whose weight is not positive are left out.
      combiner: "mean", "sqrtn" or "sum".
      default_id: the id whose embedding a row without ids has; None: zeros.
      max_norm: if given, longer rows of the matrix are scaled down to it before they are combined.
      name: the scope of the nodes.
      allow_fast_lookup: accepted.

    Returns:
      The combined embeddings: the axes of `sparse_ids` but the last, then those of one embedding.

    Raises:
      ValueError: if there is no matrix, or its dtype is not that of the weights.
    """
    return safe_embedding_lookup_sparse_v1(
        embedding_weights, sparse_ids, sparse_weights, combiner, default_id, name, "div", max_norm, allow_fast_lookup
    )


@export("compat.v1.nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse_v1(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`nn.safe_embedding_lookup_sparse`; `partition_strategy` says how matrices share the rows, "mod" or "div"."""
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    if isinstance(embedding_weights, (list, tuple)) and not embedding_weights:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    with name_scope(name or "embedding_lookup"):
        if sparse_weights is not None:
            embedding_weights = _of_dtype(embedding_weights, sparse_weights.dtype)
        sparse = _sparse(sparse_ids)
        ids, weights, lead = _as_matrix(sparse, None if sparse_weights is None else _sparse(sparse_weights))
        ids, weights = _retained(ids, weights, math.greater_equal(ids.values, array.zeros_like(ids.values)))
        if weights is not None and combiner != "sum":
            ids, weights = _retained(ids, weights, math.greater(weights.values, array.zeros_like(weights.values)))
        ids, empty = fill_empty_rows(ids, math.cast(default_id or 0, ids.dtype))
        if weights is not None:
            weights, _ = fill_empty_rows(weights, math.cast(1, weights.dtype))
        embeddings: Any = embedding_lookup_sparse_v1(
            embedding_weights, ids, weights, partition_strategy, combiner=combiner, max_norm=max_norm
        )
        if default_id is None:
            beside = joining.concat([array.shape(empty), array.ones([embeddings.shape.rank - 1], dtypes.int32)], 0)
            embeddings = array.where(array.reshape(empty, beside), array.zeros_like(embeddings), embeddings)
        sizes = joining.concat([math.cast(lead, dtypes.int32), array.shape(embeddings)[1:]], 0)
        whole = array.reshape(embeddings, sizes)
        whole.set_shape(shapes.as_shape(sparse.shape)[:-1].concatenate(embeddings.shape[1:]))
        return whole


def _of_dtype(matrices: Any, dtype: dtypes.DType) -> Any:
    """A matrix or a list of them as tensors of the weights' dtype; variables stay what they are.

    Raises:
      ValueError: if a tensor or variable is of another dtype.
    """
    if isinstance(matrices, (list, tuple)):
        return [_of_dtype(m, dtype) for m in matrices]
    if hasattr(matrices, "assign") and matrices.dtype is dtype:
        return matrices
    return convert_to_tensor(matrices, dtype)


def _sparse(value: Any) -> SparseTensor:
    """`value`, a sparse or ragged tensor, as a sparse one."""
    return sparse.checked(value.to_sparse() if hasattr(value, "to_sparse") else value, "safe_embedding_lookup_sparse")


def _as_matrix(ids: SparseTensor, weights: SparseTensor | None) -> tuple[SparseTensor, SparseTensor | None, Any]:
    """Ids and weights with the axes before the last made one, and the sizes of those axes."""
    lead, last = ids.dense_shape[:-1], ids.dense_shape[-1]
    flat = sparse_shapes.reshape(ids, stacking.stack([reductions.reduce_prod(lead), last]))
    if weights is None:
        return flat, None, lead
    return flat, SparseTensor(flat.indices, weights.values, flat.dense_shape), lead


def _retained(ids: SparseTensor, weights: SparseTensor | None, valid: Any) -> tuple[SparseTensor, SparseTensor | None]:
    """The entries where `valid` holds, of both."""
    return sparse_ops.retain(ids, valid), None if weights is None else sparse_ops.retain(weights, valid)
