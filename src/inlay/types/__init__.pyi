"""`tf.types`: kinds of functions and of what they take."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.types import experimental
__all__ = [
    "experimental"
]
