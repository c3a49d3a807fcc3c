"""Nodes of gradients that TensorFlow wrote, whose ops are several ops here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.ops import (
    array,
    complex_numbers,
    indexing,
    math,
    pooling,
    reductions,
    scatter,
    stacking,
)
from inlay._src.ops.powers import sigmoid
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, build_exactly

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _conj(x: Any) -> Any:
    return math.conj(x) if x.dtype.is_complex else x


def _of_result(factor: Callable[[Any], Any]) -> Callable[[NodeMessage], Any]:
    """The gradient of an elementwise op whose derivative follows from its result, the first input of two."""

    def make(node: NodeMessage) -> Any:
        y, dy = node.inputs
        return dy * factor(_conj(y))

    return make


def _of_features(make: Callable[..., Any]) -> Callable[[NodeMessage], Any]:
    """The gradient of an activation, from what comes in and from the features or results."""
    return lambda node: make(*node.inputs)


def _softsign(dy: Any, x: Any) -> Any:
    whole = 1.0 + complex_numbers.abs(x)
    return dy / (whole * whole)


def _elu(dy: Any, y: Any) -> Any:
    return array.where(math.less(y, 0.0), dy * (y + 1.0), dy)


def _selu(dy: Any, y: Any) -> Any:
    return array.where(math.less(y, 0.0), dy * (y + _SELU_SCALE * _SELU_ALPHA), dy * _SELU_SCALE)


def _bias(node: NodeMessage) -> Any:
    """The sum over all axes but that of the channels."""
    (dy,) = node.inputs
    if node.attrs["data_format"].startswith("NC"):
        rank = dy.shape.rank
        if rank is None:
            raise ValueError("its input has an unknown rank, and data_format 'NCHW' needs a known one")
        return reductions.reduce_sum(dy, [a for a in range(rank) if a != 1])
    return reductions.reduce_sum(array.reshape(dy, [-1, array.shape(dy)[-1]]), 0)


def _stitched(node: NodeMessage) -> Any:
    count = node.attrs["N"]
    return scatter.dynamic_stitch(node.inputs[:count], node.inputs[count:])


def _max_pool(node: NodeMessage) -> Any:
    images, _, dy = node.inputs
    if node.attrs["padding"] == "EXPLICIT":
        raise ValueError("attribute 'padding' is 'EXPLICIT': only 'SAME' and 'VALID' are supported")
    attrs = {name: node.attrs[name] for name in ("ksize", "strides", "padding", "data_format")}
    return pooling.max_pool_grad(images, dy, **attrs)


def _resized(method: str) -> Callable[[NodeMessage], Any]:
    """The gradient of a resized image: its second input is the image, or for "nearest" its height and width."""

    def make(node: NodeMessage) -> Any:
        dy, like = node.inputs
        if method == "nearest":
            sizes = array.shape(dy)
            shape = stacking.stack([sizes[0], like[0], like[1], sizes[3]])
        else:
            shape = array.shape(like)
        attrs = {
            "method": method, "align_corners": node.attrs["align_corners"],
            "half_pixel": node.attrs["half_pixel_centers"], "antialias": False,
        }  # fmt: skip
        return emit(OPS["ResizeGrad"], (shape, math.cast(dy, dtypes.float32) if method != "nearest" else dy), attrs)

    return make


_MADE: dict[str, Callable[[NodeMessage], Any]] = {
    "BiasAddGrad": _bias,
    "DynamicStitch": _stitched,
    "EluGrad": _of_features(_elu),
    "InvGrad": _of_result(lambda y: -y * y),
    "ParallelDynamicStitch": _stitched,
    "ReciprocalGrad": _of_result(lambda y: -y * y),
    "ResizeBicubicGrad": _resized("bicubic"),
    "ResizeBilinearGrad": _resized("bilinear"),
    "ResizeNearestNeighborGrad": _resized("nearest"),
    "RsqrtGrad": _of_result(lambda y: -0.5 * y * y * y),
    "SeluGrad": _of_features(_selu),
    "ShapeN": lambda node: [array.shape(x, out_type=node.attrs["out_type"]) for x in node.inputs],
    "SigmoidGrad": _of_result(lambda y: y * (1.0 - y)),
    "SoftplusGrad": _of_features(lambda dy, x: dy * sigmoid(x)),
    "SoftsignGrad": _of_features(_softsign),
    "SqrtGrad": _of_result(lambda y: 0.5 / y),
    "TanhGrad": _of_result(lambda y: 1.0 - y * y),
}
READERS.update({name: as_functions(make) for name, make in _MADE.items()})


# ---------------------------------------------------------------- gradients that take what is an attribute here


def _spread(site: GraphReader, node: NodeMessage) -> Operation:
    """Zeros with what comes in at the places of a slice."""
    masks = {name: node.attrs[name] for name in node.attrs if name.endswith("_mask")}
    shape, dy = node.inputs[0], node.inputs[4]
    vectors = [site.entries(r) for r in list(node.message.input)[1:4]]
    with site.inside(node):
        like = array.zeros(shape, dy.dtype)
        index, dynamic = indexing.parsed(indexing.sliced_items(like, *vectors, **masks))
        shape = math.cast(shape, dtypes.int32)  # type: ignore[assignment]
    return build_exactly(site, OPS["StridedSliceGrad"], [shape, dy, *dynamic], {"index": index}, node.name)


def _pooled(site: GraphReader, node: NodeMessage) -> Operation | Sequence[Any]:
    return as_functions(_max_pool, fits=False)(site, node)


def _gated(site: GraphReader, node: NodeMessage) -> Operation:
    attrs = {"alpha": node.attrs.get("alpha", 0.0), "top": 6 if node.message.op == "Relu6Grad" else None}
    return build_exactly(site, OPS["ReluGrad"], node.inputs, attrs, node.name)


READERS.update({"LeakyReluGrad": _gated, "Relu6Grad": _gated})
READERS.update({"StridedSliceGrad": _spread, "MaxPoolGrad": _pooled, "MaxPool3DGrad": _pooled})
