"""Elements that are read from a folder where they were saved: `load` and `snapshot`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, ClassVar

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.checksums import extend
from inlay._src.base.files.opening import path_of
from inlay._src.base.files.records import Records
from inlay._src.core.graph import constant_of
from inlay._src.data.element import Element, Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.pipeline import applied
from inlay._src.data.spec import Bound, DatasetSpec
from inlay._src.data.stored_format import NAME, Manifest, Segment, unpacked
from inlay._src.data.storing import (
    Folder,
    SavingCursor,
    SavingNode,
    compression_of,
    folder_of,
    path_tensor,
    shard_function,
)

RETRY = 0.5
"""Seconds between two looks for a dataset that is waited for."""


class StoredShardNode(Node):
    """The elements of one shard of a folder.

    Args:
      element: their structure.
      folder: the folder.
      compression: of its record files.
      segments: the record files.
    """

    __slots__ = ("_compression", "_folder", "_segments")
    name = "_LoadDataset"

    def __init__(self, element: Element, folder: str, compression: str, segments: list[Segment]) -> None:
        super().__init__(element)
        self._folder, self._compression, self._segments = folder, compression, segments

    def cursor(self, iteration: Iteration) -> Cursor:
        return StoredShardCursor(self.element, self._folder, self._compression, self._segments)

    def cardinality(self, iteration: Iteration) -> int:
        return sum(segment.records for segment in self._segments)


class StoredShardCursor(Cursor):
    """One iteration of `StoredShardNode`. Its position is a place in a record file and the checksum up to there."""

    __slots__ = ("_compression", "_folder", "_leaves", "_open", "_segments", "at", "checksum", "records", "segment")
    saved = ("segment", "at", "records", "checksum")

    def __init__(self, element: Element, folder: str, compression: str, segments: list[Segment]) -> None:
        super().__init__()
        self._leaves, self._folder, self._compression, self._segments = element.leaves, folder, compression, segments
        self._open: Records | None = None
        self.segment, self.at, self.records, self.checksum = 0, 0, 0, 0

    def __next__(self) -> Values:
        while self.segment < len(self._segments):
            segment = self._segments[self.segment]
            path = os.path.join(self._folder, segment.file)
            if self._open is None:
                self._open = Records(path, self._compression)
                self._open.seek(self.at)
            record = next(self._open, None)
            if record is not None:
                self.at, self.records = self._open.at, self.records + 1
                self.checksum = extend(self.checksum, record)
                try:
                    return unpacked(record, self._leaves)
                except ValueError as error:
                    raise errors.DataLossError(
                        None, None, f"record {self.records - 1} of {path} is not an element of {self._leaves}: {error}"
                    ) from error
            self._leave()
            read = (self.records, self.checksum)
            self.segment, self.at, self.records, self.checksum = self.segment + 1, 0, 0, 0
            if read != (segment.records, segment.checksum):
                raise errors.DataLossError(
                    None, None, f"{path} is not the file that was saved: it has {read[0]} records with the checksum "
                    f"{read[1]:#010x}, {os.path.join(self._folder, NAME)} says {segment.records} with "
                    f"{segment.checksum:#010x}"
                )  # fmt: skip
        raise StopIteration

    def _leave(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def restore(self, state: Any) -> None:
        self._leave()
        super().restore(state)

    def close(self) -> None:
        self._leave()
        super().close()


class _StoredShardsNode(Node):
    """The shards of a folder, each a dataset."""

    __slots__ = ("_shards",)
    name = "_LoadDataset"

    def __init__(self, element: Element, folder: str, manifest: Manifest) -> None:
        super().__init__(DatasetSpec(element.spec))
        self._shards = [
            StoredShardNode(element, folder, manifest.compression, segments) for segments in manifest.shards.values()
        ]

    def cursor(self, iteration: Iteration) -> Cursor:
        return _StoredShardsCursor(self._shards, iteration)

    def cardinality(self, iteration: Iteration) -> int:
        return len(self._shards)


class _StoredShardsCursor(Cursor):
    """One iteration of `_StoredShardsNode`."""

    __slots__ = ("_iteration", "_shards", "next")
    saved = ("next",)

    def __init__(self, shards: list[StoredShardNode], iteration: Iteration) -> None:
        super().__init__()
        self._shards, self._iteration, self.next = shards, iteration, 0

    def __next__(self) -> Values:
        if self.next == len(self._shards):
            raise StopIteration
        self.next += 1
        return [Bound(self._shards[self.next - 1], self._iteration)]


def reader_of(function: Callable[..., Any] | None, element: Element, what: str) -> Mapped | None:
    """A user's function from a dataset of shards to a dataset of elements, traced.

    Raises:
      TypeError: if it gives no dataset.
      ValueError: if that has other elements.
    """
    if function is None:
        return None
    mapped = Mapped(function, Element(DatasetSpec(DatasetSpec(element.spec))), what)
    spec = mapped.element.spec
    if not isinstance(spec, DatasetSpec):
        raise TypeError(f"`reader_func` must return a `Dataset` object, got {spec!r}.")
    if len(Element(spec.element_spec).leaves) != len(element.leaves):
        raise ValueError(f"`reader_func` must return a dataset of {element.spec!r}, got one of {spec.element_spec!r}.")
    return mapped


class _TurnsCursor(Cursor):
    """Gives an element of each of its sources by turns, leaving out those that have ended."""

    __slots__ = ("turn",)
    saved = ("turn",)

    def __init__(self, sources: list[StoredShardCursor]) -> None:
        super().__init__(*sources)
        self.turn: int = 0

    def __next__(self) -> Values:
        for _ in self.sources:
            source = self.sources[self.turn]
            self.turn = (self.turn + 1) % len(self.sources)
            values = next(source, None)
            if values is not None:
                return values
        raise StopIteration


def _made_by(reader: Mapped, node: Node, folder: str, manifest: Manifest, iteration: Iteration) -> Bound:
    """The dataset that a user's function returns for the shards of a folder."""
    (bound,) = reader.opened(iteration)([Bound(_StoredShardsNode(node.element, folder, manifest), iteration)])
    return bound  # type: ignore[no-any-return]


