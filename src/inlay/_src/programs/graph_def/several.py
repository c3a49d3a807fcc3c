"""Ops of inlay that TensorFlow has in other words: one node here, under another op or as several nodes there.

A message for this library alone, a pickle, has the node as it is.
"""

from __future__ import annotations

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.operation import Operation
from inlay._src.programs.graph_def.attributes import tensor_message
from inlay._src.programs.graph_def.exporting import FORMS, Audience, Form, Scope, as_declared
from inlay._src.programs.graph_def.wire import Wire

_RESIZED = {
    "area": "ResizeArea", "bicubic": "ResizeBicubic", "bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor"
}  # fmt: skip
Reference = tuple[str, DType]


def for_others(form: Form) -> Form:
    """A form for messages that others read too."""
    return lambda scope, node: None if scope.library.audience is Audience.SELF else form(scope, node)


def _shape(scope: Scope, node: Operation, position: int) -> Reference:
    """Writes the shape of an input."""
    wire = Wire("Shape", [scope.inputs(node)[position]], {"out_type": dtypes.int32}, [dtypes.int32])
    return scope.extra(f"{node.name}/shape_{position}", wire)[0], dtypes.int32


def _summed(scope: Scope, node: Operation) -> Wire:
    """The sum over the axes along which another tensor was repeated, in its shape."""
    value, dtype = scope.inputs(node)[0], node.outputs[0].dtype
    like, own = _shape(scope, node, 1), _shape(scope, node, 0)
    args = Wire("BroadcastGradientArgs", [like, own], {}, [dtypes.int32, dtypes.int32])
    axes = scope.extra(f"{node.name}/axes", args)[0], dtypes.int32
    total = scope.extra(f"{node.name}/sum", Wire("Sum", [value, axes], {"keep_dims": False}, [dtype]))[0], dtype
    return Wire("Reshape", [total, like], {}, [dtype])


def _repeated(scope: Scope, node: Operation) -> Wire:
    """A value repeated to the shape of another tensor."""
    return Wire("BroadcastTo", [scope.inputs(node)[0], _shape(scope, node, 1)], {}, [node.outputs[0].dtype])


def _gated(scope: Scope, node: Operation) -> Wire | None:
    """The gradient of an activation that is a line on each side of 0."""
    alpha, top = node.attrs.get("alpha", 0.0), node.attrs.get("top")
    inputs, dtype = scope.inputs(node), node.outputs[0].dtype
    if top is None and alpha:
        return Wire("LeakyReluGrad", inputs, {"alpha": alpha}, [dtype])
    if top == 6 and not alpha:
        return Wire("Relu6Grad", inputs, {}, [dtype])
    return as_declared(scope, node)


def _softmax(scope: Scope, node: Operation) -> Wire | None:
    """A softmax; that of another axis than the last is one of a transposed tensor."""
    rank, dtype = node.inputs[0].shape.rank, node.outputs[0].dtype
    axis = node.attrs.get("axis", -1)
    if rank is None or axis in (-1, rank - 1):
        return as_declared(scope, node) if axis == -1 else Wire("Softmax", scope.inputs(node), {}, [dtype])
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    value = tensor_message(np.array(order, np.int32), dtypes.int32)
    written = Wire("Const", (), {"value": value, "dtype": dtypes.int32}, [dtypes.int32])
    exchanged = scope.extra(f"{node.name}/order", written)[0], dtypes.int32
    turned = Wire("Transpose", [scope.inputs(node)[0], exchanged], {}, [dtype])
    last = scope.extra(f"{node.name}/transpose", turned)[0], dtype
    softmax = scope.extra(f"{node.name}/softmax", Wire("Softmax", [last], {}, [dtype]))[0], dtype
    return Wire("Transpose", [softmax, exchanged], {}, [dtype])


def _resized(scope: Scope, node: Operation) -> Wire | None:
    """A resized image; TensorFlow gives float32, unless it takes the nearest pixels."""
    attrs, dtype = node.attrs, node.outputs[0].dtype
    op = _RESIZED.get(attrs["method"])
    if op is None or attrs["antialias"] or (dtype is not dtypes.float32 and attrs["method"] != "nearest"):
        return None
    written = {"align_corners": attrs["align_corners"], "half_pixel_centers": attrs["half_pixel"]}
    if attrs["method"] == "area":  # no pixel has a center there
        del written["half_pixel_centers"]
    return Wire(op, scope.inputs(node), written, [dtype])


def _crossed(scope: Scope, node: Operation) -> Wire | None:
    """Crossed columns, the tensors of one kind beside one another; TensorFlow's op knows one separator."""
    attrs, parts = dict(node.attrs), scope.inputs(node)
    separator = node.inputs[-1].op.static_value(node.inputs[-1].value_index)
    if not attrs["hashed_output"] and (separator is None or np.asarray(separator, object).item() != b"_X_"):
        return None
    groups: dict[str, list[Reference]] = {name: [] for name in ("Rv", "Rs", "Si", "Sv", "Sn", "D")}
    names, at = {"R": ("Rv", "Rs"), "S": ("Si", "Sv", "Sn"), "D": ("D",)}, 0
    for kind in attrs["input_order"]:
        for name in names[kind]:
            groups[name].append(parts[at])
            at += 1
    kinds = {name: [dtype for _, dtype in group] for name, group in groups.items()}
    attrs = {name: attrs[name] for name in ("input_order", "hashed_output", "num_buckets", "hash_key")} | {
        "Nsparse": len(groups["Si"]), "ragged_values_types": kinds["Rv"], "ragged_splits_types": kinds["Rs"],
        "sparse_values_types": kinds["Sv"], "dense_types": kinds["D"],
        "out_values_type": node.outputs[0].dtype, "out_row_splits_type": node.outputs[1].dtype,
    }  # fmt: skip
    inputs = [part for group in groups.values() for part in group]
    return Wire("RaggedCross", inputs, attrs, [t.dtype for t in node.outputs])


def _unchecked(scope: Scope, node: Operation) -> Wire:
    """Indices whose check is left to the op that reads them, since TensorFlow has no op for it."""
    return Wire("Identity", scope.inputs(node)[:1], {}, [node.outputs[0].dtype])


FORMS.update(
    {
        "BroadcastLike": for_others(_repeated),
        "CrossRows": for_others(_crossed),
        "ImagesOfBoxes": for_others(_unchecked),
        "ReluGrad": _gated,
        "Resize": for_others(_resized),
        "ResizeIntegers": for_others(_resized),
        "Softmax": for_others(_softmax),
        "SumLike": for_others(_summed),
    }
)
