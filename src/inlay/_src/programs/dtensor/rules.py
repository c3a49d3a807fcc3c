"""Ops on tensors of a mesh: the layout of the result, from the layouts of the inputs.

all inputs replicated   -> the result is replicated: any op
elementwise, products,  -> the axes of the result are labeled by the axes of the inputs that they come from, and cut as
reductions, moved axes     these are: `joined_specs`
any other op            -> refused by name if an input is cut

The value is computed whole, as for any tensor: a layout changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS, emit, graph_of
from inlay._src.core.eager.running import converted_inputs
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.opdef import Effect, OpDef
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.programs.dtensor.layout import UNSHARDED, Layout
from inlay._src.programs.dtensor.mesh import Mesh
from inlay._src.programs.dtensor.tensor import DTensor, is_cut, plain

SMALL = 20
"""Whole numbers and strings beside tensors on a mesh may be fewer than this many without being copied there."""

Specs = Sequence[str]
Rule = Callable[[OpDef, Sequence[Any], Mapping[str, Any], Sequence[EagerTensor]], Sequence[Specs]]


def answer(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of `op` on inputs one of which lies on a mesh.

    Raises:
      UnimplementedError: in a graph, beside a tensor that lies on no mesh, or if the result's layout is not known.
      InvalidArgumentError: if the inputs lie on different meshes.
    """
    if context.current().graph is not None or graph_of(inputs) is not None:
        raise errors.UnimplementedError(
            None,
            None,
            f"{op.name}: a graph has no tensors on a mesh. Call the function without tf.function, or pass it "
            "dtensor.unpack(tensor) or tensor.numpy()",
        )
    read = [[_read(v) for v in x] if x.__class__ is list else _read(x) for x in inputs]
    mesh = _mesh_of(op, read)
    converted, _ = converted_inputs(op, tuple(read))
    state = context.current()
    with context.using(state.with_tapes(())):
        result = emit(op, _plain(converted), attrs, name)
    if result is None or op.effect is Effect.WRITES or not (isinstance(result, EagerTensor) or op.many):
        return result
    outputs = result if op.many else [result]
    flat = op.flat(converted)
    specs = _specs_of(op, flat, attrs, outputs)
    laid = [DTensor(t._value, t._dtype, Layout(s, mesh)) for t, s in zip(outputs, specs, strict=True)]
    if state.tapes:
        record_operation(op, flat, tuple(laid), attrs, state)
    return laid if op.many else laid[0]


def _read(value: Any) -> Any:
    return convert_to_tensor(value) if value.__class__ in ANSWERS and not isinstance(value, Tensor) else value


def _plain(inputs: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        [plain(v) for v in x] if x.__class__ is list else plain(x) if isinstance(x, DTensor) else x for x in inputs
    )


def _mesh_of(op: OpDef, inputs: Sequence[Any]) -> Mesh:
    """The mesh of an op's inputs."""
    meshes: list[Mesh] = []
    for position, (arg, x) in enumerate(zip(op.args, inputs, strict=True)):
        for value in x if arg.variadic else (x,):
            if isinstance(value, DTensor):
                meshes.append(value.layout.mesh)
            elif not arg.static and not _may_stand_beside(value):
                shape = list(value.shape) if isinstance(value, Tensor) else list(np.shape(value))
                raise errors.UnimplementedError(
                    None,
                    None,
                    f"The op/function {op.name} got a regular tensor for input {position} (shape {shape}) but was "
                    "expecting a DTensor. Currently only scalars and small integer/string tensors are auto-broadcast "
                    "to DTensors. For other tensors, please use copy_to_mesh to make a DTensor explicitly",
                )
    if any(m != meshes[0] for m in meshes):
        raise errors.InvalidArgumentError(
            None, None, f"{op.name}: all inputs must have the same mesh, got {' and '.join(map(repr, meshes))}"
        )
    return meshes[0]


def _may_stand_beside(value: Any) -> bool:
    """Whether a value without a layout is copied to every device unasked."""
    if not isinstance(value, EagerTensor):
        array = np.asarray(value)
        return not array.ndim or (array.dtype.kind in "iubSU" and array.size < SMALL)
    few = value.dtype.is_integer or value.dtype in (dtypes.string, dtypes.resource)
    return not value.ndim or (few and value._value.size < SMALL)


# ---------------------------------------------------------------- layouts of results


