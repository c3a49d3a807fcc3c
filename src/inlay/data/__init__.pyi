"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.data import experimental
from inlay.datasets.dataset import Dataset
from inlay.datasets.options import Options, ThreadingOptions
from inlay.datasets.spec import DatasetSpec
from inlay.datasets.transforming import AUTOTUNE
__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "Options", "ThreadingOptions", "experimental"
]
