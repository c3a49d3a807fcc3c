"""Nodes that TensorFlow has in another form: examples, cut strings, lists of tensors, gradients of nodes' own.

They are written so for messages that both read; a message for this library alone, a pickle, has the node as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import from_dims
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.ops.array import reshape
from inlay._src.ops.example_parsing import Columns
from inlay._src.ops.ragged import splits_from_rowids
from inlay._src.programs.graph_def.composed_forms import inline
from inlay._src.programs.graph_def.exporting import FORMS, Audience, Form, Scope, WrittenGradient, as_declared
from inlay._src.programs.graph_def.forms import slice_vectors
from inlay._src.programs.graph_def.wire import COUNT, CUSTOM, PLACES, Wire


def for_both(form: Form) -> Form:
    """A form for messages that TensorFlow reads too."""
    return lambda scope, node: (
        as_declared(scope, node) if scope.library.audience is Audience.SELF else form(scope, node)
    )


# ---------------------------------------------------------------- text, examples


def _split(scope: Scope, node: Operation) -> Wire | None:
    """Strings cut into parts. TensorFlow has the parts of a sparse tensor; rows are made of their coordinates."""
    (texts,) = inline(scope, f"{node.name}/texts", lambda x: reshape(x, [-1]), [node.inputs[0]], scope.inputs(node)[:1])
    kinds = [dtypes.int64, dtypes.string, dtypes.int64]
    attrs = {"maxsplit": node.attrs["maxsplit"]}
    return rows_of_sparse(scope, node, Wire("StringSplitV2", [texts, scope.inputs(node)[1]], attrs, kinds))


def rows_of_sparse(scope: Scope, node: Operation, wire: Wire) -> Wire:
    """The values and the row splits of the sparse matrix of strings that a node gives: coordinates, values, shape."""
    parts = scope.extra(f"{node.name}/split", wire)
    (splits,) = inline(
        scope,
        f"{node.name}/splits",
        lambda indices, shape: splits_from_rowids(indices[:, 0], shape[0]),
        [(dtypes.int64, (None, 2)), (dtypes.int64, (2,))],
        [(parts[0], dtypes.int64), (parts[2], dtypes.int64)],
    )
    return Wire("IdentityN", [(parts[1], dtypes.string), splits], {}, [dtypes.string, dtypes.int64])


def _parsed(scope: Scope, node: Operation) -> Wire | None:
    """Parsed examples, whose keys are inputs."""
    columns, inputs = Columns(*node.attrs["columns"]), scope.inputs(node)
    keys = [
        scope.constant(f"{node.name}/{label}", np.array([key.encode() for key, *_ in part], object), dtypes.string)
        for label, part in (("sparse", columns.sparse), ("dense", columns.dense), ("ragged", columns.ragged))
    ]
    attrs = {
        "num_sparse": len(columns.sparse),
        "sparse_types": tuple(kind for _, kind in columns.sparse),
        "dense_shapes": tuple(from_dims(dims) for _, _, dims in columns.dense),
        "Tdense": tuple(kind for _, kind, _ in columns.dense),
        "ragged_value_types": tuple(kind for _, kind, _ in columns.ragged),
        "ragged_split_types": tuple(kind for _, _, kind in columns.ragged),
    }
    return Wire("ParseExampleV2", [*inputs[:2], *keys, *inputs[2:]], attrs, [t.dtype for t in node.outputs])


FORMS["StringSplitV2"] = for_both(_split)
FORMS["ParseExampleV2"] = for_both(_parsed)


# ---------------------------------------------------------------- gradients


def _pooled_back(forward: str) -> Form:
    """The gradient of pooled images, which TensorFlow makes of the images and of what became of them."""

    def form(scope: Scope, node: Operation) -> Wire | None:
        (images, dy), kind = scope.inputs(node), node.outputs[0].dtype
        names = ("ksize", "strides", "padding", "data_format")
        attrs = {name: node.attrs[name] for name in names}
        pooled = scope.extra(f"{node.name}/pooled", Wire(forward, [images], attrs, [kind]))[0], kind
        return Wire(f"{forward}Grad", [images, pooled, dy], attrs, [kind])

    return form


def _spread(scope: Scope, node: Operation) -> Wire | None:
    """A cotangent at the places of a slice, and zeros elsewhere."""
    vectors = slice_vectors(scope, node, scope.inputs(node)[2:], {t.dtype for t in node.inputs[2:]})
    if vectors is None:
        return None
    masks, (begin, end, strides) = vectors
    shape, dy = scope.inputs(node)[:2]
    if begin[1] is not shape[1]:
        wide = Wire("Cast", [shape], {}, [begin[1]])
        shape = scope.extra(f"{node.name}/shape", wire=wide)[0], begin[1]
    return Wire("StridedSliceGrad", [shape, begin, end, strides, dy], masks, [dy[1]])


FORMS["MaxPoolGrad"] = for_both(_pooled_back("MaxPool"))
FORMS["MaxPool3DGrad"] = for_both(_pooled_back("MaxPool3D"))
FORMS["StridedSliceGrad"] = for_both(_spread)


def _skipped(scope: Scope, node: Operation) -> Wire | None:
    """The state of a generator that is a variable, before a draw."""
    key = handle_key(node.inputs[0])
    if getattr(key, "dtype", None) is not dtypes.int64:
        return None
    resource, (delta, _) = scope.inputs(node)
    algorithm = scope.constant(f"{node.name}/alg", 1, dtypes.int32)
    count = scope.extra(f"{node.name}/delta", Wire("Cast", [(delta, dtypes.int64)], {}, [dtypes.uint64]))[0]
    return Wire("RngReadAndSkip", [resource, algorithm, (count, dtypes.uint64)], {}, [dtypes.int64])


FORMS["RngReadAndSkip"] = for_both(_skipped)


# ---------------------------------------------------------------- gradients of nodes' own


def _with_gradient(scope: Scope, node: Operation) -> Wire | None:
    """Tensors that are passed on with a gradient of their own, which TensorFlow has by the name it is registered by."""
    library = scope.library
    if library.audience is not Audience.BOTH or not scope.name:
        return None
    gradient = node.graph.referred(node.attrs["gradient"]).written()
    count, many = node.attrs["num"], node.attrs["num"] + node.attrs["inputs"]
    inputs = scope.inputs(node)
    program = library.whole(gradient.program.graph)
    kinds = [d for _, d in inputs]
    attrs: dict[str, Any] = {
        CUSTOM: ("func", library.messages.NameAttrList(name=program)),
        PLACES: ("list(int)", gradient.places),
        COUNT: ("int", count),
    }
    if not any(d in (dtypes.resource, dtypes.variant) for d in kinds[:many]):
        label = f"InlayGradient-{scope.name}-{node.name}"
        places = [*[-1] * count, *gradient.places, *[-1] * (len(kinds) - many)]
        function = _registered(library, f"{scope.name}_{node.name}_gradient", program, kinds, count, many, places)
        captures = tuple(reference for reference, _ in inputs[many:])
        library.gradients[label] = WrittenGradient(function, scope.name, tuple(p >= 0 for p in places), captures)
        attrs["_gradient_op_type"] = label
    return Wire("IdentityN", inputs, attrs, kinds)


def _registered(
    library: Any, name: str, program: str, kinds: Sequence[DType], count: int, many: int, places: Sequence[int]
) -> str:
    """The function of a cotangent for each tensor that is passed on, and of what the gradient captures."""
    message = library.messages.FunctionDef()
    for at, dtype in enumerate([*kinds, *kinds[many:]]):
        message.signature.input_arg.add(name=f"x_{at}", type=dtype.as_datatype_enum)
    inner = library.functions[program]
    node = message.node_def.add(name="call", op="StatefulPartitionedCall")
    node.input.extend(f"x_{at}" for at in [*range(count), *range(len(kinds), len(kinds) + len(kinds) - many)])
    node.attr["f"].func.name = program
    node.attr["Tin"].list.type.extend(argument.type for argument in inner.signature.input_arg)
    node.attr["Tout"].list.type.extend(result.type for result in inner.signature.output_arg)
    for at, place in enumerate(p for p in places if p >= 0):
        message.signature.output_arg.add(name=f"y_{at}", type=inner.signature.output_arg[place].type)
        message.ret[f"y_{at}"] = f"call:output:{place}"
    return str(library.add_function(name, message))


FORMS["CustomGradient"] = _with_gradient
