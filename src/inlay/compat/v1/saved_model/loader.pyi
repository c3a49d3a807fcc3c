"""`tf.compat.v1.saved_model.loader`: what loads a graph into a session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.legacy import load
from inlay._src.saved.loading import contains_saved_model as maybe_saved_model_directory
__all__ = [
    "load", "maybe_saved_model_directory"
]
