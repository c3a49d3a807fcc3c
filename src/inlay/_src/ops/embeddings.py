"""Rows of tables looked up by number, also of a table that lies in several parts."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import operand
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, cumulative, division, gathering, joining, math, ranges, reductions, scatter, stacking
from inlay._src.ops.clipping import clip_by_norm


@export("nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    """The rows of `params` at `ids`.

    Args:
      params: a matrix, or a list of them that hold successive rows.
      ids: integers.
      max_norm: if given, longer rows are scaled down to it.
      name: the node's name.
    """
    return sharded_lookup(params, ids, "div", max_norm, name)


def sharded_lookup(params: Any, ids: Any, partition_strategy: str, max_norm: Any, name: str | None) -> Any:
    """The rows of `params` at `ids`.

    Args:
      params: a matrix, a variable in parts, or a list of matrices that share the rows.
      ids: integers.
      partition_strategy: assignment of rows to shards: round-robin ("mod") or contiguous ("div").
      max_norm: if given, longer rows are scaled down to it.
      name: the node's name.

    Raises:
      ValueError: if there are no params or the strategy is neither.
    """
    parts = getattr(params, "__inlay_parts__", None)
    params = params if parts is None else parts()
    if isinstance(params, (list, tuple)) and len(params) == 1:
        (params,) = params
        params = convert_to_tensor(params) if isinstance(params, (list, tuple)) else params
    if params is None:
        raise ValueError("params must be specified")
    ids = operand(ids)
    if hasattr(ids, "with_flat_values"):  # each row of ids by itself
        if ids.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"the ids of an embedding must be int32 or int64, got type {ids.dtype.name}")
        return ids.with_flat_values(sharded_lookup(params, ids.flat_values, partition_strategy, max_norm, name))
    if not isinstance(params, (list, tuple)):
        rows = gathering.gather(params, ids, name=name)
        return rows if max_norm is None else _row_clipped(rows, ids, max_norm)
    if not params:
        raise ValueError("params should not be empty")
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f'Only "mod" and "div" are supported as partition_strategy, got {partition_strategy!r}')
    rows = _from_shards([convert_to_tensor(p) for p in params], ids, partition_strategy, name)
    return rows if max_norm is None else _row_clipped(rows, ids, max_norm)


def _from_shards(shards: list[Any], ids: Any, strategy: str, name: str | None) -> Any:
    """Each shard's rows gathered from it alone, so that its gradient holds these rows and no others."""
    flat = array.reshape(ids, [-1])
    count = len(shards)
    if strategy == "mod":
        shard, row = division.floormod(flat, count), division.floordiv(flat, count)
    else:
        sizes = stacking.stack([math.cast(array.shape(p)[0], ids.dtype) for p in shards])
        starts = cumulative.cumsum(sizes, 0, exclusive=True)
        later = math.greater_equal(array.expand_dims(flat, 1), starts[1:])
        shard = reductions.reduce_sum(math.cast(later, ids.dtype), 1)
        row = math.subtract(flat, gathering.gather(starts, shard))
    shard = math.cast(shard, dtypes.int32)
    places = scatter.dynamic_partition(ranges.range_(array.size(flat)), shard, count)
    parts = scatter.dynamic_partition(row, shard, count)
    gathered = [gathering.gather(p, at) for p, at in zip(shards, parts, strict=True)]
    rows = scatter.dynamic_stitch(places, gathered)
    out = array.reshape(rows, joining.concat([array.shape(ids), array.shape(shards[0])[1:]], 0), name=name)
    if ids.shape.rank is not None and shards[0].shape.rank is not None:
        out.set_shape([*ids.shape, *shards[0].shape[1:]])
    return out


def _row_clipped(rows: Any, ids: Any, max_norm: Any) -> Any:
    lead, rank = ids.shape.rank, rows.shape.rank
    static = lead is not None and rank is not None
    axes = list(range(lead, rank)) if static else ranges.range_(array.rank(ids), array.rank(rows))
    return clip_by_norm(rows, max_norm, axes=axes)
