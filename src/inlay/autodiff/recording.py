"""Tapes, the backward walk over their records, and pullbacks as values.

    Tape       hears op applications whose inputs it watches, and keeps a Record of each
    backward   takes cotangents from targets to sources: op by op (`walk`), or at once where nobody listens and the
               same structure was walked before (`straight`)
    Recording  a finished tape with its inputs and outputs: the pullback of one execution, kept in a plan's slot

A tensor that a tape follows has a number there. Numbers, not identities, are what two recordings can have in common.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inlay.autodiff import straight
from inlay.autodiff.fill import zeros_like
from inlay.autodiff.walk import ZERO, add_up, walk
from inlay.core import context
from inlay.core.func_graph import handle_key
from inlay.core.opdef import OPS, Effect, OpDef
from inlay.core.tensor import EagerTensor
from inlay.eager.emit import note_read
from inlay.eager.record import WATCHED, Record, typed, with_attrs
from inlay.types import dtypes


class Tape:
    """A list of records of the ops that depend on what is watched.

    Attributes:
      records: the records, in order.
      watched: what is followed, by identity -> number: that of the record that makes it (with the place among several
        outputs), or a negative one.
      entered: the tensors that were watched themselves, with their numbers; kept alive, so that no other tensor takes
        the identity of one.
      numbers: the numbers to come; threads may share a tape.
      handles: the variables among `entered`.
      trainable: whether variables are watched when they are read.
    """

    __slots__ = ("entered", "handles", "numbers", "records", "trainable", "watched")

    def __init__(self, watched: Iterable[Any] = (), trainable: bool = False) -> None:
        self.records: list[Record] = []
        self.watched: dict[int, Any] = {}
        self.entered: list[tuple[int, Any]] = []
        self.numbers = itertools.count()
        self.handles: list[Any] = []
        self.trainable = trainable
        for tensor in watched:
            self.watch(tensor)

    def watch(self, tensor: Any) -> None:
        """Starts to follow a tensor."""
        number = ~next(self.numbers)
        if self.watched.setdefault(id(tensor), number) == number:
            self.entered.append((number, tensor))

    def forget(self) -> None:
        """Drops the records and what they keep alive; which variables were watched stays known."""
        self.records, self.watched, self.entered = [], {}, []

    def watch_handle(self, handle: Any) -> None:
        """Starts to follow a variable, named by its handle."""
        if id(handle) not in self.watched:
            self.watch(handle)
            self.handles.append(handle)

    def hear_node(self, node: Any) -> None:
        """A node was added to a graph: what it makes from watched tensors is watched too."""
        if node.opdef.name == "ReadVariableOp" and self.trainable:
            if getattr(handle_key(node.inputs[0]), "trainable", False):
                self.watch_handle(node.inputs[0])
        if self.hears(node.inputs):
            for t in node.outputs:
                if t.dtype._kind in "fcv":
                    self.watch(t)

    def hears(self, inputs: Sequence[Any]) -> bool:
        """Whether an op with these inputs concerns this tape."""
        watched = self.watched
        for t in inputs:
            if id(t) in watched:
                return True
        return False

    def wire(
        self, op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: Mapping[str, Any], pull: Any
    ) -> tuple[Any, ...] | None:
        """The wire of a record to be: see `Record`."""
        if pull is not None and not getattr(pull, "wired", False):
            return None
        number = self.watched.get
        wires = [typed(t) if (n := number(id(t))) is None else n for t in inputs]
        if None in wires:
            return None
        kinds = () if op.effect is Effect.PURE and op.bind is None else tuple(t._dtype for t in outputs)
        return with_attrs((next(self.numbers), op, pull, len(outputs), *kinds, *wires), attrs)

    def append(self, record: Record) -> None:
        """Adds a record; its differentiable outputs are followed from now on."""
        self.records.append(record)
        number = next(self.numbers) if record.wire is None else record.wire[0]
        for j, t in enumerate(record.outputs):
            if t.dtype._kind in "fcrv":
                self.watched[id(t)] = (number, j) if j else number

    def copy(self) -> Tape:
        """A tape that goes on where this one is, by itself."""
        made = Tape()
        made.records, made.watched, made.entered = list(self.records), dict(self.watched), list(self.entered)
        # From the same number on for every copy, so that what they record has one structure.
        used = [n[0] if n.__class__ is tuple else max(n, ~n) for n in made.watched.values()]
        made.handles, made.numbers = list(self.handles), itertools.count(max(used, default=-1) + 1)
        return made


def backward(
    tape: Tape,
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    barriers: list[Record] | None = None,
) -> Sequence[Any]:
    """Cotangents of `sources` given those of `targets`.

    Args:
      tape: what was heard.
      targets: tensors whose cotangents are `seeds`.
      seeds: one cotangent per target; None for none.
      sources: the tensors asked about.
      barriers: if given, collects records through which no gradient could pass.

    Returns:
      Per source: a tensor, ZERO (connected, nothing flowed) or None (not connected).
    """
    state = context.get() or context.base()
    if barriers is None and state.eager and not state.tapes:
        made = straight.pull(tape, targets, seeds, sources)
        if made is not None:
            return made
    found: dict[int, Any] = {}
    wanted = {id(s) for s in sources}
    for t, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            found[id(t)] = add_up(found.get(id(t)), seed)
    token = WATCHED.set(tape.watched)
    try:
        walk(tape.records, found, wanted, barriers)
    finally:
        WATCHED.reset(token)
    return [found.get(id(s)) for s in sources]


def told_apart(tensors: Sequence[EagerTensor]) -> Sequence[EagerTensor]:
    """The tensors, with one that comes again replaced by its `identity`: each input has a cotangent of its own.

    A recording finds cotangents by tensor. For `f(x, x)` it would otherwise give their sum to both inputs.
    """
    if len(tensors) < 2 or len({id(t) for t in tensors}) == len(tensors):
        return tensors
    seen: set[int] = set()
    apart: list[EagerTensor] = []
    for t in tensors:
        if id(t) in seen and t._dtype._kind in "fcrv":
            if t._dtype._kind == "r":
                note_read(t, context.current())  # the outer tapes must hear whose handle the second one is
            t = OPS["Identity"].public(t)  # type: ignore[misc]
        seen.add(id(t))
        apart.append(t)
    return apart


class Recording:
    """One execution that can be pulled back: its records, inputs and outputs.

    Attributes:
      label: what ran, for messages.
      inputs: the tensors it was given.
      outputs: the tensors it returned.
    """

    __slots__ = ("inputs", "label", "outputs", "tape")

    def __init__(self, label: str, tape: Tape, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        self.label, self.tape, self.inputs, self.outputs = label, tape, inputs, outputs

    def source(self, index: int, primal: EagerTensor) -> EagerTensor:
        """The tensor that stands for primal `index` in this recording.

        Primals beyond the inputs are handles of variables that the body may have captured. One that it did not
        capture has a stand-in, which nothing flows to: its own handle may be an input, too.
        """
        if index < len(self.inputs):
            return self.inputs[index]  # type: ignore[no-any-return]
        cell = primal._value
        return next((h for h in self.tape.handles if h._value is cell), EagerTensor(cell, primal._dtype))

    def pull(self, seeds: Sequence[Any], sources: Sequence[EagerTensor]) -> Sequence[Any]:
        """Cotangents of `sources` given those of the outputs: a tensor, ZERO or None each."""
        return backward(self.tape, self.outputs, seeds, sources)

    def pull_recorded(
        self, seeds: Sequence[Any], sources: Sequence[EagerTensor], primals: Sequence[EagerTensor]
    ) -> tuple[list[Any], Recording]:
        """`pull`, and the recording of it: records of the execution followed by those of the pull.

        The recording's inputs are `primals`, which stand for all that the execution depends on, and the cotangents.
        """
        tape = self.tape.copy()
        given = tuple(s for s in seeds if s is not None)
        for s in given:
            tape.watch(s)
        state = context.current()
        with context.using(state.replace(tapes=(*state.tapes, tape))):
            found = self.pull(seeds, sources)
            grads = [zeros_of(t) if g is None or g is ZERO else g for g, t in zip(found, sources, strict=True)]
        return list(grads), Recording(f"gradient of {self.label}", tape, (*primals, *given), tuple(grads))


def zeros_of(tensor: Any) -> Any:
    """Zeros shaped like a tensor's value; for a variable's handle, like the variable."""
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.resource:
        return zeros_like(EagerTensor(tensor._value.read(), tensor._value.dtype))
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.variant:
        return EagerTensor(tensor._value.zeros(), dtypes.variant)
    return zeros_like(tensor)
