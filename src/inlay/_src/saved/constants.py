"""The names that saved models consist of: files, collections, tags, and the keys and methods of signatures."""

from __future__ import annotations

from inlay._src.base.export import export

ASSETS_DIRECTORY = export(
    "saved_model.ASSETS_DIRECTORY",
    "compat.v1.saved_model.ASSETS_DIRECTORY",
    "compat.v1.saved_model.constants.ASSETS_DIRECTORY",
)("assets")
ASSETS_KEY = export(
    "saved_model.ASSETS_KEY", "compat.v1.saved_model.ASSETS_KEY", "compat.v1.saved_model.constants.ASSETS_KEY"
)("saved_model_assets")
DEBUG_DIRECTORY = export(
    "saved_model.DEBUG_DIRECTORY",
    "compat.v1.saved_model.DEBUG_DIRECTORY",
    "compat.v1.saved_model.constants.DEBUG_DIRECTORY",
)("debug")
DEBUG_INFO_FILENAME_PB = export(
    "saved_model.DEBUG_INFO_FILENAME_PB",
    "compat.v1.saved_model.DEBUG_INFO_FILENAME_PB",
    "compat.v1.saved_model.constants.DEBUG_INFO_FILENAME_PB",
)("saved_model_debug_info.pb")
LEGACY_INIT_OP_KEY = export(
    "compat.v1.saved_model.LEGACY_INIT_OP_KEY", "compat.v1.saved_model.constants.LEGACY_INIT_OP_KEY"
)("legacy_init_op")
MAIN_OP_KEY = export("compat.v1.saved_model.MAIN_OP_KEY", "compat.v1.saved_model.constants.MAIN_OP_KEY")(
    "saved_model_main_op"
)
SAVED_MODEL_FILENAME_PB = export(
    "saved_model.SAVED_MODEL_FILENAME_PB",
    "compat.v1.saved_model.SAVED_MODEL_FILENAME_PB",
    "compat.v1.saved_model.constants.SAVED_MODEL_FILENAME_PB",
)("saved_model.pb")
SAVED_MODEL_FILENAME_PBTXT = export(
    "saved_model.SAVED_MODEL_FILENAME_PBTXT",
    "compat.v1.saved_model.SAVED_MODEL_FILENAME_PBTXT",
    "compat.v1.saved_model.constants.SAVED_MODEL_FILENAME_PBTXT",
)("saved_model.pbtxt")
SAVED_MODEL_SCHEMA_VERSION = export(
    "saved_model.SAVED_MODEL_SCHEMA_VERSION",
    "compat.v1.saved_model.SAVED_MODEL_SCHEMA_VERSION",
    "compat.v1.saved_model.constants.SAVED_MODEL_SCHEMA_VERSION",
)(1)
VARIABLES_DIRECTORY = export(
    "saved_model.VARIABLES_DIRECTORY",
    "compat.v1.saved_model.VARIABLES_DIRECTORY",
    "compat.v1.saved_model.constants.VARIABLES_DIRECTORY",
)("variables")
VARIABLES_FILENAME = export(
    "saved_model.VARIABLES_FILENAME",
    "compat.v1.saved_model.VARIABLES_FILENAME",
    "compat.v1.saved_model.constants.VARIABLES_FILENAME",
)("variables")

CLASSIFY_INPUTS = export(
    "saved_model.CLASSIFY_INPUTS",
    "compat.v1.saved_model.CLASSIFY_INPUTS",
    "compat.v1.saved_model.signature_constants.CLASSIFY_INPUTS",
)("inputs")
CLASSIFY_METHOD_NAME = export(
    "saved_model.CLASSIFY_METHOD_NAME",
    "compat.v1.saved_model.CLASSIFY_METHOD_NAME",
    "compat.v1.saved_model.signature_constants.CLASSIFY_METHOD_NAME",
)("tensorflow/serving/classify")
CLASSIFY_OUTPUT_CLASSES = export(
    "saved_model.CLASSIFY_OUTPUT_CLASSES",
    "compat.v1.saved_model.CLASSIFY_OUTPUT_CLASSES",
    "compat.v1.saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES",
)("classes")
CLASSIFY_OUTPUT_SCORES = export(
    "saved_model.CLASSIFY_OUTPUT_SCORES",
    "compat.v1.saved_model.CLASSIFY_OUTPUT_SCORES",
    "compat.v1.saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES",
)("scores")
DEFAULT_SERVING_SIGNATURE_DEF_KEY = export(
    "saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "compat.v1.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "compat.v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY",
)("serving_default")
PREDICT_INPUTS = export(
    "saved_model.PREDICT_INPUTS",
    "compat.v1.saved_model.PREDICT_INPUTS",
    "compat.v1.saved_model.signature_constants.PREDICT_INPUTS",
)("inputs")
PREDICT_METHOD_NAME = export(
    "saved_model.PREDICT_METHOD_NAME",
    "compat.v1.saved_model.PREDICT_METHOD_NAME",
    "compat.v1.saved_model.signature_constants.PREDICT_METHOD_NAME",
)("tensorflow/serving/predict")
PREDICT_OUTPUTS = export(
    "saved_model.PREDICT_OUTPUTS",
    "compat.v1.saved_model.PREDICT_OUTPUTS",
    "compat.v1.saved_model.signature_constants.PREDICT_OUTPUTS",
)("outputs")
REGRESS_INPUTS = export(
    "saved_model.REGRESS_INPUTS",
    "compat.v1.saved_model.REGRESS_INPUTS",
    "compat.v1.saved_model.signature_constants.REGRESS_INPUTS",
)("inputs")
REGRESS_METHOD_NAME = export(
    "saved_model.REGRESS_METHOD_NAME",
    "compat.v1.saved_model.REGRESS_METHOD_NAME",
    "compat.v1.saved_model.signature_constants.REGRESS_METHOD_NAME",
)("tensorflow/serving/regress")
REGRESS_OUTPUTS = export(
    "saved_model.REGRESS_OUTPUTS",
    "compat.v1.saved_model.REGRESS_OUTPUTS",
    "compat.v1.saved_model.signature_constants.REGRESS_OUTPUTS",
)("outputs")

GPU = export("saved_model.GPU", "compat.v1.saved_model.GPU", "compat.v1.saved_model.tag_constants.GPU")("gpu")
SERVING = export("saved_model.SERVING", "compat.v1.saved_model.SERVING", "compat.v1.saved_model.tag_constants.SERVING")(
    "serve"
)
TPU = export("saved_model.TPU", "compat.v1.saved_model.TPU", "compat.v1.saved_model.tag_constants.TPU")("tpu")
TRAINING = export(
    "saved_model.TRAINING", "compat.v1.saved_model.TRAINING", "compat.v1.saved_model.tag_constants.TRAINING"
)("train")
