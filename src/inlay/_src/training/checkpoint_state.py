"""The checkpoints of a folder: the text file `checkpoint`, as TensorFlow writes it, and reading single values."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.files.damage import guarded
from inlay._src.base.files.opening import path_of
from inlay._src.base.files.replacing import replacing
from inlay._src.base.interpreter import messages
from inlay._src.base.types.text import counted
from inlay._src.core.eager.attributes import number
from inlay._src.training.checkpoint_errors import MissingError
from inlay._src.training.checkpoint_files import files_of, main_file, opened

_FIELDS: dict[str, Any] = {
    "model_checkpoint_path": str,
    "all_model_checkpoint_paths": str,
    "all_model_checkpoint_timestamps": (int, float),
    "last_preserved_timestamp": (int, float),
}
_LOOK_SECONDS = 0.5
"""Seconds between two looks at a folder while a checkpoint is awaited."""
_LINE = re.compile(r'^(\w+):\s*(".*"|[-+.\deE]+)\s*$')


@export("train.CheckpointState")
class CheckpointState:
    """The contents of the file `checkpoint`.

    Attributes:
      model_checkpoint_path: the latest checkpoint.
      all_model_checkpoint_paths: those that are kept, oldest first.
      all_model_checkpoint_timestamps: when they were written.
      last_preserved_timestamp: when the last one was written that is kept for good.
    """

    def __init__(
        self,
        model_checkpoint_path: str = "",
        all_model_checkpoint_paths: Sequence[str] = (),
        all_model_checkpoint_timestamps: Sequence[float] = (),
        last_preserved_timestamp: float = 0.0,
    ) -> None:
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths: list[str] = list(all_model_checkpoint_paths)
        self.all_model_checkpoint_timestamps: list[float] = list(all_model_checkpoint_timestamps)
        self.last_preserved_timestamp = number(last_preserved_timestamp, "last_preserved_timestamp")

    def __repr__(self) -> str:
        lines = [f"model_checkpoint_path: {json.dumps(self.model_checkpoint_path)}"]
        lines += [f"all_model_checkpoint_paths: {json.dumps(p)}" for p in self.all_model_checkpoint_paths]
        lines += [f"all_model_checkpoint_timestamps: {t!r}" for t in self.all_model_checkpoint_timestamps]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"


@export("compat.v1.train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """The text of a folder's file `checkpoint`, with paths relative to the folder if the folder is relative.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the latest checkpoint.
      all_model_checkpoint_paths: those that are kept, oldest first; the latest one is added if it is not among them.
      all_model_checkpoint_timestamps: when they were written, one for each.
      last_preserved_timestamp: see `CheckpointState`.

    Raises:
      ValueError: for another number of timestamps.
    """
    latest = path_of(model_checkpoint_path)
    paths = [path_of(p) for p in all_model_checkpoint_paths or ()]
    if not paths or paths[-1] != latest:
        paths.append(latest)
    stamps = all_model_checkpoint_timestamps
    if stamps and len(stamps) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths: {len(stamps)} timestamps and "
            f"{len(paths)} paths"
        )
    paths = _within(save_dir, paths)
    return CheckpointState(paths[-1], paths, stamps or (), last_preserved_timestamp or 0.0)


def _within(folder: str, paths: list[str]) -> list[str]:
    """Paths as the file of a folder says them: a reader completes those that are relative to a relative folder."""
    if os.path.isabs(folder):
        return paths
    return [p if os.path.isabs(p) else os.path.relpath(p, folder or ".") for p in paths]


@export("train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
    save_relative_paths: bool = False,
) -> None:
    """Writes the file `checkpoint` of a folder, replacing it in one step.

    Args:
      save_dir: the folder.
      model_checkpoint_path: the latest checkpoint.
      all_model_checkpoint_paths: those that are kept, oldest first.
      latest_filename: the file's name.
      all_model_checkpoint_timestamps, last_preserved_timestamp: see `CheckpointState`.
      save_relative_paths: whether paths are written relative to the folder.
    """
    save_dir, latest = path_of(save_dir), path_of(model_checkpoint_path)
    paths = [p for p in map(path_of, all_model_checkpoint_paths or ()) if p != latest] + [latest]
    if save_relative_paths:
        paths = [os.path.relpath(p, save_dir) if os.path.isabs(p) == os.path.isabs(save_dir) else p for p in paths]
    else:
        paths = _within(save_dir, paths)
    state = CheckpointState(paths[-1], paths, all_model_checkpoint_timestamps or (), last_preserved_timestamp or 0.0)
    target = os.path.join(save_dir, latest_filename or "checkpoint")
    with replacing(target) as file:
        file.write(repr(state).encode())


@export("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir: str, latest_filename: str | None = None) -> CheckpointState | None:
    """The state in a folder's file `checkpoint`, with full paths; None if there is none, or it is something else.

    Args:
      checkpoint_dir: the folder.
      latest_filename: the file's name.

    Raises:
      DataLossError: if it is damaged.
      ValueError: if the file names no checkpoint.
    """
    folder = path_of(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    with guarded(path):
        state = _state_of(data.decode(), folder)
    if state is not None and not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}: it names no checkpoint")
    return state


def _state_of(text: str, checkpoint_dir: str) -> CheckpointState | None:
    """The state in the text of the file; None if it is something else."""
    state = CheckpointState()
    value: Any
    for line in text.splitlines():
        match = _LINE.match(line.strip())
        if match is None and line.strip() and not line.lstrip().startswith("#"):
            messages.warning("%s: %r is no line of a checkpoint state", checkpoint_dir, line)
            return None
        if match is None:
            continue
        field, value = match[1], json.loads(match[2])
        if field in _FIELDS and not isinstance(value, _FIELDS[field]):
            raise ValueError(f"{field} is {value!r:.80}")
        if field == "all_model_checkpoint_paths":
            state.all_model_checkpoint_paths.append(_whole(checkpoint_dir, value))
        elif field == "model_checkpoint_path":
            state.model_checkpoint_path = _whole(checkpoint_dir, value)
        elif field == "all_model_checkpoint_timestamps":
            state.all_model_checkpoint_timestamps.append(value)
        elif field == "last_preserved_timestamp":
            state.last_preserved_timestamp = value
    return state


def _whole(folder: str, path: str) -> str:
    return path if not path or os.path.isabs(path) else os.path.join(folder, path)


@export("train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether there is a checkpoint of that prefix."""
    return main_file(checkpoint_prefix) is not None


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The prefix of a folder's latest checkpoint; None if there is none.

    Args:
      checkpoint_dir: the folder.
      latest_filename: the name of the file that lists them.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


