"""The ops of checkpoints in graphs: a graph of 1.x saves and restores its variables by nodes of its own.

Format of parts: TensorFlow's `tensor_slice.cc`: "SIZES PART", where a part has "START,LENGTH" or "-" for each axis.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, no_gradient
from inlay._src.training import checkpoint_files, tensor_bundle
from inlay._src.training.checkpoint_errors import MismatchError
from inlay._src.training.checkpoint_files import opened


def _texts(value: Any) -> list[str]:
    return [text.decode("utf-8", "surrogateescape") for text in np.asarray(value, object).ravel().tolist()]


def _one(value: Any) -> str:
    (text,) = _texts(value)
    return text


class _TensorPart:
    """A part of a tensor, from its text.

    Attributes:
      shape: of the whole.
      cut: the place of the part in it.
    """

    def __init__(self, text: str) -> None:
        *sizes, places = text.split(" ")
        self.shape: tuple[int, ...] = tuple(map(int, sizes))
        cuts = places.split(":")
        if len(cuts) != len(sizes):
            raise ValueError(f"{text!r} names no part of a tensor: it has {len(sizes)} sizes and {len(cuts)} places")
        self.cut: tuple[slice, ...] = tuple(map(self._slice, cuts, self.shape))

    @staticmethod
    def _slice(place: str, size: int) -> slice:
        if place == "-":
            return slice(0, size)
        start, length = map(int, place.split(","))
        if start < 0 or length < 0 or start + length > size:
            raise ValueError(f"the part {place!r} is outside of an axis of size {size}")
        return slice(start, start + length)


@op(
    "RestoreV2",
    "prefix:string, tensor_names:string, shape_and_slices:string -> *dtypes",
    infer=lambda s: [None] * len(s.attrs["dtypes"]),
    effect=Effect.READS,
    vjp=no_gradient,
)
def restore(xp: Any, prefix: Any, tensor_names: Any, shape_and_slices: Any, *, dtypes: Sequence[DType]) -> list[Any]:
    """The tensors of a checkpoint."""
    path = _one(prefix)
    with contextlib.nullcontext(_READABLE[path]) if path in _READABLE else opened(path) as reader:
        names, parts = _texts(tensor_names), _texts(shape_and_slices)
        if not len(names) == len(parts) == len(dtypes):
            raise errors.InvalidArgumentError(
                None, None, f"RestoreV2 has {len(names)} names, {len(parts)} parts and {len(dtypes)} types"
            )
        return [_restored(reader, *each) for each in zip(names, parts, dtypes, strict=True)]


_READABLE: dict[str, checkpoint_files.CheckpointFile] = {}
_NUMBERS = itertools.count()


@contextlib.contextmanager
def readable(reader: checkpoint_files.CheckpointFile) -> Iterator[str]:
    """In the block, `RestoreV2` reads a checkpoint that is open: its files are not opened again by their paths.

    Args:
      reader: the checkpoint.

    Yields:
      The prefix for the op.
    """
    name = f"<checkpoint {next(_NUMBERS)} of {reader.path}>"
    _READABLE[name] = reader
    try:
        yield name
    finally:
        del _READABLE[name]


def _restored(reader: checkpoint_files.CheckpointFile, name: str, part: str, dtype: DType) -> Any:
    if reader.dtype(name) is not dtype:
        raise MismatchError(
            None,
            None,
            f"tensor_name = {name}; expected dtype {dtype.name} does not equal original dtype "
            f"{reader.dtype(name).name} in {reader.path}",
        )
    value = reader.read(name)
    if part:
        whole = _TensorPart(part)
        if whole.shape != value.shape:
            raise MismatchError(
                None,
                None,
                f"tensor_name = {name}; shape in shape_and_slice spec {list(whole.shape)} does not match the shape "
                f"stored in checkpoint: {list(value.shape)}",
            )
        value = value[whole.cut].copy()
    return value if value.ndim else value[()]


@op(
    "SaveV2",
    "prefix:string, tensor_names:string, shape_and_slices:string, tensors:*any -> ",
    effect=Effect.STATEFUL,
    vjp=no_gradient,
)
def save(xp: Any, prefix: Any, tensor_names: Any, shape_and_slices: Any, tensors: Sequence[Any]) -> Any:
    """Writes tensors as a checkpoint; parts of one tensor are joined."""
    path, names, parts = _one(prefix), _texts(tensor_names), _texts(shape_and_slices)
    if not len(names) == len(parts) == len(tensors):
        raise errors.InvalidArgumentError(
            None, None, f"SaveV2 has {len(names)} names, {len(parts)} parts and {len(tensors)} tensors"
        )
    values: dict[str, tuple[Any, DType]] = {}
    filled: dict[str, np.ndarray] = {}
    for name, part, tensor in zip(names, parts, tensors, strict=True):
        array = np.asarray(tensor)
        dtype = dtypes.string if array.dtype == object else dtypes.FROM_NUMPY[array.dtype]
        if part:
            place = _TensorPart(part)
            if name not in values:
                values[name], filled[name] = (np.zeros(place.shape, array.dtype), dtype), np.zeros(place.shape, bool)
            values[name][0][place.cut], filled[name][place.cut] = array, True
        else:
            values[name] = array, dtype
    lacking = [name for name, each in filled.items() if not each.all()]
    if lacking:
        raise errors.InvalidArgumentError(None, None, f"the parts of {lacking[0]} do not make up the whole")
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    checkpoint_files.write(path, values, {})
    return ()


@op(
    "ShardedFilename",
    "basename:string, shard:int32, num_shards:int32 -> string",
    infer=lambda s: [()],
    vjp=no_gradient,
)
def sharded_filename(xp: Any, basename: Any, shard: Any, num_shards: Any) -> Any:
    """The name of one of several files."""
    return f"{_one(basename)}-{int(shard):05d}-of-{int(num_shards):05d}".encode()


@op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes:string, destination_prefix:string -> ",
    effect=Effect.STATEFUL,
    vjp=no_gradient,
)
def merge(
    xp: Any,
    checkpoint_prefixes: Any,
    destination_prefix: Any,
    *,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
) -> Any:
    """Writes the tensors of several checkpoints as one, and removes those."""
    prefixes, values = _texts(checkpoint_prefixes), dict[str, tuple[Any, DType]]()
    for prefix in prefixes:
        if allow_missing_files and not tensor_bundle.exists(prefix):
            continue
        with opened(prefix) as reader:
            values.update((name, (reader.read(name), reader.dtype(name))) for name in reader.entries)
    target = _one(destination_prefix)
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    checkpoint_files.write(target, values, {})
    for prefix in prefixes:
        if prefix == target:
            continue
        for file in checkpoint_files.files_of(prefix):
            os.unlink(file)
        if delete_old_dirs:
            with contextlib.suppress(OSError):  # others may still write there
                os.rmdir(os.path.dirname(prefix))
    return ()
