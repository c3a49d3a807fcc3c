"""`tf.compat.v1.metrics`: means and counts over batches, kept in local variables."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.training.metrics import (
    accuracy, false_negatives, false_positives, mean, mean_absolute_error, mean_cosine_distance, mean_iou,
    mean_per_class_accuracy, mean_relative_error, mean_squared_error, mean_tensor, percentage_below, precision, recall,
    root_mean_squared_error, true_negatives, true_positives
)
__all__ = [
    "accuracy", "false_negatives", "false_positives", "mean", "mean_absolute_error", "mean_cosine_distance",
    "mean_iou", "mean_per_class_accuracy", "mean_relative_error", "mean_squared_error", "mean_tensor",
    "percentage_below", "precision", "recall", "root_mean_squared_error", "true_negatives", "true_positives"
]
