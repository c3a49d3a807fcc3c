"""Plans as functions of values, without a list of cells: of the values of feeds, or of parameters of their own."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Plan, with_frees
from inlay._src.engine.plan.step_call import StepCall, bind
from inlay._src.engine.run.lowering.origins import located_in
from inlay._src.engine.run.lowering.writer import FILE, SILENCED, Entry, StepWriter, new_source, setting_of

Make = Callable[[Sequence[Any]], Callable[..., "list[Any]"]]
"""Makes a function of values out of the values of the other feeds."""


def of_values(
    plan: Plan,
    calls: Sequence[StepCall],
    count: int,
    failed: Callable[[int, BaseException], BaseException] | None = None,
) -> Make:
    """A plan as a function of a list of values.

    Args:
      plan: one whose runs no other thread shares, and without resources.
      calls: the calls of its steps.
      count: the number of feeds, the first ones, that are the values.
      failed: gives the exception to raise from the number and the error of a step; None raises the error.

    Returns:
      A function of the values of the other feeds, the same each time, that returns the function. That ignores its
      second argument.
    """

    def located(error: BaseException, constants: Mapping[int, Any]) -> BaseException:
        located_error = located_in(source, error, constants)
        if failed is None:
            return located_error
        top = source.origin(error.__traceback__.tb_lineno).top  # type: ignore[union-attr]
        return failed(next(k for k, s in enumerate(plan.steps) if s is top), located_error)

    feeds = [f.slot for f in plan.feeds]
    values, fixed = feeds[:count], feeds[count:]
    plan = replace(plan, steps=with_frees(plan.steps, plan.lasting | set(fixed)))
    source = new_source(plan.slots, located)
    named = {slot: source.name("c", value) for slot, value in plan.consts} | {slot: f"k{slot}" for slot in fixed}
    layout = CellLayout(plan, named)
    writer = StepWriter(source, plan, calls, layout)
    with source.block("def make(given):"):
        source.write(*([f"{''.join(f'k{slot}, ' for slot in fixed)} = given"] if fixed else []))
        source.write(f"known = {{{', '.join(f'{slot}: {name}' for slot, name in named.items())}}}")
        writer.write_givers(named.__contains__)
        unpacked = [f"{''.join(f'v{slot}, ' for slot in values)} = values"] if values else []
        entry = Entry("run(values, index=None, A=A, ref=ref)", "known", setting_of(plan, calls))
        with entry.body(source, *unpacked):
            writer.begin()
            writer.write_steps()
            source.write(f"return [{', '.join(layout[slot] for slot in plan.fetches)}]")
        source.write("return run")
    make: Make = source.function("make", FILE)
    return make


def as_function(
    plan: Plan,
    parameters: str,
    feeds: Sequence[str],
    result: Callable[[list[str]], str],
    names: Mapping[str, Any],
    scalars: Container[str] = (),
) -> Callable[..., Any]:
    """A plan of kernels as a function of parameters of its own: its caller builds no list of values.

    Args:
      plan: a plan whose steps are kernels, without resources.
      parameters: those of the function.
      feeds: per feed, the expression in `parameters` that gives its value.
      result: gives the expression to return from those of the fetches.
      names: further names of the expressions; `E` is `EagerTensor`.
      scalars: names of steps whose result is known to be a scalar: no memory is looked for to put it in.
    """
    source = new_source(plan.slots)
    source.names.update(names)
    layout = CellLayout(plan, {slot: source.name("c", value) for slot, value in plan.consts})
    layout.small |= frozenset(step.outs[0] for step in plan.steps if step.name in scalars)
    layout.user = False
    used = (
        (layout[feed.slot], place)
        for feed, place in zip(plan.feeds, feeds, strict=True)
        if layout.readers[feed.slot] or feed.slot in plan.fetches
    )
    with Entry(f"run({parameters})", setting=SILENCED).body(source, *(f"{cell} = {place}" for cell, place in used)):
        StepWriter(source, plan, [bind(step, None) for step in plan.steps], layout).write_steps()
        source.write(f"return {result([layout[slot] for slot in plan.fetches])}")
    return source.function("run", FILE)
