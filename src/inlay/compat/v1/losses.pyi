"""`tf.compat.v1.losses`: weighted losses, kept in a collection of the graph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.training.losses import (
    absolute_difference, cosine_distance, hinge_loss, huber_loss, log_loss, mean_pairwise_squared_error,
    mean_squared_error, sigmoid_cross_entropy, softmax_cross_entropy, sparse_softmax_cross_entropy
)
from inlay._src.training.weighted_loss import (
    Reduction, add_loss, compute_weighted_loss, get_losses, get_regularization_loss, get_regularization_losses,
    get_total_loss
)
__all__ = [
    "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy"
]
