"""Backward walks as straight-line code, for recordings whose structure comes back.

    tape ──▶ wires of its records ── met before ──▶ written function ──▶ cotangents
                    └ else ──▶ None: the walk goes op by op

The structure of a recording is its ops, how their inputs and outputs are wired, the types and ranks of what enters, and
what is followed; sizes and values are no part of it. When one has come back, the walk is taken once over symbolic
stand-ins in a graph of its own. The gradient rules are the same, so the derivative is. The nodes this makes are written
as source: kernels, one after the other, without the funnel.

    R  the records      K  what entered: pairs of a number and a tensor      S  the cotangents of the targets

Only where nobody listens: under another tape, a device or a graph, every op of a gradient goes through the funnel.
A gradient that is a closure (`custom_gradient`, `grad=`, an overridden one) cannot be part of a structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay.autodiff.accumulation import IMPLICIT_ZERO, accumulate, add_up
from inlay.core import context
from inlay.core.graph import Graph, Operation
from inlay.core.opdef import OPS, Effect, OpDef, Shapes, operator_text
from inlay.core.tensor import EagerTensor, SymbolicTensor
from inlay.devices import device_tensor
from inlay.eager.record import ASKED, Record, structure_of
from inlay.eager.tape import Tape
from inlay.interpreter import floating
from inlay.interpreter.forking import new_lock
from inlay.types.shapes import Dims

SIGHTINGS = 2
"""How often a structure is walked op by op before its function is written: that costs as much as many walks."""
_MOST_RECORDS, _MOST_KNOWN = 256, 256
_FILE = f"{__file__} (pullback)"  # within the package, so that user tracebacks leave it out
_LOCK = new_lock()
_TO_SHAPE = frozenset({"SumLike", "BroadcastLike"})
"""Ops that leave their first input alone if it has the shape of the second."""
_KNOWN: dict[tuple[Any, ...], Any] = {}
"""Structure -> how often it was seen, then its function; None where it has none."""

Function = Callable[[Sequence[Record], Sequence[Any], Sequence[Any]], tuple[Any, ...]]


def pull(tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]) -> Sequence[Any] | None:
    """Cotangents of `sources`, as the walk makes them; None where the walk must be taken.

    Args:
      tape, targets, seeds, sources: as in `recording.backward`.
    """
    records = tape.records
    if len(records) > _MOST_RECORDS or (device_tensor.in_use() and _on_a_device(records)):
        return None
    key = _structure(tape, targets, seeds, sources)
    known = _KNOWN.get(key, 0)
    if known.__class__ is int:
        if known < SIGHTINGS:
            _remember(key, known + 1)
            return None
        try:
            known = _written(tape, targets, seeds, sources)
        except Exception:  # a rule needs values, or raises: the walk words the error
            known = None
        _remember(key, known)
    if known is None:
        return None
    try:
        return known(records, tape.leaves, seeds)  # type: ignore[no-any-return]
    except Exception:  # the walk says which op cannot be done
        return None


def _on_a_device(records: Sequence[Record]) -> bool:
    """Whether something was made on an accelerator, where no NumPy kernel computes."""
    return any(t.__class__ is device_tensor.DeviceTensor for r in records for t in (*r.inputs, *r.outputs))


def _remember(key: tuple[Any, ...], what: Any) -> None:
    with _LOCK:
        while len(_KNOWN) >= _MOST_KNOWN and key not in _KNOWN:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = what


def _structure(tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]) -> tuple[Any, ...]:
    """All that the function of a gradient depends on."""
    key: list[Any] = [record.structure for record in tape.records]
    number = tape.watched.get
    for entered, tensor in tape.leaves:
        key += (entered, structure_of(tensor))
    key.append("targets")
    for i, target in enumerate(targets):
        place = number(id(seeds[i]))  # a cotangent may be one of the recorded tensors
        key += (number(id(target)), structure_of(seeds[i]) if place is None else place)
    key.append("sources")
    for source in sources:
        place = number(id(source))
        key.append(structure_of(source) if place is None else place)
    return tuple(key)


# ---------------------------------------------------------------- the symbolic walk


def _written(tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]) -> Function | None:
    """The function of a structure, or None if it would not do what the walk does."""
    every = (*seeds, *sources, *(t for _, t in tape.leaves))
    if any(r.structure is None for r in tape.records) or not all(
        t is None or t.__class__ is EagerTensor for t in every
    ):
        return None
    if _unfollowed_variable(sources, tape) and any(_unfollowed_variable(r.inputs, tape) for r in tape.records):
        return None  # for all that the structure says they may be the same: it would have a cotangent
    trace = _Trace(tape)
    found: dict[int, Any] = {}
    with context.using(context.State(graph=trace.graph)):
        records = [trace.record(i, record) for i, record in enumerate(tape.records)]
        stand = trace.stand
        for k, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
            if seed is not None and id(target) in stand:  # else nothing that is followed depends on it
                key = id(stand[id(target)])
                found[key] = add_up(found.get(key), trace.entering(seed, f"S[{k}]"))
        token = ASKED.set({id(s) for s in stand.values()})
        try:
            accumulate(reversed(records), found, {id(stand[id(s)]) for s in sources if id(s) in stand})
        finally:
            ASKED.reset(token)
    results = [found.get(id(stand[id(s)])) if id(s) in stand else None for s in sources]
    if not all(r is None or r is IMPLICIT_ZERO or r.__class__ is SymbolicTensor for r in results):
        return None
    return _Writer(trace.places, results).function()


def _unfollowed_variable(tensors: Sequence[Any], tape: Tape) -> bool:
    return any(t.__class__ is EagerTensor and t._dtype._kind in "rv" and id(t) not in tape.watched for t in tensors)


class _Trace:
    """Symbolic stand-ins of what a tape heard.

    Attributes:
      graph: where the walk over them leaves its nodes.
      stand: the stand-ins of what the tape follows, by its identity. Any other tensor has one per use.
      places: where the written function finds what a placeholder stands for.
    """

    def __init__(self, tape: Tape) -> None:
        self.graph = Graph()
        self.stand: dict[int, SymbolicTensor] = {}
        self.places: dict[int, str] = {}
        self.watched = tape.watched
        for k, (_, tensor) in enumerate(tape.leaves):
            self.entering(tensor, f"K[{k}][1]")

    def record(self, index: int, record: Record) -> Record:
        """A record with stand-ins instead of tensors."""
        inputs = tuple(self.entering(t, f"R[{index}].inputs[{j}]") for j, t in enumerate(record.inputs))
        dims = _inferred(record.opdef, inputs, record.attrs, len(record.outputs))
        outputs = tuple(
            self._placed(t, d, f"R[{index}].outputs[{j}]")
            for j, (t, d) in enumerate(zip(record.outputs, dims, strict=True))
        )
        return Record(record.opdef, inputs, outputs, record.attrs, None, pull=record.pull)

    def entering(self, value: Any, place: str) -> Any:
        """The stand-in of an input; static inputs stand for themselves."""
        if id(value) in self.stand or value.__class__ is not EagerTensor:
            return self.stand.get(id(value), value)
        rank = getattr(value._value, "ndim", None)
        return self._placed(value, None if rank is None else (None,) * rank, place)

    def _placed(self, tensor: EagerTensor, dims: Dims, place: str) -> SymbolicTensor:
        attrs = {"dtype": tensor._dtype, "shape": None}
        made = self.graph.add(OPS["Placeholder"], (), attrs, (tensor._dtype,), (dims,)).outputs[0]
        self.places[id(made)] = f"{place}._value"
        if id(tensor) in self.watched:
            self.stand[id(tensor)] = made
        return made


def _inferred(opdef: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], count: int) -> Sequence[Dims]:
    """What is known of the outputs' shapes: by the op's rule, as in a graph."""
    if opdef.infer is None or opdef.variadic is not None:
        return (None,) * count
    dims = [t._dims if t.__class__ is SymbolicTensor else np.shape(t) for t in inputs]
    return opdef.infer(Shapes(inputs, dims, attrs, _static))


def _static(value: Any) -> Any:
    return None if value is None or value.__class__ is SymbolicTensor else np.asarray(value)


# ---------------------------------------------------------------- source


class _Writer:
    """Writes the nodes that `results` depend on.

    Attributes:
      places: where to find what a placeholder stands for.
      results: a symbolic tensor, ZERO or None per source.
    """

    def __init__(self, places: Mapping[int, str], results: Sequence[Any]) -> None:
        self.places, self.results = places, results
        self.loads: dict[str, str] = {}  # variable -> place
        self.names: dict[str, Any] = {
            "np": np, "E": EagerTensor, "IMPLICIT_ZERO": IMPLICIT_ZERO, "silence": floating.silence,
            "SILENT": floating.SILENT, "restore": floating.restore,
        }  # fmt: skip
        self.steps: dict[str, tuple[str, list[str]]] = {}  # call -> where its result is, and the variables it reads
        self.made: dict[int, str] = {}  # node -> the same

    def function(self) -> Function | None:
        """The function, or None if a node is more than a kernel."""
        nodes = self._needed()
        if any(n.effect is not Effect.PURE or n.opdef.bind is not None or n.host is not None for n in nodes):
            return None
        for node in nodes:  # equal calls are made once
            reads = [self._variable(t) for t in node.inputs]
            made, _ = self.steps.setdefault(self._call(node), (f"r{node.index}", reads))
            self.made[node.index] = made
        results = "".join(f"{self._result(r)}, " for r in self.results)
        last = {v: made for made, reads in self.steps.values() for v in reads}
        kept = {self._variable(t) for t in self.results if t.__class__ is SymbolicTensor}
        over: dict[str, list[str]] = {}
        for variable, made in last.items():
            if variable.startswith("r") and variable not in kept:
                over.setdefault(made, []).append(variable)
        lines = [" token = silence(SILENT)", " try:"]
        for call, (made, _) in self.steps.items():
            lines.append(f"  {made} = {call}")
            if made in over:  # large intermediate values go as early as in the walk
                lines.append(f"  del {', '.join(over[made])}")
        lines += [f"  return ({results})", " finally: restore(token)"]
        loads = [f" {variable} = {place}" for variable, place in self.loads.items()]
        exec(compile("\n".join(["def pullback(R, K, S):", *loads, *lines]), _FILE, "exec"), self.names)
        return self.names["pullback"]  # type: ignore[no-any-return]

    def _needed(self) -> list[Operation]:
        """The nodes to run, in order; placeholders and constants are not run."""
        needed: dict[int, Operation] = {}
        stack = [r.op for r in self.results if r.__class__ is SymbolicTensor]
        while stack:
            node = stack.pop()
            if node.index not in needed and node.opdef.name not in ("Placeholder", "Const"):
                needed[node.index] = node
                stack.extend(t.op for t in node.inputs)
        return [needed[i] for i in sorted(needed)]

    def _variable(self, tensor: SymbolicTensor) -> str:
        """Where a tensor is, up to which output of its node it is: a value given, a constant or a result."""
        node = tensor.op
        place = self.places.get(id(tensor))
        if place is not None:
            variable = f"v{node.index}"
            self.loads[variable] = place
            return variable
        if node.opdef.name == "Const":
            return self._constant(node.attrs["value"])
        return self.made[node.index]

    def _constant(self, value: Any) -> str:
        same = (n for n, v in self.names.items() if n[0] == "c" and _alike(v, value))
        name = next(same, f"c{len(self.names)}")
        self.names[name] = value
        return name

    def _value(self, tensor: SymbolicTensor) -> str:
        variable, opdef = self._variable(tensor), tensor.op.opdef
        many = variable[0] == "r" and (opdef.variadic_out or len(opdef.outs) != 1)
        return f"{variable}[{tensor.value_index}]" if many else variable

    def _call(self, node: Operation) -> str:
        opdef = node.opdef
        values = [self._value(t) for t in node.inputs]
        if opdef.operator is not None:
            return operator_text(opdef.operator, values)
        if opdef.ufunc is not None:
            self.names[f"u{opdef.name}"] = opdef.ufunc
            return f"u{opdef.name}({', '.join(values)})"
        if opdef.name in _TO_SHAPE:
            self.names[f"k{opdef.name}"] = opdef.kernel
            value, like = values
            return f"{value} if {value}.shape == {like}.shape else k{opdef.name}(np, {value}, {like})"
        at = opdef.variadic
        if at is not None:
            count = node.attrs["N"]
            values[at : at + count] = [f"[{', '.join(values[at : at + count])}]"]
        self.names[f"k{opdef.name}"] = opdef.kernel
        for name in opdef.attrs:
            if name in node.attrs:
                self.names[f"a{node.index}_{name}"] = node.attrs[name]
                values.append(f"{name}=a{node.index}_{name}")
        return f"k{opdef.name}({', '.join(['np', *values])})"

    def _result(self, result: Any) -> str:
        if result.__class__ is not SymbolicTensor:
            return repr(result)
        self.names[f"d{result._dtype.name}"] = result._dtype
        return f"E({self._value(result)}, d{result._dtype.name})"


def _alike(one: Any, two: Any) -> bool:
    """Whether two constants are the same scalar."""
    return (
        isinstance(one, np.generic)
        and type(one) is type(two)
        and one.dtype == two.dtype
        and one.tobytes() == two.tobytes()
    )
