"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.datasets.dataset import counter as Counter, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from inlay.datasets.file_datasets import DatasetWriter as TFRecordWriter
from inlay.datasets.options import AutotuneOptions, OptimizationOptions
from inlay.datasets.ways import AUTOTUNE
__all__ = [
    "AUTOTUNE", "AutotuneOptions", "Counter", "INFINITE_CARDINALITY", "OptimizationOptions", "TFRecordWriter",
    "UNKNOWN_CARDINALITY"
]
