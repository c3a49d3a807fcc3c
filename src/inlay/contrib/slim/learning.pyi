"""`tf.contrib.slim.learning`: operations that train."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.slim.learning import (
    add_gradients_summaries, clip_gradient_norms, create_train_op, multiply_gradients
)
__all__ = [
    "add_gradients_summaries", "clip_gradient_norms", "create_train_op", "multiply_gradients"
]
