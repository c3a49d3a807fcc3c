"""Lines of comma separated values as tensors.

Python's `csv` does not split the fields, since its rules differ from TensorFlow's. It accepts a quote inside an
unquoted field and refuses the line ends that TensorFlow skips before a field. It drops a line end behind the last
field, which TensorFlow refuses, and limits a field to 131,072 characters. Checks that make up for this would read each
field again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.files.delimited import fields_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import OPS, Shapes
from inlay._src.ops.strings import all_parsed, decoded, parsed

_READ = {dtypes.float32: "float", dtypes.float64: "double", dtypes.int32: "int32", dtypes.int64: "int64"}
"""The types of numbers in fields, as messages call them; strings are the other type."""


def _quoted(text: str, at: int, delim: str) -> tuple[str, int]:
    """(the field whose opening quote is at `at`, where the next one begins)."""
    parts, at, last = [], at + 1, len(text) - 1
    while (quote := text.find('"', at)) >= 0:
        parts.append(text[at:quote])
        if quote == last or text[quote + 1] == delim:
            return "".join(parts), quote + 2
        if text[quote + 1] != '"':
            raise ValueError("Quote inside a string has to be escaped by another quote")
        parts.append('"')
        at = quote + 2
    raise ValueError("Quoted field has to end with quote followed by delim or end")


def _fields(text: str, delim: str, quotes: bool) -> Iterator[str]:
    """The fields of one record."""
    at = 0
    while at < len(text):
        if text[at] in "\n\r":
            at += 1
        elif quotes and text[at] == '"':
            field, at = _quoted(text, at, delim)
            yield field
        else:
            end = text.find(delim, at)
            field = text[at:] if end < 0 else text[at:end]
            if any(c in field for c in ('"\n\r' if quotes else "\n\r")):
                raise ValueError("Unquoted fields cannot have quotes/CRLFs inside")
            yield field
            at += len(field) + 1
    if text.endswith(delim):
        yield ""


def field_value(field: bytes, default: Any, kind: DType, missing: bytes, number: int, record: str) -> Any:
    """A field as a value.

    Args:
      field: its text.
      default: stands for a missing one, if it has an entry.
      kind: the type of the column.
      missing: text that stands for a missing field, besides nothing.
      number: of the field, for messages.
      record: the name of the record in messages.

    Raises:
      ValueError: if it is missing, or no such value.
    """
    if field in (b"", missing):
        if not default.size:
            raise ValueError(f"Field {number} is required but missing in {record}!")
        return default.reshape(-1)[0]
    if kind is dtypes.string:
        return field
    try:
        return parsed(field, kind)
    except ValueError:
        raise ValueError(f"Field {number} in {record} is not a valid {_READ[kind]}: {decoded(field)}") from None


def _infer(s: Shapes) -> list[Dims]:
    for dims in s.dims[1:]:
        check_default(dims)
    return [s.dims[0]] * (len(s.dims) - 1)


def check_default(dims: Dims) -> None:
    """Refuses a default of a column that is neither a scalar nor a vector of at most one entry."""
    if dims is not None and len(dims) > 1:
        raise ValueError(
            f"Shape must be at most rank 1 but is rank {len(dims)}: Each record default should be at most rank 1"
        )
    if dims and dims[0] is not None and dims[0] > 1:
        raise ValueError(f"There should only be 1 default per field, got {dims[0]}: use a vector of length 0 or 1")


def _simple_columns(
    texts: Sequence[bytes], kinds: Sequence[DType], delim: str, quotes: bool, missing: str, selected: Sequence[int]
) -> list[np.ndarray] | None:
    """The columns of records whose fields are all there and valid; None of others, which are read field by field."""
    rows = _simple_rows(texts, delim, quotes)
    if rows is None or len(set(map(len, rows))) != 1:
        return None
    numbers = selected or range(len(rows[0]))
    if len(numbers) != len(kinds) or numbers[-1] >= len(rows[0]):
        return None
    fields = list(zip(*rows, strict=True))
    fields = [fields[i] for i in numbers]
    columns = []
    for column, kind in zip(fields, kinds, strict=True):
        if b"" in column or (missing and missing.encode() in column):
            return None
        values: np.ndarray | None
        if kind is dtypes.string:
            values = np.empty(len(column), object)
            values[:] = column
        else:
            values = all_parsed(column, kind)
            if values is None:
                return None
        columns.append(values)
    return columns


def _simple_rows(texts: Sequence[bytes], delim: str, quotes: bool) -> list[list[bytes]] | None:
    """The fields of records, none of which is empty or has a line end; None of others."""
    joined = b"".join(texts)
    if not delim.isascii() or not all(texts) or b"\n" in joined or b"\r" in joined:
        return None
    separator = delim.encode()
    if not quotes or b'"' not in joined:
        return [text.split(separator) for text in texts]
    try:
        return [fields_of(text, separator, True) for text in texts]
    except ValueError:
        return None


@op("DecodeCSV", "records:string, record_defaults:*any -> *out_type", infer=_infer, lower=REFUSES_VALUES)
def _decode(
    xp, records, record_defaults, *, out_type, field_delim=",", use_quote_delim=True, na_value="", select_cols=()
):
    """The fields of records, one tensor per column."""
    for default in record_defaults:
        check_default(np.shape(default))
    texts = np.asarray(records).reshape(-1).tolist()
    columns = _simple_columns(texts, out_type, field_delim, use_quote_delim, na_value, select_cols)
    if columns is not None:
        return [column.reshape(np.shape(records)) for column in columns]
    columns: list[list[Any]] = [[] for _ in record_defaults]
    missing = na_value.encode()
    for r, record in enumerate(texts):
        text = record.decode("utf-8", "surrogateescape")
        fields = list(_fields(text, field_delim, use_quote_delim))
        if select_cols:
            fields = [fields[i] for i in select_cols if i < len(fields)]
        if len(fields) != len(columns):
            raise ValueError(f"Expect {len(columns)} fields but have {len(fields)} in record {r}")
        for f, (field, default, kind, column) in enumerate(
            zip(fields, record_defaults, out_type, columns, strict=True)
        ):
            text = field.encode("utf-8", "surrogateescape")
            column.append(field_value(text, np.asarray(default), kind, missing, f, f"record {r}"))
    out = [np.empty(len(column), kind.np) for column, kind in zip(columns, out_type, strict=True)]
    for array, column in zip(out, columns, strict=True):
        array[:] = column
    return [array.reshape(np.shape(records)) for array in out]


def check_kinds(kinds: Sequence[DType]) -> None:
    """Refuses types that no column has."""
    for kind in kinds:
        if kind is not dtypes.string and kind not in _READ:
            raise TypeError(f"a column must be float32, float64, int32, int64 or string, got a default of {kind.name}")


def _selected(select_cols: Sequence[int] | None, count: int) -> tuple[int, ...]:
    """The columns to read, checked."""
    columns = tuple(int(c) for c in select_cols or ())
    if columns and any(b <= a for a, b in zip(columns, columns[1:], strict=False)):
        raise ValueError("select_cols is not strictly increasing.")
    if columns and columns[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(columns) != count:
        raise ValueError("Length of select_cols and record_defaults do not match.")
    return columns


@export("io.decode_csv", "decode_csv")
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Any]:
    """Records of comma separated values as one tensor per column.

    Args:
      records: strings, a record each.
      record_defaults: for each column a scalar or a vector of at most one entry: float32, float64, int32, int64 or
        string. Its type is the column's. Its entry is the value of a missing field; without one none may be missing.
      field_delim: the delimiter of the fields, one character.
      use_quote_delim: whether double quotes go around fields; otherwise they are part of them.
      na_value: further texts of a missing field.
      select_cols: the numbers of the columns to read, in order; all of them if None.
      name: the node's name.

    Returns:
      A list of tensors of the shape of `records`.

    Raises:
      InvalidArgumentError: for a record that has another number of fields, or a field of the wrong type.
    """
    if len(field_delim) != 1:
        raise ValueError(f"field_delim should be only 1 char, got {field_delim!r}")
    if context.executing_eagerly() and getattr(record_defaults, "ndim", 0) == 1:  # arrays and tensors too
        record_defaults = list(record_defaults)
    if not isinstance(record_defaults, (list, tuple)):
        raise TypeError(f"Expected list for 'record_defaults', not {record_defaults!r}")
    if not record_defaults:
        raise ValueError("record_defaults must have an entry for each column, got none")
    defaults = [convert_to_tensor(d) for d in record_defaults]
    kinds = tuple(d.dtype for d in defaults)
    check_kinds(kinds)
    attrs = {
        "out_type": kinds,
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": _selected(select_cols, len(defaults)),
    }
    return emit(OPS["DecodeCSV"], (records, defaults), attrs, name)  # type: ignore[no-any-return]


decode_csv_v1: Any = export("compat.v1.decode_csv", "compat.v1.io.decode_csv")(
    another_form(
        decode_csv,
        "records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='', select_cols=None",
    )
)
