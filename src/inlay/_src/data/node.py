"""The records of datasets: a `Node` is one transformation, a `Cursor` its position in one iteration.

    Dataset (what users hold) ─▶ Node ─▶ Node ─▶ … ─▶ source          data: the operation and its inputs
    iter(dataset)             ─▶ Cursor ─▶ Cursor ─▶ … ─▶ source      one iteration: its position

A node is never changed by being iterated. The tensors of the program around it that it uses (arguments, tensors that a
function captures) are in `tensors`; those that have no value yet, as they belong to a graph or a traced
function, get theirs from the `Iteration`. So one node serves eager code, the initializer of a graph's iterator, and a
`flat_map` whose function makes a dataset of its element.
"""

from __future__ import annotations

import abc
import contextlib
import functools
import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from inlay._src.base import errors
from inlay._src.base.span_chunks import Activity
from inlay._src.base.spans import SPANS, now
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.data.element import Element, Values
from inlay._src.data.numbering import Numbering
from inlay._src.data.options import Options
from inlay._src.data.sizes import scalar
from inlay._src.programs.graph_def.pickles import StandIn

INFINITE, UNKNOWN = -1, -2
"""TensorFlow's cardinalities for infinite and unknown numbers of elements."""


class Iteration:
    """The state that the cursors of one iteration share.

    Args:
      options: of the dataset that is iterated.
      bound: id of a symbolic tensor -> its value here.
      watch: takes every new cursor, and gives the one that is read in its place; None if nobody asks.
      numbering: that of the iteration that this one is part of.

    Attributes:
      numbering: the numbers of the elements of random functions.
      root: the cursor that is read, once there is one; it is not kept alive.
      at_places: whether elements are asked for by their places, so that all iterations have one order.
    """

    __slots__ = ("at_places", "bound", "numbering", "options", "root", "watch")
    options: Options
    bound: Mapping[int, Any]
    root: weakref.ref[Cursor] | None

    watch: Callable[[Node, Cursor], Cursor] | None

    def __init__(
        self,
        options: Options,
        bound: Mapping[int, Any] | None = None,
        watch: Callable[[Node, Cursor], Cursor] | None = None,
        numbering: Numbering | None = None,
    ) -> None:
        self.options, self.bound, self.root, self.watch = options, bound or {}, None, watch
        self.numbering: Numbering = numbering or Numbering()
        self.at_places: bool = False

    def opened(self, node: Node) -> Cursor:
        """The cursor of a node that is read."""
        cursor = node.cursor(self)
        self.root = weakref.ref(cursor)
        return cursor

    def path(self, cursor: Cursor, deepest: int = 0) -> str:
        """The path of a cursor below the root, as TensorFlow writes it: `Iterator::Root::Batch::Map`.

        Args:
          cursor: the cursor.
          deepest: the number of its first stages to leave out, if it stands for several.
        """
        root = None if self.root is None else self.root()
        names = (None if root is None else _path(root, cursor)) or cursor.names
        return "::".join(["Iterator", "Root", *names[: len(names) - deepest]])

    def value(self, tensor: Any) -> Any:
        """The runtime value of a tensor that a node uses."""
        if isinstance(tensor, EagerTensor):
            return value_of(tensor)
        if not isinstance(tensor, SymbolicTensor):
            return tensor
        try:
            return self.bound[id(tensor)]
        except KeyError:
            raise RuntimeError(
                f"A dataset that is made with {tensor!r} of a graph has elements only where that graph runs: iterate "
                "it in a `tf.function`, or with an iterator of `tf.compat.v1.data` in a session."
            ) from None

    def number(self, tensor: Any) -> int:
        """The runtime value of a scalar that a node uses.

        Raises:
          InvalidArgumentError: if it is of another rank.
        """
        return scalar(self.value(tensor))

    def values(self, tensors: Sequence[Any]) -> Values:
        """The runtime values of tensors that a node uses."""
        return [self.value(t) for t in tensors]

    def within(self, bound: Mapping[int, Any]) -> Iteration:
        """The same for a dataset that an element brings along, with the values of what that uses."""
        inner = Iteration(self.options, {**self.bound, **bound}, None, self.numbering)
        inner.at_places = self.at_places
        return inner


def _path(top: Cursor, wanted: Cursor) -> list[str] | None:
    """The names of the cursors from one down to another; None if that is not below it."""
    own = top.names if top.shown else []
    if top is wanted:
        return own
    below = (_path(source, wanted) for source in top.sources)
    return next(([*own, *path] for path in below if path), None)


