"""Hot plans as generated source: what `serial.execute` does, without its loop.

    V          the cells          h0, h1...  inputs of the current step          r   its result
    v3         cell 3, where only the function itself sees it: no other thread can take the run over
    U          the user's floating-point setting; kernels run silent, user code under U
    S          the armed run of a concurrent plan (`run.takeover`): the cursor is set and `taken` is read per step
    g3         gives a private copy of cell 3, which is there from the start and read by several host calls

A function's call is written out where the call knows how (`source`), so a checked call of a NumPy-mode function costs
little more than the call. Names in the source are numbered by step, so plans of equal structure share one code object.
A failing line tells its step through the traceback: errors cost nothing until they happen.

Memory: a value whose last reader is a step is taken out of its cell. If the reference count then proves that nobody
else holds it, a function may be handed the array itself, and an elementwise kernel writes its result into it.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter, OrderedDict
from types import CodeType
from typing import Any

import numpy as np

from inlay import errors
from inlay.interpreter import floating, ownership
from inlay.plan.plan import Plan, Step
from inlay.run import serial
from inlay.types import shapes
from inlay.types.dtypes import DType

IN_PLACE_SIZE = 1 << 13
"""Elements from which writing into an input saves more than looking for the chance costs."""
CACHED_CODES = 512
_CODES: OrderedDict[str, CodeType] = OrderedDict()
_FILE = f"{__file__} (plan)"  # within the package, so that user tracebacks leave it out


class Generated:
    """A plan as one function.

    Attributes:
      function: runs every step on (cells, armed run or None); returns the index of the step not yet run.
      private: cells fetched once whose value is the run's own and which no step reads: nobody else can hold them.
    """

    __slots__ = ("function", "private", "starts", "steps")

    def __init__(self, plan: Plan) -> None:
        writer = _Writer(plan)
        source = writer.source()
        code = _CODES.get(source)
        if code is None:
            code = _CODES[source] = compile(source, _FILE, "exec")
            if len(_CODES) > CACHED_CODES:
                _CODES.popitem(last=False)
        writer.names["located"] = self._located
        exec(code, writer.names)
        self.function = writer.names["run"]
        self.starts, self.steps = writer.starts, plan.steps
        once = (s for s, n in Counter(plan.fetches).items() if n == 1)
        self.private = frozenset(s for s in once if s in writer.cells.owned and not writer.readers.get(s))

    def _located(self, error: BaseException, cells: list[Any]) -> BaseException:
        """The failing step's error, worded as the reference interpreter words it."""
        trace: Any = error.__traceback__
        step = self.steps[bisect.bisect_right(self.starts, trace.tb_lineno) - 1]
        held = trace.tb_frame.f_locals
        inputs = [
            _HandedOver(dtype) if value is None else value
            for i, j, dtype in zip(step.ins, itertools.count(), step.in_dtypes, strict=False)
            for value in (next((v for v in (cells[i], held.get(f"v{i}"), held.get(f"h{j}")) if v is not None), None),)
        ]
        failed = getattr(step.call, "failed", None)
        if failed is not None:
            return failed(error, inputs)  # type: ignore[no-any-return]
        found = serial.located(error, step, inputs)
        if found is not error:
            found.__cause__ = error.__cause__ if step.host else error
        return found


class _HandedOver:
    """Stands in an error's text for an input that was the function's own, and is gone."""

    shape = shapes.TensorShape(None)

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype


class Cells:
    """What is known of a plan's cells while its source is written.

    Attributes:
      local: cells that are local variables of the function: those that only its steps see. A run that another thread
        may take over has none.
      last: cells that no step reads after the one that is written, and which it reads once.
      owned: cells whose value was proved to be the run's own when it was made.
      givers: cells of whose value `g<cell>()` gives a copy.
    """

    __slots__ = ("givers", "last", "local", "owned")

    def __init__(self) -> None:
        self.local: set[int] = set()
        self.last: set[int] = set()
        self.owned: set[int] = set()
        self.givers: set[int] = set()

    def __getitem__(self, cell: int) -> str:
        """A cell as source."""
        return f"v{cell}" if cell in self.local else f"V[{cell}]"


