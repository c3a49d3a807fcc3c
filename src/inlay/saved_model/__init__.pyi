"""`tf.saved_model`: objects with their functions and variables as folders."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.loading import contains_saved_model, load
from inlay._src.saved.objects import Asset
from inlay._src.saved.options import LoadOptions, SaveOptions
from inlay._src.saved.saving import save
from inlay.saved_model import experimental
__all__ = [
    "Asset", "LoadOptions", "SaveOptions", "contains_saved_model", "experimental", "load", "save"
]
