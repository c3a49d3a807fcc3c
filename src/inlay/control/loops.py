"""`while_loop`: a program runs as long as another one says so."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from inlay.control.loop_gradient import LoopGradient, LoopPullback, gradient_of
from inlay.control.tracing import add_running, trace
from inlay.core import context
from inlay.core.graph import constant_of
from inlay.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay.devices.device_tensor import on_host, value_of
from inlay.eager.convert import convert_to_tensor, symbolic
from inlay.export import export
from inlay.interpreter.source import Source
from inlay.ops.array import stop_gradient
from inlay.ops.math import add, less, logical_and
from inlay.plan.plan import Feed, Plan, Step
from inlay.plan.step_call import Cells
from inlay.program import ProgramCall, program_op
from inlay.run.executable import Executable
from inlay.run.generated import of_values
from inlay.run.inlined import write_loop
from inlay.types import dtypes, nest, shapes, template
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims
from inlay.types.template import Template

bool_ = np.bool_
TURNS = 3
"""Turns from which a loop is written as a function."""
_CONDITION = "the condition of a loop"


class _Repeat(ProgramCall):
    """The step of a `While` node. Inputs: the loop variables, then the captures of both programs."""

    __slots__ = ("_gradient", "_seen", "_whole", "count", "limit", "picks", "step")

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step, tables, ("cond", "body"))
        self.step = step
        self._seen = 0  # turns so far
        self._whole: Callable[[Sequence[Any]], list[Any]] | None = None  # the loop as a function
        self.picks: tuple[tuple[int, ...], ...] = step.attrs["picks"]
        self.count: int = step.attrs["num"]
        self.limit: int | None = step.attrs["limit"]
        self._gradient: LoopGradient | None | bool = step.pulls is not None and self.wants_pullback

    @property
    def gradient(self) -> LoopGradient | None:
        """How its gradient is computed, if it leaves a pullback and no records have to be kept for that."""
        if self._gradient.__class__ is bool:
            made = None
            if self._gradient:
                assert self.step.pulls is not None
                places = [self.count + i for i in self.picks[1]]
                made = gradient_of(self.programs[1], *self.step.pulls, places)
            self._gradient = made
        return self._gradient  # type: ignore[return-value]

    @property
    def executables(self) -> Sequence[Executable]:
        """See `InlinedCall.executables`."""
        if not self.wants_pullback:
            return super().executables
        return () if self.gradient is None else [self.programs[0].executable, self.gradient.forward.executable]

    def write(self, step: Step, cells: Cells, source: Source) -> None:
        left = functools.partial(LoopPullback, self.gradient) if self.wants_pullback and self.gradient else None
        write_loop(self.executables, self.picks, self.limit, self._holds, left, step, cells, source)

    def __call__(self, *values: Any) -> list[Any]:
        gradient = self.gradient if self.wants_pullback else None
        if gradient is None:
            return super().__call__(*values)
        kept: list[Any] = []

        def turn(state: list[Any]) -> list[Any]:
            made = gradient.forward.run(state)
            kept.append(made[self.count :])
            return made[: self.count]

        state, _ = self._repeated(values, self.programs[0].run, turn, self.limit)
        return [*state, LoopPullback(gradient, values, kept, state)]

    def _holds(self, value: Any) -> Any:
        """Whether another turn follows, from what the condition made: an array, on the host or on a device."""
        return self.scalar(on_host(value), _CONDITION)

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        cond, body = self.programs
        if self._seen < TURNS:
            state, ended = self._repeated(values, cond.run, body.run, TURNS if self.limit is None else self.limit)
            if ended:
                return state
            values = [*state, *values[self.count :]]
        if self._whole is None:
            self._whole = self._as_function()
        return self._whole(values)

    def _as_function(self) -> Callable[[Sequence[Any]], list[Any]]:
        """The loop as a function of the values of its inputs, written if it can be."""
        if not self.writes_source:
            cond, body = self.programs
            return lambda values: self._repeated(values, cond.run, body.run, self.limit)[0]
        ins = range(len(self.dtypes))
        outs = range(len(ins), len(ins) + self.count)
        step = replace(self.step, ins=tuple(ins), outs=tuple(outs), checks=(), waits=())
        feeds = tuple(Feed(cell, "", False) for cell in ins)
        plan = Plan(len(ins) + self.count, feeds, (), (), (step,), tuple(outs), (), concurrent=False)
        return of_values(plan, (self,), len(ins))(())

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        cond, body = self.programs
        test = lambda state: cond.run([value_of(t) for t in state])  # noqa: E731
        return self._repeated(tensors, test, body.run_recorded, self.limit)[0]

    def _repeated(
        self,
        inputs: Sequence[Any],
        test: Callable[[list[Any]], Any],
        turn: Callable[[list[Any]], Any],
        most: int | None,
    ) -> tuple[list[Any], bool]:
        """The loop variables after the last turn, of so many at most, and whether the loop has ended."""
        state = list(inputs[: self.count])
        for_test, for_turn = ([inputs[self.count + i] for i in pick] for pick in self.picks)
        turns = 0
        while most is None or turns < most:
            held = test([*state, *for_test])[0]
            if held.__class__ is not bool_:
                held = self._holds(held)
            if not held:
                break
            state = turn([*state, *for_turn])
            turns += 1
        self._seen += turns
        return state, turns != most or most == self.limit


WHILE = program_op("While", _Repeat, "Repeats a program while another one gives true.")


@export("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeats `body` while `cond` holds.

    Args:
      cond: takes the loop variables, returns a scalar bool.
      body: takes the loop variables, returns their next values, nested alike.
      loop_vars: a list or tuple of nests of tensors: the first values.
      shape_invariants: shapes nested like `loop_vars` that hold in every iteration; by default the first shapes do.
      parallel_iterations, swap_memory: accepted; iterations run one after the other.
      back_prop: False stops gradients at the loop, in graphs.
      maximum_iterations: an upper bound, an int32 scalar.
      name: the node's name.

    Returns:
      The last values, nested like `loop_vars`.

    Raises:
      TypeError, ValueError: if `body` changes structure, dtype or shape, naming the variable.
    """
    if not callable(cond) or not callable(body):
        raise TypeError("'cond' and 'body' must be callable.")
    if loop_vars is None or (isinstance(loop_vars, (list, tuple)) and not loop_vars):
        raise ValueError("'loop_vars' must be provided: at least one loop variable.")
    single = not isinstance(loop_vars, (list, tuple))
    nests = [loop_vars] if single else list(loop_vars)
    flat, state = template.flatten(nests)
    tensors = [convert_to_tensor(v) for v in flat]
    if context.current().graph is None and not any(isinstance(t, SymbolicTensor) for t in tensors):
        out = _eager_loop(cond, body, state.fill(tensors), maximum_iterations)
    else:
        invariants = None
        if shape_invariants is not None:
            given = [shape_invariants] if single else list(shape_invariants)
            invariants = nest.flatten_up_to(nests, given, check_types=False)
        last = build_loop(
            lambda *ts: cond(*state.fill(ts)),
            lambda *ts: _turn(body, state, ts),
            _loop_variables(tensors, invariants),
            maximum_iterations,
            name or "while",
            _ENTERS,
        )
        out = state.fill(last if back_prop else [stop_gradient(t) for t in last])
    if single:
        return out[0]
    if hasattr(loop_vars, "_fields"):
        return type(loop_vars)(*out)
    return tuple(out) if isinstance(loop_vars, tuple) else out


