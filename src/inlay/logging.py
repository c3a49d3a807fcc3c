"""`tf.logging`: the 1.x names of the standard library's logger called "inlay"."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "logging",
    {
        "base.interpreter.messages":
        "DEBUG ERROR FATAL INFO TaskLevelStatusMessage WARN debug error fatal flush get_verbosity info log "
        "log_every_n log_first_n log_if set_verbosity vlog warn warning",
    },
)
