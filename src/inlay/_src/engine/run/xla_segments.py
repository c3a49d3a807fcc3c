"""Segments compiled with XLA: the only module under `run` that uses JAX, and only when a compiled plan first runs.

A segment is one `jax.jit`ted function of its kernels, called with `jax.numpy`; JAX keeps one executable per shapes.
64-bit types are kept around every trace and call, in whichever thread. The NumPy kernels compute the values that are
known while tracing (constants, shapes of arguments and all that follows from them), so that
`reshape(x, [shape(x)[0], -1])` compiles.

    traced    every step of a part by its kernel under `jax.numpy`
    refused   a step raised while it was traced. The NumPy kernels run up to it: if one raises, that is the error, as
              an uncompiled plan words it; otherwise the step cannot be compiled, and from then on its NumPy kernel
              runs between the compiled parts before and after it. `print(plan)` says why.

On the CPU, XLA wins by making one loop of many steps. Where there are few, where NumPy computes them faster (sines,
exponentials, sorting, products of matrices), or where the arrays are small for its call, a run over large arrays takes
the steps as an uncompiled plan does; the segment and the sizes decide. A run over smaller ones is compiled, as was
asked.

A segment of an accelerator takes arrays that lie there and leaves its results there; refused steps run on the host. A
run under a tape uses the steps themselves, so gradients of any order are those of the uncompiled plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.costs import PASSES, computes_long, is_compiled_well, nanoseconds
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import float64
from inlay._src.core import device
from inlay._src.core.devices.device_tensor import array_on, on_host
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Feed, Plan, Step, static_places
from inlay._src.engine.plan.segment import SEGMENT, PlanSegment, follows_from_shapes, segmented
from inlay._src.engine.plan.step_call import PLAN_CALLS, StepCall, bind
from inlay._src.engine.run import recorded, reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.fusion import traced_kernels
from inlay._src.engine.run.lowering.functions import of_values
from inlay._src.engine.run.lowering.inlining import write_unless


class _JitSettings:
    everywhere = False


_settings = _JitSettings()


@export("config.optimizer.set_jit")
def set_jit(enabled: bool | str) -> None:
    """Compiles the pure parts of functions with XLA, also of those that do not ask for it.

    Functions whose plan exists already keep it; `function(jit_compile=False)` is never compiled. A session takes
    the setting from its `ConfigProto`. Without JAX (`pip install "inlay[jax]"`) nothing is compiled.

    Args:
      enabled: True or "autoclustering", False or "".

    Raises:
      ValueError: for other values.
    """
    if enabled not in (True, False, "", "autoclustering"):
        raise ValueError(f'set_jit: enabled must be True, False, "autoclustering" or "", got {enabled!r}')
    _settings.everywhere = bool(enabled)


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """`"autoclustering"` if functions are compiled without asking for it, else `""`."""
    return "autoclustering" if _settings.everywhere else ""


def asked(jit_compile: bool | None) -> Callable[[Plan], Plan]:
    """The compiler pass of a function's plan, if `set_jit` or the function asks for it (None: it says nothing)."""

    def compiled(plan: Plan) -> Plan:
        if jit_compile:
            return segmented(plan)
        return everywhere(plan) if jit_compile is None and _settings.everywhere else plan

    return compiled


def everywhere(plan: Plan) -> Plan:
    """A plan, and the programs that its steps run, compiled without their asking: for `set_jit` and sessions.

    That is a wish, not a demand: without JAX nothing is compiled.
    """
    if not xla.is_installed():
        return plan
    steps = tuple(replace(s, jit=True) if s.opdef.scheduling.calls_users else s for s in plan.steps)
    programs = {key: program.jitted() for key, program in plan.programs.items()}
    return segmented(replace(plan, steps=steps, programs=programs), TUNING.segment_least_steps)


def for_accelerators(plan: Plan) -> Plan:
    """The plan with only those parts compiled that run on an accelerator."""
    return segmented(plan, None)


