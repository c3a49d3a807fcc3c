"""Tapes: the record of eager ops for differentiation. Data; `autodiff` computes with it.

    Tape        keeps a Record of each op application whose inputs it follows
    Recording   a finished tape with its inputs and outputs: the pullback of one execution, kept in a plan's slot

A tensor that a tape follows has a number there. Numbers, not identities, are what two recordings can have in common.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from inlay._src.base.types.keys import NoKey
from inlay._src.core import context
from inlay._src.core.context import State
from inlay._src.core.eager.record import Record, kept_attrs, structure_of, unshared
from inlay._src.core.opdef import OPS, Effect, OpDef, Role
from inlay._src.core.state import handle_key
from inlay._src.core.tables import references
from inlay._src.core.tensor import EagerTensor

_new = object.__new__


class Tape:
    """A list of records of the ops that depend on what is watched.

    Attributes:
      records: the records, in order.
      watched: the tensors that it follows, by identity -> number: that of the record that makes it (with the place
        among several outputs), or a negative one.
      leaves: the tensors that were watched themselves, with their numbers; kept alive, so that no other tensor takes
        the identity of one.
      numbers: the numbers to come; threads may share a tape.
      handles: the variables among `leaves`.
      nodes: the nodes of graphs that depend on what is watched, in the order in which they were added.
      trainable: whether variables are watched when they are read.
      links: (inputs, outputs) of calls of functions whose steps alone do not show that the gradient of each output by
        each input is zero rather than none.
      left: label of the host function whose body last read the value of a followed tensor, as memory or as a Python
        number, so that what it computed of it is not recorded; None if none did.
    """

    __slots__ = ("handles", "leaves", "left", "links", "nodes", "numbers", "records", "trainable", "watched")

    def __init__(self, watched: Iterable[Any] = (), trainable: bool = False) -> None:
        self.records: list[Record] = []
        self.watched: dict[int, Any] = {}
        self.leaves: list[tuple[int, Any]] = []
        self.numbers: itertools.count[int] = itertools.count()
        self.handles: list[Any] = []
        self.nodes: list[Any] = []
        self.links: list[tuple[Sequence[Any], Sequence[Any]]] = []
        self.trainable: bool = trainable
        self.left: str | None = None
        for tensor in watched:
            self.watch(tensor)

    def watch(self, tensor: Any) -> None:
        """Starts to follow a tensor."""
        number = ~next(self.numbers)
        if self.watched.setdefault(id(tensor), number) == number:
            self.leaves.append((number, tensor))

    def forget(self) -> None:
        """Drops the records and what they keep alive; the set of watched variables stays."""
        self.records, self.watched, self.leaves, self.nodes, self.links = [], {}, [], [], []

    def watch_handle(self, handle: Any) -> None:
        """Starts to follow a variable, named by its handle."""
        if id(handle) not in self.watched:
            self.watch(handle)
            self.handles.append(handle)

    def link(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """A function was called: its outputs, if they depend on what is followed, are followed too; see `links`."""
        for t in inputs:
            if self.trainable and t._dtype._kind == "r" and getattr(t._value, "trainable", False):
                self.watch_handle(t)
        if self.follows(inputs):
            for t in outputs:
                self.watch(t)
            self.links.append((inputs, outputs))

    def linked(self, targets: Sequence[Any]) -> set[int]:
        """The identities of what targets depend on through what was recorded and a link."""
        if not self.links:
            return set()
        before: dict[int, list[tuple[Sequence[Any], bool]]] = {}
        steps: list[tuple[Sequence[Any], Sequence[Any], bool]] = [
            (r.inputs, r.outputs, False) for r in self.records if r.lets_pass()
        ]
        steps += [(*link, True) for link in self.links]
        for inputs, outputs, is_link in steps:
            for t in outputs:
                before.setdefault(id(t), []).append((inputs, is_link))
        seen: set[tuple[int, bool]] = set()
        waiting = [(id(t), False) for t in targets]
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            for inputs, is_link in before.get(place[0], ()):
                waiting += [(id(t), place[1] or is_link) for t in inputs]
        return {number for number, is_linked in seen if is_linked}

    def variables(self) -> list[Any]:
        """The variables that were watched, each once, in the order in which they were made."""
        keys = sorted((handle_key(handle) for handle in self.handles), key=lambda key: key.order)
        owners = (key.owner() for key in keys if key.owner is not None)
        return list({id(v): v for v in owners if v is not None}.values())

    def follow_node(self, node: Any) -> None:
        """A node was added to a graph: if it depends on what is watched, what it makes is watched too."""
        if self.trainable and (node.opdef.role is Role.READ or node.opdef.scheduling.calls_users):
            for t in node.inputs:
                if t.dtype._kind == "r" and getattr(handle_key(t), "trainable", False):
                    self.watch_handle(t)
        if self.follows(node.inputs) or (self.trainable and may_capture(node)):
            self.nodes.append(node)
            for t in node.outputs:
                if t.dtype._kind in "fcv":
                    self.watch(t)

    def follows(self, inputs: Sequence[Any]) -> bool:
        """Whether an op with these inputs concerns this tape."""
        watched = self.watched
        for t in inputs:
            if id(t) in watched:
                return True
        return False

    def unrecorded(self, tensors: Sequence[Any]) -> list[int]:
        """Numbers of the results of a body that nothing connects with a followed tensor, though it read such values."""
        if self.left is None:
            return []
        return [i for i, t in enumerate(tensors) if t.dtype._kind in "fc" and id(t) not in self.watched]

    def record(
        self,
        op: OpDef,
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        attrs: Mapping[str, Any],
        state: State,
        pull: Callable[..., Any] | None = None,
    ) -> None:
        """Keeps an op application if it concerns this tape; its differentiable outputs are followed from now on.

        `inputs` are tensors and static values, the list input spread out; for `pull` see `Record`.
        """
        watched = self.watched
        if not self.follows(inputs):
            return
        inputs = tuple([t if t.__class__ is EagerTensor else unshared(t) for t in inputs])
        attrs, key = kept_attrs(attrs) if attrs else (attrs, ())
        override = dict(state.overrides).get(op.name) if state.overrides else None
        structure = None if override is not None else self._structure(op, inputs, outputs, key, pull)
        self.records.append(Record(op, inputs, outputs, attrs, structure, state.host, override, pull))
        number = next(self.numbers) if structure is None else structure[0]
        for j, t in enumerate(outputs):
            if t.dtype._kind in "fcrv":
                watched[id(t)] = (number, j) if j else number

    def _structure(
        self, op: OpDef, inputs: Sequence[Any], outputs: Sequence[Any], attrs: tuple[Any, ...] | None, pull: Any
    ) -> tuple[Any, ...] | None:
        if attrs is None or (pull is not None and not getattr(pull, "structural", False)):
            return None
        number = self.watched.get
        kinds = () if op.effect is Effect.PURE and op.scheduling.bind is None else tuple(t._dtype for t in outputs)
        try:
            places = [structure_of(t) if (n := number(id(t))) is None else n for t in inputs]
            return (next(self.numbers), op, pull, len(outputs), *kinds, *places, *attrs)
        except NoKey:
            return None

    def record_simple(
        self,
        op: OpDef,
        inputs: tuple[Any, ...],
        output: EagerTensor,
        attrs: Mapping[str, Any],
        state: State,
        key: tuple[Any, ...] | None = None,
    ) -> None:
        """`record` of an op with one result, written out for one and two inputs: the public functions' of pure ops.

        They call this for every op under a tape, so it makes no call that it can do without. `key` is what a structure
        says of `attrs`, if that is known and nobody can change them.
        """
        if output._dtype._kind not in "fcrv":
            return  # no cotangent can come back
        if state.overrides or len(inputs) > 2:
            return self.record(op, inputs, (output,), attrs, state)
        watched = self.watched
        first, second = inputs[0], inputs[-1]
        x, y = watched.get(id(first)), watched.get(id(second))
        if x is None and y is None:
            return
        number = next(self.numbers)
        record = _new(Record)
        record.opdef, record.inputs, record.outputs = op, inputs, (output,)
        record.body, record.override, record.pull = state.host, None, None
        if key is None:
            attrs, key = kept_attrs(attrs) if attrs else (attrs, ())
        record.attrs = attrs
        try:
            if x is None:
                x = structure_of(first)
            elif y is None:
                y = structure_of(second)
            record.structure = None if key is None else (number, op, x, y, *key)
        except NoKey:
            record.structure = None
        self.records.append(record)
        watched[id(output)] = number

    def copy(self) -> Tape:
        """A tape that goes on where this one is, by itself."""
        tape = Tape()
        tape.records, tape.watched, tape.leaves = list(self.records), dict(self.watched), list(self.leaves)
        # From the same number on for every copy, so that what they record has one structure.
        used = [n[0] if n.__class__ is tuple else max(n, ~n) for n in tape.watched.values()]
        tape.handles, tape.numbers = list(self.handles), itertools.count(max(used, default=-1) + 1)
        return tape

    def __reduce__(self) -> tuple[Any, ...]:
        """Identities do not travel: the followed tensors are pickled themselves."""
        tensors = [t for r in self.records for t in (*r.inputs, *r.outputs)] + [t for _, t in self.leaves]
        followed = {id(t): (t, self.watched[id(t)]) for t in tensors if id(t) in self.watched}
        return _tape_again, (list(followed.values()), self.records, self.leaves, self.handles, self.trainable)


def _tape_again(
    followed: Iterable[tuple[Any, Any]], records: list[Record], leaves: list[Any], handles: list[Any], trainable: bool
) -> Tape:
    """A tape from what was pickled of one."""
    tape = Tape(trainable=trainable)
    tape.watched = {id(t): number for t, number in followed}
    tape.records, tape.leaves, tape.handles = records, leaves, handles
    return tape.copy()


def may_capture(node: Any) -> bool:
    """Whether a function body under this node may read variables that are not among its inputs."""
    if not node.graph.building_function:
        return False
    if node.host is not None:
        return node.opdef.scheduling.on_tensors and node.host.grad is None  # type: ignore[no-any-return]
    programs = (node.graph.referred(r) for r in references(node.attrs) if r.table == "functions")
    return any(may_capture(inner) for p in programs for inner in p.graph.nodes)


def record_operation(
    op: OpDef,
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    attrs: Mapping[str, Any],
    state: State,
    pull: Callable[..., Any] | None = None,
) -> None:
    """`Tape.record` on the tapes in force; reading a variable lets them watch it."""
    if op.role is Role.READ:
        note_read(inputs[0], state)
    for tape in state.tapes:
        tape.record(op, inputs, outputs, attrs, state, pull)


def note_read(handle: Any, state: State) -> None:
    """A variable is being read: tapes that follow trainable variables start to follow it."""
    if getattr(handle._value, "trainable", False):
        for tape in state.tapes:
            if tape.trainable:
                tape.watch_handle(handle)


def distinct(tensors: Sequence[EagerTensor]) -> Sequence[EagerTensor]:
    """The tensors, with one that comes again replaced by its `identity`: each input has a cotangent of its own.

    A recording finds cotangents by tensor. For `f(x, x)` it would otherwise give their sum to both inputs.
    """
    if len(tensors) < 2 or len({id(t) for t in tensors}) == len(tensors):
        return tensors
    seen: set[int] = set()
    separate: list[EagerTensor] = []
    for t in tensors:
        if id(t) in seen and t._dtype._kind in "fcrv":
            if t._dtype._kind == "r":
                note_read(t, context.current())  # the outer tapes must know whose handle the second one is
            t = OPS["Identity"].dispatch.function(t)  # type: ignore[misc]
        seen.add(id(t))
        separate.append(t)
    return separate


class Recording:
    """One execution that can be pulled back: its records, inputs and outputs.

    Attributes:
      label: the function that ran, for messages.
      tape: the records.
      inputs: the tensors it was given.
      outputs: the tensors it returned.
      unrecorded: see `Tape.unrecorded`.
    """

    __slots__ = ("inputs", "label", "outputs", "tape", "unrecorded")

    def __init__(self, label: str, tape: Tape, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        self.label, self.tape, self.inputs, self.outputs = label, tape, inputs, outputs
        self.unrecorded: Sequence[int] = tape.unrecorded(outputs)

    def source(self, index: int, primal: EagerTensor) -> EagerTensor:
        """The tensor that stands for primal `index` in this recording.

        Primals beyond the inputs are handles of variables that the body may have captured. One that it did not
        capture has a stand-in, which nothing flows to: its own handle may be an input, too.
        """
        if index < len(self.inputs):
            return self.inputs[index]  # type: ignore[no-any-return]
        cell = primal._value
        handles = (h for h in self.tape.handles if isinstance(h, EagerTensor))
        return next((h for h in handles if h._value is cell), EagerTensor(cell, primal._dtype))


class DirectPullback(abc.ABC):
    """The pullback of an execution that left no records: nobody differentiates what it gives."""

    __slots__ = ()

    @abc.abstractmethod
    def pulled(self, seeds: Mapping[int, Any], wanted: Sequence[int]) -> list[Any]:
        """Cotangents of inputs, as runtime values.

        Args:
          seeds: number of an output -> its cotangent, a runtime value.
          wanted: the numbers of the inputs.
        """


def tape_of(tensors: Sequence[EagerTensor]) -> Tape:
    """A tape that follows the inputs of an execution, and the variables it reads."""
    return Tape([t for t in tensors if t._dtype._kind in "fcrv"], trainable=True)


def record_execution(
    label: str,
    run: Callable[[Sequence[EagerTensor]], list[EagerTensor]],
    tensors: Sequence[EagerTensor],
    within: Callable[[tuple[Any, ...]], State],
) -> tuple[list[EagerTensor], Recording]:
    """Runs a function under a tape of its own; returns its outputs and the recording of this execution.

    `within` gives the state to run it in, from the tapes in force and its own.
    """
    tensors = distinct(tensors)
    tape = tape_of(tensors)
    before = context.get()
    context.set_state(within((*(before or context.base()).tapes, tape)))
    try:
        outputs = run(tensors)
    finally:
        context.set_state(before)
    return outputs, Recording(label, tape, tuple(tensors), tuple(outputs))
