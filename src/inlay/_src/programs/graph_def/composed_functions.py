"""Nodes of TensorFlow that functions of inlay stand for: colors, boxes, counts, text, ragged and sparse values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import static_value_of
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.ops import (
    array,
    counting,
    division,
    einsum,
    gathering,
    image_boxes,
    image_colors,
    joining,
    linalg,
    math,
    ranges,
    rearranging,
    reductions,
    special,
)  # fmt: skip
from inlay._src.ops.composite import sparse as sparse_tensors
from inlay._src.ops.composite import text
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.programs.graph_def import readers
from inlay._src.programs.graph_def.checking import UnsupportedError
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, aliased, build_exactly, plain


def _of_inputs(function: Callable[..., Any], *attrs: str) -> Callable[[NodeMessage], Any]:
    """A function of the inputs, and of some attributes behind them."""
    return lambda node: function(*node.inputs, *(node.attrs[name] for name in attrs))


def _counted(node: NodeMessage) -> Any:
    """The counts of each number, up to a size; weights that are empty count each as 1."""
    numbers, size, weights = node.inputs
    if weights.shape.num_elements() is None:
        raise ValueError("whether it has weights is not known while the graph is built")
    chosen = weights if weights.shape.num_elements() else None
    if numbers.shape.rank is None:
        raise ValueError("the rank of what it counts is not known while the graph is built")
    return counting.bincount(
        numbers, chosen, minlength=size, maxlength=size, dtype=weights.dtype,
        axis=-1 if numbers.shape.rank == 2 else None, binary_output=node.attrs["binary_output"],
    )  # fmt: skip


def _contrast(node: NodeMessage) -> Any:
    images, factor = node.inputs
    mean = reductions.reduce_mean(images, [-3, -2], keepdims=True)
    return (images - mean) * math.cast(factor, images.dtype) + mean


def _mirrored(node: NodeMessage) -> Any:
    dy, paddings = node.inputs
    shape = array.shape(dy) - math.cast(reductions.reduce_sum(paddings, 1), dtypes.int32)
    return emit(OPS["MirrorPadGrad"], (shape, dy, paddings), {"mode": node.attrs["mode"]})


def _offsets(node: NodeMessage) -> Any:
    """Where each of several tensors begins in what they are joined to."""
    axis, *sizes = node.inputs
    along = math.cast(math.equal(ranges.range_(array.size(sizes[0])), axis), sizes[0].dtype)
    begins = [array.zeros_like(sizes[0])]
    for size in sizes[:-1]:
        begins.append(begins[-1] + size * along)
    return begins


def _reordered(node: NodeMessage) -> Any:
    ordered = sparse_tensors.reorder(SparseTensor(*node.inputs))
    return [ordered.indices, ordered.values]


def _decoded(node: NodeMessage) -> Any:
    attrs = node.attrs
    decoded: Any = text.unicode_decode(
        array.reshape(node.inputs[0], [-1]), attrs["input_encoding"], errors=attrs["errors"],
        replacement_char=attrs["replacement_char"], replace_control_characters=attrs["replace_control_characters"],
    )  # fmt: skip
    return [math.cast(decoded.row_splits, attrs["Tsplits"]), decoded.values]


def _crossed(node: NodeMessage) -> Any:
    """Crossed columns; the tensors of each kind come together."""
    attrs, rest = node.attrs, iter(node.inputs)
    ragged, sparse, dense = len(attrs["ragged_values_types"]), attrs["Nsparse"], len(attrs["dense_types"])
    taken = [[next(rest) for _ in range(count)] for count in (ragged, ragged, sparse, sparse, sparse, dense)]
    columns = {
        "R": zip(*taken[:2], strict=True),
        "S": zip(*taken[2:5], strict=True),
        "D": zip(*taken[5:], strict=True),
    }
    parts = [part for kind in attrs["input_order"] for part in next(columns[kind])]
    said = ("input_order", "hashed_output", "num_buckets", "hash_key", "out_values_type", "out_row_splits_type")
    return emit(OPS["CrossRows"], (parts, convert_to_tensor("_X_")), {name: attrs[name] for name in said})


def _gathered(node: NodeMessage) -> Any:
    """Rows of a ragged tensor, whose splits and values come one by one."""
    count = node.attrs["PARAMS_RAGGED_RANK"]
    *splits, values, indices = node.inputs
    params = RaggedTensor.from_nested_row_splits(values, splits[:count], validate=False)
    rows: Any = gathering.gather(params, indices)
    return [*rows.nested_row_splits, rows.flat_values]


def _value(node: NodeMessage) -> Any:
    """The value of the variable that a node takes the handle of."""
    key = handle_key(node.inputs[0])
    if not isinstance(getattr(key, "dtype", None), DType):
        raise UnsupportedError("its input is a handle of unknown type")
    return emit(OPS["ReadVariableOp"], (node.inputs[0],), {"dtype": key.dtype, "shape": key.dims})


def _searched(side: str) -> Callable[[GraphReader, NodeMessage], Operation]:
    """A reader of a search for places in sorted rows, on one side of equal values."""
    return lambda site, node: aliased(site, node, OPS["SearchSorted"], side=side)


READERS.update({"LowerBound": _searched("left"), "UpperBound": _searched("right")})


_BESSEL = {f"Bessel{kind.upper()}": f"bessel_{kind}" for kind in ("i0", "i1", "j0", "j1", "k0", "k1", "y0", "y1")}
_MADE: dict[str, Callable[[NodeMessage], Any]] = {
    "AdjustContrastv2": _contrast,
    "AdjustHue": _of_inputs(image_colors.adjust_hue),
    "AdjustSaturation": _of_inputs(image_colors.adjust_saturation),
    "ConcatOffset": _offsets,
    "CropAndResize": _of_inputs(image_boxes.crop_and_resize, "method", "extrapolation_value"),
    "Cross": _of_inputs(einsum.cross),
    "DenseBincount": _counted,
    "EuclideanNorm": _of_inputs(reductions.reduce_euclidean_norm, "keep_dims"),
    "HSVToRGB": _of_inputs(image_colors.hsv_to_rgb),
    "RGBToHSV": _of_inputs(image_colors.rgb_to_hsv),
    "RaggedCross": _crossed,
    "RaggedGather": _gathered,
    "SparseReorder": _reordered,
    "UnicodeDecode": _decoded,
    "VariableShape": lambda node: array.shape(_value(node), out_type=node.attrs["out_type"]),
    **{name: _of_inputs(getattr(special, f)) for name, f in _BESSEL.items() if hasattr(special, f)},
}
READERS.update({name: as_functions(make) for name, make in _MADE.items()})
READERS["MirrorPadGrad"] = as_functions(_mirrored, fits=False)


# ---------------------------------------------------------------- by an attribute


def _singular(site: GraphReader, node: NodeMessage) -> Operation | Sequence[Any]:
    """A decomposition. A node may ask for the singular values only: the other outputs are empty then."""
    return readers.decomposed(site, node) if node.attrs["compute_uv"] else _values_alone(site, node)


def _singular_values(node: NodeMessage) -> Any:
    (x,) = node.inputs
    return [linalg.svd(x, compute_uv=False), array.zeros([0], x.dtype), array.zeros([0], x.dtype)]


_values_alone = as_functions(_singular_values, fits=False)
READERS["Svd"] = _singular


def _joined(site: GraphReader, node: NodeMessage) -> Operation | Sequence[Any]:
    """Tensors one behind the other; an axis that is computed is brought to the front and back."""
    if static_value_of(node.inputs[-1]) is not None:
        return plain(site, node)
    return as_functions(_along_computed_axis, fits=False)(site, node)


def _along_computed_axis(node: NodeMessage) -> Any:
    *parts, axis = node.inputs
    rank = array.rank(parts[0])
    at = division.floormod(math.cast(axis, dtypes.int32), rank)
    every = ranges.range_(rank)
    order = joining.concat([array.reshape(at, [1]), every[:at], every[at + 1 :]], 0)
    joined = joining.concat([rearranging.transpose(part, order) for part in parts], 0)
    return rearranging.transpose(joined, rearranging.invert_permutation(order))


READERS["ConcatV2"] = _joined


def _rows(site: GraphReader, node: NodeMessage) -> Operation | Sequence[Any]:
    """Rows of a variable."""
    key = handle_key(node.inputs[0])
    is_typed = key is not None and key.dtype is node.attrs["dtype"]
    attrs = {"dtype": node.attrs["dtype"], "shape": key.dims if is_typed else None}
    value = build_exactly(site, OPS["ReadVariableOp"], node.inputs[:1], attrs, f"{node.name}read/").outputs[0]

    def gathered(node: NodeMessage) -> Any:
        return gathering.gather(value, node.inputs[1], batch_dims=node.attrs["batch_dims"])

    return as_functions(gathered, fits=False)(site, node)


READERS["ResourceGather"] = _rows
