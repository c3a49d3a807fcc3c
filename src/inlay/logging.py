"""`tf.logging`: the 1.x names of the standard library's logger called "inlay"."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("logging", ("interpreter.messages",))
