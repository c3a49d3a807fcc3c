"""`while_loop`: a program runs as long as another one says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay.control.tracing import Branch, effect_of, shared_captures, trace_branch
from inlay.core import context
from inlay.core.graph import default_graph
from inlay.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay.devices.device_tensor import on_host, value_of
from inlay.eager.emit import convert_to_tensor, symbolic
from inlay.export import export
from inlay.plan.plan import Step
from inlay.program import Program, ProgramCall, add_program_node, program_op
from inlay.types import dtypes, nest, shapes
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims

bool_ = np.bool_
_CONDITION = "the condition of a loop"


class _Repeat(ProgramCall):
    """The step of a `While` node. Inputs: the loop variables, then the captures of both programs."""

    __slots__ = ("count", "limit", "picks")

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step, tables, ("cond", "body"))
        self.picks: tuple[tuple[int, ...], ...] = step.attrs["picks"]
        self.count: int = step.attrs["num"]
        self.limit: int | None = step.attrs["limit"]

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        state = list(values[: self.count])
        for_cond = [values[self.count + i] for i in self.picks[0]]
        for_body = [values[self.count + i] for i in self.picks[1]]
        cond, body = self.programs
        turns = 0
        while self.limit is None or turns < self.limit:
            held = cond.run([*state, *for_cond])[0]
            if held.__class__ is not bool_:  # an array, on the host or on a device
                held = self.scalar(on_host(held), _CONDITION)
            if not held:
                break
            state = body.run([*state, *for_body])
            turns += 1
        return state

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        state = list(tensors[: self.count])
        for_cond = [tensors[self.count + i] for i in self.picks[0]]
        for_body = [tensors[self.count + i] for i in self.picks[1]]
        cond, body = self.programs
        turns = 0
        while self.limit is None or turns < self.limit:
            held = cond.run([value_of(t) for t in (*state, *for_cond)])[0]
            if not self.scalar(on_host(held), _CONDITION):
                break
            state = body.run_recorded([*state, *for_body])
            turns += 1
        return state


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
    return_same_structure: bool = True,
) -> Any:
    """Repeats `body` while `cond` holds.

    Args:
      cond: takes the loop variables, returns a scalar bool.
      body: takes the loop variables, returns their next values, nested alike.
      loop_vars: a list or tuple of nests of tensors: the first values.
      shape_invariants: shapes nested like `loop_vars` that hold in every iteration; by default the first shapes do.
      parallel_iterations, back_prop, swap_memory: accepted; iterations run one after the other.
      maximum_iterations: an upper bound.
      name: the node's name.
      return_same_structure: False unwraps a single loop variable (the 1.x default).

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
    variables = [loop_vars] if single else list(loop_vars)
    flat = [convert_to_tensor(v) for v in nest.flatten(variables, expand_composites=True)]
    graph = context.current().graph
    if graph is None:
        graph = next((t.op.graph for t in flat if isinstance(t, SymbolicTensor)), None)
    if graph is None:
        out = _eager_loop(cond, body, variables, flat, maximum_iterations)
    else:
        invariants = (
            None
            if shape_invariants is None
            else [
                shapes.as_shape(s)._dims
                for s in nest.flatten_up_to(
                    variables, [shape_invariants] if single else list(shape_invariants), check_types=False
                )
            ]
        )
        names = [t.name for t in flat if isinstance(t, SymbolicTensor)]
        labels = names if len(names) == len(flat) else [f"loop variable {i}" for i in range(len(flat))]
        out = build_loop(cond, body, variables, flat, invariants, maximum_iterations, name, labels, _ENTERS)
    if single or (not return_same_structure and len(out) == 1):
        return out[0]
    return (
        tuple(out)
        if isinstance(loop_vars, tuple) and not hasattr(loop_vars, "_fields")
        else (type(loop_vars)(*out) if hasattr(loop_vars, "_fields") else out)
    )


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


def _eager_loop(
    cond: Callable[..., Any], body: Callable[..., Any], variables: Sequence[Any], flat: Sequence[Tensor], limit: Any
) -> list[Any]:
    state: list[Any] = nest.pack_sequence_as(list(variables), list(flat), expand_composites=True)
    left = None if limit is None else int(limit)
    while (left is None or left > 0) and bool(cond(*state)):
        following = _returned(body(*state), len(state))
        nest.assert_same_structure(state, following, check_types=False)
        state = nest.map_structure(convert_to_tensor, following, expand_composites=True)
        left = None if left is None else left - 1
    return state