class CompiledSegment(StepCall):
    """The call of a segment's step.

    The one thing that a run may decide: whether a step can be compiled is known only when it is traced, and that
    depends on the shapes of a run. The decision is written into the plan's segment, so it is made once, is printed
    with the plan, and is pickled with it.

    Attributes:
      segment: its steps.
    """

    __slots__ = ("_calls", "_lock", "_parts", "_uncompiled", "segment")
    locates = True  # its errors name the op that failed

    def __init__(self, step: Step, tables: Any = None) -> None:
        self.segment: PlanSegment = step.attrs["segment"]
        self._calls = tuple(bind(s, tables) for s in self.segment.steps)
        self._lock = new_lock()
        self._parts = self._partition({})
        self._uncompiled = _Uncompiled(self.segment, tables)

    @property
    def outside(self) -> dict[int, str]:
        """Position of a step -> why it is not compiled."""
        return self.segment.outside

    def __call__(self, *values: Any) -> list[Any]:
        results = self.compiled(*values)
        return self._uncompiled(values) if results is None else results

    @property
    def writes_source(self) -> bool:  # type: ignore[override]
        """Whether the uncompiled steps are written into the plan, next to the call of the compiled ones."""
        return self._uncompiled.here and len(self.segment.steps) <= TUNING.written_segment_steps

    def source(self, step: Step, cells: CellLayout, source: Source) -> None:
        """See `StepCall.source`."""
        uncompiled = self._uncompiled
        least = None if uncompiled.work else TUNING.segment_elements
        write_unless(self.compiled, uncompiled.executable, least, step, cells, source)

    def compiled(self, *values: Any) -> list[Any] | None:
        """The results of the compiled steps; None where the uncompiled ones are faster."""
        if self._uncompiled.is_faster(values):
            return None
        segment = self.segment
        cells = {**segment.constants, **dict(zip(segment.ins, values, strict=True))}
        position = 0
        while position < len(segment.steps):
            part = self._parts[position]  # boundaries are only ever added
            try:
                part.run(cells)
            except _Refused as refused:
                self._leave_out(part, refused, cells)
            else:
                position = part.stop
        return [cells[slot] for slot in segment.outs]

    def _leave_out(self, part: _CompiledPart, refused: _Refused, cells: dict[int, Any]) -> None:
        """Raises what the step raises on NumPy; if it does not, the step is never again compiled."""
        on_cpu: Any = {slot: on_host(value) for slot, value in cells.items()}
        end = refused.at + 1
        reference.execute(part.steps[:end], part.calls[:end], on_cpu)
        with self._lock:
            self.segment.outside[part.start + refused.at] = refused.reason
            self._parts = self._partition(self._parts)

    def _partition(self, earlier: Mapping[int, _CompiledPart]) -> dict[int, _CompiledPart]:
        """Compiled parts and steps outside, by the position of their first step; those that are known stay."""
        outside, count = self.segment.outside, len(self.segment.steps)
        bounds = sorted({0, count, *outside, *(k + 1 for k in outside)})
        parts: dict[int, _CompiledPart] = {}
        for start, stop in zip(bounds, bounds[1:], strict=False):
            before = earlier.get(start)
            if before is not None and before.stop == stop and before.plain == (start in outside):
                parts[start] = before
            else:
                parts[start] = _CompiledPart(self.segment, self._calls, start, stop)
        return parts

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """The steps one by one, recorded by tapes."""
        segment = self.segment
        kinds = {slot: d for s in segment.steps for slot, d in zip(s.ins, s.in_dtypes, strict=True)}
        cells: Any = {slot: EagerTensor(value, kinds[slot]) for slot, value in segment.constants.items()}
        cells.update(zip(segment.ins, tensors, strict=True))
        reference.execute(segment.steps, self._calls, cells, recorded.run_step)
        return [cells[slot] for slot in segment.outs]


PLAN_CALLS[SEGMENT.name] = CompiledSegment


