"""The gradients of calls, branches and loops for TensorFlow, which has no op that consumes what a node left behind.

In a graph of inlay the gradient of such a node is one node, `Pullback`. For TensorFlow it is written as ops: the
gradient of a call differentiates a copy of the function, that of branches chooses between the gradients of the
branches, and that of a loop runs the loop once more, keeps the variables of each iteration in lists, and goes back. A
function with an effect, or one that draws random numbers, cannot run twice: its gradient stays a node of inlay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import from_dims
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect
from inlay._src.core.operation import Operation
from inlay._src.core.tables import references
from inlay._src.engine.autodiff.backward import variable_value
from inlay._src.engine.autodiff.graph_gradients import UnconnectedGradients, differentiate
from inlay._src.ops.array import zeros_like
from inlay._src.ops.math import add, cast
from inlay._src.programs.control.branches import switch_case
from inlay._src.programs.control.graph_copies import GraphCopies
from inlay._src.programs.control.loops import while_loop
from inlay._src.programs.graph_def.composed_forms import Unwritten, inline
from inlay._src.programs.graph_def.exporting import FORMS, Audience, Scope
from inlay._src.programs.graph_def.wire import Wire
from inlay._src.programs.program import Program

_REPEATABLE = (Effect.PURE, Effect.READS)
_CHANGES_NOTHING = frozenset({"Assert", "NoOp", "Print", "PrintV2"})
"""Ops with an effect that is on no variable."""


def _copied(program: Program, arguments: Sequence[Any]) -> list[Any]:
    """The results of a program whose nodes are added to the graph in force."""
    graph: Any = context.current().graph
    taken = [symbolic(argument, graph) for argument in arguments]
    pairs = zip(program.parameters, taken, strict=True)
    copies = GraphCopies(program.graph, graph, {id(parameter): argument for parameter, argument in pairs})
    copies.add(list(program.graph.outputs))
    return [copies.of(tensor) for tensor in program.graph.outputs]


def _none_for(tensor: Any) -> Any:
    """The cotangent of a tensor that nothing depends on; of a handle that of its variable's value."""
    if tensor.dtype is dtypes.variant:
        return emit(OPS["TensorListReserve"], (emit(OPS["TensorListLength"], (tensor,)),))
    return zeros_like(variable_value(tensor))


def _has_cotangent(tensor: Any) -> bool:
    return tensor.dtype.is_trainable or tensor.dtype is dtypes.variant


def _sum(one: Any, other: Any) -> Any:
    return emit(OPS["TensorListAdd"], (one, other)) if one.dtype is dtypes.variant else add(one, other)


def _slopes(program: Program, arguments: Sequence[Any], seeds: Sequence[Any], wanted: Sequence[int]) -> list[Any]:
    """The cotangents of some arguments of a program, from those of its results; zeros where there is none.

    Args:
      program: the program.
      arguments: its arguments.
      seeds: the cotangent of each result, or None.
      wanted: the numbers of the arguments.
    """
    graph: Any = context.current().graph
    arguments = [symbolic(argument, graph) for argument in arguments]
    results = _copied(program, arguments)
    pairs = [(y, g) for y, g in zip(results, seeds, strict=True) if g is not None and _has_cotangent(y)]
    sources = [arguments[i] for i in wanted]
    if not pairs:
        return [_none_for(x) for x in sources]
    slopes = differentiate(
        [y for y, _ in pairs], [g for _, g in pairs], sources, [True] * len(sources), UnconnectedGradients.NONE
    )
    return [_none_for(x) if g is None else convert_to_tensor(g) for g, x in zip(slopes, sources, strict=True)]


def _of_call(node: Operation, programs: Sequence[Program], primals: Any, seeds: Any, wanted: Any) -> list[Any]:
    return _slopes(programs[0], primals, seeds, wanted)


