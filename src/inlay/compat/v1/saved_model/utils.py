"""`tf.compat.v1.saved_model.utils`: tensors as `TensorInfo` messages."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model.utils",
    {
        "saved.signature_defs": "build_tensor_info get_tensor_from_tensor_info",
    },
)
