"""The ops of datasets in graphs: iterators, and what a dataset comes to.

A node refers to a `Task`, its operation on a dataset, in the table of resources of its graph. Tensors of the graph that
the dataset uses are inputs of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core.eager.convert import symbolic
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.hints import LoweringHints, Scheduling
from inlay._src.core.opdef import OPS, Effect, OpDef, no_gradient, no_kernel
from inlay._src.core.signature import Signature
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.data.element import Element, Values
from inlay._src.data.iterator_state import IteratorKey, IteratorState, IteratorWalk, Walked, found
from inlay._src.data.node import Iteration, Node
from inlay._src.data.options import Options
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.ops.state import handle_op
from inlay._src.programs.graph_def.pickles import StandIn

ITERATOR = "Iterator"
"""The name of an iterator that has no other."""


class Task:
    """The operation of a graph node on a dataset.

    Args:
      node: the dataset's.
      options: its execution.
      run: takes the values of the node's own inputs and an iteration that has those of what the dataset uses; gives
        the results.
      also: further tensors that it uses.

    Attributes:
      used: the tensors of the graph that the dataset uses, which are the last inputs of the node.
      travels: it is saved with its graph, as a body: the node of a dataset has Python functions within.
    """

    __slots__ = ("_node", "_options", "_run", "name", "used")
    travels: bool = True
    dtype: dtypes.DType = dtypes.variant
    trainable: bool = False
    owner: None = None

    def __init__(
        self,
        node: Node,
        options: Options,
        run: Callable[[Sequence[Any], Node, Iteration], Values],
        also: Sequence[Any] = (),
    ) -> None:
        self._node, self._options, self._run, self.name = node, options, run, "dataset"
        more = {id(t): t for t in also if isinstance(t, SymbolicTensor)}
        self.used: list[SymbolicTensor] = list({**{id(t): t for t in node.used()}, **more}.values())

    def __reduce__(self) -> Any:
        return Task, (self._node, self._options, self._run, tuple(map(StandIn.of, self.used)))

    def __repr__(self) -> str:
        return f"the dataset {self._node.name}"

    def __call__(self, *values: Any) -> Values:
        own = len(values) - len(self.used)
        bound = dict(zip(map(id, self.used), values[own:], strict=True))
        return self._run(values[:own], self._node, Iteration(self._options, bound))


class _TaskCall(StepCall):
    """The step of a node that does something with a dataset."""

    __slots__ = ("task",)
    locates = True

    def __init__(self, step: Step, tables: Any) -> None:
        self.task: Task = tables.referred(step.attrs["task"])

    def __call__(self, *values: Any) -> Values:
        return self.task(*values)


def _task_op(name: str, doc: str, effect: Effect = Effect.STATEFUL) -> OpDef:
    OPS[name] = opdef = OpDef(
        name, no_kernel, Signature(variadic_out=True), effect=effect, vjp=no_gradient, doc=doc,
        lowering=LoweringHints(aliases=True), scheduling=Scheduling(bind=_TaskCall, calls_users=True),
    )  # fmt: skip
    return opdef


MAKE_ITERATOR = _task_op("MakeIterator", "Begins a new iteration behind the handle of an iterator.")
ONE_SHOT_ITERATOR = _task_op("OneShotIterator", "The handle of an iterator that begins when it is first read.")
ANONYMOUS_ITERATOR = _task_op("AnonymousIterator", "The handle of a new iterator.")
REDUCE_DATASET = _task_op("ReduceDataset", "The last state of a function over the elements of a dataset.")
SINGLE_ELEMENT = _task_op("DatasetToSingleElement", "The only element of a dataset.")
DATASET = _task_op("DatasetFromGraph", "A dataset, with the values of what it uses, as a tensor.", Effect.READS)
ELEMENT_AT = _task_op("GetElementAtIndex", "The element of a dataset at a place.")
SAVE_DATASET = _task_op("SaveDataset", "Writes the elements of a dataset into a folder.")
FINGERPRINT = _task_op("DatasetFingerprint", "A hash of what a dataset does.")
WRITE_DATASET = _task_op("DatasetToTFRecord", "Writes the elements of a dataset into a record file.")
CARDINALITY = _task_op("DatasetCardinality", "The number of elements of a dataset.")

handle_op("IteratorV2", "The handle of an iterator of a session.")


@op(
    "IteratorGetNext",
    "iterator:resource -> *output_types",
    effect=Effect.STATEFUL,
    vjp=no_gradient,
    lower=LoweringHints(aliases=True),
)
def _get_next(xp: Any, iterator: IteratorState, *, output_types: Any) -> Values:
    """The components of the next element."""
    return iterator.get_next()


@op("IteratorWalk", "iterator:resource -> resource", effect=Effect.STATEFUL, infer=lambda s: [()])
def _walk(xp: Any, iterator: IteratorState) -> IteratorWalk:
    """A walk over an iterator, which `IteratorAdvance` and `IteratorCurrent` take in its place."""
    return IteratorWalk(iterator)


@op("IteratorAdvance", "iterator:resource, more:bool -> bool", effect=Effect.STATEFUL, infer=lambda s: [()])
def _advance(xp: Any, iterator: Walked, more: Any) -> Any:
    """Whether there is another element, which becomes the current one; False without looking if not `more`."""
    return np.bool_(bool(more) and iterator.advance())


@op(
    "IteratorCurrent",
    "iterator:resource -> *output_types",
    effect=Effect.STATEFUL,
    vjp=no_gradient,
    lower=LoweringHints(aliases=True),
)
def _current(xp: Any, iterator: Walked, *, output_types: Any) -> Values:
    """The components of the current element."""
    return iterator.current


@op("IteratorToStringHandle", "iterator:resource -> string", effect=Effect.READS, infer=lambda s: [()])
def _to_string_handle(xp: Any, iterator: IteratorState) -> Any:
    """A string that stands for an iterator."""
    return np.array(iterator.handle(), object)


@op("IteratorFromStringHandleV2", "handle:string -> resource", effect=Effect.READS, infer=lambda s: [()])
def _from_string_handle(xp: Any, handle: Any, *, output_types: Any = (), output_shapes: Any = ()) -> IteratorState:
    """The iterator that a string stands for; its elements have components of the types and shapes, if some are said."""
    state, wanted = found(handle), tuple(output_types)
    kinds = _kinds(state.element)
    if wanted and wanted != kinds:
        raise errors.InvalidArgumentError(
            None, None, f"the iterator {state.name} gives components of types {_listed(kinds)}, expected "
            f"{_listed(wanted)}: read it with an iterator that `from_string_handle` made for its types"
        )  # fmt: skip
    shapes = [leaf.shape for leaf in state.element.leaves]
    if not all(map(TensorShape.is_compatible_with, output_shapes, shapes)):
        raise errors.InvalidArgumentError(
            None, None, f"the iterator {state.name} gives components of shapes {_listed(shapes)}, expected shapes "
            f"compatible with {_listed(output_shapes)}"
        )  # fmt: skip
    return state


def _listed(items: Sequence[Any]) -> str:
    return f"[{', '.join(getattr(item, 'name', str(item)) for item in items)}]"


def from_string_handle(handle: Any, element: Element) -> Any:
    """The handle of the iterator that a string stands for, whose elements are built like `element`."""
    shapes = tuple(leaf.shape for leaf in element.leaves)
    return emit(
        OPS["IteratorFromStringHandleV2"], (handle,), {"output_types": _kinds(element), "output_shapes": shapes}
    )


def _dims(element: Element) -> list[Dims]:
    return [leaf.shape._dims for leaf in element.leaves]


def _kinds(element: Element) -> tuple[Any, ...]:
    return tuple(leaf.dtype for leaf in element.leaves)


def add_task(
    graph: Graph,
    opdef: OpDef,
    task: Task,
    inputs: Sequence[Any] = (),
    kinds: Sequence[Any] = (),
    dims: Sequence[Dims] = (),
    name: str | None = None,
    used: Sequence[Any] | None = None,
) -> Operation:
    """A node of a graph that does something with a dataset; `used` replaces the tensors that the dataset uses."""
    tensors = tuple(symbolic(t, graph) for t in (*inputs, *(task.used if used is None else used)))
    attrs = {"task": graph.resources.add(task, task.name), "num": len(kinds)}
    return graph.add(opdef, tensors, attrs, tuple(kinds), tuple(dims), name)


def add_handle(graph: Graph, element: Element, shared_name: str | None = None) -> SymbolicTensor:
    """The handle of an iterator of a graph; every session has an iteration of its own behind it."""
    key = IteratorKey(shared_name or ITERATOR, element)
    attrs = {"handle": graph.resources.add(key, key.name), "dtype": dtypes.resource}
    return graph.add(OPS["IteratorV2"], (), attrs, (dtypes.resource,), ((),)).outputs[0]


def add_get_next(graph: Graph, handle: Any, element: Element, name: str | None = None) -> Any:
    """The next element of the iterator behind a handle, as a nest of symbolic tensors."""
    return add_read(graph, "IteratorGetNext", handle, element, name)


def add_current(graph: Graph, handle: Any, element: Element) -> Any:
    """The element that `IteratorAdvance` found."""
    return add_read(graph, "IteratorCurrent", handle, element, None)


def add_read(graph: Graph, kind: str, handle: Any, element: Element, name: str | None) -> Any:
    """The components of an element that an op reads from a handle, as a nest of symbolic tensors."""
    attrs = {"output_types": _kinds(element), "num": len(element.leaves)}
    node = graph.add(OPS[kind], (symbolic(handle, graph),), attrs, _kinds(element), _dims(element), name)
    return element.symbols(node.outputs)


def _of_session(state: IteratorState | None) -> IteratorState:
    """The state of an iterator, which sessions keep."""
    if state is None:
        raise errors.FailedPreconditionError(
            None, None, "an iterator of tf.compat.v1 is read in a graph that a session runs, not in a tf.function"
        )
    return state


def begins(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    """Runs MakeIterator."""
    _of_session(inputs[0]).begin(node, iteration)
    return []


def begins_once(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    """Runs OneShotIterator."""
    state = _of_session(inputs[0])
    state.begin_once(node, iteration)
    return [state]


def begins_new(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    """Runs AnonymousIterator."""
    state = IteratorState("AnonymousIterator", node.element)
    state.begin(node, iteration)
    return [state]
