"""`tf.contrib.slim.layers`: `tf.contrib.layers`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("contrib.slim.layers", continues="contrib.layers")
