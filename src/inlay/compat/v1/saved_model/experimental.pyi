"""`tf.compat.v1.saved_model.experimental`: saving of objects."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.options import VariablePolicy
from inlay._src.saved.saving import save
from inlay._src.training.auto_trackable import TrackableResource
__all__ = [
    "TrackableResource", "VariablePolicy", "save"
]
