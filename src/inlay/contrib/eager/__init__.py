"""`tf.contrib.eager`."""

from inlay.hostcall.api import py_function as py_func

__all__ = ["py_func"]
