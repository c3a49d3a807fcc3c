"""`tf.compat`: TensorFlow's 1.x and 2.x namespaces, and text helpers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.forward_compatibility import forward_compatibility_horizon, forward_compatible
from inlay._src.base.types.shapes import dimension_at_index, dimension_value
from inlay._src.base.types.text import (
    as_bytes, as_text as as_str, as_str_any, as_text, bytes_or_text_types, complex_types, integral_types, path_to_str,
    real_types
)
from inlay.compat import v1, v2
__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "dimension_at_index",
    "dimension_value", "forward_compatibility_horizon", "forward_compatible", "integral_types", "path_to_str",
    "real_types", "v1", "v2"
]
