"""The lowerings that a step, a run or a user's setting chooses; those to source are declared where they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter import xla
from inlay._src.core import device
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.segment import segmented
from inlay._src.engine.run import device_layout
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.fusion.elementwise import fused_steps
from inlay._src.engine.run.fusion.optimizer_step import fused_updates
from inlay._src.engine.run.lowering.functions import as_function
from inlay._src.engine.run.lowering.inlining import InlinedCall
from inlay._src.engine.run.lowering.joined import Joined, StepFailed, joinable
from inlay._src.engine.run.lowering.whole import whole_plan
from inlay._src.engine.run.registry import Lowered, Lowering, declare
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.scheduling.history import History
from inlay._src.engine.run.scheduling.resumable import ResumableRun
from inlay._src.engine.run.xla_segments import asked

Runs = Callable[[Executable, list[Any]], Any]


def as_source(executable: Executable, tables: Any = None) -> Lowered:
    """The plan as one function, for lowerings of steps within it."""
    return whole_plan(executable.plan, executable.calls)


def _lowered(runs: Runs) -> Callable[[Executable, Any], Lowered]:
    """`Lowering.make` of a way that needs no preparation."""
    return lambda executable, _: Lowered(lambda cells, armed=None: runs(executable, cells))


def _on_values(function: Callable[[list[Any]], list[Any]], executable: Executable) -> Lowered:
    """A function from the values of feeds to those of fetches."""

    def run(cells: list[Any], armed: Any = None) -> None:
        for cell, value in zip(executable.fetches, function([cells[c] for c in executable.feeds]), strict=True):
            cells[cell] = value

    return Lowered(run)


def _function_of_values(executable: Executable, tables: Any) -> Lowered:
    make = executable.of_values(len(executable.feeds))
    assert make is not None
    return _on_values(make(()), executable)


def _are_kernels(executable: Executable) -> bool:
    plan = executable.plan
    return not plan.resources and all(
        s.opdef.scheduling.bind is None and s.opdef.effect is Effect.PURE and not s.checks for s in plan.steps
    )


def _function_of_parameters(executable: Executable, tables: Any) -> Lowered:
    places = [f"values[{k}]" for k in range(len(executable.feeds))]
    function = as_function(executable.plan, "values", places, lambda names: f"[{', '.join(names)}]", {})
    return _on_values(function, executable)


def _joined(executable: Executable, tables: Any) -> Lowered:
    function = Joined([executable], [0]).of_values(len(executable.feeds))(())

    def run(values: list[Any]) -> list[Any]:
        try:
            return function(values)
        except StepFailed as failed:
            raise failed.error from failed.error.__cause__

    return _on_values(run, executable)


def _work_stealing(executable: Executable, cells: list[Any]) -> None:
    body = as_source(executable).function
    work_stealing.execute(executable.steps, executable.calls, cells, body=body, history=History())


def _shared(executable: Executable, cells: list[Any]) -> None:
    history = History()
    history.taken_over()
    work_stealing.execute(executable.steps, executable.calls, cells, history=history)


def _resumable(executable: Executable, cells: list[Any]) -> None:
    execution = ResumableRun(executable, [cells[cell] for cell in executable.feeds])
    while (future := execution.advance()) is not None:
        future.exception()  # waits
    for cell, value in zip(executable.fetches, execution.results(), strict=True):
        cells[cell] = value


def _recorded(executable: Executable, cells: list[Any]) -> None:
    tensors = executable.tensors.copy()
    for cell in {c for step in executable.steps for c in step.ins if cells[c] is not None and tensors[c] is None}:
        tensors[cell] = _tensor(executable, cell, cells[cell])
    executable.record(tensors)
    for cell in executable.fetches:
        cells[cell] = cells[cell] if tensors[cell] is None else tensors[cell]._value


def _tensor(executable: Executable, cell: int, value: Any) -> EagerTensor:
    dtypes = (d for s in executable.steps for c, d in zip(s.ins, s.in_dtypes, strict=True) if c == cell)
    return EagerTensor(value, next(dtypes))


def _in_another_plan(executable: Executable, inner: Executable) -> Lowered:
    """A plan with the feeds and fetches of this one."""

    def run(cells: list[Any], armed: Any = None) -> None:
        own = inner.template.copy()
        for cell, ours in zip(executable.feeds, inner.feeds, strict=True):
            own[ours] = cells[cell]
        for (cell, _), (ours, _) in zip(executable.resources, inner.resources, strict=True):
            own[ours] = cells[cell]
        inner.execute(own)
        for cell, ours in zip(executable.fetches, inner.fetches, strict=True):
            cells[cell] = own[ours]

    return Lowered(run)


def _compiled(executable: Executable, tables: Any) -> Lowered:
    return _in_another_plan(executable, Executable(segmented(executable.plan), tables))


def _on_devices(executable: Executable, tables: Any) -> Lowered:
    plan = device_layout.laid_out(executable.plan, asked(None), border=device.CPU)
    return _in_another_plan(executable, Executable(plan, tables))


def _inlines(executable: Executable) -> bool:
    return any(isinstance(call, InlinedCall) and call.writes_source for call in executable.calls)


for entry in (
    Lowering(
        "function of values",
        "values",
        "A program that is called often, such as a loop's body, takes and returns a list of values.",
        lambda executable: executable.is_written,
        _function_of_values,
    ),
    Lowering(
        "function of parameters",
        "values",
        "A plan of kernels, such as a compiled vector-Jacobian product, reads its inputs where its caller has them.",
        _are_kernels,
        _function_of_parameters,
    ),
    Lowering(
        "joined plans",
        "values",
        "The functions of consecutive dataset transformations are one plan: each takes the results of the one before.",
        lambda executable: joinable([executable]),
        _joined,
    ),
    Lowering(
        "inlined programs",
        "part",
        "Branches, functions and the iterations of loops are written into the source of the plan that runs them.",
        _inlines,
        as_source,
    ),
    Lowering(
        "operator fusion",
        "part",
        "Consecutive elementwise steps run block by block on large arrays, each block within the cache of a core.",
        lambda executable: bool(fused_steps(executable.plan)),
        as_source,
    ),
    Lowering(
        "fused optimizer step",
        "part",
        "Elementwise steps that compute and assign are one update in place; small variables by one rule share one.",
        lambda executable: bool(fused_updates(executable.plan)),
        as_source,
    ),
    Lowering(
        "work stealing",
        "schedule",
        "The caller runs the plan; if a step blocks, helper threads take over the steps that are independent of it.",
        lambda executable: executable.plan.concurrent,
        _lowered(_work_stealing),
    ),
    Lowering(
        "shared run",
        "schedule",
        "A plan whose steps blocked before, or run on executors, is shared by several threads from its first step.",
        lambda executable: executable.plan.concurrent,
        _lowered(_shared),
    ),
    Lowering(
        "resumable run",
        "schedule",
        "A plan of a parallel dataset stage gives its thread back while an executor runs one of its steps.",
        lambda executable: not executable.resources and any(call.starts for call in executable.calls),
        _lowered(_resumable),
    ),
    Lowering(
        "recorded run",
        "schedule",
        "Under a tape the steps run on eager tensors, so that the tape records each of them.",
        lambda executable: True,
        _lowered(_recorded),
    ),
    Lowering(
        "XLA segments",
        "device",
        "Consecutive pure steps are compiled by XLA, on request, with `jit_compile` or `set_jit`.",
        lambda executable: xla.is_installed() and segmented(executable.plan) is not executable.plan,
        _compiled,
        exact=False,
    ),
    Lowering(
        "accelerators",
        "device",
        "Steps are placed on devices, values move between them, and the steps of an accelerator are compiled by XLA.",
        lambda executable: bool(device.accelerators()),
        _on_devices,
        exact=False,
    ),
):
    declare(entry)
