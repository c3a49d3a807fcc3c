"""Elements gathered into batches by a queue, in order or at random, from one place or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape, as_shape
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import control, math, scatter
from inlay._src.programs.control.branches import cond
from inlay._src.tf1.queues import sparse_parts
from inlay._src.tf1.queues.producers import as_tensors
from inlay._src.tf1.queues.queue import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from inlay._src.tf1.queues.queue_runner import QueueRunner, add_queue_runner
from inlay._src.tf1.summaries import summary_ops

MakeQueue = Callable[[list[Any], list[Any]], QueueBase]
"""Makes a queue of components of these dtypes and shapes."""


# ---------------------------------------------------------------- what is given


def _listed(tensors: Any) -> list[Any]:
    """The parts of one element, those of a dictionary in the order of its keys."""
    return [tensors[k] for k in sorted(tensors, key=str)] if isinstance(tensors, Mapping) else list(tensors)


def _like(given: Any, parts: Any) -> Any:
    """What a queue gives, as it was given."""
    if not isinstance(given, Mapping):
        return parts
    return dict(zip(sorted(given, key=str), [parts] if len(given) == 1 else parts, strict=True))


def _sources(tensors_list: Any) -> list[list[Any]]:
    """The parts of the elements of each source."""
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    first = tensors_list[0]
    if isinstance(first, Mapping) and any(set(t) != set(first) for t in tensors_list[1:]):
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [_listed(tensors) for tensors in tensors_list]


def _keep(keep_input: Any, enqueue_many: bool) -> Any:
    keep = convert_to_tensor(keep_input)
    rank = keep.shape.rank
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def _types(sources: Sequence[Sequence[Any]]) -> list[Any]:
    first = [t.dtype for t in sources[0]]
    for parts in sources[1:]:
        other = [t.dtype for t in parts]
        if other != first:
            raise TypeError(
                f"Expected types to be consistent: {', '.join(d.name for d in first)} vs. "
                f"{', '.join(d.name for d in other)}."
            )
    return first


def _shapes(sources: Sequence[Sequence[Any]], shapes: Any, enqueue_many: bool) -> Any:
    """The shape of each component of an element: as said, or what is known of all sources."""
    if shapes is not None:
        return shapes
    found = []
    for several in zip(*sources, strict=False):
        for tensor in several:
            if tensor.shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        whole = [as_shape(t.shape) for t in several]
        parts = [s.with_rank_at_least(1)[1:] if enqueue_many else s for s in whole]
        merged: TensorShape = parts[0]
        for other in parts[1:]:
            merged.merge_with(other)  # they must agree; TensorFlow goes on with the first
        found.append(merged.as_list())
    return found


# ---------------------------------------------------------------- the one way


def _putting(queue: QueueBase, parts: Sequence[Any], enqueue_many: bool, keep: Any) -> Any:
    """The operation that puts an element, or a batch of them, into a queue where it is to be kept."""
    put = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep.shape.rank == 1:
        chosen = math.cast(keep, dtypes.int32)
        return put([scatter.dynamic_partition(t, chosen, 2)[1] for t in parts])
    known = graphs.static_value_of(keep)
    if known is not None:
        return put(list(parts)) if known else control.no_op()
    return cond(keep, lambda: put(list(parts)), control.no_op)


def _gathered(
    label: str,
    given: Any,
    sources: Sequence[Sequence[Any]],
    threads: int,
    batch_size: Any,
    keep_input: Any,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    make: MakeQueue,
    full: Callable[[QueueBase], tuple[str, Any]],
    name: str | None,
) -> Any:
    """What all functions below do.

    Args:
      label: of the scope.
      given: an element as the user said it.
      sources: the parts of an element of each source.
      threads: how many fill the queue from a source.
      make: makes the queue.
      full: the name and the value of the summary of how full it is.
      batch_size, keep_input, enqueue_many, shapes, allow_smaller_final_batch, name: as the user says.
    """
    if context.executing_eagerly():
        raise ValueError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to "
            "ingest data into your model instead."
        )
    with name_scope(name, label, [t for parts in sources for t in parts]) as scope:
        if not sources or not sources[0]:
            raise ValueError("Expected at least one tensor in batch().")
        sparse = sparse_parts.kinds(sources, enqueue_many)
        tensors = [as_tensors(sparse_parts.packed(parts, enqueue_many)) for parts in sources]
        keep = _keep(keep_input, enqueue_many)
        queue = make(_types(tensors), _shapes(tensors, shapes, enqueue_many))
        puts = [_putting(queue, parts, enqueue_many, keep) for parts in tensors]
        add_queue_runner(QueueRunner(queue, puts * threads))
        summary_ops.scalar(*full(queue))
        taken = (queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many)(batch_size, name=scope)
        taken = taken if isinstance(taken, list) else [taken]
        whole = sparse_parts.unpacked(taken, sparse)
        return _like(given, whole if len(whole) > 1 else whole[0])


def _share(capacity: int) -> Callable[[QueueBase], tuple[str, Any]]:
    def full(queue: QueueBase) -> tuple[str, Any]:
        return f"fraction_of_{capacity}_full", math.cast(queue.size(), dtypes.float32) * (1.0 / capacity)

    return full


def _share_over(minimum: int, capacity: int) -> Callable[[QueueBase], tuple[str, Any]]:
    def full(queue: QueueBase) -> tuple[str, Any]:
        over = math.cast(math.maximum(0, queue.size() - minimum), dtypes.float32)
        share = over * (1.0 / (capacity - minimum))
        return f"fraction_over_{minimum}_of_{capacity - minimum}_full", share

    return full


def _in_order(capacity: int, dynamic_pad: bool, shared_name: str | None) -> MakeQueue:
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return lambda kinds, shapes: kind(capacity=capacity, dtypes=kinds, shapes=shapes, shared_name=shared_name)


def _at_random(capacity: int, min_after_dequeue: int, seed: int | None, shared_name: str | None) -> MakeQueue:
    if capacity <= min_after_dequeue:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}.")
    return lambda kinds, shapes: RandomShuffleQueue(
        capacity, min_after_dequeue, dtypes=kinds, shapes=shapes, seed=seed, shared_name=shared_name
    )


# ---------------------------------------------------------------- the names


@export("train.batch")
def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements, gathered by a queue that a runner of the graph fills.

    Args:
      tensors: an element: a list or dictionary of tensors. Every run of them gives another one.
      batch_size: how many elements a batch has, an int32 scalar.
      num_threads: how many threads fill the queue; with several the order is not known.
      capacity: how many elements the queue holds.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      dynamic_pad: whether components vary in size; batches are filled up with zeros.
      allow_smaller_final_batch: whether what is left at the end is a batch too; its size is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like `tensors`, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly.
    """
    return maybe_batch(
        tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name,
    )  # fmt: skip


