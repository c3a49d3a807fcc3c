"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.data.csv_datasets import CsvDataset, make_csv_dataset
from inlay._src.data.dataset import counter as Counter, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from inlay._src.data.example_datasets import make_batched_features_dataset, parse_example_dataset
from inlay._src.data.experimental import (
    RandomDataset, Reducer, assert_cardinality, at, bucket_by_sequence_length, cardinality, choose_from_datasets,
    dense_to_ragged_batch, dense_to_sparse_batch, enumerate_dataset, from_list, get_single_element, get_structure,
    group_by_reducer, group_by_window, ignore_errors, load, map_and_batch, pad_to_cardinality, parallel_interleave,
    rejection_resample, sample_from_datasets, save, scan, shuffle_and_repeat, snapshot, take_while, unbatch, unique
)
from inlay._src.data.file_datasets import DatasetWriter as TFRecordWriter
from inlay._src.data.optional import Optional, get_next_as_optional
from inlay._src.data.options import (
    AutoShardPolicy, AutotuneOptions, DistributeOptions, ExternalStatePolicy, OptimizationOptions, ThreadingOptions
)
from inlay._src.data.saveable_iterators import make_saveable_from_iterator
from inlay._src.data.sql_datasets import SqlDataset
from inlay._src.data.table_datasets import DatasetInitializer, index_table_from_dataset, table_from_dataset
from inlay._src.data.variants import copy_to_device, from_variant, prefetch_to_device, to_variant
from inlay._src.data.ways import AUTOTUNE
__all__ = [
    "AUTOTUNE", "AutoShardPolicy", "AutotuneOptions", "Counter", "CsvDataset", "DatasetInitializer",
    "DistributeOptions", "ExternalStatePolicy", "INFINITE_CARDINALITY", "OptimizationOptions", "Optional",
    "RandomDataset", "Reducer", "SqlDataset", "TFRecordWriter", "ThreadingOptions", "UNKNOWN_CARDINALITY",
    "assert_cardinality", "at", "bucket_by_sequence_length", "cardinality", "choose_from_datasets", "copy_to_device",
    "dense_to_ragged_batch", "dense_to_sparse_batch", "enumerate_dataset", "from_list", "from_variant",
    "get_next_as_optional", "get_single_element", "get_structure", "group_by_reducer", "group_by_window",
    "ignore_errors", "index_table_from_dataset", "load", "make_batched_features_dataset", "make_csv_dataset",
    "make_saveable_from_iterator", "map_and_batch", "pad_to_cardinality", "parallel_interleave",
    "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "save", "scan",
    "shuffle_and_repeat", "snapshot", "table_from_dataset", "take_while", "to_variant", "unbatch", "unique"
]
