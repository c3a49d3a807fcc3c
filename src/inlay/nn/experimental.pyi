"""`tf.nn.experimental`: dropout with random numbers of the caller's."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.nn import general_dropout, stateless_dropout
__all__ = [
    "general_dropout", "stateless_dropout"
]
