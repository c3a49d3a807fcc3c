"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data.experimental",
    {
        "data.csv_datasets": "CsvDataset make_csv_dataset",
        "data.dataset": "Counter INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
        "data.example_datasets": "make_batched_features_dataset parse_example_dataset",
        "data.experimental":
        "RandomDataset Reducer assert_cardinality at bucket_by_sequence_length cardinality "
        "choose_from_datasets dense_to_ragged_batch dense_to_sparse_batch enumerate_dataset from_list "
        "get_single_element get_structure group_by_reducer group_by_window ignore_errors load map_and_batch "
        "pad_to_cardinality parallel_interleave rejection_resample sample_from_datasets save scan "
        "shuffle_and_repeat snapshot take_while unbatch unique",
        "data.file_datasets": "TFRecordWriter",
        "data.optional": "Optional get_next_as_optional",
        "data.options":
        "AutoShardPolicy AutotuneOptions DistributeOptions ExternalStatePolicy OptimizationOptions "
        "ThreadingOptions",
        "data.saveable_iterators": "make_saveable_from_iterator",
        "data.sql_datasets": "SqlDataset",
        "data.table_datasets": "DatasetInitializer index_table_from_dataset table_from_dataset",
        "data.variants": "copy_to_device from_variant prefetch_to_device to_variant",
        "data.ways": "AUTOTUNE",
    },
    absent={
        "AutotuneAlgorithm": "there is one way of tuning: see Options.autotune",
        "ServiceOptions": "executors spread the work of map over a cluster",
        "distributed_save": "there is no dataset service; shard the dataset and write each part",
        "enable_debug_mode": "debugging.run_inline runs functions on the caller's thread",
        "get_model_proto": "Dataset.stats() measures the stages",
        "service": "there is no dataset service; executors spread the work of map over a cluster",
    },
)
