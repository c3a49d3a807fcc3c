"""`tf.data.experimental`: transformations for `Dataset.apply`, and functions of datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.parameters import described
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.tensor import Tensor
from inlay._src.data.combining import ConcatenateNode
from inlay._src.data.dataset import Dataset
from inlay._src.data.node import INFINITE, UNKNOWN
from inlay._src.data.reducing import element_at
from inlay._src.data.spec import shared_spec
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.math import greater_equal, less_equal, logical_and
from inlay._src.ops.printing import assert_

Transformation = Callable[[Dataset], Dataset]
_of_dataset = described("Args:\n  dataset: the dataset.")

Counter: Any = export("data.experimental.Counter")(
    another_form(Dataset.counter, "start=0, step=1, dtype=dtypes.int64", "Counter")
)
cardinality: Any = export("data.experimental.cardinality")(
    _of_dataset(another_form(Dataset.cardinality, "dataset", dataset="self"))
)
get_single_element: Any = export("data.experimental.get_single_element", "contrib.data.get_single_element")(
    _of_dataset(another_form(Dataset.get_single_element, "dataset", dataset="self"))
)
choose_from_datasets: Any = export("data.experimental.choose_from_datasets", "contrib.data.choose_from_datasets")(
    another_form(Dataset.choose_from_datasets, "datasets, choice_dataset, stop_on_empty_dataset=False")
)
sample_from_datasets: Any = export("data.experimental.sample_from_datasets", "contrib.data.sample_from_datasets")(
    another_form(Dataset.sample_from_datasets, "datasets, weights=None, seed=None, stop_on_empty_dataset=False")
)
save: Any = export("data.experimental.save")(
    _of_dataset(
        another_form(
            Dataset.save, "dataset, path, compression=None, shard_func=None, checkpoint_args=None", dataset="self"
        )
    )
)
load: Any = export("data.experimental.load")(
    another_form(Dataset.load, "path, element_spec=None, compression=None, reader_func=None")
)


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec` of a dataset or of an iterator.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    Raises:
      TypeError: if the argument is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator "
            f"object, but got {type(dataset_or_iterator)}."
        ) from None


@export("data.experimental.at")
def at(dataset: Dataset, index: Any) -> Tensor:
    """The element at an index.

    Args:
      dataset: the dataset, which is iterated up to that element.
      index: the index, an int64 scalar.

    Raises:
      OutOfRangeError: if the index is out of range.
    """
    return element_at(dataset._node, dataset._options, index)


@export("data.experimental.from_list")
def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """A dataset whose elements are those of a list.

    Args:
      elements: nests of values that become tensors, all of one structure.
      name: accepted.

    Raises:
      ValueError: if the list is empty.
    """
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    datasets = [Dataset.from_tensors(element) for element in elements]
    return Dataset(ConcatenateNode([d._node for d in datasets], shared_spec([d.element_spec for d in datasets])))


@export("data.experimental.shuffle_and_repeat", "contrib.data.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Shuffles and repeats the dataset, with another order in each pass.

    Args:
      buffer_size: the number of elements in the buffer, an int64 scalar.
      count: the number of passes, an int64 scalar; None or -1 repeats without end.
      seed: determines the orders together with `random.set_seed`.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@export("data.experimental.map_and_batch", "contrib.data.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Applies a function to each element and stacks the results.

    Args:
      map_func: takes an element; returns the new element.
      batch_size: the number of elements per batch, an int64 scalar.
      num_parallel_batches: the number of batches processed concurrently, in place of `num_parallel_calls`.
      drop_remainder: whether to drop a last batch that is smaller, a bool scalar.
      num_parallel_calls: the number of elements processed concurrently.

    Raises:
      ValueError: if both numbers are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
            f"`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` was set to "
            f"{num_parallel_calls}."
        )
    calls = num_parallel_calls if num_parallel_batches is None else num_parallel_batches * batch_size
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder)


@export("data.experimental.parallel_interleave", "contrib.data.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Interleaves the datasets that a function returns for the elements, and reads them concurrently.

    Args:
      map_func: takes an element; returns a dataset.
      cycle_length: the number of datasets read concurrently.
      block_length: the number of consecutive elements from each.
      sloppy: whether the order of elements may vary.
      buffer_output_elements, prefetch_input_elements: accepted.
    """
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy
    )


@export("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Appends elements of zeros up to a number of elements, and adds a component that marks the original ones.

    Args:
      cardinality: the number of elements.
      mask_key: the name of that component; the elements are dicts.

    Raises:
      ValueError: if the number of elements is unknown, or if the elements are not dicts.
    """

    def padded(dataset: Dataset) -> Dataset:
        count = dataset.cardinality()
        if context.executing_eagerly():
            _check_padded(int(count), int(cardinality))
        fits = logical_and(greater_equal(count, np.int64(0)), less_equal(count, np.int64(cardinality)))
        checked = assert_(fits, ["pad_to_cardinality: a dataset of", count, "elements"])
        with control_dependencies([] if checked is None else [checked]):
            missing = np.int64(cardinality) - count
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if not all(isinstance(s, TensorSpec) for s in nest.flatten(dataset.element_spec)):
            raise ValueError("`pad_to_cardinality` requires the components to be tensors.")
        zeros = nest.map_structure(
            lambda s: np.full(s.shape.as_list(), b"" if s.dtype is dtypes.string else 0, s.dtype.as_numpy_dtype),
            dataset.element_spec,
        )
        real = dataset.map(lambda parts: {**parts, mask_key: True})
        filler = Dataset.from_tensors({**zeros, mask_key: False}).repeat(missing)
        return real.concatenate(filler)

    return padded


def _check_padded(count: int, cardinality: int) -> None:
    if count in (INFINITE, UNKNOWN):
        raise ValueError(
            f"The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has cardinality {count}"
        )
    if count > cardinality:
        raise ValueError(
            "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the target cardinality "
            f"({cardinality}), but has cardinality {count}"
        )


@export("data.experimental.RandomDataset")
class RandomDataset(Dataset):
    """Random integers in [0, 2**32), as int64, without end; see `Dataset.random`.

    Args:
      seed: fixes them together with `random.set_seed`.
      rerandomize_each_iteration: whether every iteration has other numbers.
      name: accepted.
    """

    def __init__(
        self, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> None:
        super().__init__(Dataset.random(seed, rerandomize_each_iteration)._node)
