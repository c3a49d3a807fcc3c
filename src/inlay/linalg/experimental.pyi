"""`tf.linalg.experimental`: iterative solvers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.linear_operators.conjugate_gradient import conjugate_gradient
__all__ = [
    "conjugate_gradient"
]
