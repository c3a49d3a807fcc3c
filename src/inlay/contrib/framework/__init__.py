"""`tf.contrib.framework`: `py_func` over nests of arrays, and nests."""

from inlay.contrib.framework import nest as nest
from inlay.host.contrib import py_func as py_func

__all__ = ["nest", "py_func"]
