"""TensorFlow's checkpoint files, the tensor bundles of version 2: an index, and the bytes of tensors in data files.

    PREFIX.index                 a sorted table: "" -> header, name -> type, shape, place and checksum of a tensor
    PREFIX.data-00000-of-00001   the bytes of tensors, one behind the other

Numbers are stored as they are, the low byte first. A tensor of strings is the length of each string as a varint, the
masked CRC-32C of the lengths as words, and the strings. A tensor that was saved in parts has an entry without bytes
that lists the parts, and an entry for each part, whose key is made of the name and of the place in the whole.
A checkpoint of `train.Checkpoint` has its tree of objects as a string among the tensors.

Format: TensorFlow's `tensor_bundle.h`, `tensor_bundle.proto`, `saved_tensor_slice_util.cc` and `ordered_code.cc`.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files import sorted_table
from inlay._src.base.files.allowance import charge
from inlay._src.base.files.checksums import extend, extend_by
from inlay._src.base.files.damage import guarded
from inlay._src.base.files.records import mask
from inlay._src.base.files.replacing import replacing
from inlay._src.base.files.sorted_table import read_varint, varint
from inlay._src.base.protos.checkpoint import (
    BundleEntryProto,
    BundleHeaderProto,
    TrackableObjectGraph,
)
from inlay._src.base.protos.schema import parsed
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.training.checkpoint_errors import MissingError

INDEX = ".index"
OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The name of the tree of objects among the tensors."""
VALUE_NAME, STATE_NAME = "VARIABLE_VALUE", "py_state"
"""The names of what a variable and a `PythonState` keep."""
_VERSION = 1
_MOST_SHARDS = 1 << 16
_MOST_INDEX = (1 << 31) - 1
_OPENED = 8
"""Data files that are opened with the index, and stay those of it if the checkpoint is replaced."""
_ATTEMPTS = 10
_PART = 1 << 18
"""Bytes that are read at a time: they are in the cache of the core when their checksum is computed."""