@export("compat.v1.while_loop")
def while_loop_v1(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """`tf.while_loop` as in 1.x; a single loop variable is returned without its list or tuple.

    Args:
      cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, name, maximum_iterations: as
        in `tf.while_loop`.
      return_same_structure: True keeps the list or tuple.

    Returns:
      The last values.
    """
    out = while_loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations, name
    )
    unwrapped = isinstance(loop_vars, (list, tuple)) and len(loop_vars) == 1 and not return_same_structure
    return out[0] if unwrapped else out


class LoopVariable(NamedTuple):
    """One tensor that a loop carries from turn to turn.

    Attributes:
      tensor: its value before the loop.
      dims: what is known of its shape in every turn.
      label: what errors call it.
      stated: whether the shape is an invariant that was stated, rather than that of the first value.
    """

    tensor: Tensor
    dims: Dims
    label: str
    stated: bool = False


def _loop_variables(tensors: Sequence[Tensor], invariants: Sequence[Any] | None) -> list[LoopVariable]:
    shapes_of = [t.shape._dims for t in tensors]
    if invariants is not None:
        shapes_of = [shapes.as_shape(s)._dims for s in invariants]
    named = all(isinstance(t, SymbolicTensor) for t in tensors)
    labels = [t.name if named else f"loop variable {i}" for i, t in enumerate(tensors)]  # type: ignore[attr-defined]
    return [LoopVariable(*parts) for parts in zip(tensors, shapes_of, labels, strict=True)]


class Wording(NamedTuple):
    """How errors word a variable that a turn changes: what happened, and what to do about dtypes and about shapes."""

    changed: str
    dtype: str
    shape: str


_ENTERS = Wording(
    "Input tensor '{name}' enters the loop with {what} {before}, but has {what} {after} after one iteration.",
    "Cast it in the body (tf.cast), or before the loop.",
    "To allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
    "less-specific shape; if the value comes from a Python function, state its shape with set_shape.",
)


def _returned(result: Any, count: int) -> list[Any]:
    """What a body returned, as a list of loop variables."""
    if count == 1 and not (isinstance(result, (list, tuple)) and len(result) == 1):
        return [result]
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _eager_loop(cond: Callable[..., Any], body: Callable[..., Any], state: list[Any], limit: Any) -> list[Any]:
    left = None if limit is None else int(limit)
    while (left is None or left > 0) and bool(cond(*state)):
        following = _returned(body(*state), len(state))
        if len(following) != len(state) or not all([v.__class__ is EagerTensor for v in (*state, *following)]):
            nest.assert_same_structure(state, following, check_types=False)
            following = nest.map_structure(convert_to_tensor, following, expand_composites=True)
        state = following
        left = None if left is None else left - 1
    return state


