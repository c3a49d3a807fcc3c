"""`if` on a tensor: both sides are traced, and their variables merged one by one into the outputs of an `If` node."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.template import Hole, Plain, Template
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Effect, Role, strongest
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.array import reshape
from inlay._src.ops.variables import Variable
from inlay._src.programs.control.branches import IF, add_branches
from inlay._src.programs.control.tracing import Tracing, common_composite
from inlay._src.programs.control.variables import State, UndefinedReturnValue, Variables, blank_like, is_undefined

NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)
# Names that the conversion makes for `break`, `continue` and `return`.
RETURNED = "do_return"
BROKEN = "break_"
_FLAGS = (BROKEN, "continue_", RETURNED)
# Whether a loop body is being tried out to learn what it defines.
_trying: contextvars.ContextVar[bool] = contextvars.ContextVar("inlay_trying", default=False)


@contextmanager
def trying() -> Iterator[None]:
    """In the block, a variable that only one side of an `if` defines gets a stand-in on the other."""
    token = _trying.set(True)
    try:
        yield
    finally:
        _trying.reset(token)


def predicate(value: Any, what: str) -> SymbolicTensor | None:
    """`value` as a scalar bool of the graph; None if Python can decide it now.

    Args:
      value: the condition that a program tests.
      what: the kind of statement, for messages.

    Raises:
      ValueError: if it is a tensor but no scalar bool.
    """
    if isinstance(value, Variable) and context.current().graph is not None:
        value = convert_to_tensor(value)
    if not isinstance(value, SymbolicTensor):
        return None
    if value.dtype is not dtypes.bool_:
        raise ValueError(
            f"condition of {what} expected to be `tf.bool` scalar, got {value!r}; to use it as a boolean Tensor, use "
            "`tf.cast(x, tf.bool)`; to check whether it was given, use `is not None`"
        )
    dims = value._dims
    if dims == ():
        return value
    if dims is not None and any(size not in (None, 1) for size in dims):
        raise ValueError(
            f"condition of {what} expected to be `tf.bool` scalar, got {value!r}; to test all or any of its elements, "
            "use tf.reduce_all or tf.reduce_any"
        )
    return reshape(value, ())  # type: ignore[no-any-return]


def if_stmt(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """An `if` statement. On a tensor, both blocks are traced and one runs when the graph does.

    Args:
      cond: the condition.
      body, orelse: the two blocks; they assign variables.
      get_state, set_state: read and write those variables.
      symbol_names: their names.
      nouts: number of leading variables that are used afterwards.
    """
    pred = predicate(cond, "if statement")
    if pred is None:
        (body if cond else orelse)()
        return
    variables = Variables(symbol_names, get_state, set_state)

    def side(block: Callable[[], Any], holds: bool) -> State:
        variables.assign(_narrowed(pred, v, n, holds) for v, n in zip(before, symbol_names, strict=True))
        block()
        return variables.read()[:nouts]

    with variables.restored_on_error() as before:
        after = choose(pred, lambda: side(body, True), lambda: side(orelse, False), symbol_names[:nouts], before)
    variables.assign((*after, *before[nouts:]))


def _narrowed(pred: SymbolicTensor, value: Any, name: str, holds: bool) -> Any:
    """A flag whose value follows from the side of the `if` we are on."""
    if not isinstance(value, SymbolicTensor) or not name.startswith(_FLAGS):
        return value
    if _same(pred, value):
        return holds
    node = pred.op
    return not holds if node.opdef.role is Role.NOT and _same(node.inputs[0], value) else value


def _same(here: SymbolicTensor, outer: SymbolicTensor) -> bool:
    """Whether a tensor is another one, or what stands for it in an enclosed graph."""
    return here is outer or getattr(here.op.graph, "_captures", {}).get(id(outer)) is here


def if_exp(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str) -> Any:
    """A conditional expression: only the chosen operand runs."""
    pred = predicate(cond, "conditional expression")
    if pred is None:
        return if_true() if cond else if_false()
    return choose(pred, lambda: (if_true(),), lambda: (if_false(),), (expr_repr,), (None,))[0]


class _Side(Tracing):
    """One traced block: its graph, still open, and the variables after it."""

    __slots__ = ("label", "values")

    def __init__(self, run: Callable[[], State], label: str, outer: Graph) -> None:
        super().__init__(f"if_{label}", outer, context.current().tapes)
        self.label = label
        with self.building():
            self.values = run()


# In a merged structure: where the node stands. It is the last of the values.
_NODE = Hole(-1)
# Effects of blocks that need no node if nothing is made of them.
_NOT_NEEDED = (Effect.PURE, Effect.READS, Effect.RANDOM)


def choose(
    pred: SymbolicTensor,
    first: Callable[[], State],
    second: Callable[[], State],
    names: Sequence[str],
    before: State,
) -> list[Any]:
    """Traces two blocks and merges the variables they leave.

    Args:
      pred: a scalar bool; whether `first` runs.
      first, second: run a block, return its variables.
      names: the variables' names, for messages.
      before: their values before the blocks.

    Returns:
      Their values after: outputs of a new node where the blocks differ.

    Raises:
      ValueError, TypeError: if the blocks leave a variable in states that no graph can merge.
    """
    graph = context.current().graph or pred.op.graph
    with context.within(graph):
        sides = (_Side(first, "main", graph), _Side(second, "else", graph))
        merged = [
            _merge(name, a, b, old, sides)
            for name, a, b, old in zip(names, sides[0].values, sides[1].values, before, strict=False)
        ]
        for side in sides:
            side.graph.finalize()
        first_graph, second_graph = (side.graph for side in sides)
        node = None
        if first_graph.outputs or strongest((first_graph.effect, second_graph.effect)) not in _NOT_NEEDED:
            node = add_branches(graph, IF, pred, [first_graph, second_graph], "cond")
    return Template(merged).fill([*(node.outputs if node else ()), node])  # type: ignore[no-any-return]


def _merge(name: str, a: Any, b: Any, before: Any, sides: tuple[_Side, _Side]) -> Any:
    """One variable after the two sides, as a part of a template."""
    if is_undefined(a) and is_undefined(b):
        if not is_undefined(before):
            raise ValueError(f"'{name}' must also be initialized in the main branch: both branches delete it")
        return Plain(a)
    if is_undefined(a) or is_undefined(b):
        a, b = _stand_in(name, a, b, sides)
    if a is b and (not isinstance(a, NUMBERS) or a is before or name.startswith(_FLAGS)):
        return Plain(a)
    if not nest.is_nested(a) and not nest.is_nested(b):
        return _merge_leaf(name, a, b, sides)
    try:
        nest.assert_same_structure(a, b, check_types=False)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n\nmain: {a!r}\n\n"
            f"else: {b!r}\n\n{error}"
        ) from error
    leaves = [_merge_leaf(name, x, y, sides) for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True)]
    return nest.pack_sequence_as(a, leaves)


def _stand_in(name: str, a: Any, b: Any, sides: tuple[_Side, _Side]) -> tuple[Any, Any]:
    """Both values, with a stand-in for the one that is undefined, where nobody can read it."""
    missing = 0 if is_undefined(a) else 1
    other = (b, a)[missing]
    if not isinstance((a, b)[missing], UndefinedReturnValue) and not _trying.get():
        raise ValueError(
            f"'{name}' must also be initialized in the {sides[missing].label} branch: it has a value after the "
            f"{sides[1 - missing].label} branch only. Assign it before the `if`, or on both sides. "
            "(inlay explain branches-differ)"
        )

    def leaf(value: Any) -> Any:
        if value is None or isinstance(value, (Operation, str, bytes)):
            return None if isinstance(value, Operation) else value
        if isinstance(value, Composite):
            return blank_like(value)
        try:
            like = sides[1 - missing].tensor(value)
        except (TypeError, ValueError):
            return value
        return blank_like(like)

    with sides[missing].building():
        filler = nest.map_structure(leaf, other)
    return (filler, b) if missing == 0 else (a, filler)


def _merge_leaf(name: str, a: Any, b: Any, sides: tuple[_Side, _Side]) -> Any:
    if a is b and not isinstance(a, NUMBERS):
        return a
    empty = [x is None or isinstance(x, Operation) for x in (a, b)]
    if all(empty):
        return _NODE
    if any(empty):
        at, other = (0, 1) if empty[0] else (1, 0)
        raise ValueError(
            f"'{shown(name)}' is None at the end of the {sides[at].label} branch, but has a value at the end of the "
            f"{sides[other].label} branch: a graph needs a tensor on both sides "
            "(inlay explain branches-differ)"
        )
    if isinstance(a, (str, bytes)) and a == b:
        return a
    if isinstance(a, Composite) or isinstance(b, Composite):
        one, two = (_components(value, side) for value, side in zip((a, b), sides, strict=True))
        alike = type(a) is type(b) and len(one) == len(two)
        if not alike or (hasattr(a, "element_spec") and a._type_spec != b._type_spec):
            raise TypeError(f"'{name}' is {a!r} in the main branch, but {b!r} in the else branch")
        first = len(sides[0].graph.outputs)
        for x, y in zip(one, two, strict=True):
            _output(name, x, y, sides)
        try:
            return Hole(first, len(one), common_composite([a, b]))
        except ValueError as error:
            raise TypeError(f"'{name}' is {a!r} in the main branch, but {b!r} in the else branch: {error}") from error
    _output(name, a, b, sides)
    return Hole(len(sides[0].graph.outputs) - 1)


def _components(value: Any, side: _Side) -> Sequence[Any]:
    """The components of a composite; those of a dataset are made where the branch is."""
    if not isinstance(value, Composite):
        return ()
    with side.building():
        return value._components()


def shown(name: str) -> str:
    """A variable's name in messages."""
    return "the function return value" if name.startswith("retval_") else name


def _output(name: str, a: Any, b: Any, sides: tuple[_Side, _Side]) -> None:
    """Adds one output to both graphs."""
    try:
        one = sides[0].tensor(a, getattr(b, "dtype", None) if isinstance(b, Tensor) else None)
        two = sides[1].tensor(b, getattr(a, "dtype", None) if isinstance(a, Tensor) else None)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"'{name}' must be a tensor, a number, or a nest of them after an `if` on a tensor, got {a!r} in the main "
            f"branch and {b!r} in the else branch: {error}"
        ) from error
    if one.dtype is not two.dtype:
        raise TypeError(
            f"'{name}' has dtype {one.dtype.name} in the main branch, but dtype {two.dtype.name} in the else branch "
            "(inlay explain branches-differ)"
        )
    sides[0].graph.outputs.append(one)
    sides[1].graph.outputs.append(two)