class TensorBundleReader:
    """An open checkpoint of TensorFlow's format.

    Args:
      prefix: the path without suffix.
      opening: opens one of its files by its path, without a buffer.

    Attributes:
      path: the path.
      entries: name -> the entry of a tensor.

    Raises:
      NotFoundError: if there is no index.
      DataLossError: if it is damaged.
      UnimplementedError: if it is of a later version, or of a machine with the high byte first.
    """

    def __init__(self, prefix: str, opening: Callable[[str], BinaryIO] | None = None) -> None:
        self.path: str = prefix
        self._open = opening or _unbuffered
        self._files: dict[int, BinaryIO] = {}
        for _ in range(_ATTEMPTS):
            index = self._opened()
            if index == _identity(prefix + INDEX):  # else it was replaced before its data files were opened
                break

    def _opened(self) -> tuple[int, int]:
        """Reads the index and opens the data files; the identity of the index."""
        self.__exit__()
        with self.guard("its index"):
            with self._open(self.path + INDEX) as file:
                identity, size = _identity(file.fileno()), os.fstat(file.fileno()).st_size
                if size > _MOST_INDEX:
                    raise ValueError(f"it has {size:,} bytes, more than {_MOST_INDEX:,}")
                table = dict(sorted_table.entries(file.read()))
            self._shards = self._checked(parsed(BundleHeaderProto, table.pop(b"", b"")))
            self._parts = {key: value for key, value in table.items() if key[:1] == b"\0"}
            self.entries: dict[str, Any] = {
                key.decode(): parsed(BundleEntryProto, value) for key, value in table.items() if key not in self._parts
            }
        for shard in range(min(self._shards, _OPENED)):
            with contextlib.suppress(MissingError), self.guard("its data"):  # the names can be listed without them
                self._file(shard)
        return identity

    def _checked(self, header: Any) -> int:
        """The number of data files."""
        if header.version.min_consumer > _VERSION:
            raise errors.UnimplementedError(
                None,
                None,
                f"{self.path}{INDEX} is of version {header.version.producer}, which readers from version "
                f"{header.version.min_consumer} on read; this one is of version {_VERSION}",
            )
        if header.endianness:
            raise errors.UnimplementedError(
                None, None, f"{self.path}{INDEX} was written by a machine that stores the high byte of a number first"
            )
        if not 0 < header.num_shards <= _MOST_SHARDS:
            raise ValueError(f"it has {header.num_shards} data files")
        return int(header.num_shards)

    def guard(self, part: str) -> contextlib.AbstractContextManager[None]:
        """In the block a part of the checkpoint is read; see `files.damage.guarded`."""
        return guarded(f"The checkpoint {self.path}", part)

    def __enter__(self) -> TensorBundleReader:
        return self

    def __exit__(self, *error: Any) -> None:
        while self._files:
            self._files.popitem()[1].close()

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def _entry(self, name: str) -> Any:
        try:
            return self.entries[name]
        except KeyError:
            raise MissingError(None, None, f"Key {name} not found in checkpoint {self.path}") from None

    def dtype(self, name: str) -> DType:
        """The type of a tensor."""
        entry = self._entry(name)
        with self.guard(name):
            return dtypes.as_dtype(entry.dtype)

    def shape(self, name: str) -> list[int]:
        """The shape of a tensor."""
        entry = self._entry(name)
        with self.guard(name):
            return _dims(entry)

    def read(self, name: str) -> np.ndarray:
        """A tensor, in memory of its own.

        Raises:
          NotFoundError: if there is none of that name, or the data file is missing.
          DataLossError: if it is damaged, or if a file that is being loaded names more values than it may.
          UnimplementedError: if it is of a type that has no array.
        """
        entry = self._entry(name)
        with self.guard(name):
            return self._assembled(name, entry) if entry.slices else self._read(entry)

    def _assembled(self, name: str, entry: Any) -> np.ndarray:
        """A tensor that was saved in parts."""
        shape, dtype = _dims(entry), _kept(entry.dtype)
        parts = [
            (_cut(part, shape), parsed(BundleEntryProto, self._parts[part_key(name, part)])) for part in entry.slices
        ]
        if sum([part.size for _, part in parts]) != math.prod(shape) * dtype.np.itemsize or dtype is dtypes.string:
            raise ValueError("its parts do not make up the whole")
        values = [self._read(part) for _, part in parts]
        charge(math.prod(shape) * (dtype.np.itemsize + 1))
        whole, filled = np.empty(shape, dtype.np), np.zeros(shape, bool)
        for (cut, _), value in zip(parts, values, strict=True):
            if value.dtype != whole.dtype or whole[cut].shape != value.shape or filled[cut].any():
                raise ValueError("its parts do not make up the whole")
            whole[cut], filled[cut] = value, True
        return whole

    def _read(self, entry: Any) -> np.ndarray:
        dtype, shape, size = _kept(entry.dtype), _dims(entry), self._checked_size(entry)
        charge(size)
        if dtype is dtypes.string:
            data = np.empty(size, np.uint8)
            self._read_into(entry, data)
            return _strings(data.tobytes(), int(entry.crc32c), shape)
        if math.prod(shape) * dtype.np.itemsize != size:
            raise ValueError(f"{dtype.name} of shape {shape} in {size:,} bytes")
        array = np.empty(shape, dtype.np)
        if mask(self._read_into(entry, array.reshape(-1).view(np.uint8))) != entry.crc32c:
            raise ValueError("its checksum does not fit")
        return array

    def _checked_size(self, entry: Any) -> int:
        """The bytes of an entry, which are in its data file."""
        file, size = self._file(entry.shard_id), int(entry.size)
        if entry.offset < 0 or size < 0 or entry.offset + size > os.fstat(file.fileno()).st_size:
            raise ValueError(f"{size:,} bytes from {entry.offset:,} on are not in the data file")
        return size

    def _read_into(self, entry: Any, memory: np.ndarray) -> int:
        """Fills a vector of bytes from the data file; returns its checksum."""
        file, checksum = self._file(entry.shard_id), 0
        for start in range(0, len(memory), _PART):
            part = memory[start : start + _PART]
            _fill(file, part, entry.offset + start)
            checksum = extend_by(checksum, part)
        return checksum

    def _file(self, shard: int) -> BinaryIO:
        if not 0 <= shard < self._shards:
            raise ValueError(f"it is in data file {shard} of {self._shards}")
        if shard not in self._files:
            path = data_file(self.path, shard, self._shards)
            try:
                self._files[shard] = self._open(path)
            except FileNotFoundError:
                raise MissingError(None, None, f"{path} is missing, a data file of {self.path}{INDEX}") from None
        return self._files[shard]

    @functools.cached_property
    def manifest(self) -> dict[str, Any]:
        """{"objects": the tree of objects, as in `trackable`}, or {} if it has none."""
        if OBJECTS not in self.entries:
            return {}
        with self.guard("its tree of objects"):
            graph = parsed(TrackableObjectGraph, self.read(OBJECTS).item())
            return {"objects": [_node(each, len(graph.nodes)) for each in graph.nodes]}


def _unbuffered(path: str) -> BinaryIO:
    """A regular file, open for reading: opening a pipe would wait for a writer.

    Raises:
      ValueError: if it is of another kind.
    """
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError(f"{path} is no regular file")
    return file


def _identity(file: int | str) -> tuple[int, int]:
    """The inode of a file and the time of its last change."""
    status = os.stat(file)
    return status.st_ino, status.st_mtime_ns


