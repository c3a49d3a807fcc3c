"""`tf.compat.v1.saved_model.constants`: the names of files and collections."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model.constants",
    {
        "saved.constants":
        "ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB LEGACY_INIT_OP_KEY MAIN_OP_KEY "
        "SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION VARIABLES_DIRECTORY "
        "VARIABLES_FILENAME",
    },
)
