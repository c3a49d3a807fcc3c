"""`FileWriter` (1.x): writes summaries, graphs and what sessions tell into event files."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, ClassVar, Self

from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.interpreter import messages
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.protos.event import Event, SessionLog, Summary, TaggedRunMetadata
from inlay._src.base.protos.graph import GraphDef
from inlay._src.base.protos.saved_model import MetaGraphDef
from inlay._src.base.protos.schema import parsed
from inlay._src.core.eager.attributes import text
from inlay._src.core.graph import Graph, default_graph
from inlay._src.core.site import warn
from inlay._src.tf1.summaries.event_file import EventFile


@export("summary.FileWriter")
class FileWriter:
    """Writes summaries into an event file of a folder, which TensorBoard reads. Use it with `with`, or `close` it.

    A thread writes the added events; they are in the file after `flush`.

    Args:
      logdir: the folder; made if it is not there. The file is made with the first event.
      graph: a graph, or a `GraphDef`, to add.
      max_queue: the capacity of the queue of events; adding another one waits.
      flush_secs, session: accepted; events are written at once, and writers of one folder do not meet.
      graph_def: the oldest name of `graph`.
      filename_suffix: the suffix of the file's name.

    Raises:
      FailedPreconditionError, PermissionDeniedError: if the folder cannot be made.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._file = EventFile(logdir, filename_suffix or "", max_queue)
        self._closed = False
        self._tags: set[str] = set()
        self._run_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            self.add_meta_graph(MetaGraphDef(graph_def=_message(graph if graph is not None else graph_def)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return self._file.folder

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary; the metadata of its values is written with the first one of a tag only.

        Args:
          summary: the result of a summary op, or a `Summary`.
          global_step: the number of the step.

        Raises:
          ValueError: for bytes that are no summary.
          ResourceExhaustedError, FailedPreconditionError: if earlier events could not be written.
        """
        event = Event(summary=parsed(Summary, summary) if isinstance(summary, bytes) else summary)
        for value in event.summary.value:
            if value.tag in self._tags:
                value.ClearField("metadata")
            self._tags.add(value.tag)
        self._add(event, global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a `SessionLog`.

        Args:
          session_log: the message.
          global_step: the number of the step.

        Raises:
          TypeError: for anything else.
        """
        if not isinstance(session_log, SessionLog):
            raise TypeError(f"Expected a SessionLog, not {session_log!r}")
        self._add(Event(session_log=session_log), global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Adds a graph.

        Args:
          graph: the graph, or a `GraphDef`.
          global_step: the number of the step.
          graph_def: the oldest name of `graph`.

        Raises:
          ValueError: if both are given.
          TypeError: for anything else.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        message = _message(graph if graph is not None else graph_def)
        self._add(Event(graph_def=message.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds a `MetaGraphDef`.

        Args:
          meta_graph_def: the message.
          global_step: the number of the step.

        Raises:
          TypeError: for anything else.
        """
        if not isinstance(meta_graph_def, MetaGraphDef):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add(Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Adds what a run reported.

        Args:
          run_metadata: the `RunMetadata` of `Session.run`, or such a message of others.
          tag: its name.
          global_step: the number of the step.

        Raises:
          ValueError: if the tag was used already.
        """
        tag = text(tag, "tag")
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        serialized = run_metadata.SerializeToString()
        self._run_tags.add(tag)
        self._add(Event(tagged_run_metadata=TaggedRunMetadata(tag=tag, run_metadata=serialized)), global_step)

    def add_event(self, event: Any) -> None:
        """Adds an `Event` as it is.

        Args:
          event: the message.
        """
        if self._is_open():
            self._file.add(event)

    def _add(self, event: Any, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def _is_open(self) -> bool:
        """Whether it is open; issues a warning if it is not."""
        if self._closed:
            warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is "
                "explicitly reopened.",
                UserWarning,
            )
        return not self._closed

    def flush(self) -> None:
        """Waits until all that was added is in the file.

        Raises:
          ResourceExhaustedError, FailedPreconditionError: if it could not be written.
        """
        if self._is_open():
            self._file.flush()

    def close(self) -> None:
        """Writes what is left, and closes the file. May be called twice.

        Raises:
          ResourceExhaustedError, FailedPreconditionError: if it could not be written.
        """
        self._closed = True
        self._file.close()

    def reopen(self) -> None:
        """Goes on after `close`, in another file of the folder; does nothing if it is open."""
        self._closed = False


def _message(graph: Any) -> Any:
    """A graph as a `GraphDef`."""
    if isinstance(graph, Graph):
        return graph.as_graph_def(add_shapes=True)
    if isinstance(graph, GraphDef):
        messages.warning("FileWriter: a GraphDef is deprecated; give a graph, such as sess.graph")
        return graph
    raise TypeError(f"The passed graph must be an instance of `Graph` or the deprecated `GraphDef`, got {graph!r}")


@export("summary.FileWriterCache")
class FileWriterCache:
    """The writers of folders, one for each, shared by all that ask for one."""

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock: ClassVar[Any] = new_rlock()

    @staticmethod
    def clear() -> None:
        """Closes all of them, and forgets them."""
        with FileWriterCache._lock:
            writers = list(FileWriterCache._cache.values())
            FileWriterCache._cache.clear()
        for writer in writers:
            writer.close()

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer of a folder, which begins with the default graph.

        Args:
          logdir: the folder.
        """
        folder = path_of(logdir)
        with FileWriterCache._lock:
            writer = FileWriterCache._cache.get(folder)
            if writer is None:
                writer = FileWriterCache._cache[folder] = FileWriter(folder, graph=default_graph())
        return writer
