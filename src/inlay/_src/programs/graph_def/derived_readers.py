"""Nodes of gradients that TensorFlow has an op for, and inlay derives from what they are the gradient of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.engine.autodiff.graph_gradients import UnconnectedGradients, differentiate
from inlay._src.ops import array, convolutions, image_boxes, morphology, scatter
from inlay._src.ops.stacking import stack
from inlay._src.programs.graph_def.composed import normalized
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, NodeMessage


def _derived(result: Any, dy: Any, sources: Sequence[Any]) -> list[Any]:
    """The derivatives of a result by some tensors, zeros where there is none."""
    slopes = differentiate([result], [dy], sources, [True] * len(sources), UnconnectedGradients.ZERO)
    return [array.identity(slope) for slope in slopes]


def _depthwise(node: NodeMessage, images: Any, filters: Any, source: Any) -> Any:
    attrs = node.attrs
    if attrs["padding"] == "EXPLICIT":
        raise ValueError("attribute 'padding' is 'EXPLICIT': only 'SAME' and 'VALID' are supported")
    at = slice(1, 3) if attrs["data_format"] == "NHWC" else slice(2, 4)
    result = convolutions.depthwise_conv2d(
        images, filters, strides=list(attrs["strides"]), padding=attrs["padding"], data_format=attrs["data_format"],
        dilations=list(attrs["dilations"][at]),
    )  # fmt: skip
    return _derived(result, node.inputs[2], [source])[0]


def _of_images(node: NodeMessage) -> Any:
    images = array.zeros(node.inputs[0], node.inputs[1].dtype)
    return _depthwise(node, images, node.inputs[1], images)


def _of_filters(node: NodeMessage) -> Any:
    filters = array.zeros(node.inputs[1], node.inputs[0].dtype)
    return _depthwise(node, node.inputs[0], filters, filters)


def _normalized_back(node: NodeMessage) -> list[Any]:
    """The gradients of a normalized batch; while training its statistics are made of the batch."""
    dy, x, scale, mean, variance = node.inputs[:5]
    offset = array.zeros_like(scale)
    result = normalized(node.attrs, x, scale, offset, mean, variance)[0]
    empty = array.zeros([0], scale.dtype)
    return [*_derived(result, dy, [x, scale, offset]), empty, empty]


def _responses_back(node: NodeMessage) -> Any:
    dy, images, _ = node.inputs
    attrs = {name: node.attrs[name] for name in ("depth_radius", "bias", "alpha", "beta")}
    return _derived(morphology.local_response_normalization(images, **attrs), dy, [images])[0]


def _crop_of_image(node: NodeMessage) -> Any:
    dy, boxes, numbers, size = node.inputs
    images = array.zeros(size, node.attrs["T"])
    crops = image_boxes.crop_and_resize(images, boxes, numbers, array.shape(dy)[1:3], node.attrs["method"])
    return _derived(crops, dy, [images])[0]


def _crop_of_boxes(node: NodeMessage) -> Any:
    dy, images, boxes, numbers = node.inputs
    crops = image_boxes.crop_and_resize(images, boxes, numbers, array.shape(dy)[1:3], node.attrs["method"])
    return _derived(crops, dy, [boxes])[0]


def _pooled_at(node: NodeMessage) -> Any:
    """The cotangents of windows, added up at the places of their greatest numbers."""
    images, dy, places = node.inputs
    shape = array.shape(images, out_type=places.dtype)
    flat = array.reshape(places, stack([array.shape(dy, out_type=places.dtype)[0], -1]))
    if not node.attrs["include_batch_in_index"]:
        size = shape[1] * shape[2] * shape[3]
        flat = flat + array.reshape(array.where(array.ones_like(flat[:, 0], dtypes.bool_))[:, 0], [-1, 1]) * size
    whole = array.reshape(shape[0] * shape[1] * shape[2] * shape[3], [1])
    sums = scatter.scatter_nd(array.reshape(flat, [-1, 1]), array.reshape(dy, [-1]), whole)
    return array.reshape(sums, shape)


_MADE: dict[str, Callable[[NodeMessage], Any]] = {
    "CropAndResizeGradBoxes": _crop_of_boxes,
    "CropAndResizeGradImage": _crop_of_image,
    "DepthwiseConv2dNativeBackpropFilter": _of_filters,
    "DepthwiseConv2dNativeBackpropInput": _of_images,
    "FusedBatchNormGrad": _normalized_back,
    "FusedBatchNormGradV3": _normalized_back,
    "LRNGrad": _responses_back,
    "MaxPoolGradWithArgmax": _pooled_at,
}
READERS.update({name: as_functions(make, fits=False) for name, make in _MADE.items()})
