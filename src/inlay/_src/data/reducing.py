"""Results of whole datasets: `reduce`, `get_single_element` and `cardinality`, at once or as a node of a graph."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import EagerTensor
from inlay._src.data import graph_ops
from inlay._src.data.caching import CacheNode
from inlay._src.data.element import Element, Values, values_of
from inlay._src.data.graph_iterators import graph_in_force
from inlay._src.data.graph_ops import Task
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import INFINITE, UNKNOWN, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.scanning import Stepped
from inlay._src.data.sizes import scalar, size_tensor
from inlay._src.data.spec import Bound, GivenNode
from inlay._src.programs.program import RUNNING

VALUE = Element(TensorSpec((), dtypes.variant))
COUNT = Element(TensorSpec((), dtypes.int64))


def reduced(node: Node, options: Options, initial: Any, function: Callable[..., Any]) -> Any:
    """The last state of `state = function(state, element)`; see `Dataset.reduce`."""
    step = Stepped(function, initial, node.element, "Dataset.reduce()", lambda spec: spec)
    task = Task(node, options, functools.partial(_reduce, step.mapped), step.mapped.captures)
    state = Element(nest.pack_sequence_as(step.state, nest.flatten(step.mapped.element.spec)))
    return result_of(graph_ops.REDUCE_DATASET, task, step.tensors, state)


def single(node: Node, options: Options) -> Any:
    """The only element; see `Dataset.get_single_element`."""
    return result_of(graph_ops.SINGLE_ELEMENT, Task(node, options, _single), (), node.element)


def dataset_tensor(node: Node, options: Options) -> Any:
    """A dataset as a tensor. Tensors of a graph that it uses are evaluated when that tensor is computed."""
    if isinstance(node, GivenNode):
        return node.tensors[0]
    return result_of(graph_ops.DATASET, Task(node, options, _bound), (), VALUE)


def tensor_of_bound(bound: Bound, graph: Graph) -> Any:
    """A dataset that has its values, as a tensor of a graph, where these are constants and captures."""
    task, iteration = Task(bound.node, bound.iteration.options, _bound), bound.iteration
    used = [EagerTensor(iteration.value(tensor), tensor.dtype) for tensor in task.used]
    return graph_ops.add_task(graph, graph_ops.DATASET, task, (), [dtypes.variant], [()], used=used).outputs[0]


def element_at(node: Node, options: Options, index: Any) -> Any:
    """The element at a place; see `data.experimental.at`."""
    place = size_tensor(index, "index")
    return result_of(graph_ops.ELEMENT_AT, Task(node, options, _element_at), (place,), node.element)


def counted(node: Node, options: Options) -> Any:
    """The number of elements; see `Dataset.cardinality`."""
    if graph_in_force() is not None and not node.used():  # it is known while the graph is built
        return convert_to_tensor(_count((), node, Iteration(options))[0], dtypes.int64)
    return result_of(graph_ops.CARDINALITY, Task(node, options, _count), (), COUNT)


def length(node: Node, options: Options) -> int:
    """The number of elements, in eager code; see `len(dataset)`."""
    if not context.executing_eagerly():
        raise TypeError(
            "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
        )
    count = node.cardinality(Iteration(options))
    if count == INFINITE:
        raise TypeError("The dataset is infinite.")
    if count == UNKNOWN:
        raise TypeError("The dataset length is unknown.")
    return count


def effect_of(opdef: Any, task: Task, inputs: Sequence[Any] = ()) -> Any:
    """Does a task that has an effect alone: now, giving None, or as an operation of the graph that is being built."""
    graph = graph_in_force()
    if graph is not None:
        return graph_ops.add_task(graph, opdef, task, inputs)
    with context.using(RUNNING):
        task(*values_of(inputs))
    return None


# ---------------------------------------------------------------- what the tasks do; saved graphs know it by its name


def _reduce(step: Mapped, inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    values, call = list(inputs), step.opened(iteration)
    with closing(iteration.opened(node)) as cursor:
        for element in cursor:
            values = call([*values, *element])
    return values


def _single(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    with closing(iteration.opened(node)) as cursor:
        values = next(cursor, None)
        if values is None:
            raise errors.InvalidArgumentError(None, None, "Dataset was empty.")
        if next(cursor, None) is not None:
            raise errors.InvalidArgumentError(None, None, "Dataset had more than one element.")
    return values


def _bound(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    for stage in node.walk():
        stage.check(iteration)
    return [Bound(node, iteration)]


def _element_at(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    at, count = scalar(inputs[0], "index"), node.cardinality(iteration)
    iteration.at_places = True
    if count == INFINITE and _without_end(node, iteration):
        raise errors.FailedPreconditionError(
            None, None, "Datasets without end do not support random access: take(n) of it does"
        )
    if 0 <= count <= at:
        raise errors.OutOfRangeError(None, None, f"Index out of range [0, {count}): {at}")
    with closing(iteration.opened(node)) as cursor:
        values = next(itertools.islice(cursor, at, None), None) if at >= 0 else None
    if values is None:
        raise errors.OutOfRangeError(None, None, f"Index out of range: there is no element {at}")
    return values


def _without_end(node: Node, iteration: Iteration) -> bool:
    """Whether a dataset repeats or counts without end, and no cache stands behind what does."""
    if isinstance(node, CacheNode) or node.cardinality(iteration) != INFINITE:
        return False
    endless = [source for source in node.inputs if source.cardinality(iteration) == INFINITE]
    return not endless or any(_without_end(source, iteration) for source in endless)


def _count(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    return [np.int64(node.cardinality(iteration))]


def result_of(opdef: Any, task: Task, inputs: Sequence[Any], element: Element) -> Any:
    """The result of a task: computed now, or as a node of the graph that is being built."""
    graph = graph_in_force()
    if graph is not None:
        kinds = [leaf.dtype for leaf in element.leaves]
        dims = [leaf.shape._dims for leaf in element.leaves]
        return element.symbols(graph_ops.add_task(graph, opdef, task, inputs, kinds, dims).outputs)
    with context.using(RUNNING):
        values = task(*values_of(inputs))
    return element.pack(values)