def _of_branches(node: Operation, programs: Sequence[Program], primals: Any, seeds: Any, wanted: Any) -> list[Any]:
    """One of the gradients of the branches, by the number that chose the branch."""

    def slopes(number: int) -> Any:
        pick = [1 + i for i in node.attrs["picks"][number]]
        here = [pick.index(i) for i in wanted if i in pick]
        cotangents = iter(_slopes(programs[number], [primals[i] for i in pick], seeds, here))
        return [next(cotangents) if i in pick else _none_for(primals[i]) for i in wanted]

    chosen = primals[0]
    if chosen.dtype is dtypes.bool_:
        chosen = 1 - cast(chosen, dtypes.int32)
    result = switch_case(chosen, [lambda n=n: slopes(n) for n in range(len(programs))])  # type: ignore[misc]
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _of_loop(node: Operation, programs: Sequence[Program], primals: Any, seeds: Any, wanted: Any) -> list[Any]:
    """The loop once more, with the variables of each iteration in lists; then its iterations backward."""
    cond, body = programs
    count, limit, (cond_pick, body_pick) = node.attrs["num"], node.attrs["limit"], node.attrs["picks"]
    state, outside = list(primals[:count]), list(primals[count:])
    if any(t.dtype is dtypes.resource for t in state):
        raise Unwritten

    def test(turn: Any, variables: Any, lists: Any) -> Any:
        (goes_on,) = _copied(cond, [*variables, *(outside[i] for i in cond_pick)])
        return goes_on

    def forward(turn: Any, variables: Any, lists: Any) -> Any:
        longer = [
            emit(OPS["TensorListSetItem"], (entries, turn, x), {"grow": True})
            for entries, x in zip(lists, variables, strict=True)
        ]
        return turn + 1, _copied(body, [*variables, *(outside[i] for i in body_pick)]), longer

    arrays = [emit(OPS["TensorListReserve"], (0,)) for _ in state]
    partial = [from_dims(t._dims) for t in body.graph.inputs[:count]]
    invariants = (from_dims(()), partial, [None] * count)
    start = (convert_to_tensor(0), state, arrays)
    turns, _, lists = while_loop(test, forward, start, shape_invariants=invariants, maximum_iterations=limit)
    real = [i for i in range(count) if _has_cotangent(state[i])]
    picked = [body_pick[k] for k in range(len(body_pick))]
    gathered = [i - count for i in wanted if i >= count]
    places = [*real, *(count + picked.index(i) for i in gathered if i in picked)]
    after = [_none_for(state[i]) if seeds[i] is None else seeds[i] for i in real]
    totals = [_none_for(outside[i]) for i in gathered if i in picked]

    def backward(turn: Any, cotangents: Any, sums: Any) -> Any:
        here = turn - 1
        variables = [
            emit(OPS["TensorListGetItem"], (entries, here), {"dtype": x.dtype, "shape": x._dims})
            for entries, x in zip(lists, body.graph.inputs, strict=False)
        ]
        incoming: list[Any] = [None] * count
        for i, cotangent in zip(real, cotangents, strict=True):
            incoming[i] = cotangent
        slopes = _slopes(body, [*variables, *(outside[i] for i in body_pick)], incoming, places)
        more = slopes[len(real) :]
        return here, slopes[: len(real)], [_sum(a, b) for a, b in zip(sums, more, strict=True)]

    loose = [from_dims(body.graph.inputs[i]._dims) for i in real]
    around = [from_dims(t._dims) for t in totals]
    shapes = (from_dims(()), loose, around)
    _, before, sums = while_loop(lambda turn, *_: turn > 0, backward, (turns, after, totals), shapes)
    by_state = dict(zip(real, before, strict=True))
    by_outside = dict(zip([i for i in gathered if i in picked], sums, strict=True))
    out = []
    for i in wanted:
        total = by_state.get(i) if i < count else by_outside.get(i - count)
        out.append(_none_for(primals[i]) if total is None else total)
    return out


_GRADIENTS = {
    "PartitionedCall": _of_call, "StatefulPartitionedCall": _of_call, "If": _of_branches, "StatelessIf": _of_branches,
    "Case": _of_branches, "StatelessCase": _of_branches, "While": _of_loop, "StatelessWhile": _of_loop,
}  # fmt: skip
"""The type of a node -> (node, its programs, primals, cotangents of its results, wanted inputs) -> their cotangents."""


def _written(scope: Scope, node: Operation) -> Wire | None:
    if scope.library.audience is Audience.SELF:
        return None
    source, attrs = node.inputs[0].op, node.attrs
    make = _GRADIENTS.get(source.type)
    programs = [source.graph.referred(r) for value in source.attrs.values() for r in references(value)]
    if make is None or not all(isinstance(p, Program) and p.effect in _REPEATABLE for p in programs):
        return None
    reads = any(program.effect is Effect.READS for program in programs)
    if reads and source.graph is node.graph and _changes_between(source, node):
        return None

    def gradient(*tensors: Any) -> list[Any]:
        primals, cotangents = tensors[: attrs["primals"]], tensors[attrs["primals"] :]
        seeds: list[Any] = [None] * attrs["outputs"]
        for i, cotangent in zip(attrs["given"], cotangents, strict=True):
            seeds[i] = cotangent
        return make(source, programs, primals, seeds, attrs["wanted"])

    try:
        references_ = [(scope.reference(t), t.dtype) for t in node.inputs[1:]]
        written = inline(scope, f"{node.name}/gradient", gradient, node.inputs[1:], references_)
    except Unwritten:
        return None
    return Wire("IdentityN", written, {}, [d for _, d in written])


def _changes_between(first: Operation, last: Operation) -> bool:
    """Whether a variable may have another value at a node than at one before it."""
    nodes = first.graph.nodes[first.index + 1 : last.index]
    return any(n.effect in (Effect.WRITES, Effect.STATEFUL) and n.type not in _CHANGES_NOTHING for n in nodes)


FORMS["Pullback"] = _written
