"""Caches of elements, in memory or in a file.

The first iteration that reaches the end provides the elements of the cache: all later iterations give the same ones,
and a complete cache is never overwritten. A file is made by one iteration at a time, of all processes.
"""

from __future__ import annotations

import abc
import fcntl
import os
from typing import Any, TextIO

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.opening import path_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Effect, no_gradient
from inlay._src.data.element import Element, Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.positions import in_positions
from inlay._src.training import npz_checkpoint


@in_positions("memory")
class Memory:
    """Elements that an iteration came to the end of, for later ones.

    Attributes:
      elements: the elements, or None before.
    """

    __slots__ = ("elements",)

    def __init__(self) -> None:
        self.elements: list[Values] | None = None

    def state(self) -> Any:
        """See `in_positions`."""
        return self.elements

    @classmethod
    def at(cls, state: Any) -> Memory:
        """See `in_positions`."""
        memory = cls()
        memory.elements = state
        return memory

    def load(self) -> list[Values] | None:
        """The elements, if they are there."""
        return self.elements

    def begin(self) -> list[Values] | None:
        """An iteration is about to make the elements; gives them if they are there by now."""
        return self.elements

    def keep(self, elements: list[Values]) -> None:
        """Keeps the elements of an iteration that came to its end."""
        if self.elements is None:
            self.elements = elements

    def leave(self) -> None:
        """The iteration makes no more of them."""


class File:
    """The same in a file, whose format is that of checkpoints.

    Args:
      prefix: its path without the ending.
      element: the structure of the elements.

    Raises:
      UnimplementedError: if components are no tensors.
    """

    __slots__ = ("_element", "_lock", "_prefix")

    def __init__(self, prefix: str, element: Element) -> None:
        self._prefix, self._element, self._lock = prefix, element, Lock(prefix + ".lockfile")
        if not all(isinstance(s, TensorSpec) for s in element.leaves):
            raise errors.UnimplementedError(None, None, f"elements of {element.spec!r} cannot be kept in a file")

    def load(self) -> list[Values] | None:
        """The elements, if the file is there.

        Raises:
          InvalidArgumentError: if those in the file are others than these.
        """
        if not os.path.isfile(self._prefix + npz_checkpoint.SUFFIX):
            return None
        with npz_checkpoint.NpzReader(self._prefix) as reader:
            with reader.guard("manifest.json"):
                count, saved = int(reader.manifest["elements"]), reader.manifest["dtypes"]
            width, kinds = len(self._element.leaves), [spec.dtype.name for spec in self._element.leaves]
            if saved != kinds:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"the cache {reader.path} has components of {saved}, the dataset of {kinds}: "
                    "remove the file, or cache under another name",
                )
            return [[reader.read(f"{i}/{at}")[()] for at in range(width)] for i in range(count)]

    def begin(self) -> list[Values] | None:
        """An iteration is about to make the elements; gives them if they are there by now.

        Raises:
          AlreadyExistsError: if another iteration, here or in another process, is making them.
        """
        if not self._lock.take():
            raise errors.AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile already exists "
                f"('{self._lock.path}'): {self._lock.holder()} has begun to make {self._prefix}{npz_checkpoint.SUFFIX} "
                "and has not come to its end. Read it to its end or close it first, or cache under another name",
            )
        elements = self.load()
        if elements is not None:
            self.leave()
        return elements

    def leave(self) -> None:
        """The iteration makes no more of them."""
        self._lock.give_back()

    def keep(self, elements: list[Values]) -> None:
        """Writes the elements of an iteration that came to its end, unless others are there or being made."""
        if not self._lock.take():
            return
        try:
            if not os.path.isfile(self._prefix + npz_checkpoint.SUFFIX):
                self._write(elements)
        finally:
            self.leave()

    def _write(self, elements: list[Values]) -> None:
        kinds = [spec.dtype for spec in self._element.leaves]
        values = {
            f"{i}/{at}": (value, kind)
            for i, element in enumerate(elements)
            for at, (value, kind) in enumerate(zip(element, kinds, strict=True))
        }
        npz_checkpoint.write(self._prefix, values, {"elements": len(elements), "dtypes": [kind.name for kind in kinds]})


