"""The interceptor that answers the calls of a program from a recording.

call ─▶ the recorded function of its label ─▶ the lane of its op ─▶ the recorded call, by order or by digest
                                                                         │ arguments differ: `ReplayDifference`
                                                 result, or exception ◀──┘
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from inlay._src.base import errors
from inlay._src.base.tracebacks import RemoteTraceback
from inlay._src.base.types import nest
from inlay._src.core import context
from inlay._src.core.eager.record import Record
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.opdef import OPS
from inlay._src.core.site import without_folder
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import observing
from inlay._src.inspection.replaying import failures
from inlay._src.inspection.replaying.differences import ReplayDifference, first_difference
from inlay._src.inspection.replaying.encoding import encoded_arguments
from inlay._src.inspection.replaying.index import FunctionIndex, Op, Outcome, RecordingFile
from inlay._src.inspection.replaying.matching import Lane, lanes
from inlay._src.inspection.replaying.values import Opaque, leaves

if TYPE_CHECKING:
    from inlay._src.host.observing import ObservedCall

_LINE = re.compile(r":\d+\)$")


def _refused(message: str, function: str, number: int | None = None, *place: Any) -> ReplayDifference:
    """The error of a call that the recording does not answer. Its text has no frames, as no function ran."""
    error = ReplayDifference(message, function, number, *place)
    error.__cause__ = RemoteTraceback("")
    return error


class Answers:
    """Answers the calls of host functions from a recording: an `observing.TwoPartInterceptor`.

    Args:
      recording: the recording.
      wanted: the names of the functions that are replayed; None is all.
      runs_bodies: whether the body of a function of tensors runs where a tape is in force.
    """

    def __init__(self, recording: RecordingFile, wanted: Collection[str] | None, runs_bodies: bool) -> None:
        self._recording, self._wanted, self._runs_bodies = recording, wanted, runs_bodies
        functions, ops = recording.functions, recording.ops
        self._lanes: dict[str, dict[Op, Lane]] = {
            f.label: {ops[op]: lane for op, lane in lanes(f).items()} for f in functions
        }
        self._by_label = {function.label: function for function in functions}
        self._met: dict[str, FunctionIndex] = {}  # by the label in this program

    @property
    def left(self) -> dict[str, int]:
        """Label -> number of recorded calls that the program did not make, of functions that have any."""
        counts = {label: sum(map(len, each.values())) for label, each in self._lanes.items()}
        return {label: count for label, count in counts.items() if count}

    def __call__(
        self, call: ObservedCall, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], /
    ) -> Any:
        """Answers a call in place."""
        if self._wanted is not None and call.host.name not in self._wanted:
            return function(*args, **kwargs)
        matched = self._matched(call, args, kwargs)
        if self._runs_body(call):
            try:
                result = function(*args, **kwargs)
            except Exception as error:
                matched.check_error(error)
                raise
            matched.check_result(result)
            return result
        return matched.answered(args, kwargs)

    def begin(self, call: ObservedCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> observing.Interception:
        """Answers a call of an executor."""
        if self._wanted is not None and call.host.name not in self._wanted:
            return _Passed()
        matched = self._matched(call, args, kwargs)
        return _Compared(matched) if self._runs_body(call) else _Answered(matched, args, kwargs)

    def _runs_body(self, call: ObservedCall) -> bool:
        return self._runs_bodies and not call.host.takes_copies and bool(context.current().tapes)

    def _matched(self, call: ObservedCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> _Matched:
        """The recorded call that answers a call; ReplayDifference if there is none, or its arguments differ."""
        function = self._function(call)
        name, by_op = call.name, self._lanes[function.label]
        lane = by_op.get(Op(name, call.type))
        if lane is None:
            ops = sorted({op.name for op in by_op})
            raise _refused(
                f"op '{name}' calls {function.label}, and the recording has no call of it there; the recorded ops are "
                f"{', '.join(ops[:5])}",
                function.name,
            )
        value = encoded_arguments(args, kwargs)
        digest = value.digest
        position = lane.take(digest)
        if position is None:
            raise _refused(f"{self._ended(function)} at op '{name}'", function.name)
        matched = _Matched(self._recording, call, function, position)
        if self._recording.digest(function, position) != digest:
            raise matched.other_arguments(args, kwargs)
        return matched

    def _ended(self, function: FunctionIndex) -> str:
        """A clause that says that the recorded calls of a function are used up, and why there are no more."""
        text = f"the program calls {function.label} more often than the {len(function)} times of the recording"
        if function.unrecorded:
            return f"{text}, which was full and lacks {function.unrecorded} calls,"
        return f"{text}, which ends early ({self._recording.cut})," if self._recording.cut else text

    def _function(self, call: ObservedCall) -> FunctionIndex:
        """The recorded function of a call: of the same name and line, else the only one of that name and file."""
        label = call.host.label
        function = self._met.get(label)
        if function is not None:
            return function
        short = without_folder(label)
        function = self._by_label.get(short)
        if function is None:
            bare = _LINE.sub(")", short)
            moved = [f for f in self._recording.functions if _LINE.sub(")", f.label) == bare]
            if len(moved) != 1:
                what = f"several functions {bare}" if moved else f"no call of {short}"
                names = ", ".join(f.label for f in self._recording.functions) or "nothing"
                raise _refused(f"the recording has {what}; it has {names}", call.host.name)
            function = moved[0]
        self._met[label] = function
        return function


class _Matched:
    """A recorded call that answers one.

    Args:
      recording: the recording.
      call: the call to answer.
      function, position: the recorded call.
    """

    __slots__ = ("_call", "_function", "_position", "_recording")

    def __init__(self, recording: RecordingFile, call: ObservedCall, function: FunctionIndex, position: int) -> None:
        self._recording, self._call = recording, call
        self._function, self._position = function, position

    @property
    def number(self) -> int:
        """The number of the recorded call."""
        return self._function.numbers[self._position]

    def answered(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The recorded result, or the recorded exception is raised."""
        outcome = self._outcome()
        if outcome.kind == b"X":
            raise failures.rebuilt(outcome.value)
        self.refuse_gradient(outcome, args, kwargs)
        return outcome.value

    def future(self) -> tuple[Future[Any], Outcome | None]:
        """The recorded outcome as a future that has ended, and as itself if the call returned."""
        future: Future[Any] = Future()
        try:
            outcome = self._outcome()
        except BaseException as error:
            future.set_exception(error)
            return future, None
        if outcome.kind == b"X":
            future.set_exception(failures.rebuilt(outcome.value))
            return future, None
        future.set_result(None)  # `landed` gives the result, which nobody else holds then
        return future, outcome

    def _outcome(self) -> Outcome:
        """The recorded outcome; an error if the recording has none, or does not hold its objects."""
        outcome = self._recording.outcome(self._function, self._position, _classes(self._call))
        if outcome.kind not in (b"R", b"X"):
            why = "the recording was full" if outcome.kind == b"D" else "the recorded program ended first"
            raise _refused(f"{self} has no recorded outcome: {why}", self._function.name, self.number)
        if outcome.kind == b"R":
            missing = next((leaf for leaf in leaves(outcome.value) if leaf.__class__ is Opaque), None)
            if missing is not None:
                raise errors.refused(
                    errors.InvalidArgumentError,
                    TypeError,
                    f"{self} returned {missing!r}: it cannot be replayed. Return an array of it, or leave the function "
                    "out with functions=[...]",
                )
        return outcome

    def refuse_gradient(self, outcome: Outcome, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Lets the tapes in force refuse the gradient of a body that does not run."""
        state = context.current()
        if self._call.host.takes_copies or not state.tapes:
            return
        results = [t for t in leaves(outcome.value) if isinstance(t, EagerTensor)]
        tensors = [t for t in (*leaves(args), *leaves(kwargs)) if isinstance(t, EagerTensor)]
        label = self._function.label

        def refused(_: Record, *__: Any) -> Any:
            raise errors.refused(
                errors.UnimplementedError,
                None,
                f"the gradient of {label} is that of its body, which does not run while its calls are replayed. Replay "
                "with gradients='run', which runs it, or declare the gradient with grad=",
            )

        if outcome.followed and results and not any(tape.follows(tensors) for tape in state.tapes):
            refused(None)  # type: ignore[arg-type]  # it flows to a variable, by which no tape would find it
        record_operation(OPS[self._call.type], tuple(tensors), tuple(results), {}, state, refused)

    def check_result(self, result: Any) -> None:
        """Refuses a result of the body that is not the recorded one."""
        outcome = self._recording.outcome(self._function, self._position, _classes(self._call))
        if outcome.kind != b"R":
            raise _refused(f"{self} did not return in the recording", self._function.name, self.number)
        difference = first_difference(outcome.value, result, "result")
        if difference is not None:
            text = f"{self}: {difference.path} differs{difference}"
            raise _refused(text, self._function.name, self.number, *difference[:3])

    def check_error(self, error: BaseException) -> None:
        """Refuses an exception of the body that is not the recorded one."""
        outcome = self._recording.outcome(self._function, self._position)
        if outcome.kind != b"X" or not failures.is_recorded(error, outcome.value):
            text = f"{self} raises {failures.title(failures.as_data(error))}, and did not in the recording"
            raise ReplayDifference(text, self._function.name, self.number, "result", None, error) from error

    def other_arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ReplayDifference:
        """The error of a call whose arguments are not the recorded ones."""
        recorded_args, recorded_kwargs = self._recording.arguments(self._function, self._position)
        pairs = [(f"argument {i}", *pair) for i, pair in enumerate(zip(recorded_args, args, strict=False))]
        pairs += [(f"argument {k!r}", recorded_kwargs[k], kwargs[k]) for k in recorded_kwargs if k in kwargs]
        for place, recorded, got in pairs:
            difference = first_difference(recorded, got, place)
            if difference is not None:
                text = f"{self}: {difference.path} differs from the recorded one{difference}"
                return _refused(text, self._function.name, self.number, *difference[:3])
        counts = [f"{len(a)} and keywords {sorted(k)}" for a, k in ((recorded_args, recorded_kwargs), (args, kwargs))]
        text = f"{self} has other arguments\n  recorded: {counts[0]}\n  got:      {counts[1]}"
        return _refused(text, self._function.name, self.number, "arguments", recorded_args, tuple(args))

    def __str__(self) -> str:
        return f"call {self.number} of {self._function.label} at op '{self._call.name}'"


class _Passed:
    """A call that is not replayed: an `observing.Interception`."""

    __slots__ = ()
    answer: Future[Any] | None = None

    def landed(self, result: Any) -> Any:
        """Passes the result on."""
        return result

    def failed(self, error: BaseException) -> None:
        """Nothing is compared."""


class _Answered:
    """A call of an executor that the recording answers: an `observing.Interception`."""

    __slots__ = ("_args", "_kwargs", "_matched", "_outcome", "answer")

    def __init__(self, matched: _Matched, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._matched, self._args, self._kwargs = matched, args, kwargs
        self.answer: Future[Any] | None
        self.answer, self._outcome = matched.future()

    def landed(self, result: Any) -> Any:
        """Gives the recorded result."""
        outcome, self._outcome = self._outcome, None
        assert outcome is not None
        self._matched.refuse_gradient(outcome, self._args, self._kwargs)
        return outcome.value

    def failed(self, error: BaseException) -> None:
        """The exception is the recorded one."""


class _Compared:
    """A call of an executor whose body runs for its gradient: an `observing.Interception`."""

    __slots__ = ("_matched",)
    answer: Future[Any] | None = None

    def __init__(self, matched: _Matched) -> None:
        self._matched = matched

    def landed(self, result: Any) -> Any:
        """Compares the result with the recorded one, and passes it on."""
        self._matched.check_result(result)
        return result

    def failed(self, error: BaseException) -> None:
        """Compares the exception with the recorded one."""
        self._matched.check_error(error)


def _classes(call: ObservedCall) -> dict[str, type]:
    """Name -> class of the containers in the declared structure of a result."""
    classes: dict[str, type] = {}
    parts = [call.host.outputs.structure]
    while parts:
        part = parts.pop()
        if part is not None and nest.is_nested(part):
            classes[part.__class__.__qualname__] = part.__class__
            parts += [child for _, child in nest._items(part)]
    return classes
