"""Transformations that choose which elements there are, by their place, their value or their errors."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.pipeline import applied
from inlay._src.data.sizes import size_tensor

SHARD_HINT: Final = export("data.experimental.SHARD_HINT")(-1)
"""The number of shards of a dataset that is divided where it is distributed."""


@graph_form("ShardDataset", "int64 int64")
class ShardNode(Node):
    """Every `number`-th element, from that at `index` on."""

    __slots__ = ()
    name = "_ShardDataset"

    def __init__(self, source: Node, number: Any, index: Any) -> None:
        super().__init__(source.element, (source,), (number, index))

    def check(self, iteration: Iteration) -> None:
        shard_of(*iteration.values(self.tensors))

    def cursor(self, iteration: Iteration) -> Cursor:
        number, index = shard_of(*iteration.values(self.tensors))
        if number == SHARD_HINT:
            raise errors.FailedPreconditionError(
                None, None, "`tf.data.Dataset.shard(SHARD_HINT, ...)` has elements only where something divides the "
                "dataset among workers, which a strategy does not do here: pass the number of shards and an index"
            )  # fmt: skip
        return ShardCursor(self.inputs[0].cursor(iteration), number, index)

    def cardinality(self, iteration: Iteration) -> int:
        count = self.inputs[0].cardinality(iteration)
        number, index = shard_of(*iteration.values(self.tensors))
        return UNKNOWN if number == SHARD_HINT else count if count < 0 else len(range(index, count, number))


def shard_of(number: Any, index: Any) -> tuple[int, int]:
    """The number of shards, and the index of one.

    Raises:
      InvalidArgumentError: if the number is not positive, or the index out of range.
    """
    number, index = int(number), int(index)
    if number == SHARD_HINT:
        return number, index
    if number < 1:
        raise errors.InvalidArgumentError(
            None, None, f"Number of shards must be greater than zero (currently num_shards = {number})."
        )
    if not 0 <= index < number:
        raise errors.InvalidArgumentError(
            None, None, f"Index must be between 0 and {number - 1} (currently index = {index})."
        )
    return number, index


class ShardCursor(Cursor):
    """One iteration of `ShardNode`."""

    __slots__ = ("_number", "skip")
    saved = ("skip",)

    def __init__(self, source: Cursor, number: int, index: int) -> None:
        super().__init__(source)
        self._number, self.skip = number, index

    def __next__(self) -> Values:
        while self.skip:
            next(self.sources[0])
            self.skip -= 1
        values = next(self.sources[0])
        self.skip = self._number - 1
        return values


@graph_form("UniqueDataset")
class UniqueNode(Node):
    """Elements without those that came before.

    Raises:
      TypeError: for other elements.
    """

    __slots__ = ()
    name = "_UniqueDataset"

    def __init__(self, source: Node) -> None:
        super().__init__(source.element, (source,))
        for spec in source.element.leaves:
            if spec.dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {spec.dtype} -- only `tf.int32`, `tf.int64`, "
                    "and `tf.string` are supported."
                )
        if not isinstance(source.element.spec, TensorSpec):
            raise errors.InvalidArgumentError(
                None, None, f"UniqueDataset only supports inputs with a single component, got {source.element.spec!r}."
            )

    def cursor(self, iteration: Iteration) -> Cursor:
        return UniqueCursor(self.inputs[0].cursor(iteration))


class UniqueCursor(Cursor):
    """One iteration of `UniqueNode`. Its position has the elements that came before."""

    __slots__ = ("_keys", "seen")
    saved = ("seen",)

    def __init__(self, source: Cursor) -> None:
        super().__init__(source)
        self.seen: list[Any] = []
        self._keys: set[Any] = set()

    def __next__(self) -> Values:
        while True:
            values = next(self.sources[0])
            key = _key(values[0])
            if key not in self._keys:
                self._keys.add(key)
                self.seen.append(values[0])
                return values

    def restore(self, state: Any) -> None:
        super().restore(state)
        self.seen = list(state["seen"])
        self._keys = {_key(value) for value in self.seen}


def _key(value: Any) -> Any:
    return np.shape(value), tuple(np.ravel(value).tolist())


@graph_form(
    "IgnoreErrorsDataset",
    "",
    {"log_warning": bool},
    attrs={"log_warning": "log_warning"},
    read=lambda m: IgnoreErrorsNode(m.inputs[0], m.node.attrs["log_warning"]),
)
class IgnoreErrorsNode(Node):
    """The elements without those that raise an error."""

    __slots__ = ("log_warning",)
    name = "_IgnoreErrorsDataset"

    def __init__(self, source: Node, log_warning: bool) -> None:
        super().__init__(source.element, (source,))
        self.log_warning = log_warning

    def cursor(self, iteration: Iteration) -> Cursor:
        return IgnoreErrorsCursor(self.inputs[0].cursor(iteration), self.log_warning)

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE if self.inputs[0].cardinality(iteration) == INFINITE else UNKNOWN


class IgnoreErrorsCursor(Cursor):
    """One iteration of `IgnoreErrorsNode`."""

    __slots__ = ("_log",)

    def __init__(self, source: Cursor, log_warning: bool) -> None:
        super().__init__(source)
        self._log = log_warning

    def __next__(self) -> Values:
        while True:
            try:
                return next(self.sources[0])
            except StopIteration:
                raise
            except Exception as error:
                if self._log:
                    messages.warning("Error raised with error message %s", error)


@graph_form("AssertCardinalityDataset", "int64")
class AssertCardinalityNode(Node):
    """The elements, with a declared cardinality."""

    __slots__ = ()
    name = "_AssertCardinalityDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        return AssertCardinalityCursor(self.inputs[0].cursor(iteration), self.cardinality(iteration))

    def cardinality(self, iteration: Iteration) -> int:
        return iteration.number(self.tensors[0])


class AssertCardinalityCursor(Cursor):
    """One iteration of `AssertCardinalityNode`."""

    __slots__ = ("_count", "given")
    saved = ("given",)

    def __init__(self, source: Cursor, count: int) -> None:
        super().__init__(source)
        self._count, self.given = count, 0

    def __next__(self) -> Values:
        number = "an infinite number of" if self._count == INFINITE else str(self._count)
        wanted = f"{number} element{'' if self._count == 1 else 's'}"
        try:
            values = next(self.sources[0])
        except StopIteration:
            if self.given != self._count:
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    f"Input dataset was expected to contain {wanted} but contained only {self.given} "
                    f"element{'' if self.given == 1 else 's'}.",
                ) from None
            raise
        self.given += 1
        if self._count >= 0 and self.given > self._count:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Input dataset was expected to contain {wanted} but contained at least {self.given} "
                f"element{'' if self.given == 1 else 's'}.",
            )
        return values


def shard(source: Node, num_shards: Any, index: Any, name: str | None = None) -> Node:
    """Keeps every `num_shards`-th element.

    Args:
      num_shards: the number of shards, an int64 scalar; `SHARD_HINT` leaves it to what divides the dataset, so that the
        dataset itself has no elements.
      index: the index of this shard and of its first element, an int64 scalar.

    Raises:
      InvalidArgumentError: if `index` is not in [0, num_shards).
    """
    return ShardNode(source, size_tensor(num_shards, "num_shards"), size_tensor(index, "index"))


def unique(source: Node, name: str | None = None) -> Node:
    """Drops elements that occurred before.

    Raises:
      TypeError: if an element is not a tensor of int32, int64 or string.
    """
    return UniqueNode(source)


applied_unique: Any = export("data.experimental.unique", "contrib.data.unique")(applied(unique))


def ignore_errors(source: Node, log_warning: bool = False, name: str | None = None) -> Node:
    """Drops elements that raise an error.

    Args:
      log_warning: whether to log the errors.
    """
    return IgnoreErrorsNode(source, bool(log_warning))


applied_ignore_errors: Any = export("data.experimental.ignore_errors", "contrib.data.ignore_errors")(
    applied(ignore_errors)
)


def assert_cardinality(source: Node, expected_cardinality: Any) -> Node:
    """Declares the number of elements; an iteration with another number raises FailedPreconditionError.

    Args:
      expected_cardinality: the number of elements, or INFINITE_CARDINALITY, an int64 scalar.
    """
    return AssertCardinalityNode(source, size_tensor(expected_cardinality, "expected_cardinality"))


applied_assert_cardinality: Any = export("data.experimental.assert_cardinality")(applied(assert_cardinality))