def build_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    variables: Sequence[Any],
    flat: Sequence[Tensor],
    invariants: Sequence[Dims] | None,
    limit: Any,
    name: str | None,
    labels: Sequence[str],
    wording: Wording,
) -> list[Any]:
    """A `While` node for loop variables that are nests; `labels` and `wording` word the errors."""
    graph = context.current().graph or next(t.op.graph for t in flat if isinstance(t, SymbolicTensor))
    with context.within(graph):
        entering = [symbolic(t, graph) for t in flat]
        dims = [t._dims for t in entering] if invariants is None else list(invariants)
        for t, d, label in zip(entering, dims, labels, strict=True):
            if not shapes.compatible(t._dims, d) or not t.shape.is_subtype_of(shapes.from_dims(d)):
                raise ValueError(
                    f"The shape invariant {shapes.from_dims(d)} is not compatible with the shape {t.shape} "
                    f"of {label} before the loop"
                )
        parameters = [(t.dtype, d, f"loop_var_{i}") for i, (t, d) in enumerate(zip(entering, dims, strict=True))]
        packed = list(variables)
        test = trace_branch(lambda *ts: _test(cond, packed, ts), f"{name or 'while'}_cond", parameters)
        turn = trace_branch(lambda *ts: _turn(body, packed, ts), f"{name or 'while'}_body", parameters)
        _check_turn(turn, entering, dims, labels, wording)
        limit, test = _limited(limit, test)
        programs = (Program(test.graph), Program(turn.graph))
        captures, picks = shared_captures(programs)
        node = add_program_node(
            default_graph(),
            WHILE,
            [*entering, *(symbolic(c, graph) for c in captures)],
            turn.graph.outputs,
            {"cond": programs[0], "body": programs[1]},
            {"picks": picks, "limit": limit},
            effect_of(programs),
            name or "while",
            dims,
        )
    return nest.pack_sequence_as(packed, node.outputs, expand_composites=True)  # type: ignore[no-any-return]


def _limited(limit: Any, test: Branch) -> tuple[int | None, Branch]:
    if limit is None:
        return None, test
    from inlay.core.graph import constant_of

    value = constant_of(convert_to_tensor(limit))
    if value is None:
        raise ValueError("maximum_iterations must be known when the graph is built; count in a loop variable instead")
    return int(value), test


def _test(cond: Callable[..., Any], variables: Sequence[Any], tensors: Sequence[Any]) -> Any:
    result = convert_to_tensor(cond(*nest.pack_sequence_as(list(variables), list(tensors), expand_composites=True)))
    if result.dtype is not dtypes.bool_:
        raise TypeError(f"{_CONDITION} must be a bool, got {result!r}")
    return result


def _turn(body: Callable[..., Any], variables: Sequence[Any], tensors: Sequence[Any]) -> Any:
    state = nest.pack_sequence_as(list(variables), list(tensors), expand_composites=True)
    following = _returned(body(*state), len(state))
    if len(following) != len(state):
        raise ValueError(f"the body of a loop returned {len(following)} values for {len(state)} loop variables")
    nest.assert_same_structure(list(variables), following, check_types=False, expand_composites=False)
    wanted = [t.dtype for t in tensors]
    leaves = nest.flatten(following, expand_composites=True)
    return [
        leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf, dtype_hint=d)
        for leaf, d in zip(leaves, wanted, strict=True)
    ]


def _check_turn(
    turn: Branch, entering: Sequence[SymbolicTensor], dims: Sequence[Dims], labels: Sequence[str], wording: Wording
) -> None:
    for before, d, after, label in zip(entering, dims, turn.graph.outputs, labels, strict=True):
        check_carried(label, before.dtype, d, after, wording)


def check_carried(name: str, dtype: DType, dims: Dims, after: Tensor, wording: Wording) -> None:
    """Refuses what a turn makes of a loop variable if it is not of the variable's dtype and shape.

    Raises:
      TypeError, ValueError: naming the variable and both sides.
    """
    if after.dtype is not dtype:
        changed = wording.changed.format(name=name, what="dtype", before=dtype.name, after=after.dtype.name)
        raise TypeError(f"{changed} {wording.dtype}")
    if not after.shape.is_subtype_of(shapes.from_dims(dims)):
        changed = wording.changed.format(name=name, what="shape", before=shapes.from_dims(dims), after=after.shape)
        raise ValueError(f"{changed} {wording.shape}")
