"""A time limit around a job that knows of none."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.conditions import Event
from inlay._src.engine.run.scheduling import work_stealing


def with_deadline(job: Callable[[], Any], seconds: float, stop: work_stealing.Stop) -> Any:
    """Runs `job` on a helper thread and returns at the deadline, whatever it does.

    Once nobody waits for it, `stop` ends what it runs. While everything should run on the caller's thread there is no
    deadline.

    Raises:
      DeadlineExceededError: if it takes longer.
    """
    if work_stealing.run_inline.on:
        return job()
    done = Event()
    box: list[Any] = []
    state = contextvars.copy_context()
    state.run(work_stealing.under, stop)

    def work() -> None:
        try:
            box.append((True, state.run(job)))
        except BaseException as error:
            box.append((False, error))
        finally:
            done.set()

    parked.HELPERS.submit(work)
    try:
        in_time = done.wait(seconds)
    except BaseException as error:  # Ctrl-C
        stop.stop(errors.CancelledError(None, None, f"the run was given up: {type(error).__name__}"))
        raise
    if not in_time:
        late = errors.DeadlineExceededError(
            None,
            None,
            f"Timed out waiting for notification: the run did not end within {seconds:g} s. A function that was "
            "running goes on in the background unless it could be cancelled, its result is dropped, and nothing "
            "further starts. (inlay explain deadline)",
        )
        stop.stop(late)
        raise late
    ok, value = box[0]
    if ok:
        return value
    raise value
