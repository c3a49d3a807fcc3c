"""The folder of a saved model: files, and a manifest that says what each must be.

    PATH/
      manifest.json      format, version; for every other file its size and SHA-256
      saved_model.pb     the graph, its functions and signatures, in TensorFlow's wire format
      objects.json       the objects that own them
      variables/         a checkpoint of the variables
      arrays/DIGEST      the memory of captured arrays, each once
      assets/            files that belong to the model
      signature.json     Ed25519 signatures of the manifest, if it was signed

The digest of the manifest stands for the whole model.

It is written beside its place and put there by one rename: a reader sees the model that was there, or the new one.
Readers follow no links and open regular files within the folder only. A file is hashed before it is parsed, and the
parser reads the hashed bytes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import hashlib
import json
import mmap
import os
import shutil
import socket
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.allowance import charge
from inlay._src.base.files.replacing import lasting
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.saved.folder import ModelFolder, is_within

FORMAT, VERSION = "inlay saved model", 1
MANIFEST, SIGNATURE, GRAPH, OBJECTS = "manifest.json", "signature.json", "saved_model.pb", "objects.json"
MOST_JSON = 16 << 20
"""Bytes of a manifest, a signature or a list of objects that are read."""
MOST_GRAPH = (1 << 31) - 1
"""Bytes of a graph that are read: protobuf has no larger messages."""
_BLOCK = 1 << 20
_PAGES = 1 << 14
"""Bytes charged for a mapping: none of its pages is resident, but the system accounts for it."""
_EXCHANGE, _AT_CWD = 2, -100


class ManifestEntry(NamedTuple):
    """A file as the manifest lists it."""

    size: int
    sha256: str


# ---------------------------------------------------------------- writing


@contextlib.contextmanager
def writing(path: str) -> Iterator[str]:
    """A folder to put the files of a model into, which is at `path` when the block ends well.

    Args:
      path: where the model should be. There may be nothing, an empty folder, or a model of inlay, which is
        replaced.

    Raises:
      AlreadyExistsError: if anything else is there.
    """
    target = os.path.realpath(path)
    parent, name = os.path.split(target)
    os.makedirs(parent, exist_ok=True)
    _refuse_to_replace(path, target)
    _remove_stale(parent, name)
    draft = os.path.join(parent, f"{_prefix(name)}{os.getpid()}-{os.urandom(4).hex()}")
    try:
        try:
            os.mkdir(draft)
            yield draft
            _finish(draft)
            _refuse_to_replace(path, target)
            _put(draft, target)
        finally:
            _clear(draft, target)
    finally:  # again: a Ctrl-C may have come while it was cleared
        _clear(draft, target)
    lasting(parent)


def _clear(draft: str, target: str) -> None:
    """Leaves nothing beside a model; a folder that was half exchanged is put back."""
    old = _old(draft)
    with PutOff():
        if not os.path.lexists(target) and os.path.lexists(old):
            os.rename(old, target)
        for folder in (draft, old):
            if os.path.lexists(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _old(draft: str) -> str:
    """Where the model that a draft replaces is, where the file system cannot exchange two folders."""
    return f"{draft}-old"


def _prefix(name: str) -> str:
    return f".{name}.saving-{socket.gethostname()}-"


def _remove_stale(parent: str, name: str) -> None:
    """Removes drafts for the same target whose processes have ended."""
    prefix = _prefix(name)
    for entry in os.listdir(parent):
        number = entry.removeprefix(prefix).partition("-")[0]
        if entry.startswith(prefix) and number.isdecimal() and not _alive(int(number)):
            shutil.rmtree(os.path.join(parent, entry), ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _refuse_to_replace(path: str, target: str) -> None:
    if not os.path.lexists(target):
        return
    if os.path.isdir(target):
        present = set(_files_under(target))
        if not present:
            return
        listed: dict[str, ManifestEntry] | None = None
        with contextlib.suppress(errors.OpError):
            listed = Container(target).files
        if listed is not None:
            more = sorted(present - {MANIFEST, SIGNATURE, *listed})
            if not more:
                return
            raise _occupied(path, f"it contains a saved model and also {more[0]}")
    raise _occupied(path, "its contents are not a saved model of inlay")


def _occupied(path: str, why: str) -> FileExistsError:
    return _Occupied(None, None, f"{path} cannot be replaced by a saved model: {why}. Delete it, or save elsewhere")


class _Occupied(errors.AlreadyExistsError, FileExistsError):
    """There is something where a model should be saved."""


def _files_under(folder: str) -> Iterator[str]:
    """The files below a folder by their paths in it, links among them; empty folders are none."""
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in sorted([*names, *links]):
            yield os.path.relpath(os.path.join(parent, name), folder)


def _finish(draft: str) -> None:
    """Writes the manifest, and sees that everything is on the disk."""
    files = {}
    for name in _files_under(draft):
        with open(os.path.join(draft, name), "rb") as file:
            files[name] = {"size": os.fstat(file.fileno()).st_size, "sha256": _hashed(file)}
            os.fsync(file.fileno())
    said = {"format": FORMAT, "version": VERSION, "files": files}
    write_file(os.path.join(draft, MANIFEST), json.dumps(said, indent=1, sort_keys=True).encode())
    for parent, _, _ in os.walk(draft):
        lasting(parent)


def write_file(path: str, data: Any) -> None:
    """Writes a new file that lasts."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _put(draft: str, target: str) -> None:
    """Moves a draft to its target. A model that stood there moves to the place of the draft, or is removed."""
    try:
        os.rename(draft, target)  # there is nothing, or an empty folder
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    if not _exchange(draft, target):  # a file system that cannot: for a moment there is nothing at `target`
        os.rename(target, _old(draft))
        os.rename(draft, target)


