"""`tf.saved_model`: objects with their functions and variables as folders."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "saved_model",
    {
        "saved.constants":
        "ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES "
        "CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU "
        "PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME "
        "REGRESS_OUTPUTS SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION "
        "SERVING TPU TRAINING VARIABLES_DIRECTORY VARIABLES_FILENAME",
        "saved.loading": "contains_saved_model load",
        "saved.objects": "Asset",
        "saved.options": "LoadOptions SaveOptions",
        "saved.saving": "save",
    },
    below=("experimental",),
)
