"""`tf.compat.v1.saved_model.builder`: what saves the graph of a session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.legacy import Builder as SavedModelBuilder
__all__ = [
    "SavedModelBuilder"
]
