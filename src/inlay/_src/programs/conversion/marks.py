"""The options of the conversion: that a function was converted, must not be, or why it cannot be; options of a loop."""

from __future__ import annotations

import types
from typing import Any, NamedTuple

from inlay._src.base.export import export

# Marks. Each holds the code of the function it was put on, for `functools.wraps` copies them to wrappers.
CONVERTED = "__inlay_converted__"
UNCONVERTED = "__inlay_unconverted__"


def mark(function: types.FunctionType, name: str) -> None:
    """Puts a mark on a function."""
    setattr(function, name, function.__code__)


def is_marked(function: Any, *names: str) -> bool:
    """Whether a function, not one that it wraps, has one of the marks."""
    code = getattr(function, "__code__", None)
    return code is not None and any(getattr(function, name, None) is code for name in names)


class Refusal(NamedTuple):
    """Why a function is not converted.

    Attributes:
      reason: the text of the reason.
      unsupported: whether it has a statement that is not converted.
    """

    reason: str
    unsupported: bool = False


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
