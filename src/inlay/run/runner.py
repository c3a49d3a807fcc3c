"""Which runner a plan gets, decided in one place.

Measured (`benchmarks/`): the reference interpreter costs 0.3 us per step and nothing to make; generated source costs
20 to 45 us per step to compile once (nothing if a plan of equal structure was compiled before) and saves most of the
0.3 us and all of a call's wrapping, about 1 us per host call. So a plan is compiled when its runs so far have cost
about what compiling costs: after a few runs for small plans, after hundreds for large ones. Plans beyond MAX_STEPS
stay with the interpreter: Python's compiler is not linear in the size of a function.
"""

from __future__ import annotations

from typing import Any

from inlay.plan.plan import Plan
from inlay.run import serial, takeover
from inlay.run.generated import Generated

MAX_STEPS = 20_000


def hot_after(steps: int) -> int:
    """How many runs of a plan of so many steps make it hot."""
    return 2 if steps <= 200 else 20 + steps // 50


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
