"""The standard library's logger called "inlay", under the names of TensorFlow 1.x."""

from __future__ import annotations

import logging

from inlay.export import export

_logger = logging.getLogger("inlay")

DEBUG = export("logging.DEBUG")(logging.DEBUG)
INFO = export("logging.INFO")(logging.INFO)
WARN = export("logging.WARN")(logging.WARNING)
ERROR = export("logging.ERROR")(logging.ERROR)
FATAL = export("logging.FATAL")(logging.CRITICAL)

debug = export("logging.debug")(_logger.debug)
info = export("logging.info")(_logger.info)
warning = export("logging.warning", "logging.warn")(_logger.warning)
error = export("logging.error")(_logger.error)
fatal = export("logging.fatal")(_logger.critical)
log = export("logging.log")(_logger.log)


@export("logging.set_verbosity")
def set_verbosity(v: int) -> None:
    """Shows messages of level `v` (for instance `tf.logging.INFO`) and above."""
    _logger.setLevel(v)


@export("logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return _logger.getEffectiveLevel()
