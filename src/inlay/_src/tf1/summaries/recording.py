"""Summaries of TensorFlow 2: recorded by the writer in force, eagerly, in traced functions and in graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.graph import GraphDef
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import name_scope
from inlay._src.core.eager.attributes import text
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import identity
from inlay._src.ops.control import control_dependencies
from inlay._src.programs.control.branches import cond
from inlay._src.programs.session.session import get_default_session
from inlay._src.tf1.summaries.state import STATE, get_step, recording
from inlay._src.tf1.summaries.writers import INITIALIZERS
from inlay._src.training.global_step import get_global_step

_BAD = re.compile(r"[^-_/.A-Za-z0-9]")
_LISTED = "_SUMMARY_V2"
"""The collection of a graph that lists its summaries."""


@export("summary.experimental.summary_scope")
@contextmanager
def summary_scope(name: str, default_name: str = "summary", values: Any = None) -> Iterator[tuple[str, str]]:
    """A name scope for an own kind of summary.

    Args:
      name: the summary's name.
      default_name: the name if it is empty.
      values: accepted and ignored.

    Returns:
      A context manager that gives (the tag: the name behind the scopes around, as it is; the name scope).
    """
    name = text(default_name if name is None else name, "name") or default_name
    around = context.current().scope.rstrip("/")
    with name_scope(_BAD.sub("", name) or None, default_name) as scope:
        yield (f"{around}/{name}" if around else name), scope


@export("summary.write")
def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Tensor:
    """Records a tensor with the writer in force.

    Args:
      tag: its name.
      tensor: a tensor, or a function that gives one, which is called only if it is recorded.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      metadata: a `SummaryMetadata`, or its bytes.
      name: the node's name.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      ValueError: if there is a writer and no step, or the step is no scalar.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """
    _checked_step(step)
    serialized = b"" if metadata is None else metadata
    serialized = serialized.SerializeToString() if hasattr(serialized, "SerializeToString") else serialized

    def record(scope: str) -> Any:
        value = tensor() if callable(tensor) else identity(tensor)
        return STATE.writer._written("WriteSummary", _step(step), (value, tag, serialized), scope)

    return _recorded(record, name, "write_summary")


@export("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Records summaries of TensorFlow 1, which are messages already, with the writer in force.

    Args:
      tensor: strings, each a `Summary`.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      name: the node's name.

    Returns:
      A bool tensor: whether they were recorded; False without a writer.

    Raises:
      ValueError: if there is a writer and no step, or the step is no scalar.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """
    _checked_step(step)

    def record(scope: str) -> Any:
        return STATE.writer._written("WriteRawProtoSummary", _step(step), (tensor,), scope)

    return _recorded(record, name, "write_raw_pb")


def _recorded(record: Any, name: str | None, default: str) -> Any:
    """Whether something was recorded: `record(scope)` is, if summaries are recorded here."""
    with name_scope(name or default) as scope:
        if STATE.writer is None:
            return convert_to_tensor(False)

        def now() -> Any:
            done = record(scope)
            with control_dependencies([] if context.executing_eagerly() else [done]):
                return identity(convert_to_tensor(True))

        condition = recording()
        if isinstance(condition, bool):
            recorded = now() if condition else convert_to_tensor(False)
        else:
            recorded = cond(condition, now, lambda: convert_to_tensor(False), name="summary_cond")
        if not context.executing_eagerly():
            graphs.default_graph().add_to_collection(_LISTED, recorded)
    return recorded


def _step(step: Any) -> Any:
    chosen = get_step() if step is None else step
    if chosen is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    return _as_step(chosen)


def _checked_step(step: Any) -> None:
    if step is not None:
        _as_step(step)


def _as_step(step: Any) -> Any:
    """A step as a scalar of int64."""
    scalar = convert_to_tensor(step, dtypes.int64)
    if scalar.shape.num_elements() != 1:
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {scalar.shape}.")
    return scalar


def has_default_writer() -> bool:
    """Whether there is a writer in force."""
    return STATE.writer is not None


def step_in_force() -> Any:
    """The step of this thread's summaries, or the global step; None if there is none."""
    step = get_step()
    return get_global_step() if step is None else step


@export("summary.graph")
def graph(graph_data: Any) -> Tensor:
    """Records a graph with the writer in force, while executing eagerly.

    Args:
      graph_data: a graph, as that of a function's `get_concrete_function(...)`, or a `GraphDef`.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      ValueError: for anything else, or while a graph is built.
    """
    if not context.executing_eagerly():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if recording() is False:
        return convert_to_tensor(False)
    STATE.writer._written("WriteGraphSummary", 0, (_graph_bytes(graph_data),), None)
    return convert_to_tensor(True)


def _graph_bytes(graph_data: Any) -> bytes:
    if isinstance(graph_data, Graph):
        graph_data = graph_data.as_graph_def(add_shapes=True)
    elif not isinstance(graph_data, GraphDef):
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    return graph_data.SerializeToString()  # type: ignore[no-any-return]


@export("compat.v1.summary.initialize")
def initialize(graph: Any = None, session: Any = None) -> None:
    """Makes the files of the writers of the default graph, in a session; does nothing while executing eagerly.

    Args:
      graph: a graph, or a `GraphDef`, to record.
      session: the session; that in force if None.

    Raises:
      RuntimeError: without a writer in force.
      ValueError: without a session.
    """
    if context.executing_eagerly():
        return
    if STATE.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = get_default_session() if session is None else session
    if session is None:
        raise ValueError("Argument `session must be passed if no default session exists")
    session.run(graphs.default_graph().get_collection(INITIALIZERS))
    if graph is not None:
        session.run(STATE.writer._written("WriteGraphSummary", _as_step(0), (_graph_bytes(graph),), None))


@export("compat.v1.summary.all_v2_summary_ops")
def all_v2_summary_ops() -> list[Any] | None:
    """The summaries of TensorFlow 2 in the default graph; None while executing eagerly."""
    return None if context.executing_eagerly() else graphs.default_graph().get_collection(_LISTED)
