"""The times of steps, as pictures take them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any


def times_of(times: Any) -> Mapping[str, float]:
    """Step name -> microseconds, summed over the runs of a step.

    Args:
      times: None, such a mapping, the `step_stats` of a `RunMetadata`, a `RunMetadata`, or a trace in the format of
        Chrome, as `timeline.Timeline` writes it.

    Raises:
      TypeError: if it is none of these.
      ValueError: if a time is negative or no number.
    """
    if times is None:
        return {}
    if isinstance(times, Mapping) and isinstance(times.get("traceEvents"), list):
        return _of_events(times["traceEvents"])
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


def _of_events(events: list[Any]) -> Mapping[str, float]:
    """The times of the complete events of a trace. An event of a step has the name of its node among its arguments."""
    sums: defaultdict[str, float] = defaultdict(float)
    for event in events:
        if isinstance(event, Mapping) and event.get("ph") == "X":
            arguments = event.get("args")
            name = arguments.get("name") if isinstance(arguments, Mapping) else None
            sums[str(name or event.get("name"))] += _microseconds(name or event.get("name"), event.get("dur"))
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
