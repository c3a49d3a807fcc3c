"""`tf.contrib.framework`: `py_func` over nests of arrays, and nests."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import inlay.contrib.framework.nest as nest
from inlay.host.contrib import py_func
