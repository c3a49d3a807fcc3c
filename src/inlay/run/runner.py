"""Which runner a plan gets, decided in one place.

Measured on chains of py_funcs and adds: the reference interpreter takes 2.4 us per step and nothing to make. Generated
source takes 0.6 us per step, and 85 us per step to make once (nothing if a plan of equal structure was made before).
In a plan of 10,000 it is 200 us, as Python's compiler is not linear in the size of a function. So a plan is compiled
when its runs so far could have paid for it: 46 runs of 1,000 steps, 114 of 10,000. Small plans are compiled at once:
there the wait is not noticed and the gain is. Plans beyond MAX_STEPS stay with the interpreter.
"""

from __future__ import annotations

from typing import Any

from inlay.plan.plan import Plan
from inlay.run import serial, takeover
from inlay.run.generated import Generated

MAX_STEPS = 20_000


def hot_after(steps: int) -> int:
    """How many runs of a plan of so many steps make it hot."""
    return 2 if steps <= 200 else 40 + steps // 128


class Runner:
    """Runs one plan, faster once it is hot.

    Attributes:
      plan: the schedule.
      runs: how often it ran, until it is hot.
      body: the generated function, or None.
      alone: the body, if no other thread can take a run of it over: then it may be called as it is.
      private: fetched cells whose values nobody else can hold; known once there is a body.
    """

    __slots__ = ("alone", "body", "concurrent", "hot", "learned", "plan", "private", "runs")

    def __init__(self, plan: Plan) -> None:
        self.plan, self.concurrent = plan, plan.concurrent
        self.runs = 0
        self.hot = hot_after(len(plan.steps)) if len(plan.steps) <= MAX_STEPS else -1
        self.body: Any = None
        self.alone: Any = None
        self.private: frozenset[int] = frozenset()
        self.learned = takeover.Learned()

    def execute(self, cells: list[Any], stop: takeover.Stop | None = None) -> None:
        """Runs every step. Same meaning as `serial.execute`.

        Args:
          cells: one place per slot; feeds, resources and constants are filled in.
          stop: what may end the run early, from another thread.
        """
        body = self.body
        if body is None:
            self.runs += 1
            if self.runs > self.hot >= 0:
                made = Generated(self.plan)
                body, self.private = made.function, made.private
                self.body, self.alone = body, None if self.concurrent else body
        if self.concurrent or stop is not None:
            if self.concurrent:
                takeover.execute(self.plan, cells, stop, body, self.learned)
            else:
                takeover.execute(self.plan, cells, stop)
        elif body is not None:
            body(cells)
        else:
            serial.execute(self.plan, cells)
