"""`tf.layers`: layers of 1.x, as functions and as classes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.layers",
    {
        "tf1.layers.convolution":
        "Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose conv1d conv2d conv2d_transpose conv3d "
        "conv3d_transpose",
        "tf1.layers.dense": "Dense Dropout Flatten dense dropout flatten",
        "tf1.layers.layer": "InputSpec Layer",
        "tf1.layers.normalization": "BatchNormalization batch_normalization",
        "tf1.layers.pooling":
        "AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D MaxPooling3D "
        "average_pooling1d average_pooling2d average_pooling3d max_pooling1d max_pooling2d max_pooling3d",
        "tf1.layers.separable": "SeparableConv1D SeparableConv2D separable_conv1d separable_conv2d",
    },
)
