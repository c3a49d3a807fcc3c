"""Sparse tensors as components of queues: each packed into one value; a batch of them is a sparse tensor again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect, no_gradient
from inlay._src.ops.composite.sparse import SparseTensor


class Packed:
    """A sparse tensor as one value.

    Args:
      indices, values, dense_shape: its parts, arrays.
    """

    __slots__ = ("dense_shape", "indices", "values")
    dtype: DType = dtypes.variant
    shape: tuple[()] = ()

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices, self.values, self.dense_shape = indices, values, dense_shape


class SparseComponent(NamedTuple):
    """The static description of a component: the dtype and the rank of the sparse tensors; None for a dense one.

    Attributes:
      dtype: of their values.
      rank: of one, without the axis of a batch; None is not known.
    """

    dtype: DType
    rank: int | None


@op(
    "PackSparse",
    "indices:int64, values:T, dense_shape:int64 -> variant",
    effect=Effect.RANDOM,
    infer=lambda s: [()],
    vjp=no_gradient,
)
def _pack(xp: Any, indices: Any, values: Any, dense_shape: Any) -> Packed:
    """A sparse tensor as one value."""
    return Packed(indices, values, dense_shape)


@op(
    "PackSparseRows",
    "indices:int64, values:T, dense_shape:int64 -> variant",
    effect=Effect.RANDOM,
    infer=lambda s: [(None,)],
    vjp=no_gradient,
)
def _pack_rows(xp: Any, indices: Any, values: Any, dense_shape: Any) -> Any:
    """The rows of a sparse tensor, each as one value."""
    count = int(dense_shape[0])
    ends = np.searchsorted(indices[:, 0], np.arange(count + 1))
    out = np.empty((count,), object)
    for i in range(count):
        row = slice(int(ends[i]), int(ends[i + 1]))
        out[i] = Packed(indices[row, 1:], values[row], dense_shape[1:])
    return out


def _width(rank: int | None) -> int | None:
    return None if rank is None else rank + 1


@op(
    "UnpackSparse",
    "packed:variant -> int64, dtype, int64",
    effect=Effect.RANDOM,
    infer=lambda s: [(None, _width(s.attrs["rank"])), (None,), (_width(s.attrs["rank"]),)],
    vjp=no_gradient,
)
def _unpack(xp: Any, packed: Any, *, dtype: Any, rank: int | None) -> Sequence[Any]:
    """Packed sparse tensors as one with an axis in front, as large along each other axis as the largest of them."""
    parts: list[Packed] = list(packed)
    sizes = [np.asarray(p.dense_shape) for p in parts]
    if rank is None:
        rank = sizes[0].size if sizes else 0
    if any(size.shape != (rank,) for size in sizes):
        raise errors.InvalidArgumentError(
            None, None, f"a batch of sparse tensors of rank {rank} has some of rank {[s.size for s in sizes]}"
        )
    largest = np.max([np.zeros(rank, np.int64), *sizes], axis=0) if rank else np.zeros(0, np.int64)
    rows = [np.full((len(p.indices), 1), i, np.int64) for i, p in enumerate(parts)]
    indices = [np.concatenate([row, p.indices], axis=1) for row, p in zip(rows, parts, strict=True)]
    return (
        np.concatenate([np.zeros((0, rank + 1), np.int64), *indices]),
        np.concatenate([np.zeros((0,), dtype.np), *(p.values for p in parts)]),
        np.concatenate([[len(parts)], largest]).astype(np.int64),
    )


def kinds(sources: Sequence[Sequence[Any]], rows: bool) -> list[SparseComponent | None]:
    """The kinds of the components of an element; `rows`: those of the sources hold several elements.

    Raises:
      ValueError: if the sources differ in what is sparse, or in a rank.
    """
    components: list[SparseComponent | None] = []
    for several in zip(*sources, strict=False):
        sparse = [part for part in several if isinstance(part, SparseTensor)]
        ranks = {part.shape.rank for part in sparse if part.shape.rank is not None}
        if len(sparse) not in (0, len(several)) or len(ranks) > 1:
            raise ValueError(f"Inconsistent SparseTensors list: {' vs. '.join(map(str, several))}")
        rank = next(iter(ranks)) - rows if ranks else None
        components.append(SparseComponent(sparse[0].dtype, rank) if sparse else None)
    return components


def packed(parts: Sequence[Any], rows: bool) -> list[Any]:
    """The components as a queue holds them."""
    name = "PackSparseRows" if rows else "PackSparse"
    return [emit(OPS[name], (p.indices, p.values, p.dense_shape)) if isinstance(p, SparseTensor) else p for p in parts]


def unpacked(parts: Sequence[Any], components: Sequence[SparseComponent | None]) -> list[Any]:
    """The components of a batch as they were given."""
    return [
        part
        if kind is None
        else SparseTensor(*emit(OPS["UnpackSparse"], (part,), {"dtype": kind.dtype, "rank": kind.rank}))
        for part, kind in zip(parts, components, strict=True)
    ]
