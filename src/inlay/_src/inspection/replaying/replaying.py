"""`tf.debugging.replay`: runs a program with a recording in the place of its functions, or reads the recording.

    call ─▶ the recorded function of its label ─▶ the lane of its op ─▶ the recorded call, by order or by digest
                                                                             │ arguments differ: `ReplayDifference`
                                                     result, or exception ◀──┘
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core import context
from inlay._src.core.eager.record import Record
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.opdef import OPS
from inlay._src.core.site import without_folder
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import observing
from inlay._src.inspection.replaying import failures
from inlay._src.inspection.replaying.calls import RecordedCall, RecordedFunction
from inlay._src.inspection.replaying.differences import ReplayDifference, first_difference
from inlay._src.inspection.replaying.index import FunctionIndex, Op, Outcome, Recording
from inlay._src.inspection.replaying.matching import Lane, lanes
from inlay._src.inspection.replaying.values import Encoded, Opaque, encoded, leaves

if TYPE_CHECKING:
    from inlay._src.host.call import HostCall

_LINE = re.compile(r":\d+\)$")


@export("debugging.replay")
class replay:
    """A recording of `tf.debugging.record`, to be read, or to run a program without its functions.

    As a context manager it runs the program of the block with the recording in the place of its host functions: none of
    them is called, and no executor is asked. Each call is matched with a recorded call of the same function at the same op:
    in order where the recorded calls were sequential on one thread, else by the digest of its arguments and then in order.
    Its arguments are compared with the recorded ones, bit by bit. A difference raises `debugging.ReplayDifference`, as an
    error of the function.

        with tf.debugging.replay("run.calls"):
            train()                                      # the environment is not needed

        recording = tf.debugging.replay("run.calls")
        recording.check(step)                            # every recorded call of `step`, made again and compared
        recording.call("step", 41).run(step)             # one of them

    Files are read piece by piece: a call takes the memory of its own values, and the index about 50 bytes for each call.

    Args:
      path: the recording.
      functions: the names of the functions to replay; the program's other functions run. None replays all.
      gradients: the gradient of a replayed `py_function` whose body the tape would record: `"refuse"` raises an error
        when it is asked for, since the body does not run; `"run"` runs the body where a tape is in force, and compares its
        result with the recorded one. A gradient that is declared with `grad=` works in both.
      partial: whether a recording that is damaged or cut short is read as far as it is whole.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: if it is not a whole recording; the message says which calls are whole.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        functions: Sequence[str] | None = None,
        gradients: str = "refuse",
        partial: bool = False,
    ) -> None:
        if functions is not None and (isinstance(functions, str) or not all(isinstance(f, str) for f in functions)):
            raise TypeError(f"functions: expected a list of names, got {functions!r}")
        if gradients not in ("refuse", "run"):
            raise ValueError(f"gradients: expected 'refuse' or 'run', got {gradients!r}")
        self._recording = Recording(os.fspath(path), partial)
        self._wanted = None if functions is None else frozenset(functions)
        self._runs_bodies = gradients == "run"
        self._lanes: dict[str, dict[Op, Lane]] = {}  # by the label of the function
        self._by_label: dict[str, FunctionIndex] = {}
        self._labels: dict[str, FunctionIndex] = {}

    # ---- reading

    @property
    def path(self) -> str:
        """The file."""
        return self._recording.path

    @property
    def cut(self) -> str:
        """The reason why a partial recording ends early; "" if it is whole."""
        return self._recording.cut

    @property
    def functions(self) -> list[RecordedFunction]:
        """The recorded functions, in the order of their first calls."""
        return [RecordedFunction(self._recording, function) for function in self._recording.functions]

    def function(self, name: str) -> RecordedFunction:
        """The recorded function of a name or label: `"step"`, `"step (train.py:12)"`.

        Raises:
          LookupError: if there is none, or several have the name; the message lists them.
        """
        named = [f for f in self._recording.functions if name in (f.name, f.label)]
        if len(named) == 1:
            return RecordedFunction(self._recording, named[0])
        labels = [f.label for f in named or self._recording.functions]
        what = "several functions" if named else "no function"
        raise LookupError(f"the recording has {what} {name!r}; it has {', '.join(labels) or 'none at all'}")

    def call(self, name: str, number: int) -> RecordedCall:
        """The call of a number of the function of a name; `LookupError` if there is none."""
        return self.function(name).call(number)

    def check(self, function: Callable[..., Any], name: str | None = None) -> int:
        """Calls a function with the arguments of each recorded call, and compares each outcome with the recorded one.

        Args:
          function: the function.
          name: its name in the recording; None is its own.

        Returns:
          The number of calls.

        Raises:
          ReplayDifference: with the first difference and both values.
          LookupError: if the recording has no function of the name, or several.
        """
        named = name if name is not None else str(getattr(function, "__qualname__", function))
        return self.function(named).check(function)

    def close(self) -> None:
        """Closes the file."""
        self._recording.close()

    # ---- in the place of functions

    def __enter__(self) -> Self:
        functions, ops = self._recording.functions, self._recording.ops
        self._lanes = {f.label: {ops[op]: lane for op, lane in lanes(f).items()} for f in functions}
        self._by_label = {function.label: function for function in functions}
        self._labels = {}
        observing.intercept(self)
        return self

    def __exit__(self, *_: object) -> None:
        observing.release(self)

    @property
    def left(self) -> dict[str, int]:
        """Label -> number of recorded calls that the program did not make, of functions that have any."""
        counts = {label: sum(map(len, each.values())) for label, each in self._lanes.items()}
        return {label: count for label, count in counts.items() if count}

    def check_all_made(self) -> None:
        """Refuses a program that made fewer calls than were recorded.

        Raises:
          ReplayDifference: with the number of missing calls of each function.
        """
        if self.left:
            missing = ", ".join(f"{count} of {label}" for label, count in self.left.items())
            raise ReplayDifference(f"the program did not make all recorded calls; missing: {missing}")

    def __call__(
        self, call: HostCall, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], /
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

    def begin(self, call: HostCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> observing.Interception:
        """Answers a call of an executor."""
        if self._wanted is not None and call.host.name not in self._wanted:
            return _Passed()
        matched = self._matched(call, args, kwargs)
        return _Compared(matched) if self._runs_body(call) else _Answered(matched, args, kwargs)

    def _runs_body(self, call: HostCall) -> bool:
        return self._runs_bodies and not call.host.takes_copies and bool(context.current().tapes)

    def _matched(self, call: HostCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> _Matched:
        """The recorded call that answers a call; ReplayDifference if there is none, or its arguments differ."""
        function = self._function(call)
        name, by_op = call.name, self._lanes[function.label]
        lane = by_op.get(Op(name, call.type))
        if lane is None:
            ops = sorted({op.name for op in by_op})
            raise ReplayDifference(
                f"op '{name}' calls {function.label}, and the recording has no call of it there; the recorded ops are "
                f"{', '.join(ops[:5])}",
                function.name,
            )
        value = encoded((tuple(args), dict(kwargs)))
        digest = value.digest
        position = lane.take(digest)
        if position is None:
            raise ReplayDifference(f"{self._ended(function)} at op '{name}'", function.name)
        matched = _Matched(self._recording, call, function, position)
        if self._recording.digest(function, position) != digest:
            raise matched.other_arguments(value, args, kwargs)
        return matched

    def _ended(self, function: FunctionIndex) -> str:
        """A clause that says that the recorded calls of a function are used up, and why there are no more."""
        text = f"the program calls {function.label} more often than the {len(function)} times of the recording"
        if function.unrecorded:
            return f"{text}, which was full and lacks {function.unrecorded} calls,"
        return f"{text}, which ends early ({self.cut})," if self.cut else text

    def _function(self, call: HostCall) -> FunctionIndex:
        """The recorded function of a call: of the same name and line, else the only one of that name and file."""
        label = call.host.label
        function = self._labels.get(label)
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
                raise ReplayDifference(f"the recording has {what}; it has {names}", call.host.name)
            function = moved[0]
        self._labels[label] = function
        return function


class _Matched:
    """A recorded call that answers one.

    Args:
      recording: the recording.
      call: the call to answer.
      function, position: the recorded call.
    """

    __slots__ = ("_call", "_function", "_position", "_recording")

    def __init__(self, recording: Recording, call: HostCall, function: FunctionIndex, position: int) -> None:
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
            raise ReplayDifference(f"{self} has no recorded outcome: {why}", self._function.name, self.number)
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
            raise ReplayDifference(f"{self} did not return in the recording", self._function.name, self.number)
        difference = first_difference(outcome.value, result, "result")
        if difference is not None:
            text = f"{self}: {difference.path} differs{difference}"
            raise ReplayDifference(text, self._function.name, self.number, *difference[:3])

    def check_error(self, error: BaseException) -> None:
        """Refuses an exception of the body that is not the recorded one."""
        outcome = self._recording.outcome(self._function, self._position)
        if outcome.kind != b"X" or not failures.is_recorded(error, outcome.value):
            text = f"{self} raises {failures.title(failures.as_data(error))}, and did not in the recording"
            raise ReplayDifference(text, self._function.name, self.number, "result", None, error) from error

    def other_arguments(self, value: Encoded, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ReplayDifference:
        """The error of a call whose arguments are not the recorded ones."""
        recorded_args, recorded_kwargs = self._recording.arguments(self._function, self._position)
        pairs = [(f"argument {i}", *pair) for i, pair in enumerate(zip(recorded_args, args, strict=False))]
        pairs += [(f"argument {k!r}", recorded_kwargs[k], kwargs[k]) for k in recorded_kwargs if k in kwargs]
        for place, recorded, got in pairs:
            difference = first_difference(recorded, got, place)
            if difference is not None:
                text = f"{self}: {difference.path} differs from the recorded one{difference}"
                return ReplayDifference(text, self._function.name, self.number, *difference[:3])
        counts = [f"{len(a)} and keywords {sorted(k)}" for a, k in ((recorded_args, recorded_kwargs), (args, kwargs))]
        text = f"{self} has other arguments\n  recorded: {counts[0]}\n  got:      {counts[1]}"
        return ReplayDifference(text, self._function.name, self.number, "arguments", recorded_args, tuple(args))

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


def _classes(call: HostCall) -> dict[str, type]:
    """Name -> class of the containers in the declared structure of a result."""
    classes: dict[str, type] = {}
    parts = [call.host.outputs.structure]
    while parts:
        part = parts.pop()
        if part is not None and nest.is_nested(part):
            classes[part.__class__.__qualname__] = part.__class__
            parts += [child for _, child in nest._items(part)]
    return classes
