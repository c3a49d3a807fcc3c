"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.data import experimental
from inlay.datasets.consuming import progress
from inlay.datasets.dataset import Dataset, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from inlay.datasets.file_datasets import FixedLengthRecordDataset, TFRecordDataset, TextLineDataset
from inlay.datasets.graph_iterators import IteratorBase as Iterator, IteratorSpec
from inlay.datasets.iterating import NumpyIterator
from inlay.datasets.options import Options, ThreadingOptions
from inlay.datasets.spec import DatasetSpec
from inlay.datasets.ways import AUTOTUNE
__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "UNKNOWN_CARDINALITY", "experimental", "progress"
]
