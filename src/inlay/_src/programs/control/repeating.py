"""The step of a loop: `While` as values run it, as tapes hear it, as it is written, and with its gradient.

on_values   turn by turn at first; a long or a frequent loop is written as a function
recorded    turn by turn for tapes that hear every op, or as one op with its gradient (`loop_gradient`)
write       the loop in the source of the plan that runs it
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import on_host, value_of
from inlay._src.core.eager.tape import Recording, distinct, record_execution
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Feed, Plan, Step
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.functions import of_values
from inlay._src.engine.run.lowering.inlining import write_loop
from inlay._src.engine.run.lowering.whole import whole_plan
from inlay._src.engine.run.registry import Lowered, Lowering, declare
from inlay._src.engine.run.scheduling.work_stealing import stop_in_force
from inlay._src.programs.control.loop_gradient import LoopGradient, LoopPullback, gradient_of, record_loop
from inlay._src.programs.program import Program, ProgramCall, program_op

CONDITION = "the condition of a loop"
LOOP = "a loop of this graph"
_bool = np.bool_


class WhileCall(ProgramCall):
    """The step of a `While` node. Inputs: the loop variables, then the captures of both programs."""

    __slots__ = ("_functions", "_gradients", "_interpreted", "_seen", "count", "gradient", "limit", "picks", "step")

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step, tables, ("cond", "body"))
        self.step = step
        self.picks: tuple[tuple[int, ...], ...] = step.attrs["picks"]
        self.count: int = step.attrs["num"]
        self.limit: int | None = step.attrs["limit"]
        self._seen = 0  # iterations so far
        self._interpreted = TUNING.interpreted_iterations
        self._functions: dict[LoopGradient | None, Callable[[Sequence[Any]], list[Any]]] = {}
        self._gradients: dict[tuple[frozenset[int], frozenset[int]], LoopGradient | None] = {}
        # How its pullback is made, if it leaves one and no records have to be kept for that.
        self.gradient: LoopGradient | None = (
            self._gradient_for(*step.pulls) if self.wants_pullback and step.pulls is not None else None
        )

    def _gradient_for(self, sources: frozenset[int], wanted: frozenset[int]) -> LoopGradient | None:
        """The compiled gradient from cotangents of results to those of inputs; None if iterations must be recorded."""
        key = sources, wanted
        if key not in self._gradients:
            places = [self.count + i for i in self.picks[1]]
            self._gradients[key] = gradient_of(self.programs[1], sources, wanted, places)
        return self._gradients[key]

    def jitted(self) -> WhileCall:
        """See `StepCall.jitted`: a compiled loop is recorded."""
        compiled = super().jitted()
        assert isinstance(compiled, WhileCall)
        compiled.gradient, compiled._functions, compiled._gradients = None, {}, {}
        return compiled

    def observed(self, observe: Callable[[Program], Program]) -> WhileCall:
        """See `ProgramCall.observed`; the loop of its gradient reports too."""
        call = super().observed(observe)
        assert isinstance(call, WhileCall)
        call._functions, call._gradients = {}, {}
        if self.gradient is not None:
            call.gradient = self.gradient.observed(observe)
        return call

    # ---- written

    @property
    def executables(self) -> Sequence[Executable]:
        """See `InlinedCall.executables`."""
        if self.gradient is None:
            return super().executables
        return [self.programs[0].executable, self.gradient.forward.executable]

    def write(self, step: Step, cells: CellLayout, source: Source) -> None:
        left = None if self.gradient is None else functools.partial(LoopPullback, self.gradient)
        write_loop(self.executables, self.picks, self.limit, self._holds, left, step, cells, source)

    def _function(self, gradient: LoopGradient | None) -> Callable[[Sequence[Any]], list[Any]]:
        """The loop as a function of the values of its inputs, which gives the pullback too if a gradient is given."""
        function = self._functions.get(gradient)
        if function is None:
            call = copy.copy(self)
            call.wants_pullback, call.gradient = gradient is not None, gradient
            function = self._functions[gradient] = call._as_function()
        return function

    def _as_function(self) -> Callable[[Sequence[Any]], list[Any]]:
        if not self.writes_source:
            gradient = self.gradient
            if gradient is not None:
                return lambda values: self._with_pullback(gradient, values)
            cond, body = self.programs
            return lambda values: self._repeated(values, cond.run, body.run, self.limit)[0]
        count = len(self.dtypes)
        ins, outs = tuple(range(count)), tuple(range(count, count + self.count + self.wants_pullback))
        step = replace(self.step, ins=ins, outs=outs, checks=(), waits=())
        feeds = tuple(Feed(cell, "", False) for cell in ins)
        plan = Plan(count + len(outs), feeds, (), (), (step,), outs, (), concurrent=False)
        return of_values(plan, (self,), count)(())

    # ---- run

    def __call__(self, *values: Any) -> list[Any]:
        return super().__call__(*values) if self.gradient is None else self._results_and_pullback(self.gradient, values)

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        cond, body = self.programs
        if self._seen < self._interpreted:
            state, ended = self._repeated(
                values, cond.run, body.run, self._interpreted if self.limit is None else self.limit
            )
            if ended:
                return state
            values = [*state, *values[self.count :]]
        return self._function(None)(values)

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        cond, body = self.programs
        test = lambda state: cond.run([value_of(t) for t in state])  # noqa: E731
        return self._repeated(tensors, test, lambda state: body.run_recorded(state, LOOP), self.limit)[0]

    def _results_and_pullback(self, gradient: LoopGradient, values: Sequence[Any]) -> list[Any]:
        """The loop variables after the loop, and its pullback."""
        return (
            self._with_pullback(gradient, values)
            if self._seen < self._interpreted
            else self._function(gradient)(values)
        )

    def _with_pullback(self, gradient: LoopGradient, values: Sequence[Any]) -> list[Any]:
        records: list[Any] = []

        def turn(state: list[Any]) -> list[Any]:
            results = gradient.forward.run(state)
            records.append(results[self.count :])
            return results[: self.count]

        state, _ = self._repeated(values, self.programs[0].run, turn, self.limit)
        return [*state, LoopPullback(gradient, values, records, state)]

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under tapes. A tape that is alone hears a loop without effects as one op."""
        state = context.current()
        gradient = None
        if len(state.tapes) == 1 and not self.wants_pullback and self._is_pure():
            tape = state.tapes[0]
            followed = frozenset(i for i, t in enumerate(tensors) if t.dtype._kind in "fcrv" and tape.follows((t,)))
            gradient = self._gradient_for(frozenset(range(self.count)), followed) if followed else None
        if gradient is None:
            return super().recorded(tensors)
        inputs = tuple(distinct(tensors))
        *values, pullback = self._results_and_pullback(gradient, [value_of(t) for t in inputs])
        outputs = tuple(map(EagerTensor, values, self.step.dtypes))

        def again() -> Recording:
            return record_execution(self.label, self.on_tensors, inputs, context.current().with_tapes)[1]

        record_loop(WHILE, pullback, again, inputs, outputs)
        return list(outputs)

    def _is_pure(self) -> bool:
        return all(isinstance(p, Program) and p.effect is Effect.PURE for p in self.programs)

    def _repeated(
        self,
        inputs: Sequence[Any],
        test: Callable[[list[Any]], Any],
        turn: Callable[[list[Any]], Any],
        most: int | None,
    ) -> tuple[list[Any], bool]:
        """The loop variables after the last iteration, of so many at most, and whether the loop has ended."""
        state = list(inputs[: self.count])
        for_test, for_turn = ([inputs[self.count + i] for i in pick] for pick in self.picks)
        turns, stop = 0, stop_in_force()
        while most is None or turns < most:
            if stop is not None:
                stop.check()
            held = test([*state, *for_test])[0]
            if held.__class__ is not _bool:
                held = self._holds(held)
            if not held:
                break
            state = turn([*state, *for_turn])
            turns += 1
        self._seen += turns
        return state, turns != most or most == self.limit

    def _holds(self, value: Any) -> Any:
        """Whether another turn follows, from what the condition made: an array, on the host or on a device."""
        return self.predicate(on_host(value), CONDITION)


WHILE = program_op("While", WhileCall, "Repeats a program while another one gives true.", stateless="StatelessWhile")


def _without_gradients(executable: Executable, tables: Any) -> Lowered:
    """The plan with loops whose iterations are recorded for their pullbacks."""
    calls = [call.jitted() if isinstance(call, WhileCall) else call for call in executable.calls]
    return Lowered(lambda cells, armed=None: reference.execute(executable.steps, calls, cells))


declare(
    Lowering(
        "loop gradient",
        "part",
        "The pullback of a loop is a loop backwards over the values that its iterations left, not over records.",
        lambda executable: any(isinstance(call, WhileCall) and call.gradient is not None for call in executable.calls),
        lambda executable, _: whole_plan(executable.plan, executable.calls),
        exact=False,
        defined_by=_without_gradients,
    )
)
