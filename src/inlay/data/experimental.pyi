"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.datasets.dataset import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from inlay.datasets.options import AutotuneOptions, OptimizationOptions
__all__ = [
    "AutotuneOptions", "INFINITE_CARDINALITY", "OptimizationOptions", "UNKNOWN_CARDINALITY"
]
