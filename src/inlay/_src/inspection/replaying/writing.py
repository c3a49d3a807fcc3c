"""The interceptor that writes a recording.

    call begins ─▶ arguments encoded, blobs and record C written ─▶ function runs ─▶ R or X written
                                                                                         │
                            the file is full: nothing is written, unless the function raises: then C and X are

The arguments are written before the function gets them, as it may write into them; so the file also has the arguments
of the call during which a process died.
"""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from inlay._src.base.interpreter.forking import new_lock
from inlay._src.core import context
from inlay._src.core.site import without_folder
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import observing
from inlay._src.inspection.replaying import failures
from inlay._src.inspection.replaying.encoding import Encoded, encoded_arguments, encoded_result
from inlay._src.inspection.replaying.layout import CALL, END_OF_CALL, Flag, body_of, definition_of
from inlay._src.inspection.replaying.log import FRAME_BYTES, LogWriter
from inlay._src.inspection.replaying.values import leaves

if TYPE_CHECKING:
    from inlay._src.host.observing import ObservedCall

_REMEMBERED = 1 << 16
"""Blobs whose places the recorder remembers, the last ones used; an older one is written again."""
_RESERVE = 16
"""A full file takes calls that raise up to one more `_RESERVE`th of its size."""


class _FunctionCounts:
    """A host function of a recording.

    Attributes:
      number: its id in the file.
      calls: the number of calls that began.
      unrecorded: the number of calls of which the file lacks the arguments or the outcome.
    """

    __slots__ = ("calls", "number", "unrecorded")

    def __init__(self, number: int) -> None:
        self.number, self.calls, self.unrecorded = number, 0, 0


class _PendingCall:
    """A call that has begun: an `observing.Interception`.

    Args:
      recorder: the recording.
      call: the call.
      function, number: the function, and the number of the call.
      unwritten: the head and the arguments of a call for which the file had no room; None if it is in the file.
    """

    __slots__ = ("_recorder", "call", "function", "number", "unwritten")
    answer: Future[Any] | None = None

    def __init__(
        self,
        recorder: CallRecorder,
        call: ObservedCall,
        function: _FunctionCounts,
        number: int,
        unwritten: tuple[bytes, Encoded] | None,
    ) -> None:
        self._recorder, self.call = recorder, call
        self.function, self.number, self.unwritten = function, number, unwritten

    def landed(self, result: Any) -> Any:
        """Records the result, and passes it on."""
        self._recorder.returned(self, result)
        return result

    def failed(self, error: BaseException) -> None:
        """Records the exception."""
        self._recorder.raised(self, error)


