"""Ctrl-C put off while something is done that has to be whole."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` wraps it in enumerations, which takes longer than an update
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

_SIGINT = int(signal.SIGINT)
_Handler = Callable[[int, FrameType | None], Any]


class PutOff:
    """A Ctrl-C that comes in the block takes effect at its end, whatever its handler does.

    Python runs handlers of signals on its main thread alone: on others nothing should be put off. Handlers of other
    signals run as usual; an exception of theirs ends the block where it is.
    """

    __slots__ = ("_before", "_came")

    def __init__(self) -> None:
        self._before: _Handler | None = None
        self._came = False

    def __enter__(self) -> None:
        if threading.get_ident() == threading.main_thread().ident:
            before = _signal.getsignal(_SIGINT)
            if callable(before):  # else the system handles it
                self._before = before
                _signal.signal(_SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            _signal.signal(_SIGINT, self._before)
            if self._came:
                self._before(signal.SIGINT, sys._getframe(1))
