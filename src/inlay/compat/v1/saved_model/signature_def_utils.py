"""`tf.compat.v1.saved_model.signature_def_utils`: signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model.signature_def_utils",
    {
        "saved.signature_defs":
        "build_signature_def classification_signature_def is_valid_signature predict_signature_def "
        "regression_signature_def",
    },
    absent={
        "MethodNameUpdater": "read saved_model.pb as a SavedModel message, change method_name, and write it",
    },
)
