"""`tf.contrib.eager`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import py_function as py_func
__all__ = [
    "py_func"
]
