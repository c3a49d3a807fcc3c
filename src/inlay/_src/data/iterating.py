"""Iterators of Python: the object that `for element in dataset` iterates."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, nest
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS
from inlay._src.core.tensor import EagerTensor, Value
from inlay._src.core.values import scalar_string
from inlay._src.data.composite_rules import answer
from inlay._src.data.element import Element
from inlay._src.data.external_state import ExternalStatePolicy
from inlay._src.data.graph_iterators import E_co, Iterator, IteratorBase, IteratorSpec, graph_in_force
from inlay._src.data.iterator_state import IteratorState
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.optional import Optional
from inlay._src.data.options import Options
from inlay._src.data.prefetching import begin_ahead
from inlay._src.data.shuffling import position_of, put_at, read_position
from inlay._src.data.spec import DatasetSpec
from inlay._src.programs.program import RUNNING


class OwnedIterator(IteratorBase[E_co]):
    """An iterator over a dataset.

    Args:
      node: the dataset's.
      options: its execution.
      form: converts the structure and the values of an element to the object that users receive.
      watch: see `Iteration`.
    """

    __inlay_restore__: Any
    __inlay_save__: Any

    def __init__(
        self,
        node: Node,
        options: Options,
        form: Callable[[Element, Sequence[Any]], Any] = Element.pack,
        watch: Callable[[Node, Cursor], Cursor] | None = None,
    ) -> None:
        self._element = node.element
        self._form = node.element.packing if form is Element.pack else functools.partial(form, node.element)
        self._node, self._options = node, options
        self._watch = watch
        self._iteration, self._cursor = self._opened()
        self._state: IteratorState | None = None
        self._end = self._ending(self._cursor)
        self._symbolic: Iterator | None = None

    def _opened(self) -> tuple[Iteration, Cursor]:
        """A new iteration and its cursor."""
        iteration = Iteration(self._options, None, self._watch)
        with context.using(RUNNING):
            cursor = iteration.opened(self._node)
            if self._options.experimental_warm_start:  # type: ignore[attr-defined]
                begin_ahead(cursor)
            return iteration, cursor

    def _ending(self, cursor: Cursor) -> weakref.finalize[..., Any]:
        """Closes a cursor once nothing reads it."""
        return weakref.finalize(self._state or self, cursor.close)

    @boundary
    def __next__(self) -> E_co:
        try:
            before = context.get()
            if before is not None and before.graph is not None:
                return next(self._in_graphs())
            context.set_state(RUNNING)
            try:
                values = next(self._cursor)
            finally:
                context.set_state(before)
            return self._form(values)
        except StopIteration:
            raise
        except Exception as error:
            leave(error)
            raise

    def next(self) -> Any:
        """The next element; StopIteration at the end."""
        return self.__next__()

    def get_next(self, name: str | None = None) -> E_co:
        """The next element.

        Args:
          name: accepted.

        Raises:
          OutOfRangeError: at the end.
        """
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element, or an optional without a value at the end."""
        return self._in_graphs().get_next_as_optional()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._element.spec!r}>"

    def close(self) -> None:
        """Ends the iteration."""
        self._end()

    def _in_graphs(self) -> Iterator:
        """The same iteration as traced functions see it."""
        if self._symbolic is None:
            self._state = IteratorState("OwnedIterator", self._element, self._node, self._iteration, self._cursor)
            self._symbolic = Iterator._of(EagerTensor(self._state, dtypes.resource), None, self._element)
            self._end.detach()
            self._end = self._ending(self._cursor)  # the handle may outlive this object
        return self._symbolic

    @property
    def _shared_spec(self) -> IteratorSpec:
        return self._type_spec

    def _components(self) -> list[Any]:
        return self._in_graphs()._components()

    def _rebuild(self, components: Sequence[Any]) -> IteratorBase:
        own = isinstance(components[0], EagerTensor) and value_of(components[0]) is self._state
        return self if own else super()._rebuild(components)

    def _following(self) -> Any:
        return next(self) if graph_in_force() is None else self._in_graphs().get_next()

    def _walk(self) -> Any:
        graph = graph_in_force()
        return None if graph is None else self._in_graphs()._walk()

    def _position(self) -> bytes:
        """Where it stands.

        Raises:
          FailedPreconditionError: if a function has state, and the options of the dataset say `FAIL`.
          UnimplementedError: if a stage cannot say, with the reason.
        """
        policy = self._options.experimental_external_state_policy  # type: ignore[attr-defined]
        return position_of(self._node, self._iteration, self._cursor, policy or ExternalStatePolicy.IGNORE)

    def _go_to(self, position: bytes) -> None:
        """Puts it where it, or another iterator of the same dataset, stood, and drops elements in flight."""
        state = read_position(self._node, self._iteration, position)
        iteration, cursor = self._opened()
        before = context.get()
        context.set_state(RUNNING)
        try:
            put_at(self._node, iteration, cursor, state)
        except BaseException:
            cursor.close()
            raise
        finally:
            context.set_state(before)
        self._end()
        self._iteration, self._cursor, self._end = iteration, cursor, self._ending(cursor)
        if self._state is not None:
            self._state.follow(iteration, cursor)

    __inlay_save__, __inlay_restore__ = _position, _go_to


@export("data.NumpyIterator")
class NumpyIterator(OwnedIterator[Value]):
    """An iterator over a dataset whose elements are nests of NumPy arrays and scalars.

    Args:
      dataset: the dataset.

    Raises:
      RuntimeError: if a graph is being built.
      TypeError: if a component is neither a dense nor a ragged nor a sparse tensor.
    """

    def __init__(self, dataset: Any) -> None:
        if graph_in_force() is not None:
            raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
        for spec in nest.flatten(dataset.element_spec):
            if isinstance(spec, DatasetSpec):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
                    f"{spec.value_type}"
                )
        super().__init__(dataset._node, dataset._options, Element.arrays)

    def save(self) -> EagerTensor:
        """Where it stands, a string scalar for `restore`.

        Raises:
          FailedPreconditionError: if a function has state, and the options of the dataset say `FAIL`.
          UnimplementedError: if a stage cannot say, with the reason.
        """
        return EagerTensor(scalar_string(self._position()), dtypes.string)

    def restore(self, state: Any) -> None:
        """Puts it where it, or another iterator of the same dataset, stood.

        Args:
          state: the result of `save`, or its bytes.

        Raises:
          DataLossError: if it is damaged.
        """
        position: Any = convert_to_tensor(state, dtypes.string).numpy()
        self._go_to(position)


ANSWERS[NumpyIterator] = ANSWERS[OwnedIterator] = answer


@export("contrib.eager.Iterator")
def eager_iterator(dataset: Any) -> Any:
    """`iter(dataset)`, by the name that eager programs of 1.x had for it.

    Args:
      dataset: a dataset.
    """
    return iter(dataset)
