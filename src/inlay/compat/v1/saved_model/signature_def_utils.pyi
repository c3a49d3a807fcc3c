"""`tf.compat.v1.saved_model.signature_def_utils`: signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.signature_defs import (
    build_signature_def, classification_signature_def, is_valid_signature, predict_signature_def,
    regression_signature_def
)
__all__ = [
    "build_signature_def", "classification_signature_def", "is_valid_signature", "predict_signature_def",
    "regression_signature_def"
]
