"""`tf.config`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "config",
    ("core.device", "devices.listing", "functions.function"),
    below=("experimental", "optimizer", "threading"),
)
