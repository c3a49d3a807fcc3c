"""`tf.train.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.training.trackable import PythonState
__all__ = [
    "PythonState"
]
