"""`tf.gfile` of 1.x: the functions of `tf.io.gfile` by their first names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inlay._src.base.export import export
from inlay._src.base.files import gfile
from inlay._src.base.files.file_systems import Path


@export("compat.v1.gfile.Exists")
def _exists(filename: Path) -> bool:
    """See `tf.io.gfile.exists`."""
    return gfile.exists(filename)


@export("compat.v1.gfile.IsDirectory")
def _is_directory(dirname: Path) -> bool:
    """See `tf.io.gfile.isdir`."""
    return gfile.isdir(dirname)


@export("compat.v1.gfile.ListDirectory")
def _list_directory(dirname: Path) -> list[str]:
    """See `tf.io.gfile.listdir`."""
    return gfile.listdir(dirname)


@export("compat.v1.gfile.Glob")
def _glob(filename: Path | Sequence[Path]) -> list[str]:
    """See `tf.io.gfile.glob`."""
    return gfile.glob(filename)


@export("compat.v1.gfile.MakeDirs")
def _make_dirs(dirname: Path) -> None:
    """See `tf.io.gfile.makedirs`."""
    gfile.makedirs(dirname)


@export("compat.v1.gfile.MkDir")
def _mk_dir(dirname: Path) -> None:
    """See `tf.io.gfile.mkdir`."""
    gfile.mkdir(dirname)


@export("compat.v1.gfile.Remove")
def _remove(filename: Path) -> None:
    """See `tf.io.gfile.remove`."""
    gfile.remove(filename)


@export("compat.v1.gfile.DeleteRecursively")
def _delete_recursively(dirname: Path) -> None:
    """See `tf.io.gfile.rmtree`."""
    gfile.rmtree(dirname)


@export("compat.v1.gfile.Copy")
def _copy(oldpath: Path, newpath: Path, overwrite: bool = False) -> None:
    """See `tf.io.gfile.copy`."""
    gfile.copy(oldpath, newpath, overwrite)


@export("compat.v1.gfile.Rename")
def _rename(oldname: Path, newname: Path, overwrite: bool = False) -> None:
    """See `tf.io.gfile.rename`."""
    gfile.rename(oldname, newname, overwrite)


@export("compat.v1.gfile.Walk")
def _walk(top: Path, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """See `tf.io.gfile.walk`."""
    return gfile.walk(top, in_order)


@export("compat.v1.gfile.Stat")
def _stat(filename: Path) -> gfile.FileStatistics:
    """See `tf.io.gfile.stat`."""
    return gfile.stat(filename)
