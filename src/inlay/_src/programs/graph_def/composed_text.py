"""Nodes of TensorFlow on text and random numbers whose ops have other outputs or inputs here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops import array, joining, math, reductions
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.gathering import gather
from inlay._src.ops.ranges import range_
from inlay._src.ops.shaping import ensure_shape
from inlay._src.ops.stacking import stack
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, aliased


def _split(op: str) -> Any:
    """Strings cut into parts: TensorFlow gives the parts of a sparse tensor, the op here rows one after the other."""

    def make(node: NodeMessage) -> Sequence[Any]:
        texts, separator = node.inputs
        attrs = {n: v for n, v in node.attrs.items() if n in OPS[op].attrs}
        values, splits = emit(OPS[op], (ensure_shape(texts, [None]), separator), attrs)
        rows: Any = RaggedTensor.from_row_splits(values, splits, validate=False)
        ids = rows.value_rowids()
        within = range_(array.size(values, out_type=dtypes.int64)) - gather(splits, ids)
        longest = reductions.reduce_max(joining.concat([rows.row_lengths(), array.zeros([1], dtypes.int64)], 0))
        return [
            stack([ids, within], 1),
            values,
            joining.concat([array.shape(texts, out_type=dtypes.int64), array.reshape(longest, [1])], 0),
        ]

    return make


READERS.update({name: as_functions(_split(name), fits=False) for name in ("StringSplit", "StringSplitV2")})


def _skipped(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
    """The state of a generator before a draw."""
    resource, _, delta = node.inputs
    with site.inside(node):
        count = math.cast(delta, dtypes.int64)
    return aliased(site, node, OPS["RngReadAndSkip"], [resource, count])


READERS["RngReadAndSkip"] = _skipped
