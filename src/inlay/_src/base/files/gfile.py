"""Files and folders by their names, on this machine and elsewhere: `tf.io.gfile`, and `tf.gfile` of 1.x.

fsspec does the work, so whatever it knows can be named: "s3://bucket/key", "gs://...", "memory://..." (with the package
that it asks for). A name without a scheme is of this machine. Names that come back look like those that went in:
relative if these were, with their scheme if they had one.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import fsspec  # type: ignore[import-untyped]

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.file_systems import Path, asked, must_exist, named, system_of, text


class FileStatistics(NamedTuple):
    """Statistics of a file.

    Attributes:
      length: its size in bytes.
      mtime_nsec: when it was last changed, in nanoseconds since 1970; 0 where that is not known.
      is_directory: whether it is a folder.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


@export("io.gfile.exists")
def exists(path: Path) -> bool:
    """Whether there is a file or folder.

    Args:
      path: its name.
    """
    return bool(asked(path, lambda system, name: system.exists(name)))


@export("io.gfile.isdir")
def isdir(path: Path) -> bool:
    """Whether there is a folder.

    Args:
      path: its name.
    """
    return bool(asked(path, lambda system, name: system.isdir(name)))


@export("io.gfile.listdir")
def listdir(path: Path) -> list[str]:
    """The names in a folder, without the folder's own.

    Args:
      path: the folder.

    Raises:
      NotFoundError: if there is no such folder.
    """

    def listed(system: Any, name: str) -> list[str]:
        if not system.isdir(name):
            raise errors.NotFoundError(None, None, "Could not find directory " + text(path))
        return [posixpath.basename(entry.rstrip("/")) for entry in system.ls(name, detail=False)]

    return asked(path, listed)  # type: ignore[no-any-return]


@export("io.gfile.glob")
def glob(pattern: Path | Sequence[Path]) -> list[str]:
    """The names that fit a pattern, or one of several, in order.

    Args:
      pattern: names with `*`, `?` and `[...]`, none of which stands for a "/".
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    return [name for one in patterns for name in _globbed(one)]


def _globbed(pattern: Path) -> list[str]:
    plain = re.sub(r"\*+", "*", text(pattern))  # fsspec goes into folders for "**", TensorFlow does not
    return sorted(asked(plain, lambda system, name: [named(system, match, plain) for match in system.glob(name)]))


@export("io.gfile.makedirs")
def makedirs(path: Path) -> None:
    """Makes a folder and those above it, where they are not there.

    Args:
      path: the folder.

    Raises:
      FailedPreconditionError: if a file has the name of one of them.
    """
    asked(path, lambda system, name: system.makedirs(name, exist_ok=True))


@export("io.gfile.mkdir")
def mkdir(path: Path) -> None:
    """Makes a folder in one that is there; one that is there itself stays.

    Args:
      path: the folder.

    Raises:
      NotFoundError: if the one above is not there.
      AlreadyExistsError: if a file has this name.
    """

    def make(system: Any, name: str) -> None:
        if system.isdir(name):
            return
        if system.exists(name):
            raise errors.AlreadyExistsError(None, None, f"{text(path)}; File exists")
        if not system.isdir(system._parent(name)):
            raise errors.NotFoundError(None, None, f"{text(path)}; No such file or directory")
        system.mkdir(name, create_parents=False)

    asked(path, make)


@export("io.gfile.remove")
def remove(path: Path) -> None:
    """Removes a file.

    Args:
      path: the file.

    Raises:
      NotFoundError: if it is not there.
      FailedPreconditionError: if it is a folder: see `rmtree`.
    """

    def gone(system: Any, name: str) -> None:
        must_exist(system, name, path)
        if system.isdir(name):
            raise errors.FailedPreconditionError(None, None, f"{text(path)}; Is a directory")
        system.rm_file(name)

    asked(path, gone)


@export("io.gfile.rmtree")
def rmtree(path: Path) -> None:
    """Removes a folder with all that is in it.

    Args:
      path: the folder.

    Raises:
      NotFoundError: if it is not there.
    """

    def gone(system: Any, name: str) -> None:
        must_exist(system, name, path, " not found")
        system.rm(name, recursive=True)

    asked(path, gone)


@export("io.gfile.copy")
def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Copies a file, to another file system too.

    Args:
      src: the file.
      dst: the copy.
      overwrite: whether a file of that name is replaced.

    Raises:
      NotFoundError: if there is no such file.
      AlreadyExistsError: if the copy is there, without `overwrite`.
      InvalidArgumentError: for a folder.
    """
    _free(dst, overwrite)

    def between(system: Any, name: str) -> None:
        must_exist(system, name, src)
        if system.isdir(name):
            raise errors.InvalidArgumentError(None, None, f"{text(src)} is a folder: copy the files that are in it")
        other, target = system_of(dst)
        if other is system:
            system.cp_file(name, target)
            return
        with system.open(name, "rb") as source, other.open(target, "wb") as copied:
            while piece := source.read(1 << 20):
                copied.write(piece)

    asked(src, between)


@export("io.gfile.rename")
def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    Args:
      src: its name.
      dst: the new one, on the same file system.
      overwrite: whether a file of that name is replaced.

    Raises:
      NotFoundError: if it is not there.
      AlreadyExistsError: if the new one is there, without `overwrite`.
      UnimplementedError: for a name on another file system.
    """
    _free(dst, overwrite)

    def moved(system: Any, name: str) -> None:
        must_exist(system, name, src)
        other, target = system_of(dst)
        if other is not system:
            words = f"{text(src)} cannot be renamed to {text(dst)}, on another file system: copy it, then remove it"
            raise errors.UnimplementedError(None, None, words)
        system.mv(name, target, recursive=system.isdir(name))

    asked(src, moved)


@export("io.gfile.stat")
def stat(path: Path) -> FileStatistics:
    """Statistics of a file or folder.

    Args:
      path: its name.

    Raises:
      NotFoundError: if it is not there.
    """
    filename = path

    def statistics(system: Any, name: str) -> FileStatistics:
        must_exist(system, name, filename)
        info = system.info(name)
        changed = info.get("mtime") or info.get("created") or 0
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else float(changed)
        return FileStatistics(int(info.get("size") or 0), int(seconds * 1e9), info["type"] == "directory")

    return asked(path, statistics)  # type: ignore[no-any-return]


@export("io.gfile.walk")
def walk(
    top: Path, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a folder and those below it.

    Args:
      top: the folder.
      topdown: whether a folder comes before those in it.
      onerror: called with an error for a folder that cannot be listed; None leaves it out.

    Yields:
      (the folder, the names of folders in it, the names of files in it).
    """
    root = text(top)
    try:
        inside = listdir(root)
    except errors.OpError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in inside if isdir(join(root, name))]
    here = (root, folders, [name for name in inside if name not in folders])
    if topdown:
        yield here
    for name in folders:
        yield from walk(join(root, name), topdown, onerror)
    if not topdown:
        yield here


@export("io.gfile.join")
def join(path: Path, *paths: Path) -> str:
    """Parts of a name joined by "/"; one that begins with "/" begins anew.

    Args:
      path: the first.
      *paths: the others.
    """
    return posixpath.join(text(path), *map(text, paths))


@export("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """The schemes that a name may begin with; "" and "file" are this machine. Some need a package more."""
    return ["", *sorted(fsspec.available_protocols())]


def _free(path: Path, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {text(path)}")
