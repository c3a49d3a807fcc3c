"""Transformations that choose which elements there are, by a function of each or by their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.element import Values
from inlay._src.data.failures import Blame
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import MapCursor
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.numbering import Numbers
from inlay._src.data.sources import Counted
from inlay._src.data.spec import Bound, DatasetSpec
from inlay._src.data.stacking import Unread


class Filter(Node):
    """The elements for which a function is true.

    Args:
      source: the dataset to filter.
      mapped: the function; it gives a boolean scalar.

    Raises:
      ValueError: if it gives something else.
    """

    __slots__ = ("mapped",)
    name = "_FilterDataset"

    def __init__(self, source: Node, mapped: Mapped) -> None:
        super().__init__(source.element, (source,), mapped.captures)
        self.mapped: Mapped = mapped
        spec = mapped.element.spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.bool_ and spec.shape.is_compatible_with(())):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its return type is "
                f"{spec!r}."
            )

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        blame = Blame(self, iteration, self.mapped.label)
        numbers = self.mapped.numbers(self, iteration)
        return FilterCursor(self.inputs[0].cursor(iteration), self.mapped.opened(iteration), blame, numbers)


class FilterCursor(MapCursor):
    """One iteration of `Filter`."""

    __slots__ = ()

    def __next__(self) -> Values:
        while True:
            values = next(self.sources[0])
            (found,) = self.applied(values)
            if np.ndim(found):
                raise errors.InvalidArgumentError(
                    None, None, f"the predicate of a filter must give a scalar, got shape {np.shape(found)}"
                )
            if found:
                return values


class FlatMap(Node):
    """The elements of the datasets that a function makes of each element, one dataset after the other.

    Args:
      source: the dataset to map.
      mapped: the function; it gives a dataset.
    """

    __slots__ = ("mapped",)
    name = "_FlatMapDataset"

    def __init__(self, source: Node, mapped: Mapped) -> None:
        super().__init__(datasets_of(mapped, "flat_map"), (source,), mapped.captures)
        self.mapped: Mapped = mapped

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        blame = Blame(self, iteration, self.mapped.label)
        numbers = self.mapped.numbers(self, iteration)
        return FlatMapCursor(self.inputs[0].cursor(iteration), self.mapped.opened(iteration), blame, numbers)


def datasets_of(mapped: Mapped, what: str) -> Any:
    """The spec of the elements of the datasets that a function makes.

    Raises:
      TypeError: if it makes none.
    """
    spec = mapped.element.spec
    if not hasattr(spec, "element_spec"):
        raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {spec!r} from that of {what}.")
    return spec.element_spec


class FlatMapCursor(MapCursor):
    """One iteration of `FlatMap`. Its position is the current element and where its dataset stands."""

    __slots__ = ("_inner", "_values")

    def __init__(self, source: Cursor, make: Callable[..., Values], blame: Blame, numbers: Numbers) -> None:
        super().__init__(source, make, blame, numbers)
        self._values: Values = []
        self._inner: Cursor | None = None

    def __next__(self) -> Values:
        while True:
            if self._inner is None:
                self._open(next(self.sources[0]))
            assert self._inner is not None
            try:
                return next(self._inner)
            except StopIteration:
                self._inner.close()
                self._inner = None

    def _open(self, values: Values) -> None:
        (bound,) = self.applied(values)
        self._values, self._inner = values, bound.node.cursor(bound.iteration)

    def state(self) -> Any:
        """See `Cursor.state`."""
        inner = None if self._inner is None else {"element": self._values, "at": self._inner.state()}
        return {**super().state(), "inner": inner}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        if state["inner"] is not None:
            self.index -= 1  # the element is read again
            self._open(list(state["inner"]["element"]))
            assert self._inner is not None
            self._inner.restore(state["inner"]["at"])

    def below(self) -> Sequence[Cursor]:
        """See `Cursor.below`."""
        return self.sources if self._inner is None else (self._inner, *self.sources)


class Take(Node):
    """The first elements.

    Args:
      source: what they are taken from.
      count: the number of elements, an int64 scalar; negative takes all.
    """

    __slots__ = ()
    name = "_TakeDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return TakeCursor(self.inputs[0].cursor(iteration), int(iteration.value(self.tensors[0])))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found, count = self.inputs[0].cardinality(iteration), int(iteration.value(self.tensors[0]))
        if count < 0 or found == UNKNOWN:
            return found if count else 0
        return count if found == INFINITE else min(found, count)


class TakeCursor(Cursor):
    """One iteration of `Take`. With the end it ends the iteration of its source, which it has none of any more."""

    __slots__ = ("left",)
    saved: ClassVar[tuple[str, ...]] = ("left",)

    def __init__(self, source: Cursor, count: int) -> None:
        super().__init__(source)
        self.left: int = count

    def __next__(self) -> Values:
        if not self.left:
            self._end()
            raise StopIteration
        values = next(self.sources[0])
        self.left -= 1
        return values

    def _end(self) -> None:
        self.close()
        self.sources = ()

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        if not state["sources"]:
            self._end()
        super().restore(state)

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        """See `Cursor.stacks`."""
        return bool(self.sources) and self.sources[0].stacks

    def stacked(self, size: int) -> tuple[Values, int]:
        """See `Cursor.stacked`."""
        try:
            values, count = self.sources[0].stacked(size if self.left < 0 else min(size, self.left))
        except Unread as unread:
            self.left -= unread.count
            raise
        self.left -= count
        return values, count


class Skip(Node):
    """The elements behind the first ones.

    Args:
      source: the number to skip.
      count: the number of elements, an int64 scalar; negative skips all.
    """

    __slots__ = ()
    name = "_SkipDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return SkipCursor(self.inputs[0].cursor(iteration), int(iteration.value(self.tensors[0])))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found, count = self.inputs[0].cardinality(iteration), int(iteration.value(self.tensors[0]))
        return 0 if count < 0 else found if found < 0 else max(0, found - count)


class SkipCursor(Cursor):
    """One iteration of `Skip`."""

    __slots__ = ("left",)
    saved: ClassVar[tuple[str, ...]] = ("left",)

    def __init__(self, source: Cursor, count: int) -> None:
        super().__init__(source)
        self.left: int = count

    def __next__(self) -> Values:
        self._skip()
        return next(self.sources[0])

    def _skip(self) -> None:
        while self.left:
            next(self.sources[0])
            self.left -= 1

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        """See `Cursor.stacks`."""
        return self.sources[0].stacks

    def stacked(self, size: int) -> tuple[Values, int]:
        """See `Cursor.stacked`."""
        try:
            self._skip()
        except StopIteration:
            return [], 0
        return self.sources[0].stacked(size)


class Repeat(Node):
    """The elements several times over, each time from a new iteration.

    Args:
      source: the dataset to repeat.
      count: the number of repetitions, an int64 scalar; negative is without end.
    """

    __slots__ = ()
    name = "_RepeatDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return RepeatCursor(self.inputs[0], iteration, int(iteration.value(self.tensors[0])))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found, count = self.inputs[0].cardinality(iteration), int(iteration.value(self.tensors[0]))
        if count < 0:
            return 0 if found == 0 else INFINITE
        return 0 if not count else found if found < 0 else found * count


class RepeatCursor(Cursor):
    """One iteration of `Repeat`. Its source is that of the current turn."""

    __slots__ = ("_iteration", "_node", "_times", "done", "some")
    saved: ClassVar[tuple[str, ...]] = ("done", "some")

    def __init__(self, node: Node, iteration: Iteration, times: int) -> None:
        super().__init__()
        self._node, self._iteration, self._times = node, iteration, times
        self.done: int = 0
        self.some: bool = False

    def __next__(self) -> Values:
        while self.sources or self._turns():
            try:
                values = next(self.sources[0])
                self.some = True
                return values
            except StopIteration:
                self._end()
        raise StopIteration

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        """See `Cursor.stacks`."""
        return bool(self.sources or self._turns()) and self.sources[0].stacks

    def stacked(self, size: int) -> tuple[Values, int]:
        """See `Cursor.stacked`."""
        parts: list[Values] = []
        count = 0
        while count < size and self.stacks:  # every turn stacks if one does
            try:
                values, found = self.sources[0].stacked(size - count)
            except Unread as unread:
                self.some = self.some or unread.count > 0
                raise Unread(count + unread.count, unread.error) from None
            if found:
                self.some = True
                parts.append(values)
                count += found
            if count < size:
                self._end()
        if len(parts) == 1:
            return parts[0], count
        return [np.concatenate(part) for part in zip(*parts, strict=True)], count

    def _turns(self) -> bool:
        """Whether there is another turn; it is begun."""
        if self.done == self._times:
            return False
        self._begin()
        self.some = False
        return True

    def _begin(self) -> None:
        self.sources = (self._node.cursor(self._iteration),)

    def _end(self) -> None:
        """The turn is over."""
        self.close()
        self.sources = ()
        self.done += 1
        if not self.some and self._times < 0:  # an empty dataset without end: TensorFlow's ends too
            self.done = self._times

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        if state["sources"]:
            self._begin()
        super().restore(state)


class Concatenate(Node):
    """The elements of one dataset, then those of the next.

    Args:
      sources: the datasets; their elements are alike.
      spec: what holds of the elements of all.
    """

    __slots__ = ()
    name = "_ConcatenateDataset"

    def __init__(self, sources: Sequence[Node], spec: Any) -> None:
        super().__init__(spec, sources)

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return ConcatenateCursor([node.cursor(iteration) for node in self.inputs])

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found = [node.cardinality(iteration) for node in self.inputs]
        return INFINITE if INFINITE in found else UNKNOWN if UNKNOWN in found else sum(found)


class ConcatenateCursor(Cursor):
    """One iteration of `Concatenate`."""

    __slots__ = ("at",)
    saved: ClassVar[tuple[str, ...]] = ("at",)

    def __init__(self, sources: Sequence[Cursor]) -> None:
        super().__init__(*sources)
        self.at: int = 0

    def __next__(self) -> Values:
        while self.at < len(self.sources):
            try:
                return next(self.sources[self.at])
            except StopIteration:
                self.at += 1
        raise StopIteration


class Listed(Node):
    """Datasets, one after the other: its elements are datasets.

    Args:
      sources: the datasets; their elements are alike.
      spec: what holds of the elements of all.
    """

    __slots__ = ()
    name = "_TensorSliceDataset"

    def __init__(self, sources: Sequence[Node], spec: Any) -> None:
        super().__init__(DatasetSpec(spec), sources)

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return Counted(len(self.inputs), lambda i: [Bound(self.inputs[i], iteration)])

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return len(self.inputs)


class Zip(Node):
    """The elements of several datasets side by side, up to the end of the shortest.

    Args:
      spec: the nest of their specs.
      sources: the datasets, in flattening order.
    """

    __slots__ = ()
    name = "_ZipDataset"

    def __init__(self, spec: Any, sources: Sequence[Node]) -> None:
        super().__init__(spec, sources)

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return ZipCursor([node.cursor(iteration) for node in self.inputs])

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found = [node.cardinality(iteration) for node in self.inputs]
        finite = [n for n in found if n != INFINITE]
        return INFINITE if not finite else UNKNOWN if UNKNOWN in finite else min(finite)


class ZipCursor(Cursor):
    """One iteration of `Zip`.

    At the end of one source each later one is asked once more: a cache in a file that has as many elements is whole.
    """

    __slots__ = ("ended",)
    saved: ClassVar[tuple[str, ...]] = ("ended",)

    def __init__(self, sources: Sequence[Cursor]) -> None:
        super().__init__(*sources)
        self.ended: bool = False

    def __next__(self) -> Values:
        if self.ended:
            raise StopIteration
        values: Values = []
        failures: list[BaseException] = []
        for source in self.sources:
            try:
                values += next(source)
            except StopIteration:
                self.ended = True
            except errors.PASS_THROUGH:
                raise
            except BaseException as error:  # the others go on too: their next elements belong together again
                if not self.ended:
                    failures.append(error)
        if failures:
            raise failures.pop(0)  # this frame, which its traceback has, must not hold it
        if self.ended:
            raise StopIteration
        return values
