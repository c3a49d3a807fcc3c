"""`tf.io`: files, records, and what decodes them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.composite.example_features import (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature
)
from inlay.composite.example_parsing import (
    parse_example, parse_sequence_example, parse_single_example, parse_single_sequence_example
)
from inlay.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay.files.records import TFRecordOptions, TFRecordWriter
from inlay.ops.csv import decode_csv
from inlay.ops.files import write_file
from inlay.ops.strings import decode_raw
from typing import Any as _Any
__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_compressed", "decode_csv", "decode_raw", "matching_files",
    "parse_example", "parse_sequence_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor",
    "read_file", "serialize_tensor", "write_file"
]
def decode_compressed(bytes: _TensorLike, compression_type: _Any = "", name: str | None = None) -> _Tensor: ...
def matching_files(pattern: _TensorLike, name: str | None = None) -> _Tensor: ...
def parse_tensor(serialized: _TensorLike, out_type: _Any, name: str | None = None) -> _Tensor: ...
def read_file(filename: _TensorLike, name: str | None = None) -> _Tensor: ...
def serialize_tensor(tensor: _TensorLike, name: str | None = None) -> _Tensor: ...
