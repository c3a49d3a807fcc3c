"""File systems, of this machine and elsewhere, by the names of files: fsspec's, with TensorFlow's errors."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeAlias

from fsspec.core import url_to_fs  # type: ignore[import-untyped]

from inlay._src.base import errors
from inlay._src.base.files.opening import failed

Path: TypeAlias = "str | bytes | os.PathLike[str]"


def text(path: Path) -> str:
    """A name as text."""
    return os.fsdecode(path)


def system_of(path: Path) -> tuple[Any, str]:
    """The file system that a name is of, and what it calls it."""
    try:
        system, name = url_to_fs(text(path), skip_instance_cache=False, use_listings_cache=False)
    except (ImportError, ValueError) as error:  # a package that it needs; no such scheme
        raise errors.UnimplementedError(None, None, f"{text(path)}: {error}") from error
    return system, name


def asked(path: Path, question: Callable[[Any, str], Any]) -> Any:
    """The answer of a file system to a question about a name; its errors are ours."""
    system, name = system_of(path)
    try:
        return question(system, name)
    except (FileExistsError, NotADirectoryError):
        raise errors.FailedPreconditionError(None, None, f"{text(path)} is not a directory") from None
    except PermissionError as error:
        raise errors.PermissionDeniedError(None, None, f"{text(path)}; {error.strerror or error}") from None
    except OSError as error:
        raise failed(text(path), error) from None


def must_exist(system: Any, name: str, path: Path, words: str = "; No such file or directory") -> None:
    """Refuses a name that is not there.

    Raises:
      NotFoundError: if it is not.
    """
    if not system.exists(name):
        raise errors.NotFoundError(None, None, text(path) + words)


def named(system: Any, path: str, pattern: Path) -> str:
    """A path of a file system, named as the user names files."""
    wanted = text(pattern)
    if "://" in wanted:
        return str(system.unstrip_protocol(path))
    return path if os.path.isabs(wanted) else os.path.relpath(path)
