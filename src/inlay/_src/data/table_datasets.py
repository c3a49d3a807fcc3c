"""Tables whose keys and values are the elements of a dataset."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.context import name_scope
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.data.choosing import applied_assert_cardinality
from inlay._src.data.dataset import Dataset
from inlay._src.ops.array import zeros
from inlay._src.ops.hash_tables import table_ops
from inlay._src.ops.hash_tables.initializers import TableInitializerBase, in_collection
from inlay._src.ops.hash_tables.static_table import StaticHashTable, StaticHashTableV1
from inlay._src.ops.hash_tables.vocabulary import FastHashSpec, HasherSpec, IdTableWithHashBuckets
from inlay._src.ops.math import cast

_ALL = 2**62
"""As many elements as there may be in a batch."""


def _checked(spec: Any) -> tuple[TensorSpec, TensorSpec]:
    """The specs of keys and values.

    Raises:
      ValueError: if elements are no pairs of scalars.
    """
    text = "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys "
    text += "and values are scalar tensors. "
    if not isinstance(spec, (tuple, list)) or len(spec) != 2:
        size = len(spec) if isinstance(spec, (tuple, list, dict)) else 1
        raise ValueError(f"{text}However, the given dataset produces {size} components instead of two (key, value).")
    for what, part in zip(("keys", "values"), spec, strict=True):
        if not isinstance(part, TensorSpec):
            raise ValueError(f"{text}However, the given dataset produces non-Tensor {what}: {part}.")
        if not part.shape.is_compatible_with(()):
            raise ValueError(f"{text}However, the given dataset produces {what} of shape {part.shape}.")
    return spec[0], spec[1]


@export("data.experimental.DatasetInitializer")
class DatasetInitializer(TableInitializerBase):
    """Fills a table with the elements of a dataset.

    Args:
      dataset: its elements are pairs (key, value) of scalars.

    Raises:
      ValueError: if they are something else.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset: Dataset = dataset
        key, value = _checked(dataset.element_spec)
        super().__init__(key.dtype, value.dtype)

    def initialize(self, table: Any) -> Operation | None:
        """Fills a table, or, in a graph, makes the operation that does: it iterates the dataset to its end.

        Args:
          table: a table.

        Raises:
          TypeError: if it has other types.
          FailedPreconditionError: if a key has two values; in a graph when the operation runs.
        """
        self._checked(table)
        with name_scope("dataset_init"):
            nothing = zeros([0], self.key_dtype), zeros([0], self.value_dtype)
            keys, values = self.dataset.batch(_ALL).reduce(nothing, lambda before, batch: batch)
            return in_collection(table_ops.import_entries(table.resource_handle, keys, values))


@export("data.experimental.table_from_dataset")
def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | IdTableWithHashBuckets:
    """A table of the elements of a dataset.

    Args:
      dataset: its elements are pairs (key, value) of scalars.
      num_oov_buckets: the number of buckets for other keys, whose numbers follow the values.
      vocab_size: the number of elements to take, which the dataset must have; None takes all.
      default_value: the value of other keys without buckets; None is -1 for numbers.
      hasher_spec: the buckets of other keys.
      key_dtype: the type of keys, string or an integer.
      name: names the operations.

    Raises:
      ValueError: if elements are no such pairs, a number is out of range, or strings have no default.
      TypeError: for another type of keys.
    """
    if dataset is None:
        raise ValueError("`dataset` must not be None")
    _, value = _checked(dataset.element_spec)
    if default_value is None:
        default_value = -1
        if not (value.dtype.is_integer or value.dtype.is_floating):
            raise ValueError(
                f"`default_value` must be specified when creating a table from a dataset that produces values of type "
                f"{value.dtype}."
            )
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if not isinstance(vocab_size, Tensor) and vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    kind = dtypes.as_dtype(key_dtype)
    if not kind.is_integer and kind is not dtypes.string:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {kind}")
    if vocab_size is not None:
        count = cast(vocab_size, dtypes.int64) if isinstance(vocab_size, Tensor) else vocab_size
        dataset = dataset.take(count).apply(applied_assert_cardinality(count))
    with name_scope(name, "string_to_index"):
        with name_scope("hash_table"):
            table = StaticHashTableV1(DatasetInitializer(dataset), default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=kind)


@export("data.experimental.index_table_from_dataset")
def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | IdTableWithHashBuckets:
    """A table from the elements of a dataset to their numbers.

    Args:
      dataset: its elements are scalars, the keys.
      num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name: as for `table_from_dataset`.

    Raises:
      ValueError, TypeError: as `table_from_dataset`.
    """
    if dataset is None:
        raise ValueError("`dataset` must not be None")
    numbered = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(numbered, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
