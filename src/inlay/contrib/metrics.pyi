"""`tf.contrib.metrics`: further means and counts over batches."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from typing import Any as _Any
__all__ = [
    "f1_score"
]
def f1_score(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: int = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The greatest harmonic mean of precision and recall over the thresholds.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      num_thresholds: the number of thresholds, evenly spaced.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