class Cursor(abc.ABC):
    """One iteration of a node: gives the values of the elements in order.

    An exception that `__next__` raises concerns one element: the next call continues after it. After the end it raises
    StopIteration at every call.

    Args:
      sources: the cursors that it reads.

    Attributes:
      saved: the names of its own fields that, with the positions of its sources, are its position.
      shown: whether messages name it among the stages.
      stacks: whether `stacked` gives its elements. It is asked before any of them is read.
    """

    __slots__ = ("__weakref__", "sources")
    saved: ClassVar[tuple[str, ...]] = ()
    shown: ClassVar[bool] = True
    stacks: bool = False

    def __init__(self, *sources: Cursor) -> None:
        self.sources: tuple[Cursor, ...] = sources

    def __iter__(self) -> Iterator[Values]:
        return self

    @abc.abstractmethod
    def __next__(self) -> Values:
        """The values of the next element; StopIteration at the end."""

    def stacked(self, size: int) -> tuple[Values, int]:
        """The next elements along a new first axis, made together, as a batch of them has them.

        Args:
          size: the number of elements; only at the end there are fewer.

        Returns:
          An array for each component, in memory of its own, and the number of elements; no arrays if that is 0.
        """
        raise NotImplementedError

    @property
    def names(self) -> list[str]:
        """The names of the stages that it stands for in messages, the last one first."""
        return [type(self).__name__.removesuffix("Cursor")]

    def state(self) -> Any:
        """The position, as a nest of numbers, strings, bytes and arrays.

        Raises:
          UnimplementedError: saying why the position cannot be kept.
        """
        own = {name: getattr(self, name) for name in self.saved}
        return {**own, "sources": [source.state() for source in self.sources]}

    def restore(self, state: Any) -> None:
        """Puts a cursor that was just made where another one stood.

        Raises:
          UnimplementedError: as `state`.
        """
        for name in self.saved:
            setattr(self, name, state[name])
        for source, where in zip(self.sources, state["sources"], strict=True):
            source.restore(where)

    def below(self) -> Sequence[Cursor]:
        """The cursors that it reads now."""
        return self.sources

    def hold(self, held: contextlib.ExitStack) -> None:
        """Keeps producers from reading until `held` is left, so that positions taken meanwhile are consistent."""
        for source in self.below():
            source.hold(held)

    def stop(self) -> None:
        """Asks, from any thread, the thread that waits in this iteration to leave it with a `CancelledError`."""
        for source in self.below():
            source.stop()

    def close(self) -> None:
        """Ends the iteration: producers stop and release their resources. May be called twice."""
        for source in self.below():
            source.close()


class Counted(Cursor):
    """A cursor whose position is a number.

    Args:
      count: the number of elements.
      at: gives the values of one, from its number.
      many: gives those of several stacked, in memory of their own, from the first number and the one behind the last;
        None if that is nothing but to stack them.
    """

    __slots__ = ("_at", "_count", "_many", "next", "stacks")
    saved: ClassVar[tuple[str, ...]] = ("next",)

    def __init__(
        self, count: int, at: Callable[[int], Values], many: Callable[[int, int], Values] | None = None
    ) -> None:
        super().__init__()
        self._count, self._at, self._many = count, at, many
        self.stacks: bool = many is not None
        self.next: int = 0

    def __next__(self) -> Values:
        i = self.next
        if i >= self._count:
            raise StopIteration
        self.next = i + 1
        return self._at(i)

    def stacked(self, size: int) -> tuple[Values, int]:
        assert self._many is not None
        first = self.next
        self.next = last = min(first + size, self._count)
        return (self._many(first, last) if last > first else []), last - first


class RecordedCursor(Cursor):
    """A cursor whose elements leave spans: of the time that its reader waits for each.

    Args:
      cursor: the cursor.
      stage: the name of its transformation.
    """

    __slots__ = ("_activity",)
    shown = False

    def __init__(self, cursor: Cursor, stage: str) -> None:
        super().__init__(cursor)
        self._activity = Activity(stage, "stage")

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        """See `Cursor`."""
        return self.sources[0].stacks

    def __next__(self) -> Values:
        begin = now()
        try:
            return next(self.sources[0])
        finally:
            SPANS.add(self._activity, begin, now())

    def stacked(self, size: int) -> tuple[Values, int]:
        begin, count = now(), 0
        try:
            values, count = self.sources[0].stacked(size)
            return values, count
        finally:
            SPANS.add(self._activity, begin, now(), {"elements": count})

    def state(self) -> Any:
        return self.sources[0].state()

    def restore(self, state: Any) -> None:
        self.sources[0].restore(state)


