"""`tf.contrib`: the parts that programs around the family use."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.contrib import autograph, data, eager, framework, layers, lookup, metrics, opt, rnn, slim
__all__ = [
    "autograph", "data", "eager", "framework", "layers", "lookup", "metrics", "opt", "rnn", "slim"
]
