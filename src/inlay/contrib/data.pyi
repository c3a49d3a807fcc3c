"""`tf.contrib.data`: transformations of datasets by their 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.data.experimental import map_and_batch, parallel_interleave, shuffle_and_repeat
from inlay._src.data.grouping import Reducer
from inlay._src.data.sliding import sliding_window_batch
from inlay.data.experimental import (
    bucket_by_sequence_length, choose_from_datasets, dense_to_sparse_batch, enumerate_dataset, get_single_element,
    group_by_reducer, group_by_window, ignore_errors, rejection_resample, sample_from_datasets, scan, unbatch, unique
)
__all__ = [
    "Reducer", "bucket_by_sequence_length", "choose_from_datasets", "dense_to_sparse_batch", "enumerate_dataset",
    "get_single_element", "group_by_reducer", "group_by_window", "ignore_errors", "map_and_batch",
    "parallel_interleave", "rejection_resample", "sample_from_datasets", "scan", "shuffle_and_repeat",
    "sliding_window_batch", "unbatch", "unique"
]
