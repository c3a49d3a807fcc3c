"""`tf.compat.v1.saved_model.utils`: tensors of signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.saved.legacy import build_tensor_info
__all__ = [
    "build_tensor_info"
]
