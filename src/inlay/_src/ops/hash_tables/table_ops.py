"""The ops of tables: handles, what finds values, fills tables and changes them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.lines import Lines
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, OpDef, no_gradient
from inlay._src.core.signature import AtLeast
from inlay._src.ops.hash_tables.table_state import TableState
from inlay._src.ops.state import handle_op

LINE_NUMBER, WHOLE_LINE = -1, -2
"""Special column numbers: the number of the line, and the whole line."""

HANDLES: dict[str, OpDef] = {}
"""Kind of table -> the op that makes its handle."""
for _kind in ("HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable"):
    HANDLES[_kind] = handle_op(f"{_kind}V2", "The handle of a table.", _kind)


def _checked(table: TableState, keys: Any, values: Any) -> None:
    for what, array, wanted in (("key", keys, table.spec.key_dtype), ("value", values, table.spec.value_dtype)):
        dtype = wanted if array is None else dtypes.from_numpy(np.asarray(array).dtype)
        if dtype is not wanted:
            raise errors.InvalidArgumentError(
                None, None, f"the table {table.name} has {what}s of type {wanted.name}, got {dtype}"
            )


@op(
    "LookupTableFindV2",
    "table_handle:resource, keys:Tin, default_value:Tout -> Tout",
    types={"Tin": dtypes.ANY, "Tout": dtypes.ANY},
    effect=Effect.READS,
    infer=lambda s: [None],
    vjp=no_gradient,
)
def find(xp: Any, table_handle: TableState, keys: Any, default_value: Any) -> Any:
    """The values of keys in a table."""
    _checked(table_handle, keys, default_value)
    return table_handle.find(keys, default_value)


@op("LookupTableSizeV2", "table_handle:resource -> int64", effect=Effect.READS, infer=lambda s: [()])
def size(xp: Any, table_handle: TableState) -> Any:
    """The number of entries of a table."""
    return np.int64(table_handle.size())


@op(
    "LookupTableExportV2",
    "table_handle:resource -> Tkeys, Tvalues",
    effect=Effect.READS,
    infer=lambda s: [None, None],
    vjp=no_gradient,
)
def export_entries(xp: Any, table_handle: TableState, *, Tkeys: DType, Tvalues: DType) -> Any:
    """All keys and values of a table."""
    return table_handle.export()


_ENTRIES: dict[str, Any] = {"types": {"Tin": dtypes.ANY, "Tout": dtypes.ANY}, "effect": Effect.WRITES}


@op("LookupTableImportV2", "table_handle:resource, keys:Tin, values:Tout -> ", vjp=no_gradient, **_ENTRIES)
def import_entries(xp: Any, table_handle: TableState, keys: Any, values: Any) -> Any:
    """Makes these the entries of a table."""
    _checked(table_handle, keys, values)
    table_handle.fill(keys, values)
    return ()


@op("LookupTableInsertV2", "table_handle:resource, keys:Tin, values:Tout -> ", vjp=no_gradient, **_ENTRIES)
def insert(xp: Any, table_handle: TableState, keys: Any, values: Any) -> Any:
    """Enters values into a table."""
    _checked(table_handle, keys, values)
    table_handle.insert(keys, values)
    return ()


@op(
    "LookupTableRemoveV2",
    "table_handle:resource, keys:Tin -> ",
    types={"Tin": dtypes.ANY},
    effect=Effect.WRITES,
    vjp=no_gradient,
)
def remove(xp: Any, table_handle: TableState, keys: Any) -> Any:
    """Takes keys out of a table."""
    _checked(table_handle, keys, None)
    table_handle.remove(keys)
    return ()


# ---------------------------------------------------------------- text files


class TextFile(NamedTuple):
    """The file that a table was filled from, and how it was read.

    Attributes:
      path: the file.
      key_index, value_index: a column, the number of the line, or the whole line.
      vocab_size: the number of lines to read, or -1 for all.
      delimiter: the delimiter of columns.
      offset: the number of the first line, where values are line numbers.
    """

    path: str
    key_index: int
    value_index: int
    vocab_size: int
    delimiter: str
    offset: int

    def entries(
        self, key_dtype: DType, value_dtype: DType, file: BinaryIO | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The keys and values of the file.

        Args:
          key_dtype, value_dtype: their types.
          file: the open file, where it is not to be opened by its path.

        Raises:
          NotFoundError: if it is not there.
          InvalidArgumentError: if a line is empty or has too few columns, what is in one is no number where that is
            wanted, or there are fewer lines than `vocab_size`.
        """
        keys, values = [], []
        for number, line in enumerate(self._lines(file)):
            keys.append(self._part(line, number, self.key_index, key_dtype, 0))
            values.append(self._part(line, number, self.value_index, value_dtype, self.offset))
        if 0 <= len(keys) < self.vocab_size:
            raise errors.InvalidArgumentError(
                None, None, f"Invalid vocab_size in {self.path}: expected {self.vocab_size} but got {len(keys)}."
            )
        return keys, values

    def fill(self, table: TableState, file: BinaryIO | None = None) -> None:
        """Makes what is in the file the entries of a table; raises what `entries` and `TableState.fill` do.

        Args:
          table: the table.
          file: the open file, where it is not to be opened by its path.
        """
        kinds = (table.spec.key_dtype, table.spec.value_dtype)
        keys, values = (
            np.array(column, object if kind is dtypes.string else kind.np)
            for column, kind in zip(self.entries(*kinds, file), kinds, strict=True)
        )
        table.fill(keys, values, self)

    def _lines(self, file: BinaryIO | None) -> Iterator[bytes]:
        lines = Lines(self.path) if file is None else Lines(self.path, opened=lambda *_: io.BufferedReader(file))
        try:
            for number, line in enumerate(lines):
                if number == self.vocab_size:
                    return
                if not line:
                    raise errors.InvalidArgumentError(
                        None, None, f"Invalid content in {self.path}: empty line found at position {lines.at - 1}."
                    )
                yield line
        finally:
            lines.close()

    def _part(self, line: bytes, number: int, index: int, dtype: DType, offset: int) -> Any:
        if index == LINE_NUMBER:
            return number + offset
        text = line
        if index != WHOLE_LINE:
            columns = line.split(self.delimiter.encode())
            if max(self.key_index, self.value_index) >= len(columns):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Invalid number of columns in {self.path} line {number} ({line.decode(errors='replace')}): "
                    f"expected at least {max(self.key_index, self.value_index) + 1} got {len(columns)}",
                )
            text = columns[index]
        if dtype is dtypes.string:
            return text
        try:
            return int(text) if dtype.is_integer else float(text)
        except ValueError:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Field {text.decode(errors='replace')} in line {number} of {self.path} is not a valid {dtype.name}.",
            ) from None


@op(
    "InitializeTableFromTextFileV2",
    "table_handle:resource, filename:string -> ",
    effect=Effect.WRITES,
    vjp=no_gradient,
    attrs={"key_index": AtLeast(-2), "value_index": AtLeast(-2), "vocab_size": AtLeast(-1)},
)
def fill_from_file(
    xp: Any,
    table_handle: TableState,
    filename: Any,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int = -1,
    delimiter: str = "	",
    offset: int = 0,
) -> Any:
    """Fills a table from the lines of a text file."""
    path = np.asarray(filename)
    if path.ndim:
        raise ValueError(f"filename should be a single string, but got {list(path.shape)}")
    TextFile(path.item().decode(), key_index, value_index, vocab_size, delimiter, offset).fill(table_handle)
    return ()