class CallRecorder:
    """Writes the calls of host functions into a file: an `observing.TwoPartInterceptor`.

    Args:
      path: the file.
      header: its first record.
      wanted: the names of the functions that are recorded; None is all.
      most: the size of the file in bytes.

    Attributes:
      functions: label -> the function.
      size: the bytes of the file.
    """

    def __init__(self, path: str, header: Mapping[str, Any], wanted: Collection[str] | None, most: int) -> None:
        self._path, self._wanted, self._most = path, wanted, most
        self.functions: dict[str, _FunctionCounts] = {}
        self._ops: dict[tuple[str, str], int] = {}
        self._threads: dict[int, int] = {}
        self._blobs: OrderedDict[bytes, int] = OrderedDict()
        self._lock = new_lock()
        self._full, self._process = False, os.getpid()
        self._log: LogWriter | None = LogWriter(path)
        self.size = 0
        self._append(b"H", json.dumps(header).encode())

    def end(self) -> None:
        """Writes the end of the file, and closes it."""
        with self._lock:
            if os.getpid() == self._process and self._log is not None:
                counts = {f.number: [f.calls, f.unrecorded] for f in self.functions.values()}
                self._append(b"E", json.dumps({"functions": counts}).encode())
            log, self._log = self._log, None
            if log is not None:
                log.close()

    def __call__(
        self, call: ObservedCall, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], /
    ) -> Any:
        """Records a call in place."""
        if not self._records(call):
            return function(*args, **kwargs)
        pending = self._begun(call, args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            self.raised(pending, error)
            raise
        self.returned(pending, result)
        return result

    def begin(self, call: ObservedCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> observing.Interception:
        """Records the arguments of a call that an executor runs."""
        if not self._records(call):
            return _Unrecorded()
        return self._begun(call, args, kwargs)

    def _records(self, call: ObservedCall) -> bool:
        return (
            self._log is not None
            and (self._wanted is None or call.host.name in self._wanted)
            and os.getpid() == self._process
        )

    # ---- writing

    def _begun(self, call: ObservedCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> _PendingCall:
        value = encoded_arguments(args, kwargs)
        digest = value.digest
        with self._lock:
            function = self._function(call)
            number, function.calls = function.calls, function.calls + 1
            thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
            head = CALL.pack(function.number, self._op(call), number, thread, digest)
            written = not self._full and self._write(b"C", head, value, self._most)
            if not written:
                self._full = True
        return _PendingCall(self, call, function, number, None if written else (head, value.detached()))

    def returned(self, pending: _PendingCall, result: Any) -> None:
        """Records the result of a call."""
        flags = _flags(pending.call, result)
        with self._lock:
            if pending.unwritten is not None:
                pending.function.unrecorded += 1
                return
        value = encoded_result(result)
        with self._lock:
            self._end(pending, b"R", flags, value)

    def raised(self, pending: _PendingCall, error: BaseException) -> None:
        """Records the exception of a call."""
        value = encoded_result(failures.as_data(error))
        with self._lock:
            if pending.unwritten is not None:
                most = self._most + self._most // _RESERVE
                needed = self._room(value) + END_OF_CALL.size
                if not self._write(b"C", *pending.unwritten, most - needed):
                    pending.function.unrecorded += 1
                    return
            self._end(pending, b"X", Flag(0), value)

    def _end(self, pending: _PendingCall, kind: bytes, flags: Flag, value: Encoded) -> None:
        """Writes the outcome of a call, or that it found no room. Under the lock."""
        head = END_OF_CALL.pack(pending.function.number, pending.number, flags)
        most = self._most + self._most // _RESERVE if kind == b"X" else self._most
        if not self._write(kind, head, value, most):
            self._full = True
            pending.function.unrecorded += 1
            self._append(b"D", END_OF_CALL.pack(pending.function.number, pending.number, 0))

    def _write(self, kind: bytes, head: bytes, value: Encoded, most: int) -> bool:
        """Writes a record and the blobs that the file lacks, if they fit into `most` bytes. Under the lock."""
        log = self._log
        if log is None or log.size + self._room(value) + len(head) > most:
            return False
        places = []
        for digest, blob in zip(value.digests, value.blobs, strict=True):
            place = self._blobs.get(digest)
            if place is None:
                place = self._append(b"B", blob)
                if place is None:
                    return False
                self._blobs[digest] = place
                if len(self._blobs) > _REMEMBERED:
                    self._blobs.popitem(last=False)
            else:
                self._blobs.move_to_end(digest)
            places.append(place)
        return self._append(kind, head, body_of(value, places)) is not None

    def _room(self, value: Encoded) -> int:
        """The bytes that a value takes in the file."""
        new = {d: len(blob) for d, blob in zip(value.digests, value.blobs, strict=True) if d not in self._blobs}
        return len(value.data) + 8 * len(value.blobs) + sum(new.values()) + FRAME_BYTES * (len(new) + 1) + 8

    def _append(self, kind: bytes, *parts: Any) -> int | None:
        """Writes a record; None if the recording has ended, as the file can no longer be written. Under the lock."""
        log = self._log
        if log is None:
            return None
        try:
            at = log.append(kind, *parts)
        except OSError as error:
            self._log = None
            log.close()
            warnings.warn(f"the recording {self._path} ends here: {error}", RuntimeWarning, stacklevel=2)
            return None
        self.size = log.size
        return at

    def _function(self, call: ObservedCall) -> _FunctionCounts:
        """The function of a call, whose record is in the file. Under the lock."""
        label = call.host.label
        function = self.functions.get(label)
        if function is None:
            function = self.functions[label] = _FunctionCounts(len(self.functions))
            place = definition_of(call.host.fn)
            about = {"id": function.number, "name": call.host.name, "label": without_folder(label), **place}
            self._append(b"F", json.dumps(about).encode())
        return function

    def _op(self, call: ObservedCall) -> int:
        """The id of the op of a call, whose record is in the file. Under the lock."""
        key = call.name, call.type
        number = self._ops.get(key)
        if number is None:
            number = self._ops[key] = len(self._ops)
            about = {"id": number, "name": call.name, "type": call.type}
            self._append(b"O", json.dumps(about).encode())
        return number


class _Unrecorded:
    """A call that is not recorded: an `observing.Interception`."""

    __slots__ = ()
    answer: Future[Any] | None = None

    def landed(self, result: Any) -> Any:
        """Passes the result on."""
        return result

    def failed(self, error: BaseException) -> None:
        """Nothing is recorded."""


def _flags(call: ObservedCall, result: Any) -> Flag:
    """The properties of a result besides its value."""
    tapes = context.current().tapes
    if not tapes or call.host.takes_copies:
        return Flag(0)
    tensors = [leaf for leaf in leaves(result) if isinstance(leaf, EagerTensor)]
    followed = any(tape.follows(tensors) for tape in tapes)
    return Flag.FOLLOWED if followed else Flag(0)
