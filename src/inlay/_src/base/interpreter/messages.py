"""The standard library's logger called "inlay", under the names of TensorFlow 1.x."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export

_logger = logging.getLogger("inlay")

DEBUG = export("logging.DEBUG")(logging.DEBUG)
INFO = export("logging.INFO")(logging.INFO)
WARN = export("logging.WARN")(logging.WARNING)
ERROR = export("logging.ERROR")(logging.ERROR)
FATAL = export("logging.FATAL")(logging.CRITICAL)

debug: Callable[..., None] = export("logging.debug")(_logger.debug)
info: Callable[..., None] = export("logging.info")(_logger.info)
warning: Callable[..., None] = export("logging.warning", "logging.warn")(_logger.warning)
error: Callable[..., None] = export("logging.error")(_logger.error)
fatal: Callable[..., None] = export("logging.fatal")(_logger.critical)
log: Callable[..., None] = export("logging.log")(_logger.log)


@export("get_logger")
def get_logger() -> logging.Logger:
    """The logger called "inlay", which receives all messages of the library."""
    return _logger


@export("logging.set_verbosity")
def set_verbosity(v: int) -> None:
    """Shows messages of level `v` (for instance `tf.logging.INFO`) and above.

    A program that has not set up the standard library's logging sees them on standard error.

    Args:
      v: the level.
    """
    if not _logger.hasHandlers():
        shown = logging.StreamHandler()
        shown.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        _logger.addHandler(shown)
    _logger.setLevel(v)


@export("logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return _logger.getEffectiveLevel()


@export("logging.vlog")
def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Tells something at a level given as a number.

    Args:
      level: the level.
      msg: a text, with `%` signs for the arguments.
      *args, **kwargs: as the standard library's `Logger.log` takes them.
    """
    _logger.log(level, msg, *args, **kwargs)


@export("logging.log_if")
def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    """Tells something if a condition holds.

    Args:
      level: the level.
      msg: a text, with `%` signs for the arguments.
      condition: whether it is logged.
      *args: the arguments.
    """
    if condition:
        _logger.log(level, msg, *args)


@export("logging.log_every_n")
def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Tells something at the first of every `n` calls from one place.

    Args:
      level: the level.
      msg: a text, with `%` signs for the arguments.
      n: one call in `n` is logged.
      *args: the arguments.
    """
    if not isinstance(n, int) or n < 1:
        raise ValueError(f"`n` must be a positive integer, got {n!r}")
    log_if(level, msg, not _called() % n, *args)


@export("logging.log_first_n")
def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Tells something at the first `n` calls from one place.

    Args:
      level: the level.
      msg: a text, with `%` signs for the arguments.
      n: the number of calls that are logged.
      *args: the arguments.
    """
    log_if(level, msg, _called() < n, *args)


_CALLED: Counter[tuple[str, int]] = Counter()


def _called() -> int:
    """The number of earlier calls from the line that calls our caller."""
    frame = sys._getframe(3)  # behind the frame that explains accidents
    place = frame.f_code.co_filename, frame.f_lineno
    _CALLED[place] += 1
    return _CALLED[place] - 1


@export("logging.flush")
def flush() -> None:
    """Has what was told be seen."""
    for handler in _logger.handlers:
        handler.flush()


@export("logging.TaskLevelStatusMessage")
def task_level_status_message(msg: str) -> None:
    """Tells something as an error.

    Args:
      msg: the text.
    """
    _logger.error(msg)
