"""The variables of a loop statement in the graph: their initial values, the values after an iteration and the final
values.

The value of a variable before the loop decides how it is carried:

    tensor, number, array, nest of them   a loop variable; unchanged after the body: the value before the loop, also
    afterwards
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.template import Flattening, Plain, Template
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Operation
from inlay._src.core.opdef import Role
from inlay._src.core.tensor import Tensor
from inlay._src.ops.variables import Variable
from inlay._src.programs.control.if_statement import NUMBERS, RETURNED, trying
from inlay._src.programs.control.loop_invariants import component_shapes
from inlay._src.programs.control.loops import LoopVariable
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.programs.control.tracing import Tracing
from inlay._src.programs.control.variables import (
    State,
    Undefined,
    UndefinedReturnValue,
    Variables,
    blank,
    blank_like,
    is_undefined,
)
from inlay._src.programs.program import programs_of

Target = tuple[str, tuple[Any, Dims] | None]


class Entering(NamedTuple):
    """The initial values of a loop.

    Attributes:
      before: the variables before the loop.
      values: the same as they enter: with stand-ins where there was nothing.
      stated: number of a variable -> its shape in every iteration, if that is stated or known from trying.
      nones: the names of variables that were None and are something after an iteration.
      tried: the ops of the body as it was tried out.
      fresh: the names of variables that have a value after an iteration only.
      returns: whether every iteration ends with a `return`.
    """

    before: State
    values: list[Any]
    stated: dict[int, Any]
    nones: Sequence[str] = ()
    tried: Sequence[str] = ()
    fresh: Sequence[str] = ()
    returns: bool = False


def entering(
    variables: Variables,
    before: State,
    invariants: Sequence[Any],
    target: Target | None,
    counters: Sequence[Tensor],
    turn: Callable[[Any], None],
) -> Entering:
    """The initial values of a loop; the body is tried out for variables without a usable value before it.

    Args:
      variables: the variables that the loop changes.
      before: their values.
      invariants: (value, shape) of variables whose shape is stated.
      target: the name of a `for`'s own variable, and its (dtype, dims) if it is one tensor.
      counters: the loop's counter, if it has one.
      turn: runs the body; takes the counter, or None.
    """
    stated: dict[int, Any] = {}
    for value, shape in invariants:
        at = [i for i, v in enumerate(before) if v is value]
        if not at:
            raise ValueError(f"shape_invariants: {value!r} is not a variable that this loop changes")
        stated.update(dict.fromkeys(at, shape))
    values, says_nothing, fresh = list(before), [], []
    for i, value in enumerate(before):
        if target and target[1] and isinstance(value, Undefined) and variables.names[i] == target[0]:
            values[i] = blank(*target[1])
            fresh.append(variables.names[i])
        elif value is None or is_undefined(value) or isinstance(value, (Variable, str, bytes)):
            says_nothing.append(i)
    if not says_nothing:
        return Entering(before, values, stated, fresh=fresh)
    tried_values, tried = _tried(variables, Entering(before, values, stated), counters, turn, says_nothing)
    returns = any(v is True for name, v in zip(variables.names, tried_values, strict=True) if name.startswith(RETURNED))
    no_value = (Undefined, UndefinedReturnValue) if returns else Undefined
    nones = []
    for i in says_nothing:
        values[i] = _stand_in(variables.names[i], before[i], tried_values[i])
        if before[i] is None and values[i] is not None:
            nones.append(variables.names[i])
        if values[i] is not before[i] and (before[i] is None or isinstance(before[i], no_value)):
            fresh.append(variables.names[i])
        if values[i] is not before[i] and not isinstance(before[i], (Variable, str, bytes)):
            stated.setdefault(i, _shapes(tried_values[i]))
    return Entering(before, values, stated, nones, tried, fresh, returns)


def _shapes(value: Any) -> Any:
    """The shape of a variable's value, a nest of them for a nest; None where it has none."""
    if _is_nest(value):
        return nest.pack_sequence_as(value, [_shapes(leaf) for leaf in nest.flatten(value)])
    return value.shape if _has_shape(value) else None


def _has_shape(value: Any) -> bool:
    return isinstance(value, (Tensor, Composite)) and not isinstance(value, TensorArray)


