"""The 1.x part of datasets: iterators that say when they begin, and three nests that say what elements are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from inlay._src.base.export import export
from inlay._src.core import context
from inlay._src.data import graph_iterators
from inlay._src.data.chain import Chain
from inlay._src.data.iterating import OwnedIterator
from inlay._src.ops.composite.sparse import SparseTensor


class Legacy(Chain):
    """Methods that every dataset has: see `Dataset`."""

    def make_one_shot_iterator(self) -> Any:
        """An iterator that need not be begun: see `compat.v1.data.make_one_shot_iterator`."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """An iterator that its `initializer` begins: see `compat.v1.data.make_initializable_iterator`.

        Args:
          shared_name: how it is called.
        """
        return graph_iterators.initializable(self, shared_name)

    @classmethod
    def from_sparse_tensor_slices(cls, sparse_tensor: Any) -> Self:
        """The rows of a sparse tensor, as tuples of indices, values and the shape of a row.

        Args:
          sparse_tensor: a sparse tensor of rank at least 1.

        Raises:
          TypeError: for anything else.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                "Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got "
                f"{type(sparse_tensor)}."
            )
        made: Any = cls
        return made.from_tensor_slices(sparse_tensor).map(  # type: ignore[no-any-return]
            lambda row: (row.indices, row.values, row.dense_shape)
        )

    @property
    def output_types(self) -> Any:
        """A nest like the elements, of dtypes."""
        return graph_iterators.output_types(self._node.element.spec)

    @property
    def output_shapes(self) -> Any:
        """A nest like the elements, of partial shapes."""
        return graph_iterators.output_shapes(self._node.element.spec)

    @property
    def output_classes(self) -> Any:
        """A nest like the elements, of classes."""
        return graph_iterators.output_classes(self._node.element.spec)

    def map_with_legacy_function(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        use_unbounded_threadpool: bool = False,
    ) -> Self:
        """As `map`.

        Args:
          map_func, num_parallel_calls, deterministic, use_unbounded_threadpool: as `map` takes them.
        """
        dataset: Any = self
        return dataset.map(  # type: ignore[no-any-return]
            map_func, num_parallel_calls, deterministic, use_unbounded_threadpool=use_unbounded_threadpool
        )

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Self:
        """As `filter`.

        Args:
          predicate: as `filter` takes it.
        """
        dataset: Any = self
        return dataset.filter(predicate)  # type: ignore[no-any-return]


@export("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator that need not be begun: in a session it begins when it is first read.

    Args:
      dataset: the dataset that it iterates.

    Returns:
      An iterator of the graph; while eager, one that gives eager tensors.

    Raises:
      ValueError: if what the dataset uses of the graph is fed, or is a variable.
    """
    if context.executing_eagerly():
        return OwnedIterator(dataset._node, dataset._options)
    return graph_iterators.one_shot(dataset)


@export("compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Any:
    """An iterator of a graph whose `initializer` begins a new iteration.

    Args:
      dataset: the dataset that it iterates; it may use placeholders, fed when the initializer runs, and variables.
      shared_name: how it is called.

    Raises:
      RuntimeError: while eager.
    """
    return graph_iterators.initializable(dataset, shared_name)


@export("compat.v1.data.get_output_types")
def get_output_types(dataset_or_iterator: Any) -> Any:
    """A nest like the elements, of dtypes.

    Args:
      dataset_or_iterator: a dataset or an iterator.
    """
    return graph_iterators.output_types(dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """A nest like the elements, of partial shapes.

    Args:
      dataset_or_iterator: a dataset or an iterator.
    """
    return graph_iterators.output_shapes(dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator: Any) -> Any:
    """A nest like the elements, of classes.

    Args:
      dataset_or_iterator: a dataset or an iterator.
    """
    return graph_iterators.output_classes(dataset_or_iterator.element_spec)
