"""`tf.compat.v1.saved_model.utils`: tensors as `TensorInfo` messages."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.signature_defs import build_tensor_info, get_tensor_from_tensor_info
__all__ = [
    "build_tensor_info", "get_tensor_from_tensor_info"
]
