"""`tf.compat.v1.nn`: neural networks, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.nn",
    {
        "ops.blocks": "depth_to_space space_to_batch space_to_depth",
        "ops.candidate_sampling": "log_uniform_candidate_sampler uniform_candidate_sampler",
        "ops.composite.ctc": "ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_loss ctc_loss_v2",
        "ops.composite.safe_embeddings": "safe_embedding_lookup_sparse",
        "ops.composite.sampled_losses": "nce_loss sampled_softmax_loss",
        "ops.composite.sparse_embeddings": "embedding_lookup_sparse",
        "ops.convolution_gradients":
        "depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input",
        "ops.convolutions": "depthwise_conv2d_native",
        "ops.dilated_windows": "pool",
        "ops.legacy":
        "crelu dropout embedding_lookup in_top_k moments sigmoid_cross_entropy_with_logits "
        "softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 "
        "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits",
        "ops.legacy_windows":
        "avg_pool avg_pool2d conv1d conv2d conv2d_backprop_filter conv2d_backprop_input conv2d_transpose "
        "conv3d conv3d_backprop_filter conv3d_backprop_filter_v2 conv3d_transpose convolution "
        "depthwise_conv2d dilation2d erosion2d fractional_avg_pool fractional_max_pool max_pool "
        "max_pool_with_argmax separable_conv2d",
        "ops.nn": "relu_layer xw_plus_b",
        "ops.normalizing":
        "batch_norm_with_global_normalization fused_batch_norm sufficient_statistics weighted_moments",
        "ops.pooling": "avg_pool_v2 max_pool_v2",
        "tf1.recurrent.running":
        "bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn",
    },
    below=("rnn_cell",),
    continues="nn",
    absent={
        "quantized_avg_pool": "dequantize, tf.nn.avg_pool, quantize",
        "quantized_conv2d": "dequantize, tf.nn.conv2d, quantize",
        "quantized_max_pool": "dequantize, tf.nn.max_pool, quantize",
        "quantized_relu_x": "dequantize, tf.clip_by_value, quantize",
        "static_state_saving_rnn": "tf.compat.v1.nn.static_rnn with initial_state=, and assign the state it returns",
    },
)
