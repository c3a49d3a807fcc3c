"""`tf.compat`: TensorFlow's 1.x and 2.x namespaces, and text helpers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat",
    {
        "base.forward_compatibility": "forward_compatibility_horizon forward_compatible",
        "base.types.shapes": "dimension_at_index dimension_value",
        "base.types.text":
        "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types integral_types path_to_str "
        "real_types",
    },
    below=("v1", "v2"),
)
