"""`tf.contrib.metrics`: further means and counts over batches."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from typing import Any as _Any
__all__ = [
    "f1_score"
]
def f1_score(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: int = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> tuple[_Any, _Any]: ...
