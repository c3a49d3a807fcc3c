"""The standard library's logger called "inlay", under the names of TensorFlow 1.x."""

from __future__ import annotations

import logging
from collections.abc import Callable

from inlay.export import export

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


@export("logging.set_verbosity")
def set_verbosity(v: int) -> None:
    """Shows messages of level `v` (for instance `tf.logging.INFO`) and above."""
    _logger.setLevel(v)


@export("logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return _logger.getEffectiveLevel()
