"""`tf.compat.v1.data.experimental`: more of datasets, specs by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.types.specs import TypeSpec as Structure
from inlay._src.data.legacy import (
    ragged_tensor_structure as RaggedTensorStructure, sparse_tensor_structure as SparseTensorStructure,
    tensor_structure as TensorStructure
)
from inlay._src.data.optional import OptionalSpec as OptionalStructure
from inlay._src.data.spec import DatasetSpec as DatasetStructure
from inlay.data.experimental import (
    AUTOTUNE, AutoShardPolicy, AutotuneOptions, Counter, CsvDataset, DatasetInitializer, DistributeOptions,
    ExternalStatePolicy, INFINITE_CARDINALITY, OptimizationOptions, Optional, RandomDataset, Reducer, SHARD_HINT,
    ServiceOptions, SqlDataset, TFRecordWriter, ThreadingOptions, UNKNOWN_CARDINALITY, assert_cardinality, at,
    bucket_by_sequence_length, cardinality, choose_from_datasets, copy_to_device, dense_to_ragged_batch,
    dense_to_sparse_batch, enumerate_dataset, from_list, from_variant, get_next_as_optional, get_single_element,
    get_structure, group_by_reducer, group_by_window, ignore_errors, index_table_from_dataset, load,
    make_batched_features_dataset, make_csv_dataset, make_saveable_from_iterator, map_and_batch, pad_to_cardinality,
    parallel_interleave, parse_example_dataset, prefetch_to_device, rejection_resample, sample_from_datasets, save,
    scan, shuffle_and_repeat, snapshot, table_from_dataset, take_while, to_variant, unbatch, unique
)
__all__ = [
    "AUTOTUNE", "AutoShardPolicy", "AutotuneOptions", "Counter", "CsvDataset", "DatasetInitializer",
    "DatasetStructure", "DistributeOptions", "ExternalStatePolicy", "INFINITE_CARDINALITY", "OptimizationOptions",
    "Optional", "OptionalStructure", "RaggedTensorStructure", "RandomDataset", "Reducer", "SHARD_HINT",
    "ServiceOptions", "SparseTensorStructure", "SqlDataset", "Structure", "TFRecordWriter", "TensorStructure",
    "ThreadingOptions", "UNKNOWN_CARDINALITY", "assert_cardinality", "at", "bucket_by_sequence_length", "cardinality",
    "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch", "dense_to_sparse_batch", "enumerate_dataset",
    "from_list", "from_variant", "get_next_as_optional", "get_single_element", "get_structure", "group_by_reducer",
    "group_by_window", "ignore_errors", "index_table_from_dataset", "load", "make_batched_features_dataset",
    "make_csv_dataset", "make_saveable_from_iterator", "map_and_batch", "pad_to_cardinality", "parallel_interleave",
    "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "save", "scan",
    "shuffle_and_repeat", "snapshot", "table_from_dataset", "take_while", "to_variant", "unbatch", "unique"
]