def _reading(reader: Mapped | None, node: Node, folder: str, manifest: Manifest, iteration: Iteration) -> Cursor:
    """The cursor of the elements of a folder.

    Without a function it takes an element of each shard by turns: elements that were dealt out come in their order.
    """
    if reader is not None:
        bound = _made_by(reader, node, folder, manifest, iteration)
        return bound.node.cursor(bound.iteration)
    return _TurnsCursor(
        [StoredShardCursor(node.element, folder, manifest.compression, s) for s in manifest.shards.values()]
    )


@graph_form("", f"string {CAPTURES}", {"reader": (Mapped, type(None))}, inputs=0)
class LoadNode(Node):
    """The elements of a folder.

    Args:
      element: their structure.
      path: the folder, a string scalar.
      reader: makes a dataset of that of the shards; None takes an element of each by turns.
    """

    __slots__ = ("reader",)
    name = "_LoadDataset"

    def __init__(self, element: Element, path: Any, reader: Mapped | None) -> None:
        super().__init__(element, (), (path, *(() if reader is None else reader.captures)))
        self.reader = reader

    def _manifest(self, iteration: Iteration) -> tuple[str, Manifest]:
        folder = folder_of(iteration.value(self.tensors[0]))
        manifest = Manifest.read(folder)
        manifest.spec_of_elements(folder, self.element.spec)
        return folder, manifest

    def cursor(self, iteration: Iteration) -> Cursor:
        return _reading(self.reader, self, *self._manifest(iteration), iteration)

    def cardinality(self, iteration: Iteration) -> int:
        folder, manifest = self._manifest(iteration)
        if self.reader is None:
            return manifest.elements
        bound = _made_by(self.reader, self, folder, manifest, iteration)
        return bound.node.cardinality(bound.iteration)


@graph_form(
    "",
    f"string {CAPTURES}",
    {"compression": str, "shard": (Mapped, type(None)), "reader": (Mapped, type(None))},
    caches={"_identity": str},
)
class SnapshotNode(SavingNode):
    """The elements, from a folder if they are there; else they are written there on their way.

    Args:
      source: the dataset.
      path: the folder, a string scalar.
      compression: of the record files.
      shard: see `SavingNode`.
      reader: see `LoadNode`.

    Attributes:
      identify: gives the name of the folder of a dataset, which tells it apart from others below the same path.
        `fingerprinting` sets it, since a fingerprint is made of the declarations of all nodes.
    """

    __slots__ = ("_identity", "reader")
    name = "_SnapshotDataset"
    identify: ClassVar[Callable[[Node, Iteration], str]]

    def __init__(self, source: Node, path: Any, compression: str, shard: Mapped | None, reader: Mapped | None) -> None:
        super().__init__(source, path, compression, shard)
        self.tensors = (*self.tensors, *(() if reader is None else reader.captures))
        self.reader = reader
        self._identity = ""

    def folder(self, iteration: Iteration) -> str:
        identity = self._identity or SnapshotNode.identify(self.inputs[0], iteration)
        if not self.inputs[0].used():  # it is the same in each iteration, though a function's captured objects change
            self._identity = identity
        return os.path.join(super().folder(iteration), identity)

    def cursor(self, iteration: Iteration) -> Cursor:
        return SnapshotCursor(self, iteration)

    def reading(self, iteration: Iteration) -> Cursor | None:
        """The cursor of the elements in the folder; None if they are not there."""
        folder = self.folder(iteration)
        if not os.path.isfile(os.path.join(folder, NAME)):
            return None
        manifest = Manifest.read(folder)
        manifest.spec_of_elements(folder, self.element.spec)
        return _reading(self.reader, self, folder, manifest, iteration)

    def published(self, folder: str, written: Folder) -> None:
        """Makes the elements those of the folder, unless another iteration was first: it may be read by now."""
        if os.path.isfile(os.path.join(folder, NAME)):
            written.drop()
        else:
            written.publish()


