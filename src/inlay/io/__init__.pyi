"""`tf.io`: files, records, and what decodes them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.files.records import TFRecordOptions, TFRecordWriter
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.composite.example_features import (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature
)
from inlay._src.ops.composite.example_parsing import (
    parse_example, parse_sequence_example, parse_single_example, parse_single_sequence_example
)
from inlay._src.ops.composite.serialized import deserialize_many_sparse, serialize_many_sparse, serialize_sparse
from inlay._src.ops.csv import decode_csv
from inlay._src.ops.files import write_file
from inlay._src.ops.image_files import decode_image, decode_png, is_jpeg
from inlay._src.ops.strings import decode_raw
from inlay._src.programs.graph_def.writing import write_graph
from inlay._src.tf1.queues.producers import match_filenames_once
from inlay.io import gfile
from typing import Any as _Any
__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed",
    "decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw",
    "decode_webp", "deserialize_many_sparse", "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape",
    "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example", "parse_sequence_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_many_sparse",
    "serialize_sparse", "serialize_tensor", "write_file", "write_graph"
]
def decode_and_crop_jpeg(contents: _TensorLike, crop_window: _TensorLike, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = "", name: str | None = None) -> _Tensor:
    """A part of a JPEG image as [height, width, channels] of uint8.

    Args:
      contents: the encoded image, a scalar string.
      crop_window: `[top, left, height, width]` of the part, in pixels.
      channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: as for `decode_jpeg`.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or the part is not within it."""
def decode_base64(input: _TensorLike, name: str | None = None) -> _Tensor:
    """Each string of base64 digits as what they stand for; "=" at its end may be left out.

    Args:
      input: strings of letters, digits, "-" and "_".

    Raises:
      InvalidArgumentError: for any other character, and a length that no string has."""
def decode_bmp(contents: _TensorLike, channels: _Any = 0, name: str | None = None) -> _Tensor:
    """A BMP image as [height, width, channels] of uint8.

    Args:
      contents: the encoded image, a scalar string.
      channels: 3 for colors, 4 for colors with alpha; 0 takes what the file has.

    Raises:
      InvalidArgumentError: if it is no image, or damaged."""
def decode_compressed(bytes: _TensorLike, compression_type: _Any = "", name: str | None = None) -> _Tensor:
    """Each string decompressed.

    Args:
      bytes: strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed."""
def decode_gif(contents: _TensorLike, name: str | None = None) -> _Tensor:
    """All frames of a GIF image as [frames, height, width, 3] of uint8.

    Args:
      contents: the encoded image, a scalar string.

    Raises:
      InvalidArgumentError: if it is no image, or damaged."""
def decode_jpeg(contents: _TensorLike, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = "", name: str | None = None) -> _Tensor:
    """A JPEG image as [height, width, channels] of uint8. PNG, BMP and GIF files of one frame are read too.

    Args:
      contents: the encoded image, a scalar string.
      channels: 1 for grey, 3 for colors; 0 takes what the file has.
      ratio: 1, 2, 4 or 8, by which the image is made smaller.
      fancy_upscaling, dct_method: accepted; colors are always interpolated, and the exact transform is always used, as
        Pillow does: the pixels are those that TensorFlow gives for "INTEGER_ACCURATE".
      try_recover_truncated: whether a file that was cut short is read as far as it goes.
      acceptable_fraction: accepted.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or has not as many channels."""
def decode_json_example(json_examples: _TensorLike, name: str | None = None) -> _Tensor:
    """Examples as the bytes of `tf.train.Example` messages.

    Args:
      json_examples: strings of any shape, each a message in the JSON form of protobuf.

    Raises:
      InvalidArgumentError: if a string is no such message."""
def decode_webp(contents: _TensorLike, channels: _Any = 0, dtype: _Any = ..., name: str | None = None) -> _Tensor:
    """A WebP image as [frames, height, width, channels] of uint8; one that does not move has one frame.

    Args:
      contents: the encoded image, a scalar string.
      channels: 3 or 4, the number that the file has; 0 takes what it has.
      dtype: uint8.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or has another number of channels."""
def encode_base64(input: _TensorLike, pad: _Any = False, name: str | None = None) -> _Tensor:
    """Each string as base64, with "-" and "_" as the last two digits.

    Args:
      input: strings.
      pad: whether "=" fills the last four characters up."""
def encode_jpeg(image: _TensorLike, format: _Any = "", quality: _Any = 95, progressive: _Any = False, optimize_size: _Any = False, chroma_downsampling: _Any = True, density_unit: _Any = "in", x_density: _Any = 300, y_density: _Any = 300, xmp_metadata: _Any = "", name: str | None = None) -> _Tensor:
    """An image as a JPEG file.

    Args:
      image: [height, width, channels] of uint8, with 1 or 3 channels.
      format: "grayscale" or "rgb", which the channels must fit; "" takes what they say.
      quality: from 0 to 100.
      progressive: whether a reader sees all of it early.
      optimize_size: whether more time is taken for a smaller file.
      chroma_downsampling: whether the colors have half the resolution.
      density_unit: "in" or "cm".
      x_density, y_density: pixels per unit.
      xmp_metadata: XMP metadata to embed; none if "".

    Raises:
      InvalidArgumentError: for another shape, format, quality or unit."""
def encode_png(image: _TensorLike, compression: _Any = -1, name: str | None = None) -> _Tensor:
    """Images as PNG files.

    Args:
      image: [..., height, width, channels] of uint8 with 1 to 4 channels, or of uint16 with one.
      compression: from 0, none, to 9, the most; -1 takes what is usual.

    Raises:
      InvalidArgumentError: for another shape.
      UnimplementedError: for several channels of uint16, which Pillow does not write."""
def extract_jpeg_shape(contents: _TensorLike, output_type: _Any = ..., name: str | None = None) -> _Tensor:
    """[height, width, channels] of a JPEG image, which is not decoded for that.

    Args:
      contents: the encoded image, a scalar string.
      output_type: int32 or int64.

    Raises:
      InvalidArgumentError: if it is no JPEG image."""
def matching_files(pattern: _TensorLike, name: str | None = None) -> _Tensor:
    """The names of the files that match one of several patterns, in order.

    Args:
      pattern: strings: `*` stands for any characters but /, `?` for one, `[a-z]` for one of those."""
def parse_tensor(serialized: _TensorLike, out_type: _Any, name: str | None = None) -> _Tensor:
    """The tensor that `serialize_tensor` made a string of, here or in TensorFlow.

    Args:
      serialized: a scalar string.
      out_type: the tensor's type.

    Raises:
      InvalidArgumentError: if it is no such string, or of another type."""
def read_file(filename: _TensorLike, name: str | None = None) -> _Tensor:
    """The contents of a file, read when the op runs.

    Args:
      filename: a scalar string.

    Raises:
      NotFoundError: if there is no such file."""
def serialize_tensor(tensor: _TensorLike, name: str | None = None) -> _Tensor:
    """A tensor as a string, which `parse_tensor` reads, in TensorFlow too.

    Args:
      tensor: a tensor."""
