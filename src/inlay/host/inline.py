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

from collections.abc import Sequence
from typing import Any

from inlay.core.tensor import EagerTensor
from inlay.host import call, convert
from inlay.host.records import HostFunction
from inlay.interpreter import ownership
from inlay.run.generated import Cells
from inlay.types import shapes


class Finish:
    """Checks one result the long way; returns the runtime value."""

    __slots__ = ("host", "where")

    def __init__(self, host: HostFunction, where: call.Where) -> None:
        self.host, self.where = host, where

    def __call__(self, result: Any) -> Any:
        return call.finished(self.host, self.where, [result])[0]


def source(
    host: HostFunction, where: call.Where, k: int, ins: Sequence[int], outs: Sequence[int], cells: Cells
) -> tuple[list[str], dict[str, Any]]:
    """The lines of step `k`, and the names they use.

    Args:
      host, where: the call.
      k: the step's number.
      ins, outs: its cells.
      cells: what is known of them.
    """
    leaf = host.outputs.leaves[0]
    declared = where.declared[0]
    names: dict[str, Any] = {
        f"f{k}": host.fn, f"d{k}": leaf.dtype.np, f"s{k}": leaf.dtype.np.type, f"e{k}": Finish(host, where),
    }  # fmt: skip
    given = cells.givers if host.copy else set()
    loaded = [j for j, i in enumerate(ins) if i not in given and i not in cells.local]
    held = [f"h{j}" if j in loaded else cells[i] for j, i in enumerate(ins)]
    lines = [f"h{j} = V[{ins[j]}]" for j in loaded]
    emptied = [f"V[{ins[j]}]" for j in loaded if ins[j] in cells.last]
    if emptied:
        lines.append(" = ".join(emptied) + " = None")
    if host.copy:
        arguments = ", ".join(
            f"g{i}()" if i in given else _own(held[j], i in cells.last, i in cells.owned) for j, i in enumerate(ins)
        )
    else:
        names["view"] = convert.numpy_view
        arguments = ", ".join(f"view({h})" for h in held)
    r = cells[outs[0]] if outs[0] in cells.local else "r"
    lines.append(f"{r} = f{k}({arguments})")
    checks = [f"{r}.__class__ is A and {r}.dtype is d{k} and {ownership.own_array(r)}"]
    if not host.copy and ins:
        # A read-only view of an input is nobody's to write: it may be passed on as it is.
        lines.append(f"s = {r}.__class__ is A and {r}.dtype is d{k} and {ownership.passed_view(r, held)}")
        checks.append("s")
    done = [f"h{j}" for j in loaded] + [cells[i] for i in ins if i in cells.last and i in cells.local]
    if done:
        lines.append(" = ".join(done) + " = None")
    known = shapes.from_dims(declared).is_fully_defined()
    if known:
        checks = [f"{c} and {r}.shape == {tuple(declared or ())!r}" for c in checks]
    if declared is None or declared == ():
        checks.append(f"{r}.__class__ is s{k}")
    if declared is None or known:
        lines.append(f"if not ({' or '.join(checks)}): {r} = e{k}({r})")
    else:
        lines.append(f"{r} = e{k}({r})")
    if r == "r":
        lines += [f"V[{outs[0]}] = r"] if outs[0] != -1 else []
        lines.append("r = None")
    return lines, names


def eager_source(
    host: HostFunction,
    where: call.Where,
    k: int,
    ins: Sequence[int],
    outs: Sequence[int],
    kinds: Sequence[Any],
    cells: Cells,
) -> tuple[list[str], dict[str, Any]]:
    """The lines of step `k`, an eager-mode function: tensors around the cells, the body, the tensor it returns.

    Args:
      host, where: the call.
      k: the step's number.
      ins, outs: its cells.
      kinds: the dtypes of its inputs.
      cells: what is known of the cells.
    """
    leaf, declared = host.outputs.leaves[0], where.declared[0]
    names: dict[str, Any] = {"E": EagerTensor, f"f{k}": host.fn, f"d{k}": leaf.dtype, f"e{k}": FinishEager(host, where)}
    tensors = []
    for j, (i, kind) in enumerate(zip(ins, kinds, strict=True)):
        names[f"t{k}_{j}"] = kind
        tensors.append(f"E({cells[i]}, t{k}_{j})")
    lines = [f"r = f{k}({', '.join(tensors)})"]
    quick = f"r.__class__ is E and r._dtype is d{k}"
    if declared is not None:
        quick += f" and r._value.shape == {tuple(declared)!r}" if None not in declared else " and False"
    store = f"{cells[outs[0]]} = " if outs[0] != -1 else ""
    lines += [f"{store}r._value if {quick} else e{k}(r)", "r = None"]
    return lines, names


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
