"""`tf.version`: which version this is."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("version", ("platform.version",))
