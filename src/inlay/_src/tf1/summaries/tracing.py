"""`tf.summary.trace_on`, `trace_export` and `trace_off`: the graphs of functions, and a profile, for TensorBoard."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.protos.event import SummaryMetadata
from inlay._src.base.traces import profile as profiling
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.programs.functions.concrete import CALL_LISTENERS, ConcreteFunction
from inlay._src.programs.session.run_metadata import RunMetadata
from inlay._src.tf1.summaries.recording import write

_PLUGINS = {False: "graph_run_metadata_graph", True: "graph_run_metadata"}
"""Whether there is a profile -> the plugin of TensorBoard that shows the graphs of a `RunMetadata`."""


class _Collecting:
    """The graphs and the profile between `trace_on` and `trace_off`.

    Args:
      graph: whether graphs are.
      folder: where a profile is written; None without one.

    Attributes:
      graphs: the graphs of the functions that were called, in the order of their first calls; None if none are wanted.
    """

    def __init__(self, graph: bool, folder: str | None) -> None:
        self.graphs: dict[Graph, None] | None = {} if graph else None
        self.folder = folder

    def note(self, concrete: ConcreteFunction) -> None:
        """Keeps the graph of a function that is called."""
        if self.graphs is not None:
            self.graphs[concrete.graph] = None


_tracing: list[_Collecting] = []


@export("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Begins to collect the graphs of functions that are called from now on, and a profile.

    A function that another one calls is in the library of the other's graph.

    Args:
      graph: whether graphs are collected: of each function once, traced or called before or not.
      profiler: whether a profile is begun (`tf.profiler.experimental.start`).
      profiler_outdir: the folder of its files.

    Raises:
      ValueError: if a profile is wanted without a folder.
      AlreadyExistsError: if there is a profile already.
    """
    if not context.executing_eagerly():
        messages.warning("Must enable trace outside of a graph: trace_on() does nothing here")
        return
    if profiler and profiler_outdir is None:
        raise ValueError("Argument `profiler_outdir` is not specified: a profile is written to a folder")
    if _tracing:
        messages.warning("Trace already enabled: call trace_export() or trace_off() first")
        return
    trace = _Collecting(graph, profiler_outdir if profiler else None)
    if trace.folder is not None:
        profiling.start(trace.folder)  # refused while there is a profile: then nothing is collected
    _tracing.append(trace)
    if graph:
        CALL_LISTENERS.append(trace.note)


@export("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Ends collecting, and records the graphs with the writer in force; a profile is written to its folder.

    Args:
      name: the tag.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      profiler_outdir: accepted; `trace_on` takes the folder.

    Raises:
      ValueError: if nothing is collected, or there is a writer and no step.
    """
    if not context.executing_eagerly():
        messages.warning("Can only export trace while executing eagerly: trace_export() does nothing here")
        return
    if not _tracing:
        raise ValueError("Must enable trace before export: call tf.summary.trace_on() before the functions are called")
    trace = _tracing[-1]
    if trace.graphs is not None:
        metadata = RunMetadata()
        for graph in trace.graphs:
            metadata.function_graphs.add(pre_optimization_graph=graph.as_graph_def(add_shapes=True))
        about = SummaryMetadata()
        about.plugin_data.plugin_name, about.plugin_data.content = _PLUGINS[trace.folder is not None], b"1"
        write(name, convert_to_tensor(metadata.SerializeToString()), step, about)
    trace_off()


@export("summary.trace_off")
def trace_off() -> None:
    """Ends collecting, and records nothing; a profile is written to its folder."""
    if _tracing:
        trace = _tracing.pop()
        if trace.graphs is not None:
            CALL_LISTENERS.remove(trace.note)
        if trace.folder is not None:
            profiling.stop()
