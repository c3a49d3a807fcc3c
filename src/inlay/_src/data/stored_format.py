"""The form in which elements of datasets are kept in files: a folder with a manifest and record files.

    PATH/snapshot.metadata                  one record: JSON, see `Manifest`; it appears last, when all others are whole
    PATH/RUN/SHARD.shard/SEGMENT.snapshot   the elements of a shard, a record each, in one or several segments

The names are those of TensorFlow's files, the contents are not. PATH is the folder of `save`; that of
`snapshot` has one below it for each fingerprint of a dataset.

An element is its components one behind the other, each

    uint8 rank | rank uint64 sizes | of numbers: the values, C order | of strings: a uint64 length each, then the bytes

with the low byte first. Records have the checksums of record files (`files.records`); the manifest has the number of
records of each segment and the CRC-32C of all their bytes, so that a file that was cut short between two records, or
taken from elsewhere, is noticed too.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import math
import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.damage import guarded, json_of
from inlay._src.base.files.records import Records, framed
from inlay._src.base.files.replacing import replacing
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.values import boxed
from inlay._src.data.element import NOTHING, Element, Values
from inlay._src.ops.composite.specs import RaggedTensorSpec, SparseTensorSpec

FORMAT, VERSION = "inlay dataset", 1
NAME = "snapshot.metadata"
"""The manifest's file."""
RUN = "run-"
"""The prefix of folders of record files."""


# ---- elements


def refuse_unkept(element: Element) -> None:
    """Refuses elements that have no form in a file.

    Raises:
      UnimplementedError: for components that are datasets, resources or the like.
    """
    for spec in element.leaves:
        if not isinstance(spec, TensorSpec) or spec.dtype in (dtypes.variant, dtypes.resource):
            raise errors.UnimplementedError(
                None, None, f"elements of {element.spec!r} cannot be kept in a file: only tensors, ragged and sparse "
                f"values can, got {spec!r}"
            )  # fmt: skip


def packed(values: Values) -> bytes:
    """An element as a record."""
    parts: list[bytes] = []
    for value in values:
        array = boxed(value) if isinstance(value, bytes) else np.asarray(value)
        parts.append(struct.pack(f"<B{array.ndim}Q", array.ndim, *array.shape))
        if array.dtype.kind in "OS":
            texts = array.ravel().tolist()
            parts.append(struct.pack(f"<{len(texts)}Q", *map(len, texts)))
            parts += texts
        else:
            parts.append(array.tobytes())
    return b"".join(parts)


def unpacked(record: bytes, leaves: Sequence[Any]) -> Values:
    """The values of a record.

    Raises:
      ValueError: if it is no element of these components.
    """
    values, at = [], 0
    try:
        for spec in leaves:
            rank = record[at]
            dims = struct.unpack_from(f"<{rank}Q", record, at + 1)
            at, count = at + 1 + 8 * rank, math.prod(dims)
            if spec.dtype is dtypes.string:
                ends = list(itertools.accumulate(struct.unpack_from(f"<{count}Q", record, at), initial=at + 8 * count))
                texts = np.empty(count, object)
                texts[:] = [record[start:end] for start, end in zip(ends[:-1], ends[1:], strict=True)]
                values.append(texts.reshape(dims))
                at = ends[-1]
            else:
                array = np.frombuffer(record, spec.dtype.np, count, at).reshape(dims).copy()
                values.append(array if rank else array[()])
                at += count * spec.dtype.np.itemsize
    except (struct.error, IndexError, OverflowError, MemoryError) as error:
        raise ValueError(f"it is too short: {error}") from error
    if at != len(record):
        raise ValueError(f"its components take {at} bytes, it has {len(record)}")
    return values


# ---- specs


def _dims(spec: Any) -> Any:
    return None if spec.shape.rank is None else spec.shape.as_list()


def spec_to_json(spec: Any) -> Any:
    """A nest of specs as what JSON can say.

    Raises:
      TypeError: if there are users' own types in it.
    """
    if spec is NOTHING:
        return {"none": []}
    for kind, name, rest in (
        (TensorSpec, "tensor", lambda s: [s.name]),
        (RaggedTensorSpec, "ragged", lambda s: [s.ragged_rank, s.row_splits_dtype.name]),
        (SparseTensorSpec, "sparse", lambda s: []),
    ):
        if type(spec) is kind:
            return {name: [_dims(spec), spec.dtype.name, *rest(spec)]}
    if isinstance(spec, tuple):
        parts = [spec_to_json(part) for part in spec]
        return {"named": [type(spec).__name__, list(spec._fields), parts]} if hasattr(spec, "_fields") else parts
    if isinstance(spec, dict) and all(isinstance(key, (str, int)) for key in spec):
        return {"dict": [[key, spec_to_json(part)] for key, part in spec.items()]}
    raise TypeError(f"{spec!r} has no form in a file")


