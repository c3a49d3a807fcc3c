"""`tf.linalg.experimental`: iterative solvers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
__all__ = [
]
