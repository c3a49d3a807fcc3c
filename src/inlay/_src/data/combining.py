"""Datasets one after the other and side by side: `concatenate`, `zip` and `enumerate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.pipeline import Pipeline, applied, merged
from inlay._src.data.sizes import size_tensor
from inlay._src.data.sources import LAST, RangeNode
from inlay._src.data.spec import shared_spec


@graph_form("ConcatenateDataset", inputs=None, read=lambda m: ConcatenateNode(m.inputs, m.element().spec))
class ConcatenateNode(Node):
    """The elements of one dataset, then those of the next.

    Args:
      sources: the datasets; their elements are alike.
      spec: the most specific spec that the elements of all of them satisfy.
    """

    __slots__ = ()
    name = "_ConcatenateDataset"

    def __init__(self, sources: Sequence[Node], spec: Any) -> None:
        super().__init__(spec, sources)

    def cursor(self, iteration: Iteration) -> Cursor:
        return ConcatenateCursor([node.cursor(iteration) for node in self.inputs])

    def cardinality(self, iteration: Iteration) -> int:
        counts = [node.cardinality(iteration) for node in self.inputs]
        return INFINITE if INFINITE in counts else UNKNOWN if UNKNOWN in counts else sum(counts)


class ConcatenateCursor(Cursor):
    """One iteration of `ConcatenateNode`."""

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


@graph_form("ZipDataset", inputs=None, read=lambda m: ZipNode(m.element().spec, m.inputs))
class ZipNode(Node):
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
        return ZipCursor([node.cursor(iteration) for node in self.inputs])

    def cardinality(self, iteration: Iteration) -> int:
        counts = [node.cardinality(iteration) for node in self.inputs]
        finite = [n for n in counts if n != INFINITE]
        return INFINITE if not finite else UNKNOWN if UNKNOWN in finite else min(finite)


class ZipCursor(Cursor):
    """One iteration of `ZipNode`.

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


def zip_(*args: Any, datasets: Any = None, name: str | None = None) -> tuple[Node, Options]:
    """The node and the options of `Dataset.zip`, whose arguments it takes."""
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if args and datasets is not None:
        raise TypeError("Both `*args` and `datasets` cannot be set.")
    structure = datasets if not args else args[0] if len(args) == 1 else args
    parts = nest.flatten(structure)
    if _has_list(structure):
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
            "Python `list` is not supported and you should use `tuple` instead."
        )
    for part in parts:
        if not isinstance(part, Pipeline):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                f"objects but encountered object of type {type(part)}."
            )
    spec = nest.pack_sequence_as(structure, [part._node.element.spec for part in parts])
    return ZipNode(spec, [part._node for part in parts]), merged(parts)


def concatenate(self: Pipeline, dataset: Pipeline, name: str | None = None) -> tuple[Node, Options]:
    """The elements of this dataset, then those of another.

    Args:
      dataset: the other; its elements have the same structure and dtypes.

    Raises:
      TypeError: if they do not.
    """
    spec = dataset.element_spec
    try:
        shared = shared_spec([self._node.element.spec, spec])
    except (TypeError, ValueError) as error:
        raise TypeError(f"Incompatible dataset elements:\n  {self._node.element.spec!r} vs.   {spec!r}") from error
    own = self._node
    before = own.inputs if isinstance(own, ConcatenateNode) else (own,)  # a thousand in a row are no thousand stages
    return ConcatenateNode([*before, dataset._node], shared), merged([self, dataset])


def enumerate_(source: Node, start: Any = 0, name: str | None = None) -> Node:
    """Numbers the elements: pairs of an int64 scalar and an element.

    Args:
      start: the first number, an int64 scalar.
    """
    first, last, apart = (size_tensor(n, "start") for n in (start, LAST, 1))
    numbers = RangeNode(first, last, apart, dtypes.int64)
    spec = (numbers.element.spec, source.element.spec)
    return ZipNode(spec, [numbers, source])


applied_enumerate: Any = export("data.experimental.enumerate_dataset", "contrib.data.enumerate_dataset")(
    applied(enumerate_)
)


def _has_list(value: Any) -> bool:
    return isinstance(value, list) or (nest.is_nested(value) and any(_has_list(v) for _, v in nest._items(value)))
