"""`tf.data.experimental`: transformations for `Dataset.apply`, and functions of datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.data.combining import shared_spec
from inlay._src.data.dataset import Dataset
from inlay._src.data.node import INFINITE, UNKNOWN
from inlay._src.data.reducing import element_at
from inlay._src.data.transforms import Concatenate
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.math import greater_equal, less_equal, logical_and
from inlay._src.ops.printing import assert_

Transformation = Callable[[Dataset], Dataset]


@export("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Says how many elements a dataset has; another number is an error when it is iterated.

    Args:
      expected_cardinality: the number of elements, or INFINITE_CARDINALITY, an int64 scalar.
    """
    return lambda dataset: dataset._assert_cardinality(expected_cardinality)


@export("data.experimental.cardinality")
def cardinality(dataset: Dataset) -> Any:
    """The number of elements as an int64 scalar; INFINITE_CARDINALITY or UNKNOWN_CARDINALITY if it is no number.

    Args:
      dataset: the dataset.
    """
    return dataset.cardinality()


@export("data.experimental.get_single_element", "contrib.data.get_single_element")
def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset.

    Args:
      dataset: the dataset.

    Raises:
      InvalidArgumentError: if there is none, or more than one.
    """
    return dataset.get_single_element()


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """A nest like the elements, of specs.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    Raises:
      TypeError: if it is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator "
            f"object, but got {type(dataset_or_iterator)}."
        ) from None


@export("data.experimental.at")
def at(dataset: Dataset, index: Any) -> Any:
    """The element at a place.

    Args:
      dataset: the dataset, iterated up to there.
      index: the place, an int64 scalar.

    Raises:
      OutOfRangeError: if there is none.
    """
    return element_at(dataset._node, dataset._options, index)


@export("data.experimental.from_list")
def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """A dataset of the elements of a list.

    Args:
      elements: nests of values that become tensors, all of one structure.
      name: accepted.

    Raises:
      ValueError: if there are none.
    """
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    datasets = [Dataset.from_tensors(element) for element in elements]
    return Dataset(Concatenate([d._node for d in datasets], shared_spec([d.element_spec for d in datasets])))


@export("data.experimental.enumerate_dataset", "contrib.data.enumerate_dataset")
def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a number and an element.

    Args:
      start: the first number, an int64 scalar.
    """
    return lambda dataset: dataset.enumerate(start)


@export("data.experimental.ignore_errors", "contrib.data.ignore_errors")
def ignore_errors(log_warning: bool = False) -> Transformation:
    """Elements without those that raise an error.

    Args:
      log_warning: whether the errors are logged.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


@export("data.experimental.scan", "contrib.data.scan")
def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """A function of a state and each element; see `Dataset.scan`.

    Args:
      initial_state: a nest of values that become tensors.
      scan_func: takes a state and an element; gives the next state and the new element.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


@export("data.experimental.take_while")
def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements up to the first for which a function is false.

    Args:
      predicate: takes an element; gives a bool scalar.
    """
    return lambda dataset: dataset.take_while(predicate)


@export("data.experimental.unbatch", "contrib.data.unbatch")
def unbatch() -> Transformation:
    """The rows of each element."""
    return lambda dataset: dataset.unbatch()


@export("data.experimental.unique", "contrib.data.unique")
def unique() -> Transformation:
    """Elements without those that came before."""
    return lambda dataset: dataset.unique()


