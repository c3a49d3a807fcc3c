"""`tf.logging`: the 1.x names of the standard library's logger called "inlay"."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.interpreter.messages import (
    DEBUG, ERROR, FATAL, INFO, task_level_status_message as TaskLevelStatusMessage, WARN, debug, error, fatal, flush,
    get_verbosity, info, log, log_every_n, log_first_n, log_if, set_verbosity, vlog, warning as warn, warning
)
__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "TaskLevelStatusMessage", "WARN", "debug", "error", "fatal", "flush",
    "get_verbosity", "info", "log", "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning"
]