class _Writer:
    """Writes one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.silent = any(not s.host for s in plan.steps)
        self.names: dict[str, Any] = {
            **ownership.NAMES, "np": np, "fp": floating.assign, "SILENT": floating.SILENT,
            "current": floating.current, "PASS_THROUGH": errors.PASS_THROUGH, "giver": ownership.giver,
        }  # fmt: skip
        self.lines = ["def run(V, S=None, A=A, ref=ref):", *([" U = current()"] if self.silent else []), " try:"]
        self.starts: list[int] = []
        self.kept = set(plan.fetches) | {s for s, _ in plan.consts} | {s for s, _ in plan.resources}
        self.readers: dict[int, int] = {}
        for step in plan.steps:
            for slot in step.ins:
                self.readers[slot] = self.readers.get(slot, 0) + 1
        self.cells = Cells()

    def source(self) -> str:
        """The source; `names` is its namespace and `starts` the first line of each step."""
        steps = self.plan.steps
        self._begin()
        user = True
        for k, step in enumerate(steps):
            self.starts.append(len(self.lines) + 1)
            if self.plan.concurrent:
                self._write(f"S.cursor = {k}", f"if S.taken: return {k}")
            if self.silent and step.host != user:
                user = step.host
                self._write("fp(U)" if user else "fp(SILENT)")
            elif self.silent and k == 0 and not user:
                self._write("fp(SILENT)")
            self._step(k, step)
        if self.plan.concurrent:
            self._write(f"S.cursor = {len(steps)}")
        self._write(f"return {len(steps)}")
        self.lines += [
            " except PASS_THROUGH: raise",
            " except BaseException as error:",
            "  raised = located(error, V)",
            "  if raised is error: raise",
            "  raise raised from raised.__cause__",
        ]
        if self.silent:
            self.lines.append(" finally: fp(U)")
        return "\n".join(self.lines)

    def _write(self, *lines: str) -> None:
        self.lines += [f"  {line}" for line in lines]

    def _begin(self) -> None:
        """Says which cells are local, and makes once what gives copies of cells that several steps read."""
        fed = [f.slot for f in self.plan.feeds]
        known = fed + [s for s, _ in self.plan.consts]
        self.cells.givers = {s for s in known if self.readers.get(s, 0) > 1}
        read = {i for step in self.plan.steps if self._writes_itself(step) for i in step.ins}
        for slot in sorted(self.cells.givers & read):
            self._write(f"g{slot} = giver(V[{slot}])")
        if not self.plan.concurrent:
            made = {o for step in self.plan.steps for o in step.outs if o != -1}
            taken = [s for s in fed if s not in self.kept and self.readers.get(s) == 1]
            self.cells.local = {*made, *taken} - set(self.plan.fetches)
            for slot in taken:
                self._write(f"v{slot} = V[{slot}]; V[{slot}] = None")

    def _writes_itself(self, step: Step) -> bool:
        return hasattr(step.call, "source") and not step.checks

    def _step(self, k: int, step: Step) -> None:
        if self._writes_itself(step):
            last = self.cells.last = {i for i in step.ins if i in step.frees and self.readers[i] == 1}
            lines, names = step.call.source(k, step.ins, step.outs, self.cells)  # type: ignore[attr-defined]
            self._write(*lines)
            self.names.update(names)
            if step.outs[0] != -1 and step.call.owns_result:  # type: ignore[attr-defined]
                self.cells.owned.add(step.outs[0])
            self._free(step, last)
            return
        if step.opdef.bind is not None or step.checks:
            self._call(k, step)
            return
        self._kernel(k, step)

    def _free(self, step: Step, done: set[int] | frozenset[int] = frozenset()) -> None:
        rest = [i for i in step.frees if i not in done]
        if rest:
            self._write(" = ".join(self.cells[i] for i in rest) + " = None")

    def _call(self, k: int, step: Step) -> None:
        """A step through its own call: it checks and words its errors itself."""
        if step.checks:
            self.names[f"c{k}"] = _Checked(step)
        else:
            self.names[f"c{k}"] = step.call
        many = step.many or bool(step.checks)
        self._store(step, many, f"c{k}({', '.join(self.cells[i] for i in step.ins)})")
        self._free(step)

    def _store(self, step: Step, many: bool, made: str) -> None:
        """Puts what an expression makes into the step's cells."""
        if many:
            self._write(f"r = {made}")
            for j, o in enumerate(step.outs):
                if o != -1:
                    self._write(f"{self.cells[o]} = r[{j}]")
            self._write("r = None")
        else:
            self._write(f"{self.cells[step.outs[0]]} = {made}" if step.outs[0] != -1 else made)

    def _kernel(self, k: int, step: Step) -> None:
        opdef = step.opdef
        self.names[f"k{k}"] = opdef.kernel
        at = opdef.variadic
        cells = [self.cells[i] for i in step.ins]
        if at is not None:
            count = step.attrs["N"]
            cells[at : at + count] = [f"[{', '.join(cells[at : at + count])}]"]
        keywords = []
        for name in opdef.attrs:
            if name in step.attrs:
                self.names[f"a{k}_{name}"] = step.attrs[name]
                keywords.append(f"{name}=a{k}_{name}")
        reuse = self._reusable(step) if opdef.ufunc is not None and not keywords else None
        if reuse is None:
            self._store(step, step.many, f"k{k}({', '.join(['np', *cells, *keywords])})")
            self._free(step)
            return
        self._in_place(k, step, reuse)

    def _reusable(self, step: Step) -> int | None:
        """The input whose memory may take the result: of the result's dtype, read by nobody else."""
        for j, i in enumerate(step.ins):
            if (
                i in step.frees
                and self.readers[i] == 1
                and i not in self.kept
                and step.in_dtypes[j] is step.dtypes[0]
                and step.outs[0] != -1
            ):
                return j
        return None

    def _in_place(self, k: int, step: Step, reuse: int) -> None:
        self.names[f"u{k}"] = step.opdef.ufunc
        self.names["BIG"] = IN_PLACE_SIZE
        mine, out = step.ins[reuse], self.cells[step.outs[0]]
        held = [self.cells[i] if i in self.cells.local else f"h{j}" for j, i in enumerate(step.ins)]
        loaded = [j for j, i in enumerate(step.ins) if i not in self.cells.local]
        self._write(*(f"h{j} = V[{step.ins[j]}]" for j in loaded))
        if mine not in self.cells.local:
            self._write(f"V[{mine}] = None")
        h = held[reuse]
        fits = "".join(f" and (not {x}.ndim or {x}.shape == {h}.shape)" for j, x in enumerate(held) if j != reuse)
        self._write(f"if {h}.size > BIG and {ownership.writable(h)}{fits}: {out} = u{k}({', '.join(held)}, out={h})")
        self._write(f"else: {out} = k{k}(np, {', '.join(held)})")
        done = [f"h{j}" for j in loaded] + ([h] if mine in self.cells.local else [])
        self._write(" = ".join(done) + " = None")
        self._free(step, {mine})


class _Checked:
    """A step whose results are checked against promises; it raises what the reference interpreter raises."""

    __slots__ = ("step",)

    def __init__(self, step: Step) -> None:
        self.step = step

    def __call__(self, *values: Any) -> Any:
        return serial.results(self.step, list(values))
