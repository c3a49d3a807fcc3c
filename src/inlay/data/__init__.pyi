"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.data.consuming import progress
from inlay._src.data.dataset import Dataset, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from inlay._src.data.file_datasets import FixedLengthRecordDataset, TFRecordDataset, TextLineDataset
from inlay._src.data.graph_iterators import IteratorBase as Iterator, IteratorSpec
from inlay._src.data.iterating import NumpyIterator
from inlay._src.data.options import Options, ThreadingOptions
from inlay._src.data.spec import DatasetSpec
from inlay._src.data.ways import AUTOTUNE
from inlay.data import experimental
__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "UNKNOWN_CARDINALITY", "experimental", "progress"
]
