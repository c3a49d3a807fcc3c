"""`tf.compat.v1.saved_model`: saved graphs of sessions, and saved models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model",
    {
        "saved.constants":
        "ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES "
        "CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU "
        "LEGACY_INIT_OP_KEY MAIN_OP_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS "
        "REGRESS_METHOD_NAME REGRESS_OUTPUTS SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT "
        "SAVED_MODEL_SCHEMA_VERSION SERVING TPU TRAINING VARIABLES_DIRECTORY VARIABLES_FILENAME",
        "saved.legacy": "Builder load simple_save",
        "saved.loading": "contains_saved_model load_v2 maybe_saved_model_directory",
        "saved.main_ops": "main_op_with_restore",
        "saved.objects": "Asset",
        "saved.options": "SaveOptions",
        "saved.saving": "save",
        "saved.signature_defs":
        "build_signature_def build_tensor_info classification_signature_def get_tensor_from_tensor_info "
        "is_valid_signature predict_signature_def regression_signature_def",
    },
    below=("builder", "constants", "experimental", "loader", "main_op", "signature_constants",
    "signature_def_utils", "tag_constants", "utils"),
)