def _is_inside(graph: Graph, other: Graph) -> bool:
    return isinstance(graph, FuncGraph) and graph.is_inside(other)


def unresumable(what: str, why: str) -> errors.OpError:
    """The error for a stage whose position cannot be saved."""
    return errors.UnimplementedError(None, None, f"the position of {what} cannot be saved or restored: {why}")


def _watched(make: Callable[[Any, Iteration], Cursor]) -> Callable[[Any, Iteration], Cursor]:
    """Wraps a method that makes cursors, so that `Iteration.watch` receives them, or the recorder their elements."""

    @functools.wraps(make)
    def cursor(node: Any, iteration: Iteration) -> Cursor:
        opened = make(node, iteration)
        if iteration.watch is not None:
            return iteration.watch(node, opened)
        return RecordedCursor(opened, node.stage) if SPANS.on else opened

    return cursor


class Node(abc.ABC):
    """One transformation of datasets, or a source.

    The arguments of a class are the source, the converted arguments of its public function and traced functions.

    Attributes:
      element: the structure of its elements.
      inputs: the nodes that it reads.
      tensors: the tensors of the program around it that it uses.
      name: the name of TensorFlow's class of such datasets, for `repr` and messages.
      stage: the name of the transformation in graphs and positions, which outlive the names of classes.
      maps: whether it is `map`, with which TensorFlow makes one stage of a `batch` behind it.
    """

    __slots__ = ("element", "inputs", "tensors")
    inputs: tuple[Node, ...]
    tensors: tuple[Any, ...]
    name: str = "Dataset"
    stage: ClassVar[str] = ""
    maps: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        """Lets an iteration that is watched have the cursors of every kind of node, wherever they are made."""
        super().__init_subclass__()
        cls.stage = cls.__name__.removesuffix("Node")
        if "cursor" in vars(cls):
            cls.cursor = _watched(cls.cursor)  # type: ignore[assignment,method-assign]

    def __init__(self, spec: Any, inputs: Sequence[Node] = (), tensors: Sequence[Any] = ()) -> None:
        self.element: Element = spec if isinstance(spec, Element) else Element(spec)
        self.inputs, self.tensors = tuple(inputs), tuple(tensors)
        own = next((t for t in tensors if isinstance(t, SymbolicTensor)), None)
        if own is not None or (len(self.inputs) > 1 and not context.executing_eagerly()):
            self._check_graphs([own, *(next(node._symbolic(), None) for node in self.inputs)])

    def _check_graphs(self, tensors: Sequence[SymbolicTensor | None]) -> None:
        """Raises ValueError if tensors, one of each dataset, belong to graphs that do not enclose one another."""
        symbolic = [tensor for tensor in tensors if tensor is not None]
        for one, other in itertools.pairwise(symbolic):
            first, second = one.graph, other.graph
            if first is not second and not (_is_inside(first, second) or _is_inside(second, first)):
                raise ValueError(
                    f"{one} must be from the same graph as {other}, which another part of {self.name} uses. "
                    "(inlay explain other-graph)"
                )

    def __getstate__(self) -> Any:
        """Its fields; one that a traced function makes uses tensors of that function's graph."""
        whole: Any = object.__getstate__(self)
        own, fields = whole
        return own, {**fields, "tensors": tuple(map(StandIn.of, self.tensors))}

    @abc.abstractmethod
    def cursor(self, iteration: Iteration) -> Cursor:
        """A new iteration, before the first element."""

    def check(self, iteration: Iteration) -> None:
        """Refuses the values of its tensors if they mean nothing: where the dataset is made if they are known there,
        else where it is iterated.

        Raises:
          InvalidArgumentError: saying which.
        """
        return None

    def cardinality(self, iteration: Iteration) -> int:
        """The number of elements, INFINITE or UNKNOWN."""
        return UNKNOWN

    def parts(self) -> Iterator[Any]:
        """The values of the fields of its class, such as its function, in a fixed order."""
        for kind in type(self).__mro__[: -len(Node.__mro__)]:
            for name in kind.__dict__.get("__slots__", ()):
                yield getattr(self, name)

    def used(self) -> list[SymbolicTensor]:
        """The symbolic tensors that it and its inputs use, each once."""
        return list({id(t): t for t in self._symbolic()}.values())

    def _symbolic(self) -> Iterator[SymbolicTensor]:
        return (t for node in self.walk() for t in node.tensors if isinstance(t, SymbolicTensor))

    def walk(self) -> Iterator[Node]:
        """The node and all below it, this one first."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.inputs)
