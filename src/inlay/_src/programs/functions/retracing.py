"""When tracing again and again is worth a warning: most of the latest calls of one function traced it."""

from __future__ import annotations

import logging
import types
from typing import Any

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.core.site import of_function

CALLS, TRACES, WARNINGS = 10, 5, 2
"""A warning needs `TRACES` traces within `CALLS` calls; a function gives `WARNINGS` of them at most."""


class CallHistory:
    """The calls of the functions made of one piece of code; a loop may make a new one at every iteration.

    Attributes:
      calls: their number.
    """

    __slots__ = ("_traces", "_warnings", "calls")

    def __init__(self) -> None:
        self.calls, self._warnings = 0, 0
        self._traces: list[int] = []  # the numbers of the latest calls that traced

    def note_trace(self, function: Any) -> None:
        """Notes that the latest call traced; warns if that happens too often."""
        self._traces = [*(n for n in self._traces if n > self.calls - CALLS), self.calls]
        if len(self._traces) >= TRACES and self._warnings < WARNINGS:
            self._warnings += 1
            logging.getLogger("inlay").warning(
                "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is expensive; it happens "
                "too often when (1) a tf.function is created repeatedly in a loop: create it once; (2) tensors of "
                "different shapes are passed: give reduce_retracing=True or an input_signature; (3) Python objects "
                "are passed in place of tensors. (inlay explain retracing)",
                len(self._traces),
                self.calls - self._traces[0] + 1,
                of_function(function),
            )


_HISTORIES: BoundedCache[Any, CallHistory] = BoundedCache("calls of functions", 1024, lambda code: CallHistory())


def history_of(function: Any) -> CallHistory:
    """The history of the code that a function was made of."""
    code = getattr(function, "__code__", None)
    return _HISTORIES[code.co_filename, code] if isinstance(code, types.CodeType) else CallHistory()
