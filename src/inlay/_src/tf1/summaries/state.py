"""The summary state of a thread: the writer, the step, and whether summaries are recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.tensor import Tensor
from inlay._src.ops.variables.variable import Variable


class _SummaryState(threading.local):
    """One for each thread.

    Attributes:
      writer: a `SummaryWriter`, or None.
      step: a number, tensor or variable, or None.
      recording: whether summaries are recorded: a bool, a tensor, or a function that gives one; None is yes.
    """

    writer: Any = None
    step: Any = None
    recording: Any = None


STATE = _SummaryState()


class using_writer(AbstractContextManager[Any]):
    """The writer is in force in the block, and flushed at its end.

    Args:
      writer: a `SummaryWriter`.
      step: the step in the block; None leaves it.
    """

    def __init__(self, writer: Any, step: Any) -> None:
        self._writer, self._step = writer, step

    def __enter__(self) -> Any:
        self._before = STATE.writer, STATE.step
        STATE.writer = self._writer
        if self._step is not None:
            STATE.step = self._step
        return self._writer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writer, step = self._before
        try:
            self._writer.flush()
        finally:
            STATE.writer = writer
            if self._step is not None:
                STATE.step = step


@export("summary.experimental.get_step")
def get_step() -> int | Tensor | Variable | None:
    """The step of this thread's summaries, as it was set; None without."""
    return STATE.step


@export("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Says the step of this thread's summaries from now on.

    A number is taken into a function when it is traced; a variable is read whenever it runs.

    Args:
      step: a number, tensor or variable; None for none.
    """
    STATE.step = step


@export("summary.record_if")
@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """In the block this thread records summaries only if a condition holds.

    Args:
      condition: a bool, a bool tensor, or a function that gives one, which is called for every summary.
    """
    before, STATE.recording = STATE.recording, condition
    try:
        yield
    finally:
        STATE.recording = before


def recording() -> Any:
    """Whether summaries are recorded here: a bool, or a symbolic tensor where only a run tells."""
    if STATE.writer is None:
        return False
    condition: bool | Callable[[], Any] | Any = STATE.recording
    if callable(condition):
        condition = condition()
    if condition is None:
        return True
    condition = convert_to_tensor(condition)
    static = get_static_value(condition)
    return condition if static is None else bool(static)


@export("summary.should_record_summaries")
def should_record_summaries() -> Tensor:
    """Whether summaries are recorded here, as a bool tensor: there is a writer, and `record_if` lets them."""
    return convert_to_tensor(recording(), dtypes.bool_)