def _specs_of(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[EagerTensor]
) -> Sequence[Specs]:
    """The layout of each result of an op; `inputs` are flat."""
    if op.lowering.shape_only or not any(map(is_cut, inputs)):
        return [[UNSHARDED] * t.ndim for t in outputs]
    rule = _elementwise if op.elementwise else RULES.get(op.name)
    if rule is not None:
        return rule(op, inputs, attrs, outputs)
    cut = next(filter(is_cut, inputs))
    raise errors.UnimplementedError(
        None,
        None,
        f"{op.name} of a tensor that is cut ({cut.layout.sharding_specs}): the layout of its result is not known here. "
        "Bring the parts together first: dtensor.relayout(tensor, Layout.replicated(mesh, rank))",
    )


def joined_specs(operands: Sequence[tuple[str, Specs]], result: str) -> Specs:
    """The layout of a result whose axes are labeled like those of the operands, as in an equation of `einsum`.

    An axis is cut as in the first operand that cuts it; axes that would share an axis of the mesh are not cut.

    Args:
      operands: the labels of each operand's axes, and its layout.
      result: the labels of the result's axes.
    """
    cuts = [
        [s for labels, specs in operands for axis, s in zip(labels, specs, strict=True) if axis == label != " "]
        for label in result
    ]
    sets = [set(c) - {UNSHARDED} for c in cuts]
    shared = [any(mine & other for j, other in enumerate(sets) if j != i) for i, mine in enumerate(sets)]
    return [
        UNSHARDED if together else next((s for s in c if s != UNSHARDED), UNSHARDED)
        for c, together in zip(cuts, shared, strict=True)
    ]


def _layout(value: Any) -> Specs:
    return value.layout.sharding_specs if isinstance(value, DTensor) else [UNSHARDED] * value.ndim


def _labels(rank: int) -> str:
    """Labels of that many axes; the last axis of every tensor has the same one."""
    return "".join(chr(0x4E00 + rank - i) for i in range(rank))


def _elementwise(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    tensors = [t for t in inputs if isinstance(t, EagerTensor)]
    operands = [(_labels(t.ndim), _layout(t)) for t in tensors]
    return [joined_specs(operands, _labels(t.ndim)) for t in outputs]


def _product(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    def labels(tensor: Any, own: str, side: str) -> str:
        pair = own + "k" if side == "a" else "k" + own
        turned = attrs.get(f"transpose_{side}") or attrs.get(f"adjoint_{side}")
        return _labels(tensor.ndim - 2) + (pair[::-1] if turned else pair)

    a, b = inputs
    operands = [(labels(a, "i", "a"), _layout(a)), (labels(b, "j", "b"), _layout(b))]
    return [joined_specs(operands, _labels(outputs[0].ndim - 2) + "ij")]


def _equation(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    terms, _, result = attrs["equation"].replace(" ", "").partition("->")
    operands = []
    for term, tensor in zip(terms.split(","), inputs, strict=True):
        batch = _labels(tensor.ndim - len(term.replace("...", "")))
        operands.append((term.replace("...", batch), _layout(tensor)))
    batch = _labels(outputs[0].ndim - len(result.replace("...", "")))
    return [joined_specs(operands, result.replace("...", batch))]


def _reduction(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    specs, rank = list(_layout(inputs[0])), inputs[0].ndim
    axis = inputs[1]
    numbers = range(rank) if axis is None else np.atleast_1d(_static(axis)).tolist()
    axes = {int(a) % rank for a in numbers}
    if attrs.get("keepdims"):
        return [[UNSHARDED if i in axes else s for i, s in enumerate(specs)]]
    return [[s for i, s in enumerate(specs) if i not in axes]]


def _static(value: Any) -> Any:
    return value._value if isinstance(value, EagerTensor) else value


def _transposed(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    specs = _layout(inputs[0])
    perm = range(len(specs))[::-1] if inputs[1] is None else np.asarray(_static(inputs[1])).tolist()
    return [[specs[i] for i in perm]]


def _expanded(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    specs, at = list(_layout(inputs[0])), int(np.asarray(_static(inputs[1])).reshape(()))
    specs.insert(at % outputs[0].ndim, UNSHARDED)
    return [specs]


def _broadcast(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Sequence[Specs]:
    return _elementwise(op, inputs[:1], attrs, outputs)


RULES: dict[str, Rule] = {
    "MatMul": _product,
    "BatchMatMulV2": _product,
    "Einsum": _equation,
    "Transpose": _transposed,
    "ExpandDims": _expanded,
    "BroadcastTo": _broadcast,
    "Softmax": _elementwise,
    "LogSoftmax": _elementwise,
    **dict.fromkeys(("Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "ArgMax", "ArgMin"), _reduction),
}
"""Op type -> `rule(op, flat inputs, attrs, results)`, the layout of each result."""

ANSWERS[DTensor] = answer
