"""`tf.debugging.record`: keeps what host functions received and returned, in a file."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from typing import Self

import ml_dtypes
import numpy as np

from inlay._src.base.export import export
from inlay._src.host import observing
from inlay._src.inspection.replaying.layout import FORMAT, VERSION
from inlay._src.inspection.replaying.writing import CallRecorder


@export("debugging.record")
class record:
    """Records the calls of host functions in a file: `with tf.debugging.record("run.calls"): ...`.

    Each call of a function of the `py_function` family leaves its arguments and its result or exception, wherever the
    function runs: in eager code, sessions, `tf.function`, datasets, on threads, in worker processes. Calls are written
    as they happen, so the recording of a program that dies is readable up to its last moment. `tf.debugging.replay`
    reads it.

    The file holds data alone: arrays as bytes with dtype and shape, each array of 512 bytes or more once; texts, Python
    numbers, and nests of these; exceptions as class, message, arguments and traceback text. Of any other object it
    holds the name of the class.

    Recordings may be nested, and each gets every call. A forked child records nothing.

    Args:
      path: the file; one that is there is replaced.
      functions: the names of the functions to record, as in messages of errors: `"step"`, `"Cart.step"`. None records
        all.
      max_bytes: the size of the file. Once the next call does not fit, calls are counted and not recorded, except those
        that raise: for them there is another sixteenth of the size.

    Attributes:
      path: the file.

    Raises:
      OSError: if the file cannot be opened. If it can no longer be written, the recording ends with a warning, and the
        program goes on.
    """

    def __init__(
        self, path: str | os.PathLike[str], functions: Sequence[str] | None = None, max_bytes: int = 1 << 30
    ) -> None:
        if functions is not None and (isinstance(functions, str) or not all(isinstance(f, str) for f in functions)):
            raise TypeError(f"functions: expected a list of names, got {functions!r}")
        if max_bytes <= 0:
            raise ValueError(f"max_bytes: expected a positive number, got {max_bytes}")
        self.path: str = os.fspath(path)
        self._wanted = None if functions is None else frozenset(functions)
        self._most = int(max_bytes)
        self._recorder: CallRecorder | None = None
        self._in_use = False

    def __enter__(self) -> Self:
        if self._in_use:
            raise RuntimeError(f"the recording {self.path} is in use already")
        header = {
            "format": FORMAT,
            "version": VERSION,
            "inlay": vars(sys.modules["inlay"])["__version__"],
            "numpy": np.__version__,
            "ml_dtypes": ml_dtypes.__version__,
            "python": platform.python_version(),
        }
        self._recorder = CallRecorder(self.path, header, self._wanted, self._most)
        self._in_use = True
        observing.intercept(self._recorder)
        return self

    def __exit__(self, *_: object) -> None:
        if self._recorder is not None:
            observing.release(self._recorder)
            self._recorder.end()
        self._in_use = False

    @property
    def calls(self) -> int:
        """The number of calls that began."""
        return 0 if self._recorder is None else sum(f.calls for f in self._recorder.functions.values())

    @property
    def unrecorded(self) -> int:
        """The number of calls that are not in the file."""
        return 0 if self._recorder is None else sum(f.unrecorded for f in self._recorder.functions.values())

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return 0 if self._recorder is None else self._recorder.size
