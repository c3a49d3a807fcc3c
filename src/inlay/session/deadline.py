"""A time limit around a job that knows of none."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from inlay import errors
from inlay.run import takeover


def with_deadline(job: Callable[[], Any], seconds: float) -> Any:
    """Runs `job` on a helper thread and returns at the deadline, whatever it does."""
    done = threading.Event()
    box: list[Any] = []
    state = contextvars.copy_context()

    def work() -> None:
        try:
            box.append((True, state.run(job)))
        except BaseException as error:
            box.append((False, error))
        finally:
            done.set()

    takeover.HELPERS.submit(work)
    if not done.wait(seconds):
        raise errors.DeadlineExceededError(
            None,
            None,
            f"Timed out waiting for notification: the run did not end within "
            f"{seconds:g} s. What was running goes on in the background; its result is "
            "dropped.",
        )
    ok, value = box[0]
    if ok:
        return value
    raise value
