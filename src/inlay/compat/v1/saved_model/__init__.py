"""`tf.compat.v1.saved_model`: saved graphs of sessions, and saved models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model",
    {
        "saved.legacy": "Builder load simple_save",
        "saved.loading": "contains_saved_model load_v2",
        "saved.signature_defs":
        "build_signature_def build_tensor_info classification_signature_def get_tensor_from_tensor_info "
        "is_valid_signature predict_signature_def regression_signature_def",
    },
    below=("builder", "loader", "signature_def_utils"),
)
