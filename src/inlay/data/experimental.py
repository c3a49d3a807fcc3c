"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data.experimental",
    ("datasets.csv_datasets", "datasets.dataset", "datasets.example_datasets", "datasets.experimental",
    "datasets.file_datasets", "datasets.optional", "datasets.options", "datasets.saveable_iterators",
    "datasets.sql_datasets", "datasets.ways"),
    absent={
        "AutoShardPolicy": "there are no distribution strategies: shard(number, index) divides a dataset",
        "AutotuneAlgorithm": "there is one way of tuning: see Options.autotune",
        "DatasetInitializer": "fill a table from tensors: lookup.KeyValueTensorInitializer",
        "DistributeOptions": "there are no distribution strategies: shard(number, index) divides a dataset",
        "ServiceOptions": "executors spread the work of map over a cluster",
        "copy_to_device": "as_jax_iterator(device=...)",
        "distributed_save": "there is no dataset service; shard the dataset and write each part",
        "enable_debug_mode": "debugging.run_inline runs functions on the caller's thread",
        "from_variant": "datasets are passed as they are",
        "get_model_proto": "Dataset.stats() measures the stages",
        "index_table_from_dataset": "fill a table from tensors: lookup.KeyValueTensorInitializer",
        "prefetch_to_device": "as_jax_iterator(device=...)",
        "service": "there is no dataset service; executors spread the work of map over a cluster",
        "table_from_dataset": "fill a table from tensors: lookup.KeyValueTensorInitializer",
        "to_variant": "datasets are passed as they are",
    },
)