def _fill(file: BinaryIO, memory: np.ndarray, offset: int) -> None:
    """Fills memory with the bytes at a place of a file, whose own place is left: threads and forks share that."""
    at = 0
    while at < len(memory):
        count = os.preadv(file.fileno(), [memory[at:].data], offset + at)
        if not count:
            raise ValueError("the data file ends too early")
        at += count


def data_file(prefix: str, shard: int, shards: int) -> str:
    """The path of a data file."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def prefix_of(path: str) -> str:
    """The prefix of a checkpoint one of whose files has a path; other paths are left as they are."""
    return re.sub(r"(\.index|\.data-\d{5}-of-\d{5})$", "", path)


def exists(prefix: str) -> bool:
    """Whether there is a checkpoint of this format."""
    return os.path.isfile(prefix + INDEX)


def _kept(number: int) -> DType:
    """A type whose values have an array."""
    dtype = dtypes.as_dtype(number)
    if dtype in (dtypes.variant, dtypes.resource):
        raise errors.UnimplementedError(None, None, f"a value of type {dtype.name} is read by TensorFlow alone")
    return dtype


def _dims(entry: Any) -> list[int]:
    dims = [int(dim.size) for dim in entry.shape.dim]
    if entry.shape.unknown_rank or any(size < 0 for size in dims):
        raise ValueError(f"the shape of an entry is {dims}")
    return dims


def _cut(part: Any, shape: Sequence[int]) -> tuple[slice, ...]:
    """The place of a part in the whole."""
    cut = []
    for extent, size in zip(part.extent, shape, strict=True):
        length = extent.length if extent.WhichOneof("has_length") else size
        if extent.start < 0 or length < 0 or extent.start + length > size:
            raise ValueError(f"a part of it lies outside of shape {list(shape)}")
        cut.append(slice(extent.start, extent.start + length))
    return tuple(cut)


def _strings(data: bytes, checksum: int, shape: Sequence[int]) -> np.ndarray:
    """The strings of a tensor.

    Raises:
      ValueError: if the bytes are not those of so many strings, or a checksum does not fit.
    """
    count = math.prod(shape)
    if count > len(data):
        raise ValueError(f"{count:,} strings in {len(data):,} bytes")
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    words = _words(lengths)
    if int.from_bytes(data[at : at + 4], "little") != mask(extend(0, words)):
        raise ValueError("the checksum of the lengths of its strings does not fit")
    start = at + 4
    if start + sum(lengths) != len(data):
        raise ValueError("lengths and bytes of its strings do not fit")
    if mask(extend(extend(0, words), data[at:])) != checksum:
        raise ValueError("its checksum does not fit")
    out = np.empty(shape, object)
    flat = out.reshape(-1)
    for k, length in enumerate(lengths):
        flat[k] = data[start : start + length]
        start += length
    return out


def _words(lengths: Sequence[int]) -> bytes:
    """Lengths as their checksum sees them: words, and words of 64 bits for long strings."""
    return b"".join([length.to_bytes(4 if length < 1 << 32 else 8, "little") for length in lengths])


# ---------------------------------------------------------------- keys of parts


def part_key(name: str, part: Any) -> bytes:
    """The key of a part of a tensor: name and place in an encoding whose order is theirs."""
    places = [(e.start, e.length if e.WhichOneof("has_length") else -1) for e in part.extent]
    rank = len(places)
    numbers = b"".join([_signed(number) for place in places for number in place])
    return _number(0) + _escaped(name.encode()) + _number(rank) + numbers


def _escaped(text: bytes) -> bytes:
    """A string in which 0 and 255 are escaped, and its end."""
    return b"".join([{0: b"\0\xff", 255: b"\xff\0"}.get(byte, bytes([byte])) for byte in text]) + b"\0\1"


def _number(number: int) -> bytes:
    """A number that is not negative: the count of its bytes, and these, the high one first."""
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _signed(number: int) -> bytes:
    """A number of 64 bits: as many of its first bits as it has bytes are the complement of its sign, then it."""
    size = ((number ^ -1 if number < 0 else number).bit_length() // 7) + 1
    header = ((1 << size) - 1) << (8 * size - size)
    return ((number & (1 << 8 * size) - 1) ^ header).to_bytes(size, "big")


# ---------------------------------------------------------------- trees of objects


def _node(saved: Any, count: int) -> dict[str, Any]:
    """An object of a tree as `trackable` has it."""
    node: dict[str, Any] = {"children": {child.local_name: _within(child.node_id, count) for child in saved.children}}
    others = {}
    for attribute in saved.attributes:
        if attribute.name == VALUE_NAME:
            node |= {"value": attribute.checkpoint_key, "name": attribute.full_name}
        elif attribute.name == STATE_NAME:
            node["state"] = attribute.checkpoint_key
        else:
            others[attribute.name] = attribute.checkpoint_key
    if others:
        node["saveables"] = others
    if saved.slot_variables:
        node["slots"] = [
            [_within(s.original_variable_node_id, count), s.slot_name, _within(s.slot_variable_node_id, count)]
            for s in saved.slot_variables
        ]
    return node


def _within(number: int, count: int) -> int:
    if not 0 <= number < count:
        raise ValueError(f"object {number} of {count}")
    return int(number)


def _graph(nodes: Sequence[Mapping[str, Any]]) -> bytes:
    """A tree of objects as TensorFlow's message."""
    graph = TrackableObjectGraph()
    for node in nodes:
        message = graph.nodes.add()
        for name, number in node["children"].items():
            message.children.add(local_name=name, node_id=number)
        if "value" in node:
            message.attributes.add(name=VALUE_NAME, full_name=node.get("name", ""), checkpoint_key=node["value"])
        if "state" in node:
            message.attributes.add(name=STATE_NAME, checkpoint_key=node["state"])
        for name, key in node.get("saveables", {}).items():
            message.attributes.add(name=name, checkpoint_key=key)
        for owner, name, number in node.get("slots", ()):
            message.slot_variables.add(original_variable_node_id=owner, slot_name=name, slot_variable_node_id=number)
        message.has_checkpoint_values.value = bool(message.attributes)
    return graph.SerializeToString(deterministic=True)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- writing


