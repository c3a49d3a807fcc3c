"""Elements that are written into a folder while they are iterated.

Elements become visible with the last one, when the manifest appears; an iteration that ends before leaves nothing,
unless its position was saved, from which it can continue.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files.checksums import extend
from inlay._src.base.files.opening import path_of
from inlay._src.base.files.records import TFRecordWriter
from inlay._src.base.files.replacing import lasting
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.data import graph_ops
from inlay._src.data.element import Element, Values
from inlay._src.data.failures import Blame
from inlay._src.data.graph_iterators import graph_in_force
from inlay._src.data.graph_ops import Task
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.iterating import OwnedIterator
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.pipeline import Pipeline
from inlay._src.data.reducing import effect_of
from inlay._src.data.stored_format import NAME, RUN, Manifest, Segment, described, packed, refuse_unkept
from inlay._src.training.checkpoint import Checkpoint
from inlay._src.training.manager import CheckpointManager

_COMPRESSIONS = {None: "", "": "", "NONE": "", "AUTO": "", "GZIP": "GZIP"}


def compression_of(name: Any) -> str:
    """The compression of record files; AUTO takes none, which is what reads fastest.

    Raises:
      InvalidArgumentError: for another one.
    """
    if name not in _COMPRESSIONS:
        raise errors.InvalidArgumentError(
            None, None, f"Unsupported compression {name!r}: use 'NONE', 'GZIP' or 'AUTO'."
        )
    return _COMPRESSIONS[name]


def folder_of(value: Any) -> str:
    """A folder's name, of a runtime value."""
    return path_of(value.item() if hasattr(value, "item") else value)


class _Open:
    """A segment that is being written."""

    __slots__ = ("checksum", "file", "records", "writer")

    def __init__(self, folder: str, file: str, compression: str) -> None:
        self.file, self.records, self.checksum = file, 0, 0
        self.writer = TFRecordWriter(os.path.join(folder, file), compression)


class Folder:
    """A folder that elements are written into.

    Args:
      path: the folder.
      compression: of the record files.
      element: the structure of the elements.

    Attributes:
      run: the folder within it that is written now; "" before the first element.
    """

    def __init__(self, path: str, compression: str, element: Element) -> None:
        self._path, self._compression, self._element = path, compression, element
        self.run: str = ""
        self._whole: dict[int, list[Segment]] = {}
        self._open: dict[int, _Open] = {}

    def begin(self) -> None:
        """Makes the folder of this run, so that existing data stays until this run is complete."""
        self.run = f"{RUN}{os.urandom(8).hex()}"
        os.makedirs(os.path.join(self._path, self.run))

    def write(self, shard: int, values: Values) -> None:
        """Adds an element to a shard."""
        place = self._open.get(shard)
        if place is None:
            done = self._whole.setdefault(shard, [])
            folder = f"{self.run}/{shard:08d}.shard"
            os.makedirs(os.path.join(self._path, folder), exist_ok=True)
            name = f"{folder}/{len(done):08d}.snapshot"
            place = self._open[shard] = _Open(self._path, name, self._compression)
        record = packed(values)
        place.writer.write(record)
        place.records, place.checksum = place.records + 1, extend(place.checksum, record)

    def cut(self) -> None:
        """Ends the segments that are being written; later elements go into new ones."""
        for shard, place in self._open.items():
            place.writer.close()
            lasting(os.path.join(self._path, place.file))
            self._whole[shard].append(Segment(place.file, place.records, place.checksum))
        self._open = {}

    def publish(self) -> None:
        """Makes what was written what the folder holds."""
        self.cut()
        for shard in self._whole:
            lasting(os.path.join(self._path, self.run, f"{shard:08d}.shard"))
        lasting(os.path.join(self._path, self.run))
        leaves, spec = described(self._element)
        shards = {number: self._whole[number] for number in sorted(self._whole)}
        Manifest(self.run, self._compression, leaves, spec, shards).write(self._path)

    def drop(self) -> None:
        """Removes what was written."""
        for place in self._open.values():
            place.writer.close()
        self._open = {}
        remove_run(self._path, self.run)

    def state(self) -> Any:
        """The state that `go_on` continues from."""
        self.cut()
        segments = {n: [(s.file, s.records, s.checksum) for s in shard] for n, shard in self._whole.items()}
        return {"run": self.run, "segments": segments}

    def go_on(self, state: Any) -> None:
        """Continues from a result of `state`; elements that were written later are written again.

        Raises:
          FailedPreconditionError: if what was written is gone.
        """
        remove_run(self._path, self.run)
        self.run = state["run"]
        self._whole = {int(n): [Segment(*part) for part in shard] for n, shard in state["segments"].items()}
        for shard in self._whole.values():
            for segment in shard:
                if not os.path.isfile(os.path.join(self._path, segment.file)):
                    raise errors.FailedPreconditionError(
                        None, None, f"{self._path} cannot be gone on with: {segment.file}, written before, is gone"
                    )


def remove_run(path: str, run: str) -> None:
    """Removes the record files of a run."""
    if run:
        shutil.rmtree(os.path.join(path, run), ignore_errors=True)


