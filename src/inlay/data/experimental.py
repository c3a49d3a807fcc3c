"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data.experimental",
    {
        "datasets.csv_datasets": "CsvDataset make_csv_dataset",
        "datasets.dataset": "Counter INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
        "datasets.example_datasets": "make_batched_features_dataset parse_example_dataset",
        "datasets.experimental":
        "RandomDataset Reducer assert_cardinality at bucket_by_sequence_length cardinality "
        "choose_from_datasets dense_to_ragged_batch dense_to_sparse_batch enumerate_dataset from_list "
        "get_single_element get_structure group_by_reducer group_by_window ignore_errors load map_and_batch "
        "pad_to_cardinality parallel_interleave rejection_resample sample_from_datasets save scan "
        "shuffle_and_repeat snapshot take_while unbatch unique",
        "datasets.file_datasets": "TFRecordWriter",
        "datasets.optional": "Optional get_next_as_optional",
        "datasets.options": "AutotuneOptions OptimizationOptions ThreadingOptions",
        "datasets.saveable_iterators": "ExternalStatePolicy make_saveable_from_iterator",
        "datasets.sql_datasets": "SqlDataset",
        "datasets.ways": "AUTOTUNE",
    },
    absent={
        "AutoShardPolicy": "there are no distribution strategies: shard(number, index) divides a dataset",
        "AutotuneAlgorithm": "there is one way of tuning: see Options.autotune",
        "DatasetInitializer": "there are no lookup tables",
        "DistributeOptions": "there are no distribution strategies: shard(number, index) divides a dataset",
        "ServiceOptions": "executors spread the work of map over a cluster",
        "copy_to_device": "as_jax_iterator(device=...)",
        "distributed_save": "there is no dataset service; shard the dataset and write each part",
        "enable_debug_mode": "debugging.run_inline runs functions on the caller's thread",
        "from_variant": "datasets are passed as they are",
        "get_model_proto": "Dataset.stats() measures the stages",
        "index_table_from_dataset": "there are no lookup tables",
        "prefetch_to_device": "as_jax_iterator(device=...)",
        "service": "there is no dataset service; executors spread the work of map over a cluster",
        "table_from_dataset": "there are no lookup tables",
        "to_variant": "datasets are passed as they are",
    },
)
