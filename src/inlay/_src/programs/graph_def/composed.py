"""Nodes of TensorFlow whose ops are several ops here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops import convolutions, image_resizing, losses, resize
from inlay._src.ops.array import reshape, size, where
from inlay._src.ops.clipping import clip_by_value
from inlay._src.ops.composite.sparse_features import sparse_to_dense
from inlay._src.ops.division import div, divide, floordiv
from inlay._src.ops.joining import concat
from inlay._src.ops.math import add, cast, maximum, multiply, subtract
from inlay._src.ops.nn import bias_add
from inlay._src.ops.powers import rsqrt, square
from inlay._src.ops.reductions import reduce_mean
from inlay._src.programs.graph_def.checking import internal_attributes
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, Reader, build_exactly


def _selected(node: NodeMessage) -> Any:
    """The rows, or elements, of one of two tensors: a vector chooses rows."""
    condition, x, y = node.inputs
    if condition.shape.rank == 1 and x.shape.rank is not None and x.shape.rank > 1:
        condition = reshape(condition, [-1] + [1] * (x.shape.rank - 1))
    return where(condition, x, y)


def _normalized(node: NodeMessage) -> Any:
    y, mean, variance, moments = normalized(node.attrs, *node.inputs)
    reserved = [mean, variance] + ([mean] if len(node.declaration.outputs) > 5 else [])
    return [y, *moments, *reserved]


def normalized(attrs: Mapping[str, Any], x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    """A batch normalized with its own statistics while training, else with those that are passed.

    Args:
      attrs: the attributes of the node.
      x: the batch.
      scale, offset, mean, variance: one number for each channel.

    Returns:
      The batch, its mean and its variance, and the two moments after it.
    """
    rank = len(attrs["data_format"])
    channel = 1 if attrs["data_format"].startswith("NC") else rank - 1
    along = [-1] + [1] * (rank - 1 - channel)
    wide = cast(x, scale.dtype)
    moments = [mean, variance]
    if attrs["is_training"]:
        axes = [axis for axis in range(rank) if axis != channel]
        mean = reduce_mean(wide, axes)
        centered = subtract(wide, reshape(mean, along))
        variance = reduce_mean(square(centered), axes)
        moments = _moving(attrs, wide, mean, variance, moments)
    else:
        centered = subtract(wide, reshape(mean, along))
    factor = multiply(scale, rsqrt(add(variance, attrs["epsilon"])))
    y = cast(add(multiply(centered, reshape(factor, along)), reshape(offset, along)), x.dtype)
    return y, mean, variance, moments


def _moving(attrs: Mapping[str, Any], wide: Any, mean: Any, variance: Any, moments: list[Any]) -> list[Any]:
    """The moments after a batch: those of the batch, or an average of them and the moments so far.

    The variance is that of the population of which the batch is a sample: its sum is divided by `n - 1`.
    """
    count = cast(floordiv(size(wide), size(mean)), wide.dtype)
    batch = [mean, divide(multiply(variance, count), maximum(subtract(count, 1.0), 1.0))]
    weight = attrs.get("exponential_avg_factor", 1.0)
    if weight == 1.0:
        return batch
    return [add(old, multiply(subtract(new, old), weight)) for old, new in zip(moments, batch, strict=True)]


def _depthwise(node: NodeMessage) -> Any:
    attrs = node.attrs
    if attrs["padding"] == "EXPLICIT":
        raise ValueError("attribute 'padding' is 'EXPLICIT': only 'SAME' and 'VALID' are supported")
    at = slice(1, 3) if attrs["data_format"] == "NHWC" else slice(2, 4)
    images, filters = node.inputs
    return convolutions.depthwise_conv2d(
        images, filters, strides=list(attrs["strides"]), padding=attrs["padding"], data_format=attrs["data_format"],
        dilations=list(attrs["dilations"][at]),
    )  # fmt: skip


def _of_inputs(function: Callable[..., Any]) -> Callable[[NodeMessage], Any]:
    return lambda node: function(*node.inputs)


def _resized(function: Callable[..., Any]) -> Callable[[NodeMessage], Any]:
    def make(node: NodeMessage) -> Any:
        attrs = {k: node.attrs[k] for k in ("align_corners", "half_pixel_centers") if k in node.attrs}
        return function(*node.inputs, **attrs)

    return make


def _resampled(method: str, function: Callable[..., Any]) -> Reader:
    """A resized image: one node of the op that takes its type, else what the public function makes of it."""
    composed = as_functions(_resized(function))

    def read(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
        dtype, align_corners = node.inputs[0].dtype, bool(node.attrs["align_corners"])
        half_pixel = bool(node.attrs.get("half_pixel_centers", False))
        integers = dtype in resize.RESAMPLED_INTEGERS
        if (align_corners and half_pixel) or not (integers or dtype is dtypes.float32):
            return composed(site, node)
        attrs = {"method": method, "align_corners": align_corners, "half_pixel": half_pixel, "antialias": False}
        opdef = OPS["ResizeIntegers" if integers else "Resize"]
        return build_exactly(site, opdef, node.inputs, attrs | internal_attributes(node.message), node.name)

    return read


def _dense(node: NodeMessage) -> Any:
    """A dense tensor, from indices of either type."""
    indices, sizes, values, default = node.inputs
    return sparse_to_dense(indices, sizes, values, default, node.attrs["validate_indices"])


def _compared(site: GraphReader, node: NodeMessage) -> Operation:
    """Equal elements; where shapes might not fit, and that is no error, another op."""
    negated = node.message.op == "NotEqual"
    if node.attrs["incompatible_shape_error"] or _fit(*(t.shape for t in node.inputs)):
        attrs, opdef = {}, OPS[node.message.op]
    else:
        attrs, opdef = {"negated": negated}, OPS["EqualWhereShapesFit"]
    return build_exactly(site, opdef, node.inputs, attrs | internal_attributes(node.message), node.name)


def _fit(one: Any, other: Any) -> bool:
    """Whether two shapes can be broadcast, whatever their unknown sizes are."""
    if one.rank is None or other.rank is None:
        return 0 in (one.rank, other.rank)
    pairs = zip(reversed(one.as_list()), reversed(other.as_list()), strict=False)
    return all(1 in pair or (None not in pair and pair[0] == pair[1]) for pair in pairs)


_MADE: dict[str, Callable[[NodeMessage], Any]] = {
    "BiasAddV1": _of_inputs(bias_add),
    "ClipByValue": _of_inputs(clip_by_value),
    "Concat": lambda node: concat(node.inputs[1:], int(node.value(0, "concat_dim"))),
    "DepthwiseConv2dNative": _depthwise,
    "Div": _of_inputs(div),
    "FusedBatchNorm": _normalized,
    "FusedBatchNormV2": _normalized,
    "FusedBatchNormV3": _normalized,
    "L2Loss": _of_inputs(losses.l2_loss),
    "ResizeNearestNeighbor": _resized(image_resizing.resize_nearest_neighbor),
    "Select": _selected,
    "SparseToDense": _dense,
}
READERS.update({name: as_functions(make) for name, make in _MADE.items()})
READERS["Equal"] = READERS["NotEqual"] = _compared
READERS["ResizeArea"] = _resampled("area", image_resizing.resize_area)
READERS["ResizeBicubic"] = _resampled("bicubic", image_resizing.resize_bicubic)
READERS["ResizeBilinear"] = _resampled("bilinear", image_resizing.resize_bilinear)
