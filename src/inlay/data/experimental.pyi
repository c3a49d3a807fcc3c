"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable as _Callable, Mapping as _Mapping, Sequence as _Sequence
from inlay._src.core.operation import Operation as _Operation
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.data.choosing import SHARD_HINT
from inlay._src.data.csv_datasets import CsvDataset, make_csv_dataset
from inlay._src.data.dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset as _Dataset
from inlay._src.data.example_datasets import make_batched_features_dataset, parse_example_dataset
from inlay._src.data.experimental import (
    RandomDataset, at, from_list, get_structure, map_and_batch, pad_to_cardinality, parallel_interleave,
    shuffle_and_repeat
)
from inlay._src.data.file_datasets import DatasetWriter as TFRecordWriter
from inlay._src.data.grouping import Reducer, Reducer as _Reducer
from inlay._src.data.optional import Optional, get_next_as_optional
from inlay._src.data.options import (
    AutoShardPolicy, AutotuneOptions, DistributeOptions, ExternalStatePolicy, OptimizationOptions, ServiceOptions,
    ThreadingOptions
)
from inlay._src.data.saveable_iterators import make_saveable_from_iterator
from inlay._src.data.sql_datasets import SqlDataset
from inlay._src.data.table_datasets import DatasetInitializer, index_table_from_dataset, table_from_dataset
from inlay._src.data.variants import copy_to_device, from_variant, prefetch_to_device, to_variant
from inlay._src.data.ways import AUTOTUNE
from typing import Any as _Any, TypeVar as _TypeVar, overload as _overload
_R = _TypeVar("_R")
__all__ = [
    "AUTOTUNE", "AutoShardPolicy", "AutotuneOptions", "Counter", "CsvDataset", "DatasetInitializer",
    "DistributeOptions", "ExternalStatePolicy", "INFINITE_CARDINALITY", "OptimizationOptions", "Optional",
    "RandomDataset", "Reducer", "SHARD_HINT", "ServiceOptions", "SqlDataset", "TFRecordWriter", "ThreadingOptions",
    "UNKNOWN_CARDINALITY", "assert_cardinality", "at", "bucket_by_sequence_length", "cardinality",
    "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch", "dense_to_sparse_batch", "enumerate_dataset",
    "from_list", "from_variant", "get_next_as_optional", "get_single_element", "get_structure", "group_by_reducer",
    "group_by_window", "ignore_errors", "index_table_from_dataset", "load", "make_batched_features_dataset",
    "make_csv_dataset", "make_saveable_from_iterator", "map_and_batch", "pad_to_cardinality", "parallel_interleave",
    "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "save", "scan",
    "shuffle_and_repeat", "snapshot", "table_from_dataset", "take_while", "to_variant", "unbatch", "unique"
]
def Counter(start: _Any = 0, step: _Any = 1, dtype: _Any = ...) -> _Dataset:
    """An infinite dataset of the numbers `start`, `start + step` and so on.

    Args:
      start, step: scalars of `dtype`.
      dtype: the dtype of the elements."""
def assert_cardinality(expected_cardinality: _Any) -> _Callable[[_Any], _Any]:
    """Declares the number of elements; an iteration with another number raises FailedPreconditionError.

    Args:
      expected_cardinality: the number of elements, or INFINITE_CARDINALITY, an int64 scalar.

    Returns:
      A function for `Dataset.apply`."""
def bucket_by_sequence_length(element_length_func: _Callable[..., _Any], bucket_boundaries: _Sequence[int], bucket_batch_sizes: _Sequence[int], padded_shapes: _Any = None, padding_values: _Any = None, pad_to_bucket_boundary: builtins.bool = False, no_padding: builtins.bool = False, drop_remainder: builtins.bool = False) -> _Callable[[_Any], _Any]:
    """Groups elements of similar length into padded batches.

    Args:
      element_length_func: takes an element; returns its length, an int32 scalar.
      bucket_boundaries: for each bucket but the last, the least length of the next bucket.
      bucket_batch_sizes: the batch size of each bucket, one more than there are boundaries.
      padded_shapes, padding_values: see `padded_batch`.
      pad_to_bucket_boundary: whether unknown sizes are padded to the boundary of the bucket minus 1 rather than to the
        longest element.
      no_padding: whether elements are stacked without padding.
      drop_remainder: whether to drop batches that are smaller.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      ValueError: if there is not one size more than boundaries.
      InvalidArgumentError: during iteration, if `pad_to_bucket_boundary` is set and the length of an element is not
        below the last boundary."""
