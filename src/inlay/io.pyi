"""`tf.io`: reading and decoding."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay.ops.csv import decode_csv
from inlay.ops.files import write_file
from inlay.ops.strings import decode_raw
__all__ = [
    "decode_csv", "decode_raw", "matching_files", "read_file", "write_file"
]
def matching_files(pattern: _TensorLike, name: str | None = None) -> _Tensor: ...
def read_file(filename: _TensorLike, name: str | None = None) -> _Tensor: ...