@export("data.experimental.shuffle_and_repeat", "contrib.data.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Elements in random order, several times over, each time in an order of its own.

    Args:
      buffer_size: from how many elements each is drawn, an int64 scalar.
      count: the number of repetitions; None or -1 is without end.
      seed: fixes the orders together with `random.set_seed`.
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
    """A function of each element, and the results stacked.

    Args:
      map_func: takes an element; gives the new one.
      batch_size: the number of elements per batch, an int64 scalar.
      num_parallel_batches: the number of batches processed concurrently; instead of `num_parallel_calls`.
      drop_remainder: whether a last batch that is smaller is left out.
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
    """The elements of the datasets that a function makes of each element, several datasets by turns, at once.

    Args:
      map_func: takes an element; gives a dataset.
      cycle_length: the number of datasets read concurrently.
      block_length: the number of consecutive elements from each.
      sloppy: whether the order may be another.
      buffer_output_elements, prefetch_input_elements: accepted.
    """
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy
    )


@export("data.experimental.group_by_window", "contrib.data.group_by_window")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """The results of a function of groups of elements with one key; see `Dataset.group_by_window`.

    Args:
      key_func: takes an element; gives its key.
      reduce_func: takes a key and the dataset of a group; gives a dataset.
      window_size: the number of elements per group.
      window_size_func: takes a key and gives the same.
    """
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


@export("data.experimental.bucket_by_sequence_length", "contrib.data.bucket_by_sequence_length")
def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Padded batches of elements of similar length; see `Dataset.bucket_by_sequence_length`.

    Args:
      element_length_func: takes an element; gives its length.
      bucket_boundaries: the first lengths that belong to the next bucket.
      bucket_batch_sizes: the size of the batches of each bucket, one more than there are boundaries.
      padded_shapes, padding_values, pad_to_bucket_boundary, no_padding, drop_remainder: see there.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


@export("data.experimental.Reducer", "contrib.data.Reducer")
class Reducer:
    """The reduction of the elements of a key by `group_by_reducer`.

    Args:
      init_func: takes a key; gives the first state.
      reduce_func: takes a state and an element; gives the next state.
      finalize_func: takes the last state; gives the element that stands for the key.
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self._init_func, self._reduce_func, self._finalize_func = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """Takes a key; gives the first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """Takes a state and an element; gives the next state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """Takes the last state; gives the element."""
        return self._finalize_func


@export("data.experimental.group_by_reducer", "contrib.data.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """What a reduction makes of all elements with the same key, one element for each key, in the order of the keys.

    Args:
      key_func: takes an element; gives its key, an int64 scalar.
      reducer: the reduction.
    """
    return lambda dataset: dataset._group_by_reducer(key_func, reducer)


@export("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """Elements stacked; components whose shape is not known become ragged.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      drop_remainder: whether a last batch that is smaller is left out.
      row_splits_dtype: int32 or int64: the dtype of the row partitions.
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


@export("data.experimental.dense_to_sparse_batch", "contrib.data.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Tensors of different shapes stacked to sparse tensors.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      row_shape: the shape of every row of what is made; None or -1 in it is the longest of the batch.
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


@export("data.experimental.rejection_resample", "contrib.data.rejection_resample")
def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Elements of classes with wanted frequencies; see `Dataset.rejection_resample`.

    Args:
      class_func: takes an element; gives the number of its class.
      target_dist: the wanted frequency of each class.
      initial_dist: the frequency of each class; None counts.
      seed: fixes what is left out together with `random.set_seed`.
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


@export("data.experimental.choose_from_datasets", "contrib.data.choose_from_datasets")
def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Elements of several datasets, each of that which another dataset picks.

    Args:
      datasets: the datasets.
      choice_dataset: gives the number of one of them for each element, int64 scalars.
      stop_on_empty_dataset: whether it ends when a dataset is picked that has ended.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@export("data.experimental.sample_from_datasets", "contrib.data.sample_from_datasets")
def sample_from_datasets(
    datasets: Sequence[Dataset], weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Elements of several datasets, each of one that is drawn at random.

    Args:
      datasets: the datasets.
      weights: the probability of each; None is equally.
      seed: fixes what is drawn together with `random.set_seed`.
      stop_on_empty_dataset: whether it ends when a dataset is drawn that has ended.
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@export("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Adds elements of zeros up to a number of elements, and a component that says which ones are real.

    Args:
      cardinality: the number of elements.
      mask_key: the name of that component; the elements are dicts.

    Raises:
      ValueError: if the number of elements is not known, or the elements are no dicts.
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


@export("data.experimental.save")
def save(
    dataset: Dataset,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Mapping[str, Any] | None = None,
) -> Any:
    """Writes all elements of a dataset into a folder; see `Dataset.save`.

    Args:
      dataset: the dataset.
      path, compression, shard_func, checkpoint_args: see there.
    """
    return dataset.save(path, compression, shard_func, checkpoint_args)


@export("data.experimental.load")
def load(
    path: Any, element_spec: Any = None, compression: str | None = None, reader_func: Callable[..., Any] | None = None
) -> Dataset:
    """The elements that were saved in a folder; see `Dataset.load`.

    Args:
      path, element_spec, compression, reader_func: see there.
    """
    return Dataset.load(path, element_spec, compression, reader_func)


@export("data.experimental.snapshot")
def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """The elements, which are kept in a folder; see `Dataset.snapshot`.

    Args:
      path, compression, reader_func, shard_func: see there.
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


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
