"""`tf.contrib.slim.losses`: weighted losses, kept in a collection of the graph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.losses",
    {
        "tf1.slim.losses":
        "absolute_difference cosine_distance log_loss mean_pairwise_squared_error mean_squared_error "
        "sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
        "training.weighted_loss":
        "add_loss compute_weighted_loss get_losses get_regularization_losses get_total_loss",
    },
)
