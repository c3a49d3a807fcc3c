"""Summary writers of TensorFlow 2: a handle, and ops on the writer behind it."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.damage import guarded
from inlay._src.base.protos.schema import parsed
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import init_scope, name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect, no_gradient
from inlay._src.core.operation import Operation
from inlay._src.core.state import Resource
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.state import handle_op
from inlay._src.ops.summary import add_tensor
from inlay._src.tf1.summaries.event_file import EventFile, suffix_of_process
from inlay._src.tf1.summaries.state import STATE, using_writer

INITIALIZERS = "_SUMMARY_WRITER_V2"
"""The collection of a graph that lists what makes the files of its writers."""


class OpenWriter(Resource):
    """The state behind the handle of a writer: the file, once it was created.

    Args:
      name: the writer's, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._file: EventFile | None = None
        self._closed = False

    def begin(self, folder: Any, most: int, suffix: str) -> None:
        """Makes the file, unless it is there."""
        if self._file is None:
            file = EventFile(folder, suffix_of_process(suffix), most)
            file.begin()
            self._file, self._closed = file, False

    def file(self) -> EventFile:
        """The file.

        Raises:
          FailedPreconditionError: before it was made, and after `close`.
        """
        if self._file is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"the summary writer {self.name} was closed: make another one"
                if self._closed
                else f"the summary writer {self.name} has no file yet: run its init() in this session first",
            )
        return self._file

    def close(self) -> None:
        """Writes what is left and closes the file."""
        if self._file is not None:
            file, self._file, self._closed = self._file, None, True
            file.close()

    def __repr__(self) -> str:
        return f"<summary writer {self.name}>"


