"""Elements gathered into batches by a queue, in order or at random, from one place or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.parameters import described
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape, as_shape
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import name_scope
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import control, math, scatter
from inlay._src.programs.control.branches import cond
from inlay._src.tf1.queues import sparse_parts
from inlay._src.tf1.queues.producers import as_tensors
from inlay._src.tf1.queues.queue import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from inlay._src.tf1.queues.queue_runner import QueueRunner, add_queue_runner
from inlay._src.tf1.summaries import summary_ops

# ---------------------------------------------------------------- elements


def _listed(tensors: Any) -> list[Any]:
    """The parts of one element, those of a dictionary in the order of its keys."""
    return [tensors[k] for k in sorted(tensors, key=str)] if isinstance(tensors, Mapping) else list(tensors)


def _like(element: Any, parts: Any) -> Any:
    """The parts of a batch in the structure of an element."""
    if not isinstance(element, Mapping):
        return parts
    return dict(zip(sorted(element, key=str), [parts] if len(element) == 1 else parts, strict=True))


def _checked_sources(tensors_list: Any) -> Any:
    """The elements of each source, which have the same components."""
    if not isinstance(tensors_list, (list, tuple)):
        raise TypeError(f"`tensors_list` must be a list of one element per source, got {repr_of(tensors_list)}")
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    first = tensors_list[0]
    if not isinstance(first, Mapping):
        return tensors_list
    if not all(isinstance(t, Mapping) and set(t) == set(first) for t in tensors_list):
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    return tensors_list


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
    merged_shapes = []
    for several in zip(*sources, strict=False):
        for tensor in several:
            if tensor.shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        whole = [as_shape(t.shape) for t in several]
        parts = [s.with_rank_at_least(1)[1:] if enqueue_many else s for s in whole]
        merged: TensorShape = parts[0]
        for other in parts[1:]:
            merged.merge_with(other)  # they must agree; TensorFlow goes on with the first
        merged_shapes.append(merged.as_list())
    return merged_shapes


# ---------------------------------------------------------------- the queue


def _putting(queue: QueueBase, parts: Sequence[Any], enqueue_many: bool, keep: Any) -> Any:
    """The operation that puts an element, or a batch of them, into a queue where it should be kept."""
    put = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep.shape.rank == 1:
        chosen = math.cast(keep, dtypes.int32)
        return put([scatter.dynamic_partition(t, chosen, 2)[1] for t in parts])
    static = graphs.static_value_of(keep)
    if static is not None:
        return put(list(parts)) if static else control.no_op()
    return cond(keep, lambda: put(list(parts)), control.no_op)


def _gathered(
    label: str,
    make_queue: Callable[[list[Any], Any], QueueBase],
    fullness: Callable[[QueueBase], tuple[str, Any]],
    tensors: Any,
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    name: str | None,
) -> Any:
    """Batches from a queue.

    Args:
      label: the default name of the scope, for one source; `_join` follows it for several.
      make_queue: makes the queue from the dtypes and shapes of the components.
      fullness: the name and the value of the summary of the queue's size.
      tensors: an element of the only source; None if there are several.
      tensors_list: an element of each source.
      keep_input, batch_size, num_threads, enqueue_many, shapes, allow_smaller_final_batch, name: as for `_in_order`.
    """
    elements = [tensors]
    if tensors is None:
        elements, label = _checked_sources(tensors_list), f"{label}_join"
    if context.executing_eagerly():
        raise ValueError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to "
            "ingest data into your model instead."
        )
    sources = [_listed(element) for element in elements]
    with name_scope(name, label, [t for parts in sources for t in parts]) as scope:
        if not sources[0]:
            raise ValueError("Expected at least one tensor in batch().")
        sparse = sparse_parts.kinds(sources, enqueue_many)
        components = [as_tensors(sparse_parts.packed(parts, enqueue_many)) for parts in sources]
        keep = _keep(keep_input, enqueue_many)
        queue = make_queue(_types(components), _shapes(components, shapes, enqueue_many))
        puts = [_putting(queue, parts, enqueue_many, keep) for parts in components]
        add_queue_runner(QueueRunner(queue, puts * num_threads))
        summary_ops.scalar(*fullness(queue))
        dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        taken = dequeue(batch_size, name=scope)
        batch = sparse_parts.unpacked(taken if isinstance(taken, list) else [taken], sparse)
        return _like(elements[0], batch if len(batch) > 1 else batch[0])


def _in_order(
    batch_size: Any,
    tensors: Any = None,
    tensors_list: Any = None,
    keep_input: Any = True,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements in their order, gathered by a queue that a runner of the graph fills.

    Args:
      tensors: an element: a list or dictionary of tensors. Each run of them gives another one.
      tensors_list: a list of elements with the same components, one per source. Each source has a thread of its own.
      keep_input: whether an element is kept, a bool scalar; with `enqueue_many` also a vector, one for each.
      batch_size: the number of elements per batch, an int32 scalar.
      num_threads: the number of threads that fill the queue; with several the order is not known.
      capacity: the number of elements in the queue.
      enqueue_many: whether `tensors` are several elements, along the first axis.
      shapes: the shape of each component of an element, where it is not known.
      dynamic_pad: whether components vary in size; batches are filled up with zeros.
      allow_smaller_final_batch: whether the rest at the end is a batch too; the size of batches is not known then.
      shared_name: of the queue.
      name: of the scope.

    Returns:
      Like an element, with an axis of size `batch_size` in front; a tensor for a list of one.

    Raises:
      ValueError: if shapes are not known, and while executing eagerly.
    """

    def make_queue(types: list[Any], shapes: Any) -> QueueBase:
        queue_class = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        return queue_class(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)

    def fullness(queue: QueueBase) -> tuple[str, Any]:
        return f"fraction_of_{capacity}_full", math.cast(queue.size(), dtypes.float32) * (1.0 / capacity)

    return _gathered(
        "batch", make_queue, fullness, tensors, tensors_list, keep_input, batch_size, num_threads, enqueue_many,
        shapes, allow_smaller_final_batch, name,
    )  # fmt: skip


