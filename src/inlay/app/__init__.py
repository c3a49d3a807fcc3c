"""`tf.app` of 1.x: the main function of a program."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace("app", below=("flags",), continues="compat.v1.app")
