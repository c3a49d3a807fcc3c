"""`tf.saved_model`: objects with their functions and variables as folders."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.saved.loading import contains_saved_model, load
from inlay.saved.objects import Asset
from inlay.saved.options import LoadOptions, SaveOptions
from inlay.saved.saving import save
from inlay.saved_model import experimental
__all__ = [
    "Asset", "LoadOptions", "SaveOptions", "contains_saved_model", "experimental", "load", "save"
]