def write(prefix: str, values: Mapping[str, tuple[Any, DType]], extra: Mapping[str, Any]) -> None:
    """Writes a checkpoint so that a reader sees the old one, or the whole new one.

    The index names the data files by their number. Where a checkpoint is replaced, the new one has another number of
    files than the old one, one of them empty, so that both are whole until the index is replaced.

    Args:
      prefix: the path without suffix.
      values: name -> (array, type).
      extra: {"objects": a tree of objects} or {}.
    """
    if extra.get("objects"):
        graph = np.empty((), object)
        graph[()] = _graph(extra["objects"])
        values = {**values, OBJECTS: (graph, dtypes.string)}
    shards = 2 if _shards_of(prefix) == 1 else 1
    index = []
    with replacing(data_file(prefix, 0, shards)) as file:
        offset = 0
        for name in sorted(values, key=str.encode):
            value, dtype = values[name]
            array = np.asarray(value)
            size, checksum = (_write_strings if dtype is dtypes.string else _write_numbers)(file, array)
            entry = BundleEntryProto(dtype=dtype.as_datatype_enum, offset=offset, size=size, crc32c=checksum)
            entry.shape.SetInParent()
            for dim in array.shape:
                entry.shape.dim.add(size=dim)
            index.append((name.encode(), entry.SerializeToString()))
            offset += size
    for shard in range(1, shards):
        with replacing(data_file(prefix, shard, shards)):
            pass
    header = BundleHeaderProto(num_shards=shards)
    header.version.producer = _VERSION
    with replacing(prefix + INDEX) as file:
        file.write(sorted_table.table([(b"", header.SerializeToString()), *index]))
    for path in data_files(prefix):
        if not path.endswith(f"-of-{shards:05d}"):
            with contextlib.suppress(OSError):
                os.unlink(path)


def _shards_of(prefix: str) -> int:
    """The number of data files by the index, which alone says what is live; 0 without an index that can be read."""
    try:
        with open(prefix + INDEX, "rb") as file:
            header = next(sorted_table.entries(file.read()))[1]
        return int(parsed(BundleHeaderProto, header).num_shards)
    except (OSError, ValueError, IndexError, StopIteration):
        return 0


def _write_numbers(file: BinaryIO, array: np.ndarray) -> tuple[int, int]:
    """Writes an array; returns its bytes and their checksum."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    file.write(data.data)
    return data.nbytes, mask(extend_by(0, data))


def _write_strings(file: BinaryIO, array: np.ndarray) -> tuple[int, int]:
    """Writes strings; returns their bytes and the checksum."""
    texts = [bytes(text) for text in array.ravel().tolist()]
    lengths = [len(text) for text in texts]
    words = _words(lengths)
    rest = mask(extend(0, words)).to_bytes(4, "little") + b"".join(texts)
    head = b"".join(map(varint, lengths))
    file.write(head + rest)
    return len(head) + len(rest), mask(extend(extend(0, words), rest))


def data_files(prefix: str) -> list[str]:
    """The paths of the data files of a checkpoint, of all numbers of files."""
    folder, name = os.path.split(prefix)
    pattern = re.compile(re.escape(name) + r"\.data-\d{5}-of-\d{5}")
    try:
        return [os.path.join(folder, each) for each in sorted(os.listdir(folder or ".")) if pattern.fullmatch(each)]
    except FileNotFoundError:
        return []
