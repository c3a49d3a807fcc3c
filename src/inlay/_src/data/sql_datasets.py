"""Datasets of the rows that a query of a database gives."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.values import scalar_string
from inlay._src.data.dataset import Dataset
from inlay._src.data.element import Element, Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import Cursor, Iteration, Node

_KINDS = frozenset(
    {
        dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16,
        dtypes.bool_, dtypes.float64,
    }
)  # fmt: skip


_ERRORS: dict[int, type[errors.OpError]] = {
    2: errors.InternalError, 3: errors.PermissionDeniedError, 4: errors.AbortedError, 5: errors.UnavailableError,
    6: errors.UnavailableError, 7: errors.UnavailableError, 8: errors.InvalidArgumentError, 9: errors.CancelledError,
    11: errors.DataLossError, 12: errors.InvalidArgumentError, 13: errors.ResourceExhaustedError,
    14: errors.InvalidArgumentError, 15: errors.UnavailableError, 18: errors.ResourceExhaustedError,
    19: errors.InvalidArgumentError, 21: errors.InternalError, 23: errors.PermissionDeniedError,
    25: errors.OutOfRangeError, 26: errors.InvalidArgumentError,
}  # fmt: skip
"""Primary result code of SQLite -> the class of the error; all others are unknown errors, as a syntax error is."""


@graph_form("SqlDataset", "string string string", inputs=0)
class RowsNode(Node):
    """The rows of a query.

    Args:
      spec: of the rows.
      driver: the kind of database, a string scalar.
      source: the name of the database, a string scalar.
      query: a string scalar.
    """

    __slots__ = ()
    name = "SqlDatasetV2"

    def __init__(self, spec: Any, driver: Any, source: Any, query: Any) -> None:
        super().__init__(spec, (), (driver, source, query))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`.

        Raises:
          InvalidArgumentError: for another kind of database.
        """
        driver, source, query = (os.fsdecode(value.item()) for value in iteration.values(self.tensors))
        if driver != "sqlite":
            raise errors.InvalidArgumentError(
                None, None, f"The database type, {driver}, is not supported by SqlDataset. The set of supported "
                "databases is: {'sqlite'}."
            )  # fmt: skip
        return RowsCursor(self.element, source, query)


class RowsCursor(Cursor):
    """One iteration of `RowsNode`. Its position is the number of the next row. At the end the database is let go."""

    __slots__ = ("_connection", "_element", "_query", "_rows", "_source", "ended", "next")
    saved = ("next", "ended")

    def __init__(self, element: Element, source: str, query: str) -> None:
        super().__init__()
        self._element, self._source, self._query, self.next = element, source, query, 0
        self.ended: bool = False
        self._connection: sqlite3.Connection | None = None
        self._rows: Any = None

    def __next__(self) -> Values:
        if self.ended:
            raise StopIteration
        try:
            if self._rows is None:
                self._begin()
            row = next(self._rows)
        except StopIteration:
            self.ended = True
            self.close()
            raise
        except sqlite3.Error as error:
            self.close()
            raise self._failure(error) from error
        self.next += 1
        leaves = self._element.leaves
        if len(row) != len(leaves):
            raise errors.InvalidArgumentError(
                None, None, f"The number of columns in query ({len(row)}) must match the number of elements in "
                f"output_types ({len(leaves)})."
            )  # fmt: skip
        return [_value(field, spec.dtype) for field, spec in zip(row, leaves, strict=True)]

    def _begin(self) -> None:
        """Runs the query, up to the row of the position."""
        uri = f"file:{self._source.replace('?', '%3f').replace('#', '%23')}?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._connection.text_factory = bytes
        self._rows = self._connection.execute(self._query)
        for _ in range(self.next):
            next(self._rows, None)

    def _failure(self, error: sqlite3.Error) -> errors.OpError:
        """The error of the database, of the class that its result code stands for."""
        code = getattr(error, "sqlite_errorcode", None)  # errors of the Python module itself have none
        kind = errors.InvalidArgumentError if code is None else _ERRORS.get(code & 0xFF, errors.UnknownError)
        return kind(None, None, f"{self._source}: {error}, for the query {self._query!r}")

    def restore(self, state: Any) -> None:
        self.close()
        super().restore(state)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = self._rows = None
        super().close()


def _value(field: Any, kind: Any) -> Any:
    """A field of a row in the type of its column, as SQLite converts: nothing is 0, false, or the empty string."""
    if kind is dtypes.string:
        return scalar_string(b"" if field is None else field if isinstance(field, bytes) else str(field))
    if isinstance(field, bytes):
        field = _number(field)
    number = 0 if field is None else field
    if kind is dtypes.bool_:
        return np.bool_(number != 0)
    if kind is dtypes.float64:
        return np.float64(number)
    return np.array(int(number), np.int64).astype(kind.np)[()]


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


@export("data.experimental.SqlDataset")
class SqlDataset(Dataset):
    """The rows that a query of a database gives, as tuples of scalars. The database is only read.

    Args:
      driver_name: "sqlite".
      data_source_name: the file of the database.
      query: the query, in SQL.
      output_types: a tuple of the dtypes of the columns: string, integers, bool or float64.

    Raises:
      TypeError: for another dtype.
      InvalidArgumentError: while it is iterated, if the database cannot be opened or the query gives another number of
        columns.
      UnknownError: while it is iterated, if the query has a syntax error or names what the database does not have.
    """

    def __init__(self, driver_name: Any, data_source_name: Any, query: Any, output_types: Sequence[Any]) -> None:
        spec = nest.map_structure(lambda kind: TensorSpec((), kind), output_types)
        for part in nest.flatten(spec):
            if part.dtype not in _KINDS:
                raise TypeError(
                    f"a column of a database has no dtype {part.dtype.name}: use string, an integer, bool or float64"
                )
        arguments = [convert_to_tensor(text, dtypes.string) for text in (driver_name, data_source_name, query)]
        super().__init__(RowsNode(spec, *arguments))
