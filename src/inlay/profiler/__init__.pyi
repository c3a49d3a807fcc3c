"""`tf.profiler`: where a program's time goes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.profiler import experimental
__all__ = [
    "experimental"
]
