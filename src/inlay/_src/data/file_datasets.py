"""The public datasets of files: `TextLineDataset`, `TFRecordDataset`, `FixedLengthRecordDataset`; names of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.files.blocks import Blocks
from inlay._src.base.files.lines import Lines
from inlay._src.base.files.opening import Opened
from inlay._src.base.files.records import Records, TFRecordWriter
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.data import graph_node_readers, graph_ops
from inlay._src.data.dataset import Dataset
from inlay._src.data.element import Values
from inlay._src.data.graph_nodes import Use, add_use
from inlay._src.data.graph_ops import Task
from inlay._src.data.node import Iteration, Node
from inlay._src.data.reading import FilesNode, Reader, file_reader
from inlay._src.data.reducing import effect_of
from inlay._src.data.sizes import size_tensor
from inlay._src.data.sources import SlicesNode
from inlay._src.ops import array


def paths_of(filenames: Any) -> Node:
    """The dataset of the names of files: strings, a tensor of them, or such a dataset already.

    Raises:
      TypeError: if they are no strings.
    """
    if isinstance(filenames, Dataset):
        spec = filenames.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
            kind = repr(spec.dtype) if isinstance(spec, TensorSpec) else repr(spec)
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements. Got a dataset of `{kind}` elements."
            )
        if not spec.shape.is_compatible_with(()):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset "
                f"of element shape {spec.shape!r}."
            )
        return filenames._node
    none = isinstance(filenames, (list, tuple)) and not filenames  # has no dtype of its own
    names = convert_to_tensor(nest.map_structure(_name, filenames), dtypes.string if none else None)
    if names.dtype is not dtypes.string:
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got `{names.dtype!r}` elements.")
    flat = array.reshape(names, [-1])
    return SlicesNode(TensorSpec(flat.shape, dtypes.string), [flat])


def _name(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


class _FileDataset(Dataset[Tensor]):
    """A dataset of the records of files; a class names the reader of one file and TensorFlow's dataset."""

    _reader: ClassVar[Callable[..., Reader]]
    _dataset_kind: ClassVar[str]

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        self._read(filenames, num_parallel_reads, _text(compression_type), _number(buffer_size))

    def _read(self, filenames: Any, num_parallel_reads: Any, *arguments: Any) -> None:
        together = None if num_parallel_reads is None else int(num_parallel_reads)
        node = FilesNode(paths_of(filenames), type(self)._reader, arguments, self._dataset_kind, together)
        Dataset.__init__(self, node)

    def __repr__(self) -> str:
        return f"<{self._node.name} element_spec={self.element_spec!r}>"


def _text(value: Any) -> Any:
    return convert_to_tensor("" if value is None else value, dtypes.string)


def _number(value: Any) -> Any:
    return size_tensor(0 if value is None else value, "A size in bytes")


@file_reader
def _records(path: str, opened: Opened, compression: bytes, buffer: int) -> Reader:
    return Records(path, compression.decode(), buffer, opened)


@file_reader
def _lines(path: str, opened: Opened, compression: bytes, buffer: int) -> Reader:
    return Lines(path, compression.decode(), buffer, opened)


@file_reader
def _blocks(path: str, opened: Opened, compression: bytes, buffer: int, size: int, header: int, footer: int) -> Reader:
    return Blocks(path, size, header, footer, compression.decode(), buffer, opened)


@export("data.TextLineDataset")
class TextLineDataset(_FileDataset):
    r"""The lines of text files, without their ends: `\n` or `\r\n`. A `\r` within a line is dropped too.

    Args:
      filenames: names of files: strings, a tensor of any shape, or a dataset of scalars.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: the number of bytes per read; None takes 256 KiB.
      num_parallel_reads: the number of files read in rotation, a line of each, on as many threads; None and AUTOTUNE
        read one after the other, AUTOTUNE on a thread.
      name: accepted.

    Raises:
      NotFoundError: during iteration, if a file does not exist; the next call continues with the next file.
      DataLossError: likewise, if a file is not compressed in that way.
    """

    _reader = _lines
    _dataset_kind = "TextLineDatasetV2"


@export("data.TFRecordDataset")
class TFRecordDataset(_FileDataset):
    """The records of record files (TFRecord), as strings.

    Args:
      filenames: names of files: strings, a tensor of any shape, or a dataset of scalars.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: the number of bytes per read; None takes 256 KiB.
      num_parallel_reads: the number of files read in rotation, a record of each, on as many threads; None and AUTOTUNE
        read one after the other, AUTOTUNE on a thread.
      name: accepted.

    Raises:
      DataLossError: during iteration, if a record is damaged or truncated, with its place in the file; the next call
        continues with the next file.
      NotFoundError: likewise, if a file does not exist.
    """

    _reader = _records
    _dataset_kind = "TFRecordDatasetV2"


@export("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(_FileDataset):
    """Blocks of bytes of one size, as strings.

    Args:
      filenames: names of files: strings, a tensor of any shape, or a dataset of scalars.
      record_bytes: the size of a block, an int64 scalar.
      header_bytes, footer_bytes: the numbers of bytes to skip at the start and at the end of each file; None is 0.
      buffer_size: the number of bytes per read; None takes 256 KiB.
      compression_type: "", "ZLIB" or "GZIP".
      num_parallel_reads: the number of files read in rotation, a block of each, on as many threads; None and AUTOTUNE
        read one after the other, AUTOTUNE on a thread.
      name: accepted.

    Raises:
      InvalidArgumentError: during iteration, if a file does not consist of whole blocks.
      NotFoundError: likewise, if a file does not exist.
    """

    _reader = _blocks
    _dataset_kind = "FixedLengthRecordDatasetV2"

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        sizes = [_number(n) for n in (record_bytes, header_bytes, footer_bytes)]
        self._read(filenames, num_parallel_reads, _text(compression_type), _number(buffer_size), *sizes)


@export("data.experimental.TFRecordWriter")
class DatasetWriter:
    """Writes the elements of a dataset into a record file.

    Args:
      filename: the file; one that is there is replaced.
      compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = _text(filename), _text(compression_type)

    def write(self, dataset: Any) -> Operation | None:
        """Writes all elements.

        Args:
          dataset: its elements are scalar strings.

        Returns:
          None; in a graph, the operation that writes.

        Raises:
          TypeError: for another dataset, or something else.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        spec = dataset.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.string and spec.shape.is_compatible_with(())):
            shape, kind = (spec.shape, spec.dtype) if isinstance(spec, TensorSpec) else (spec, None)
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got a dataset "
                f"which produces elements with shapes {shape} and types {kind!r}."
            )
        task = Task(dataset._node, dataset._options, _write)
        return effect_of(graph_ops.WRITE_DATASET, task, (self._filename, self._compression))


def _write(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    filename, compression = (value.item() for value in inputs)
    with TFRecordWriter(filename, compression.decode()) as writer, closing(iteration.opened(node)) as cursor:
        for values in cursor:
            writer.write(values[0].item())
    return []


_USE = Use(graph_ops.WRITE_DATASET, _write, "DatasetToTFRecord")
add_use(_USE)
graph_node_readers.add_use(_USE)
