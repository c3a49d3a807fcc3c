"""Queues: elements of several components, put in by some runs and taken out by others."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dimension, TensorShape, as_shape
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import init_scope, name_scope
from inlay._src.core.eager.attributes import text
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.seeds import get_seed
from inlay._src.tf1.queues.queue_ops import HANDLES
from inlay._src.tf1.queues.queue_state import QueueKey, QueueSpec

UNBOUNDED = 2**31 - 1
"""The capacity of a queue that is said to have a negative one."""


@export("queue.QueueBase", "QueueBase", "compat.v1.io.QueueBase")
class QueueBase:
    """A queue of elements, each of which has the same components.

    Runs that put elements in wait while the queue is full, those that take some out while it has too few; other runs
    go on meanwhile. The queues of a graph belong to a session; made while executing eagerly a queue is one of this
    process, and a call that waits for it blocks its thread.

    Args:
      dtypes: the dtype of each component.
      shapes: the shape of each component, or None: they may have any.
      names: the name of each component, or None. With names, elements are dictionaries.
      queue_ref: the handle.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any) -> None:
        for what, entries in (("shapes", shapes), ("names", names)):
            if entries is not None and len(entries) != len(dtypes):
                raise ValueError(
                    f"Queue {what} must have the same length as dtypes, received len({what})={len(entries)}, "
                    f"len(dtypes)={len(dtypes)}"
                )
        self._dtypes = dtypes
        self._shapes = [TensorShape(None)] * len(dtypes) if shapes is None else [TensorShape(s) for s in shapes]
        self._names = names
        self._queue_ref = queue_ref
        self._name: str = queue_ref.op.name.rpartition("/")[2] if isinstance(queue_ref, SymbolicTensor) else "Empty"

    @staticmethod
    def from_list(index: Any, queues: list[QueueBase]) -> QueueBase:
        """One of several queues with the same components.

        Args:
          index: the index of the queue, an int32 scalar.
          queues: a list of queues.

        Raises:
          TypeError: if that is no list of queues, or their components differ.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(first.dtypes == q.dtypes for q in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(first.names == q.names for q in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common(several) for several in zip(*(q.shapes for q in queues), strict=True)]
        chosen = emit(OPS["SelectQueue"], (index, [q.queue_ref for q in queues]))
        return QueueBase(dtypes=first.dtypes, shapes=shapes, names=first.names, queue_ref=chosen)

    @property
    def queue_ref(self) -> Tensor:
        """The handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of its node."""
        if context.executing_eagerly() or not isinstance(self._queue_ref, SymbolicTensor):
            return self._name
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of each component."""
        return self._dtypes  # type: ignore[no-any-return]

    @property
    def shapes(self) -> list[TensorShape]:
        """The partial shape of each component."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The name of each component, or None."""
        return self._names  # type: ignore[no-any-return]

    # ---- putting in

    def _components(self, vals: Any) -> list[Any]:
        """The components of an element or a batch as tensors."""
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals, key=str)}, Queue: {sorted(self._names, key=str)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError(
                f"an element of queue '{self._name}' has {len(self._dtypes)} components, got {len(vals)}: {vals}"
            )
        return [
            convert_to_tensor(value, dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=True))
        ]

    def enqueue(self, vals: Any, name: str | None = None) -> Operation | None:
        """Puts an element in, once there is room.

        Args:
          vals: a tensor, a list of tensors, or a dictionary of them by name.
          name: the operation's.

        Returns:
          The operation; None while executing eagerly.

        Raises:
          CancelledError: when it runs, if the queue is closed, or what waits is cancelled; see `close`.
        """
        with name_scope(name, f"{self._name}_enqueue", _operands(vals)) as scope:
            components = self._components(vals)
            for value, shape in zip(components, self._shapes, strict=True):
                value.shape.assert_is_compatible_with(shape)
            return emit(OPS["QueueEnqueueV2"], (self._queue_ref, components), {}, scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation | None:
        """Puts several elements in, one after the other, each once there is room.

        Args:
          vals: as for `enqueue`; the elements are the slices along the first axis, which has the same size in all.
          name: the operation's.

        Returns:
          The operation; None while executing eagerly.

        Raises:
          CancelledError: when it runs, if the queue is closed, or what waits is cancelled; see `close`.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", _operands(vals)) as scope:
            components = self._components(vals)
            size = Dimension(None)
            for value, shape in zip(components, self._shapes, strict=True):
                whole = value.shape.with_rank_at_least(1)
                size = size.merge_with(Dimension(None if whole.rank is None else whole.as_list()[0]))
                whole[1:].assert_is_compatible_with(shape)
            return emit(OPS["QueueEnqueueManyV2"], (self._queue_ref, components), {}, scope)

    # ---- taking out

    def _taken(self, kind: str, more: tuple[Any, ...], ahead: Sequence[int | None], name: str) -> Any:
        attrs = {"component_types": tuple(self._dtypes)}
        tensors = emit(OPS[kind], (self._queue_ref, *more), attrs, name)
        if isinstance(tensors[0], SymbolicTensor):
            for tensor, shape in zip(tensors, self._shapes, strict=True):
                tensor.set_shape(TensorShape(list(ahead)).concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name: str | None = None) -> Tensor | Any:
        """Takes an element out, once there is one.

        Args:
          name: the operation's.

        Returns:
          A tensor, a list of tensors if there are several components, or a dictionary if they have names.

        Raises:
          OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        return self._taken("QueueDequeueV2", (), (), name or f"{self._name}_Dequeue")

    def dequeue_many(self, n: Any, name: str | None = None) -> Tensor | Any:
        """Takes a batch of elements out, once there are so many.

        Args:
          n: the number of elements, an int32 scalar.
          name: the operation's.

        Returns:
          As `dequeue`, with an axis of size `n` in front.

        Raises:
          OutOfRangeError: when it runs, if the queue is closed and has fewer.
        """
        count = n if isinstance(n, int) else graphs.static_value_of(n) if isinstance(n, SymbolicTensor) else None
        ahead = [None if count is None else int(count)]
        return self._taken("QueueDequeueManyV2", (n,), ahead, name or f"{self._name}_DequeueMany")

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Tensor | Any:
        """Takes a batch of elements out, once there are so many; when the queue is closed, those that are left.

        Args:
          n: the number of elements, an int32 scalar.
          name: the operation's.

        Returns:
          As `dequeue`, with an axis of size `n` or less in front.

        Raises:
          OutOfRangeError: when it runs, if the queue is closed and empty.
        """
        return self._taken("QueueDequeueUpToV2", (n,), [None], name or f"{self._name}_DequeueUpTo")

    # ---- the rest

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation | None:
        """Closes the queue: nothing more is put in, and those that take more out than there is fail.

        Args:
          cancel_pending_enqueues: whether those that wait to put elements in fail with `CancelledError`; otherwise it
            waits for them.
          name: the operation's.

        Returns:
          The operation; None while executing eagerly.
        """
        attrs = {"cancel_pending_enqueues": cancel_pending_enqueues}
        return emit(OPS["QueueCloseV2"], (self._queue_ref,), attrs, name or f"{self._name}_Close")

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether it is closed, a bool scalar.

        Args:
          name: the operation's.
        """
        return emit(OPS["QueueIsClosedV2"], (self._queue_ref,), {}, name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements in it, an int32 scalar.

        Args:
          name: the operation's.
        """
        return emit(OPS["QueueSizeV2"], (self._queue_ref,), {}, name or f"{self._name}_Size")


def _operands(vals: Any) -> list[Any]:
    """The components of an element to enqueue, as a list."""
    return list(vals) if isinstance(vals, (list, tuple)) else list(vals.values()) if isinstance(vals, dict) else [vals]


def _common(several: Sequence[TensorShape]) -> TensorShape:
    """The most specific shape that is compatible with all."""
    first = several[0]
    for other in several[1:]:
        first = first.most_specific_compatible_shape(other)
    return first


# ---------------------------------------------------------------- the kinds


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _shape_list(shapes: Any, partial: bool) -> list[TensorShape] | None:
    """The shapes of components as users say them; `partial` ones have a known rank.

    Raises:
      TypeError, ValueError: if they are no list of shapes, or less is known than must be.
    """
    if partial and (
        not isinstance(shapes, Sequence) or not shapes or any(s is None or isinstance(s, int) for s in shapes)
    ):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError(f"Shapes must be a TensorShape or a list or tuple of TensorShapes, got {type(shapes)} instead.")
    if all(s is None or isinstance(s, int) for s in shapes):
        shapes = [shapes]
    partial_shapes = [as_shape(s) for s in shapes]
    if not partial and not all(s.is_fully_defined() for s in partial_shapes):
        raise ValueError(f"All shapes must be fully defined: {partial_shapes}")
    if any(s.rank is None for s in partial_shapes):
        raise ValueError(f"All shapes must have a defined rank: {partial_shapes}")
    return partial_shapes


def _name_list(names: Any, kinds: Sequence[Any]) -> list[str] | None:
    if names is None:
        return None
    listed = _listed(names)
    if len(listed) != len(kinds):
        raise ValueError(
            f"List of names must have the same length as the list of dtypes, received len(names)={len(listed)},"
            f"len(dtypes)={len(kinds)}"
        )
    return listed


def _kinds(types: Any) -> list[DType]:
    return [dtypes.as_dtype(d) for d in _listed(types)]


def _new_handle(spec: QueueSpec, shared_name: str | None, name: str | None) -> Any:
    """The handle of a new queue; a function that is traced uses one of the graph, or the process, around it."""
    with init_scope():
        graph = context.current().graph
        if graph is None:
            return EagerTensor(QueueKey(name or spec.kind, spec).make(), dtypes.resource)
        shared = "" if shared_name is None else text(shared_name, "shared_name")
        key = QueueKey("", spec, shared)
        attrs = {
            "handle": graph.resources.add(key, name or spec.kind),
            "component_types": spec.component_types,
            "shapes": spec.shapes,
            "capacity": spec.capacity,
            "shared_name": shared,
        }
        node = graph.add(HANDLES[spec.kind], (), attrs, (dtypes.resource,), ((),), name)
        key.name = node.name
        return node.outputs[0]


def _spec(kind: str, kinds: Sequence[DType], shapes: Sequence[TensorShape] | None, capacity: int) -> QueueSpec:
    if shapes is not None and len(shapes) != len(kinds):
        raise ValueError(
            f"Queue shapes must have the same length as dtypes, received len(shapes)={len(shapes)}, "
            f"len(dtypes)={len(kinds)}"
        )
    dims = () if shapes is None else tuple(s._dims for s in shapes)
    return QueueSpec(kind, tuple(kinds), dims, UNBOUNDED if int(capacity) < 0 else int(capacity))


@export("queue.FIFOQueue", "FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue that gives its elements out in the order in which they came.

    Args:
      capacity: its capacity in elements.
      dtypes: the dtype of each component.
      shapes: the shape of each component, fully known; None means any, and then nothing is taken out in batches.
      names: the name of each component; with names, elements are dictionaries.
      shared_name: queues of one session with the same one are one queue.
      name: the node's.

    Raises:
      InvalidArgumentError: when it runs, if `shared_name` names a queue that is another kind.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str | None = "fifo_queue",
    ) -> None:
        kinds, component_shapes = _kinds(dtypes), _shape_list(shapes, partial=False)
        spec = _spec("FIFOQueue", kinds, component_shapes, capacity)
        super().__init__(kinds, component_shapes, _name_list(names, kinds), _new_handle(spec, shared_name, name))


@export("queue.RandomShuffleQueue", "RandomShuffleQueue", "compat.v1.io.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements out in a random order, the same as TensorFlow's for the same seeds.

    Args:
      capacity: its capacity in elements.
      min_after_dequeue: the number of elements that remain in it, to be shuffled, until it is closed.
      dtypes, shapes, names, shared_name: as for `FIFOQueue`.
      seed: of the order; with none, and none set for the graph, it differs from run to run.
      name: the node's.

    Raises:
      InvalidArgumentError: if `min_after_dequeue` is negative or not less than `capacity`.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str | None = "random_shuffle_queue",
    ) -> None:
        kinds, component_shapes = _kinds(dtypes), _shape_list(shapes, partial=False)
        first, second = get_seed(seed)
        if seed is None and first is not None and shared_name is not None:
            # Graphs that share the queue agree on its order: md5 as TensorFlow does, for the same order.
            digest = hashlib.md5(f"{first}{shared_name}".encode(), usedforsecurity=False).hexdigest()
            second = int(digest[:8], 16) & 0x7FFFFFFF
        plain = _spec("RandomShuffleQueue", kinds, component_shapes, capacity)
        spec = QueueSpec(
            plain.kind, plain.component_types, plain.shapes, plain.capacity, int(min_after_dequeue),
            (first or 0, second or 0),
        )  # fmt: skip
        super().__init__(kinds, component_shapes, _name_list(names, kinds), _new_handle(spec, shared_name, name))


@export("queue.PaddingFIFOQueue", "PaddingFIFOQueue", "compat.v1.io.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """A queue in order whose components may vary in size: batches are filled up with zeros (empty text for strings).

    Args:
      capacity: its capacity in elements.
      dtypes, names, shared_name: as for `FIFOQueue`.
      shapes: the partial shape of each component, of known rank; a batch is as large along what is not known as its
        largest element.
      name: the node's.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str | None = "padding_fifo_queue",
    ) -> None:
        kinds, component_shapes = _kinds(dtypes), _shape_list(shapes, partial=True)
        assert component_shapes is not None
        if len(component_shapes) != len(kinds):
            raise ValueError(
                f"Shapes must be provided for all components, but received {len(kinds)} dtypes and "
                f"{len(component_shapes)} shapes."
            )
        spec = _spec("PaddingFIFOQueue", kinds, component_shapes, capacity)
        super().__init__(kinds, component_shapes, _name_list(names, kinds), _new_handle(spec, shared_name, name))


@export("queue.PriorityQueue", "PriorityQueue", "compat.v1.io.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue that gives the element with the lowest number out first.

    Elements have an int64 scalar in front, their priority; of equal ones the one that came first is given first.

    Args:
      capacity: its capacity in elements.
      types: the dtype of each component behind the priority.
      shapes: their shapes, fully known.
      names: the name of each, without the priority.
      shared_name: queues of one session with the same one are one queue.
      name: the node's.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str | None = "priority_queue",
    ) -> None:
        kinds, component_shapes = _kinds(types), _shape_list(shapes, partial=False)
        whole = [dtypes.int64, *kinds]
        sizes = None if component_shapes is None else [TensorShape([]), *component_shapes]
        spec = _spec("PriorityQueue", whole, sizes, capacity)
        super().__init__(whole, sizes, _name_list(names, whole), _new_handle(spec, shared_name, name))
