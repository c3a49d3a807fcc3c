"""`tf.initializers`: what makes the first values of variables."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.variables.initializers import (
    Constant, GlorotNormal, GlorotUniform, HeNormal, HeUniform, Identity, Initializer, LecunNormal, LecunUniform, Ones,
    Orthogonal, RandomNormal, RandomUniform, TruncatedNormal, VarianceScaling, Zeros, Constant as constant,
    GlorotNormal as glorot_normal, GlorotUniform as glorot_uniform, HeNormal as he_normal, HeUniform as he_uniform,
    Identity as identity, LecunNormal as lecun_normal, LecunUniform as lecun_uniform, Ones as ones, Orthogonal as
    orthogonal, RandomNormal as random_normal, RandomUniform as random_uniform, TruncatedNormal as truncated_normal,
    VarianceScaling as variance_scaling, Zeros as zeros
)
__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "Initializer", "LecunNormal",
    "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling",
    "Zeros", "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal",
    "lecun_uniform", "ones", "orthogonal", "random_normal", "random_uniform", "truncated_normal", "variance_scaling",
    "zeros"
]
