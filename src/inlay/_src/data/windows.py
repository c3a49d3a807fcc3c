"""Datasets of datasets: windows of consecutive elements, and groups of elements with the same key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import nest
from inlay._src.data.element import Element, Values, parts_of
from inlay._src.data.failures import Blame, Told, code_name
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import MapCursor
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node, unresumable
from inlay._src.data.numbering import Numbers
from inlay._src.data.sizes import at_least
from inlay._src.data.spec import DatasetSpec, held


class Window(Node):
    """Datasets of consecutive elements, one for each component.

    Args:
      source: where the elements come from.
      size: the number of elements per window, an int64 scalar.
      shift: the distance in elements between the starts of two windows, an int64 scalar.
      stride: the distance between elements of a window, an int64 scalar.
      drop_remainder: whether windows that are smaller are left out, a bool scalar.
    """

    __slots__ = ()
    name = "_WindowDataset"

    def __init__(self, source: Node, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> None:
        spec = nest.map_structure(DatasetSpec, source.element.spec)
        super().__init__(spec, (source,), (size, shift, stride, drop_remainder))

    def check(self, iteration: Iteration) -> None:
        """See `Node.check`."""
        self._settings(iteration)

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return WindowCursor(self.inputs[0].cursor(iteration), self.inputs[0].element, *self._settings(iteration))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found = self.inputs[0].cardinality(iteration)
        size, shift, stride, drop = self._settings(iteration)
        if found < 0:
            return found
        if not drop:
            return -(-found // shift)
        reach = (size - 1) * stride + 1
        return 0 if found < reach else (found - reach) // shift + 1

    def _settings(self, iteration: Iteration) -> tuple[int, int, int, bool]:
        size, shift, stride, drop = iteration.values(self.tensors)
        labels = ("Window size", "Window shift", "Window stride")
        checked = [at_least(n, 1, label) for n, label in zip((size, shift, stride), labels, strict=True)]
        return checked[0], checked[1], checked[2], bool(drop)


class WindowCursor(Cursor):
    """One iteration of `Window`. Its position has the elements that the next window begins with.

    An element that cannot be read takes its place among them: every window that it belongs to raises what it raised,
    as TensorFlow's do, and the windows behind begin where they would have begun. Of one that belongs to no window
    nothing is told.
    """

    __slots__ = ("_drop", "_parts", "_reach", "_shift", "_stride", "buffer", "ended", "skip")
    saved = ("buffer", "ended", "skip")

    def __init__(self, source: Cursor, element: Element, size: int, shift: int, stride: int, drop: bool) -> None:
        super().__init__(source)
        self._parts = parts_of(element)
        self._reach, self._shift, self._stride, self._drop = (size - 1) * stride + 1, shift, stride, drop
        self.buffer: list[Values | BaseException] = []
        self.skip, self.ended = 0, False

    def __next__(self) -> Values:
        while not self.ended and (self.skip or len(self.buffer) < self._reach):
            self._group()
        if not self.buffer or (self._drop and len(self.buffer) < self._reach):
            self.buffer = []
            raise StopIteration
        found: list[Values] = []
        failures: list[BaseException] = []
        for values in self.buffer[:: self._stride]:
            if isinstance(values, BaseException):
                failures.append(values)
            else:
                found.append(values)
        self.skip = max(0, self._shift - len(self.buffer))
        self.buffer = self.buffer[self._shift :]
        if failures:
            del values  # this frame, which the traceback has, must not hold what is raised
            raise failures.pop(0)
        return [held([v[at] for v in found]) for _, at in self._parts]

    def _group(self) -> None:
        try:
            self._place(next(self.sources[0]))
        except StopIteration:
            self.ended = True
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            self._place(error)

    def _place(self, values: Values | BaseException) -> None:
        if self.skip:
            self.skip -= 1
        else:
            self.buffer.append(values)

    def state(self) -> Any:
        """See `Cursor.state`."""
        if any(isinstance(values, BaseException) for values in self.buffer):
            raise unresumable("a window", "one of its elements could not be read, and what that raised cannot be saved")
        return super().state()


class GroupByWindow(Node):
    """The results of a function of groups of elements with one key.

    Args:
      source: where the elements come from.
      key: a function of an element; gives the key, an int64 scalar.
      size: a function of a key; gives how many elements make a group, an int64 scalar.
      reduce: a function of a key and the dataset of a group; gives a dataset.
    """

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
        """See `Node.cursor`."""
        blame = Blame(self, iteration, self.key.label)
        size, reduce = (Told(f.opened(iteration), Blame(self, iteration, f.label)) for f in (self.size, self.reduce))
        numbers, source = self.key.numbers(self, iteration), self.inputs[0].cursor(iteration)
        key = self.key.opened(iteration)
        return GroupByWindowCursor(source, key, blame, numbers, size, reduce, self.reduce.label)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return INFINITE if self.inputs[0].cardinality(iteration) == INFINITE else UNKNOWN


class GroupByWindowCursor(MapCursor):
    """One iteration of `GroupByWindow`. Its position has the sizes of groups, those that are not full, and the one
    being given."""

    __slots__ = ("_inner", "_label", "_reduce", "_size", "current", "ended", "groups", "sizes")
    saved = ("current", "ended", "first", "groups", "index", "sizes")

    def __init__(
        self,
        source: Cursor,
        key: Callable[..., Values],
        blame: Blame,
        numbers: Numbers,
        size: Told,
        reduce: Told,
        label: str,
    ) -> None:
        super().__init__(source, key, blame, numbers)
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
        """See `Cursor.state`."""
        return {**super().state(), "inner": None if self._inner is None else self._inner.state()}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        if self.ended:
            self._end()
        if state["inner"] is not None:
            self._begin()
            assert self._inner is not None
            self._inner.restore(state["inner"])

    def below(self) -> Sequence[Cursor]:
        """See `Cursor.below`."""
        return self.sources if self._inner is None else (self._inner, *self.sources)


class GroupByReducer(Node):
    """What a reduction makes of all elements with the same key, one element for each key.

    Args:
      source: where the elements come from.
      key: a function of an element; gives the key, an int64 scalar.
      initial: a function of a key; gives the first state.
      reduce: a function of a state and an element; gives the next state.
      finish: a function of a state; gives the element.
    """

    __slots__ = ("finish", "initial", "key", "reduce")
    name = "_GroupByReducerDataset"

    def __init__(self, source: Node, key: Mapped, initial: Mapped, reduce: Mapped, finish: Mapped) -> None:
        functions = (key, initial, reduce, finish)
        super().__init__(finish.element, (source,), [c for f in functions for c in f.captures])
        self.key, self.initial, self.reduce, self.finish = functions

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        functions = (self.initial, self.reduce, self.finish)
        told = [Told(f.opened(iteration), Blame(self, iteration, f.label)) for f in functions]
        blame, numbers = Blame(self, iteration, self.key.label), self.key.numbers(self, iteration)
        return GroupByReducerCursor(self.inputs[0].cursor(iteration), self.key.opened(iteration), blame, numbers, *told)


class GroupByReducerCursor(MapCursor):
    """One iteration of `GroupByReducer`. Its position has the states of the keys."""

    __slots__ = ("_finish", "_initial", "_reduce", "ended", "states")
    saved = ("ended", "first", "index", "states")

    def __init__(
        self,
        source: Cursor,
        key: Callable[..., Values],
        blame: Blame,
        numbers: Numbers,
        initial: Told,
        reduce: Told,
        finish: Told,
    ) -> None:
        super().__init__(source, key, blame, numbers)
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
