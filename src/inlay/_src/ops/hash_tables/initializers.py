"""Initializers of static tables: tensors of keys and values, and text files."""

from __future__ import annotations

import os
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops.hash_tables import table_ops
from inlay._src.ops.variables.collections import GraphKeys


class TableInitializerBase:
    """The initializer of a static table.

    Args:
      key_dtype, value_dtype: the types of keys and values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Any:
        """Fills a table, or, in a graph, makes the operation that does."""
        raise NotImplementedError

    def _checked(self, table: Any) -> None:
        for what in ("key", "value"):
            wanted, own = getattr(table, f"{what}_dtype"), getattr(self, f"{what}_dtype")
            if own != wanted:
                raise TypeError(f"Invalid {what} dtype for table, expected {wanted} but got {own}.")


def in_collection(operation: Any) -> Any:
    """The operation that fills a table, which `tables_initializer` runs."""
    if not context.executing_eagerly():
        default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, operation)
    return operation


@export("lookup.KeyValueTensorInitializer", "contrib.lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with keys and values from tensors.

    Args:
      keys: the keys.
      values: their values, of the same shape.
      key_dtype, value_dtype: their types; None are those that they have.
      name: names the operation.
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        self._keys = convert_to_tensor(keys, key_dtype, name="keys")
        self._values = convert_to_tensor(values, value_dtype, name="values")
        self._name = "key_value_init" if name is None else name
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Operation | None:
        """Fills a table, or, in a graph, makes the operation that does.

        Args:
          table: a table.

        Raises:
          TypeError: if it has other types.
        """
        self._checked(table)
        with name_scope(self._name):
            return in_collection(table_ops.import_entries(table.resource_handle, self._keys, self._values))


@export("lookup.TextFileIndex", "contrib.lookup.TextFileIndex")
class TextFileIndex:
    """The sources of a key or value of `TextFileInitializer` besides a column: the line's number, or the whole line."""

    WHOLE_LINE = table_ops.WHOLE_LINE
    LINE_NUMBER = table_ops.LINE_NUMBER


def _checked_column(what: str, dtype: DType, index: int) -> None:
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
        raise ValueError(f"`{what}_dtype` must be int64 for `{what}_index` {index}, received: {dtype}")
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype is not dtypes.string:
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` {index}, received: {dtype}"
        )


@export("lookup.TextFileInitializer", "contrib.lookup.TextFileInitializer")
class TextFileInitializer(TableInitializerBase):
    """Fills a table with keys and values from the lines of a text file.

    A saved model with such a table has a copy of the file.

    Args:
      filename: the file, a string or a string tensor.
      key_dtype: the type of keys.
      key_index: the column of keys, or `TextFileIndex.LINE_NUMBER` or `WHOLE_LINE`.
      value_dtype: the type of values.
      value_index: the column of values, likewise.
      vocab_size: the number of lines to read; None reads all.
      delimiter: the delimiter of columns.
      name: names the operation.
      value_index_offset: added to the number of a line where values are that.

    Raises:
      ValueError: if there is no file name, a number is out of range, or types do not go with columns.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _checked_column("key", self._key_dtype, key_index)
        _checked_column("value", self._value_dtype, value_index)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename = filename if isinstance(filename, (Tensor, bytes)) else os.fsencode(filename)
        self._options = {
            "key_index": key_index,
            "value_index": value_index,
            "vocab_size": -1 if vocab_size is None else vocab_size,
            "delimiter": delimiter,
            "offset": value_index_offset,
        }
        self._name = name

    def initialize(self, table: Any) -> Operation | None:
        """Fills a table, or, in a graph, makes the operation that does.

        Args:
          table: a table.

        Raises:
          TypeError: if it has other types.
          NotFoundError: if there is no such file; in a graph when the operation runs.
          InvalidArgumentError: likewise, for lines that cannot be read so.
        """
        self._checked(table)
        with name_scope(self._name, "text_file_init"):
            filename = convert_to_tensor(self._filename, dtypes.string, name="asset_filepath")
            operation = table_ops.fill_from_file(table.resource_handle, filename, **self._options)
            if not context.executing_eagerly():
                default_graph().add_to_collection(GraphKeys.ASSET_FILEPATHS, filename)
            return in_collection(operation)


@export("contrib.lookup.TextFileStringTableInitializer")
class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table with strings by number: those of the lines of a file; arguments as for `TextFileInitializer`."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        columns = (dtypes.int64, key_column_index, dtypes.string, value_column_index)
        super().__init__(filename, *columns, vocab_size, delimiter, name)


@export("contrib.lookup.TextFileIdTableInitializer")
class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table with numbers by string: those of the lines of a file; arguments as for `TextFileInitializer`."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: Any = dtypes.string,
    ) -> None:
        columns = (key_dtype, key_column_index, dtypes.int64, value_column_index)
        super().__init__(filename, *columns, vocab_size, delimiter, name)
