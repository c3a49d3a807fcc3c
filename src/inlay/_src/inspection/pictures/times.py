"""The times of steps, as pictures take them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any


def times_of(times: Any) -> Mapping[str, float]:
    """Step name -> microseconds, summed over the runs of a step.

    Args:
      times: None, such a mapping, the `step_stats` of a `RunMetadata`, or a `RunMetadata`.

    Raises:
      TypeError: if it is none of these.
      ValueError: if a time is negative or no number.
    """
    if times is None:
        return {}
    if isinstance(times, Mapping):
        return {str(name): _microseconds(name, value) for name, value in times.items()}
    stats = getattr(times, "step_stats", times)
    if not hasattr(stats, "dev_stats"):
        raise TypeError(
            f"times must be the step_stats of a RunMetadata, or map step names to microseconds; got a "
            f"{type(times).__name__}"
        )
    sums: defaultdict[str, float] = defaultdict(float)
    for device in stats.dev_stats:
        for node in device.node_stats:
            sums[node.node_name] += max(node.all_end_rel_nanos / 1000 or node.all_end_rel_micros, 0)
    return dict(sums)


def _microseconds(name: Any, value: Any) -> float:
    try:
        microseconds = float(value)
    except (TypeError, ValueError):
        microseconds = -1.0
    if not microseconds >= 0:
        raise ValueError(f"the time of {name!r} must be a number of microseconds, got {value!r}")
    return microseconds


def in_words(microseconds: float) -> str:
    """A time with three figures: "12.3 ms"."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} us"
