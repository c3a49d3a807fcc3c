"""`tf.autodiff`: derivatives, forward and backward."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "autodiff",
    {
        "engine.autodiff.forward_accumulator": "ForwardAccumulator",
        "engine.autodiff.gradient_tape": "GradientTape",
    },
)
