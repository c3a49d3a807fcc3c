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
from inlay.graph_def.writing import write_graph
from inlay.io import gfile
from inlay.ops.csv import decode_csv
from inlay.ops.files import write_file
from inlay.ops.image_files import decode_image, decode_png, is_jpeg
from inlay.ops.strings import decode_raw
from inlay.queues.producers import match_filenames_once
from typing import Any as _Any
__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_bmp", "decode_compressed", "decode_csv",
    "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_raw", "encode_jpeg", "encode_png",
    "extract_jpeg_shape", "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example",
    "parse_sequence_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file",
    "serialize_tensor", "write_file", "write_graph"
]
def decode_and_crop_jpeg(contents: _TensorLike, crop_window: _TensorLike, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = "", name: str | None = None) -> _Tensor: ...
def decode_bmp(contents: _TensorLike, channels: _Any = 0, name: str | None = None) -> _Tensor: ...
def decode_compressed(bytes: _TensorLike, compression_type: _Any = "", name: str | None = None) -> _Tensor: ...
def decode_gif(contents: _TensorLike, name: str | None = None) -> _Tensor: ...
def decode_jpeg(contents: _TensorLike, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = "", name: str | None = None) -> _Tensor: ...
def encode_jpeg(image: _TensorLike, format: _Any = "", quality: _Any = 95, progressive: _Any = False, optimize_size: _Any = False, chroma_downsampling: _Any = True, density_unit: _Any = "in", x_density: _Any = 300, y_density: _Any = 300, xmp_metadata: _Any = "", name: str | None = None) -> _Tensor: ...
def encode_png(image: _TensorLike, compression: _Any = -1, name: str | None = None) -> _Tensor: ...
def extract_jpeg_shape(contents: _TensorLike, output_type: _Any = ..., name: str | None = None) -> _Tensor: ...
def matching_files(pattern: _TensorLike, name: str | None = None) -> _Tensor: ...
def parse_tensor(serialized: _TensorLike, out_type: _Any, name: str | None = None) -> _Tensor: ...
def read_file(filename: _TensorLike, name: str | None = None) -> _Tensor: ...
def serialize_tensor(tensor: _TensorLike, name: str | None = None) -> _Tensor: ...
