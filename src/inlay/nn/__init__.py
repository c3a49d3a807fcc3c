"""`tf.nn`: neural networks, with the 2.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "nn",
    {
        "ops.activations": "crelu elu gelu leaky_relu log_softmax relu relu6 selu silu softmax softsign swish",
        "ops.blocks": "depth_to_space space_to_batch space_to_depth",
        "ops.candidate_sampling":
        "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler",
        "ops.composite.ctc":
        "collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss ctc_unique_labels",
        "ops.composite.safe_embeddings": "safe_embedding_lookup_sparse",
        "ops.composite.sampled_losses": "nce_loss sampled_softmax_loss",
        "ops.composite.sparse_embeddings": "embedding_lookup_sparse",
        "ops.conv": "conv2d conv2d_transpose conv3d conv3d_transpose",
        "ops.convolution_gradients": "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input",
        "ops.convolutions":
        "atrous_conv2d atrous_conv2d_transpose conv1d conv1d_transpose conv_transpose convolution "
        "depthwise_conv2d separable_conv2d",
        "ops.dilated_windows": "pool with_space_to_batch",
        "ops.embeddings": "embedding_lookup",
        "ops.fractional": "fractional_avg_pool fractional_max_pool",
        "ops.isotonic": "isotonic_regression",
        "ops.linalg": "l2_normalize",
        "ops.losses":
        "l2_loss log_poisson_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
        "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits",
        "ops.morphology": "dilation2d erosion2d local_response_normalization lrn",
        "ops.nn": "approx_max_k approx_min_k bias_add dropout in_top_k moments top_k zero_fraction",
        "ops.normalizing":
        "batch_norm_with_global_normalization batch_normalization normalize_moments sufficient_statistics "
        "weighted_moments",
        "ops.pooling":
        "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d "
        "max_pool_with_argmax",
        "ops.powers": "sigmoid softplus",
        "ops.trigonometry": "tanh",
        "training.replica_losses": "compute_average_loss scale_regularization_loss",
    },
    below=("experimental",),
    absent={
        "RNNCellDeviceWrapper": "tf.compat.v1.nn.rnn_cell.DeviceWrapper; those of 2.x wrap Keras's cells",
        "RNNCellDropoutWrapper": "tf.compat.v1.nn.rnn_cell.DropoutWrapper; those of 2.x wrap Keras's cells",
        "RNNCellResidualWrapper": "tf.compat.v1.nn.rnn_cell.ResidualWrapper; those of 2.x wrap Keras's cells",
        "learned_unigram_candidate_sampler": "random.fixed_unigram_candidate_sampler takes counted frequencies",
    },
)
