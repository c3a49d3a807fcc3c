"""`tf.io`: files, records, and what decodes them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "io",
    ("composite.example_features", "composite.example_parsing", "files.records", "graph_def.writing", "ops.csv",
    "ops.files", "ops.image_files", "ops.serialized", "ops.strings"),
    late={
        "match_filenames_once": "queues.producers",
    },
    below=("gfile",),
)
