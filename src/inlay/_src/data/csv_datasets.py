"""Datasets of delimited text files: `CsvDataset`, and `make_csv_dataset`, which finds names and types by itself."""

from __future__ import annotations

import csv
import functools
import io
import itertools
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.delimited import DelimitedRecords
from inlay._src.base.files.opening import BUFFER, Opened, reading
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.csv_fields import FieldsNode
from inlay._src.data.dataset import Dataset
from inlay._src.data.file_datasets import paths_of
from inlay._src.data.reading import FilesNode, Reader, file_reader
from inlay._src.data.sizes import size_tensor
from inlay._src.ops.csv import check_default, check_kinds
from inlay._src.ops.files import matching_files


def _default(value: Any) -> Any:
    """The default of a column as a tensor of at most one element, which is empty for a dtype."""
    if isinstance(value, (DType, type)):
        return convert_to_tensor(np.zeros(0, dtypes.as_dtype(value).np), dtypes.as_dtype(value))
    tensor = convert_to_tensor(value)
    try:
        check_default(tensor.shape._dims)
    except ValueError as error:
        if not isinstance(tensor, EagerTensor):
            raise
        raise errors.InvalidArgumentError(None, None, str(error)) from None
    return tensor


@export("data.experimental.CsvDataset")
class CsvDataset(Dataset):
    """The records of delimited text files, as tuples of scalars.

    Args:
      filenames: names of files: strings, a tensor of them, or a dataset of scalars.
      record_defaults: for each column its dtype, if no field may be missing, or the default of missing fields: a
        scalar, or a vector of at most one element. float32, float64, int32, int64 or string.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: the number of bytes per read; None takes 256 KiB.
      header: whether the first record of each file is left out.
      field_delim: the delimiter of the fields, one character.
      use_quote_delim: whether double quotes go around fields, which may then hold ends of lines.
      na_value: further texts of a missing field.
      select_cols: the numbers of the columns to read, in order.
      exclude_cols: the numbers of the columns not to read, instead.

    Raises:
      InvalidArgumentError: if both columns to read and columns not to read are given; while it is iterated, for a file
        without its header, a record with another number of fields, or a field of another type.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        defaults = [_default(value) for value in record_defaults]
        check_kinds([value.dtype for value in defaults])
        selected, excluded = (tuple([int(i) for i in columns or ()]) for columns in (select_cols, exclude_cols))
        _check_columns(selected, excluded, len(defaults))
        if len(field_delim) != 1:
            raise ValueError(f"field_delim should be only 1 char, got {field_delim!r}")
        quoted = bool(use_quote_delim)
        reader = functools.partial(_csv_records, header=bool(header), quoted=quoted, delimiter=field_delim)
        arguments = [
            convert_to_tensor("" if compression_type is None else compression_type, dtypes.string),
            size_tensor(BUFFER if buffer_size is None else buffer_size, "buffer_size"),
        ]
        if isinstance(arguments[1], EagerTensor):
            _check_buffer(int(arguments[1]))
        records = FilesNode(paths_of(filenames), reader, arguments, "CsvDatasetV2")
        super().__init__(FieldsNode(records, defaults, field_delim, quoted, na_value, selected, excluded))

    def __repr__(self) -> str:
        return f"<CsvDatasetV2 element_spec={self.element_spec!r}>"


@file_reader
def _csv_records(
    path: str, opened: Opened, compression: bytes, buffer: int, *, header: bool, quoted: bool, delimiter: str = ","
) -> Reader:
    _check_buffer(buffer)
    return DelimitedRecords(path, compression.decode(), buffer, header, quoted, delimiter.encode(), opened)


def _check_buffer(size: int) -> None:
    if size < 1:
        raise errors.InvalidArgumentError(None, None, f"buffer_size should be positive, got {size}")


def _check_columns(selected: tuple[int, ...], excluded: tuple[int, ...], count: int) -> None:
    """Refuses columns to read, or not to read, that mean nothing.

    Raises:
      InvalidArgumentError: saying why.
    """
    if selected and excluded:
        raise errors.InvalidArgumentError(None, None, "Either select_cols or exclude_cols should be empty")
    if selected and len(selected) != count:
        raise errors.InvalidArgumentError(None, None, "select_cols should match output size")
    for name, columns in (("select_cols", selected), ("exclude_cols", excluded)):
        if any(b <= a for a, b in itertools.pairwise(columns)):
            raise errors.InvalidArgumentError(None, None, f"{name} should be strictly increasing indices")
        if columns and columns[0] < 0:
            raise errors.InvalidArgumentError(None, None, f"{name} should be non-negative indices")


_GUESSES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)
"""The types that a column may have, narrowest first."""
_MOST = float(np.finfo(np.float32).max)


def _narrowest(text: str, least: int) -> int:
    """The first of `_GUESSES`, from one of them on, that a field has."""
    for i in range(least, len(_GUESSES) - 1):
        kind = _GUESSES[i]
        try:
            number = int(text) if kind.is_integer else float(text)
        except ValueError:
            continue
        if kind.is_integer:
            if np.iinfo(kind.np).min <= number <= np.iinfo(kind.np).max:
                return i
        elif kind is dtypes.float64 or abs(number) <= _MOST or np.isinf(number):
            return i
    return len(_GUESSES) - 1


class _Table:
    """The settings that all files of a table share: delimiter, quoting, compression, encoding and header."""

    def __init__(
        self,
        paths: Sequence[str],
        field_delim: str,
        use_quote_delim: bool,
        header: bool,
        compression: str,
        encoding: str,
    ) -> None:
        if not isinstance(field_delim, str) or len(field_delim) != 1:
            raise TypeError(f'"delimiter" must be a 1-character string, got {field_delim!r}')
        try:
            io.TextIOWrapper(io.BytesIO(), encoding)
        except LookupError as error:  # it is none, or none of texts
            raise LookupError(str(error)) from None
        self.paths, self.header, self.compression, self.encoding = paths, header, compression, encoding
        self.form: dict[str, Any] = {
            "delimiter": field_delim,
            "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE,
        }

    def rows(self, path: str, stop: int | None) -> list[list[str]]:
        """The first records of a file, or all, the header among them."""
        with io.TextIOWrapper(reading(path, self.compression), self.encoding, newline="") as file:
            return list(islice(csv.reader(file, **self.form), stop))

    def header_of(self, path: str) -> list[str]:
        """The first record of a file."""
        return next(iter(self.rows(path, 1)), [])

    def names(self) -> list[str]:
        """The names in the headers.

        Raises:
          ValueError: if there are none, or others in another file.
        """
        if not self.header:
            raise ValueError("Expected `column_names` or `header=True`: without a header the columns have no names.")
        names = self.header_of(self.paths[0])
        for path in self.paths[1:]:
            if (header := self.header_of(path)) != names:
                raise ValueError(
                    f"All CSV files must have the same column names, {names} in {self.paths[0]}, got {header} in "
                    f"{path}."
                )
        return names

    def defaults(self, defaults: Sequence[Any] | None, columns: Sequence[int], na_value: str, count: int | None) -> Any:
        """The default of each column, which replaces its missing fields.

        Args:
          defaults: the default of each column; None goes by the types that are guessed.
          columns: the numbers of the columns.
          na_value: the value of a missing field.
          count: the number of records of each file to examine; None looks at all.

        Raises:
          ValueError: if there are not as many as columns.
        """
        if defaults is None:
            kinds = self.kinds(columns, na_value, -1 if count is None else count)
            return [[b""] if kind is dtypes.string else np.zeros(1, kind.np) for kind in kinds]
        if len(defaults) != len(columns):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: got "
                f"{len(defaults)} and {len(columns)}."
            )
        return defaults

    def kinds(self, columns: Sequence[int], na_value: str, count: int) -> list[DType]:
        """The types of columns, guessed from the first records; of columns without any value, int32."""
        least = [0] * len(columns)
        for path in self.paths:
            for row in self.rows(path, None if count < 0 else count + self.header)[int(self.header) :]:
                for i, column in enumerate(columns):
                    if column >= len(row):
                        raise ValueError(
                            f"Problem inferring types: a record of {path} has {len(row)} fields, expected more than "
                            f"{column}: {row}"
                        )
                    if row[column] not in ("", na_value):
                        least[i] = _narrowest(row[column], least[i])
        return [_GUESSES[i] for i in least]


def _selected(select: Sequence[Any] | None, names: Sequence[str]) -> list[int]:
    """The numbers of columns that are given by number or by name, in order.

    Raises:
      ValueError: for one that is not there, or is there twice.
    """
    if select is None:
        return list(range(len(names)))
    numbers = []
    by_name = {name: number for number, name in reversed([*enumerate(names)])}
    for column in select:
        if isinstance(column, str) and column not in by_name:
            raise ValueError(f"Value '{column}' in `select_columns` is not one of the columns {list(names)}.")
        number = by_name[column] if isinstance(column, str) else int(column)
        if not 0 <= number < len(names):
            raise ValueError(f"Value {column} in `select_columns` is not the number of a column, of {len(names)}.")
        numbers.append(number)
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"`select_columns` contains duplicate columns: {list(select)}")
    return sorted(numbers)


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of the records of delimited text files, as dicts of columns.

    Args:
      file_pattern: a pattern of names, or several.
      batch_size: the number of records per batch.
      column_names: the names of the columns; None reads the header.
      column_defaults: the `record_defaults` of `CsvDataset` for the columns that are read; None guesses types
        from the first records, and takes 0 or "" where a field is missing.
      label_name: the column that is given beside the others, as `(others, column)`.
      select_columns: the numbers or names of the columns to read; None reads all.
      field_delim, use_quote_delim, na_value, compression_type: as for `CsvDataset`.
      header: whether the first record of each file names the columns.
      num_epochs: the number of passes over the files; None is without end, and leaves out a last batch that is smaller.
      shuffle: whether records come in random order, from a buffer of `shuffle_buffer_size`, by `shuffle_seed`.
      shuffle_buffer_size, shuffle_seed: see `shuffle`.
      prefetch_buffer_size: the number of batches computed ahead; None chooses.
      num_parallel_reads: the number of files read in rotation.
      sloppy: accepted; the order is kept.
      num_rows_for_inference: the number of records of each file to infer types from; None looks at all.
      ignore_errors: whether records that cannot be read are left out.
      encoding: of names and values that are looked at.

    Raises:
      ValueError: if no file matches, names are missing or twice there, the label is no column, or there are more or
        fewer defaults than columns.
    """
    patterns = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
    with context.using(context.EAGER):  # the files are looked at now, also where the dataset is made for a graph
        paths = [path.decode() for path in matching_files(convert_to_tensor(patterns, dtypes.string)).numpy()]
    if not paths:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    packed = "" if compression_type is None else str(compression_type)
    table = _Table(paths, field_delim, use_quote_delim, header, packed, encoding)
    names = table.names() if column_names is None else list(column_names)
    if len(names) != len(set(names)):
        raise ValueError("Cannot have duplicate column names.")
    columns = _selected(select_columns, names)
    column_defaults = table.defaults(column_defaults, columns, na_value, num_rows_for_inference)
    read = [names[i] for i in columns]
    if label_name is not None and label_name not in read:
        raise ValueError(f"`label_name` provided must be one of the columns: {read}. Received: {label_name}.")

    def named(*values: Any) -> Any:
        features = OrderedDict(zip(read, values, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    def records(path: Any) -> Dataset:
        dataset = CsvDataset(
            path, column_defaults, packed, None, header, field_delim, use_quote_delim, na_value, columns
        )  # fmt: skip
        return dataset.ignore_errors() if ignore_errors else dataset

    files = Dataset.list_files(patterns, shuffle, shuffle_seed)
    dataset: Any = files.interleave(records, cycle_length=num_parallel_reads or 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)  # type: ignore[no-any-return]