@export("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The checkpoints of a folder as they are written: each time the latest one, if it is new.

    Args:
      checkpoint_dir: the folder; it need not be there yet.
      min_interval_secs: seconds between two checkpoints.
      timeout: seconds to wait for one; None is for ever.
      timeout_fn: is called when that time is over: True ends the iteration, False waits again. None ends it.
    """
    folder, latest = path_of(checkpoint_dir), None
    while True:
        checkpoint = _next_checkpoint(folder, latest, timeout)
        if checkpoint is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start, latest = time.monotonic(), checkpoint
        yield checkpoint
        time.sleep(max(0.0, start + min_interval_secs - time.monotonic()))


def _next_checkpoint(folder: str, latest: str | None, timeout: float | None) -> str | None:
    """The latest checkpoint once it is another one; None when the time is over."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        checkpoint = latest_checkpoint(folder)
        if checkpoint is not None and checkpoint != latest:
            return checkpoint
        if end is not None and time.monotonic() + _LOOK_SECONDS > end:
            return None
        time.sleep(_LOOK_SECONDS)


@export("train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: Any = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Deletes a checkpoint's files, and that of its graph, if they are there.

    Args:
      checkpoint_prefix: its path without suffix.
      checkpoint_format_version: accepted: there is one format here.
      meta_graph_suffix: the suffix of the file with the graph.
    """
    for path in (*files_of(checkpoint_prefix), f"{path_of(checkpoint_prefix)}.{meta_graph_suffix}"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@export("compat.v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """When checkpoints were written, in seconds since 1970; those that are not there are left out.

    Args:
      checkpoint_prefixes: their paths without suffix.
    """
    return [os.path.getmtime(file) for file in map(main_file, checkpoint_prefixes) if file is not None]


class CheckpointReader:
    """Reads single values of a checkpoint (`tf.train.load_checkpoint`)."""

    def __init__(self, prefix: str) -> None:
        self._prefix, self._file = prefix, opened(prefix)
        weakref.finalize(self, self._file.__exit__)
        self._shapes = {name: self._file.shape(name) for name in self._file.entries}
        self._dtypes = {name: self._file.dtype(name) for name in self._file.entries}

    def __repr__(self) -> str:
        return f"<CheckpointReader of {self._prefix!r}: {counted(len(self._shapes), 'value')}>"

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Name -> shape."""
        return dict(self._shapes)

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Name -> DType."""
        return dict(self._dtypes)

    def has_tensor(self, name: str) -> bool:
        """Whether there is a value of that name."""
        return name in self._shapes

    def get_tensor(self, name: str) -> Any:
        """A value; NotFoundError if there is none of that name."""
        value = self._file.read(name)
        return value if value.ndim else value[()]

    def debug_string(self) -> bytes:
        """One line per value: name, type, shape."""
        rows = [(n, self._dtypes[n].c_name.upper(), ",".join(map(str, self._shapes[n]))) for n in sorted(self._shapes)]
        return "".join([f"{name} (DT_{dtype}) [{sizes}]\n" for name, dtype, sizes in rows]).encode()


@export("compat.v1.train.NewCheckpointReader")
def new_checkpoint_reader(filepattern: str) -> CheckpointReader:
    """A reader of the checkpoint of a prefix.

    Args:
      filepattern: its path without suffix.
    """
    return CheckpointReader(path_of(filepattern))


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """A reader of a checkpoint, or of a folder's latest one; ValueError if a folder has none."""
    path = path_of(ckpt_dir_or_file)
    if os.path.isdir(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise MissingError(None, None, f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
        path = latest
    return CheckpointReader(path)


@export("train.load_variable")
def load_variable(ckpt_dir_or_file: str, name: str) -> np.ndarray[Any, Any]:
    """A value of a checkpoint by name."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))  # type: ignore[no-any-return]


@export("train.list_variables")
def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """(name, shape) of every value of a checkpoint, sorted."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
