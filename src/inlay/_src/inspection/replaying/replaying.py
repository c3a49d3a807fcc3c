"""`tf.debugging.replay`: runs a program with a recording instead of its functions, or reads the recording."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Self

from inlay._src.base.export import export
from inlay._src.host import observing
from inlay._src.inspection.replaying.answering import Answers
from inlay._src.inspection.replaying.calls import CallRecord, FunctionRecord
from inlay._src.inspection.replaying.differences import ReplayDifference
from inlay._src.inspection.replaying.index import RecordingFile


@export("debugging.replay")
class replay:
    """A recording of `tf.debugging.record`, to be read, or to run a program without its functions.

    As a context manager it runs the program of the block with the recording instead of its host functions: none of
    them is called, and no executor is asked. Each call is matched with a recorded call of the same function at the same
    op: in order where the recorded calls were sequential on one thread, else by the digest of its arguments and then in
    order. Its arguments are compared with the recorded ones, bit by bit. A difference raises
    `debugging.ReplayDifference`, as an error of the function.

        with tf.debugging.replay("run.calls"):
            train()                                      # the environment is not needed

        recording = tf.debugging.replay("run.calls")
        recording.check(step)                            # every recorded call of `step`, made again and compared
        recording.call("step", 41).run(step)             # one of them

    Files are read piece by piece: a call takes the memory of its own values, and the index about 70 bytes for each
    call.

    Args:
      path: the recording.
      functions: the names of the functions to replay; the program's other functions run. None replays all.
      gradients: the gradient of a replayed `py_function` whose body the tape would record: `"refuse"` raises an error
        when it is asked for, since the body does not run; `"run"` runs the body where a tape is in force, and compares
        its result with the recorded one. A gradient that is declared with `grad=` works in both.
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
        self._recording = RecordingFile(os.fspath(path), partial)
        self._wanted = None if functions is None else frozenset(functions)
        self._runs_bodies = gradients == "run"
        self._answers: Answers | None = None
        self._in_use = False

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
    def functions(self) -> list[FunctionRecord]:
        """The recorded functions, in the order of their first calls."""
        return [FunctionRecord(self._recording, function) for function in self._recording.functions]

    def function(self, name: str) -> FunctionRecord:
        """The recorded function of a name or label: `"step"`, `"step (train.py:12)"`.

        Raises:
          LookupError: if there is none, or several have the name; the message lists them.
        """
        named = [f for f in self._recording.functions if name in (f.name, f.label)]
        if len(named) == 1:
            return FunctionRecord(self._recording, named[0])
        labels = [f.label for f in named or self._recording.functions]
        what = "several functions" if named else "no function"
        raise LookupError(f"the recording has {what} {name!r}; it has {', '.join(labels) or 'none at all'}")

    def call(self, name: str, number: int) -> CallRecord:
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
        if self._in_use:
            raise RuntimeError(f"the recording {self.path} is being replayed already")
        self._answers = Answers(self._recording, self._wanted, self._runs_bodies)
        self._in_use = True
        observing.intercept(self._answers)
        return self

    def __exit__(self, *_: object) -> None:
        if self._answers is not None:
            observing.release(self._answers)
        self._in_use = False

    @property
    def left(self) -> dict[str, int]:
        """Label -> number of recorded calls that the program of the last block did not make, of those that have any."""
        return {} if self._answers is None else self._answers.left

    def check_all_made(self) -> None:
        """Refuses a program that made fewer calls than were recorded.

        Raises:
          ReplayDifference: with the number of missing calls of each function.
        """
        if self.left:
            missing = ", ".join(f"{count} of {label}" for label, count in self.left.items())
            raise ReplayDifference(f"the program did not make all recorded calls; missing: {missing}")
