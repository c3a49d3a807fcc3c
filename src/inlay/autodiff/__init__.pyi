"""`tf.autodiff`: derivatives, forward and backward."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.autodiff.forward_accumulator import ForwardAccumulator
from inlay.autodiff.gradient_tape import GradientTape
__all__ = [
    "ForwardAccumulator", "GradientTape"
]
