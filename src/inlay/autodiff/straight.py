"""Backward walks as straight-line code, for recordings whose structure comes back.

    records ──▶ structure ── met before ──▶ written function ──▶ cotangents
                    └ else ──▶ None: the walk goes op by op

The structure of a recording is its ops, how their inputs and outputs are wired, the types and ranks of what enters, and
what is followed; sizes and values are no part of it. When one has come back, the walk is taken once over symbolic
stand-ins in a graph of its own. The gradient rules are the same, so the derivative is. The nodes this makes are written
as source: kernels, one after the other, without the funnel.

Only where nobody listens: under another tape, a device or a graph, every op of a gradient goes through the funnel.
A gradient that is a closure (`custom_gradient`, `grad=`, an overridden one) cannot be part of a structure.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import numpy as np

from inlay.autodiff.walk import ZERO, add_up, walk
from inlay.core import context, floating
from inlay.core.graph import Graph, Operation
from inlay.core.opdef import OPS, Effect, OpDef, Shapes
from inlay.core.opfunction import applied
from inlay.core.record import WATCHED, Record
from inlay.core.tensor import EagerTensor, SymbolicTensor
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims

SIGHTINGS = 2
"""How often a structure is walked op by op before its function is written: that costs as much as many walks."""
_MOST_RECORDS, _MOST_KNOWN = 256, 512
_PLAIN = frozenset({int, bool, str, type(None), DType})
_FILE = f"{__file__} (pullback)"  # within the package, so that user tracebacks leave it out
_LOCK = threading.Lock()
_KNOWN: dict[tuple[Any, ...], Any] = {}
"""Structure -> how often it was seen, then its function; None where it has none."""

Function = Callable[[list[Any]], tuple[Any, ...]]


def pull(
    records: Sequence[Record],
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    watched: Container[int],
) -> Sequence[Any] | None:
    """Cotangents of `sources`, as the walk makes them; None where the walk must be taken.

    Args:
      records, targets, seeds, sources, watched: as in `recording.backward`.
    """
    if len(records) > _MOST_RECORDS:
        return None
    found = _structure(records, targets, seeds, sources, watched)
    if found is None:
        return None
    key, tensors = found
    known = _KNOWN.get(key, 0)
    if known.__class__ is int:
        if known < SIGHTINGS:
            _remember(key, known + 1)
            return None
        try:
            known = _written(records, targets, seeds, sources, watched, tensors)
        except Exception:  # a rule needs values, or raises: the walk words the error
            known = None
        _remember(key, known)
    if known is None:
        return None
    try:
        return known(tensors)  # type: ignore[no-any-return]
    except Exception:  # the walk says which op cannot be done
        return None


def _remember(key: tuple[Any, ...], what: Any) -> None:
    with _LOCK:
        while len(_KNOWN) >= _MOST_KNOWN and key not in _KNOWN:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = what


# ---------------------------------------------------------------- structure


def _structure(
    records: Sequence[Record],
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    watched: Container[int],
) -> tuple[tuple[Any, ...], list[Any]] | None:
    """The structure as a key, and every tensor in the order of its number; None if there is no such key."""
    places: dict[int, int] = {}
    tensors: list[Any] = []
    key: list[Any] = []
    add = key.append
    for record in records:
        pull, opdef = record.pull, record.opdef
        if record.override is not None or (pull is not None and not getattr(pull, "wired", False)):
            return None
        add(opdef)
        add(pull)
        for t in record.inputs:
            place = places.get(id(t))
            if place is None:
                if t.__class__ is EagerTensor:
                    places[id(t)] = place = len(tensors)
                    tensors.append(t)
                    dtype = t._dtype
                    add(dtype)
                    add(t._value.ndim if dtype._kind not in "rv" else -1)
                    add(id(t) in watched)
                elif (place := _frozen(t)) is None:
                    return None
            add(place)
        outputs = record.outputs
        for t in outputs:
            places[id(t)] = len(tensors)
            tensors.append(t)
        if opdef.effect is not Effect.PURE or opdef.bind is not None:
            add(tuple(t._dtype for t in outputs))
        for name, value in record.attrs.items():
            if (frozen := _frozen(value)) is None:
                return None
            add(name)
            add(frozen)
    for t, seed in zip(targets, seeds, strict=True):
        place = places.get(id(t))
        if place is None:
            return None
        add(place)
        if seed is None:
            add(None)
            continue
        if seed.__class__ is not EagerTensor:
            return None
        given = places.get(id(seed))  # a seed may be one of the recorded tensors
        if given is None:
            add(seed._dtype)
            add(seed._value.ndim)
            places[id(seed)] = given = len(tensors)
            tensors.append(seed)
        add(given)
    add(tuple(places.get(id(s)) for s in sources))
    return tuple(key), tensors


def _frozen(value: Any) -> Any:
    """A static input or attribute as part of a key, with its type; None if it cannot be one."""
    kind = value.__class__
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return kind, value.hex()  # -0.0 is not 0.0
    if kind is tuple or kind is list:
        parts = tuple(_frozen(v) for v in value)
        return None if None in parts else (kind, parts)
    return None


# ---------------------------------------------------------------- the symbolic walk


def _written(
    records: Sequence[Record],
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    watched: Container[int],
    tensors: Sequence[Any],
) -> Function | None:
    """The function of a structure, or None if it would not do what the walk does."""
    graph = Graph()
    with context.using(context.State(graph=graph)):
        stand, inner = _stand_ins(graph, records, tensors)
        found: dict[int, Any] = {}
        for t, seed in zip(targets, seeds, strict=True):
            if seed is not None:
                key = id(stand[id(t)])
                found[key] = add_up(found.get(key), stand[id(seed)])
        token = WATCHED.set({id(s) for t, s in stand.items() if t in watched})
        try:
            walk(inner, found, {id(stand[id(s)]) for s in sources if id(s) in stand}, None)
        finally:
            WATCHED.reset(token)
    results = [found.get(id(stand[id(s)])) if id(s) in stand else None for s in sources]
    if not all(r is None or r is ZERO or r.__class__ is SymbolicTensor for r in results):
        return None
    numbers = {id(stand[id(t)]): i for i, t in enumerate(tensors)}
    return _Writer(numbers, results).function()


def _stand_ins(
    graph: Graph, records: Sequence[Record], tensors: Sequence[Any]
) -> tuple[dict[int, SymbolicTensor], list[Record]]:
    """A placeholder for every tensor, by the tensor's identity, and the records of the placeholders."""
    stand: dict[int, SymbolicTensor] = {}

    def placed(tensor: EagerTensor, dims: Dims) -> SymbolicTensor:
        made = graph.add(OPS["Placeholder"], (), {"dtype": tensor._dtype, "shape": None}, (tensor._dtype,), (dims,))
        stand[id(tensor)] = made.outputs[0]
        return made.outputs[0]

    def entering(value: Any) -> Any:
        if value.__class__ is not EagerTensor:
            return value
        known = stand.get(id(value))
        if known is None:
            known = placed(value, None if value._dtype._kind in "rv" else (None,) * value._value.ndim)
        return known

    inner = []
    for record in records:
        inputs = tuple(entering(t) for t in record.inputs)
        dims = _inferred(record.opdef, inputs, record.attrs, len(record.outputs))
        outputs = tuple(placed(t, d) for t, d in zip(record.outputs, dims, strict=True))
        inner.append(Record(record.opdef, inputs, outputs, record.attrs, pull=record.pull))
    for seed in tensors:  # the rest
        entering(seed)
    return stand, inner


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
      numbers: the number of the tensor that a placeholder stands for.
      results: a symbolic tensor, ZERO or None per source.
    """

    def __init__(self, numbers: Mapping[int, int], results: Sequence[Any]) -> None:
        self.numbers, self.results = numbers, results
        self.names: dict[str, Any] = {
            "np": np, "E": EagerTensor, "ZERO": ZERO, "silence": floating.silence, "SILENT": floating.SILENT,
            "restore": floating.restore,
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
        read = sorted({v for _, reads in self.steps.values() for v in reads} | kept)
        loads = [f" {v} = T[{v[1:]}]._value" for v in read if v.startswith("v")]
        exec(compile("\n".join(["def pullback(T):", *loads, *lines]), _FILE, "exec"), self.names)
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
        if id(tensor) in self.numbers:
            return f"v{self.numbers[id(tensor)]}"
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
            return applied(opdef.operator, values)
        if opdef.ufunc is not None:
            self.names[f"u{opdef.name}"] = opdef.ufunc
            return f"u{opdef.name}({', '.join(values)})"
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