def build_loop(
    test: Callable[..., Any],
    turn: Callable[..., Any],
    variables: Sequence[LoopVariable],
    limit: Any,
    name: str,
    wording: Wording,
) -> list[SymbolicTensor]:
    """A `While` node.

    Args:
      test: takes one tensor per loop variable, gives whether another turn follows.
      turn: takes one tensor per loop variable, gives their next values.
      variables: what the loop carries.
      limit: the most turns, an int32 scalar, or None.
      name: the node's name.
      wording: of errors.

    Returns:
      The last values.
    """
    graph, count = context.current().graph, len(variables)
    if graph is None:
        graph = next(v.tensor.op.graph for v in variables if isinstance(v.tensor, SymbolicTensor))
    with context.within(graph):
        most = None if limit is None else convert_to_tensor(limit, dtypes.int32)
        known = None if most is None else constant_of(most)
        if most is not None and known is None:
            test, turn, variables = _counted(test, turn, variables, most)
        entering = [symbolic(v.tensor, graph) for v in variables]
        for tensor, v in zip(entering, variables, strict=True):
            _check_invariant(tensor, v.dims, v.label)
        parameters = [
            (t.dtype, v.dims, f"loop_var_{i}") for i, (t, v) in enumerate(zip(entering, variables, strict=True))
        ]
        tested = trace(lambda *tensors: _tested(test(*tensors)), f"{name}_cond", parameters)
        turned = trace(turn, f"{name}_body", parameters)
        for before, after, variable in zip(entering, turned.graph.outputs, variables, strict=True):
            _check_carried(variable, before.dtype, after, wording)
        node = add_running(
            graph,
            WHILE,
            entering,
            {"cond": tested.graph, "body": turned.graph},
            [v.dims for v in variables],
            name,
            {"limit": None if known is None else int(known)},
        )
    return node.outputs[len(node.outputs) - count :]


def _counted(
    test: Callable[..., Any], turn: Callable[..., Any], variables: Sequence[LoopVariable], most: Tensor
) -> tuple[Callable[..., Any], Callable[..., Any], list[LoopVariable]]:
    """A loop that counts its turns in a variable of its own, for a limit that is known only when the graph runs."""
    counter = LoopVariable(convert_to_tensor(0), (), "the loop's counter")
    return (
        lambda turns, *state: logical_and(less(turns, most), _tested(test(*state))),
        lambda turns, *state: [add(turns, 1), *turn(*state)],
        [counter, *variables],
    )


def _check_invariant(tensor: SymbolicTensor, dims: Dims, label: str) -> None:
    invariant = shapes.from_dims(dims)
    if not shapes.compatible(tensor._dims, dims) or not tensor.shape.is_subtype_of(invariant):
        raise ValueError(
            f"The shape invariant {invariant} is not compatible with the shape {tensor.shape} of {label} before the "
            "loop"
        )


def _tested(held: Any) -> Tensor:
    result = convert_to_tensor(held)
    if result.dtype is not dtypes.bool_:
        raise TypeError(f"{_CONDITION} must be a bool, got {result!r}")
    return result


def _turn(body: Callable[..., Any], state: Template, tensors: Sequence[Any]) -> list[Tensor]:
    """The next values of the loop variables, from a body that takes and returns nests."""
    before = state.fill(tensors)
    following = _returned(body(*before), len(before))
    if len(following) != len(before):
        raise ValueError(f"the body of a loop returned {len(following)} values for {len(before)} loop variables")
    nest.assert_same_structure(before, following, check_types=False)
    leaves = nest.flatten(following, expand_composites=True)
    return [
        leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf, dtype_hint=t.dtype)
        for leaf, t in zip(leaves, tensors, strict=True)
    ]


def _check_carried(variable: LoopVariable, dtype: DType, after: Tensor, wording: Wording) -> None:
    """Refuses what a turn makes of a loop variable if it is not of the variable's dtype and shape.

    Raises:
      TypeError, ValueError: naming the variable and both sides.
    """
    name, dims = variable.label, shapes.from_dims(variable.dims)
    if after.dtype is not dtype:
        changed = wording.changed.format(name=name, what="dtype", before=dtype.name, after=after.dtype.name)
        raise TypeError(f"{changed} {wording.dtype} (inlay explain loop-changes)")
    if after.shape.is_subtype_of(dims):
        return
    if variable.stated:
        raise ValueError(
            f"'{name}' has shape {after.shape} after one iteration, which does not conform with the shape invariant "
            f"{dims}."
        )
    changed = wording.changed.format(name=name, what="shape", before=dims, after=after.shape)
    raise ValueError(f"{changed} {wording.shape} (inlay explain loop-changes)")
