"""`while` and `for` on tensors: the body is traced once, its variables become those of a `While` node.

What a variable is before the loop decides how it is carried:

    tensor, number, array, nest of them   a loop variable; unchanged after the body: what it was, also afterwards
    anything else (objects, strings)      stays as it is; the body may not change it
    nothing (or None)                     the body is tried out first; a stand-in nobody reads enters the loop
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay.control.if_statement import NUMBERS, State, if_stmt, predicate, trying
from inlay.control.loops import Wording, build_loop, check_carried
from inlay.control.tensor_array import TensorArray
from inlay.control.undefined import Undefined, blank, blank_like, is_undefined
from inlay.control.walks import Walk, walk_of
from inlay.core import context
from inlay.core.func_graph import FuncGraph
from inlay.core.graph import Graph, Operation
from inlay.core.opdef import Role
from inlay.core.tensor import SymbolicTensor, Tensor
from inlay.eager.emit import convert_to_tensor
from inlay.program import programs_of
from inlay.types import dtypes, nest, shapes
from inlay.types.nest import Composite
from inlay.types.shapes import Dims
from inlay.variables import Variable

_WORDING = Wording(
    "'{name}' has {what} {before} before the loop, but {what} {after} after one iteration.",
    "Cast one of them.",
    "Use tf.autograph.experimental.set_loop_options to set shape invariants, or state the shape with set_shape.",
)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """A `while` statement: Python's as long as its condition is a Python value, from then on a loop in the graph.

    Args:
      test, body: the condition and the block.
      get_state, set_state: read and write the variables that the loop changes.
      symbol_names: their names.
      opts: what `set_loop_options` gave.
    """
    outer = context.current().graph
    while True:
        if outer is None:
            held = test()
        else:
            held = _tried(test, outer)
            if predicate(held, "while loop") is not None:
                loop = _Loop(get_state, set_state, symbol_names, opts)
                loop.run(lambda _: test(), lambda counter: _turned(body, counter), None)
                return
        if not held:
            return
        body()


def _turned(body: Callable[[], None], counter: Any) -> Any:
    body()
    return counter


def _tried(function: Callable[[], Any], outer: Graph) -> Any:
    """What `function` gives in a graph that is thrown away."""
    with context.using(context.State(graph=FuncGraph("tried", outer))):
        return function()


def for_stmt(
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    opts: Mapping[str, Any],
) -> None:
    """A `for` statement. Over a tensor it is a loop in the graph; over anything else Python's.

    Args:
      iterated: what it iterates over.
      extra_test: whether to go on (no `break`, no `return`), or None.
      body: the block; takes the item.
      get_state, set_state: read and write the variables that the loop changes.
      symbol_names: their names.
      opts: what `set_loop_options` gave, and the target under `iterate_names`.
    """
    walk = walk_of(iterated)
    if walk is None:
        _unrolled(iterated, extra_test, body, get_state, set_state, symbol_names)
        return
    loop = _Loop(get_state, set_state, symbol_names, opts)
    loop.target = (str(opts.get("iterate_names", "")).strip(), walk.item_spec)

    def goes_on(counter: Any) -> Any:
        held = walk.holds(counter)
        if extra_test is None:
            return held
        from inlay.ops.math import logical_and

        return logical_and(held, convert_to_tensor(extra_test()))

    def turn(counter: Any) -> Any:
        body(walk.item(counter))
        return walk.following(counter)

    loop.run(goes_on, turn, walk)


def _unrolled(
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: Sequence[str],
) -> None:
    """A Python loop; once a `break` or `return` depends on a tensor, every further turn is an `if`."""
    if extra_test is None:
        for item in iterated:
            body(item)
        return
    held = extra_test()
    if not isinstance(held, SymbolicTensor) and not held:
        return
    for item in iterated:
        if isinstance(held, SymbolicTensor):
            if not hasattr(iterated, "__len__"):
                raise NotImplementedError(
                    f"this loop over the Python object {iterated!r} ends on a tensor (a `break` or `return` under an "
                    "`if` on a tensor), and how long it is without that is not known while tracing: iterate over a "
                    "list, a Python range, a tensor or tf.range"
                )
            _guarded(held, body, item, get_state, set_state, names)
        else:
            body(item)
        held = extra_test()
        if not isinstance(held, SymbolicTensor) and not held:
            return


def _guarded(
    held: Any,
    body: Callable[[Any], None],
    item: Any,
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: Sequence[str],
) -> None:
    if_stmt(held, lambda: body(item), lambda: None, get_state, set_state, names, len(names))


class _Loop:
    """One loop in the graph.

    Attributes:
      names, init: its variables and their values before.
      entry: their values as they enter: stand-ins where there was none.
      after: their values at the end of the traced body.
      target: the name of a `for`'s own variable, and its (dtype, dims) if it is one tensor.
    """

    def __init__(
        self,
        get_state: Callable[[], State],
        set_state: Callable[[State], None],
        names: Sequence[str],
        opts: Mapping[str, Any],
    ) -> None:
        self.get_state, self.set_state, self.names, self.opts = get_state, set_state, tuple(names), opts
        self.init = get_state()
        self.entry: list[Any] = list(self.init)
        self.after: list[Any] = []
        self.given: list[Any] = []
        self.target: tuple[str, tuple[Any, Dims] | None] = ("", None)
        self.stated: dict[int, Any] = {}
        self._nones: list[str] = []
        self._tried_ops: list[str] = []

    def run(self, test: Callable[[Any], Any], body: Callable[[Any], Any], walk: Walk | None) -> None:
        """Builds the node and sets the variables to its outputs.

        Args:
          test: takes the counter, gives whether another turn follows.
          body: takes the counter, runs a turn, gives the next counter.
          walk: what a `for` walks over; None for `while`, which has no counter.
        """
        try:
            after = self._built(test, body, None if walk is None else walk.begin)
        except BaseException:
            self.set_state(self.init)  # the program may catch the error and go on
            raise
        self.set_state(tuple(after))

    def _built(self, test: Callable[[Any], Any], body: Callable[[Any], Any], begin: Any) -> list[Any]:
        self._invariants()
        self._complete(body, begin)
        carried = self._carried(self.entry)
        variables: list[Any] = [v if isinstance(v, Composite) else convert_to_tensor(v) for _, v in carried]
        labels = [self.names[i] for i, v in carried for _ in nest.flatten(v, expand_composites=True)]
        dims = self._dims([i for i, _ in carried], variables)
        if begin is not None:
            variables, labels, dims = [begin, *variables], ["the loop's counter", *labels], [begin._dims, *dims]
        first = 0 if begin is None else 1

        def go_on(*values: Any) -> Any:
            self._enter(values[first:])
            held = test(values[0] if first else None)
            pred = predicate(held, "loop")
            return convert_to_tensor(bool(held)) if pred is None else pred

        def turn(*values: Any) -> Any:
            self._enter(values[first:])
            following = body(values[0] if first else None)
            return [following] * first + self._leave(dims[first:])

        flat = nest.flatten(variables, expand_composites=True)
        limit = self.opts.get("maximum_iterations")
        out = build_loop(go_on, turn, variables, flat, dims, limit, "while", labels, _WORDING)
        return self._final(out[first:])

    # ---- before

    def _invariants(self) -> None:
        for value, shape in self.opts.get("shape_invariants") or ():
            at = [i for i, v in enumerate(self.init) if v is value]
            if not at:
                raise ValueError(f"shape_invariants: {value!r} is no variable that this loop changes")
            self.stated.update(dict.fromkeys(at, shape))

    def _complete(self, body: Callable[[Any], Any], begin: Any) -> None:
        """Finds what enters the loop for variables whose value before it says nothing."""
        name, spec = self.target
        open_ = []
        for i, value in enumerate(self.init):
            if isinstance(value, Undefined) and self.names[i] == name and spec is not None:
                self.entry[i] = blank(*spec)
            elif value is None or is_undefined(value) or isinstance(value, (Variable, str, bytes)):
                open_.append(i)
        if not open_:
            return
        outer = context.current().graph
        assert outer is not None
        tried = FuncGraph("tried", outer)
        with context.using(context.State(graph=tried)), trying():
            counter = None if begin is None else tried.add_input(begin.dtype, begin._dims, "counter")
            carried = self._carried(self.entry)
            stand_ins = [self._parameter(tried, self.names[i], v) for i, v in carried]
            self._enter(stand_ins)
            body(counter)
            found = self.get_state()
            for i in open_:
                found = (*found[:i], self._as_tensors(found[i]), *found[i + 1 :])
        self._tried_ops = _ops_of(tried)
        for i in open_:
            self.entry[i] = self._entry_of(i, self.init[i], found[i])
        self.set_state(self.init)

    def _parameter(self, graph: FuncGraph, name: str, value: Any) -> Any:
        if isinstance(value, Composite):
            return value._rebuild([graph.add_input(c.dtype, c.shape._dims, "state") for c in value._components()])
        tensor = convert_to_tensor(value)
        return graph.add_input(tensor.dtype, tensor.shape._dims, "state")

    def _as_tensors(self, value: Any) -> Any:
        """A value the tried body left, with its numbers as tensors."""
        return nest.map_structure(lambda v: convert_to_tensor(v) if isinstance(v, NUMBERS) else v, value)

    def _entry_of(self, i: int, before: Any, found: Any) -> Any:
        if found is before or is_undefined(found) or found is None or isinstance(found, Operation):
            return before
        if isinstance(before, (str, bytes)) and found == before:
            return before
        if isinstance(before, (Variable, str, bytes)):
            return convert_to_tensor(before)
        if not _is_nest(found) and not isinstance(found, (Tensor, Composite, str, bytes)):
            what = "is None" if before is None else "must be defined"
            raise ValueError(
                f"'{self.names[i]}' {what} before the loop: it is {found!r} after one iteration, and a loop in the "
                "graph carries tensors only"
            )
        if before is None:
            self._nones.append(self.names[i])
        if isinstance(found, (Tensor, Composite)) and not isinstance(found, TensorArray):
            self.stated.setdefault(i, found.shape)  # type: ignore[union-attr]
        return nest.map_structure(
            lambda v: blank_like(v if isinstance(v, (Tensor, Composite)) else convert_to_tensor(v)), found
        )

    def _dims(self, owners: Sequence[int], variables: Sequence[Any]) -> list[Dims]:
        """The shape that each flat loop variable has in every iteration."""
        dims: list[Dims] = []
        for i, variable in zip(owners, variables, strict=True):
            if isinstance(variable, Composite):
                dims += [_loose(c) for c in variable._components()]
            elif i in self.stated and not _is_nest(self.entry[i]):
                dims.append(shapes.as_shape(self.stated[i])._dims)
            else:
                dims.append(variable.shape._dims)
        return dims

    # ---- inside

    def _carried(self, values: Sequence[Any]) -> list[tuple[int, Any]]:
        """(number of the variable, leaf) of every leaf that the loop carries."""
        return [
            (i, leaf)
            for i, value in enumerate(values)
            for leaf in (nest.flatten(value) if _is_nest(value) else [value])
            if _is_carried(leaf)
        ]

    def _packed(self, leaves: Sequence[Any]) -> list[Any]:
        """The variables with `leaves` in the places that are carried."""
        rest = iter(leaves)

        def place(leaf: Any) -> Any:
            return next(rest) if _is_carried(leaf) else leaf

        return [nest.map_structure(place, v) if _is_nest(v) else place(v) for v in self.entry]

    def _enter(self, leaves: Sequence[Any]) -> None:
        self.given = self._packed(leaves)
        self.set_state(tuple(self.given))

    def _leave(self, dims: Sequence[Dims]) -> list[Any]:
        """The carried leaves at the end of a turn, checked."""
        self.after = list(self.get_state())
        if self._nones and self._tried_ops != _ops_of(context.current().graph):
            raise ValueError(
                f"'{self._nones[0]}' is not allowed to be None before the loop: its body asks whether it is None, "
                "which is known in Python only. Give it a tensor before the loop."
            )
        rest = iter(dims)
        out = []
        for i, (entry, given) in enumerate(zip(self.entry, self.given, strict=True)):
            name, after = self.names[i], self.after[i]
            try:
                first, then = (v if _is_nest(v) else None for v in (entry, after))
                nest.assert_same_structure(first, then, check_types=False)
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"'{name}' does not have the same nested structure after one iteration.\n\nbefore: "
                    f"{self.init[i]!r}\n\nafter: {after!r}"
                ) from error
            befores, nows, olds = (nest.flatten(v) if _is_nest(v) else [v] for v in (entry, after, given))
            for before, now, old in zip(befores, nows, olds, strict=True):
                if _is_carried(before):
                    out.append(self._left(name, now, old, rest))
                else:
                    self._kept(name, before, now)
        return out

    def _kept(self, name: str, before: Any, now: Any) -> None:
        """Checks a value that a loop cannot carry."""
        if now is before or (isinstance(before, (str, bytes)) and now == before):
            return
        if before is None or is_undefined(before):
            if now is None or is_undefined(now) or isinstance(now, Operation):
                return
        raise TypeError(
            f"'{name}' is {before!r} before the loop, but {now!r} after one iteration: a loop in the graph carries "
            "tensors, numbers and nests of them only"
        )

    def _left(self, name: str, now: Any, old: Any, dims: Any) -> Any:
        if now is None or is_undefined(now):
            raise ValueError(f"'{name}' is None or undefined at the end of the iteration, but was {old!r} before")
        if isinstance(old, Composite):
            if type(now) is not type(old):
                raise TypeError(f"'{name}' is {old!r} before the loop, but {now!r} after one iteration")
            for a, b in zip(old._components(), now._components(), strict=True):
                check_carried(name, a.dtype, next(dims), convert_to_tensor(b), _WORDING)
            return now
        try:
            tensor = now if isinstance(now, Tensor) else convert_to_tensor(now, dtype_hint=old.dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' is a tensor before the loop, but {now!r} after one iteration: {error}"
            ) from error
        check_carried(name, old.dtype, next(dims), tensor, _WORDING)
        return tensor

    # ---- after

    def _final(self, outputs: Sequence[Any]) -> list[Any]:
        """The variables after the loop."""
        rest = iter(outputs)
        final = []
        for init, entry, given, after in zip(self.init, self.entry, self.given, self.after, strict=True):
            befores, olds, nows = (nest.flatten(v) if _is_nest(v) else [v] for v in (entry, given, after))
            leaves = []
            changed = entry is not init
            for before, old, now in zip(befores, olds, nows, strict=True):
                if not _is_carried(before):
                    leaves.append(None if isinstance(now, Operation) else now)
                    changed = changed or now is not before
                    continue
                value = next(rest)
                if isinstance(now, TensorArray):
                    value = now._rebuild(value._components())
                changed = changed or now is not old
                leaves.append(before if now is old and entry is init else value)
            if not changed:
                final.append(init)
            else:
                final.append(nest.pack_sequence_as(entry, leaves) if _is_nest(entry) else leaves[0])
        return final


def _is_carried(leaf: Any) -> bool:
    return isinstance(leaf, (Tensor, Composite, *NUMBERS)) and not isinstance(leaf, Variable)


def _is_nest(value: Any) -> bool:
    """Whether a loop looks into a value: containers, but not objects that happen to be dataclasses."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return any(isinstance(v, (Tensor, Composite)) for v in nest.flatten(value))
    return nest.is_nested(value)


def _loose(component: Any) -> Dims:
    """The shape of a component of a composite: sizes of what varies from value to value are not kept."""
    if component.dtype is dtypes.variant:
        return ()
    dims = component.shape._dims
    return None if dims is None else (None, *dims[1:]) if dims else dims


def _ops_of(graph: Any) -> list[str]:
    """The ops of a traced body, those of the programs inside included."""
    found = []
    for node in graph.nodes:
        if node.opdef.role not in (Role.PLACEHOLDER, Role.CONSTANT):
            found.append(node.opdef.name)
        for program in programs_of(node):
            found += _ops_of(program.graph)
    return found
