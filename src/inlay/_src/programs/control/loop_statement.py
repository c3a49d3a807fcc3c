"""`while` and `for` on tensors: the body is traced once, its variables become those of a `While` node.

The value of a variable before the loop decides how it is carried: `loop_variables`.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.array import identity
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.printing import assert_
from inlay._src.programs.control.if_statement import BROKEN, RETURNED, predicate, shown
from inlay._src.programs.control.loop_variables import Carried, Entering, LoopIteration, entering
from inlay._src.programs.control.loops import LoopVariable, Wording, build_loop
from inlay._src.programs.control.tracing import Tracing
from inlay._src.programs.control.variables import State, Variables
from inlay._src.programs.control.walks import Walk, walk_of

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
    """A `while` statement: a loop in the graph if its condition is a tensor, Python's otherwise.

    Args:
      test, body: the condition and the block.
      get_state, set_state: read and write the variables that the loop changes.
      symbol_names: their names.
      opts: options from `set_loop_options`.

    Raises:
      NotImplementedError: if the condition is a Python value first and a tensor after an iteration.
    """
    outer = context.current().graph
    if outer is None:
        held = test()
    else:
        with Tracing("tried", outer).building():  # the loop's own graph asks again
            held = test()
            on_tensor = predicate(held, "while loop") is not None
        if on_tensor:
            _in_graph(Variables(symbol_names, get_state, set_state), opts, test, body)
            return
    while held:
        body()
        held = test()
        if isinstance(held, SymbolicTensor):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor: either a variable in it "
                "became a tensor, or a `break` or `return` in the loop depends on one. A Python loop runs while the "
                "function is traced, when no tensor has a value, and what it does to Python objects cannot be undone. "
                "Make it a loop in the graph: start from a tensor (`while tf.constant(True)`, `n = tf.constant(0)`) "
                "(inlay explain python-loop)"
            )


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
      iterated: the value to iterate over.
      extra_test: whether to go on (no `break`, no `return`), or None.
      body: the block; takes the item.
      get_state, set_state: read and write the variables that the loop changes.
      symbol_names: their names.
      opts: options from `set_loop_options`, and the target under `iterate_names`.

    Raises:
      NotImplementedError: if a `break` or `return` in a Python loop depends on a tensor.
    """
    variables = Variables(symbol_names, get_state, set_state)
    walk = walk_of(iterated)
    if walk is None:
        _unrolled(iterated, extra_test, body, variables)
    else:
        _in_graph(variables, opts, extra_test, body, walk)


def _unrolled(
    iterated: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None], variables: Variables
) -> None:
    """A Python loop."""
    if extra_test is None:
        for item in iterated:
            body(item)
        return
    before = _flags(variables)
    held = extra_test()
    if not isinstance(held, SymbolicTensor) and not held:
        return
    for item in iterated:
        body(item)
        held = extra_test()
        if not isinstance(held, SymbolicTensor):
            if not held:
                return
        elif any(b is not a for b, a in zip(before, _flags(variables), strict=True)):
            # Otherwise it is a `return` before the loop that depends on a tensor; this is where it did not return.
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in Python for loops: "
                f"this one iterates over {reprlib.repr(iterated)}. A Python loop runs while the function is traced, "
                "when no tensor has a value, and what it does to Python objects cannot be undone. Make it a loop in "
                "the graph: iterate over a tensor or tf.range (inlay explain python-loop)"
            )


def _flags(variables: Variables) -> list[Any]:
    """The variables that say whether a `break` or `return` was met."""
    every = zip(variables.names, variables.read(), strict=True)
    return [value for name, value in every if name.startswith((BROKEN, RETURNED))]


def _in_graph(
    variables: Variables,
    opts: Mapping[str, Any],
    test: Callable[[], Any] | None,
    body: Callable[..., None],
    walk: Walk | None = None,
) -> None:
    """A loop in the graph: builds the node and sets the variables to its outputs.

    Args:
      variables: the variables that the loop changes.
      opts: its options.
      test: whether to continue, in addition to the iterator; None if only the iterator decides.
      body: the block; takes the item if there is a walk.
      walk: the iterable of a `for` loop.
    """

    def turn(counter: Any) -> None:
        body() if walk is None else body(walk.item(counter))

    with variables.restored_on_error() as before:
        target = None if walk is None else (str(opts.get("iterate_names", "")).strip(), walk.item_spec)
        begin = () if walk is None else (walk.begin,)
        entry = entering(variables, before, opts.get("shape_invariants") or (), target, begin, turn)
        after = _loop(variables, entry, opts.get("maximum_iterations"), test, turn, walk)
    variables.assign(after)


def _loop(
    variables: Variables,
    entry: Entering,
    limit: Any,
    test: Callable[[], Any] | None,
    turn: Callable[[Any], None],
    walk: Walk | None,
) -> list[Any]:
    """The variables after the loop."""
    carried = Carried(variables.names, entry)
    own = [LoopVariable(convert_to_tensor(False), (), "whether the loop ran")] if entry.fresh else []
    if walk is not None:
        own.append(LoopVariable(walk.begin, walk.begin._dims, "the loop's counter"))
    first = len(own)
    ended: list[LoopIteration] = []

    def go_on(*values: Any) -> Any:
        variables.assign(carried.filled(values[first:]))
        held: Any = True if test is None else test()
        if walk is not None:
            held = walk.holds(values[first - 1], held)
        pred = predicate(held, "loop")
        return convert_to_tensor(bool(held)) if pred is None else pred

    def turned(*values: Any) -> list[Any]:
        current = carried.filled(values[first:])
        variables.assign(current)
        turn(None if walk is None else values[first - 1])
        end = LoopIteration(carried, current, variables.read())
        ended.append(end)
        tensors = end.tensors()
        ran = [convert_to_tensor(True)] if entry.fresh else []
        return [*ran, *([] if walk is None else [walk.following(values[first - 1])]), *tensors]

    widens = walk is not None and walk.widens
    outputs = build_loop(go_on, turned, [*own, *carried.variables], limit, "while", _WORDING, widens)
    last: Sequence[Tensor] = outputs[first:]
    if entry.fresh:
        last = _initialized(outputs[0], last, carried.variables, entry.fresh)
    after = ended[-1].final(last)
    if entry.returns:  # the loop ran, so it returned
        after = [True if n.startswith(RETURNED) else v for n, v in zip(variables.names, after, strict=True)]
    return after


def _initialized(
    ran: Tensor, outputs: Sequence[Tensor], variables: Sequence[LoopVariable], fresh: Sequence[str]
) -> list[Tensor]:
    """The tensors after a loop; those of `fresh` variables, which had no value before it, once it is known to run."""
    message = f"loop must iterate at least once to initialize {', '.join(map(shown, fresh))}"
    with control_dependencies([assert_(ran, [message])]):
        return [identity(t) if v.label in fresh else t for t, v in zip(outputs, variables, strict=True)]
