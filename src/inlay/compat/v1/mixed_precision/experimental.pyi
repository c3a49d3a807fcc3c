"""`tf.compat.v1.mixed_precision.experimental`: the loss scales."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.training.loss_scales import DynamicLossScale, FixedLossScale, LossScale
__all__ = [
    "DynamicLossScale", "FixedLossScale", "LossScale"
]
