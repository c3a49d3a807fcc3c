"""`tf.autodiff`: derivatives, forward and backward."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.engine.autodiff.forward_accumulator import ForwardAccumulator
from inlay._src.engine.autodiff.gradient_tape import GradientTape
__all__ = [
    "ForwardAccumulator", "GradientTape"
]
