"""The 1.x part of datasets: iterators with initializers, and nests of dtypes, shapes and classes of the components."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.data import graph_iterators
from inlay._src.data.graph_iterators import Iterator
from inlay._src.data.iterating import OwnedIterator
from inlay._src.data.node import Node
from inlay._src.data.parallel import map_
from inlay._src.data.sources import from_tensor_slices
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.composite.specs import RaggedTensorSpec, SparseTensorSpec


def from_sparse_tensor_slices(sparse_tensor: Any) -> Node:
    """The rows of a sparse tensor as tuples of indices, values and the dense shape of a row.

    Args:
      sparse_tensor: a `SparseTensor` of rank at least 1.

    Raises:
      TypeError: if it is no `SparseTensor`.
    """
    if not isinstance(sparse_tensor, SparseTensor):
        raise TypeError(
            f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got {type(sparse_tensor)}."
        )
    return map_(from_tensor_slices(sparse_tensor), lambda row: (row.indices, row.values, row.dense_shape))


@export("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Iterator | OwnedIterator:
    """An iterator without initializer; in a session it begins with the first read.

    Args:
      dataset: the dataset that it iterates.

    Returns:
      An iterator of the graph; in eager mode, an iterator over eager tensors.

    Raises:
      ValueError: if the dataset uses a placeholder or a variable of the graph.
    """
    if context.executing_eagerly():
        return OwnedIterator(dataset._node, dataset._options)
    return graph_iterators.one_shot(dataset)


@export("compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator of a graph whose `initializer` begins a new iteration.

    Args:
      dataset: the dataset that it iterates; it may use placeholders, fed when the initializer runs, and variables.
      shared_name: the name of the iterator.

    Raises:
      RuntimeError: in eager mode.
    """
    return graph_iterators.initializable(dataset, shared_name)


@export("compat.v1.data.get_output_types")
def get_output_types(dataset_or_iterator: Any) -> Any:
    """A nest of the dtypes of the components.

    Args:
      dataset_or_iterator: a dataset or an iterator.
    """
    return graph_iterators.output_types(dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """A nest of the partial shapes of the components.

    Args:
      dataset_or_iterator: a dataset or an iterator.
    """
    return graph_iterators.output_shapes(dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator: Any) -> Any:
    """A nest of the classes of the components.

    Args:
      dataset_or_iterator: a dataset or an iterator.
    """
    return graph_iterators.output_classes(dataset_or_iterator.element_spec)


@export("compat.v1.data.experimental.TensorStructure")
def tensor_structure(dtype: Any, shape: Any) -> TensorSpec:
    """`TensorSpec` by its first name.

    Args:
      dtype: the dtype.
      shape: the partial shape.
    """
    return TensorSpec(shape, dtype)


@export("compat.v1.data.experimental.SparseTensorStructure")
def sparse_tensor_structure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """`SparseTensorSpec` by its first name.

    Args:
      dtype: the dtype.
      shape: the partial dense shape.
    """
    return SparseTensorSpec(shape, dtype)


@export("compat.v1.data.experimental.RaggedTensorStructure")
def ragged_tensor_structure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:
    """`RaggedTensorSpec` by its first name.

    Args:
      dtype: the dtype.
      shape: the partial shape.
      ragged_rank: the number of ragged dimensions.
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)