@graph_form("", f"string {CAPTURES}", {"compression": str, "shard": (Mapped, type(None))})
class SavingNode(Node):
    """The elements, which are written into a folder on their way.

    Args:
      source: the dataset.
      path: the folder, a string scalar.
      compression: of the record files.
      shard: gives the number of the shard of an element, an int64 scalar; None deals them out to as many shards as
        there are cores.
    """

    __slots__ = ("compression", "shard")
    name = "_SaveDataset"

    def __init__(self, source: Node, path: Any, compression: str, shard: Mapped | None) -> None:
        refuse_unkept(source.element)
        super().__init__(source.element, (source,), (path, *(() if shard is None else shard.captures)))
        self.compression, self.shard = compression, shard

    def folder(self, iteration: Iteration) -> str:
        """The folder."""
        return folder_of(iteration.value(self.tensors[0]))

    def cursor(self, iteration: Iteration) -> Cursor:
        return SavingCursor(self, iteration)

    def published(self, folder: str, written: Folder) -> None:
        """Puts the elements in place of those that were there."""
        before = Manifest.read(folder).run if os.path.isfile(os.path.join(folder, NAME)) else ""
        written.publish()
        if before != written.run:
            remove_run(folder, before)

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class SavingCursor(Cursor):
    """One iteration of `SavingNode`. Its position has the segments that are whole."""

    __slots__ = ("_blame", "_folder", "_node", "_path", "_place", "failed", "index", "kept")
    saved = ("index", "failed")

    def __init__(self, node: SavingNode, iteration: Iteration) -> None:
        super().__init__(node.inputs[0].cursor(iteration))
        self._node, self._path = node, node.folder(iteration)
        self._folder: Folder | None = Folder(self._path, node.compression, node.element)
        count = os.cpu_count() or 1
        label = "" if node.shard is None else node.shard.label
        self._place: Callable[[Values], int] = lambda values: self.index % count
        if node.shard is not None:
            call = node.shard.opened(iteration)
            self._place = lambda values: int(call(values)[0])
        self._blame = Blame(node, iteration, label)
        self.index, self.failed, self.kept = 0, False, False

    def __next__(self) -> Values:
        try:
            values = next(self.sources[0])
        except StopIteration:
            self._finish()
            raise
        except BaseException:
            self.failed = True
            raise
        if self._folder is not None:
            self._write(self._folder, values)
        return values

    def _write(self, folder: Folder, values: Values) -> None:
        try:
            shard = self._place(list(values))
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            self.failed = True
            raised = self._blame(error, self.index, self)
            raise raised from raised.__cause__
        if not folder.run:
            folder.begin()
        folder.write(shard, values)
        self.index += 1

    def _finish(self) -> None:
        """Publishes what was written, unless an element is missing from it."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        if self.failed:
            folder.drop()
            return
        if not folder.run:
            folder.begin()
        self._node.published(self._path, folder)

    def state(self) -> Any:
        """See `Cursor.state`. From now on the written segments stay, since an iteration may continue from here."""
        self.kept = True
        return {**super().state(), "written": None if self._folder is None else self._folder.state()}

    def restore(self, state: Any) -> None:
        super().restore(state)
        if state["written"] is None:
            self._folder = None
        elif self._folder is not None:
            self._folder.go_on(state["written"])
            self.kept = True

    def close(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.cut() if self.kept else folder.drop()
        super().close()


def save(
    self: Pipeline,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Mapping[str, Any] | None = None,
) -> Operation | None:
    """Writes all elements into a folder, for `load`.

    They become visible with the last one, and replace those of an earlier save; a save that fails changes nothing.

    Args:
      path: the folder, which is created if it does not exist.
      compression: "GZIP"; None, "NONE" and "AUTO" do not compress.
      shard_func: takes an element; returns the number of its shard, an int64 scalar. None distributes elements over as
        many shards as there are cores.
      checkpoint_args: arguments of `train.CheckpointManager` except for the checkpoint; a save continues from the last
        checkpoint.

    Returns:
      None; in a graph, the operation that saves.

    Raises:
      UnimplementedError: if a component is neither a dense nor a ragged nor a sparse tensor.
      TypeError: if `shard_func` returns no integer scalar.
      ValueError: if `checkpoint_args` contains a checkpoint.
    """
    sharding = shard_function(shard_func, self._node, "save()")
    node = SavingNode(self._node, path_tensor(path), compression_of(compression), sharding)
    if checkpoint_args is not None and graph_in_force() is None:
        _save_with_checkpoints(node, self._options, dict(checkpoint_args))
        return None
    return effect_of(graph_ops.SAVE_DATASET, Task(node, self._options, _save))


def path_tensor(path: Any) -> Any:
    """The path of a file or folder as a string tensor."""
    return convert_to_tensor(os.fspath(path) if isinstance(path, os.PathLike) else path, dtypes.string)


def shard_function(function: Callable[..., Any] | None, node: Node, what: str) -> Mapped | None:
    """A user's function from an element to the number of its shard, traced.

    Raises:
      TypeError: if it gives something else.
    """
    if function is None:
        return None
    mapped = Mapped(function, node.element, what)
    spec = mapped.element.spec
    if getattr(spec, "dtype", None) not in (dtypes.int32, dtypes.int64) or not spec.shape.is_compatible_with(()):
        raise TypeError(
            f"Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its return type is {spec}."
        )
    return mapped


def _save(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    """Iterates to the end."""
    with closing(iteration.opened(node)) as cursor:
        for _ in cursor:
            pass
    return []


def _save_with_checkpoints(node: SavingNode, options: Options, arguments: dict[str, Any]) -> None:
    """Iterates to the end, from the last checkpoint on."""
    if "checkpoint" in arguments:
        raise ValueError("Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.")
    iterator = OwnedIterator(node, options)
    checkpoint: Any = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint, **arguments)
    checkpoint.restore(manager.latest_checkpoint)
    try:
        for _ in iterator:
            if "step_counter" in arguments:
                arguments["step_counter"].assign_add(1)
            manager.save(check_interval=True)
    finally:
        iterator.close()
