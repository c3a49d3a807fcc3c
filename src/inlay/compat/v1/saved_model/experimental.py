"""`tf.compat.v1.saved_model.experimental`: saving of objects."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model.experimental",
    {
        "saved.options": "VariablePolicy",
        "saved.saving": "save",
        "training.auto_trackable": "TrackableResource",
    },
)
