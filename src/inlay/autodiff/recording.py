"""Tapes, the backward walk over their records, and pullbacks as values.

    Tape       hears op applications whose inputs it watches, and keeps a Record of each
    backward   walks records from the last to the first and adds up cotangents; its own ops go through the funnel,
               so outer tapes hear them and any order of derivative works
    Recording  a finished tape with its inputs and outputs: the pullback of one execution, kept in a plan's slot

A cotangent may be `ZERO`: connected, but zero so far. It costs nothing and becomes zeros of the right shape only
where a source has nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from inlay import errors
from inlay.autodiff.fill import zeros_like
from inlay.core import context
from inlay.core.emit import note_read
from inlay.core.func_graph import handle_key
from inlay.core.opdef import OPS
from inlay.core.record import WATCHED, Record
from inlay.core.tensor import EagerTensor
from inlay.types import dtypes
from inlay.types.dtypes import DType


class _Zero:
    """The cotangent of an input that is connected but contributes nothing."""

    def __repr__(self) -> str:
        return "ZERO"


ZERO = _Zero()
REGISTERED: dict[str, Callable[..., Any]] = {}
"""Gradients by registered name (`RegisterGradient`)."""


class Tape:
    """A list of records of the ops that depend on what is watched."""

    __slots__ = ("handles", "kept", "records", "trainable", "watched")

    def __init__(self, watched: Iterable[Any] = (), trainable: bool = False) -> None:
        self.records: list[Record] = []
        self.watched: set[int] = set()
        self.kept: list[Any] = []
        self.handles: list[Any] = []
        self.trainable = trainable  # whether variables are watched when they are read
        for tensor in watched:
            self.watch(tensor)

    def watch(self, tensor: Any) -> None:
        """Starts to follow a tensor."""
        self.watched.add(id(tensor))
        self.kept.append(tensor)

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
            if t.dtype._kind in "fcrv":
                self.watched.add(id(t))


def gradient_function(record: Any) -> Callable[..., Any] | None:
    """What turns a record's output cotangents into input cotangents; None where no gradient flows.

    Raises:
      LookupError: for an op that should have a gradient but declares none.
    """
    if record.override is not None:
        return REGISTERED[record.override]
    if record.pull is not None:
        return lambda op, *grads: record.pull(*grads)
    opdef = record.opdef
    if opdef.vjp is not None:
        return opdef.vjp  # type: ignore[no-any-return]
    if not opdef.differentiable:
        return None
    return derived(opdef)


def derived(opdef: Any) -> Callable[..., Any] | None:
    """The gradient of an op that declares none."""
    if not any(not isinstance(t, DType) or t.is_trainable for t in opdef.outs):
        return None
    from inlay.autodiff import derive

    return derive.vjp_of(opdef)


def input_gradients(record: Any, grads: Sequence[Any]) -> Sequence[Any]:
    """One cotangent (or None, or ZERO) per input of a record or node."""
    function = record.opdef.vjp
    if function is None or record.override is not None or record.pull is not None:
        function = gradient_function(record)
        if function is None:
            return (None,) * len(record.inputs)
    result = function(record, *grads)
    if result.__class__ is not tuple and not isinstance(result, (list, tuple)):
        result = (result,)
    if len(result) != len(record.inputs):
        raise ValueError(
            f"Num gradients {len(result)} generated for op {record.name} ({record.type}) do not match num "
            f"inputs {len(record.inputs)}"
        )
    return result


def add_up(one: Any, two: Any) -> Any:
    """The sum of two cotangents."""
    if one is None or one is ZERO:
        return two
    if two is None or two is ZERO:
        return one
    return OPS["TensorListAdd" if one.dtype is dtypes.variant else "AddV2"].public(one, two)  # type: ignore[misc]


def backward(
    records: Sequence[Record],
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    barriers: list[Record] | None = None,
    watched: set[int] | None = None,
) -> list[Any]:
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
    found: dict[int, Any] = {}
    wanted = {id(s) for s in sources}
    for t, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            found[id(t)] = add_up(found.get(id(t)), seed)
    token = WATCHED.set(watched)
    try:
        _walk(records, found, wanted, barriers)
    finally:
        WATCHED.reset(token)
    return [found.get(id(s)) for s in sources]


def _walk(records: Sequence[Record], found: dict[int, Any], wanted: set[int], barriers: list[Record] | None) -> None:
    """Takes the cotangents in `found` back through the records; those of `wanted` tensors stay in it.

    What the gradient of an op in a function's body raises is that function's error.
    """
    record: Any = None
    try:
        for record in reversed(records):
            outputs = record.outputs
            if len(outputs) == 1:
                key = id(outputs[0])
                grad = found.get(key)
                if grad is None:
                    continue
                if key not in wanted:
                    del found[key]
                below = _below(record, (grad,), grad is ZERO)
            else:
                grads = [found.get(id(o)) for o in outputs]
                for o in outputs:
                    if id(o) not in wanted:
                        found.pop(id(o), None)
                if all(g is None for g in grads):
                    continue
                below = _below(record, grads, all(g is None or g is ZERO for g in grads))
            if barriers is not None and all(b is None for b in below):
                barriers.append(record)
            for t, g in zip(record.inputs, below, strict=True):
                if g is not None and t.__class__ is EagerTensor and t._dtype._kind in "fcvr":
                    key = id(t)
                    before = found.get(key)
                    found[key] = g if before is None else add_up(before, g)
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        if record is None or record.body is None:
            raise
        raise errors.wrap(error, f"  raised in the gradient of {record.type}, called by {record.body}") from error


def _below(record: Record, grads: Sequence[Any], nothing: bool) -> Sequence[Any]:
    """Cotangents of a record's inputs; if there is nothing but ZERO above, ZERO is below."""
    if nothing:
        return [ZERO] * len(record.inputs)
    if len(grads) > 1:
        grads = [None if g is ZERO else g for g in grads]
    return input_gradients(record, grads)


