"""`tf.compat.v1.saved_model.loader`: what loads a graph into a session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model.loader",
    {
        "saved.legacy": "load",
        "saved.loading": "maybe_saved_model_directory",
    },
)