class WriterKey(Resource):
    """Names the writer of a graph; each session has its own.

    Args:
      name: the writer's.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def make(self) -> OpenWriter:
        """A writer without a file."""
        return OpenWriter(self.name)

    def __repr__(self) -> str:
        return f"summary writer {self.name}"


# ---------------------------------------------------------------- ops


handle_op("SummaryWriter", "The handle of a summary writer of a session.")


def _item(value: Any) -> Any:
    return np.asarray(value).item()


@op(
    "CreateSummaryFileWriter",
    "writer:resource, logdir:string, max_queue:int32, flush_millis:int32, filename_suffix:string -> ",
    ranks=dict.fromkeys(("logdir", "max_queue", "flush_millis", "filename_suffix"), 0),
    effect=Effect.STATEFUL,
)
def _create(xp: Any, writer: Any, logdir: Any, max_queue: Any, flush_millis: Any, filename_suffix: Any) -> tuple[()]:
    """Makes the file of a writer."""
    writer.begin(_item(logdir).decode(), int(max_queue), _item(filename_suffix).decode())
    return ()


@op(
    "WriteSummary",
    "writer:resource, step:int64, tensor:T, tag:string, summary_metadata:string -> ",
    types=dtypes.DENSE,
    ranks=dict.fromkeys(("step", "tag", "summary_metadata"), 0),
    effect=Effect.STATEFUL,
    vjp=no_gradient,
)
def _write(xp: Any, writer: Any, step: Any, tensor: Any, tag: Any, summary_metadata: Any) -> tuple[()]:
    """Adds a tensor."""
    event = _event(step)
    add_tensor(event.summary, _item(tag).decode(), tensor, _item(summary_metadata) or None)
    writer.file().add(event)
    return ()


@op(
    "WriteRawProtoSummary",
    "writer:resource, step:int64, tensor:string -> ",
    ranks={"step": 0},
    effect=Effect.STATEFUL,
)
def _write_raw(xp: Any, writer: Any, step: Any, tensor: Any) -> tuple[()]:
    """Adds summaries that are messages already."""
    event = _event(step)
    event.summary.SetInParent()
    for text in np.asarray(tensor).ravel():
        with guarded("Bad tf.compat.v1.Summary binary proto tensor string"):
            event.summary.MergeFrom(parsed(type(event.summary), text))
    writer.file().add(event)
    return ()


@op(
    "WriteGraphSummary",
    "writer:resource, step:int64, tensor:string -> ",
    ranks={"step": 0, "tensor": 0},
    effect=Effect.STATEFUL,
)
def _write_graph(xp: Any, writer: Any, step: Any, tensor: Any) -> tuple[()]:
    """Adds a graph."""
    event = _event(step)
    event.graph_def = _item(tensor)
    writer.file().add(event)
    return ()


def _event(step: Any) -> Any:
    from inlay._src.base.protos.event import Event

    return Event(wall_time=time.time(), step=int(step))


@op("FlushSummaryWriter", "writer:resource -> ", effect=Effect.STATEFUL)
def _flush(xp: Any, writer: Any) -> tuple[()]:
    """Waits until all is in the file."""
    writer.file().flush()
    return ()


@op("CloseSummaryWriter", "writer:resource -> ", effect=Effect.STATEFUL)
def _close(xp: Any, writer: Any) -> tuple[()]:
    """Closes the file."""
    writer.close()
    return ()


# ---------------------------------------------------------------- writers


@export("summary.SummaryWriter")
class SummaryWriter:
    """A recorder of summaries, created by `create_file_writer`."""

    def set_as_default(self, step: Any = None) -> None:
        """Has this thread record with it from now on.

        Args:
          step: the number of the step, a number, tensor or variable; None leaves it.

        Raises:
          RuntimeError: after `close`.
        """
        self.as_default(step).__enter__()

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        """A context manager: in the block this thread records with it; at its end all is flushed.

        Args:
          step: the number of the step in the block, a number, tensor or variable; None leaves it.

        Raises:
          RuntimeError: after `close`.
        """
        return using_writer(self, step)

    def init(self) -> Operation | None:
        """The operation that makes the file, in a graph; None while executing eagerly, where it was made at once."""
        raise NotImplementedError

    def flush(self) -> Operation | None:
        """Waits until all is in the file: at once, or when the operation runs that is returned in a graph."""
        raise NotImplementedError

    def close(self) -> Operation | None:
        """Writes what is left and closes the file: at once, or when the operation runs that is returned in a graph."""
        raise NotImplementedError

    def _written(self, kind: str, step: Any, inputs: tuple[Any, ...], scope: str | None) -> Any:
        """Records something with an op."""
        raise NotImplementedError


class FileSummaryWriter(SummaryWriter):
    """Records into an event file.

    Args:
      handle: a resource tensor.
      create: the inputs of the op that makes the file.
    """

    def __init__(self, handle: Any, create: tuple[Any, ...]) -> None:
        self._handle = handle
        self._closed = False
        self._init_op = emit(OPS["CreateSummaryFileWriter"], (handle, *create))
        if isinstance(handle, SymbolicTensor):
            handle.graph.add_to_collection(INITIALIZERS, self._init_op)

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        self._must_be_open()
        return super().as_default(step)

    def init(self) -> Any:
        self._must_be_open()
        return None if isinstance(self._handle, EagerTensor) else self._init_op

    def flush(self) -> Any:
        if self._closed and context.executing_eagerly():
            return None
        return emit(OPS["FlushSummaryWriter"], (self._handle,))

    def close(self) -> Any:
        if self._closed and context.executing_eagerly():
            return None
        with control_dependencies([] if context.executing_eagerly() else [self.flush()]):
            done = emit(OPS["CloseSummaryWriter"], (self._handle,))
        self._closed = self._closed or context.executing_eagerly()
        return done

    def _must_be_open(self) -> None:
        if self._closed and context.executing_eagerly():
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def _written(self, kind: str, step: Any, inputs: tuple[Any, ...], scope: str | None) -> Any:
        return emit(OPS[kind], (self._handle, step, *inputs), {}, scope)


class _Silent(SummaryWriter):
    """Records nothing."""

    def set_as_default(self, step: Any = None) -> None:
        pass

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        return nullcontext()

    def init(self) -> None:
        return None

    def flush(self) -> None:
        return None

    def close(self) -> None:
        return None


@export("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """A writer that records nothing."""
    return _Silent()


@export("summary.create_file_writer")
def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of summaries into an event file of a folder, which TensorBoard reads.

    While executing eagerly, and in a traced function, the file is made at once, and events are written by a thread. In
    a graph of 1.x each session has a file of its own, made when it runs `init()`.

    Args:
      logdir: the folder; made if it is not there.
      max_queue: the capacity of the queue of events, 10 if None; adding another one waits.
      flush_millis: accepted; events are written at once.
      filename_suffix: the suffix of the file's name; ".v2" if None.
      name: the node's name.
      experimental_trackable, experimental_mesh: accepted and ignored.

    Raises:
      ValueError: without a folder, or if it is a tensor of a function that is being traced.
      FailedPreconditionError, PermissionDeniedError: if the folder or the file cannot be made.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    with name_scope(name or "create_file_writer") as scope, init_scope():
        arguments = (logdir, max_queue, flush_millis, filename_suffix)
        if context.executing_eagerly() and any(isinstance(g, SymbolicTensor) for g in arguments):
            raise ValueError(
                "create_file_writer() makes its file before the function runs, so it takes no tensors of it: "
                f"{arguments}"
            )
        create = (
            convert_to_tensor(str(logdir) if hasattr(logdir, "__fspath__") else logdir, dtypes.string),
            convert_to_tensor(10 if max_queue is None else max_queue, dtypes.int32),
            convert_to_tensor(120_000 if flush_millis is None else flush_millis, dtypes.int32),
            convert_to_tensor(".v2" if filename_suffix is None else filename_suffix, dtypes.string),
        )
        return FileSummaryWriter(_handle(scope.rstrip("/") or "create_file_writer"), create)


def _handle(name: str) -> Any:
    if context.executing_eagerly():
        return EagerTensor(OpenWriter(name), dtypes.resource)
    graph = graphs.default_graph()
    key = WriterKey(name)
    attrs = {"handle": graph.resources.add(key, key.name), "dtype": dtypes.resource}
    return graph.add(OPS["SummaryWriter"], (), attrs, (dtypes.resource,), ((),)).outputs[0]


@export("summary.flush")
def flush(writer: Any = None, name: str | None = None) -> Operation | None:
    """Waits until all that a writer recorded is in its file.

    Args:
      writer: the writer; that in force if None.
      name: accepted and ignored.

    Returns:
      The operation in a graph; None while executing eagerly, or without a writer.

    Raises:
      ValueError: if it is no writer.
    """
    chosen = STATE.writer if writer is None else writer
    if chosen is None:
        return None
    if not isinstance(chosen, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    return chosen.flush()
