"""Calls that tell the conversion something. They do nothing when they run."""

from __future__ import annotations

from typing import Any

from inlay.export import export


@export("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Options of the loop whose first statement this is, if the loop runs in the graph.

    Args:
      parallel_iterations, swap_memory: accepted; iterations run one after the other.
      maximum_iterations: an upper bound, known while tracing.
      shape_invariants: (variable, shape) pairs: shapes that hold in every iteration.
    """