def _tried(
    variables: Variables,
    entry: Entering,
    counters: Sequence[Tensor],
    turn: Callable[[Any], None],
    wanted: Sequence[int],
) -> tuple[list[Any], list[str]]:
    """The variables after an iteration in a discarded graph (those `wanted` with tensors for numbers), its ops."""
    outer = context.current().graph
    assert outer is not None
    tracing = Tracing("tried", outer)
    with tracing.building(), trying():
        numbers = tracing.inputs([(t.dtype, t.shape._dims, "counter") for t in counters])
        carried = Carried(variables.names, entry)
        parameters = [(v.tensor.dtype, v.tensor.shape._dims, "state") for v in carried.variables]
        variables.assign(carried.filled(tracing.inputs(parameters)))
        try:
            turn(numbers[0] if numbers else None)
        except UnboundLocalError as error:
            if error.name not in variables.names:
                raise
            raise ValueError(
                f"'{error.name}' must be defined before the loop: its body reads it, and a loop in the graph has one "
                "body for all turns"
            ) from error
        results = list(variables.read())
        for i in wanted:
            results[i] = nest.map_structure(lambda v: convert_to_tensor(v) if isinstance(v, NUMBERS) else v, results[i])
    variables.assign(entry.before)
    return results, _ops_of(tracing.graph)


def _stand_in(name: str, before: Any, after: Any) -> Any:
    """The initial value of a variable without a usable value before the loop, derived from the tried body's result."""
    if after is before or is_undefined(after) or after is None or isinstance(after, Operation):
        return before
    if isinstance(before, (str, bytes)) and after == before:
        return before
    if isinstance(before, (Variable, str, bytes)):
        return convert_to_tensor(before)
    if not _is_nest(after) and not isinstance(after, (Tensor, Composite, str, bytes)):
        what = "is None" if before is None else "must be defined"
        raise ValueError(
            f"'{name}' {what} before the loop: it is {after!r} after one iteration, and a loop in the graph carries "
            "tensors only"
        )
    return nest.map_structure(
        lambda v: blank_like(v if isinstance(v, (Tensor, Composite)) else convert_to_tensor(v)), after
    )


class Carried:
    """The leaves of its variables that a loop carries.

    Args:
      names: the variables' names.
      entry: the initial values.

    Attributes:
      variables: the tensors of those leaves, components of composites each.
    """

    def __init__(self, names: Sequence[str], entry: Entering) -> None:
        self.names, self.entry = names, entry
        self.variables: list[LoopVariable] = []
        flat = Flattening()
        self._template = Template([self._part(flat, i, value) for i, value in enumerate(entry.values)])

    def _part(self, flat: Flattening, i: int, value: Any) -> Any:
        stated = self.entry.stated.get(i)
        leaves = [value] if not _is_nest(value) else nest.flatten(value)
        shapes_stated = [stated] if not _is_nest(value) else nest.flatten(stated)
        wanted = iter(shapes_stated if len(shapes_stated) == len(leaves) else [None] * len(leaves))

        def place(leaf: Any) -> Any:
            stated = next(wanted)
            if not _is_carried(leaf):
                return Plain(leaf)
            operand = leaf if isinstance(leaf, Composite) else convert_to_tensor(leaf)
            hole = flat.hole(operand)
            tensors = flat.values[hole.index :]
            if hole.composite is not None:
                sizes = _component_sizes(operand, stated, tensors)
            else:
                sizes = [tensors[0].shape._dims if stated is None else shapes.as_shape(stated)._dims]
            for tensor, dims in zip(tensors, sizes, strict=True):
                self.variables.append(LoopVariable(tensor, dims, self.names[i], stated is not None))
            return hole

        return flat.part(value, place) if _is_nest(value) else place(value)

    def filled(self, tensors: Sequence[Any]) -> list[Any]:
        """The variables with `tensors` in the places of what is carried."""
        return self._template.fill(tensors)  # type: ignore[no-any-return]


def _component_sizes(value: Any, stated: Any, components: Sequence[Tensor]) -> list[Dims]:
    """The shapes of the components of a composite that a loop carries; those that vary if nothing is stated."""
    shapes_of = None if stated is None else component_shapes(value, stated)
    return [_loose(component) for component in components] if shapes_of is None else shapes_of


