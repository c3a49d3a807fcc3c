"""`tf.contrib.slim.losses`: weighted losses whose first argument is what a network says."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.core.eager.another_form import another_form
from inlay._src.training import losses

absolute_difference: Any = export("contrib.slim.losses.absolute_difference")(
    another_form(losses.absolute_difference, "predictions, labels=None, weights=1.0, scope=None")
)
sigmoid_cross_entropy: Any = export("contrib.slim.losses.sigmoid_cross_entropy")(
    another_form(
        losses.sigmoid_cross_entropy,
        "logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None",
    )
)
softmax_cross_entropy: Any = export("contrib.slim.losses.softmax_cross_entropy")(
    another_form(
        losses.softmax_cross_entropy,
        "logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None",
    )
)
sparse_softmax_cross_entropy: Any = export("contrib.slim.losses.sparse_softmax_cross_entropy")(
    another_form(losses.sparse_softmax_cross_entropy, "logits, labels, weights=1.0, scope=None")
)
log_loss: Any = export("contrib.slim.losses.log_loss")(
    another_form(losses.log_loss, "predictions, labels=None, weights=1.0, epsilon=1e-07, scope=None")
)
mean_squared_error: Any = export("contrib.slim.losses.mean_squared_error")(
    another_form(losses.mean_squared_error, "predictions, labels=None, weights=1.0, scope=None")
)
mean_pairwise_squared_error: Any = export("contrib.slim.losses.mean_pairwise_squared_error")(
    another_form(losses.mean_pairwise_squared_error, "predictions, labels=None, weights=1.0, scope=None")
)
cosine_distance: Any = export("contrib.slim.losses.cosine_distance")(
    another_form(losses.cosine_distance, "predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None")
)