def cardinality(dataset: _Any) -> _Tensor:
    """The number of elements, an int64 scalar; it may be INFINITE_CARDINALITY or UNKNOWN_CARDINALITY.

    Args:
      dataset: the dataset."""
def choose_from_datasets(datasets: _Any, choice_dataset: _Any, stop_on_empty_dataset: builtins.bool = False) -> _Dataset:
    """Takes each element from one of several datasets, whose index another dataset provides.

    Args:
      datasets: datasets whose elements have the same structure and dtypes.
      choice_dataset: a dataset of int64 scalars, the indices into `datasets`.
      stop_on_empty_dataset: whether to end at the first choice of an exhausted dataset, rather than to skip the choice.

    Raises:
      ValueError: if there are no datasets.
      TypeError: if their elements differ, or if an element of `choice_dataset` is no int64 scalar.
      InvalidArgumentError: during iteration, if an index is out of range."""
def dense_to_ragged_batch(batch_size: _Any, drop_remainder: _Any = False, row_splits_dtype: _Any = ...) -> _Callable[[_Any], _Any]:
    """Stacks consecutive elements along a new first axis; components of unknown shape become ragged.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      drop_remainder: whether to drop a last batch that is smaller, a bool scalar.
      row_splits_dtype: int32 or int64: the dtype of the row partitions.

    Returns:
      A function for `Dataset.apply`."""
def dense_to_sparse_batch(batch_size: _Any, row_shape: _Any) -> _Callable[[_Any], _Any]:
    """Stacks tensors of different shapes to sparse tensors.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      row_shape: the dense shape of every row; a size None or -1 is that of the longest element of the batch.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      TypeError: if an element is not one tensor.
      DataLossError: during iteration, if an element is larger than a row."""
def enumerate_dataset(start: _Any = 0) -> _Callable[[_Any], _Any]:
    """Numbers the elements: pairs of an int64 scalar and an element.

    Args:
      start: the first number, an int64 scalar.

    Returns:
      A function for `Dataset.apply`."""
@_overload
def get_single_element(dataset: _Dataset[_R]) -> _R:
    """The element of a dataset that has exactly one.

    Args:
      dataset: the dataset.

    Raises:
      InvalidArgumentError: if there is no element, or more than one."""
@_overload
def get_single_element(dataset: _Any) -> _Any: ...
def group_by_reducer(key_func: _Callable[..., _Any], reducer: _Reducer) -> _Callable[[_Any], _Any]:
    """One element for each key: the reduction of all elements with that key, in the order of the keys.

    Args:
      key_func: takes an element; returns its key, an int64 scalar.
      reducer: the reduction.

    Returns:
      A function for `Dataset.apply`."""
def group_by_window(key_func: _Callable[..., _Any], reduce_func: _Callable[..., _Any], window_size: _Any = None, window_size_func: _Callable[..., _Any] | None = None) -> _Callable[[_Any], _Any]:
    """Groups elements with equal keys, and concatenates the datasets that a function returns for the groups.

    Args:
      key_func: takes an element; returns its key, an int64 scalar.
      reduce_func: takes a key and the dataset of a group; returns a dataset.
      window_size: the number of elements per group, an int64 scalar.
      window_size_func: takes a key; returns the number of elements per group, in place of `window_size`.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      ValueError: if both sizes are given, or neither.
      TypeError: if `reduce_func` returns no dataset."""
def ignore_errors(log_warning: builtins.bool = False) -> _Callable[[_Any], _Any]:
    """Drops elements that raise an error.

    Args:
      log_warning: whether to log the errors.

    Returns:
      A function for `Dataset.apply`."""
def load(path: _Any, element_spec: _Any = None, compression: str | None = None, reader_func: _Callable[..., _Any] | None = None) -> _Dataset:
    """Reads the elements that `save` wrote into a folder.

    Args:
      path: the folder.
      element_spec: the spec of the elements; required in a graph if `path` is not known, and for users' own types.
      compression: the compression that they were saved with; None accepts any.
      reader_func: takes a dataset of datasets, one for each shard, and returns a dataset of elements; None reads one
        element of each shard in turn, which restores the order of a save without `shard_func`.

    Raises:
      NotFoundError: if no dataset was saved there.
      DataLossError: if files are damaged, truncated or modified; also during iteration, with the file's name.
      InvalidArgumentError: if the saved elements have another spec or another compression."""
