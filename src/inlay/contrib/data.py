"""`tf.contrib.data`: transformations of datasets by their 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.data",
    {
        "data.batching": "unbatch",
        "data.bucketing": "bucket_by_sequence_length",
        "data.choosing": "ignore_errors unique",
        "data.combining": "enumerate_dataset",
        "data.experimental":
        "choose_from_datasets get_single_element map_and_batch parallel_interleave sample_from_datasets "
        "shuffle_and_repeat",
        "data.grouping": "Reducer group_by_reducer group_by_window",
        "data.resampling": "rejection_resample",
        "data.scanning": "scan",
        "data.sliding": "sliding_window_batch",
        "data.sparse_batching": "dense_to_sparse_batch",
    },
)
