"""`cond`, `case`, `switch_case`: one of several programs runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter.source import Source
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import OpDef
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.run.lowering.inlining import write_choice
from inlay._src.ops.array import where, zeros_like
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.math import cast, greater_equal, less, logical_and, not_equal
from inlay._src.ops.printing import assert_
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.stacking import stack
from inlay._src.programs.control.tracing import add_running, aligned, in_common, trace, with_wide_indices
from inlay._src.programs.program import ProgramCall, program_op


class BranchCall(ProgramCall):
    """The step of a `Case` node: its first input says which program runs."""

    __slots__ = ("picks",)

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step, tables, ("branches",))
        self.picks: tuple[tuple[int, ...], ...] = step.attrs["picks"]

    def index(self, value: Any) -> int:
        """The index of the program; an index out of range means the last one, as in `switch_case`."""
        at = int(self.scalar(value, "the branch index of switch_case"))
        return at if 0 <= at < len(self.programs) else len(self.programs) - 1

    def write(self, step: Step, cells: CellLayout, source: Source) -> None:
        write_choice(self.executables, self.picks, self.index, step, cells, source)

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        at = self.index(values[0])
        return self.programs[at].run([values[1 + i] for i in self.picks[at]])

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        at = self.index(tensors[0]._value)
        return self.programs[at].run_recorded([tensors[1 + i] for i in self.picks[at]])


class _If(BranchCall):
    """The step of an `If` node: its first input is a bool."""

    __slots__ = ()

    def index(self, value: Any) -> int:
        return 0 if self.predicate(value, "the predicate of cond") else 1


IF = program_op("If", _If, "Runs one of two programs.", anywhere_from=1, stateless="StatelessIf")
CASE = program_op("Case", BranchCall, "Runs one of several programs.", anywhere_from=1, stateless="StatelessCase")


def _choose(opdef: Any, selector: Any, functions: Sequence[Callable[[], Any]], labels: Sequence[str], name: str) -> Any:
    """A node that runs one of several traced branches."""
    graph = context.current().graph or selector.op.graph  # the selector may come from a graph that encloses this one
    with context.within(graph):
        branches = [trace(f, f"{name}_{label}", (), selector) for f, label in zip(functions, labels, strict=True)]
        branches = with_wide_indices(branches)
        aligned(branches, labels, name)
        node = add_branches(graph, opdef, selector, [b.graph for b in branches], name)
    return in_common(branches).pack(node.outputs, node)


def add_branches(graph: Graph, opdef: OpDef, selector: Any, branches: Sequence[FuncGraph], name: str) -> Operation:
    """A node that runs one of several graphs; `selector` says which."""
    dims = [_merged(same) for same in zip(*(b.outputs for b in branches), strict=True)]
    return add_running(graph, opdef, [selector], {"branches": branches}, dims, name)


def _merged(tensors: Sequence[SymbolicTensor]) -> Dims:
    shape = tensors[0].shape
    for t in tensors[1:]:
        shape = shape.most_specific_compatible_shape(t.shape)
    return shape._dims


@export("cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`true_fn()` if `pred` holds, else `false_fn()`. In a graph only the taken branch runs.

    Args:
      pred: a scalar bool.
      true_fn, false_fn: functions without arguments that return nests of tensors of the same structure and dtypes.
      name: the node's name.

    Returns:
      The result of the branch; `pred` where it returns an operation; the operation if it returns nothing.

    Raises:
      TypeError: if a branch is not callable, the branches' results differ, or `pred` is a Python bool in a graph.
    """
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"'{label}' must be callable, got {function!r}")
    assert true_fn is not None and false_fn is not None
    if isinstance(pred, bool) and not context.executing_eagerly():
        raise TypeError("pred must not be a Python bool", pred)
    tensor = convert_to_tensor(pred)
    if isinstance(tensor, EagerTensor):
        return true_fn() if bool(tensor) else false_fn()
    if tensor.dtype is not dtypes.bool_:
        tensor = not_equal(tensor, zeros_like(tensor))
    return _choose(IF, tensor, (true_fn, false_fn), ("true", "false"), name or "cond")


