"""Iterators in graphs: those of sessions, of 1.x, and those of traced functions."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context, site
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.eager.emit import ANSWERS, emit
from inlay._src.core.graph import Graph, default_graph
from inlay._src.core.opdef import OPS, Role
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.data import graph_ops
from inlay._src.data.composite_rules import answer
from inlay._src.data.element import Element
from inlay._src.data.generating import signature_of
from inlay._src.data.graph_ops import Task
from inlay._src.data.optional import Optional, next_as_optional
from inlay._src.ops.composite.specs import CompositeSpec
from inlay._src.programs.control.walks import Walk

if TYPE_CHECKING:
    from typing_extensions import TypeVar as WithDefault

    E_co = WithDefault("E_co", covariant=True, default=Any)
else:
    E_co = TypeVar("E_co", covariant=True)
MOST_STEPS = 32
"""The limit on calls of `next()` while a function is traced, and on those of `get_next()` in a graph without a warning;
both as in TensorFlow."""
_MANY_CALLS = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that "
    "`Iterator.get_next()` is being called inside a training loop, which will cause gradual slowdown and eventual "
    "resource exhaustion. If this is the case, restructure your code to call `next_element = iterator.get_next()` "
    "once outside the loop, and use `next_element` as the input to some computation that is invoked inside the loop."
)


def graph_in_force() -> Graph | None:
    """The graph that is being built, or None: elements are made at once."""
    return context.current().graph


@export("data.Iterator")
class IteratorBase(Composite, Generic[E_co]):
    """An iterator over a dataset, whose component is its handle: one trace of a function serves all that are alike.

    One of a session or a traced function gives symbolic tensors; see `compat.v1.data.Iterator`.
    """

    _element: Element

    def __iter__(self) -> Self:
        """The iterator itself."""
        return self

    def __next__(self) -> E_co:
        """The next element; StopIteration at the end."""
        return self.get_next()

    def get_next(self) -> E_co:
        """The next element.

        Raises:
          OutOfRangeError: at the end.
        """
        raise NotImplementedError

    def get_next_as_optional(self) -> Optional:
        """The next element, or an optional without a value at the end."""
        raise NotImplementedError

    @property
    def element_spec(self) -> TensorSpec | Any:
        """A nest like the elements, of specs."""
        return self._element.spec

    @property
    def output_types(self) -> Any:
        """A nest like the elements, of dtypes."""
        return output_types(self._element.spec)

    @property
    def output_shapes(self) -> Any:
        """A nest like the elements, of partial shapes."""
        return output_shapes(self._element.spec)

    @property
    def output_classes(self) -> Any:
        """A nest like the elements, of classes."""
        return output_classes(self._element.spec)

    def _components(self) -> list[Any]:
        raise NotImplementedError

    def _rebuild(self, components: Sequence[Any]) -> IteratorBase:
        return Iterator._of(components[0], None, self._element)

    @functools.cached_property
    def _type_spec(self) -> IteratorSpec:  # type: ignore[override]
        """The spec, one object for all that are alike: each call of a function looks its trace up by it."""
        return _SPECS[IteratorSpec(self.element_spec)]

    def _kind(self) -> IteratorSpec:
        return self._type_spec

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """An iterator of a graph that is begun with any dataset of a structure; see `make_initializer`.

        Args:
          output_types: a nest of dtypes.
          output_shapes: a nest of partial shapes; None is unknown.
          shared_name: the name of the iterator.
          output_classes: accepted.
        """
        element = Element(signature_of(output_types, output_shapes, None))
        return Iterator._of(graph_ops.add_handle(default_graph(), element, shared_name), None, element)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator that a string stands for; see `string_handle`.

        Args:
          string_handle: a string scalar, such as a placeholder.
          output_types: a nest of dtypes.
          output_shapes: a nest of partial shapes; None is unknown.
          output_classes: accepted.

        Raises:
          InvalidArgumentError: when it runs, if the iterator's elements have other types or shapes.
        """
        element = Element(signature_of(output_types, output_shapes, None))
        text = symbolic(convert_to_tensor(string_handle, dtypes.string), default_graph())
        return Iterator._of(graph_ops.from_string_handle(text, element), None, element)