def spec_from_json(data: Any) -> Any:
    """The nest of specs that `spec_to_json` wrote."""
    if isinstance(data, list):
        return tuple([spec_from_json(part) for part in data])
    ((kind, arguments),) = data.items()
    if kind == "none":
        return NOTHING
    if kind == "tensor":
        return TensorSpec(*arguments)
    if kind == "ragged":
        return RaggedTensorSpec(*arguments)
    if kind == "sparse":
        return SparseTensorSpec(*arguments)
    if kind == "dict":
        return {key: spec_from_json(part) for key, part in arguments}
    name, fields, parts = arguments
    return collections.namedtuple(name, fields)(*map(spec_from_json, parts))


# ---- the manifest


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a shard: a record file.

    Attributes:
      file: its name, below the folder of the manifest.
      records: their number.
      checksum: the CRC-32C of the bytes of all.
    """

    file: str
    records: int
    checksum: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a folder.

    Attributes:
      run: the folder of the record files, below the manifest's.
      compression: of the record files: "" or "GZIP".
      leaves: (dtype, sizes or None) of the components.
      spec: of the elements, as JSON; None if it has no form in a file.
      shards: the segments of each shard, by the shards' numbers.
    """

    run: str
    compression: str
    leaves: list[Any]
    spec: Any
    shards: dict[int, list[Segment]]

    @property
    def elements(self) -> int:
        """The total number."""
        return sum(segment.records for shard in self.shards.values() for segment in shard)

    def write(self, folder: str) -> None:
        """Puts the manifest in place of one that may be there."""
        text = {
            "format": FORMAT,
            "version": VERSION,
            "run": self.run,
            "compression": self.compression,
            "leaves": self.leaves,
            "spec": self.spec,
            "shards": [[n, [[s.file, s.records, s.checksum] for s in shard]] for n, shard in self.shards.items()],
        }
        with replacing(os.path.join(folder, NAME)) as file:
            file.write(framed(json.dumps(text).encode()))

    @staticmethod
    def read(folder: str) -> Manifest:
        """The manifest of a folder.

        Raises:
          NotFoundError: if there is none: nothing was saved there, or a save did not come to its end.
          DataLossError: if it is damaged.
          UnimplementedError: if a later version wrote it.
        """
        path = os.path.join(folder, NAME)
        if not os.path.isfile(path):
            begun = os.path.isdir(folder) and any(name.startswith(RUN) for name in os.listdir(folder))
            why = ": a save into it was started and did not finish" if begun else ""
            raise errors.NotFoundError(None, None, f"There is no saved dataset in {folder} (no file {path}){why}.")
        records = Records(path)
        with contextlib.closing(records), guarded(path):
            text = json_of(next(records))
            if next(records, None) is not None:
                raise ValueError("it has more than one record")
            if text["format"] != FORMAT or text["version"] > VERSION:
                raise errors.UnimplementedError(
                    None, None, f"{path}: got format {text['format']!r} version {text.get('version')}, this version "
                    f"reads {FORMAT!r} up to {VERSION}"
                )  # fmt: skip
            shards = {int(number): [Segment(*segment) for segment in shard] for number, shard in text["shards"]}
            for name in [text["run"], *(segment.file for shard in shards.values() for segment in shard)]:
                if os.path.isabs(name) or ".." in name.split("/") or "\0" in name:
                    raise ValueError(f"{name!r} does not lie within the folder")
            if any(not isinstance(n, int) for shard in shards.values() for s in shard for n in (s.records, s.checksum)):
                raise ValueError("a number of records or a checksum is not a number")
            if text["compression"] not in ("", "GZIP"):
                raise ValueError(f"its compression is {text['compression']!r}")
            return Manifest(text["run"], text["compression"], text["leaves"], text["spec"], shards)

    def _said(self, folder: str, read: Callable[[], Any]) -> Any:
        """A part of the manifest; DataLossError if it is malformed."""
        with guarded(os.path.join(folder, NAME)):
            return read()

    def spec_of_elements(self, folder: str, wanted: Any) -> Any:
        """The spec of the elements.

        Args:
          folder: where the manifest was, for messages.
          wanted: the spec that the user expects, or None.

        Raises:
          InvalidArgumentError: if the elements are others than wanted.
          ValueError: if it must be said, as its types have no form in a file.
        """
        if wanted is None:
            if self.spec is None:
                raise ValueError(f"the elements in {folder} have types of your own: give `element_spec`")
            return self._said(folder, lambda: Element(spec_from_json(self.spec)).spec)
        leaves = self._said(folder, lambda: [TensorSpec(dims, kind) for kind, dims in self.leaves])
        asked = Element(wanted).leaves
        fit = len(asked) == len(leaves) and all(a.is_compatible_with(b) for a, b in zip(asked, leaves, strict=True))
        if not fit:
            raise errors.InvalidArgumentError(
                None, None, f"the elements in {folder} have the components {leaves}, expected those of {wanted!r}"
            )
        return wanted


def described(element: Element) -> tuple[list[Any], Any]:
    """`Manifest.leaves` and `Manifest.spec` of elements."""
    leaves = [[spec.dtype.name, _dims(spec)] for spec in element.leaves]
    try:
        return leaves, spec_to_json(element.spec)
    except TypeError:
        return leaves, None
