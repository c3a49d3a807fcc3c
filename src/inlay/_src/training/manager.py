"""`CheckpointManager`: keeps the newest checkpoints of a folder and deletes the others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.ops.variables.variable import Variable
from inlay._src.training import checkpoint_state
from inlay._src.training.checkpoint import Checkpoint
from inlay._src.training.global_step import step_number


@export("train.CheckpointManager")
class CheckpointManager:
    """Saves a `Checkpoint` under numbered names in one folder.

    Args:
      checkpoint: the `Checkpoint` to save.
      directory: the folder of the checkpoints; a manager of the same folder continues with those in it.
      max_to_keep: the number of checkpoints to keep; None keeps all.
      keep_checkpoint_every_n_hours: keeps one more for good each time so many hours have passed.
      checkpoint_name: the first part of the names.
      step_counter: a variable that `checkpoint_interval` refers to.
      checkpoint_interval: the least growth of `step_counter` between two checkpoints.
      init_fn: called by `restore_or_initialize` if there is nothing to restore.
      last_checkpoint_step: the value of `step_counter` that the first interval begins at; None saves at the first call.

    Raises:
      ValueError: for a number to keep that is not positive, or an interval without a counter.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Variable | None = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory = checkpoint, path_of(directory)
        self._max_to_keep, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter, self._interval, self._init_fn = step_counter, checkpoint_interval, init_fn
        self._last_step: int | None = last_checkpoint_step
        self._retained: dict[str, float] = {}
        self._latest: str | None = None
        state = checkpoint_state.get_checkpoint_state(self._directory)
        self._preserved = time.time() if state is None else state.last_preserved_timestamp or time.time()
        if state is not None:
            pairs = zip(state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=False)
            self._retained = {p: t for p, t in pairs if checkpoint_state.checkpoint_exists(p)}
            latest = state.model_checkpoint_path
            self._latest = latest if checkpoint_state.checkpoint_exists(latest) else None

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The `Checkpoint` that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """Steps between checkpoints, or None."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the newest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes that are kept, oldest first."""
        return list(self._retained)

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Saves, and deletes what is more than `max_to_keep`.

        Args:
          checkpoint_number: the number in the name; None takes the checkpoint's own counter.
          check_interval: whether to do nothing while the interval has not passed.
          options: `train.CheckpointOptions`.

        Returns:
          The prefix, or None if nothing was saved.
        """
        if self._interval is not None and check_interval and not self._due():
            return None
        count = self._checkpoint._count()
        number = count if checkpoint_number is None else step_number(checkpoint_number)
        path = self._checkpoint.write(f"{self._prefix}-{number}", options)
        self._latest = path
        self._retained.pop(path, None)
        self._retained[path] = time.time()
        self._sweep()
        stamps = list(self._retained.values())
        checkpoint_state.update_checkpoint_state(
            self._directory,
            path,
            list(self._retained),
            all_model_checkpoint_timestamps=stamps,
            last_preserved_timestamp=self._preserved,
            save_relative_paths=True,
        )
        return path

    def sync(self) -> None:
        """Waits until checkpoints are written, which they are when `save` returns."""

    def _due(self) -> bool:
        step = step_number(self._step_counter)
        if self._last_step is not None and step - self._last_step < (self._interval or 0):
            return False
        self._last_step = step
        return True

    def _sweep(self) -> None:
        while self._max_to_keep is not None and len(self._retained) > self._max_to_keep:
            path, stamp = next(iter(self._retained.items()))
            del self._retained[path]
            if self._hours is not None and stamp - self._preserved >= self._hours * 3600:
                self._preserved = stamp
                continue
            checkpoint_state.remove_checkpoint(path)

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint; if there is none, calls `init_fn` (if given) and returns None."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._step_counter is not None:
                self._last_step = step_number(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None
