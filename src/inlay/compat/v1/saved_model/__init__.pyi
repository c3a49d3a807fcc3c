"""`tf.compat.v1.saved_model`: saved graphs of sessions, and saved models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.legacy import Builder, load, simple_save
from inlay._src.saved.loading import contains_saved_model, load as load_v2
from inlay._src.saved.signature_defs import (
    build_signature_def, build_tensor_info, classification_signature_def, get_tensor_from_tensor_info,
    is_valid_signature, predict_signature_def, regression_signature_def
)
from inlay.compat.v1.saved_model import builder, loader, signature_def_utils
__all__ = [
    "Builder", "build_signature_def", "build_tensor_info", "builder", "classification_signature_def",
    "contains_saved_model", "get_tensor_from_tensor_info", "is_valid_signature", "load", "load_v2", "loader",
    "predict_signature_def", "regression_signature_def", "signature_def_utils", "simple_save"
]
