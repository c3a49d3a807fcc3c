"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data.experimental",
    ("datasets.csv_datasets", "datasets.dataset", "datasets.experimental", "datasets.file_datasets",
    "datasets.options", "datasets.ways"),
    absent={
        "AutoShardPolicy": "there are no distribution strategies: shard(number, index) divides a dataset",
        "AutotuneAlgorithm": "there is one way of tuning: see Options.autotune",
        "CsvDataset": "TextLineDataset, then map(lambda line: tf.io.decode_csv(line, defaults))",
        "DatasetInitializer": "there are no lookup tables",
        "DistributeOptions": "there are no distribution strategies: shard(number, index) divides a dataset",
        "ExternalStatePolicy": "positions of iterations do not hold the state of ops outside",
        "Optional": "catch OutOfRangeError, or loop over the iterator inside a function",
        "RandomDataset": "Dataset.random",
        "ServiceOptions": "executors spread the work of map over a cluster",
        "SqlDataset": "from_generator over sqlite3",
        "copy_to_device": "as_jax_iterator(device=...)",
        "distributed_save": "there is no dataset service; shard the dataset and write each part",
        "enable_debug_mode": "debugging.run_inline runs functions on the caller's thread",
        "from_variant": "datasets are passed as they are",
        "get_model_proto": "Dataset.stats() measures the stages",
        "get_next_as_optional": "catch OutOfRangeError, or loop over the iterator inside a function",
        "index_table_from_dataset": "there are no lookup tables",
        "load": "write the elements with io.TFRecordWriter, or keep them with cache(filename)",
        "make_batched_features_dataset": "batch records, then map(lambda x: tf.io.parse_example(x, features))",
        "make_csv_dataset": "TextLineDataset, then map(lambda line: tf.io.decode_csv(line, defaults))",
        "make_saveable_from_iterator": "train.Checkpoint(iterator=iterator)",
        "parse_example_dataset": "map(lambda x: tf.io.parse_example(x, features))",
        "prefetch_to_device": "as_jax_iterator(device=...)",
        "save": "write the elements with io.TFRecordWriter, or keep them with cache(filename)",
        "service": "there is no dataset service; executors spread the work of map over a cluster",
        "snapshot": "cache(filename) keeps the elements of a whole iteration in a file",
        "table_from_dataset": "there are no lookup tables",
        "to_variant": "datasets are passed as they are",
    },
)