@export("compat.v1.data.Iterator")
class Iterator(IteratorBase[E_co]):
    """An iterator of a graph: each session has an iteration of its own behind it. One that a traced function returns
    gives eager elements.

    Args:
      iterator_resource: its handle.
      initializer: the operation that begins it, or None.
      output_types, output_shapes, output_classes: nests that say what the elements are.
    """

    def __init__(
        self, iterator_resource: Any, initializer: Any, output_types: Any, output_shapes: Any, output_classes: Any
    ) -> None:
        self._handle, self._initializer = iterator_resource, initializer
        self._begun(Element(signature_of(output_types, output_shapes, None)))

    def _begun(self, element: Element) -> None:
        """Sets the fields of an iterator that nothing was asked of."""
        self._element, self._calls = element, 0
        self._steps: tuple[weakref.ref[Graph] | None, int] = (None, 0)
        self._text: Any = None  # the string that stands for it in a graph, which asking for it leaves as it is
        if isinstance(self._handle, SymbolicTensor) and not self._handle.graph.building_function:
            with self._handle.graph.as_default():
                self._text = self.string_handle("IteratorToStringHandle")

    @classmethod
    def _of(cls, handle: Any, initializer: Any, element: Element) -> Iterator:
        iterator = cls.__new__(cls)
        iterator._handle, iterator._initializer = handle, initializer
        iterator._begun(element)
        return iterator

    def __iter__(self) -> Iterator:
        """Itself, in a function that is traced, or of eager elements.

        Raises:
          TypeError: in a graph that is no function's: there is no telling how often a loop would turn.
        """
        graph = graph_in_force()
        if not isinstance(self._handle, EagerTensor) and (graph is None or not graph.building_function):
            raise TypeError(
                "'Iterator' object is not iterable: in a graph get_next() gives one element, which each run takes anew"
            )
        return self

    def __next__(self) -> E_co:
        """The next element as symbolic tensors.

        Raises:
          ValueError: when a function that is traced asks for more elements than anyone writes down: a Python loop
            never comes to the end of a dataset there.
        """
        graph = graph_in_force()
        if graph is not None:
            last_graph, count = self._steps
            count = count + 1 if last_graph is not None and last_graph() is graph else 1
            self._steps = weakref.ref(graph), count
            if count > MOST_STEPS:
                raise ValueError(
                    "An unusually high number of `tf.data.Iterator.get_next()` calls was detected. This suggests that "
                    "the `for elem in dataset: ...` idiom is used within tf.function with AutoGraph disabled. This "
                    "idiom is only supported when AutoGraph is enabled.\n  A Python loop does not end here: a dataset "
                    "has no end before the function runs. Leave autograph=False or do_not_convert away, or use "
                    "dataset.reduce(), or iterate outside of the function"
                )
        elif isinstance(self._handle, EagerTensor):
            return self._element.pack(value_of(self._handle).next())
        return self.get_next()

    def _following(self) -> Any:
        """The result of `next()` in converted code, which runs loops over datasets without Python."""
        return self.get_next()

    @property
    def initializer(self) -> Operation:
        """The operation that begins a new iteration.

        Raises:
          ValueError: if it has none.
        """
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """The operation that begins an iteration of a dataset.

        Args:
          dataset: its elements have the structure of this iterator.
          name: the operation's.

        Raises:
          TypeError, ValueError: if they have not.
        """
        self._fits(dataset.element_spec)
        graph: Any = self._handle.graph
        with graph.as_default():
            task = Task(dataset._node, dataset._options, graph_ops.begins)
            return graph_ops.add_task(graph, graph_ops.MAKE_ITERATOR, task, (self._handle,), name=name)

    def _fits(self, spec: Any) -> None:
        own = self._element.spec
        nest.assert_same_structure(own, spec)
        for mine, theirs in zip(nest.flatten(own), nest.flatten(spec), strict=True):
            if mine.dtype is not theirs.dtype:
                raise TypeError(
                    f"Expected output types {output_types(own)!r} but got dataset with output types "
                    f"{output_types(spec)!r}."
                )
            if not mine.shape.is_compatible_with(theirs.shape):
                raise TypeError(
                    f"Expected output shapes compatible with {output_shapes(own)!r} but got dataset with output "
                    f"shapes {output_shapes(spec)!r}."
                )

    def get_next(self, name: str | None = None) -> E_co:
        """The next element as symbolic tensors: every run in which they are needed takes one.

        Args:
          name: the operation's.

        Raises:
          OutOfRangeError: when it runs, at the end.
          FailedPreconditionError: when it runs, if the iterator was not begun in this session.
        """
        graph = graph_in_force()
        if graph is None and isinstance(self._handle, EagerTensor):
            return self._element.pack(value_of(self._handle).get_next())
        graph = graph or self._handle.graph
        self._calls += not graph.building_function
        if self._calls > MOST_STEPS and not graph.building_function:
            site.warn(_MANY_CALLS, UserWarning)
        with graph.as_default():
            return graph_ops.add_get_next(graph, self._handle, self._element, name)

    def get_next_as_optional(self) -> Optional:
        """The next element as an optional: every run in which it is needed takes one; at the end it has no value."""
        return next_as_optional(self._handle, self._element)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string that stands for the iterator of the session that computes it.

        Args:
          name: of a new operation; without one all calls give the same tensor.
        """
        if name is None and self._text is not None:
            return self._text
        return emit(OPS["IteratorToStringHandle"], (self._handle,), {}, name)

    def _components(self) -> list[Any]:
        return [self._handle]

    def _walk(self) -> Walk | None:
        """The iteration of a `for` loop in a traced function; None outside one."""
        graph = graph_in_force()
        if graph is None or not graph.building_function:
            return None
        return walk_over(emit(OPS["IteratorWalk"], (self._handle,)), self._element)


ANSWERS[Iterator] = answer


def walk_over(handle: Any, element: Element) -> Walk:
    """A walk over an iterator that nobody else reads, or over an `IteratorWalk`.

    Whether there is another element is asked once per iteration, and takes it.
    """

    def holds(counter: Any, more: Any) -> Any:
        graph: Any = graph_in_force()
        return emit(OPS["IteratorAdvance"], (symbolic(handle, graph), convert_to_tensor(more)))

    def item(counter: Any) -> Any:
        graph: Any = graph_in_force()
        return graph_ops.add_current(graph, handle, element)

    graph: Any = graph_in_force()
    begin = symbolic(convert_to_tensor(0, dtypes.int32), graph)
    spec = element.spec
    single = (spec.dtype, spec.shape._dims) if isinstance(spec, TensorSpec) else None
    return Walk(begin, holds, lambda i: i + 1, item, single)


def function_iterator(graph: Graph, node: Any, options: Any) -> Iterator:
    """A new iterator of a traced function, begun where it is in the function."""
    task = Task(node, options, graph_ops.begins_new)
    operation = graph_ops.add_task(graph, graph_ops.ANONYMOUS_ITERATOR, task, (), (dtypes.resource,), ((),))
    return Iterator._of(operation.outputs[0], None, node.element)


def initializable(dataset: Any, shared_name: str | None) -> Iterator:
    """See `compat.v1.data.make_initializable_iterator`."""
    if context.executing_eagerly():
        raise RuntimeError(
            "`tf.compat.v1.data.make_initializable_iterator()` is not supported when eager execution is enabled. Use "
            "`for element in dataset` instead."
        )
    iterator = Iterator._of(
        graph_ops.add_handle(default_graph(), dataset._node.element, shared_name), None, dataset._node.element
    )
    iterator._initializer = iterator.make_initializer(dataset)
    return iterator


def one_shot(dataset: Any) -> Iterator:
    """An iterator of a graph that begins when it is first read in a session.

    Raises:
      ValueError: if what the dataset uses of the graph is fed, or is a variable.
    """
    graph = default_graph()
    task = Task(dataset._node, dataset._options, graph_ops.begins_once)
    for tensor in task.used:
        _refuse_state(tensor)
    element = dataset._node.element
    handle = graph_ops.add_handle(graph, element)
    operation = graph_ops.add_task(graph, graph_ops.ONE_SHOT_ITERATOR, task, (handle,), (dtypes.resource,), ((),))
    return Iterator._of(operation.outputs[0], None, element)


def _refuse_state(tensor: SymbolicTensor) -> None:
    """Refuses what a one-shot iterator may not use."""
    waiting, seen = [tensor], set()
    while waiting:
        tensor = waiting.pop()
        node = tensor.op
        if node.index in seen:
            continue
        seen.add(node.index)
        if node.opdef.role is Role.PLACEHOLDER:
            raise ValueError(f"Cannot capture a placeholder (name:{node.name}, type:{node.type}) by value.")
        if node.type == "VarHandleOp":
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. `Dataset.make_one_shot_iterator()` does not "
                f"support datasets that capture stateful objects, such as a `Variable` or `LookupTable`: {node.name}. "
                "In these cases, use `Dataset.make_initializable_iterator()`."
            )
        waiting += node.inputs


# ---- the three nests by which 1.x says what elements are


def output_types(spec: Any) -> Any:
    """A nest of dtypes, of a nest of specs."""
    return nest.map_structure(lambda s: s.dtype, spec)


def output_shapes(spec: Any) -> Any:
    """A nest of partial shapes, of a nest of specs."""
    return nest.map_structure(lambda s: s.shape, spec)


def output_classes(spec: Any) -> Any:
    """A nest of classes, of a nest of specs."""
    return nest.map_structure(lambda s: Tensor if isinstance(s, TensorSpec) else s.value_type, spec)


@export("data.IteratorSpec")
class IteratorSpec(CompositeSpec):
    """The spec of an iterator, which has the spec of its elements.

    Args:
      element_spec: a nest of specs.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        super().__init__((), dtypes.resource)
        self._element_spec = element_spec

    @functools.cached_property
    def _hash(self) -> int:
        return CompositeSpec.__hash__(self)

    def __hash__(self) -> int:
        return self._hash

    @property
    def element_spec(self) -> TensorSpec | Any:
        """The spec of its elements."""
        return self._element_spec

    @property
    def value_type(self) -> type[IteratorBase]:
        """The class of iterators."""
        return IteratorBase

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        """The spec of an iterator."""
        return IteratorSpec(value.element_spec)

    def _components(self) -> list[TensorSpec]:
        return [TensorSpec((), dtypes.resource)]

    def _from_components(self, components: Sequence[Any]) -> Iterator:
        return Iterator._of(components[0], None, Element(self._element_spec))

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"


_SPECS: BoundedCache[IteratorSpec, IteratorSpec] = BoundedCache("specs of iterators", 256, lambda spec: spec)