class _Uncompiled:
    """A segment as the uncompiled plan would run it, for large arrays on the CPU.

    Attributes:
      here: whether its arrays are on this machine.
    """

    __slots__ = ("_executable", "_least", "_run", "_segment", "_tables", "_work", "here")

    def __init__(self, segment: PlanSegment, tables: Any) -> None:
        self._segment, self._tables = segment, tables
        self._least, self.here = TUNING.segment_elements, segment.device in ("", device.CPU)
        self._work: float | None = None
        self._run: Any = None
        self._executable: Executable | None = None

    def is_faster(self, values: Sequence[Any]) -> bool:
        """Whether it is, for these values of what the segment reads."""
        size = 0
        for value in values:
            if value.__class__ is np.ndarray and value.size > size:
                size = value.size
        if size < self._least or not self.here:
            return False
        work = self._work
        return size * (self.work if work is None else work) < TUNING.compiled_call_ns

    @property
    def work(self) -> float:
        """Nanoseconds that NumPy takes per element; 0 where it is faster on all large arrays."""
        if self._work is None:
            elsewhere = self._segment.device == "" and xla.gpus()
            self._work = math.inf if elsewhere else _work(self._segment)
        return self._work

    @property
    def executable(self) -> Executable:
        """The steps as a program of what the segment reads."""
        if self._executable is None:
            segment = self._segment
            slots = 1 + max(c for s in segment.steps for c in (*s.ins, *s.outs))
            feeds = tuple(Feed(cell, "", False) for cell in segment.ins)
            consts = tuple(segment.constants.items())
            plan = Plan(slots, feeds, (), consts, segment.steps, segment.outs, (), concurrent=False)
            self._executable = Executable(plan, self._tables)
        return self._executable

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        if self._run is None:
            executable = self.executable
            self._run = of_values(executable.plan, executable.calls, len(values))(())
        return self._run(values)  # type: ignore[no-any-return]


def _work(segment: PlanSegment) -> float:
    """Nanoseconds that NumPy takes per element; 0 where compiled code is no faster however large the arrays are."""
    static, work, count = set(segment.constants), 0.0, 0
    for step in segment.steps:
        opdef = step.opdef
        if follows_from_shapes(step, static):
            static.update(step.outs)
        elif not (_fuses(step) if opdef.lowering.fuses is None else opdef.lowering.fuses):
            return 0.0
        elif opdef.elementwise:
            work, count = work + nanoseconds(opdef.lowering.ufunc or opdef.kernel, step.in_dtypes[0].np), count + 1
        else:  # a sum, say, ends XLA's loop: what is summed is fetched once more
            work -= PASSES * step.in_dtypes[0].np.itemsize
    sizes = {slot: d.np.itemsize for s in segment.steps for slot, d in zip(s.outs, s.dtypes, strict=True)}
    work -= PASSES * sum(sizes[slot] for slot in segment.outs[1:])  # XLA asks for new memory for each
    return work if count >= TUNING.segment_least_steps and work >= TUNING.compiled_element_ns else 0.0


def _fuses(step: Step) -> bool:
    """Whether XLA's loop takes no longer than the kernel of an elementwise step, by the ufuncs that this calls."""
    opdef = step.opdef
    if opdef.lowering.to_shape or not opdef.elementwise:
        return opdef.lowering.to_shape
    if opdef.lowering.ufunc is not None:
        return is_compiled_well(opdef.lowering.ufunc)
    ufunc_calls = traced_kernels.calls(step, [1] * len(step.ins))
    if ufunc_calls is None:
        return not (computes_long(opdef.kernel) and step.in_dtypes[0] is float64)
    return all(is_compiled_well(ufunc) for ufunc, _, _ in ufunc_calls)


class _Refused(Exception):
    """The step at a position in its part raised while it was traced."""

    def __init__(self, at: int, error: Exception) -> None:
        super().__init__(at)
        self.at = at
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        self.reason = f"{type(error).__name__}: {first[:160]}"