@export("train.maybe_batch")
def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of the elements that are to be kept.

    Args:
      keep_input: whether an element is kept, a bool scalar; with `enqueue_many` also a vector, one for each.
      tensors, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name: as for `batch`.
    """
    return _gathered(
        "batch", tensors, [_listed(tensors)], num_threads, batch_size, keep_input, enqueue_many, shapes,
        allow_smaller_final_batch, _in_order(capacity, dynamic_pad, shared_name), _share(capacity), name,
    )  # fmt: skip


@export("train.batch_join")
def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, from several sources, each with a thread of its own.

    Args:
      tensors_list: a list of elements, one per source, with the same components.
      batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name, name: as for
        `batch`.
    """
    return maybe_batch_join(
        tensors_list, True, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name,
    )  # fmt: skip


@export("train.maybe_batch_join")
def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch_join`, of the elements that are to be kept; see `maybe_batch`.

    Args:
      keep_input: as for `maybe_batch`.
      tensors_list, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name,
        name: as for `batch_join`.
    """
    sources = _sources(tensors_list)
    return _gathered(
        "batch_join", tensors_list[0], sources, 1, batch_size, keep_input, enqueue_many, shapes,
        allow_smaller_final_batch, _in_order(capacity, dynamic_pad, shared_name), _share(capacity), name,
    )  # fmt: skip


@export("train.shuffle_batch")
def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements in a random order; see `batch`.

    Args:
      min_after_dequeue: how many elements stay in the queue, to be shuffled.
      seed: of the order.
      tensors, batch_size, capacity, num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name: as
        for `batch`.
    """
    return maybe_shuffle_batch(
        tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


@export("train.maybe_shuffle_batch")
def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of the elements that are to be kept; see `maybe_batch`.

    Args:
      keep_input: as for `maybe_batch`.
      tensors, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name: as for `shuffle_batch`.
    """
    return _gathered(
        "shuffle_batch", tensors, [_listed(tensors)], num_threads, batch_size, keep_input, enqueue_many, shapes,
        allow_smaller_final_batch, _at_random(capacity, min_after_dequeue, seed, shared_name),
        _share_over(min_after_dequeue, capacity), name,
    )  # fmt: skip


@export("train.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, from several sources, each with a thread of its own.

    Args:
      tensors_list: as for `batch_join`.
      batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name:
        as for `shuffle_batch`.
    """
    return maybe_shuffle_batch_join(
        tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


@export("train.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch_join`, of the elements that are to be kept; see `maybe_batch`.

    Args:
      keep_input: as for `maybe_batch`.
      tensors_list, batch_size, capacity, min_after_dequeue, seed, enqueue_many, shapes, allow_smaller_final_batch,
        shared_name, name: as for `shuffle_batch_join`.
    """
    sources = _sources(tensors_list)
    return _gathered(
        "shuffle_batch_join", tensors_list[0], sources, 1, batch_size, keep_input, enqueue_many, shapes,
        allow_smaller_final_batch, _at_random(capacity, min_after_dequeue, seed, shared_name),
        _share_over(min_after_dequeue, capacity), name,
    )  # fmt: skip
