"""Ops of gradients that TensorFlow lacks, as the ops that they are made of: places, products, slices, images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.operation import Operation
from inlay._src.ops import array, division, gathering, joining, math, reductions, scatter, segments, slicing
from inlay._src.ops.cumulative import cumprod
from inlay._src.ops.ranges import range_
from inlay._src.ops.rearranging import invert_permutation, transpose
from inlay._src.ops.shaping import broadcast_to
from inlay._src.ops.stacking import stack
from inlay._src.programs.control.loops import while_loop
from inlay._src.programs.graph_def.composed_forms import Composition, Unwritten, composed
from inlay._src.programs.graph_def.exporting import FORMS, Form, Scope, as_declared
from inlay._src.programs.graph_def.forms import slice_vectors
from inlay._src.programs.graph_def.several import for_others
from inlay._src.programs.graph_def.wire import Wire


def _product(sizes: Any) -> Any:
    """The number of elements of some sizes, also where there are none."""
    return reductions.reduce_prod(sizes)


# ---------------------------------------------------------------- gathered slices


def _gathered_back(attrs: Mapping[str, Any], shape: Any, indices: Any, dy: Any) -> Any:
    """The sums of the slices with one index, of tensors that are reshaped to (batch, before, axis, behind)."""
    axis, batch = attrs.get("axis", 0), attrs.get("batch_dims", 0)
    if axis == 0 and batch == 0:
        return scatter.scatter_nd(array.expand_dims(indices, -1), dy, math.cast(shape, indices.dtype))
    sizes, places = math.cast(shape, dtypes.int32), array.shape(indices)
    at = axis if axis >= 0 else array.size(sizes) + axis
    first = batch if batch >= 0 else array.size(places) + batch
    groups, before = _product(sizes[:first]), _product(sizes[first:at])
    count, behind, chosen = sizes[at], _product(sizes[at + 1 :]), _product(places[first:])
    moved = transpose(array.reshape(dy, stack([groups, before, chosen, behind])), [0, 2, 1, 3])
    rows = array.reshape(moved, stack([groups * chosen, before, behind]))
    starts = math.cast(array.reshape(range_(groups) * count, [-1, 1]), indices.dtype)
    numbers = array.reshape(array.reshape(indices, stack([groups, chosen])) + starts, [-1])
    sums = segments.unsorted_segment_sum(rows, numbers, groups * count)
    back = transpose(array.reshape(sums, stack([groups, count, before, behind])), [0, 2, 1, 3])
    return array.reshape(back, sizes)


def _gathered_nd_back(attrs: Mapping[str, Any], shape: Any, indices: Any, dy: Any) -> Any:
    """Slices added up at their places; those of a batch have the number of the batch as a further coordinate."""
    if attrs.get("bad_indices_policy", "") not in ("", "DEFAULT"):
        raise Unwritten
    if indices.dtype not in dtypes.INDEX:  # shapes are of these types
        indices = math.cast(indices, dtypes.int32)
    sizes, batch = math.cast(shape, indices.dtype), attrs.get("batch_dims", 0)
    if not batch:
        return scatter.scatter_nd(indices, dy, sizes)
    places = array.shape(indices, out_type=indices.dtype)
    groups, chosen, depth = _product(sizes[:batch]), _product(places[batch:-1]), places[-1]
    inside = array.reshape(indices, stack([groups, chosen, depth]))
    numbers = broadcast_to(array.reshape(range_(groups), [-1, 1, 1]), stack([groups, chosen, 1]))
    rest = array.shape(dy, out_type=indices.dtype)[array.size(places) - 1 :]
    rows = array.reshape(dy, joining.concat([stack([groups, chosen]), rest], 0))
    whole = joining.concat([array.reshape(groups, [1]), sizes[batch:]], 0)
    return array.reshape(scatter.scatter_nd(joining.concat([numbers, inside], 2), rows, whole), sizes)


def _gathered_nd(scope: Scope, node: Operation) -> Wire | None:
    """Slices at places; in TensorFlow the number of a batch is a further coordinate."""
    if not node.attrs.get("batch_dims", 0):
        return as_declared(scope, node)
    return _COORDINATES(scope, node)


def _at_coordinates(attrs: Mapping[str, Any], params: Any, indices: Any) -> Any:
    """Slices of a tensor whose batch is one axis."""
    if attrs.get("bad_indices_policy", "") not in ("", "DEFAULT"):
        raise Unwritten
    batch, kind = attrs["batch_dims"], indices.dtype
    sizes, places = array.shape(params, out_type=kind), array.shape(indices, out_type=kind)
    groups, chosen, depth = _product(places[:batch]), _product(places[batch:-1]), places[-1]
    inside = array.reshape(indices, stack([groups, chosen, depth]))
    numbers = broadcast_to(array.reshape(range_(groups), [-1, 1, 1]), stack([groups, chosen, 1]))
    flat = array.reshape(params, joining.concat([array.reshape(groups, [1]), sizes[batch:]], 0))
    slices = gathering.gather_nd(flat, joining.concat([numbers, inside], 2))
    rest = sizes[math.cast(depth, dtypes.int32) + batch :]
    return array.reshape(slices, joining.concat([places[:-1], rest], 0))


_COORDINATES = composed(_at_coordinates)


# ---------------------------------------------------------------- along an axis


def _axes_last(shape: Any, axis: Any) -> Any:
    """The order of the axes in which some come last."""
    rank = array.size(shape)
    axes = division.floormod(array.reshape(math.cast(axis, dtypes.int32), [-1]), rank)
    places = range_(rank)
    pairs = math.equal(array.reshape(places, [-1, 1]), array.reshape(axes, [1, -1]))
    others = gathering.boolean_mask(places, math.logical_not(reductions.reduce_any(pairs, 1)))
    return others, axes


def _other_factors(attrs: Mapping[str, Any], x: Any, axis: Any = None) -> Any:
    """The products of the elements before and behind each one."""
    shape = array.shape(x)
    if axis is None:
        flat = array.reshape(x, [-1])
        return array.reshape(cumprod(flat, 0, True) * cumprod(flat, 0, True, True), shape)
    others, axes = _axes_last(shape, axis)
    order = joining.concat([others, axes], 0)
    kept_sizes, own_sizes = gathering.gather(shape, others), gathering.gather(shape, axes)
    moved = transpose(x, order)
    flat = array.reshape(moved, stack([_product(kept_sizes), _product(own_sizes)]))
    products = cumprod(flat, 1, True) * cumprod(flat, 1, True, True)
    return transpose(array.reshape(products, joining.concat([kept_sizes, own_sizes], 0)), invert_permutation(order))


def _marks(x: Any, axis: Any) -> tuple[Any, Any]:
    """The shape of a tensor, and 1 at the place of an axis among zeros."""
    shape = array.shape(x)
    places = range_(array.size(shape))
    at = division.floormod(math.cast(axis, dtypes.int32), array.size(shape))
    return shape, math.cast(math.equal(places, at), dtypes.int32)


def _shifted(attrs: Mapping[str, Any], x: Any, axis: Any) -> Any:
    """A tensor with a margin of one zero along an axis, from which as much is taken from the other end."""
    shape, one = _marks(x, axis)
    none = array.zeros_like(one)
    if attrs["by"] > 0:
        return slicing.slice_(slicing.pad(x, stack([one, none], 1)), none, shape)
    return slicing.slice_(slicing.pad(x, stack([none, one], 1)), one, shape)


def _recurrence(attrs: Mapping[str, Any], a: Any, b: Any, axis: Any) -> Any:
    """A loop along the axis, which is exchanged with the first one."""
    shape, one = _marks(a, axis)
    places = range_(array.size(shape))
    at = reductions.reduce_sum(places * one)
    order = array.where(math.equal(places, 0), at + array.zeros_like(places), array.where(one > 0, 0, places))
    factors, terms = transpose(a, order), transpose(b, order)
    count = array.shape(factors)[0]

    def step(turn: Any, last: Any, rows: Any) -> Any:
        place = count - 1 - turn if attrs.get("reverse") else turn
        row = factors[place] * last + terms[place]
        spot = array.reshape(place, [1, 1])
        return turn + 1, row, scatter.tensor_scatter_nd_update(rows, spot, array.expand_dims(row, 0))

    first = array.zeros(array.shape(factors)[1:], a.dtype)
    loose = [array.constant(0).shape, first.shape, terms.shape]
    _, _, rows = while_loop(
        lambda turn, *_: turn < count, step, (array.constant(0), first, array.zeros_like(terms)), tuple(loose)
    )
    return transpose(rows, order)


# ---------------------------------------------------------------- nodes of TensorFlow


def _stitched(scope: Scope, node: Operation) -> Wire:
    return Wire("DynamicStitch", scope.inputs(node), {"N": 1}, [node.outputs[0].dtype])


def _mirrored_back(scope: Scope, node: Operation) -> Wire:
    """The gradient of a mirrored margin, whose shape TensorFlow computes."""
    return Wire("MirrorPadGrad", scope.inputs(node)[1:], {"mode": node.attrs["mode"]}, [node.outputs[0].dtype])


_RESIZED_BACK = {"bicubic": "ResizeBicubicGrad", "bilinear": "ResizeBilinearGrad"}


def _resized_back(scope: Scope, node: Operation) -> Wire | None:
    """The gradient of resized images, which TensorFlow makes of zeros shaped like them, or of their size."""
    attrs, dtype = node.attrs, node.outputs[0].dtype
    shape, dy = scope.inputs(node)
    said = {"align_corners": attrs.get("align_corners", False), "half_pixel_centers": attrs.get("half_pixel", True)}
    if attrs.get("antialias"):
        return None
    if attrs["method"] == "nearest":
        begin, end, strides = (
            scope.constant(f"{node.name}/{label}", [number], dtypes.int32)
            for label, number in (("begin", 1), ("end", 3), ("strides", 1))
        )
        size = scope.extra(f"{node.name}/size", Wire("StridedSlice", [shape, begin, end, strides], {}, [shape[1]]))[0]
        return Wire("ResizeNearestNeighborGrad", [dy, (size, shape[1])], said, [dtype])
    op = _RESIZED_BACK.get(attrs["method"])
    if op is None or dtype is not dtypes.float32:
        return None
    zero = scope.constant(f"{node.name}/zero", 0, dtype)
    like = scope.extra(f"{node.name}/like", Wire("Fill", [shape, zero], {}, [dtype]))[0], dtype
    return Wire(op, [dy, like], said, [dtype])


def _added_in_slice(scope: Scope, node: Operation) -> Wire | None:
    """The sum of a tensor and of another one at the places of a slice, with zeros elsewhere."""
    vectors = slice_vectors(scope, node, scope.inputs(node)[2:], {t.dtype for t in node.inputs[2:]})
    if vectors is None:
        return None
    masks, (begin, end, strides) = vectors
    (tensor, dy), kind = scope.inputs(node)[:2], begin[1]
    shape = scope.extra(f"{node.name}/shape", Wire("Shape", [tensor], {"out_type": kind}, [kind]))[0], kind
    spread = Wire("StridedSliceGrad", [shape, begin, end, strides, dy], masks, [dy[1]])
    return Wire("AddV2", [tensor, (scope.extra(f"{node.name}/spread", spread)[0], dy[1])], {}, [dy[1]])


_COMPOSED: Mapping[str, Composition] = {
    "GatherGrad": _gathered_back,
    "GatherNdGrad": _gathered_nd_back,
    "LinearRecurrence": _recurrence,
    "OtherFactors": _other_factors,
    "Shifted": _shifted,
}
FORMS.update({op: composed(composition) for op, composition in _COMPOSED.items()})
_WRITTEN: Mapping[str, Form] = {
    "MirrorPadGrad": _mirrored_back,
    "ResizeGrad": _resized_back,
    "Stitch": _stitched,
    "StridedSliceAdd": _added_in_slice,
}
FORMS.update({op: for_others(form) for op, form in _WRITTEN.items()})
FORMS["GatherNd"] = _gathered_nd
