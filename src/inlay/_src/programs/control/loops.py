"""`while_loop`: a program runs as long as the condition, another program, is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest, shapes, template
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.base.types.template import Template
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.array import stop_gradient
from inlay._src.ops.math import add, less, logical_and
from inlay._src.programs.control import loop_invariants
from inlay._src.programs.control.repeating import CONDITION, WHILE
from inlay._src.programs.control.tracing import add_running, trace


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
      shape_invariants: shapes or specs, nested like `loop_vars` that hold in every iteration; by default
        the first shapes do, but for the lengths of the rows of ragged tensors.
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
    stated = None
    if shape_invariants is not None:
        invariants = [shape_invariants] if single else list(shape_invariants)
        stated = nest.flatten_up_to(nests, invariants, check_types=False)
        nests = _entering(nests, stated)
    flat, state = template.flatten(nests)
    tensors = [convert_to_tensor(v) for v in flat]
    if context.current().graph is None and not any(isinstance(t, SymbolicTensor) for t in tensors):
        out = _eager_loop(cond, body, nests, maximum_iterations)
    else:
        last = build_loop(
            lambda *ts: cond(*state.fill(ts)),
            lambda *ts: _turn(body, state, ts),
            _loop_variables(tensors, nests, stated),
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
      dims: static shape that holds in every iteration.
      label: name in error messages.
      stated: whether the shape is an invariant that was stated, rather than that of the first value.
    """

    tensor: Tensor
    dims: Dims
    label: str
    stated: bool = False


def _entering(nests: list[Any], stated: Sequence[Any]) -> list[Any]:
    leaves = [loop_invariants.entering(*parts) for parts in zip(nest.flatten(nests), stated, strict=True)]
    return nest.pack_sequence_as(nests, leaves)  # type: ignore[no-any-return]


def _loop_variables(tensors: Sequence[Tensor], nests: list[Any], stated: Sequence[Any] | None) -> list[LoopVariable]:
    shapes_of: list[Dims] = []
    leaves = nest.flatten(nests)
    for leaf, shape in zip(leaves, [None] * len(leaves) if stated is None else stated, strict=True):
        value: Any = leaf if isinstance(leaf, Composite) else tensors[len(shapes_of)]
        if isinstance(shape, TypeSpec) and not shape.is_compatible_with(value):
            raise TypeError(f"TypeSpec {shape!r} is not compatible with {value!r}")
        if isinstance(leaf, Composite):
            own = [t.shape._dims for t in tensors[len(shapes_of) :][: len(leaf._components())]]
            shapes_of += loop_invariants.component_shapes(leaf, shape) or own
        else:
            stated_shape = shape.shape if isinstance(shape, TensorSpec) else shape
            shapes_of.append(value.shape._dims if shape is None else shapes.as_shape(stated_shape)._dims)
    named = all(isinstance(t, SymbolicTensor) for t in tensors)
    labels = [t.name if named else f"loop variable {i}" for i, t in enumerate(tensors)]  # type: ignore[attr-defined]
    return [LoopVariable(*parts) for parts in zip(tensors, shapes_of, labels, strict=True)]


class Wording(NamedTuple):
    """Texts of errors about a variable that an iteration changes: the cause, and advice for dtypes and for shapes."""

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
    """The results of a body as a list of loop variables."""
    if count == 1 and not (isinstance(result, (list, tuple)) and len(result) == 1):
        return [result]
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _eager_loop(cond: Callable[..., Any], body: Callable[..., Any], state: list[Any], limit: Any) -> list[Any]:
    """The last values, as tensors. The functions get the first ones, and what the body returns, as they are."""
    left = None if limit is None else int(limit)
    while (left is None or left > 0) and bool(cond(*state)):
        following = _returned(body(*state), len(state))
        if len(following) != len(state) or not all([v.__class__ is EagerTensor for v in (*state, *following)]):
            nest.assert_same_structure(state, following, check_types=False)
        state = following
        left = None if left is None else left - 1
    return nest.map_structure(convert_to_tensor, state, expand_composites=True)  # type: ignore[no-any-return]


def build_loop(
    test: Callable[..., Any],
    turn: Callable[..., Any],
    variables: Sequence[LoopVariable],
    limit: Any,
    name: str,
    wording: Wording,
    widens: bool = False,
) -> list[SymbolicTensor]:
    """A `While` node.

    Args:
      test: takes one tensor per loop variable, gives whether another turn follows.
      turn: takes one tensor per loop variable, gives their next values.
      variables: the loop variables.
      limit: the most turns, an int32 scalar, or None.
      name: the node's name.
      wording: of errors.
      widens: whether a variable whose shape an iteration changes has the shape that holds of both from then on.

    Returns:
      The last values.
    """
    graph, count = context.current().graph, len(variables)
    if graph is None:
        graph = next(v.tensor.op.graph for v in variables if isinstance(v.tensor, SymbolicTensor))
    with context.within(graph):
        most = None if limit is None else convert_to_tensor(limit, dtypes.int32)
        limit_value = None if most is None else constant_of(most)
        if most is not None and limit_value is None:
            test, turn, variables = _counted(test, turn, variables, most)
        entering = [symbolic(v.tensor, graph) for v in variables]
        for tensor, v in zip(entering, variables, strict=True):
            _check_invariant(tensor, v.dims, v.label)
        while True:
            parameters = [
                (t.dtype, v.dims, f"loop_var_{i}") for i, (t, v) in enumerate(zip(entering, variables, strict=True))
            ]
            tested = trace(lambda *tensors: _tested(test(*tensors)), f"{name}_cond", parameters)
            turned = trace(turn, f"{name}_body", parameters)
            wider = [_wider(v, after) for v, after in zip(variables, turned.graph.outputs, strict=True)]
            if not widens or wider == [v.dims for v in variables]:
                break
            variables = [v._replace(dims=dims) for v, dims in zip(variables, wider, strict=True)]
        for before, after, variable in zip(entering, turned.graph.outputs, variables, strict=True):
            _check_carried(variable, before.dtype, after, wording)
        node = add_running(
            graph,
            WHILE,
            entering,
            {"cond": tested.graph, "body": turned.graph},
            [v.dims for v in variables],
            name,
            {"limit": None if limit_value is None else int(limit_value)},
        )
    return node.outputs[len(node.outputs) - count :]


def _wider(variable: LoopVariable, after: Tensor) -> Dims:
    """The static shape that holds before and after an iteration; a stated shape stays."""
    if variable.stated:
        return variable.dims
    return shapes.from_dims(variable.dims).most_specific_compatible_shape(after.shape)._dims


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
        raise TypeError(f"{CONDITION} must be a bool, got {result!r}")
    return result


def _turn(body: Callable[..., Any], state: Template, tensors: Sequence[Any]) -> list[Tensor]:
    """The next values of the loop variables, from a body that takes and returns nests."""
    before = state.fill(tensors)
    following = _returned(body(*before), len(before))
    if len(following) != len(before):
        raise ValueError(
            "The two structures don't have the same nested structure: the body of a loop returned "
            f"{len(following)} values for {len(before)} loop variables"
        )
    nest.assert_same_structure(before, following, check_types=False)
    leaves = nest.flatten(following, expand_composites=True)
    return [
        leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf, dtype_hint=t.dtype)
        for leaf, t in zip(leaves, tensors, strict=True)
    ]


def _check_carried(variable: LoopVariable, dtype: DType, after: Tensor, wording: Wording) -> None:
    """Refuses what an iteration makes of a loop variable if it is not of the variable's dtype and shape.

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
