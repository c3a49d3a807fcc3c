"""`tf.compat.v1.mixed_precision`: loss scales, and the optimizer that uses one."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.mixed_precision",
    {
        "training.loss_scales":
        "DynamicLossScale FixedLossScale LossScale MixedPrecisionLossScaleOptimizer "
        "disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite",
    },
    below=("experimental",),
)
