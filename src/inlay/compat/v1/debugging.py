"""`tf.compat.v1.debugging`: assertions with the 1.x order of arguments."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.debugging",
    ("ops.asserting", "ops.legacy"),
    continues="debugging",
)
