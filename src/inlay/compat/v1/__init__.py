"""`tf.compat.v1`: the 1.x names."""

from inlay import *  # noqa: F403
from inlay.compat.v1 import image as image
from inlay.compat.v1 import initializers as initializers
from inlay.variables.initializers import RandomNormalV1 as random_normal_initializer
from inlay.variables.initializers import RandomUniformV1 as random_uniform_initializer
