"""`tf.contrib`: the parts that programs around the family use."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.contrib import data, eager, framework, layers, rnn, slim
__all__ = [
    "data", "eager", "framework", "layers", "rnn", "slim"
]
