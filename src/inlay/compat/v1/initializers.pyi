"""`tf.compat.v1.initializers`: initializers with the defaults of 1.x, and the operations that run them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.hash_tables.table import tables_initializer
from inlay._src.ops.variables.collections import (
    global_variables_initializer as global_variables, local_variables_initializer as local_variables,
    variables_initializer as variables
)
from inlay._src.ops.variables.initializers import (
    GlorotNormal as glorot_normal, GlorotUniform as glorot_uniform, HeNormal as he_normal, HeUniform as he_uniform,
    LecunNormal as lecun_normal, LecunUniform as lecun_uniform, Ones as ones, Orthogonal as orthogonal, VarianceScaling
    as variance_scaling, Zeros as zeros
)
from inlay._src.ops.variables.legacy_initializers import (
    ConstantV1 as constant, IdentityV1 as identity, RandomNormalV1 as random_normal, RandomUniformV1 as random_uniform,
    TruncatedNormalV1 as truncated_normal, UniformUnitScaling as uniform_unit_scaling
)
__all__ = [
    "constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
    "lecun_normal", "lecun_uniform", "local_variables", "ones", "orthogonal", "random_normal", "random_uniform",
    "tables_initializer", "truncated_normal", "uniform_unit_scaling", "variables", "variance_scaling", "zeros"
]
