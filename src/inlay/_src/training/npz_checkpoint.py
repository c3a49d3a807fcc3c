"""Files of named arrays, the checkpoints of earlier versions: arrays and a manifest, in NumPy's `.npz` (ADR 0006).

    PREFIX.npz
      manifest.json          format, version, entries: name -> dtype and shape, and what the writer adds (objects)
      values/NAME.npy        one array per name; numbers as they are, strings as their bytes one after the other
      lengths/NAME.npy       for strings: the length of each

`numpy.load("PREFIX.npz")["values/NAME"]` reads a value without this library. Types that `.npy` lacks (bfloat16 and
quantized ones) are stored as integers of the same bits; the manifest has their type. Every member carries a CRC-32,
which is checked on every read.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import tokenize
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.allowance import charge
from inlay._src.base.files.damage import guarded, json_of
from inlay._src.base.files.opening import path_of
from inlay._src.base.files.replacing import replacing
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.training.checkpoint_errors import MissingError

FORMAT, VERSION = "inlay checkpoint", 1
SUFFIX = ".npz"
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_SAME_BITS = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32)}


def file_of(prefix: Any) -> str:
    """The file that a prefix names; TypeError if it is not the name of a file."""
    prefix = path_of(prefix)
    return prefix if prefix.endswith(SUFFIX) and os.path.isfile(prefix) else prefix + SUFFIX


def write(prefix: str, values: Mapping[str, tuple[Any, DType]], extra: Mapping[str, Any]) -> None:
    """Writes a checkpoint so that a reader sees the old file, or the whole new one.

    Args:
      prefix: the path without `.npz`.
      values: name -> (array, type).
      extra: JSON-able additions to the manifest.
    """
    with replacing(prefix + SUFFIX) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _write_members(archive, values, extra)


def _write_members(archive: zipfile.ZipFile, values: Mapping[str, tuple[Any, DType]], extra: Mapping[str, Any]) -> None:
    entries = {}
    for name, (value, dtype) in values.items():
        array = np.asarray(value)
        entries[name] = {"dtype": dtype.name, "shape": list(array.shape)}
        if dtype is dtypes.string:
            parts = [bytes(item) for item in array.ravel().tolist()]
            lengths = np.array([len(p) for p in parts], np.int64).reshape(array.shape)
            _write_array(archive, f"lengths/{name}.npy", lengths)
            array = np.frombuffer(b"".join(parts), np.uint8)
        elif array.dtype.kind not in "biufc":
            array = array.view(_SAME_BITS[array.dtype.itemsize])  # type: ignore[call-overload]
        _write_array(archive, f"values/{name}.npy", array)
    manifest = {"format": FORMAT, "version": VERSION, "entries": entries, **extra}
    archive.writestr("manifest.json", json.dumps(manifest, indent=1, sort_keys=True))


def _write_array(archive: zipfile.ZipFile, member: str, array: np.ndarray) -> None:
    info = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
    with archive.open(info, "w", force_zip64=True) as file:
        np.lib.format.write_array(file, array if array.flags.c_contiguous else array.copy("C"), allow_pickle=False)


class NpzReader:
    """An open checkpoint.

    Args:
      prefix: the path without `.npz`.
      file: the open file, where it need not be opened by its path any more.

    Attributes:
      path: its file.
      manifest: the manifest that `write` received, with `entries`.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: if it is damaged.
      UnimplementedError: if it is of another format or a later version.
    """

    def __init__(self, prefix: str, file: BinaryIO | None = None) -> None:
        self.path: str = file_of(prefix)
        prefix = path_of(prefix)
        if file is None and not os.path.isfile(self.path):
            raise MissingError(None, None, f"there is no file {self.path}")
        with self.guard("its directory"):
            self._archive = zipfile.ZipFile(self.path if file is None else file)
        try:
            with self.guard("its directory"):
                size = self._bound()
            with self.guard("manifest.json"):
                self.manifest: dict[str, Any] = json_of(self._archive.read("manifest.json"), size)
                self.entries: dict[str, dict[str, Any]] = self.manifest["entries"]
                if not all(isinstance(entry["shape"], list) for entry in self.entries.values()):
                    raise ValueError("the shape of an entry is not a list")
                form, version = self.manifest["format"], self.manifest.get("version")
                later = form != FORMAT or version > VERSION
            if later:
                raise errors.UnimplementedError(
                    None,
                    None,
                    f"{self.path}: got format {form!r} version {version}, this version reads {FORMAT!r} up to "
                    f"{VERSION}",
                )
        except BaseException:
            self._archive.close()
            raise

    def _bound(self) -> int:
        """Refuses members that claim more than there is: as they are stored, all of them fit into the file.

        Returns:
          The bytes of the file.

        Raises:
          ValueError: if they do not, if two have one name, or if one is compressed: it could grow without limit.
        """
        file = self._archive.fp
        assert file is not None
        size, members = file.seek(0, io.SEEK_END), self._archive.infolist()
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
                raise ValueError(f"{member.filename!r} is compressed")
            if member.file_size > size:
                raise ValueError(f"{member.filename!r} claims {member.file_size:,} bytes of a file of {size:,}")
        claimed = sum(member.file_size for member in members)
        if claimed > size:  # members that lie one upon another
            raise ValueError(f"its members claim {claimed:,} bytes of a file of {size:,}")
        if len({member.filename for member in members}) < len(members):
            raise ValueError("it has two members of one name")
        return size

    def guard(self, part: str) -> contextlib.AbstractContextManager[None]:
        """In the block a part of the file is read; see `files.damage.guarded`."""
        return guarded(f"The checkpoint {self.path}", part)

    def __enter__(self) -> NpzReader:
        return self

    def __exit__(self, *error: Any) -> None:
        self._archive.close()

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def dtype(self, name: str) -> DType:
        """The type of a value."""
        entry = self._entry(name)
        with self.guard(name):
            return dtypes.as_dtype(entry["dtype"])

    def shape(self, name: str) -> list[int]:
        """The shape of a value."""
        return list(self._entry(name)["shape"])

    def _entry(self, name: str) -> dict[str, Any]:
        try:
            return self.entries[name]
        except KeyError:
            raise MissingError(None, None, f"Key {name} not found in checkpoint {self.path}") from None

    def read(self, name: str) -> np.ndarray:
        """A value.

        Raises:
          NotFoundError: if there is none of that name.
          DataLossError: if it is damaged, or if a file that is being loaded names more values than it may.
        """
        self._entry(name)
        with self.guard(name):
            dtype, shape = self.dtype(name), tuple(self.shape(name))
            if dtype is dtypes.string:
                return _strings(self._bytes(f"values/{name}.npy"), self._member(f"lengths/{name}.npy"), shape)
            array = self._member(f"values/{name}.npy")
            if array.dtype != dtype.np:
                array = array.view(dtype.np)
            if array.shape != shape:
                raise ValueError(f"expected shape {shape}, got {array.shape}")
            return array

    def _member(self, member: str) -> np.ndarray:
        """An array. Its bytes are read to the end first, where the CRC is checked, and only then looked at."""
        return array_of(self._whole(member))

    def _bytes(self, member: str) -> memoryview:
        """The elements of an array of bytes, without a copy."""
        array = array_in_place(self._whole(member))
        if array.dtype != np.uint8 or array.ndim != 1:
            raise ValueError(f"the bytes of strings are {array.dtype} of shape {array.shape}")
        return array.data

    def _whole(self, member: str) -> bytes:
        charge(self._archive.getinfo(member).file_size)
        return self._archive.read(member)


def array_of(data: bytes) -> np.ndarray:
    """The array of a `.npy` file that anyone may have written, in memory of its own.

    Raises:
      ValueError: if it is none, holds Python objects, or claims another size than it has.
    """
    return array_in_place(data).copy("K")


def array_in_place(data: bytes) -> np.ndarray:
    """The array of a `.npy` file that anyone may have written, in the memory of the file's bytes.

    Raises:
      ValueError: if it is none, holds Python objects, or claims another size than it has.
    """
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"an array of version {version}")
    try:
        shape, by_columns, dtype = _HEADERS[version](file)
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError, tokenize.TokenError):  # parsed as Python
        raise ValueError("the header of an array makes no sense") from None
    if dtype.hasobject or not dtype.itemsize or dtype.kind not in "biufcSU" or dtype.subdtype is not None:
        raise ValueError(f"an array of dtype {dtype}")
    rest = memoryview(data)[file.tell() :]
    if any(size.__class__ is not int or size < 0 for size in shape) or math.prod(shape) * dtype.itemsize != rest.nbytes:
        raise ValueError(f"an array of shape {shape} and dtype {dtype} in {rest.nbytes:,} bytes")
    array = np.frombuffer(rest, dtype) if rest.nbytes else np.empty(0, dtype)
    return array.reshape(shape[::-1]).T if by_columns else array.reshape(shape)


_PIECE = 1 << 16
"""Strings that are cut from their bytes at a time."""


def _strings(joined: memoryview, lengths: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Strings that stand one behind the other.

    Raises:
      ValueError: if the lengths are no sizes, or are not those of the bytes. Each is looked at: the sum says nothing if
        some are negative.
    """
    if lengths.dtype != np.int64 or lengths.shape != shape:
        raise ValueError(f"lengths of strings are {lengths.dtype} of shape {lengths.shape}, expected {shape}")
    flat = lengths.reshape(-1)
    if flat.size and (flat.min() < 0 or flat.max() > len(joined)) or int(flat.sum()) != len(joined):
        raise ValueError("lengths and bytes of strings do not fit")
    out, end = np.empty(flat.size, object), 0
    for at in range(0, flat.size, _PIECE):
        piece = flat[at : at + _PIECE]
        ends = (np.cumsum(piece) + end).tolist()
        starts, end = [end, *ends[:-1]], ends[-1]
        out[at : at + len(piece)] = [bytes(joined[a:b]) for a, b in zip(starts, ends, strict=True)]
    return out.reshape(shape)