@described(_in_order.__doc__)
def _at_random(
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    tensors: Any = None,
    tensors_list: Any = None,
    keep_input: Any = True,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements in a random order, gathered by a queue that a runner of the graph fills.

    Args:
      min_after_dequeue: the number of elements that stay in the queue, to be shuffled.
      seed: of the order.
    """
    if capacity <= min_after_dequeue:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}.")
    room = capacity - min_after_dequeue

    def make_queue(types: list[Any], shapes: Any) -> QueueBase:
        return RandomShuffleQueue(
            capacity, min_after_dequeue, dtypes=types, shapes=shapes, seed=seed, shared_name=shared_name
        )

    def fullness(queue: QueueBase) -> tuple[str, Any]:
        over = math.cast(math.maximum(0, queue.size() - min_after_dequeue), dtypes.float32)
        return f"fraction_over_{min_after_dequeue}_of_{room}_full", over * (1.0 / room)

    return _gathered(
        "shuffle_batch", make_queue, fullness, tensors, tensors_list, keep_input, batch_size, num_threads,
        enqueue_many, shapes, allow_smaller_final_batch, name,
    )  # fmt: skip


# ---------------------------------------------------------------- public

_ORDERED = (
    "capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False, allow_smaller_final_batch=False, "
    "shared_name=None, name=None"
)
_SHUFFLED = "seed=None, enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None"

batch: Any = export("train.batch")(another_form(_in_order, f"tensors, batch_size, num_threads=1, {_ORDERED}", "batch"))
maybe_batch: Any = export("train.maybe_batch")(
    another_form(_in_order, f"tensors, keep_input, batch_size, num_threads=1, {_ORDERED}", "maybe_batch")
)
batch_join: Any = export("train.batch_join")(
    another_form(_in_order, f"tensors_list, batch_size, {_ORDERED}", "batch_join")
)
maybe_batch_join: Any = export("train.maybe_batch_join")(
    another_form(_in_order, f"tensors_list, keep_input, batch_size, {_ORDERED}", "maybe_batch_join")
)
shuffle_batch: Any = export("train.shuffle_batch")(
    another_form(
        _at_random, f"tensors, batch_size, capacity, min_after_dequeue, num_threads=1, {_SHUFFLED}", "shuffle_batch"
    )
)
maybe_shuffle_batch: Any = export("train.maybe_shuffle_batch")(
    another_form(
        _at_random,
        f"tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, {_SHUFFLED}",
        "maybe_shuffle_batch",
    )
)
shuffle_batch_join: Any = export("train.shuffle_batch_join")(
    another_form(
        _at_random, f"tensors_list, batch_size, capacity, min_after_dequeue, {_SHUFFLED}", "shuffle_batch_join"
    )
)
maybe_shuffle_batch_join: Any = export("train.maybe_shuffle_batch_join")(
    another_form(
        _at_random,
        f"tensors_list, batch_size, capacity, min_after_dequeue, keep_input, {_SHUFFLED}",
        "maybe_shuffle_batch_join",
    )
)
