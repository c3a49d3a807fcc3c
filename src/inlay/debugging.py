"""`tf.debugging`: assertions, what the caches hold, and runs on the caller's thread so that stepping works."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "debugging",
    ("interpreter.caches", "ops.asserting", "ops.printing", "run.takeover"),
)
