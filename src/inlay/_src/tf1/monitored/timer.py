"""When hooks act: every so many steps, or so many seconds."""

from __future__ import annotations

import abc
import time

from inlay._src.base.export import export


class Timer(abc.ABC):
    """Says when a hook acts."""

    @abc.abstractmethod
    def reset(self) -> None:
        """Begins anew."""

    @abc.abstractmethod
    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time at a step."""

    @abc.abstractmethod
    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """The hook acts at a step.

        Returns:
          (seconds, steps) since it did so before; None the first time.
        """

    @abc.abstractmethod
    def last_triggered_step(self) -> int | None:
        """The step at which the hook acted last."""


@export("train.SecondOrStepTimer")
class SecondOrStepTimer(Timer):
    """Says that it is time at the first step, and then every so many seconds or steps.

    Args:
      every_secs: the seconds.
      every_steps: the number of steps; one of the two is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self._last: tuple[int, float] | None = None

    def reset(self) -> None:
        self._last = None

    def should_trigger_for_step(self, step: int) -> bool:
        if self._last is None:
            return True
        before, when = self._last
        if step == before:
            return False
        if self._every_secs is not None:
            return time.time() >= when + self._every_secs
        assert self._every_steps is not None
        return step >= before + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        now, last = time.time(), self._last
        self._last = step, now
        return (None, None) if last is None else (now - last[1], step - last[0])

    def last_triggered_step(self) -> int | None:
        return None if self._last is None else self._last[0]


class NeverTimer(Timer):
    """Says that it is never time."""

    def reset(self) -> None:
        """See `Timer`."""

    def should_trigger_for_step(self, step: int) -> bool:
        return False

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        return None, None

    def last_triggered_step(self) -> int | None:
        return None
