"""Tapes, the backward walk over their records, and pullbacks as values.

Tape       hears op applications whose inputs it watches, and keeps a Record of each
backward   takes cotangents from targets to sources: op by op (`walk`), or at once where nobody listens and the
           same structure was walked before (`straight`)
Recording  a finished tape with its inputs and outputs: the pullback of one execution, kept in a plan's slot
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from inlay.autodiff import straight
from inlay.autodiff.fill import zeros_like
from inlay.autodiff.walk import ZERO, add_up, walk
from inlay.core import context
from inlay.core.func_graph import handle_key
from inlay.core.opdef import OPS
from inlay.core.record import WATCHED, Record
from inlay.core.tensor import EagerTensor
from inlay.types import dtypes


class Tape:
    """A list of records of the ops that depend on what is watched.

    Attributes:
      records: the records, in order.
      watched: what is followed: tensors by identity, which it keeps alive so that no other tensor takes their place.
      handles: the variables among it.
      trainable: whether variables are watched when they are read.
    """

    __slots__ = ("handles", "records", "trainable", "watched")

    def __init__(self, watched: Iterable[Any] = (), trainable: bool = False) -> None:
        self.records: list[Record] = []
        self.watched: dict[int, Any] = {id(t): t for t in watched}
        self.handles: list[Any] = []
        self.trainable = trainable

    def watch(self, tensor: Any) -> None:
        """Starts to follow a tensor."""
        self.watched[id(tensor)] = tensor

    def forget(self) -> None:
        """Drops the records and what they keep alive; which variables were watched stays known."""
        self.records, self.watched = [], {}

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

    def append(self, record: Record) -> None:
        """Adds a record; its differentiable outputs are followed from now on."""
        self.records.append(record)
        for t in record.outputs:
            if t.dtype._kind in "fcv":
                self.watched[id(t)] = t


def backward(
    records: Sequence[Record],
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    barriers: list[Record] | None = None,
    watched: Container[int] | None = None,
) -> Sequence[Any]:
    """Cotangents of `sources` given those of `targets`.

    Args:
      records: what the tape heard, in order.
      targets: tensors whose cotangents are `seeds`.
      seeds: one cotangent per target; None for none.
      sources: the tensors asked about.
      barriers: if given, collects records through which no gradient could pass.
      watched: identities of the tensors whose cotangents matter; None means all.

    Returns:
      Per source: a tensor, ZERO (connected, nothing flowed) or None (not connected).
    """
    if barriers is None and watched is not None:
        state = context.get() or context.base()
        if state.eager and not state.tapes:
            made = straight.pull(records, targets, seeds, sources, watched)
            if made is not None:
                return made
    found: dict[int, Any] = {}
    wanted = {id(s) for s in sources}
    for t, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            found[id(t)] = add_up(found.get(id(t)), seed)
    token = WATCHED.set(watched)
    try:
        walk(records, found, wanted, barriers)
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
        if id(t) in seen and t._dtype._kind in "fcv":
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

        Primals beyond the inputs are handles of variables that the body may have captured.
        """
        if index < len(self.inputs):
            return self.inputs[index]  # type: ignore[no-any-return]
        cell = primal._value
        return next((h for h in self.tape.handles if h._value is cell), primal)

    def pull(self, seeds: Sequence[Any], sources: Sequence[EagerTensor]) -> Sequence[Any]:
        """Cotangents of `sources` given those of the outputs: a tensor, ZERO or None each."""
        return backward(self.tape.records, self.outputs, seeds, sources, watched=self.tape.watched)

    def pull_recorded(self, seeds: Sequence[Any], sources: Sequence[EagerTensor]) -> tuple[list[Any], Recording]:
        """`pull`, and the recording of it: records of the execution followed by those of the pull."""
        tape = Tape()
        tape.watched = dict(self.tape.watched)
        tape.handles = list(self.tape.handles)
        given = tuple(s for s in seeds if s is not None)
        for s in given:
            tape.watch(s)
        state = context.current()
        with context.using(state.replace(tapes=(*state.tapes, tape))):
            found = self.pull(seeds, sources)
            grads = [zeros_of(t) if g is None or g is ZERO else g for g, t in zip(found, sources, strict=True)]
        tape.records = [*self.tape.records, *tape.records]
        return list(grads), Recording(f"gradient of {self.label}", tape, (*self.inputs, *given), tuple(grads))


def zeros_of(tensor: Any) -> Any:
    """Zeros shaped like a tensor's value; for a variable's handle, like the variable."""
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.resource:
        return zeros_like(EagerTensor(tensor._value.read(), tensor._value.dtype))
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.variant:
        return EagerTensor(tensor._value.zeros(), dtypes.variant)
    return zeros_like(tensor)
