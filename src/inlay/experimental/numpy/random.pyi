"""`tf.experimental.numpy.random`: random numbers by the names of NumPy."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.numpy_functions.drawing import (
    poisson, rand, randint, randn, random, seed, standard_normal, uniform
)
__all__ = [
    "poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"
]
