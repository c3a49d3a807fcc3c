"""`tf.contrib.layers`: its initialisers. Layers themselves are Keras 3's task."""

from inlay.variables.initializers import VarianceScaling as variance_scaling_initializer
from inlay.variables.initializers import xavier_initializer as xavier_initializer
from inlay.variables.initializers import xavier_initializer as xavier_initializer_conv2d

__all__ = ["variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"]
