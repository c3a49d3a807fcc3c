"""`tf.contrib.slim`: `tf.contrib.layers` with `arg_scope` and the variables of models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.layers.arg_scope import (
    add_arg_scope, arg_scope, arg_scope_func_key, arg_scoped_arguments, current_arg_scope, has_arg_scope
)
from inlay._src.tf1.layers.model_variables import (
    add_model_variable, assert_or_get_global_step, assign_from_checkpoint, assign_from_checkpoint_fn,
    assign_from_values, assign_from_values_fn, filter_variables, get_local_variables, get_model_variables,
    get_trainable_variables, get_unique_variable, get_variable_full_name, get_variables, get_variables_by_name,
    get_variables_by_suffix, get_variables_to_restore, global_variable, local_variable, variable
)
from inlay._src.training.global_step import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step
)
from inlay.contrib.framework import model_variable
from inlay.contrib.layers import (
    apply_regularization, avg_pool2d, avg_pool3d, batch_norm, bias_add, conv1d, conv2d, conv2d_in_plane,
    conv2d_transpose, conv3d, conv3d_transpose, convolution, convolution1d, convolution2d, convolution2d_in_plane,
    convolution2d_transpose, convolution3d, convolution3d_transpose, dropout, flatten, fully_connected,
    l1_l2_regularizer, l1_regularizer, l2_regularizer, layer_norm, max_pool2d, max_pool3d, one_hot_encoding, repeat,
    scale_gradient, separable_conv2d, separable_convolution2d, softmax, stack, sum_regularizer, summarize_activation,
    summarize_activations, summarize_biases, summarize_collection, summarize_tensor, summarize_tensors,
    summarize_variables, summarize_weights, unit_norm, utils, variance_scaling_initializer, xavier_initializer,
    xavier_initializer_conv2d
)
from inlay.contrib.slim import layers, learning, losses, nets
__all__ = [
    "add_arg_scope", "add_model_variable", "apply_regularization", "arg_scope", "arg_scope_func_key",
    "arg_scoped_arguments", "assert_global_step", "assert_or_get_global_step", "assign_from_checkpoint",
    "assign_from_checkpoint_fn", "assign_from_values", "assign_from_values_fn", "avg_pool2d", "avg_pool3d",
    "batch_norm", "bias_add", "conv1d", "conv2d", "conv2d_in_plane", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "convolution", "convolution1d", "convolution2d", "convolution2d_in_plane", "convolution2d_transpose",
    "convolution3d", "convolution3d_transpose", "create_global_step", "current_arg_scope", "dropout",
    "filter_variables", "flatten", "fully_connected", "get_global_step", "get_local_variables", "get_model_variables",
    "get_or_create_global_step", "get_trainable_variables", "get_unique_variable", "get_variable_full_name",
    "get_variables", "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "global_variable",
    "has_arg_scope", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm", "layers", "learning",
    "local_variable", "losses", "max_pool2d", "max_pool3d", "model_variable", "nets", "one_hot_encoding", "repeat",
    "scale_gradient", "separable_conv2d", "separable_convolution2d", "softmax", "stack", "sum_regularizer",
    "summarize_activation", "summarize_activations", "summarize_biases", "summarize_collection", "summarize_tensor",
    "summarize_tensors", "summarize_variables", "summarize_weights", "unit_norm", "utils", "variable",
    "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"
]
