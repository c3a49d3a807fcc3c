"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data",
    {
        "datasets.consuming": "progress",
        "datasets.dataset": "Dataset INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
        "datasets.file_datasets": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
        "datasets.graph_iterators": "Iterator IteratorSpec",
        "datasets.iterating": "NumpyIterator",
        "datasets.options": "Options ThreadingOptions",
        "datasets.spec": "DatasetSpec",
        "datasets.ways": "AUTOTUNE",
    },
    below=("experimental",),
)
