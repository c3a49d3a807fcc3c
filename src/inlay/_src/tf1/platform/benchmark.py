"""Benchmarks of programs: `tf.test.Benchmark`, and how `--benchmarks=REGEX` runs those of the main module."""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.programs.session.session import get_default_session

OPTION = "--benchmarks="


@export("test.Benchmark")
class Benchmark:
    """Base class of benchmarks: methods whose names start with "benchmark" time something and report it.

    `tf.test.main` runs the benchmarks of the main module, and no tests, if the command line has `--benchmarks=REGEX`:
    those whose "Class.method" the expression matches anywhere; "all" matches each.
    """

    _classes: ClassVar[list[type[Benchmark]]] = []

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Benchmark._classes.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether the class has no benchmark."""
        return not _benchmarks(cls)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Prints a result.

        Args:
          iters: the number of iterations.
          cpu_time, wall_time: seconds of one iteration, or of all, as the benchmark measures.
          throughput: megabytes per second.
          extras: more values, by name.
          name: the benchmark; None is "Class.method" of the caller.
          metrics: dictionaries with `name`, `value`, and optionally `min_value` and `max_value`.
        """
        fields = {
            "name": name or self._caller(),
            "iters": iters,
            "cpu_time": cpu_time,
            "wall_time": wall_time,
            "throughput": throughput,
            "extras": dict(extras or {}) or None,
            "metrics": list(metrics or ()) or None,
        }
        print("benchmark", *(f"{key}: {value}" for key, value in fields.items() if value is not None), sep="  ")

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Times runs of an operation or tensor, and reports the median.

        Args:
          sess: a session.
          op_or_tensor: the operation to run; of a tensor its operation, so that no value is fetched.
          feed_dict: as `Session.run` takes it.
          burn_iters: runs before those that are timed.
          min_iters: runs that are timed.
          store_trace, store_memory_usage: accepted without effect.
          name: the benchmark; None is "Class.method" of the caller.
          extras: more values for the report, by name.
          mbs: megabytes that one run moves; the report has the throughput then.

        Returns:
          `iters`, `wall_time` (the median, in seconds), `throughput`, `name`, and `extras` with the mean, deviation,
          minimum and maximum.
        """
        target = getattr(op_or_tensor, "op", op_or_tensor)
        for _ in range(burn_iters):
            sess.run(target, feed_dict)
        times = np.empty(max(min_iters, 1))
        for i in range(times.size):
            begin = time.perf_counter()
            sess.run(target, feed_dict)
            times[i] = time.perf_counter() - begin
        median = float(np.median(times))
        spread = {f"wall_time_{key}": float(getattr(np, key)(times)) for key in ("mean", "std", "min", "max")}
        result: dict[str, Any] = {
            "iters": times.size,
            "wall_time": median,
            "throughput": mbs / median if median else math.inf,
            "name": name or self._caller(),
            "extras": {**(extras or {}), **spread},
        }
        reported = {**result, "throughput": result["throughput"] if mbs else None}
        self.report_benchmark(**reported)
        return result

    def evaluate(self, tensors: Any) -> Any:
        """The NumPy values of eager tensors, or of symbolic ones in the default session.

        Args:
          tensors: a nest of tensors.
        """
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        return nest.map_structure(lambda x: x.numpy() if hasattr(x, "numpy") else x, tensors)

    def _caller(self) -> str:
        """The benchmark that is running, "Class.method"; the class alone outside of one."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_name.startswith("benchmark"):
            frame = frame.f_back
        return type(self).__name__ + (f".{frame.f_code.co_name}" if frame is not None else "")


def _benchmarks(cls: type[Benchmark]) -> list[str]:
    """The names of the benchmarks of a class."""
    return [name for name in dir(cls) if name.startswith("benchmark") and callable(getattr(cls, name))]


def selected(arguments: Sequence[str]) -> str | None:
    """The pattern of `--benchmarks=REGEX` on a command line; None without the option, or if it is empty."""
    return next((a.removeprefix(OPTION) for a in arguments[1:] if a.startswith(OPTION) and a != OPTION), None)


def run_benchmarks(pattern: str) -> None:
    """Runs the benchmarks of the main module that a pattern selects.

    Args:
      pattern: a regular expression; "all" is every one.
    """
    select = re.compile("" if pattern == "all" else pattern)
    for cls in [c for c in Benchmark._classes if c.__module__ == "__main__"]:
        for name in _benchmarks(cls):
            if select.search(f"{cls.__name__}.{name}"):
                getattr(cls(), name)()
