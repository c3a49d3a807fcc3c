"""Producers of queues: the rows of a tensor, strings or numbers, for a number of epochs and in any order."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, files, gathering, math, printing, random, ranges
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.queues.queue import FIFOQueue
from inlay._src.tf1.queues.queue_runner import QueueRunner, add_queue_runner
from inlay._src.tf1.summaries import summary_ops


@export("io.match_filenames_once", "train.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """The names of the files that match, found once: a local variable.

    Args:
      pattern: strings, as for `io.matching_files`.
      name: the variable's.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            initial_value=files.matching_files(pattern),
            trainable=False,
            name=scope,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


@export("train.limit_epochs")
def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Tensor:
    """A tensor that can be read so many times.

    A local variable, `epochs`, counts the reads: `local_variables_initializer()` must run first.

    Args:
      tensor: any tensor.
      num_epochs: the number of times; None is without limit.
      name: the operation's.

    Returns:
      A tensor like `tensor`.

    Raises:
      OutOfRangeError: when it runs once more.
      ValueError: if `num_epochs` is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(
            convert_to_tensor(0, dtypes.int64), name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        counter = epochs.count_up_to(num_epochs)
        with graphs.default_graph().control_dependencies([counter]):
            return array.identity(tensor, name=scope)


@export("train.input_producer")
def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of the rows of a tensor, filled by a runner of the graph.

    Args:
      input_tensor: the rows, along the first axis.
      element_shape: the shape of a row, where it is not known.
      num_epochs: the number of passes over all rows, which needs `local_variables_initializer()`; None is without end.
      shuffle: whether their order is random, another one each time.
      seed: of that order.
      capacity: of the queue.
      shared_name: of the queue.
      summary_name: of a summary of how full the queue is.
      name: of the scope.
      cancel_op: the operation that runs when the coordinator stops; None closes the queue and cancels what waits.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if the shape of a row is not known.
    """
    if context.executing_eagerly():
        raise RuntimeError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to "
            "ingest data into your model instead."
        )
    with name_scope(name, "input_producer", [input_tensor]):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            rows = random.shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(capacity, dtypes=[rows.dtype.base_dtype], shapes=[shape], shared_name=shared_name, name=name)
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            summary_ops.scalar(summary_name, math.cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


@export("train.string_input_producer")
def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of strings, such as the names of files.

    Args:
      string_tensor: strings, rank 1.
      num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op: as for `input_producer`.

    Raises:
      ValueError: for an empty list.
      InvalidArgumentError: when it runs, for an empty tensor.
    """
    refused = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (Tensor, Variable)) and not len(string_tensor):
        raise ValueError(refused)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = convert_to_tensor(string_tensor, dtypes.string)
        check = printing.assert_(math.greater(array.size(strings), 0), [refused])
        with graphs.default_graph().control_dependencies([check]):
            strings = array.identity(strings)
        full = f"fraction_of_{capacity}_full"
        return input_producer(
            strings, [], num_epochs, shuffle, seed, capacity, shared_name, full, name=scope, cancel_op=cancel_op
        )


@export("train.range_input_producer")
def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the numbers from 0 up to a limit.

    Args:
      limit: an int32 scalar.
      num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        numbers = ranges.range_(limit)
        full = f"fraction_of_{capacity}_full"
        return input_producer(numbers, [], num_epochs, shuffle, seed, capacity, shared_name, full, scope)


@export("train.slice_input_producer")
def slice_input_producer(
    tensor_list: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """A row of each of several tensors, always the same one of all.

    Args:
      tensor_list: tensors whose first axis has the same size.
      num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.

    Returns:
      A tensor for each: its row, without the first axis.
    """
    with name_scope(name, "input_producer", list(tensor_list)):
        tensors = as_tensors(tensor_list)
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        size = array.shape(tensors[0])[0]
        queue = range_input_producer(size, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [gathering.gather(t, index) for t in tensors]


def as_tensors(values: Any) -> list[Any]:
    """The values as tensors; indexed slices as they are."""
    return [v if isinstance(v, IndexedSlices) else convert_to_tensor(v) for v in values]
