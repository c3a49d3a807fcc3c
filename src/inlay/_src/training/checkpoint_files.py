"""The files of checkpoints: TensorFlow's tensor bundles and the `.npz` files of earlier versions."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np

from inlay._src.base.files.opening import path_of
from inlay._src.base.types.dtypes import DType
from inlay._src.training import npz_checkpoint, tensor_bundle
from inlay._src.training.checkpoint_errors import MismatchError, MissingError


class CheckpointFile(Protocol):
    """An open checkpoint, of either format.

    Attributes:
      path: its path, for messages.
      entries: its names.
    """

    path: str
    entries: dict[str, Any]

    @property
    def manifest(self) -> dict[str, Any]:
        """The tree of objects, and what else the writer added."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: Any) -> None: ...
    def __contains__(self, name: str) -> bool: ...
    def dtype(self, name: str) -> DType:
        """The type of a value."""

    def shape(self, name: str) -> list[int]:
        """The shape of a value."""

    def read(self, name: str) -> np.ndarray:
        """A value, in memory of its own."""


def opened(prefix: Any) -> CheckpointFile:
    """The checkpoint of a prefix.

    Args:
      prefix: its path without suffix.

    Raises:
      NotFoundError, ValueError: if there is none.
      DataLossError: if it is damaged.
      UnimplementedError: if it is of a later version.
    """
    path = path_of(prefix)
    if tensor_bundle.exists(path):
        return tensor_bundle.TensorBundleReader(path)
    if os.path.isfile(npz_checkpoint.file_of(path)):
        return npz_checkpoint.NpzReader(path)
    why, prefix = f"no file {path}{tensor_bundle.INDEX}", tensor_bundle.prefix_of(path)
    if prefix != path and main_file(prefix) is not None:
        why = f"it is a file of one: give its prefix, {prefix}"
    raise MissingError(
        None,
        None,
        f"Unsuccessful TensorSliceReader constructor: The passed save_path is not a valid checkpoint: {path} ({why})",
    )


def write(prefix: str, values: Mapping[str, tuple[Any, DType]], extra: Mapping[str, Any]) -> None:
    """Writes a checkpoint so that a reader sees the old one, or the whole new one; see `tensor_bundle.write`."""
    tensor_bundle.write(prefix, values, extra)
    with contextlib.suppress(FileNotFoundError):  # an earlier version's of the same prefix, which is replaced
        os.unlink(prefix + npz_checkpoint.SUFFIX)


def main_file(prefix: Any) -> str | None:
    """The path of the file by which a checkpoint is there; None if it is not."""
    path = path_of(prefix)
    files = [path + tensor_bundle.INDEX, npz_checkpoint.file_of(path)]
    return next(filter(os.path.isfile, files), None)


def files_of(prefix: Any) -> list[str]:
    """The paths of all files of a checkpoint, the one by which it is there first."""
    path = path_of(prefix)
    files = [path + tensor_bundle.INDEX, path + npz_checkpoint.SUFFIX, *tensor_bundle.data_files(path)]
    return list(filter(os.path.isfile, files))


def fitting(reader: CheckpointFile, name: str, variable: Any) -> np.ndarray:
    """A checkpoint's value for a variable.

    Raises:
      InvalidArgumentError, ValueError: if dtype or shape differ; the message has both, the variable and the file.
    """
    got = reader.dtype(name)
    if got is not variable.dtype:
        raise MismatchError(
            None,
            None,
            f"Cannot restore variable {variable.name} from {reader.path}: {name} has original dtype {got.name}, "
            f"expected {variable.dtype.name}",
        )
    shape = reader.shape(name)
    if not variable.shape.is_compatible_with(shape):
        raise MismatchError(
            None,
            None,
            f"Received incompatible tensor with shape {tuple(shape)} when attempting to restore variable with shape "
            f"{variable.shape} and name {variable.name} (value {name} of {reader.path}). Assign requires shapes of "
            "both tensors to match.",
        )
    return reader.read(name)
