"""Compiled vector-Jacobian products, for recordings whose structure comes back.

    tape ──▶ structures of its records ── met before ──▶ plan, written as a function ──▶ cotangents
                    └ else ──▶ None: accumulation goes op by op

The structure of a recording is its ops, how their inputs and outputs are wired, the types and ranks of what enters, and
what is followed; sizes and values are no part of it. When one has come back, its records are accumulated once over
symbolic stand-ins in a graph of its own. The gradient rules are the same, so the derivative is. From that graph a plan
is built, which merges, folds and frees as for a session; written as a function it runs without the funnel. Where sizes
come back as well, a second function is written for them: shapes, and what follows from them and from cotangents that
are ones, are constants there.

    R  the records      L  the leaves: pairs of a number and a tensor      S  the cotangents of the targets

Only where no tape records: under another tape, a device or a graph, every op of a gradient goes through the funnel.
A gradient that is a closure (`custom_gradient`, `grad=`, an overridden one) cannot be part of a structure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.fallbacks import fall_back
from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.keys import NoKey
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.devices import device_tensor
from inlay._src.core.eager.convert import constant_in, convert_to_tensor
from inlay._src.core.eager.record import ASKED, Record, structure_of
from inlay._src.core.eager.tape import Tape
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import OPS, Effect, OpDef, RowGradient, Shapes
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO, accumulate, add_up, are_ones
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run.lowering.functions import as_function

_MOST_RECORDS = TUNING.vjp_records
_BY_STRUCTURE: BoundedCache[tuple[Any, ...], Any] = BoundedCache("vector-Jacobian products", 256)
"""Structure -> how often it was seen, then its function; None where it has none."""

_BY_SIZES: BoundedCache[tuple[Any, ...], Any] = BoundedCache("vector-Jacobian products for sizes", 256)
"""The function of a structure, and sizes -> how often they were met, then the function for them."""
_PASSES = Passes(fold_limit=1 << 12)
"""Constants stay with a function for as long as it is known: larger ones are made anew."""

Function = Callable[[Sequence[Record], Sequence[Any], Sequence[Any]], tuple[Any, ...]]


class _CompiledVjp(NamedTuple):
    """The functions of a structure.

    Attributes:
      function: gives the cotangents.
      sizes: gives the shapes of all values that enter; all other shapes follow from these.
    """

    function: Function
    sizes: Function


def pull(tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]) -> Sequence[Any] | None:
    """Cotangents of `sources`, as accumulation makes them; None where it must go op by op. See `backward`.

    Raises:
      Exception: if the function cannot be written, or fails; accumulation then raises the program's error, or the
        failure should be passed to `fall_back`.
    """
    records = tape.records
    if len(records) > _MOST_RECORDS or (device_tensor.in_use() and _on_a_device(records)):
        return None
    try:
        key = _structure(tape, targets, seeds, sources)
    except NoKey:
        return None
    entry = _BY_STRUCTURE.get(key, 0)
    if entry.__class__ is int:
        if entry < TUNING.vjp_sightings:
            _BY_STRUCTURE[key] = entry + 1
            return None
        _BY_STRUCTURE[key] = None  # if writing it raises
        _BY_STRUCTURE[key] = entry = _compiled(tape, targets, seeds, sources)
    if entry is None:
        return None
    sizes = (entry.function, entry.sizes(records, tape.leaves, seeds), *map(are_ones, seeds))
    exact = _BY_SIZES.get(sizes, 0)
    if exact.__class__ is int:
        exact = _function_for_sizes(exact, sizes, entry, lambda: _compiled(tape, targets, seeds, sources, exact=True))
    return exact(records, tape.leaves, seeds)  # type: ignore[no-any-return]


def _function_for_sizes(
    count: int, sizes: tuple[Any, ...], general: _CompiledVjp, write: Callable[[], _CompiledVjp | None]
) -> Function:
    """The function to use for sizes that have none of their own so far; it is written if they were met often."""
    if count < TUNING.vjp_exact_sightings:
        _BY_SIZES[sizes] = count + 1
        return general.function
    written = None
    try:
        written = write()
    except Exception as error:
        fall_back("compiled vector-Jacobian product for known sizes", error)
    _BY_SIZES[sizes] = general.function if written is None else written.function
    return _BY_SIZES[sizes]  # type: ignore[no-any-return]


def _on_a_device(records: Sequence[Record]) -> bool:
    """Whether something was made on an accelerator, where no NumPy kernel computes."""
    return any(t.__class__ is device_tensor.DeviceTensor for r in records for t in (*r.inputs, *r.outputs))


_UNKNOWN = (None,)


def _structure(tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]) -> tuple[Any, ...]:
    """All that the function of a gradient depends on.

    Raises:
      NoKey: if part of it can be in no key.
    """
    key: list[Any] = []
    for record in tape.records:
        key += record.structure or _UNKNOWN  # an op is the second of each, and stands nowhere else
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


def _compiled(
    tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any], exact: bool = False
) -> _CompiledVjp | None:
    """The functions of a structure, or None if their results would not be those of accumulation.

    Exact ones are for the present sizes, and for cotangents of ones where they are such.
    """
    every = (*seeds, *sources, *(t for _, t in tape.leaves))
    if not all([t is None or t.__class__ is EagerTensor for t in every]) or None in [r.structure for r in tape.records]:
        return None
    if _unfollowed_variable(sources, tape) and any(_unfollowed_variable(r.inputs, tape) for r in tape.records):
        return None  # for all that the structure says they may be the same: it would have a cotangent
    trace = _OpTrace(tape, exact)
    cotangents: dict[int, Any] = {}
    with context.using(context.State(graph=trace.graph)):
        records = [trace.record(i, record) for i, record in enumerate(tape.records)]
        stand = trace.stand
        for k, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
            if seed is not None and id(target) in stand:  # else nothing that is followed depends on it
                key = id(stand[id(target)])
                cotangents[key] = add_up(cotangents.get(key), trace.entering(seed, f"S[{k}]"))
        token = ASKED.set({id(s) for s in stand.values()})
        try:
            accumulate(reversed(records), cotangents, {id(stand[id(s)]) for s in sources if id(s) in stand})
        finally:
            ASKED.reset(token)
    results = [cotangents.get(id(stand[id(s)])) if id(s) in stand else None for s in sources]
    results = [RowGradient(*map(convert_to_tensor, r.parts())) if r.__class__ is RowGradient else r for r in results]
    if not all(r is None or r is IMPLICIT_ZERO or r.__class__ in (SymbolicTensor, RowGradient) for r in results):
        return None
    return _function(trace, results)


def _function(trace: _OpTrace, results: Sequence[Any]) -> _CompiledVjp | None:
    """The functions that return the results of a trace, or None if a node is more than a kernel."""
    outputs = [t for r in results for t in _parts(r)]
    plan = build(trace.graph, outputs, list(trace.feeds), _PASSES)
    if plan.resources or any(
        s.opdef.scheduling.bind is not None or s.opdef.effect is not Effect.PURE or s.checks for s in plan.steps
    ):
        return None

    def tensors(values: Sequence[str]) -> str:
        expressions = iter(values)

        def text(result: Any) -> str:
            parts = [f"E({next(expressions)}, {t._dtype.name})" for t in _parts(result)]
            if result.__class__ is RowGradient:
                return f"RowGradient({', '.join(parts)})"
            return parts[0] if parts else repr(result)

        return f"({''.join(f'{text(r)}, ' for r in results)})"

    names = {"IMPLICIT_ZERO": IMPLICIT_ZERO, "RowGradient": RowGradient} | {t._dtype.name: t._dtype for t in outputs}
    small = {node.name for node in trace.graph.nodes if node.outputs and _is_small(node.outputs[0]._dims)}
    parameters = "R, L, S"
    function = as_function(plan, parameters, list(trace.feeds.values()), tensors, names, small)
    shapes = Source({})
    with shapes.block(f"def sizes({parameters}):"):
        shapes.write(f"return ({''.join(f'{place}.shape, ' for place in trace.entered)})")
    return _CompiledVjp(function, shapes.function("sizes", __file__))


def _is_small(dims: Dims) -> bool:
    return dims is not None and None not in dims and math.prod(dims) <= TUNING.in_place_elements  # type: ignore[arg-type]


def _parts(result: Any) -> tuple[Any, ...]:
    """The tensors of a cotangent."""
    if result.__class__ is RowGradient:
        return result.parts()  # type: ignore[no-any-return]
    return (result,) if result.__class__ is SymbolicTensor else ()


def _unfollowed_variable(tensors: Sequence[Any], tape: Tape) -> bool:
    return any(t.__class__ is EagerTensor and t._dtype._kind in "rv" and id(t) not in tape.watched for t in tensors)


class _OpTrace:
    """Symbolic stand-ins of what a tape recorded.

    Attributes:
      graph: where accumulation over them leaves its nodes.
      stand: the stand-ins of what the tape follows, by its identity. Any other tensor has one per use.
      feeds: placeholder -> where the written function finds what it stands for.
      entered: where it finds what no record made.
    """

    def __init__(self, tape: Tape, exact: bool) -> None:
        self.graph, self.exact = Graph(), exact
        self.entered: list[str] = []
        self.stand: dict[int, SymbolicTensor] = {}
        self.feeds: dict[SymbolicTensor, str] = {}
        self.watched = tape.watched
        for k, (_, tensor) in enumerate(tape.leaves):
            self.entering(tensor, f"L[{k}][1]")

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
        if rank is None:  # a variable, a list of tensors
            return self._placed(value, None, place)
        if self.exact and place[0] == "S" and are_ones(value):
            return constant_in(self.graph, value, "ones")
        self.entered.append(f"{place}._value")
        return self._placed(value, value._value.shape if self.exact else (None,) * rank, place)

    def _placed(self, tensor: EagerTensor, dims: Dims, place: str) -> SymbolicTensor:
        attrs = {"dtype": tensor._dtype, "shape": None}
        placeholder = self.graph.add(OPS["Placeholder"], (), attrs, (tensor._dtype,), (dims,)).outputs[0]
        self.feeds[placeholder] = f"{place}._value"
        if id(tensor) in self.watched:
            self.stand[id(tensor)] = placeholder
        return placeholder


def _inferred(opdef: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], count: int) -> Sequence[Dims]:
    """The outputs' shapes as far as they are known: by the op's rule, as in a graph."""
    if opdef.infer.dims is None or opdef.variadic is not None:
        return (None,) * count
    dims = [t._dims if t.__class__ is SymbolicTensor else np.shape(t) for t in inputs]
    return opdef.infer.dims(Shapes(inputs, dims, attrs, _static))


def _static(value: Any) -> Any:
    return None if value is None or value.__class__ is SymbolicTensor else np.asarray(value)
