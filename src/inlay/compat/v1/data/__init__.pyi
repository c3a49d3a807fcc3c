"""`tf.compat.v1.data`: datasets, with the iterators of 1.x."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.data.graph_iterators import Iterator
from inlay._src.data.legacy import (
    get_output_classes, get_output_shapes, get_output_types, make_initializable_iterator, make_one_shot_iterator
)
from inlay.compat.v1.data import experimental
from inlay.data import (
    AUTOTUNE, Dataset, DatasetSpec, FixedLengthRecordDataset, INFINITE_CARDINALITY, IteratorSpec, NumpyIterator,
    Options, TFRecordDataset, TextLineDataset, ThreadingOptions, UNKNOWN_CARDINALITY, progress
)
__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "UNKNOWN_CARDINALITY", "experimental", "get_output_classes", "get_output_shapes", "get_output_types",
    "make_initializable_iterator", "make_one_shot_iterator", "progress"
]