@export("compat.v1.cond")
def cond_v1(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """`tf.cond` with the arguments of 1.x.

    Args:
      pred, true_fn, false_fn, name: as in `tf.cond`.
      strict: whether a list of one tensor stays a list while executing eagerly, as it does in graphs.
      fn1, fn2: the oldest names of the branches.

    Returns:
      The result of the branch; the operation if it returns no tensor.

    Raises:
      TypeError: if a branch has both its names, and as in `tf.cond`.
    """
    for new, one, old, other in (("true_fn", true_fn, "fn1", fn1), ("false_fn", false_fn, "fn2", fn2)):
        if one is not None and other is not None:
            raise TypeError(f"cond(): '{new}' and '{old}' may not be set simultaneously.")
    first, second = true_fn or fn1, false_fn or fn2
    if strict or not context.executing_eagerly():
        return cond(pred, first, second, name)
    chosen = cond(pred, first, second, name)
    return chosen[0] if isinstance(chosen, (list, tuple)) and len(chosen) == 1 else chosen


@export("switch_case")
def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Tensor:
    """The result of the branch numbered `branch_index`; of `default` (or the last branch) if there is none.

    Args:
      branch_index: an integer scalar tensor.
      branch_fns: a list of functions, a dict of int -> function, or a list of (int, function) pairs.
      default: the function for every other number.
      name: the node's name.

    Raises:
      TypeError: if the index is no integer tensor, a number no int, or a branch not callable.
      ValueError: if the numbers are not 0 to n - 1, each once.
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    functions = _numbered(branch_fns)
    count = len(functions)
    if default is not None:
        functions.append(default)
    if isinstance(branch_index, EagerTensor):
        at = int(branch_index)
        return functions[at if 0 <= at < count else len(functions) - 1]()
    if len(functions) > count:  # the default takes every other number, also `count` itself
        branch_index = _clamped(branch_index, count)
    return _choose(CASE, branch_index, functions, [str(i) for i in range(len(functions))], name)


def _numbered(branch_fns: Any) -> list[Callable[[], Any]]:
    """The branches of a `switch_case` in the order of their numbers."""
    if isinstance(branch_fns, Mapping):
        pairs = list(branch_fns.items())
    elif not isinstance(branch_fns, (list, tuple)):
        raise TypeError(f"'branch_fns' must be a list, tuple or dict, got {type(branch_fns)}")
    elif all(callable(f) for f in branch_fns):
        pairs = list(enumerate(branch_fns))
    else:
        pairs = list(branch_fns)
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(f"'branch_fns' holds functions, or (int, function) pairs, got {pair!r}")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
    if sorted(k for k, _ in pairs) != list(range(len(pairs))):
        raise ValueError(
            f"branch numbers must form contiguous range of 0 to {len(pairs) - 1}, got {sorted(k for k, _ in pairs)}"
        )
    return [f for _, f in sorted(pairs, key=lambda pair: pair[0])]


def _clamped(tensor: Any, count: int) -> Any:
    return where(
        logical_and(greater_equal(tensor, 0), less(tensor, count)), tensor, convert_to_tensor(count, tensor.dtype)
    )


@export("case")
def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Tensor:
    """The result of the first function whose predicate holds; of `default` if none does.

    Args:
      pred_fn_pairs: (predicate, function) pairs, or a dict of them.
      default: the function if no predicate holds; None makes the last pair unconditional after a check.
      exclusive: whether at most one predicate may hold.
      strict: accepted.
      name: the nodes' name.
    """
    if not isinstance(pred_fn_pairs, (list, tuple, Mapping)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, Mapping) else pred_fn_pairs)
    if not pairs:
        raise ValueError("case needs at least one (predicate, function) pair")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {repr_of(pair)}.")
        if not callable(pair[1]):
            raise TypeError(f"case needs (predicate, function) pairs, got {repr_of(pair)}")
        if not (context.executing_eagerly() or isinstance(pair[0], Tensor)):
            raise TypeError(f"pred must be a Tensor, got: {pair[0]!r}")
    if exclusive:
        pairs = _exclusive(pairs, name)

    def chain(rest: Sequence[Any]) -> Any:
        (pred, function), more = rest[0], rest[1:]
        if not more and default is None:
            return cond(pred, function, lambda: _none_matched(function, name), name=name)
        return cond(pred, function, (lambda: chain(more)) if more else default, name=name)

    return chain(pairs)


def _none_matched(function: Callable[[], Any], name: str) -> Any:
    """The branch for no predicate: it fails when it runs. Traced, it has the function's result structure."""
    message = f"None of the conditions evaluated as True in case '{name}', and it has no default"
    with control_dependencies([assert_(False, [message])]):
        return function()


def _exclusive(pairs: Sequence[Any], name: str) -> list[Any]:
    preds = stack([convert_to_tensor(p) for p, _ in pairs])
    message = f"More than one condition evaluated as True in case '{name}' but exclusive=True:"
    with control_dependencies([assert_(less(reduce_sum(cast(preds, dtypes.int32)), 2), [message, preds], -1)]):
        return [(preds[i], f) for i, (_, f) in enumerate(pairs)]
