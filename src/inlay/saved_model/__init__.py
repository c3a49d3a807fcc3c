"""`tf.saved_model`: objects with their functions and variables as folders."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "saved_model",
    {
        "saved.loading": "contains_saved_model load",
        "saved.objects": "Asset",
        "saved.options": "LoadOptions SaveOptions",
        "saved.saving": "save",
    },
    below=("experimental",),
)
