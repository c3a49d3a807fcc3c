"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data.experimental",
    {
        "data.batching": "dense_to_ragged_batch unbatch",
        "data.bucketing": "bucket_by_sequence_length",
        "data.choosing": "SHARD_HINT assert_cardinality ignore_errors unique",
        "data.combining": "enumerate_dataset",
        "data.csv_datasets": "CsvDataset make_csv_dataset",
        "data.dataset": "INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
        "data.example_datasets": "make_batched_features_dataset parse_example_dataset",
        "data.experimental":
        "Counter RandomDataset at cardinality choose_from_datasets from_list get_single_element get_structure "
        "load map_and_batch pad_to_cardinality parallel_interleave sample_from_datasets save "
        "shuffle_and_repeat",
        "data.file_datasets": "TFRecordWriter",
        "data.filtering": "take_while",
        "data.grouping": "Reducer group_by_reducer group_by_window",
        "data.optional": "Optional get_next_as_optional",
        "data.options":
        "AutoShardPolicy AutotuneOptions DistributeOptions ExternalStatePolicy OptimizationOptions "
        "ServiceOptions ThreadingOptions",
        "data.resampling": "rejection_resample",
        "data.saveable_iterators": "make_saveable_from_iterator",
        "data.scanning": "scan",
        "data.sparse_batching": "dense_to_sparse_batch",
        "data.sql_datasets": "SqlDataset",
        "data.stored": "snapshot",
        "data.table_datasets": "DatasetInitializer index_table_from_dataset table_from_dataset",
        "data.variants": "copy_to_device from_variant prefetch_to_device to_variant",
        "data.ways": "AUTOTUNE",
    },
    absent={
        "AutotuneAlgorithm": "there is one way of tuning: see Options.autotune",
        "distributed_save": "there is no dataset service; shard the dataset and write each part",
        "enable_debug_mode": "debugging.run_inline runs functions on the caller's thread",
        "get_model_proto": "Dataset.stats() measures the stages",
        "service": "there is no dataset service; executors spread the work of map over a cluster",
    },
)