class _CompiledPart:
    """Consecutive steps of a segment: compiled together, or one step that is not."""

    __slots__ = (
        "__weakref__", "_copies", "_function", "_place", "calls", "constants", "ins", "outs", "plain", "start", "steps",
        "stop",
    )  # fmt: skip

    def __init__(self, segment: PlanSegment, calls: Sequence[StepCall], start: int, stop: int) -> None:
        self.start, self.stop, self.plain = start, stop, start in segment.outside
        self.steps, self.calls, self.constants = segment.steps[start:stop], calls[start:stop], segment.constants
        written = dict.fromkeys(slot for s in self.steps for slot in s.outs if slot != -1)
        read = dict.fromkeys(slot for s in self.steps for slot in s.ins)
        later = {*segment.outs, *(slot for s in segment.steps[stop:] for slot in s.ins)}
        self.ins = tuple(slot for slot in read if slot not in written and slot not in segment.constants)
        self.outs = tuple(slot for slot in written if slot in later)
        self._function: Any = None
        self._copies = xla.AlignedCopies()
        self._place = segment.device

    def run(self, cells: Any) -> None:
        """Reads and writes cells.

        Raises:
          _Refused: if a step cannot be traced.
        """
        there = self._place not in ("", device.CPU)
        if self.plain:
            self._run_plain(cells, there)
            return
        if self._function is None:
            self._function = xla.compiled(self._traced)
        try:
            with self._context():
                if there:
                    cells.update(zip(self.outs, self._function(*[cells[slot] for slot in self.ins]), strict=True))
                else:
                    self._run_here(cells)
        except _Refused:
            raise
        except Exception as error:
            names = ", ".join(f"'{s.name}' ({s.op})" for s in self.steps[:8]) + (", ..." if self.stop > 8 else "")
            raise errors.mapped_class(error)(
                None,
                None,
                f"XLA failed to compile or run {len(self.steps)} ops: {names}: {error}\n  the first is defined at "
                f"{self.steps[0].site}\n  [[{{{{node {self.steps[0].name}}}}}]]",
            ) from error

    def _run_here(self, cells: Any) -> None:
        """Runs the compiled code on this machine's memory: arrays go in and come out as they are, if they can."""
        arrays, memory = self._copies.taken([cells[slot] for slot in self.ins])
        results = self._function(*arrays)
        for slot, result in zip(self.outs, results, strict=True):
            cells[slot] = xla.left(result, arrays)
        self._copies.given_back(memory)

    def _context(self) -> AbstractContextManager[Any]:
        """Where JAX works, with 64-bit types; its default device is a GPU where there is one."""
        if not self._place:
            return xla.wide_types()
        return xla.on(xla.cpu() if self._place == device.CPU else device.accelerators()[self._place])

    def _run_plain(self, cells: Any, there: bool) -> None:
        """Runs the one step by its NumPy kernel."""
        step = self.steps[0]
        if not there:
            reference.run_step(step, self.calls[0], cells)
            return
        held: Any = {slot: on_host(cells[slot]) for slot in step.ins}
        reference.run_step(step, self.calls[0], held)
        cells.update((slot, array_on(held[slot], self._place)) for slot in step.outs if slot != -1)

    def _traced(self, *arrays: Any) -> list[Any]:
        """The function that is compiled."""
        cells = {**self.constants, **dict(zip(self.ins, arrays, strict=True))}
        for at, step in enumerate(self.steps):
            try:
                results = trace_step(step, [cells[slot] for slot in step.ins])
            except Exception as error:
                raise _Refused(at, error) from error
            cells.update((o, r) for o, r in zip(step.outs, results, strict=False) if o != -1)
        return [cells[slot] for slot in self.outs]


def trace_step(step: Step, values: list[Any]) -> Sequence[Any]:
    """One step's results while JAX traces it; raises if they are not what the step declares."""
    opdef = step.opdef
    unknown = [xla.is_traced(v) for v in values]
    for j in static_places(step):
        if unknown[j]:
            raise ValueError(f"input {j} must be known to compile it, and depends on values")
    xp = xla.jnp() if any(unknown) else np
    result = opdef.apply(xp, values, step.attrs, step.unranked)
    results: Sequence[Any] = result if step.opdef.many else (result,)
    for r, dtype in zip(results, step.dtypes, strict=True):
        if r.dtype != dtype.np:
            raise TypeError(f"compiled it makes {r.dtype}, not {dtype.name}")
    for j, promise in step.checks:
        if not shapes.compatible(np.shape(results[j]), promise):
            raise ValueError(f"result {j} has shape {np.shape(results[j])}, promised was {shapes.bracketed(promise)}")
    return results