class SnapshotCursor(Cursor):
    """One iteration of `SnapshotNode`: its source reads the folder, or writes it."""

    __slots__ = ("_iteration", "_node", "reading")
    shown = False

    def __init__(self, node: SnapshotNode, iteration: Iteration) -> None:
        source = node.reading(iteration)
        super().__init__(SavingCursor(node, iteration) if source is None else source)
        self._node, self._iteration, self.reading = node, iteration, source is not None

    def __next__(self) -> Values:
        return next(self.sources[0])

    def state(self) -> Any:
        return {**super().state(), "reading": self.reading}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`.

        Raises:
          FailedPreconditionError: if it read a snapshot that is gone.
        """
        if state["reading"] and not self.reading:
            folder = self._node.folder(self._iteration)
            raise errors.FailedPreconditionError(None, None, f"the snapshot that was read is gone from {folder}")
        if self.reading and not state["reading"]:  # another iteration wrote it meanwhile: nothing is to be written
            self.close()
            self.sources, self.reading = (SavingCursor(self._node, self._iteration),), False
            state = {**state, "sources": [{**state["sources"][0], "written": None}]}
        super().restore(state)


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Callable[..., Any] | None = None,
    wait: bool = False,
) -> Node:
    """Reads the elements that `save` wrote into a folder.

    Args:
      path: the folder.
      element_spec: the spec of the elements; required in a graph if `path` is not known, and for users' own types.
      compression: the compression that they were saved with; None accepts any.
      reader_func: takes a dataset of datasets, one for each shard, and returns a dataset of elements; None reads one
        element of each shard in turn, which restores the order of a save without `shard_func`.
      wait: whether to wait until a dataset has been saved there.

    Raises:
      NotFoundError: if no dataset was saved there.
      DataLossError: if files are damaged, truncated or modified; also during iteration, with the file's name.
      InvalidArgumentError: if the saved elements have another spec or another compression.
    """
    place = path_tensor(path)
    constant = constant_of(place)
    folder = None if constant is None else path_of(constant.item())
    if folder is None and element_spec is None:
        raise ValueError("`element_spec` must be given where `path` is not known while the graph is built.")
    spec = element_spec
    while folder is not None:
        try:
            manifest = Manifest.read(folder)
            spec = manifest.spec_of_elements(folder, element_spec)
            _same_compression(folder, manifest.compression, compression)
            break
        except errors.NotFoundError:
            if not wait:
                raise
            time.sleep(RETRY)
    element = Element(spec)
    return LoadNode(element, place, reader_of(reader_func, element, "load()"))


def snapshot(
    source: Node,
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Node:
    """Stores the elements in a folder: the first complete iteration writes it, later iterations read it.

    A dataset has a folder of its own below `path`, named by its fingerprint, so that a modified dataset is written
    again. Datasets without a fingerprint (see `Dataset.fingerprint`) share one folder.

    Args:
      path: the folder.
      compression: "GZIP"; "AUTO", "NONE" and None are none.
      reader_func: see `load`.
      shard_func: see `save`.

    Raises:
      UnimplementedError, TypeError: as `save`.
      DataLossError, InvalidArgumentError: during iteration, as `load`.
    """
    sharding = shard_function(shard_func, source, "Dataset.snapshot()")
    reader = reader_of(reader_func, source.element, "Dataset.snapshot()")
    return SnapshotNode(source, path_tensor(path), compression_of(compression), sharding, reader)


applied_snapshot: Any = export("data.experimental.snapshot")(applied(snapshot))


def _same_compression(folder: str, saved: str, wanted: str | None) -> None:
    if wanted not in (None, "AUTO") and compression_of(wanted) != saved:
        raise errors.InvalidArgumentError(
            None, None, f"{folder} was saved with compression {saved or 'NONE'!r}, not with {wanted!r}."
        )
