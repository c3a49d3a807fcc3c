"""`tf.contrib.slim.layers`: `tf.contrib.layers`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.contrib.layers import (
    apply_regularization, avg_pool2d, avg_pool3d, batch_norm, bias_add, conv1d, conv2d, conv2d_in_plane,
    conv2d_transpose, conv3d, conv3d_transpose, convolution, convolution1d, convolution2d, convolution2d_in_plane,
    convolution2d_transpose, convolution3d, convolution3d_transpose, dropout, flatten, fully_connected,
    l1_l2_regularizer, l1_regularizer, l2_regularizer, layer_norm, max_pool2d, max_pool3d, one_hot_encoding, repeat,
    scale_gradient, separable_conv2d, separable_convolution2d, softmax, stack, sum_regularizer, unit_norm, utils,
    variance_scaling_initializer, xavier_initializer, xavier_initializer_conv2d
)
__all__ = [
    "apply_regularization", "avg_pool2d", "avg_pool3d", "batch_norm", "bias_add", "conv1d", "conv2d",
    "conv2d_in_plane", "conv2d_transpose", "conv3d", "conv3d_transpose", "convolution", "convolution1d",
    "convolution2d", "convolution2d_in_plane", "convolution2d_transpose", "convolution3d", "convolution3d_transpose",
    "dropout", "flatten", "fully_connected", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm",
    "max_pool2d", "max_pool3d", "one_hot_encoding", "repeat", "scale_gradient", "separable_conv2d",
    "separable_convolution2d", "softmax", "stack", "sum_regularizer", "unit_norm", "utils",
    "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"
]