def _exchange(one: str, other: str) -> bool:
    """Whether two names were exchanged in one step (Linux's renameat2)."""
    call = _renameat2()
    return call is not None and call(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE) == 0


@functools.cache
def _renameat2() -> Any:
    with contextlib.suppress(OSError, AttributeError):
        call = ctypes.CDLL(None, use_errno=True).renameat2
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
        return call
    return None


def _hashed(file: BinaryIO) -> str:
    """The SHA-256 of the rest of a file."""
    whole, block = hashlib.sha256(), memoryview(bytearray(_BLOCK))
    while count := file.readinto(block):  # type: ignore[attr-defined]
        whole.update(block[:count])
    return whole.hexdigest()


# ---------------------------------------------------------------- reading


class Container(ModelFolder):
    """A saved model's files, as they are read.

    Args:
      path: the folder.

    Attributes:
      path: the folder.
      files: path -> size and digest, from the manifest.
      digest: the SHA-256 of the manifest, hexadecimal: it stands for all files.

    Raises:
      NotFoundError: if there is no saved model.
      DataLossError: if its manifest is damaged.
      UnimplementedError: if a later version wrote it.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        if not os.path.isdir(path) or not os.path.lexists(os.path.join(path, MANIFEST)):
            raise _missing(path)
        data = self.whole(MANIFEST, MOST_JSON)
        self.digest: str = hashlib.sha256(data).hexdigest()
        self.files: dict[str, ManifestEntry] = self._listed(data)
        self._checked: set[str] = set()
        self._mapped: dict[str, int] = {}

    def _listed(self, data: bytes) -> dict[str, ManifestEntry]:
        said = self.json(MANIFEST, data)
        with self.guard(MANIFEST):
            if said["format"] != FORMAT or not isinstance(said["version"], int):
                raise ValueError(f"its format is {said['format']!r}")
            if said["version"] > VERSION:
                raise errors.UnimplementedError(
                    None,
                    None,
                    f"The saved model {self.path} is of version {said['version']}, this library reads up to {VERSION}: "
                    "load it with a newer one",
                )
            files = {name: ManifestEntry(entry["size"], entry["sha256"]) for name, entry in said["files"].items()}
            for name, (size, digest) in files.items():
                if not isinstance(size, int) or isinstance(size, bool) or not isinstance(digest, str) or size < 0:
                    raise ValueError(f"the entry of {name!r} makes no sense")
                if not is_within(name) or name in (MANIFEST, SIGNATURE):
                    raise ValueError(f"{name!r} is not a valid file name of a model")
            if GRAPH not in files:
                raise ValueError(f"it lists no {GRAPH}")
        return files

    @property
    def size(self) -> int:
        """The bytes of all listed files."""
        return sum(listed.size for listed in self.files.values())

    @contextlib.contextmanager
    def verified(self, name: str) -> Iterator[BinaryIO]:
        """As `open_verified`, until the end of the block."""
        with self.open_verified(name) as file:
            yield file

    def open_verified(self, name: str) -> BinaryIO:
        """A listed file, open at its beginning, whose bytes are the listed ones.

        Raises:
          DataLossError: if they are not, or if there is no such file.
        """
        if name not in self.files:
            raise self.damaged(MANIFEST, f"it lists no {name}")
        listed = self.files[name]
        try:
            file = self.open(name)
        except FileNotFoundError as error:
            raise self.damaged(name, error.strerror) from None
        try:
            size = os.fstat(file.fileno()).st_size
            if size != listed.size:
                raise self.damaged(name, f"it has {size:,} bytes, expected {listed.size:,}")
            if _hashed(file) != listed.sha256:
                raise self.damaged(name, "its bytes are not those that were saved (SHA-256 differs)")
        except BaseException:
            file.close()
            raise
        file.seek(0)
        self._checked.add(name)
        return file

    def read(self, name: str, most: int) -> bytes:
        """The bytes of a listed file.

        Raises:
          DataLossError: if they are not those that were saved, or more than `most`.
        """
        if name not in self.files:
            raise self.damaged(MANIFEST, f"it lists no {name}")
        data, listed = self.whole(name, most), self.files[name]
        if len(data) != listed.size:
            raise self.damaged(name, f"it has {len(data):,} bytes, expected {listed.size:,}")
        if hashlib.sha256(data).hexdigest() != listed.sha256:
            raise self.damaged(name, "its bytes are not those that were saved (SHA-256 differs)")
        self._checked.add(name)
        return data

    def mapped(self, name: str) -> np.ndarray:
        """The bytes of a listed file as a vector that may be written into, which does not reach the file.

        No page of it is in memory until it is touched. A file that is asked for again is mapped again from the
        descriptor whose bytes were verified: however often a model names it, it is hashed once.
        """
        if self.files.get(name) == (0, hashlib.sha256().hexdigest()):
            return np.empty(0, np.uint8)
        charge(_PAGES)
        handle = self._mapped.get(name)
        if handle is None:
            with self.verified(name) as opened:
                handle = self._mapped[name] = os.dup(opened.fileno())
        return np.frombuffer(mmap.mmap(handle, self.files[name].size, access=mmap.ACCESS_COPY), np.uint8)

    def __del__(self) -> None:
        for handle in getattr(self, "_mapped", {}).values():  # what was mapped stays
            os.close(handle)

    def verify(self) -> None:
        """Checks the listed files that nobody has read so far.

        Raises:
          DataLossError: naming the first that is not as it was saved.
        """
        for name in sorted(self.files):
            if name not in self._checked:
                with self.verified(name):
                    pass

    def signature(self) -> bytes | None:
        """The bytes of `signature.json`; None if there is none."""
        if not os.path.lexists(os.path.join(self.path, SIGNATURE)):
            return None
        return self.whole(SIGNATURE, MOST_JSON)


def _missing(path: str) -> errors.OpError:
    why = f"it has no {MANIFEST}"
    if not os.path.exists(path):
        why = "there is no such folder"
    elif not os.path.isdir(path):
        why = "it is no folder"
    return MissingModelError(None, None, f"SavedModel file does not exist at: {path} ({why})")


class MissingModelError(errors.NotFoundError, OSError):
    """There is no saved model."""