def told_apart(tensors: Sequence[EagerTensor]) -> Sequence[EagerTensor]:
    """The tensors, with one that comes again replaced by its `identity`: each input has a cotangent of its own.

    A recording finds cotangents by tensor. For `f(x, x)` it would otherwise give their sum to both inputs.
    """
    if len({id(t) for t in tensors}) == len(tensors):
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

    def pull(self, seeds: Sequence[Any], sources: Sequence[EagerTensor]) -> list[Any]:
        """Cotangents of `sources` given those of the outputs: a tensor, ZERO or None each."""
        return backward(self.tape.records, self.outputs, seeds, sources, watched=self.tape.watched)

    def pull_recorded(
        self, seeds: Sequence[Any], sources: Sequence[EagerTensor], primals: Sequence[EagerTensor]
    ) -> tuple[list[Any], Recording]:
        """`pull`, and the recording of it: records of the execution followed by those of the pull.

        The recording's inputs are `primals`, which stand for all that the execution depends on, and the cotangents.
        """
        tape = Tape()
        tape.watched = set(self.tape.watched)
        tape.handles = list(self.tape.handles)
        given = tuple(s for s in seeds if s is not None)
        for s in given:
            tape.watch(s)
        state = context.current()
        with context.using(state.replace(tapes=(*state.tapes, tape))):
            found = self.pull(seeds, sources)
            grads = [zeros_of(t) if g is None or g is ZERO else g for g, t in zip(found, sources, strict=True)]
        tape.records = [*self.tape.records, *tape.records]
        tape.kept.append(self)
        return list(grads), Recording(f"gradient of {self.label}", tape, (*primals, *given), tuple(grads))


def zeros_of(tensor: Any) -> Any:
    """Zeros shaped like a tensor's value; for a variable's handle, like the variable."""
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.resource:
        return zeros_like(EagerTensor(tensor._value.read(), tensor._value.dtype))
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.variant:
        return EagerTensor(tensor._value.zeros(), dtypes.variant)
    return zeros_like(tensor)
