"""`tf.compat.v1.saved_model`: saved graphs of sessions, and saved models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.constants import (
    ASSETS_DIRECTORY, ASSETS_KEY, CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME, CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES, DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB, DEFAULT_SERVING_SIGNATURE_DEF_KEY, GPU,
    LEGACY_INIT_OP_KEY, MAIN_OP_KEY, PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS, REGRESS_INPUTS,
    REGRESS_METHOD_NAME, REGRESS_OUTPUTS, SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION, SERVING, TPU, TRAINING, VARIABLES_DIRECTORY, VARIABLES_FILENAME
)
from inlay._src.saved.legacy import Builder, load, simple_save
from inlay._src.saved.loading import (
    contains_saved_model, load as load_v2, contains_saved_model as maybe_saved_model_directory
)
from inlay._src.saved.main_ops import main_op_with_restore
from inlay._src.saved.objects import Asset
from inlay._src.saved.options import SaveOptions
from inlay._src.saved.saving import save
from inlay._src.saved.signature_defs import (
    build_signature_def, build_tensor_info, classification_signature_def, get_tensor_from_tensor_info,
    is_valid_signature, predict_signature_def, regression_signature_def
)
from inlay.compat.v1.saved_model import (
    builder, constants, experimental, loader, main_op, signature_constants, signature_def_utils, tag_constants, utils
)
__all__ = [
    "ASSETS_DIRECTORY", "ASSETS_KEY", "Asset", "Builder", "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME",
    "CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES", "DEBUG_DIRECTORY", "DEBUG_INFO_FILENAME_PB",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "GPU", "LEGACY_INIT_OP_KEY", "MAIN_OP_KEY", "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME", "REGRESS_OUTPUTS",
    "SAVED_MODEL_FILENAME_PB", "SAVED_MODEL_FILENAME_PBTXT", "SAVED_MODEL_SCHEMA_VERSION", "SERVING", "SaveOptions",
    "TPU", "TRAINING", "VARIABLES_DIRECTORY", "VARIABLES_FILENAME", "build_signature_def", "build_tensor_info",
    "builder", "classification_signature_def", "constants", "contains_saved_model", "experimental",
    "get_tensor_from_tensor_info", "is_valid_signature", "load", "load_v2", "loader", "main_op",
    "main_op_with_restore", "maybe_saved_model_directory", "predict_signature_def", "regression_signature_def", "save",
    "signature_constants", "signature_def_utils", "simple_save", "tag_constants", "utils"
]
