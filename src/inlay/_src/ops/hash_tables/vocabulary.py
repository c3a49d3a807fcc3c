"""Tables of words and their numbers, with buckets for words that are in none."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.core.trackable import Trackable
from inlay._src.ops import array, hashing, math, printed_numbers, ranges
from inlay._src.ops.control import no_op
from inlay._src.ops.hash_tables.initializers import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from inlay._src.ops.hash_tables.static_table import HashTable, StaticHashTable, StaticHashTableV1
from inlay._src.ops.hash_tables.table import of_keys


class HasherSpec(NamedTuple):
    """The hashing of words into buckets.

    Attributes:
      hasher: "fasthash", "legacy" or "stronghash".
      key: two integers, of the last.
    """

    hasher: str
    key: Any = None


FastHashSpec = HasherSpec("fasthash")


def _bucket(words: Any, buckets: int, spec: HasherSpec) -> Any:
    if spec.hasher == "stronghash":
        return hashing.to_hash_bucket_strong(words, buckets, list(spec.key), name="hash_bucket")
    return hashing.to_hash_bucket_fast(words, buckets, name="hash_bucket")


@export("contrib.lookup.IdTableWithHashBuckets")
class IdTableWithHashBuckets(Trackable):
    """Numbers of words: those of a table, and buckets behind them for words that are not there.

    Args:
      table: the table, from strings or int64 to int64; None has buckets only.
      num_oov_buckets: the number of buckets.
      hasher_spec: the hashing of words into buckets.
      name: names its operations.
      key_dtype: the type of keys, string or an integer.

    Raises:
      TypeError: if types do not go together.
      ValueError: if there is neither a table nor a bucket.
    """

    _in_checkpoints = False

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        if hasher_spec.hasher not in ("fasthash", "stronghash"):
            raise ValueError(f"the hasher {hasher_spec.hasher!r} is not here: use 'fasthash' or 'stronghash'")
        if table is None and num_oov_buckets <= 0:
            raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
        default = dtypes.string if table is None else table.key_dtype
        self._key_dtype = _checked_keys(default if key_dtype is None else dtypes.as_dtype(key_dtype), table)
        self._table, self._buckets, self._hasher = table, num_oov_buckets, hasher_spec
        path = name.rstrip("/") if name else "hash_bucket" if table is None else table.name
        self._name: str | None = path.rpartition("/")[2] if path else None

    @property
    def key_dtype(self) -> DType:
        """The type of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """int64."""
        return dtypes.int64

    @property
    def name(self) -> str | None:
        """Its name."""
        return self._name

    @property
    def resource_handle(self) -> Tensor | None:
        """The handle of the table; None if there is none."""
        return None if self._table is None else self._table.resource_handle

    @property
    def initializer(self) -> Operation | None:
        """The operation that fills the table; None while executing eagerly."""
        if self._table is not None:
            return self._table.initializer
        return None if context.executing_eagerly() else no_op(name="init")

    init = initializer

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries, those of buckets included."""
        with name_scope(name, f"{self._name}_Size"):
            of_table = convert_to_tensor(0, dtypes.int64) if self._table is None else self._table.size()
            return of_table + self._buckets

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The numbers of keys.

        Args:
          keys: a tensor, ragged or sparse ones too, of `key_dtype`.
          name: the operation's.

        Returns:
          int64 of the same structure and shape.

        Raises:
          TypeError: for keys of another type.
        """
        if not isinstance(keys, nest.Composite):
            keys = convert_to_tensor(keys, None if hasattr(keys, "dtype") else self._key_dtype)
        with name_scope(name, f"{self._name}_Lookup"):
            return of_keys(keys, self._key_dtype, self._numbers)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def _numbers(self, keys: Any) -> Any:
        table = self._table
        if table is not None and table.key_dtype is dtypes.int64:
            keys = math.cast(keys, dtypes.int64)
        if not self._buckets:
            return table.lookup(keys)
        words = keys if keys.dtype is dtypes.string else printed_numbers.as_string(keys)
        buckets = _bucket(words, self._buckets, self._hasher)
        if table is None:
            return buckets
        numbers = table.lookup(keys)
        return array.where(math.not_equal(numbers, table.default_value), numbers, math.add(buckets, table.size()))


def _checked_keys(key_dtype: DType, table: Any) -> DType:
    if table is not None:
        if table.key_dtype not in (dtypes.int64, dtypes.string):
            raise TypeError(f"Invalid `key_dtype`, expected int64 or string, received {table.key_dtype}.")
        if table.key_dtype.is_integer != key_dtype.is_integer:
            wanted = "integer" if key_dtype.is_integer else "non-integer"
            raise TypeError(f"Invalid `key dtype`, expected {wanted} but got {table.key_dtype}.")
        if table.value_dtype is not dtypes.int64:
            raise TypeError(f"Invalid `value_dtype`: expected int64 but got {table.value_dtype}.")
    if not key_dtype.is_integer and key_dtype is not dtypes.string:
        raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {key_dtype}.")
    return key_dtype


