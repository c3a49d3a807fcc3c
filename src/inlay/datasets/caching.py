"""Elements that are kept once they were made: in memory, or in a file."""

from __future__ import annotations

import os
from typing import Any

from inlay import errors
from inlay.datasets.element import Element, Values, saved_values
from inlay.datasets.node import Cursor, Iteration, Node
from inlay.training import bundle
from inlay.types.specs import TensorSpec


class Memory:
    """Elements that an iteration came to the end of, for later ones.

    Attributes:
      elements: the elements, or None before.
    """

    __slots__ = ("elements",)
    elements: list[Values] | None

    def __init__(self) -> None:
        self.elements = None

    def load(self) -> list[Values] | None:
        """The elements, if they are there."""
        return self.elements

    def keep(self, elements: list[Values]) -> None:
        """Keeps the elements of an iteration that came to its end."""
        self.elements = elements


class File:
    """The same in a file, whose format is that of checkpoints.

    Args:
      prefix: its path without the ending.
      element: how the elements are built.

    Raises:
      UnimplementedError: if components are no tensors.
    """

    __slots__ = ("_element", "_prefix")

    def __init__(self, prefix: str, element: Element) -> None:
        self._prefix, self._element = prefix, element
        if not all(isinstance(s, TensorSpec) for s in element.leaves):
            raise errors.UnimplementedError(None, None, f"elements of {element.spec!r} cannot be kept in a file")

    def load(self) -> list[Values] | None:
        """The elements, if the file is there.

        Raises:
          InvalidArgumentError: if those in the file are others than these.
        """
        if not os.path.isfile(self._prefix + bundle.SUFFIX):
            return None
        with bundle.Reader(self._prefix) as reader:
            count, width = reader.manifest["elements"], len(self._element.leaves)
            kinds = [spec.dtype.name for spec in self._element.leaves]
            if reader.manifest["dtypes"] != kinds:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"the cache {reader.path} has components of {reader.manifest['dtypes']}, the dataset of {kinds}: "
                    "remove the file, or cache under another name",
                )
            return [[reader.read(f"{i}/{at}")[()] for at in range(width)] for i in range(count)]

    def keep(self, elements: list[Values]) -> None:
        """Writes the elements of an iteration that came to its end."""
        kinds = [spec.dtype for spec in self._element.leaves]
        values = {
            f"{i}/{at}": (value, kind)
            for i, element in enumerate(elements)
            for at, (value, kind) in enumerate(zip(element, kinds, strict=True))
        }
        bundle.write(self._prefix, values, {"elements": len(elements), "dtypes": [kind.name for kind in kinds]})


class Cache(Node):
    """The elements, made by the first iteration that comes to the end and kept for those after it.

    Args:
      source: what is kept.
      filename: where, a string scalar; "" is in memory.
    """

    __slots__ = ("memory",)
    memory: Memory
    name = "CacheDataset"

    def __init__(self, source: Node, filename: Any) -> None:
        super().__init__(source.element, (source,), (filename,))
        self.memory = Memory()

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        given = iteration.value(self.tensors[0])
        prefix = given.item() if hasattr(given, "item") else given
        place = File(os.fsdecode(prefix), self.element) if prefix else self.memory
        return CacheCursor(self.inputs[0], iteration, place)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return self.inputs[0].cardinality(iteration)


class CacheCursor(Cursor):
    """One iteration of `Cache`: gives what is kept, or reads the source and keeps that at its end.

    Its position has the elements: those of the memory may be gone where it is restored.
    """

    __slots__ = ("_elements", "_iteration", "_kept", "_node", "_place", "at")
    at: int
    saved = ("at",)

    def __init__(self, node: Node, iteration: Iteration, place: Memory | File) -> None:
        super().__init__()
        self._node, self._iteration, self._place = node, iteration, place
        found = place.load()
        self._kept, self.at = found is not None, 0
        self._elements: list[Values] = found or []
        if not self._kept:
            self.sources = (node.cursor(iteration),)

    def __next__(self) -> Values:
        if self._kept:
            if self.at >= len(self._elements):
                raise StopIteration
            self.at += 1
            return list(self._elements[self.at - 1])
        try:
            values = next(self.sources[0])
        except StopIteration:
            self._place.keep(self._elements)
            self._kept, self.at = True, len(self._elements)
            self.close()
            self.sources = ()
            raise
        self._elements.append(values)
        return list(values)

    def state(self) -> Any:
        """See `Cursor.state`."""
        elements = [saved_values(values) for values in self._elements]
        return {**super().state(), "elements": elements, "kept": self._kept}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        self._elements, self._kept = [list(values) for values in state["elements"]], state["kept"]
        self.close()
        self.sources = () if self._kept else (self._node.cursor(self._iteration),)
        super().restore(state)
        if self._kept:
            self._place.keep(self._elements)
