"""How a NumPy-mode call writes itself into a generated plan (`run.generated`).

The common call, positional arguments and one numeric result, is written out:

    h0 = V[3]; V[3] = None                                          # its last reader: nobody needs the cell
    r = f7((h0 if ref(h0) == 2 and GOOD else h0.copy()) if h0.ndim else h0[()])
    if not (r.__class__ is A and r.dtype is d7 and ref(r) == 2 and GOOD): r = e7(r)
    V[4] = r

ref(...) == 2 and GOOD stands for the test that `interpreter.ownership` writes.

The argument is the function's own: a copy, or the array itself where this is its last use and nobody else holds it.
The result is taken as it is if it is an array of the declared dtype that nobody else can reach; everything else, right
or wrong, goes through `finish`, the same code as `call.run_numpy`.
"""

from __future__ import annotations

from typing import Any

from inlay.host import call, convert
from inlay.host.records import HostFunction
from inlay.interpreter import ownership
from inlay.interpreter.source import Source
from inlay.plan.cells import Cells
from inlay.plan.plan import Step
from inlay.types import shapes


class Finish:
    """Checks one result the long way; returns the runtime value."""

    __slots__ = ("host", "where")

    def __init__(self, host: HostFunction, where: call.Where) -> None:
        self.host, self.where = host, where

    def __call__(self, result: Any) -> Any:
        return call.finished(self.host, self.where, [result])[0]


def write(host: HostFunction, where: call.Where, step: Step, cells: Cells, source: Source) -> None:
    """Writes the call of a NumPy-mode function.

    Args:
      host, where: the call.
      step, cells, source: as in `StepCall.source`.
    """
    ins, out = step.ins, step.outs[0]
    leaf, declared = host.outputs.leaves[0], where.declared[0]
    f, d = source.name("f", host.fn), source.name("d", leaf.dtype.np)
    s, e = source.name("s", leaf.dtype.np.type), source.name("e", Finish(host, where))
    given = cells.givers if host.copy else set()
    loaded = [j for j, i in enumerate(ins) if i not in given and i not in cells.local]
    held = [f"h{j}" if j in loaded else cells[i] for j, i in enumerate(ins)]
    source.write(*(f"h{j} = V[{ins[j]}]" for j in loaded))
    emptied = [f"V[{ins[j]}]" for j in loaded if ins[j] in cells.last]
    if emptied:
        source.write(" = ".join(emptied) + " = None")
    if host.copy:
        arguments = ", ".join(
            f"g{i}()" if i in given else _own(held[j], i in cells.last, i in cells.owned) for j, i in enumerate(ins)
        )
    else:
        view = source.name("view", convert.numpy_view)
        arguments = ", ".join(f"{view}({h})" for h in held)
    r = cells[out] if out in cells.local else "r"
    source.write(f"{r} = {f}({arguments})")
    checks = [f"{r}.__class__ is A and {r}.dtype is {d} and {ownership.own_array(r)}"]
    if not host.copy and ins:
        # A read-only view of an input is nobody's to write: it may be passed on as it is.
        source.write(f"s = {r}.__class__ is A and {r}.dtype is {d} and {ownership.passed_view(r, held)}")
        checks.append("s")
    done = [f"h{j}" for j in loaded] + [cells[i] for i in ins if i in cells.last and i in cells.local]
    if done:
        source.write(" = ".join(done) + " = None")
    known = shapes.from_dims(declared).is_fully_defined()
    if known:
        checks = [f"{c} and {r}.shape == {tuple(declared or ())!r}" for c in checks]
    if declared is None or declared == ():
        checks.append(f"{r}.__class__ is {s}")
    source.write(f"if not ({' or '.join(checks)}): {r} = {e}({r})" if declared is None or known else f"{r} = {e}({r})")
    if r == "r":
        source.write(*([f"V[{out}] = r"] if out != -1 else []), "r = None")


def write_eager(host: HostFunction, where: call.Where, step: Step, cells: Cells, source: Source) -> None:
    """Writes the call of an eager-mode function: tensors around the cells, the body, the tensor it returns.

    Args:
      host, where: the call.
      step, cells, source: as in `StepCall.source`.
    """
    leaf, declared, out = host.outputs.leaves[0], where.declared[0], step.outs[0]
    f, d, e = source.name("f", host.fn), source.name("d", leaf.dtype), source.name("e", FinishEager(host, where))
    pairs = zip(step.ins, step.in_dtypes, strict=True)
    tensors = [f"E({cells[i]}, {source.name('t', kind)})" for i, kind in pairs]
    quick = f"r.__class__ is E and r._dtype is {d}"
    if declared is not None:
        quick += f" and r._value.shape == {tuple(declared)!r}" if None not in declared else " and False"
    store = f"{cells[out]} = " if out != -1 else ""
    source.write(f"r = {f}({', '.join(tensors)})", f"{store}r._value if {quick} else {e}(r)", "r = None")


class FinishEager:
    """Checks one result of an eager-mode function the long way; returns the runtime value."""

    __slots__ = ("host", "where")

    def __init__(self, host: HostFunction, where: call.Where) -> None:
        self.host, self.where = host, where

    def __call__(self, result: Any) -> Any:
        return call.finished_eager(self.host, self.where, [result])[0]._value


def _own(name: str, last: bool, proved: bool) -> str:
    """An argument that is the function's own: see the module docstring."""
    if last and proved:
        array = name
    elif last:
        array = f"({name} if {ownership.own_array(name)} else {name}.copy())"
    else:
        array = f"{name}.copy()"
    return f"{array} if {name}.ndim else {name}[()]"
