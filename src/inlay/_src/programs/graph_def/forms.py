"""Ops whose inputs or attributes are declared otherwise here than by TensorFlow, both ways.

Many differ in a name alone (`RENAMED`), or take as an attribute what is an input there and hardly ever anything but a
constant (`MOVED`). Slices, variables, draws and Python functions have a form of their own. Calls, branches and loops
are in `programs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.ops.hash_tables.table_ops import HANDLES
from inlay._src.ops.seeds import RandomKey
from inlay._src.programs.graph_def.attributes import tensor_message
from inlay._src.programs.graph_def.declared import (
    OWN,
    REQUIRED,
    Argument,
    Declaration,
    DeclaredAttribute,
    declaration,
    declare,
)
from inlay._src.programs.graph_def.exporting import (
    FORMS,
    RENAMED,
    SKIPPED,
    Audience,
    Scope,
    as_declared,
)
from inlay._src.programs.graph_def.function_arguments import is_state_of_op
from inlay._src.programs.graph_def.host_functions import AbsentFunction
from inlay._src.programs.graph_def.wire import Wire

_KEPT = dict.fromkeys(("Sum", "Mean", "Prod", "Max", "Min", "Any", "All"), {"keepdims": "keep_dims"})
RENAMED.update(
    {
        **_KEPT,
        "BatchMatMulV2": {"adjoint_a": "adj_x", "adjoint_b": "adj_y"},
        "Cast": {"dtype": "DstT"},
        "DecodeCSV": {"out_type": "OUT_TYPE"},
        "DynamicPartition": {"num": "num_partitions"},
        "MaxPoolWithArgmax": {"output_dtype": "Targmax"},
        "ReadVariableOp": {"shape": ""},
        "ResizeNearestNeighbor": {"half_pixel": "half_pixel_centers"},
        "ReverseSequence": {"seq_axis": "seq_dim", "batch_axis": "batch_dim"},
        "Split": {"num": "num_split"},
        "SplitV": {"num": "num_split"},
        "Squeeze": {"axis": "squeeze_dims"},
        "Svd": {"Treal": ""},
        "TensorListSetItem": {"grow": "resize_if_index_out_of_bounds"},
    }
)


# ---------------------------------------------------------------- attributes that are inputs


class Moved(NamedTuple):
    """An attribute that is an input in TensorFlow.

    Attributes:
      position: of the input.
      attr: the attribute.
      dtype: of the input; None: that of the node's first input.
      read: the attribute from the value of the input.
    """

    position: int
    attr: str
    dtype: DType | None
    read: Callable[[np.ndarray], Any]


def _whole(value: np.ndarray) -> int:
    return int(value.reshape(()))


def _number(value: np.ndarray) -> Any:
    return value.reshape(()).item()


def _axes(value: np.ndarray) -> tuple[int, ...]:
    return tuple(value.reshape(-1).tolist())


MOVED: Mapping[str, tuple[Moved, ...]] = {
    "ConcatV2": (Moved(-1, "axis", dtypes.int32, _whole),),
    "Split": (Moved(0, "axis", dtypes.int32, _whole),),
    "SplitV": (Moved(2, "axis", dtypes.int32, _whole),),
    "GatherV2": (Moved(2, "axis", dtypes.int32, _whole),),
    "ReduceJoin": (Moved(1, "axis", dtypes.int32, _axes),),
}
"""Op type -> its attributes that are inputs, in the order of their positions."""
RENAMED["CTCBeamSearchDecoder"] = {"output_types": ""}
RENAMED["ReduceJoin"] = {"keepdims": "keep_dims"}


def moved(scope: Scope, node: Operation) -> Wire | None:
    """A node whose attributes are written as constants that it takes."""
    rows = MOVED[node.type]
    if any(node.attrs.get(m.attr, node.opdef.attrs[m.attr].default) is None for m in rows):
        return None
    inputs = scope.inputs(node)
    for m in rows:
        value = node.attrs.get(m.attr, node.opdef.attrs[m.attr].default)
        constant = scope.constant(f"{node.name}/{m.attr}", value, m.dtype or node.inputs[0].dtype)
        inputs.insert(len(inputs) if m.position < 0 else m.position, constant)
    attrs = {k: v for k, v in node.attrs.items() if k not in {m.attr for m in rows}}
    return _wire(node, inputs, attrs)


def _wire(node: Operation, inputs: Sequence[tuple[str, DType]], attrs: Mapping[str, Any]) -> Wire:
    """A node with other inputs and attributes than its own, by the names of its op."""
    declared, renamed = declaration(node.type), RENAMED.find(node.type) or {}
    assert declared is not None
    said = {renamed.get(name, name): value for name, value in attrs.items()}
    return Wire(
        node.type, inputs, {n: v for n, v in said.items() if n in declared.attributes}, [t.dtype for t in node.outputs]
    )


FORMS.update(dict.fromkeys(MOVED.keys() - {"ReduceJoin"}, moved))  # that is also written without an axis


# ---------------------------------------------------------------- products, slices


def _product(scope: Scope, node: Operation) -> Wire | None:
    """A product; an adjoint is a transpose where nothing is complex."""
    attrs = {k: node.attrs.get(k, False) for k in ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")}
    a, b = (int(attrs[f"transpose_{s}"]) + 2 * int(attrs[f"adjoint_{s}"]) for s in "ab")
    complex_ = node.inputs[0].dtype.is_complex
    if 3 in (a, b) or (complex_ and ((2 if node.type == "MatMul" else 1) in (a, b))):
        return None
    names = ("transpose_a", "transpose_b") if node.type == "MatMul" else ("adj_x", "adj_y")
    return Wire(node.type, scope.inputs(node), dict(zip(names, (a > 0, b > 0), strict=True)), [node.outputs[0].dtype])


def _added(scope: Scope, node: Operation) -> Wire | None:
    """A sum; that of strings is another op."""
    if node.inputs[0].dtype is not dtypes.string:
        return as_declared(scope, node)
    return Wire("Add", scope.inputs(node), {}, [dtypes.string])


FORMS["AddV2"] = _added
FORMS.update(dict.fromkeys(("MatMul", "BatchMatMulV2"), _product))


def _sliced(scope: Scope, node: Operation) -> Wire | None:
    """A slice: an index as vectors and masks. Numbers that are tensors are packed into the vectors."""
    written = slice_vectors(scope, node, scope.inputs(node)[1:], {t.dtype for t in node.inputs[1:]})
    if written is None:
        return None
    masks, vectors = written
    return Wire(node.type, [scope.inputs(node)[0], *vectors], masks, [node.outputs[0].dtype])


def slice_vectors(
    scope: Scope, node: Operation, dynamic: Sequence[Any], kinds: set[DType]
) -> tuple[dict[str, int], list[tuple[str, DType]]] | None:
    """The index of a node as masks, and as vectors: where it begins, where it ends, and its steps.

    Args:
      scope: where.
      node: the node.
      dynamic: the references to the numbers that are tensors.
      kinds: the dtypes of these.

    Returns:
      None if the numbers are of several dtypes.
    """
    if len(kinds) > 1 or not kinds <= {dtypes.int32, dtypes.int64}:
        return None
    dtype = next(iter(kinds), dtypes.int32)
    parts: list[list[Any]] = [[], [], []]
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    for i, item in enumerate(node.attrs["index"]):
        begin, end, step = 0, 0, 1
        if isinstance(item, str):
            masks["ellipsis_mask" if item == "ellipsis" else "new_axis_mask"] |= 1 << i
        elif not isinstance(item, tuple) or item[0] == "tensor":
            masks["shrink_axis_mask"] |= 1 << i
            begin, end = item, item + 1 if isinstance(item, int) else 0
        else:
            masks["begin_mask"] |= (item[0] is None) << i
            masks["end_mask"] |= (item[1] is None) << i
            begin, end, step = item[0] or 0, item[1] or 0, 1 if item[2] is None else item[2]
        for part, value in zip(parts, (begin, end, step), strict=True):
            part.append(value)
    names = ("begin", "end", "strides")
    return masks, [_vector(scope, f"{node.name}/{n}", p, dynamic, dtype) for n, p in zip(names, parts, strict=True)]


def _vector(scope: Scope, name: str, parts: list[Any], dynamic: Sequence[Any], dtype: DType) -> tuple[str, DType]:
    """A vector of numbers, some of which are tensors."""
    if not any(isinstance(p, tuple) for p in parts):
        return scope.constant(name, parts, dtype)
    items = [
        dynamic[p[1]] if isinstance(p, tuple) else scope.constant(f"{name}/{i}", p, dtype) for i, p in enumerate(parts)
    ]
    return scope.extra(name, Wire("Pack", items, {"axis": 0}, [dtype]), for_an_attribute=True)[0], dtype


FORMS["StridedSlice"] = _sliced


# ---------------------------------------------------------------- constants, variables, draws


def _constant(scope: Scope, node: Operation) -> Wire | None:
    dtype, value = node.attrs["dtype"], node.constant_value()
    if dtype in dtypes.DENSE:
        return Wire("Const", (), {"value": tensor_message(np.asarray(value), dtype), "dtype": dtype}, [dtype])
    return _variable(scope, node, value)


def _variable(scope: Scope, node: Operation, key: Any) -> Wire | None:
    """The handle of a variable; None for that of anything else."""
    if not isinstance(getattr(key, "dtype", None), DType) or key.dtype not in dtypes.DENSE:
        return None
    attrs = {"dtype": key.dtype, "shape": shapes.from_dims(key.dims), "shared_name": scope.library.shared_name(key)}
    return Wire("VarHandleOp", (), attrs, [dtypes.resource])


FORMS["Const"] = _constant
FORMS["VarHandleOp"] = lambda scope, node: _variable(scope, node, node.graph.referred(node.attrs["handle"]))


def _table(scope: Scope, node: Operation) -> Wire | None:
    """The handle of a table; one with keys that it does not take is made of them in TensorFlow."""
    spec = node.graph.referred(node.attrs["handle"]).spec
    inputs = []
    for label, key in zip(("empty_key", "deleted_key"), spec.reserved, strict=False):
        kind = object if spec.key_dtype is dtypes.string else spec.key_dtype.np
        value = np.array(key, kind).reshape(spec.key_dims)
        inputs.append(scope.constant(f"{node.name}/{label}", value, spec.key_dtype))
    attrs: dict[str, Any] = {"key_dtype": spec.key_dtype, "value_dtype": spec.value_dtype, "shared_name": node.name}
    if spec.value_dims:
        attrs["value_shape"] = shapes.from_dims(spec.value_dims)
    if spec.reserved:
        attrs |= {"value_shape": shapes.from_dims(spec.value_dims), "initial_num_buckets": max(4, spec.buckets)}
    return Wire(node.type, inputs, attrs, [dtypes.resource])


FORMS.update(dict.fromkeys([made.name for made in HANDLES.values()], _table))

DRAWS = (
    *("RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt", "RandomShuffle", "Multinomial"),
    *("RandomGamma", "RandomPoissonV2", "SampleDistortedBoundingBoxV2", "UniformCandidateSampler"),
    *("LogUniformCandidateSampler", "FixedUnigramCandidateSampler", "AllCandidateSampler"),
)
"""The ops that draw from a state of their own, which in TensorFlow is a part of the op."""


def _drawn(scope: Scope, node: Operation) -> Wire | None:
    """A draw; one that takes a state from outside of a function is not so in TensorFlow."""
    state, inputs = node.inputs[0], [(scope.reference(t), t.dtype) for t in node.inputs[1:]]
    if state.op.type == "RandomStateOp":
        return _wire(node, inputs, node.attrs)
    key = handle_key(state)
    if scope.library.audience is not Audience.BOTH or not is_state_of_op(state):
        return None
    if isinstance(key, RandomKey):
        seeds = list(key.seeds or (0, 0))
    else:
        seeds = np.array([key.key, key.high], np.uint64).view(np.int64).tolist() if key.seeded else [0, 0]
    return _wire(node, inputs, {**node.attrs, "seed": seeds[0], "seed2": seeds[1]})


FORMS.update(dict.fromkeys(DRAWS, _drawn))
STATE = f"{OWN}RandomState"
"""The state of a draw that something else than the draw takes: a dataset, whose function draws."""
declare(
    Declaration(
        STATE,
        (),
        (Argument("handle", dtypes.resource, "", "", "", False),),
        {"name": DeclaredAttribute("string", REQUIRED), "seeds": DeclaredAttribute("list(int)", REQUIRED)},
        True,
    )
)


def _random_state(scope: Scope, node: Operation) -> Wire:
    """The state of a draw: its name, and its two seeds if it has them."""
    key = node.graph.referred(node.attrs["handle"])
    return Wire(STATE, (), {"name": key.name, "seeds": key.seeds or ()}, [dtypes.resource])


FORMS["RandomStateOp"] = _random_state
SKIPPED["RandomStateOp"] = lambda node: (
    all(c.type in DRAWS for c in node.outputs[0].consumers()) and bool(node.outputs[0].consumers())
)


# ---------------------------------------------------------------- Python functions


def _host_call(scope: Scope, node: Operation) -> Wire | None:
    host = node.graph.host_functions.get(node.token)
    absent = getattr(host, "fn", None)
    token = absent.token if isinstance(absent, AbsentFunction) else node.token or node.attrs.get("token", "")
    attrs = {"token": token}
    return Wire(node.type, scope.inputs(node), attrs, [t.dtype for t in node.outputs])


FORMS.update(dict.fromkeys(("PyFunc", "PyFuncStateless", "EagerPyFunc"), _host_call))
