"""A plan as one generated function of its cells."""

from __future__ import annotations

from collections.abc import Sequence

from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.layout import CellLayout, private_cells
from inlay._src.engine.plan.plan import Plan
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.lowering.origins import located_in
from inlay._src.engine.run.lowering.stamps import Stamps
from inlay._src.engine.run.lowering.writer import FILE, Entry, StepWriter, new_source, setting_of
from inlay._src.engine.run.registry import Lowered, Lowering, declare


def whole_plan(plan: Plan, calls: Sequence[StepCall], stamps: Stamps | None = None) -> Lowered:
    """The plan as one function.

    Args:
      plan, calls: the plan, and the calls of its steps.
      stamps: of one whose runs are recorded: it takes the list of the stamps of a run in place of an armed run.
    """
    source = new_source(plan.slots, lambda error, cells: located_in(source, error, dict(enumerate(cells))))
    layout = CellLayout(plan)
    layout.stamps = stamps
    writer = StepWriter(source, plan, calls, layout)
    with Entry("run(V, S=None, A=A, ref=ref)", "V", setting_of(plan, calls)).body(source):
        source.write(*(["T = S.append"] if stamps else []))
        writer.begin()
        writer.write_steps()
        source.write(f"return {len(plan.steps)}")
    return Lowered(source.function("run", FILE), private_cells(plan.fetches, layout.owned, layout.readers))


WHOLE_PLAN = declare(
    Lowering(
        "whole plan",
        "source",
        "A plan of at most 200 steps is one Python function of its cells, compiled once per structure.",
        lambda executable: len(executable.steps) <= TUNING.written_steps,
        lambda executable, _: whole_plan(executable.plan, executable.calls),
    )
)
