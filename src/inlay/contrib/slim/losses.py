"""`tf.contrib.slim.losses`: weighted losses, kept in a collection of the graph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("contrib.slim.losses", continues="compat.v1.losses")
