"""`tf.contrib.data`: transformations of datasets by their 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.data",
    {
        "data.experimental":
        "Reducer bucket_by_sequence_length choose_from_datasets dense_to_sparse_batch enumerate_dataset "
        "get_single_element group_by_reducer group_by_window ignore_errors map_and_batch parallel_interleave "
        "rejection_resample sample_from_datasets scan shuffle_and_repeat unbatch unique",
        "data.sliding": "sliding_window_batch",
    },
)
