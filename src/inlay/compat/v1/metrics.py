"""`tf.compat.v1.metrics`: means and counts over batches, kept in local variables."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.metrics",
    ("training.metrics", "training.ranking_metrics", "training.threshold_metrics"),
)
