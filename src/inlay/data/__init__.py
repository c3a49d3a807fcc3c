"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data",
    {
        "data.consuming": "progress",
        "data.dataset": "Dataset INFINITE_CARDINALITY UNKNOWN_CARDINALITY",
        "data.file_datasets": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
        "data.graph_iterators": "Iterator IteratorSpec",
        "data.iterating": "NumpyIterator",
        "data.options": "Options ThreadingOptions",
        "data.spec": "DatasetSpec",
        "data.ways": "AUTOTUNE",
    },
    below=("experimental",),
)
