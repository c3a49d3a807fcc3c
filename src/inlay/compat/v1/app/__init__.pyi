"""`tf.app`: the main function of a program."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.platform.app import run
from inlay.compat.v1.app import flags
__all__ = [
    "flags", "run"
]
