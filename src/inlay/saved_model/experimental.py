"""`tf.saved_model.experimental`: what a saved model says of where variables were."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "saved_model.experimental",
    {
        "saved.options": "VariablePolicy",
        "training.auto_trackable": "TrackableResource",
    },
    absent={
        "Fingerprint": "`inlay show` prints the digest of a saved model",
        "read_fingerprint": "`inlay show` prints the digest of a saved model",
    },
)
