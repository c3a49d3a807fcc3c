"""`tf.compat.v1.train.experimental`: as `tf.train.experimental`, and loss scales."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.training.loss_scales import (
    DynamicLossScale, FixedLossScale, LossScale, MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite, enable_mixed_precision_graph_rewrite
)
from inlay.train.experimental import PythonState
__all__ = [
    "DynamicLossScale", "FixedLossScale", "LossScale", "MixedPrecisionLossScaleOptimizer", "PythonState",
    "disable_mixed_precision_graph_rewrite", "enable_mixed_precision_graph_rewrite"
]
