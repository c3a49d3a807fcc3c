"""The recorded calls as objects: functions, their calls, and a call made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from inlay._src.base.export import export
from inlay._src.inspection.replaying import encoding, failures
from inlay._src.inspection.replaying.differences import ReplayDifference, first_difference
from inlay._src.inspection.replaying.index import FunctionIndex, RecordingFile


@export("debugging.CallRecord")
class CallRecord:
    """One call of a recording. Its values are read from the file when they are asked for, new each time.

    Attributes:
      number: the number of the call among those of its function, by their begin, from 0.
      function: the name of the function.
      op: the name of the op that called.
    """

    def __init__(self, recording: RecordingFile, function: FunctionIndex, position: int) -> None:
        self._recording, self._function, self._position = recording, function, position
        self.number: int = function.numbers[position]
        self.function: str = function.name
        self.op: str = recording.ops[function.ops[position]].name

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments, as they were before the call."""
        return self._recording.arguments(self._function, self._position)[0]

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments, as they were before the call."""
        return self._recording.arguments(self._function, self._position)[1]

    @property
    def status(self) -> str:
        """`"returned"`, `"raised"`, `"unfinished"` (the program ended first) or `"dropped"` (the file was full)."""
        return {0: "unfinished", ord("R"): "returned", ord("X"): "raised", ord("D"): "dropped"}[
            self._function.kinds[self._position]
        ]

    @property
    def result(self) -> Any:
        """The result.

        Raises:
          ValueError: if the call has none.
        """
        if self.status != "returned":
            raise ValueError(f"call {self.number} of {self.function} has no result: it is {self.status}")
        return self._recording.outcome(self._function, self._position).value

    @property
    def error(self) -> BaseException | None:
        """The exception that the call raised, whose cause has the text of the recorded traceback; None if none."""
        if self.status != "raised":
            return None
        return failures.rebuilt(self._recording.outcome(self._function, self._position).value)

    @property
    def nbytes(self) -> int:
        """The bytes of the arguments and the result."""
        return self._recording.bytes_of(self._function, self._position)

    def run(self, function: Callable[..., Any]) -> Any:
        """Calls a function with the recorded arguments: its result, or its exception."""
        args, kwargs = self._recording.arguments(self._function, self._position)
        return function(*args, **kwargs)

    def check(self, function: Callable[..., Any]) -> None:
        """Calls a function with the recorded arguments, and compares its outcome with the recorded one.

        Raises:
          ReplayDifference: with the first difference, if it has another outcome. A call without a recorded outcome is
            called, and not compared.
        """
        status = self.status
        error = None
        try:
            result = self.run(function)
        except Exception as raised:
            error = raised
        if status == "returned":
            if error is not None:
                raise self._differs(self.result, error, f"returned, and now raises {_name(error)}") from error
            if encoding.encoded(result).data != self._recording.canonical_result(self._function, self._position):
                difference = first_difference(self.result, result, "result")
                if difference is not None:
                    raise ReplayDifference(
                        f"{self}: {difference.path} differs{difference}", self.function, self.number, *difference[:3]
                    )
        elif status == "raised":
            data = self._recording.outcome(self._function, self._position).value
            if error is None:
                raise self._differs(failures.rebuilt(data), result, f"raised {failures.title(data)}, and now returns")
            if not failures.is_recorded(error, data):
                text = f"raised {failures.title(data)}, and now raises {_name(error)}"
                raise self._differs(failures.rebuilt(data), error, text) from error
        elif error is not None:
            raise error

    def _differs(self, recorded: Any, got: Any, text: str) -> ReplayDifference:
        message = f"{self} {text}\n  recorded: {recorded!r}\n  got:      {got!r}"
        return ReplayDifference(message, self.function, self.number, "result", recorded, got)

    def __repr__(self) -> str:
        return f"call {self.number} of {self._function.label}, op '{self.op}'"


def _name(error: BaseException) -> str:
    return failures.title(failures.as_data(error))


@export("debugging.FunctionRecord")
class FunctionRecord(Sequence[CallRecord]):
    """A function of a recording: the sequence of its calls, in the order in which they began.

    Attributes:
      name: its name.
      label: its name with the file and the line of its definition.
      place: where it is defined: `module`, `qualname`, `file`, `line`.
      unrecorded: the number of calls that the file lacks, as it was full.
    """

    def __init__(self, recording: RecordingFile, function: FunctionIndex) -> None:
        self._recording, self._function = recording, function
        self.name: str = function.name
        self.label: str = function.label
        self.place: dict[str, Any] = function.place
        self.unrecorded: int = function.unrecorded

    def __len__(self) -> int:
        return len(self._function)

    @overload
    def __getitem__(self, index: int) -> CallRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[CallRecord]: ...
    def __getitem__(self, index: int | slice) -> CallRecord | list[CallRecord]:
        positions = range(len(self))[index]
        if isinstance(positions, range):
            return [CallRecord(self._recording, self._function, p) for p in positions]
        return CallRecord(self._recording, self._function, positions)

    def __iter__(self) -> Iterator[CallRecord]:
        return (CallRecord(self._recording, self._function, p) for p in range(len(self)))

    def call(self, number: int) -> CallRecord:
        """The call of a number.

        Raises:
          LookupError: if the recording lacks it.
        """
        position = self._function.position(number)
        if position is None:
            raise LookupError(f"the recording has no call {number} of {self.label}")
        return self[position]

    @property
    def failures(self) -> list[int]:
        """The numbers of the calls that raised."""
        pairs = zip(self._function.numbers, self._function.kinds, strict=True)
        return [number for number, kind in pairs if kind == ord("X")]

    def check(self, function: Callable[..., Any]) -> int:
        """Calls a function with the recorded arguments of each call, and compares each outcome with the recorded one.

        Returns:
          The number of calls.

        Raises:
          ReplayDifference: with the first difference and both values.
        """
        for call in self:
            call.check(function)
        return len(self)

    def __repr__(self) -> str:
        return f"{self.label}: {len(self)} calls, {len(self.failures)} raised"
