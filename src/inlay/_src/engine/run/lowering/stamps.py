"""Stamps: the times of its steps that a generated plan notes while spans are recorded.

    T(3); T(now())          step 3 has ended; it began at the stamp before
    T(-5); T(now())         step 4 begins, whose own steps are written here and stamp themselves

`S` is the list of the run, `T` its `append`. `base.spans` reads stamps. A loop hands them over when they are many.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.interpreter.source import Source
from inlay._src.base.span_chunks import Activity
from inlay._src.base.spans import SPANS, now
from inlay._src.engine.plan.plan import Step

_MOST = 1 << 15


class Stamps:
    """The stamps of a plan.

    Args:
      title: the name of its runs.

    Attributes:
      activities: the subject of each number; 0 is the run itself.
    """

    def __init__(self, title: str) -> None:
        self.activities: list[Activity] = [Activity(title, "run")]
        self._numbers: dict[tuple[str, ...], int] = {}

    def number(self, *steps: Step) -> int:
        """The number of a step, or of several that run as one."""
        key = tuple([step.name for step in steps])
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.activities)
            self.activities.append(activity_of(*steps))
        return number

    def begin(self, source: Source, step: Step) -> None:
        """Writes the begin of a step whose own steps follow."""
        self._write(source, -1 - self.number(step))

    def end(self, source: Source, *steps: Step) -> None:
        """Writes the end of a step, or of several that ran as one."""
        self._write(source, self.number(*steps))

    def _write(self, source: Source, number: int) -> None:
        source.names["now"] = now
        source.write(f"T({number}); T(now())")

    def hand_over(self, source: Source) -> None:
        """Writes the test, once in an iteration of a loop, whether stamps are so many that the recorder takes them."""
        source.write(f"if len(S) > {_MOST}: {source.name('x', self._taken)}(S)")

    def _taken(self, stamps: list[int]) -> None:
        """Gives stamps to the recorder; steps that have not ended end here and begin again."""
        opened: list[int] = []
        for number in stamps[::2]:
            if number < 0:
                opened.append(number)
            elif opened and -1 - opened[-1] == number:
                opened.pop()
        last = stamps[-1]
        for number in reversed(opened):
            stamps += (-1 - number, last)
        SPANS.add_run(self.activities, stamps)
        for number in opened:
            stamps += (number, last)

    def begun(self) -> list[int]:
        """The stamps of a run that begins now."""
        return [-1, now()]

    def ended(self, stamps: list[int]) -> None:
        """The run has ended, one way or the other: the recorder takes its stamps."""
        stamps += (0, now())
        SPANS.add_run(self.activities, stamps)


def activity_of(*steps: Step) -> Activity:
    """The subject of the spans of a step, or of several steps that run as one."""
    step = steps[0]
    details: list[tuple[str, Any]] = [("op", "+".join(s.op for s in steps))]
    if step.device or step.asked:
        details.append(("device", step.device or step.asked))
    if step.site is not None:
        details.append(("defined", str(step.site)))
    if len(steps) > 1:
        details.append(("fused", ", ".join(s.name for s in steps)))
    return Activity(step.name if len(steps) == 1 else f"{step.name}+{len(steps) - 1}", "step", tuple(details))
