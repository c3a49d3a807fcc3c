"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.data import experimental
from inlay.datasets.dataset import Dataset, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from inlay.datasets.options import Options, ThreadingOptions
from inlay.datasets.spec import DatasetSpec
__all__ = [
    "Dataset", "DatasetSpec", "INFINITE_CARDINALITY", "Options", "ThreadingOptions", "UNKNOWN_CARDINALITY",
    "experimental"
]
