"""Options of writing checkpoints: `CheckpointOptions`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export


@export("train.CheckpointOptions")
class CheckpointOptions:
    """Options of writing a checkpoint.

    Args:
      experimental_io_device: accepted and ignored; files are written by this process.
      experimental_enable_async_checkpoint, enable_async: accepted; a checkpoint is complete when `save` returns.
      experimental_write_callbacks: functions that are called after a checkpoint was written, in order, with its prefix
        or without arguments.
      experimental_skip_slot_variables: accepted and ignored; slots are restored where there are some.
      experimental_sharding_callback: accepted and ignored; a checkpoint is one file of values.

    Raises:
      AssertionError: if a callback takes more than one argument.
    """

    enable_async: bool
    experimental_enable_async_checkpoint: bool

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = (
            experimental_enable_async_checkpoint or enable_async
        )
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
        callbacks = experimental_write_callbacks
        self.experimental_write_callbacks: list[Callable[..., Any]] | None = (
            None if callbacks is None else list(callbacks)
        )
        for callback in callbacks or ():
            if len(inspect.signature(callback).parameters) > 1:
                raise AssertionError(f"a write callback takes the checkpoint's prefix or nothing, got {callback!r}")

    def __copy__(self) -> CheckpointOptions:
        options = CheckpointOptions.__new__(CheckpointOptions)
        options.__dict__ |= {name: copy.copy(v) if isinstance(v, list) else v for name, v in vars(self).items()}
        return options


def call_back(options: Any, path: str) -> None:
    """Calls what the options ask for once a checkpoint is written."""
    for callback in getattr(options, "experimental_write_callbacks", None) or ():
        callback(*[path][: len(inspect.signature(callback).parameters)])
