"""Nodes of TensorFlow on sparse and ragged tensors and padded bytes, whose tensors come one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import static_value_of
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.ops import array, division, math, powers, segments
from inlay._src.ops.composite import sparse, sparse_features, sparse_ops
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.gathering import gather, gather_nd
from inlay._src.ops.joining import concat
from inlay._src.programs.graph_def.checking import UnsupportedError
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, aliased


def _parts(value: SparseTensor) -> list[Any]:
    return [value.indices, value.values, value.dense_shape]


def _product(node: NodeMessage) -> Any:
    indices, values, shape, dense = node.inputs
    left = SparseTensor(math.cast(indices, dtypes.int64), values, shape)
    attrs = {name: node.attrs[name] for name in ("adjoint_a", "adjoint_b")}
    return sparse.sparse_dense_matmul(left, dense, **attrs)


def _reduced(function: Callable[..., Any]) -> Callable[[NodeMessage], Any]:
    def make(node: NodeMessage) -> Any:
        axes = node.value(3, "reduction_axes").reshape(-1).tolist()
        return function(SparseTensor(*node.inputs[:3]), axes, node.attrs["keep_dims"])

    return make


def _added(node: NodeMessage) -> Any:
    one, other = SparseTensor(*node.inputs[:3]), SparseTensor(*node.inputs[3:6])
    return _parts(sparse_ops.add(one, other, node.inputs[6]))


def _sliced(node: NodeMessage) -> Any:
    return _parts(sparse_ops.slice_(SparseTensor(*node.inputs[:3]), node.inputs[3], node.inputs[4]))


def _joined(node: NodeMessage) -> Any:
    count = node.attrs["N"]
    parts = [node.inputs[i * count : (i + 1) * count] for i in range(3)]
    pieces = [SparseTensor(*part) for part in zip(*parts, strict=True)]
    return _parts(sparse_ops.concat(node.attrs["concat_dim"], pieces))


def _positions(wanted: Any, among: Any) -> tuple[Any, Any]:
    """For each coordinate where the same one is among others, and whether it is there."""
    _, numbers = emit(OPS["SparseGroups"], (concat([among, wanted], 0),))
    count = array.size(numbers, out_type=dtypes.int64)
    size = array.shape(among, out_type=dtypes.int64)[0]
    places = array.where(array.ones_like(numbers[:size], dtypes.bool_))[:, 0]
    table = segments.unsorted_segment_max(places, numbers[:size], count)
    place = gather(table, numbers[size:])
    return math.maximum(place, 0), place >= 0


def _spread(values: Any, wanted: Any, among: Any) -> Any:
    """Values at some coordinates, for other coordinates: zero for one without a value."""
    place, has = _positions(wanted, among)
    padded = concat([values, array.zeros([1], values.dtype)], 0)
    last = array.zeros_like(place) + array.shape(values, out_type=dtypes.int64)[0]
    return gather(padded, array.where(has, place, last))


def _added_back(node: NodeMessage) -> Any:
    dy, one, other, total = node.inputs
    return [_spread(dy, one, total), _spread(dy, other, total)]


def _sliced_back(node: NodeMessage) -> Any:
    dy, indices, start, cut = node.inputs
    return _spread(dy, indices - start, cut)


def _weighted(node: NodeMessage, weigh: Callable[[Any], Any] | None) -> Any:
    """The cotangent of each row that was summed in a segment; of a mean its share."""
    dy, _, segment_ids = node.inputs[:3]
    rows = gather(dy, segment_ids)
    if weigh is None:
        return rows
    ones = array.ones_like(segment_ids, dy.dtype)
    counts = segments.unsorted_segment_sum(ones, segment_ids, array.shape(dy)[0])
    share = 1 / gather(weigh(counts), segment_ids)
    sizes = concat([array.shape(share), array.ones_like(array.shape(dy)[1:])], 0)
    return rows * array.reshape(share, sizes)


def _segments_back(weigh: Callable[[Any], Any] | None) -> Callable[[NodeMessage], Any]:
    """The gradient of the sums of chosen rows, in the shape of the tensor that has them."""

    def make(node: NodeMessage) -> Any:
        return segments.unsorted_segment_sum(_weighted(node, weigh), node.inputs[1], node.inputs[3])

    return make


def _sparse_segments_back(weigh: Callable[[Any], Any] | None) -> Callable[[NodeMessage], Any]:
    """The same of the rows alone that were chosen, with their numbers."""

    def make(node: NodeMessage) -> Any:
        indices = node.inputs[1]
        places = math.cast(array.expand_dims(indices, 1), dtypes.int64)
        chosen, numbers = emit(OPS["SparseGroups"], (places,))
        sums = segments.unsorted_segment_sum(_weighted(node, weigh), numbers, array.shape(chosen)[0])
        return [sums, math.cast(chosen[:, 0], indices.dtype)]

    return make


def _padded(node: NodeMessage) -> Any:
    """Rows as a dense tensor."""
    kinds = [kind.decode() if isinstance(kind, bytes) else kind for kind in node.attrs["row_partition_types"]]
    count = node.attrs["num_row_partition_tensors"]
    shape, values, default = node.inputs[:3]
    partitions = list(node.inputs[3 : 3 + count])
    if kinds and kinds[0] == "FIRST_DIM_SIZE":
        rows: Any = values
        sizes = partitions[0]
        for number in range(count - 1, 0, -1):
            last = partitions[number]
            above = partitions[number - 1]
            total = sizes if number == 1 else array.size(above, out_type=last.dtype)
            rows = RaggedTensor.from_value_rowids(rows, last, total, validate=False)
    elif all(kind == "ROW_SPLITS" for kind in kinds):
        rows = RaggedTensor.from_nested_row_splits(values, partitions, validate=False)
    else:
        raise ValueError(f"row partitions {kinds} are not read")
    static = static_value_of(shape)
    if static is None or shape.shape.rank == 0:
        return rows.to_tensor(default, shape=None if static is not None else shape)
    return rows.to_tensor(default, shape=[None if size < 0 else size for size in static.tolist()])


def _beside(function: Callable[..., Any]) -> Callable[[NodeMessage], Any]:
    """The values of a sparse tensor and those of a dense one at the same places."""

    def make(node: NodeMessage) -> Any:
        indices, values, shape, dense = node.inputs
        size = array.shape(dense, out_type=dtypes.int64)
        return function(values, gather_nd(dense, emit(OPS["SparseBesideDense"], (indices, shape, size))))

    return make


def _code_points(node: NodeMessage) -> Any:
    """The code points of strings and where each begins; TensorFlow's op has the rows first."""
    names = ("input_encoding", "errors", "replacement_char", "replace_control_characters")
    texts, attrs = array.reshape(node.inputs[0], [-1]), {name: node.attrs[name] for name in names}
    points, starts, splits = emit(OPS["UnicodeDecodeWithOffsets"], (texts,), attrs)
    return [math.cast(splits, node.attrs["Tsplits"]), points, starts]


