"""`tf.flags` of 1.x: what a program reads from its command line, by absl."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("flags", continues="compat.v1.flags")
