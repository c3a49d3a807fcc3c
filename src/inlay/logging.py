"""`tf.logging`: the 1.x names of the standard library's logger called "inlay"."""

from __future__ import annotations

import logging as _logging

DEBUG, INFO, WARN, ERROR, FATAL = _logging.DEBUG, _logging.INFO, _logging.WARNING, _logging.ERROR, _logging.CRITICAL
_logger = _logging.getLogger("inlay")

debug, info, warning, error, fatal, log = (
    _logger.debug,
    _logger.info,
    _logger.warning,
    _logger.error,
    _logger.critical,
    _logger.log,
)
warn = warning

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "log",
    "set_verbosity",
    "warn",
    "warning",
]


def set_verbosity(v: int) -> None:
    """Shows messages of level `v` (for instance `tf.logging.INFO`) and above."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return _logger.getEffectiveLevel()


def get_logger() -> _logging.Logger:
    """The logger itself."""
    return _logger
