"""Groups of elements with equal keys: `group_by_window` and `group_by_reducer`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.element import Element, Values
from inlay._src.data.failures import Blame, BlamedFunction, code_name
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction, MapCursor
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.pipeline import applied
from inlay._src.data.scanning import stepped
from inlay._src.data.spec import DatasetSpec, held


@graph_form("", CAPTURES, {"key": Mapped, "size": Mapped, "reduce": Mapped})
class GroupByWindowNode(Node):
    """The results of a function of groups of elements with one key."""

    __slots__ = ("key", "reduce", "size")
    name = "_GroupByWindowDataset"

    def __init__(self, source: Node, key: Mapped, size: Mapped, reduce: Mapped) -> None:
        spec = reduce.element.spec
        if not isinstance(spec, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return "
                f"type is {spec!r}."
            )
        super().__init__(spec.element_spec, (source,), (*key.captures, *size.captures, *reduce.captures))
        self.key, self.size, self.reduce = key, size, reduce

    def cursor(self, iteration: Iteration) -> Cursor:
        key = ElementFunction.of(self, self.key, iteration)
        size, reduce = (
            BlamedFunction(f.opened(iteration), Blame(self, iteration, f.label)) for f in (self.size, self.reduce)
        )
        return GroupByWindowCursor(self.inputs[0].cursor(iteration), key, size, reduce, self.reduce.label)

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE if self.inputs[0].cardinality(iteration) == INFINITE else UNKNOWN


class GroupByWindowCursor(MapCursor):
    """One iteration of `GroupByWindowNode`. Its position has the sizes of groups, those that are not full, and the one
    being given."""

    __slots__ = ("_inner", "_label", "_reduce", "_size", "current", "ended", "groups", "sizes")
    saved = ("current", "ended", "first", "groups", "index", "sizes")

    def __init__(
        self, source: Cursor, key: ElementFunction, size: BlamedFunction, reduce: BlamedFunction, label: str
    ) -> None:
        super().__init__(source, key)
        self._size, self._reduce, self._label = size, reduce, label
        self.groups: dict[int, list[Values]] = {}
        self.sizes: dict[int, int] = {}
        self.current: tuple[int, list[Values]] | None = None
        self.ended: bool = False
        self._inner: Cursor | None = None

    def __next__(self) -> Values:
        while True:
            if self._inner is not None:
                try:
                    return next(self._inner)
                except StopIteration:
                    self._inner.close()
                    self._inner = self.current = None
            elif not self.ended:
                self._group()
            elif self.groups:
                self.current = self.groups.popitem()
                self._begin()
            else:
                raise StopIteration

    def _group(self) -> None:
        try:
            values = next(self.sources[0])
        except StopIteration:
            self._end()
            return
        key = int(self.applied(values)[0])
        size = self.sizes.get(key)
        if size is None:
            size = int(self._size([np.int64(key)], self._last, self)[0])
            if size < 1:
                raise errors.InvalidArgumentError(None, None, f"Window size must be greater than zero, but got {size}.")
            self.sizes[key] = size
        group = self.groups.setdefault(key, [])
        group.append(values)
        if len(group) >= size:
            self._open(key)

    @property
    def _last(self) -> int:
        """The index of the element that was read last."""
        return self.index - self.first - 1

    def _end(self) -> None:
        """The groups that are not full come next, in the order of their keys."""
        self.ended, self.groups = True, dict(sorted(self.groups.items(), reverse=True))

    def _open(self, key: int) -> None:
        self.current = (key, self.groups.pop(key))
        self._begin()

    def _begin(self) -> None:
        assert self.current is not None
        key, elements = self.current
        try:
            (bound,) = self._reduce([np.int64(key), held(elements)], self._last, self)
            self._inner = bound.node.cursor(bound.iteration)
        except errors.OpError as error:  # TensorFlow has one class for all
            text = f"Got error code {code_name(error)} and message: {error}"
            if self._label not in text:  # the function returned a dataset that cannot be iterated
                text += f"\n  from running user-defined function {self._label}"
            raised = errors.refused(errors.InternalError, error.original_class or errors.InternalError, text)
            raise raised from error

    def state(self) -> Any:
        return {**super().state(), "inner": None if self._inner is None else self._inner.state()}

    def restore(self, state: Any) -> None:
        super().restore(state)
        if self.ended:
            self._end()
        if state["inner"] is not None:
            self._begin()
            assert self._inner is not None
            self._inner.restore(state["inner"])

    def below(self) -> Sequence[Cursor]:
        return self.sources if self._inner is None else (self._inner, *self.sources)


def group_by_window(
    source: Node,
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Node:
    """Groups elements with equal keys, and concatenates the datasets that a function returns for the groups.

    Args:
      key_func: takes an element; returns its key, an int64 scalar.
      reduce_func: takes a key and the dataset of a group; returns a dataset.
      window_size: the number of elements per group, an int64 scalar.
      window_size_func: takes a key; returns the number of elements per group, in place of `window_size`.

    Raises:
      ValueError: if both sizes are given, or neither.
      TypeError: if `reduce_func` returns no dataset.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
    sized = window_size_func if window_size_func is not None else lambda key: window_size
    what, key = "Dataset.group_by_window()", TensorSpec((), dtypes.int64)
    keys = Mapped(key_func, source.element, what, lambda _, key: whole_number(key))
    sizes = Mapped(sized, Element(key), what, lambda _, size: convert_to_tensor(size, dtypes.int64))
    groups = Mapped(reduce_func, Element((key, DatasetSpec(source.element.spec))), what)
    return GroupByWindowNode(source, keys, sizes, groups)