def rejection_resample(class_func: _Callable[..., _Any], target_dist: _Any, initial_dist: _Any = None, seed: _Any = None) -> _Callable[[_Any], _Any]:
    """Leaves out elements of frequent classes and repeats others, at random, so that classes have target frequencies.

    Args:
      class_func: takes an element; returns its class, an int32 or int64 scalar.
      target_dist: the target frequency of each class, a float vector.
      initial_dist: the frequency of each class, a float vector; None counts during iteration.
      seed: determines the drawn numbers together with `random.set_seed`.

    Returns:
      A dataset of pairs of class and element.

    Raises:
      ValueError: if frequencies are not a vector."""
def sample_from_datasets(datasets: _Any, weights: _Any = None, seed: _Any = None, stop_on_empty_dataset: builtins.bool = False) -> _Dataset:
    """Takes each element from one of several datasets, which is drawn at random.

    Args:
      datasets: datasets whose elements have the same structure and dtypes.
      weights: the probability of each dataset, a float32 or float64 vector, or a dataset of such vectors; None is
        uniform.
      seed: determines the draws together with `random.set_seed`.
      stop_on_empty_dataset: whether to end when an exhausted dataset is drawn, rather than to draw again.

    Raises:
      ValueError: if there are no datasets, or if the number of weights differs from theirs.
      TypeError: if their elements differ, or if the weights are no floats."""
def save(dataset: _Any, path: _Any, compression: str | None = None, shard_func: _Callable[..., _Any] | None = None, checkpoint_args: _Mapping[str, _Any] | None = None) -> _Operation | None:
    """Writes all elements into a folder, for `load`.

    They become visible with the last one, and replace those of an earlier save; a save that fails changes nothing.

    Args:
      dataset: the dataset.
      path: the folder, which is created if it does not exist.
      compression: "GZIP"; None, "NONE" and "AUTO" do not compress.
      shard_func: takes an element; returns the number of its shard, an int64 scalar. None distributes elements over as
        many shards as there are cores.
      checkpoint_args: arguments of `train.CheckpointManager` except for the checkpoint; a save continues from the last
        checkpoint.

    Returns:
      None; in a graph, the operation that saves.

    Raises:
      UnimplementedError: if a component is neither a dense nor a ragged nor a sparse tensor.
      TypeError: if `shard_func` returns no integer scalar.
      ValueError: if `checkpoint_args` contains a checkpoint."""
def scan(initial_state: _Any, scan_func: _Callable[..., _Any]) -> _Callable[[_Any], _Any]:
    """Applies a function to a state and each element, which returns the next state and the new element.

    Args:
      initial_state: a nest of values that become tensors.
      scan_func: takes a state and an element; returns the next state, of the same structure and dtypes, and the new
        element.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      TypeError: if it returns no pair, or if the structure or dtypes of the state change."""
def snapshot(path: _Any, compression: str | None = "AUTO", reader_func: _Callable[..., _Any] | None = None, shard_func: _Callable[..., _Any] | None = None) -> _Callable[[_Any], _Any]:
    """Stores the elements in a folder: the first complete iteration writes it, later iterations read it.

    A dataset has a folder of its own below `path`, named by its fingerprint, so that a modified dataset is written
    again. Datasets without a fingerprint (see `Dataset.fingerprint`) share one folder.

    Args:
      path: the folder.
      compression: "GZIP"; "AUTO", "NONE" and None are none.
      reader_func: see `load`.
      shard_func: see `save`.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      UnimplementedError, TypeError: as `save`.
      DataLossError, InvalidArgumentError: during iteration, as `load`."""
def take_while(predicate: _Callable[..., _Any]) -> _Callable[[_Any], _Any]:
    """Ends the dataset before the first element for which a predicate is false.

    Args:
      predicate: takes an element as the function of `map` does; returns a bool scalar.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      ValueError: if it returns something else."""
def unbatch() -> _Callable[[_Any], _Any]:
    """Splits each element into its rows.

    Returns:
      A function for `Dataset.apply`."""
def unique() -> _Callable[[_Any], _Any]:
    """Drops elements that occurred before.

    Returns:
      A function for `Dataset.apply`.

    Raises:
      TypeError: if an element is not a tensor of int32, int64 or string."""
