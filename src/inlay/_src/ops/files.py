"""Files read, written and found while a program runs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.files.opening import failed, path_of
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect, of_ranks, scalar, vector
from inlay._src.core.operation import Operation
from inlay._src.core.values import boxed


def _path(value: Any) -> str:
    if np.ndim(value):
        raise ValueError(f"a file name must be a scalar, got shape {list(np.shape(value))}")
    return path_of(np.asarray(value).item())


@op("ReadFile", "filename:string -> string", infer=of_ranks(scalar, 0), effect=Effect.READS)
@export("io.read_file", "read_file")
def read_file(xp, filename):
    """The contents of a file, read when the op runs.

    Args:
      filename: a scalar string.

    Raises:
      NotFoundError: if there is no such file.
    """
    path = _path(filename)
    try:
        return boxed(Path(path).read_bytes())
    except OSError as error:
        raise failed(path, error) from None


@op("WriteFile", "filename:string, contents:string -> ", effect=Effect.STATEFUL)
def _write_file(xp, filename, contents):
    """Writes a file."""
    path = Path(_path(filename))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(np.asarray(contents)[()])
    except OSError as error:
        raise failed(str(path), error) from None
    return ()


@export("io.write_file", "write_file")
def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation | None:
    """Writes a file when the op runs, and the folders above it that there are not.

    Args:
      filename: a scalar string.
      contents: the file's new content, a scalar string.
      name: the node's name.

    Returns:
      The operation; None while executing eagerly.
    """
    return emit(OPS["WriteFile"], (filename, contents), {}, name)


def _matching(pattern: bytes) -> Iterator[bytes]:
    """The names that match a pattern, as URIs if it is one."""
    path = os.fsencode(path_of(pattern))
    scheme = pattern[: len(pattern) - len(path)]
    return (scheme + name for name in glob.iglob(path, include_hidden=True))


@op("MatchingFiles", "pattern:string -> string", infer=vector, effect=Effect.READS)
@export("io.matching_files", "matching_files")
def matching_files(xp, pattern):
    """The names of the files that match one of several patterns, in order.

    Args:
      pattern: strings: `*` stands for any characters but /, `?` for one, `[a-z]` for one of those.
    """
    names = {name for text in np.asarray(pattern).reshape(-1).tolist() for name in _matching(text)}
    out = np.empty(len(names), object)
    out[:] = sorted(names)
    return out
