"""`tf.data`: datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data",
    ("datasets.consuming", "datasets.dataset", "datasets.file_datasets", "datasets.graph_iterators",
    "datasets.iterating", "datasets.options", "datasets.spec", "datasets.ways"),
    below=("experimental",),
)