class LoopIteration:
    """One iteration: the variables at its beginning and at its end."""

    __slots__ = ("after", "carried", "before")

    def __init__(self, carried: Carried, before: Sequence[Any], after: Sequence[Any]) -> None:
        self.carried, self.before, self.after = carried, before, after

    def tensors(self) -> list[Tensor]:
        """The carried tensors at the end.

        Raises:
          ValueError, TypeError: if the turn changed what a loop cannot carry, or the structure of what it carries.
        """
        names, entry = self.carried.names, self.carried.entry
        if entry.nones and entry.tried != _ops_of(context.current().graph):
            raise ValueError(
                f"'{entry.nones[0]}' is not allowed to be None before the loop: its body asks whether it is None, "
                "which is known in Python only. Give it a tensor before the loop."
            )
        out: list[Tensor] = []
        for name, init, value, current, after in zip(
            names, entry.before, entry.values, self.before, self.after, strict=True
        ):
            _check_structure(name, init, value, after)
            for before, now, old in zip(_leaves(value), _leaves(after), _leaves(current), strict=True):
                if _is_carried(before):
                    out += _carried_on(name, now, old)
                else:
                    _check_kept(name, before, now)
        return out

    def final(self, outputs: Sequence[Any]) -> list[Any]:
        """The variables after the loop, from the tensors it gives."""
        entry = self.carried.entry
        last = self.carried.filled(outputs)
        every = zip(entry.before, entry.values, self.before, self.after, last, strict=True)
        return [_final(*parts) for parts in every]


def _check_structure(name: str, init: Any, entering: Any, after: Any) -> None:
    first, then = (v if _is_nest(v) else None for v in (entering, after))
    try:
        nest.assert_same_structure(first, then, check_types=False)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' does not have the same nested structure after one iteration.\n\nbefore: {init!r}\n\nafter: "
            f"{after!r}"
        ) from error


def _check_kept(name: str, before: Any, now: Any) -> None:
    """Checks a value that a loop cannot carry."""
    if now is before or (isinstance(before, (str, bytes)) and now == before):
        return
    if before is None or is_undefined(before):
        if now is None or is_undefined(now) or isinstance(now, Operation):
            return
    raise TypeError(
        f"'{name}' is {before!r} before the loop, but {now!r} after one iteration: a loop in the graph carries "
        "tensors, numbers and nests of them only (inlay explain loop-changes)"
    )


def _carried_on(name: str, now: Any, old: Any) -> Sequence[Tensor]:
    """The tensors of a carried leaf at the end of an iteration."""
    if now is None or is_undefined(now):
        raise ValueError(f"'{name}' is None or undefined at the end of the iteration, but was {old!r} before")
    if isinstance(old, Composite):
        if type(now) is not type(old):
            raise TypeError(f"'{name}' is {old!r} before the loop, but {now!r} after one iteration")
        return [convert_to_tensor(c) for c in now._components()]
    try:
        return [now if isinstance(now, Tensor) else convert_to_tensor(now, dtype_hint=old.dtype)]
    except (TypeError, ValueError) as error:
        raise TypeError(f"'{name}' is a tensor before the loop, but {now!r} after one iteration: {error}") from error


def _final(init: Any, entering: Any, current: Any, after: Any, last: Any) -> Any:
    """A variable after the loop: the very object that it was if no turn changes it."""
    leaves = []
    changed = entering is not init
    every = zip(_leaves(entering), _leaves(current), _leaves(after), _leaves(last, entering), strict=True)
    for before, old, now, value in every:
        if not _is_carried(before):
            leaves.append(None if isinstance(now, Operation) else now)
            changed = changed or now is not before
            continue
        if isinstance(now, TensorArray):
            value = now._rebuild(value._components())
        changed = changed or now is not old
        leaves.append(before if now is old and entering is init else value)
    if not changed:
        return init
    return nest.pack_sequence_as(entering, leaves) if _is_nest(entering) else leaves[0]


def _is_carried(leaf: Any) -> bool:
    return isinstance(leaf, (Tensor, Composite, *NUMBERS)) and not isinstance(leaf, Variable)


def _is_nest(value: Any) -> bool:
    """Whether a loop looks into a value: containers, but not objects that happen to be dataclasses."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return any(isinstance(v, (Tensor, Composite)) for v in nest.flatten(value))
    return nest.is_nested(value)


def _leaves(value: Any, like: Any = None) -> list[Any]:
    """The leaves of a variable's value, or the value itself if a loop does not look into it (into `like`)."""
    return nest.flatten(value) if _is_nest(value if like is None else like) else [value]


def _loose(component: Any) -> Dims:
    """The shape of a component of a composite: sizes of what varies from value to value are not kept."""
    if component.dtype is dtypes.variant:
        return ()
    dims = component.shape._dims
    return None if dims is None else (None, *dims[1:]) if dims else dims


def _ops_of(graph: Any) -> list[str]:
    """The ops of a traced body, those of the programs inside included."""
    names = []
    for node in graph.nodes:
        if node.opdef.role not in (Role.PLACEHOLDER, Role.CONSTANT):
            names.append(node.opdef.name)
        for program in programs_of(node):
            names += _ops_of(program.graph)
    return names
