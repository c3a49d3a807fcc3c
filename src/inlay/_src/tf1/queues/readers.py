"""Readers of 1.x: records of the files whose names a queue gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.records import TFRecordOptions
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect, scalar
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops.state import handle_op
from inlay._src.tf1.queues import reader_state
from inlay._src.tf1.queues.queue_state import QueueState
from inlay._src.tf1.queues.reader_state import ReaderKey, ReaderState, Source
from inlay._src.tf1.queues.waiting import BegunOperation, waiting_op

_KINDS = ("TextLineReader", "TFRecordReader", "FixedLengthRecordReader", "WholeFileReader", "IdentityReader")
for _kind in _KINDS:
    handle_op(f"{_kind}V2", "The handle of a reader.")


def _of_session(state: ReaderState | None) -> ReaderState:
    """The state of a reader, which sessions keep."""
    if state is None:
        raise errors.FailedPreconditionError(
            None, None, "a reader reads in a graph that a session runs, not in a tf.function"
        )
    return state


@waiting_op("ReaderReadV2", "reader_handle:resource, queue_handle:resource -> string, string", infer=lambda s: [(), ()])
def begin_read(reader_handle: ReaderState, queue_handle: QueueState) -> BegunOperation:
    """Reads a record, once there is one."""
    state = _of_session(reader_handle)
    future = state.begin(queue_handle, 1)
    return BegunOperation(future, lambda: reader_state.as_values(future.result()), state.serve)


@waiting_op(
    "ReaderReadUpToV2",
    "reader_handle:resource, queue_handle:resource, num_records:int64 -> string, string",
    infer=lambda s: [(None,), (None,)],
    scalars=("num_records",),
)
def begin_read_up_to(reader_handle: ReaderState, queue_handle: QueueState, num_records: Any) -> BegunOperation:
    """Reads the records that are left of a file, at most so many."""
    if int(num_records) <= 0:
        raise errors.InvalidArgumentError(None, None, f"num_records must be positive, got {int(num_records)}")
    state = _of_session(reader_handle)
    future = state.begin(queue_handle, int(num_records))
    return BegunOperation(future, lambda: reader_state.as_vectors(future.result()), state.serve)


@op("ReaderNumRecordsProducedV2", "reader_handle:resource -> int64", effect=Effect.READS, infer=scalar)
def _produced(xp: Any, reader_handle: ReaderState) -> Any:
    """The number of records that a reader has read."""
    return np.int64(_of_session(reader_handle).produced)


@op("ReaderNumWorkUnitsCompletedV2", "reader_handle:resource -> int64", effect=Effect.READS, infer=scalar)
def _completed(xp: Any, reader_handle: ReaderState) -> Any:
    """The number of files that a reader has finished."""
    return np.int64(_of_session(reader_handle).completed)


@op("ReaderResetV2", "reader_handle:resource -> ", effect=Effect.WRITES)
def _reset(xp: Any, reader_handle: ReaderState) -> Sequence[Any]:
    """Begins anew."""
    _of_session(reader_handle).reset()
    return ()


def _handle(kind: str, source: Source, name: str | None) -> Any:
    """The handle of a new reader of the graph.

    Raises:
      RuntimeError: while executing eagerly.
    """
    if context.executing_eagerly():
        raise RuntimeError(
            "Readers are not supported when eager execution is enabled. Instead, please use tf.data to get data into "
            "your model."
        )
    graph = graphs.default_graph()
    key = ReaderKey(name or kind, source)
    attrs = {"handle": graph.resources.add(key, key.name)}
    return graph.add(OPS[f"{kind}V2"], (), attrs, (dtypes.resource,), ((),), name or f"{kind}V2").outputs[0]


@export("ReaderBase", "compat.v1.io.ReaderBase")
class ReaderBase:
    """Reads records of the files whose names a queue gives. `tf.data` does the same without queues.

    Args:
      reader_ref: the handle.
      supports_serialize: whether its position can be saved; none can here.
    """

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether its position can be saved."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The next record; where a file is at its end, the name of the next one is taken out of `queue`.

        Args:
          queue: a queue of strings, or its handle.
          name: the operation's.

        Returns:
          (key, value), string scalars.

        Raises:
          OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        key, value = emit(OPS["ReaderReadV2"], (self._reader_ref, _ref(queue)), {}, name)
        return key, value

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The next records of a file.

        Args:
          queue: a queue of strings, or its handle.
          num_records: the largest number, an int64 scalar.
          name: the operation's.

        Returns:
          (keys, values), string vectors.

        Raises:
          OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        keys, values = emit(OPS["ReaderReadUpToV2"], (self._reader_ref, _ref(queue), num_records), {}, name)
        return keys, values

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """The number of records read, an int64 scalar.

        Args:
          name: the operation's.
        """
        return emit(OPS["ReaderNumRecordsProducedV2"], (self._reader_ref,), {}, name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """The number of finished files, an int64 scalar.

        Args:
          name: the operation's.
        """
        return emit(OPS["ReaderNumWorkUnitsCompletedV2"], (self._reader_ref,), {}, name)

    def reset(self, name: str | None = None) -> Operation:
        """The operation that has it begin anew.

        Args:
          name: the operation's.
        """
        return emit(OPS["ReaderResetV2"], (self._reader_ref,), {}, name)


def _ref(queue: Any) -> Any:
    """The handle of a queue; TypeError for anything else."""
    handle = getattr(queue, "queue_ref", queue)
    if not isinstance(handle, Tensor):
        raise TypeError(f"Expected a queue or its handle, not {queue!r}")
    return handle


@export("TextLineReader")
class TextLineReader(ReaderBase):
    """Reads the lines of text files, without their ends; keys are `file:number of the line`.

    Args:
      skip_header_lines: the number of lines to skip in each file.
      name: the node's.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(_handle("TextLineReader", reader_state.lines(skip_header_lines or 0), name))


@export("TFRecordReader")
class TFRecordReader(ReaderBase):
    """Reads record files; keys are `file:place in it`.

    Args:
      name: the node's.
      options: a `TFRecordOptions`: the compression of files.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(_handle("TFRecordReader", reader_state.records(compression), name))


@export("FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """Reads blocks of one size; keys are `file:number of the block`.

    Args:
      record_bytes: the size of a block.
      header_bytes, footer_bytes: the bytes that are skipped before the first block and after the last.
      hop_bytes: from the beginning of one block to that of the next; 0 or None is `record_bytes`.
      name: the node's.
      encoding: "", "ZLIB" or "GZIP".
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        source = reader_state.blocks(record_bytes, header_bytes or 0, footer_bytes or 0, hop_bytes or 0, encoding or "")
        super().__init__(_handle("FixedLengthRecordReader", source, name))


@export("WholeFileReader")
class WholeFileReader(ReaderBase):
    """Reads whole files; keys are their names.

    Args:
      name: the node's.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_handle("WholeFileReader", reader_state.whole, name))


@export("IdentityReader")
class IdentityReader(ReaderBase):
    """Gives what it takes out of the queue, as key and value.

    Args:
      name: the node's.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_handle("IdentityReader", reader_state.itself, name))
