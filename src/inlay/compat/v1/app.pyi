"""`tf.app`: the main function of a program."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.platform.app import run
__all__ = [
    "run"
]
