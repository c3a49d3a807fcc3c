"""`tf.logging`: the 1.x names of the standard library's logger called "inlay"."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.interpreter.messages import (
    DEBUG, ERROR, FATAL, INFO, WARN, debug, error, fatal, get_verbosity, info, log, set_verbosity, warning as warn,
    warning
)
