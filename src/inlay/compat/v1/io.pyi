"""`tf.compat.v1.io`: reading and decoding, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.compat.v1 import decode_csv, decode_raw
from inlay.files.records import TFRecordCompressionType, tf_record_iterator
from inlay.io import (
    TFRecordOptions, TFRecordWriter, decode_compressed, matching_files, parse_tensor, read_file, serialize_tensor,
    write_file
)
__all__ = [
    "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "decode_compressed", "decode_csv", "decode_raw",
    "matching_files", "parse_tensor", "read_file", "serialize_tensor", "tf_record_iterator", "write_file"
]
