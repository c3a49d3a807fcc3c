"""The steps of a traced run as Chrome's tracing (chrome://tracing, Perfetto) shows them."""

from __future__ import annotations

import json
from typing import Any

from inlay._src.programs.session.options import StepStats


class Timeline:
    """The steps that a run reported, for viewers of traces. Programs find it in TensorFlow's private module `timeline`.

    Args:
      step_stats: the report of a run, `RunMetadata.step_stats`.
      graph: accepted and ignored.
    """

    def __init__(self, step_stats: StepStats, graph: Any = None) -> None:
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The steps in the Trace Event Format, as JSON: a process for each device, with a row for each thread.

        Args:
          show_dataflow, show_memory, op_time: accepted; dataflow and memory are not reported.
        """
        events: list[dict[str, Any]] = []
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"{device.device} Compute"}})
            rows: dict[int, int] = {}
            for node in device.node_stats:
                named, _, call = node.timeline_label.partition(" = ")
                op = call.partition("(")[0] or node.node_name
                events.append({
                    "name": op, "ph": "X", "cat": "Op", "pid": pid,
                    "tid": rows.setdefault(node.thread_id, len(rows)),
                    "ts": node.all_start_micros, "dur": node.all_end_rel_micros or node.op_end_rel_micros,
                    "args": {"name": node.node_name or named, "op": op},
                })  # fmt: skip
        return json.dumps({"traceEvents": events}, indent=4)