@export("lookup.StaticVocabularyTable", "compat.v1.lookup.StaticVocabularyTable")
class StaticVocabularyTable(IdTableWithHashBuckets):
    """Numbers of words: those that an initializer gives them, and buckets behind them for other words.

    Args:
      initializer: the initializer of the table, from strings or int64 to int64; None has buckets only.
      num_oov_buckets: the number of buckets.
      lookup_key_dtype: the type of keys; None is that of the initializer.
      name: names its operations.
      experimental_is_anonymous: accepted; nothing else shares a table here.

    Raises:
      TypeError: if types do not go together.
      ValueError: if there is no bucket.
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        if initializer is not None:
            _checked_keys(dtypes.as_dtype(lookup_key_dtype or initializer.key_dtype), initializer)
        table = None if initializer is None else HashTable(initializer, -1)
        key_dtype = dtypes.string if initializer is None else lookup_key_dtype
        super().__init__(table, num_oov_buckets, FastHashSpec, name, key_dtype)


# ---------------------------------------------------------------- tables by what they are made of


def _checked_buckets(num_oov_buckets: int, vocab_size: int | None = None) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")


def _required(value: Any, what: str) -> Any:
    if value is None or (isinstance(value, str) and not value):
        raise ValueError(f"`{what}` must be specified and must not be empty.")
    return value


@export("contrib.lookup.index_table_from_file")
def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> StaticHashTable | IdTableWithHashBuckets:
    """A table from words to the numbers of their lines in a file.

    Args:
      vocabulary_file: the file.
      num_oov_buckets: the number of buckets for other words.
      vocab_size: the number of lines to read; None reads all.
      default_value: the number of other words, if there are no buckets.
      hasher_spec: the hashing of words into buckets.
      key_dtype: the type of keys, string or an integer.
      name: names its operations.
      key_column_index, value_column_index, delimiter: as for `TextFileInitializer`.

    Raises:
      ValueError: if there is no file, or a number is negative.
      TypeError: for another type of keys.
    """
    _required(vocabulary_file, "vocabulary_file")
    _checked_buckets(num_oov_buckets, vocab_size)
    key_dtype = dtypes.as_dtype(key_dtype)
    if not key_dtype.is_integer and key_dtype is not dtypes.string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    own = dtypes.int64 if key_dtype.is_integer else key_dtype
    columns = (key_column_index, value_column_index, vocab_size, delimiter)
    with name_scope(name, "string_to_index"):
        with name_scope("hash_table"):
            init = TextFileIdTableInitializer(vocabulary_file, *columns, "table_init", own)
            table = StaticHashTableV1(init, default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)


@export("contrib.lookup.index_table_from_tensor")
def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | IdTableWithHashBuckets:
    """A table from words to their places in a vector.

    Args:
      mapping: the words, strings or integers.
      num_oov_buckets: the number of buckets for other words.
      default_value: the number of other words, if there are no buckets.
      hasher_spec: the hashing of words into buckets.
      dtype: the type of keys.
      name: names its operations.

    Raises:
      ValueError: if there are no words, they are of another type, or a number is negative.
      TypeError: for another type of keys.
    """
    if mapping is None:
        raise ValueError("`vocabulary_list` must be specified.")
    _checked_buckets(num_oov_buckets)
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_integer and dtype is not dtypes.string:
        raise TypeError("`dtype` must either be integer or string.")
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(mapping)
        if keys.dtype.is_integer != dtype.is_integer or (not dtype.is_integer and keys.dtype != dtype):
            wanted = "integer" if dtype.is_integer else dtype
            raise ValueError(f"Invalid `dtype`: Expected {wanted}, got {keys.dtype}.")
        values = math.cast(ranges.range_(array.size(keys)), dtypes.int64)
        with name_scope("hash_table"):
            keys = math.cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
            table = StaticHashTableV1(KeyValueTensorInitializer(keys, values, name="table_init"), default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=dtype)


@export("contrib.lookup.index_to_string_table_from_file")
def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """A table from the numbers of lines of a file to what they hold.

    Args:
      vocabulary_file: the file.
      vocab_size: the number of lines to read; None reads all.
      default_value: the value of all other numbers.
      name: names its operations.
      key_column_index, value_column_index, delimiter: as for `TextFileInitializer`.

    Raises:
      ValueError: if there is no file, or a number is negative.
    """
    _required(vocabulary_file, "vocabulary_file")
    _checked_buckets(0, vocab_size)
    columns = (key_column_index, value_column_index, vocab_size, delimiter)
    with name_scope(name, "index_to_string"):
        return StaticHashTableV1(TextFileStringTableInitializer(vocabulary_file, *columns, "table_init"), default_value)


@export("contrib.lookup.index_to_string_table_from_tensor")
def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> StaticHashTable:
    """A table from places in a vector to the words there.

    Args:
      mapping: the words.
      default_value: the value of other places.
      name: names its operations.

    Raises:
      ValueError: if there are no words.
    """
    if mapping is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(mapping, dtypes.string)
        keys = math.cast(ranges.range_(array.size(words)), dtypes.int64)
        return StaticHashTableV1(KeyValueTensorInitializer(keys, words, name="table_init"), default_value)
