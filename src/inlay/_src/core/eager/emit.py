"""The funnel: every op call goes through `emit`, which adds a node or runs the kernel.

emit(op, inputs, attrs, name)
  a composite value (ragged, sparse)     -> it answers itself
  a graph in force, or a symbolic input  -> build: convert inputs, infer shapes, Graph.add
  neither                                -> run:   convert inputs, kernel(numpy, ...), tapes record
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inlay._src.base.export import Declared
from inlay._src.base.misuse import repr_of
from inlay._src.base.spans import SPANS
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.core import context, values
from inlay._src.core.context import State
from inlay._src.core.eager import running
from inlay._src.core.eager.attributes import checked
from inlay._src.core.eager.building import build
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import OpDef
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor

_NO_ATTRS: dict[str, Any] = {}
ANSWERS: dict[type, Callable[..., Any]] = {}
"""Class of a composite value -> `answer(op, inputs, attrs, name)`, the result of an op applied to such a value."""
LATE_ANSWERS: dict[str, Callable[..., Any]] = Declared("answers")
"""Kind of composite value -> `answer`, of kinds whose classes are used more often than ops are applied to them."""
COMPOSITE_OF: dict[type, Callable[[Any, Any], Any]] = {}
"""Class of the NumPy value of a composite, which is in `ANSWERS` too -> `convert(value, dtype_hint)`, the composite."""


def late_answer(kind: str) -> Callable[..., Any]:
    """The answer of a kind of composite value. Its module is loaded when an op is applied to one."""
    return lambda op, inputs, attrs, name: LATE_ANSWERS[kind](op, inputs, attrs, name)


def answers(value: Any) -> bool:
    """Whether `value` is of a class that answers ops itself."""
    return value.__class__ in ANSWERS


@boundary
def operand(value: Any, dtype_hint: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """A ragged or sparse tensor, or another composite with a shape, as it is; anything else as a tensor.

    Args:
      value: an argument of a public function; the value of a ragged or sparse tensor becomes such a tensor.
      dtype_hint: the dtype of a value that has none of its own.
      dtype: the required dtype of a tensor.
      name: the name of a constant in a graph.

    Raises:
      ValueError, TypeError: if there is no such tensor.
    """
    try:
        if not answers(value):
            return convert_to_tensor(value, dtype, dtype_hint, name)
        value = composite_of(value, dtype_hint)
        return value if hasattr(value, "shape") else convert_to_tensor(value, dtype, dtype_hint, name)
    except Exception as error:
        leave(error)
        raise


def composite_of(value: Any, dtype_hint: Any = None) -> Any:
    """The value of a ragged or sparse tensor as such a tensor, of `dtype_hint` if it can be; any other unchanged."""
    convert = COMPOSITE_OF.get(value.__class__)
    return value if convert is None else convert(value, dtype_hint)


def composites_of(x: Any, y: Any) -> tuple[Any, Any]:
    """Both operands of an elementwise function; the NumPy value of a composite takes the dtype of the other operand."""
    if y.__class__ in COMPOSITE_OF:
        x = operand(x, getattr(y, "dtype", None))
    elif x.__class__ in COMPOSITE_OF:
        x = composite_of(x, getattr(y, "dtype", None) if answers(y) else None)
    return x, composite_of(y, getattr(x, "dtype", None) if answers(x) or isinstance(x, Tensor) else None)


@boundary
def emit(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any] = _NO_ATTRS, name: str | None = None) -> Any:
    """Builds or runs one op.

    Args:
      op: the declaration.
      inputs: one value per declared input; a sequence for the list input.
      attrs: attribute values.
      name: the node's name; ignored while running eagerly.

    Returns:
      A tensor, a list of tensors for several outputs, or the `Operation` for none; None for none eagerly.
    """
    try:
        for x in inputs:
            if x.__class__ in ANSWERS or (x.__class__ is list and any(v.__class__ in ANSWERS for v in x)):
                eager = context.executing_eagerly() and graph_of(inputs) is None
                return _answer(op, inputs, checked(op, attrs, eager) if op.checked else attrs, name)
        state = context.get() or context.base()
        graph = state.graph
        if graph is None:
            graph = graph_of(inputs)
            if graph is None:
                run = running.recorded if SPANS.on else running.run
                return run(op, inputs, checked(op, attrs, True) if op.checked else attrs, state)
            if graph.building_function:
                _refuse_outer(inputs, state)
        return build(op, inputs, checked(op, attrs, False) if op.checked else attrs, name, graph)
    except Exception as error:
        leave(error)
        raise


def filled(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """The value of a static input left out by the caller; eager kernels and composites take None as it is."""
    if inputs[0].__class__ in ANSWERS:
        return None
    if context.executing_eagerly() and graph_of(inputs) is None:
        return None
    return function(*inputs)


def graph_of(inputs: Sequence[Any], level: int = 1) -> Graph | None:
    """The graph of the first symbolic tensor among nested inputs; None if there is none.

    Raises:
      ValueError: if lists are nested deeper than any array.
    """
    for x in inputs:
        if x.__class__ is SymbolicTensor:
            return x.op.graph  # type: ignore[no-any-return]
        if x.__class__ in (list, tuple):
            if level > values.MOST_LEVELS:
                raise values.too_deep()
            graph = graph_of(x, level + 1)
            if graph is not None:
                return graph
        elif x.__class__ is not EagerTensor and hasattr(x, "__inlay_symbolic__"):
            tensor = x.__inlay_symbolic__()
            if tensor is not None:
                return tensor.op.graph  # type: ignore[no-any-return]
    return None


def _refuse_outer(inputs: Sequence[Any], state: State) -> None:
    """Refuses a function's tensor used where its graph is not being built."""
    tensor = next((x for x in inputs if isinstance(x, SymbolicTensor)), inputs[0])
    reason = (
        f"the body of {state.host} runs when the graph runs, but this tensor belongs to a function that was being "
        "traced. Pass it to the function through `inp`."
        if state.host is not None
        else "it belongs to a function that is no longer being traced. Return it from the function instead."
    )
    where = f", defined at {tensor.op.site}," if isinstance(tensor, SymbolicTensor) else ""
    raise TypeError(f"{tensor!r}{where} is out of scope and cannot be used here: {reason} (inlay explain out-of-scope)")


def spread(inputs: Sequence[Any]) -> Iterator[Any]:
    """The inputs of a call, the items of lists among them one by one."""
    return (v for x in inputs for v in (x if x.__class__ is list else (x,)))


def _answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The answer of the first composite among the inputs, list inputs included.

    Raises:
      TypeError, ValueError: if a composite is an element of a list that becomes one tensor.
    """
    for arg, value in zip(op.args, inputs, strict=False):
        if value.__class__ is list and not arg.variadic and (own := [v for v in value if v.__class__ in ANSWERS]):
            kind = type(own[0]).__name__
            raise values.NoTensorError(f"{op.name} does not take a {kind} in the list `{arg.name}`: {repr_of(value)}")
    if op.elementwise and op.variadic is None and len(inputs) == 2:
        inputs = composites_of(*inputs)
    inputs = [[composite_of(v) for v in x] if x.__class__ is list else composite_of(x) for x in inputs]
    return ANSWERS[next(type(v) for v in spread(inputs) if v.__class__ in ANSWERS)](op, inputs, attrs, name)
