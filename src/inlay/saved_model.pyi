"""`tf.saved_model`: objects with their functions and variables as folders."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.saved.loading import contains_saved_model, load
from inlay.saved.objects import Asset
from inlay.saved.saving import SaveOptions, save
__all__ = [
    "Asset", "SaveOptions", "contains_saved_model", "load", "save"
]
