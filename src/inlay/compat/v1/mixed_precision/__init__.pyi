"""`tf.compat.v1.mixed_precision`: loss scales, and the optimizer that uses one."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.training.loss_scales import (
    DynamicLossScale, FixedLossScale, LossScale, MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite, enable_mixed_precision_graph_rewrite
)
from inlay.compat.v1.mixed_precision import experimental
__all__ = [
    "DynamicLossScale", "FixedLossScale", "LossScale", "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite", "enable_mixed_precision_graph_rewrite", "experimental"
]