class Lock:
    """Held by one at a time, of all processes; it ends with the process that holds it, whose file then means nothing.

    Args:
      path: of the file that shows who holds it.
    """

    __slots__ = ("_file", "_process", "path")

    def __init__(self, path: str) -> None:
        self.path, self._process = path, 0
        self._file: TextIO | None = None

    def take(self) -> bool:
        """Takes it if nobody else holds it; says whether it is held now."""
        while self._file is None:
            file = open(self.path, "a+")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                return False
            if not self._is(file):  # its holder gave it back, and took the file away, after it was opened
                file.close()
                continue
            self._file, self._process = file, os.getpid()
            file.truncate(0)
            file.write(str(self._process))
            file.flush()
        return True

    def _is(self, file: TextIO) -> bool:
        """Whether an open file is the one that the path names."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), os.stat(self.path))
        except FileNotFoundError:
            return False

    def holder(self) -> str:
        """A description of the process that holds the lock."""
        try:
            with open(self.path) as file:
                process = file.read()
        except OSError:
            process = ""
        return "another iteration of this process" if process == str(os.getpid()) else f"process {process or 'unknown'}"

    def give_back(self) -> None:
        """Lets others have it. The copy of a process that was forked while it was held does nothing to it."""
        file, self._file = self._file, None
        if file is None:
            return
        if self._process == os.getpid():
            os.unlink(self.path)
            fcntl.flock(file, fcntl.LOCK_UN)
        file.close()


@op("DummyMemoryCache", "-> resource", effect=Effect.RANDOM, infer=lambda s: [()], vjp=no_gradient)
def _new_memory(xp: Any) -> Memory:
    """The handle of a new memory for the elements of a cache."""
    return Memory()


class _CachingNode(Node):
    """The elements, which the first complete iteration computes and stores for later iterations."""

    __slots__ = ()
    name = "CacheDataset"

    def check(self, iteration: Iteration) -> None:
        if rank := np.ndim(iteration.value(self.tensors[0])):
            raise errors.InvalidArgumentError(None, None, f"filename must be a scalar, got a value of rank {rank}.")

    def cursor(self, iteration: Iteration) -> Cursor:
        value = iteration.value(self.tensors[0])
        prefix = value.item() if hasattr(value, "item") else value
        place = File(path_of(prefix), self.element) if prefix else self.memory_in(iteration)
        return CacheCursor(self.inputs[0], iteration, place)

    @abc.abstractmethod
    def memory_in(self, iteration: Iteration) -> Memory:
        """The memory of an iteration without a file."""

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


@graph_form("CacheDataset", "string", caches={"memory": Memory})
class CacheNode(_CachingNode):
    """A cache whose memory is its own, for as long as there is the dataset."""

    __slots__ = ("memory",)

    def __init__(self, source: Node, filename: Any) -> None:
        super().__init__(source.element, (source,), (filename,))
        self.memory: Memory = Memory()

    def memory_in(self, iteration: Iteration) -> Memory:
        return self.memory


@graph_form("CacheDatasetV2", "string resource")
class CacheV2Node(_CachingNode):
    """A cache of a graph, which makes a new memory in each run: what the dataset uses has other values there."""

    __slots__ = ()

    def __init__(self, source: Node, filename: Any, handle: Any) -> None:
        super().__init__(source.element, (source,), (filename, handle))

    def memory_in(self, iteration: Iteration) -> Memory:
        memory = iteration.value(self.tensors[1])
        if not isinstance(memory, Memory):
            text = f"the handle of a cache must be that of DummyMemoryCache, got a {type(memory).__name__}"
            raise errors.InvalidArgumentError(None, None, text)
        return memory


class CacheCursor(Cursor):
    """One iteration of `CacheNode`: gives what is kept, or reads the source and keeps that at its end.

    In memory the last element is the end, where it is known how many there are: a reader may stop behind it.

    Its position has the elements: those of the memory may be gone where it is restored.
    """

    __slots__ = ("_begun", "_count", "_elements", "_iteration", "_kept", "_node", "_place", "at")
    saved = ("at",)

    def __init__(self, node: Node, iteration: Iteration, place: Memory | File) -> None:
        super().__init__()
        self._node, self._iteration, self._place = node, iteration, place
        elements = place.load()
        self._kept, self._begun, self.at = elements is not None, False, 0
        self._count = node.cardinality(iteration) if isinstance(place, Memory) else UNKNOWN
        self._elements: list[Values] = elements or []
        if not self._kept:
            self.sources = (node.cursor(iteration),)

    def __next__(self) -> Values:
        if not (self._kept or self._begun):
            self._begin()
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
            self._end_reading()
            raise
        self._elements.append(values)
        if len(self._elements) == self._count:
            self._place.keep(self._elements.copy())
        return list(values)

    def _begin(self) -> None:
        """Elements are made from here on, unless they are there by now. In the middle of its own it goes on by itself.

        Raises:
          AlreadyExistsError: see `File.begin`.
        """
        elements = self._place.begin()
        self._begun = True
        if elements is not None and not self._elements:
            self._elements, self._kept = elements, True
            self._end_reading()

    def _end_reading(self) -> None:
        super().close()
        self.sources = ()

    def close(self) -> None:
        super().close()
        self._place.leave()

    def state(self) -> Any:
        elements = list(self._elements)
        return {**super().state(), "elements": elements, "kept": self._kept}

    def restore(self, state: Any) -> None:
        self._elements, self._kept = [list(values) for values in state["elements"]], state["kept"]
        self.close()
        self._begun = False
        self.sources = () if self._kept else (self._node.cursor(self._iteration),)
        super().restore(state)
        if self._kept:
            self._place.keep(self._elements)


def cache(source: Node, filename: Any = "", name: str | None = None) -> Node:
    """Caches the elements: the first complete iteration fills the cache, later iterations read it.

    Args:
      filename: the path of a file without its suffix, a string scalar; "" caches in memory.
    """
    path = convert_to_tensor(filename, dtypes.string)
    constant = constant_of(path)
    if context.executing_eagerly() or (constant is not None and constant.size == 1 and constant.item()):
        return CacheNode(source, path)
    return CacheV2Node(source, path, _new_memory())
