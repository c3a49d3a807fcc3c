"""`tf.contrib.eager`."""

from inlay.host.api import py_function as py_func

__all__ = ["py_func"]
