"""`tf.data.experimental`: more of datasets."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "data.experimental",
    ("datasets.csv_datasets", "datasets.dataset", "datasets.experimental", "datasets.file_datasets",
    "datasets.options", "datasets.ways"),
)
