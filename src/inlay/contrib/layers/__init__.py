"""`tf.contrib.layers`: layers with a normalizer and an activation, regularizers, initializers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.layers",
    {
        "tf1.layers.contrib_initializers":
        "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d",
        "tf1.layers.contrib_layers":
        "bias_add conv1d conv2d conv2d_in_plane conv2d_transpose conv3d conv3d_transpose convolution "
        "convolution1d convolution2d convolution2d_in_plane convolution2d_transpose convolution3d "
        "convolution3d_transpose fully_connected separable_conv2d separable_convolution2d",
        "tf1.layers.contrib_normalization": "batch_norm layer_norm",
        "tf1.layers.contrib_pooling":
        "avg_pool2d avg_pool3d dropout flatten max_pool2d max_pool3d one_hot_encoding repeat scale_gradient "
        "softmax stack unit_norm",
        "tf1.layers.contrib_summaries":
        "summarize_activation summarize_activations summarize_biases summarize_collection summarize_tensor "
        "summarize_tensors summarize_variables summarize_weights",
        "tf1.layers.regularizers":
        "apply_regularization l1_l2_regularizer l1_regularizer l2_regularizer sum_regularizer",
    },
    below=("utils",),
)