def _fixed(site: GraphReader, node: NodeMessage) -> Operation:
    length = int(node.value(1, "fixed_length"))
    return aliased(site, node, OPS["DecodeRaw"], node.inputs[:1], fixed_length=length)


def _shuffled(site: GraphReader, node: NodeMessage) -> Operation:
    """Rows in the order of a seed, which is where the key and the counter come from."""
    value, key, counter, _ = node.inputs
    if key.op.type != "StatelessRandomGetKeyCounter" or counter.op is not key.op:
        raise UnsupportedError("its key and its counter do not come from a seed in the same function")
    return aliased(site, node, OPS["StatelessRandomShuffle"], [value, key.op.inputs[0]])


_MADE: dict[str, Callable[[NodeMessage], Any]] = {
    "RaggedTensorToTensor": _padded,
    "SparseAdd": _added,
    "SparseAddGrad": _added_back,
    "SparseConcat": _joined,
    "SparseDenseCwiseAdd": _beside(math.add),
    "SparseDenseCwiseDiv": _beside(division.div),
    "SparseDenseCwiseMul": _beside(math.multiply),
    "SparseReduceMax": _reduced(sparse_ops.reduce_max),
    "SparseReduceSum": _reduced(sparse_ops.reduce_sum),
    "SparseSlice": _sliced,
    "SparseSliceGrad": _sliced_back,
    "SparseSoftmax": lambda node: sparse_features.softmax(SparseTensor(*node.inputs)).values,
    "SparseTensorDenseMatMul": _product,
    "UnicodeDecodeWithOffsets": _code_points,
}
for _kind, _weigh in {"Sum": None, "Mean": array.identity, "SqrtN": powers.sqrt}.items():
    _MADE[f"SparseSegment{_kind}Grad"] = _segments_back(_weigh)
    _MADE[f"SparseSegment{_kind}GradV2"] = _sparse_segments_back(_weigh)
READERS.update({name: as_functions(make, fits=False) for name, make in _MADE.items()})


def _pooled(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["MaxPoolWithArgmax"], data_format="NHWC")


READERS["MaxPoolWithArgmax"] = _pooled
READERS.update({"DecodePaddedRaw": _fixed, "StatelessShuffle": _shuffled})