applied_group_by_window: Any = export("data.experimental.group_by_window", "contrib.data.group_by_window")(
    applied(group_by_window)
)


@export("data.experimental.Reducer", "contrib.data.Reducer")
class Reducer:
    """The reduction of the elements of a key by `group_by_reducer`.

    Args:
      init_func: takes a key; returns the first state.
      reduce_func: takes a state and an element; returns the next state.
      finalize_func: takes the last state; returns the element for the key.
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """Takes a key; returns the first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """Takes a state and an element; returns the next state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """Takes the last state; returns the element."""
        return self._finalize_func


@graph_form("", CAPTURES, {"key": Mapped, "initial": Mapped, "reduce": Mapped, "finish": Mapped})
class GroupByReducerNode(Node):
    """One element for each key: the reduction of all elements with that key."""

    __slots__ = ("finish", "initial", "key", "reduce")
    name = "_GroupByReducerDataset"

    def __init__(self, source: Node, key: Mapped, initial: Mapped, reduce: Mapped, finish: Mapped) -> None:
        functions = (key, initial, reduce, finish)
        super().__init__(finish.element, (source,), [c for f in functions for c in f.captures])
        self.key, self.initial, self.reduce, self.finish = functions

    def cursor(self, iteration: Iteration) -> Cursor:
        functions = (self.initial, self.reduce, self.finish)
        others = [BlamedFunction(f.opened(iteration), Blame(self, iteration, f.label)) for f in functions]
        key = ElementFunction.of(self, self.key, iteration)
        return GroupByReducerCursor(self.inputs[0].cursor(iteration), key, *others)


class GroupByReducerCursor(MapCursor):
    """One iteration of `GroupByReducerNode`. Its position has the states of the keys."""

    __slots__ = ("_finish", "_initial", "_reduce", "ended", "states")
    saved = ("ended", "first", "index", "states")

    def __init__(
        self,
        source: Cursor,
        key: ElementFunction,
        initial: BlamedFunction,
        reduce: BlamedFunction,
        finish: BlamedFunction,
    ) -> None:
        super().__init__(source, key)
        self._initial, self._reduce, self._finish = initial, reduce, finish
        self.states: dict[int, Values] = {}
        self.ended: bool = False

    def __next__(self) -> Values:
        while not self.ended:
            try:
                values = next(self.sources[0])
            except StopIteration:
                self.ended = True
                break
            key = int(self.applied(values)[0])
            index = self.index - self.first - 1
            before = self.states.get(key) or self._initial([np.int64(key)], index, self)
            self.states[key] = self._reduce([*before, *values], index, self)
        if not self.states:
            raise StopIteration
        return self._finish(self.states.pop(min(self.states)), self.index - self.first, self)


def group_by_reducer(source: Node, key_func: Callable[..., Any], reducer: Reducer) -> Node:
    """One element for each key: the reduction of all elements with that key, in the order of the keys.

    Args:
      key_func: takes an element; returns its key, an int64 scalar.
      reducer: the reduction.
    """
    what, key = "tf.data.experimental.group_by_reducer()", TensorSpec((), dtypes.int64)
    keys = Mapped(key_func, source.element, what, lambda _, key: whole_number(convert_to_tensor(key)))
    initial = Mapped(reducer.init_func, Element(key), what)
    step = stepped(reducer.reduce_func, initial.element.spec, source.element, "Reducer.reduce()", lambda spec: spec)
    finish = Mapped(reducer.finalize_func, step.element, what)
    return GroupByReducerNode(source, keys, initial, step, finish)


applied_group_by_reducer: Any = export("data.experimental.group_by_reducer", "contrib.data.group_by_reducer")(
    applied(group_by_reducer)
)


def whole_number(key: Any) -> Any:
    """A key as an int64 scalar.

    Raises:
      ValueError: if it has another dtype or shape.
    """
    tensor = convert_to_tensor(key, None if hasattr(key, "dtype") else dtypes.int64)
    if tensor.dtype is not dtypes.int64 or not tensor.shape.is_compatible_with(()):
        raise ValueError(
            "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return type is "
            f"{TensorSpec(tensor.shape, tensor.dtype)!r}."
        )
    return tensor
