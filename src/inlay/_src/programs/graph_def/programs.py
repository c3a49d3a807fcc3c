"""Calls, branches and loops on the wire: their programs are functions of the message's library and take every input.

Here a program captures tensors, and `picks` says which inputs of the node are the captures of which program. There
every branch takes every input but the one that chooses, and condition and body of a loop take, and the body gives back,
every input.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import from_dims
from inlay._src.core.operation import Operation
from inlay._src.core.tables import references
from inlay._src.programs.graph_def.exporting import FORMS, Audience, Scope
from inlay._src.programs.graph_def.function_arguments import FunctionArgument
from inlay._src.programs.graph_def.wire import Wire


def _programs(node: Operation, *names: str) -> list[Any]:
    return [node.graph.referred(r) for name in names for r in references(node.attrs[name])]


def _function(scope: Scope, name: str) -> Any:
    return scope.library.messages.NameAttrList(name=name)


def _inputs(scope: Scope, node: Operation) -> tuple[list[tuple[str, DType]], list[int | None]]:
    """The inputs of a node that calls functions, and the place of each among them; None for one that is left out."""
    passed, places = scope.library.passed(node.inputs)
    return [(scope.reference(t), t.dtype) for t in passed], places


def _call(scope: Scope, node: Operation) -> Wire | None:
    (program,) = _programs(node, "f")
    attrs = {"f": _function(scope, scope.library.whole(program.graph))}
    return Wire(node.type, _inputs(scope, node)[0], attrs, [t.dtype for t in node.outputs])


def _branches(scope: Scope, node: Operation) -> Wire | None:
    inputs, places = _inputs(scope, node)
    passed, places = scope.library.passed(node.inputs[1:])
    parameters = [FunctionArgument.like(t) for t in passed]
    names = [
        _function(scope, scope.library.function(p.graph, parameters, [places[i] for i in pick]))
        for p, pick in zip(_programs(node, "branches"), node.attrs["picks"], strict=True)
    ]
    two = node.type in ("If", "StatelessIf")
    running = dict(zip(("then_branch", "else_branch"), names, strict=True)) if two else {"branches": names}
    attrs = {**running, "output_shapes": [t.shape for t in node.outputs]}
    return Wire(node.type, inputs, attrs, [t.dtype for t in node.outputs])


def _loop(scope: Scope, node: Operation) -> Wire | None:
    """A loop. One with a limit counts its turns in a variable of its own, behind the others.

    For TensorFlow, which needs it for the gradient, every loop counts its turns in a variable before the others, and
    has its limit, or -1, in the next one.
    """
    limit, count = node.attrs["limit"], node.attrs["num"]
    inputs, every = _inputs(scope, node)
    tensors = scope.library.passed(node.inputs)[0]
    dims = [t._dims for t in (*node.outputs, *tensors[count:])]
    before = 2 if scope.library.audience is Audience.BOTH else 0
    behind = 1 if limit is not None and not before else 0
    counters = [scope.constant(f"{node.name}/turns", 0, dtypes.int32)] if before or behind else []
    if before:
        counters.append(scope.constant(f"{node.name}/limit", -1 if limit is None else limit, dtypes.int32))
    inputs, dims = (
        ([*counters, *inputs], [(), (), *dims]) if before else ([*inputs, *counters], [*dims, *[()] * behind])
    )
    kinds, turns = [d for _, d in inputs], 0 if before else len(inputs) - 1

    def tested(within: Scope, arguments: list[str], results: list[str]) -> list[tuple[str, DType]]:
        if limit is None:
            return [(results[0], dtypes.bool_)]
        most = (arguments[1], dtypes.int32) if before else within.constant("limit", limit, dtypes.int32)
        pair = [(arguments[turns], dtypes.int32), most]
        less = within.extra("within_limit", Wire("Less", pair, {}, [dtypes.bool_]))[0]
        both = [(results[0], dtypes.bool_), (less, dtypes.bool_)]
        return [(within.extra("both", Wire("LogicalAnd", both, {}, [dtypes.bool_]))[0], dtypes.bool_)]

    def turned(within: Scope, arguments: list[str], results: list[str]) -> list[tuple[str, DType]]:
        passed = [*arguments[:before], *results, *arguments[before + count :]]
        if counters:
            one = within.constant("one", 1, dtypes.int32)
            pair = [(arguments[turns], dtypes.int32), one]
            passed[turns] = within.extra("next_turn", Wire("AddV2", pair, {}, [dtypes.int32]))[0]
        return list(zip(passed, kinds, strict=True))

    names = []
    for program, pick, finish in zip(
        _programs(node, "cond", "body"), node.attrs["picks"], (tested, turned), strict=True
    ):
        first, last = ([FunctionArgument(n, dtypes.int32) for n in part] for part in _counting(before, behind))
        arguments = [*first, *map(FunctionArgument.like, tensors), *last]
        captured = [every[count + i] for i in pick]
        places = [*range(before, before + count), *(None if at is None else before + at for at in captured)]
        names.append(_function(scope, scope.library.function(program.graph, arguments, places, finish)))
    attrs = {"cond": names[0], "body": names[1], "output_shapes": [from_dims(d) for d in dims]}
    return Wire(node.type, inputs, attrs, kinds, before)


def _counting(before: int, behind: int) -> tuple[list[str], list[str]]:
    """The names of the arguments by which a loop counts, before and behind its own."""
    return ["turns", "limit"][:before], ["turns"][:behind]


FORMS.update(
    {
        "PartitionedCall": _call, "StatefulPartitionedCall": _call, "If": _branches, "StatelessIf": _branches,
        "Case": _branches, "StatelessCase": _branches, "While": _loop, "StatelessWhile": _loop,
    }
)  # fmt: skip
