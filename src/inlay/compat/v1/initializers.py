"""`tf.compat.v1.initializers`: initialisers with the defaults of 1.x, and the operations that run them."""

from inlay.variables.collections import global_variables_initializer as global_variables
from inlay.variables.collections import local_variables_initializer as local_variables
from inlay.variables.collections import variables_initializer as variables
from inlay.variables.initializers import Constant as constant
from inlay.variables.initializers import GlorotNormal as glorot_normal
from inlay.variables.initializers import GlorotUniform as glorot_uniform
from inlay.variables.initializers import HeNormal as he_normal
from inlay.variables.initializers import HeUniform as he_uniform
from inlay.variables.initializers import Identity as identity
from inlay.variables.initializers import LecunNormal as lecun_normal
from inlay.variables.initializers import LecunUniform as lecun_uniform
from inlay.variables.initializers import Ones as ones
from inlay.variables.initializers import Orthogonal as orthogonal
from inlay.variables.initializers import RandomNormalV1 as random_normal
from inlay.variables.initializers import RandomUniformV1 as random_uniform
from inlay.variables.initializers import TruncatedNormalV1 as truncated_normal
from inlay.variables.initializers import UniformUnitScaling as uniform_unit_scaling
from inlay.variables.initializers import VarianceScaling as variance_scaling
from inlay.variables.initializers import Zeros as zeros

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
