"""`tf.compat.v1.io`: reading and decoding, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import parse_example, parse_single_example
from inlay._src.base.files.records import TFRecordCompressionType, tf_record_iterator
from inlay._src.tf1.queues.queue import PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from inlay._src.tf1.queues.readers import ReaderBase
from inlay.compat.v1 import decode_csv, decode_raw, serialize_many_sparse, serialize_sparse
from inlay.io import (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, TFRecordOptions, TFRecordWriter,
    VarLenFeature, decode_and_crop_jpeg, decode_base64, decode_bmp, decode_compressed, decode_gif, decode_image,
    decode_jpeg, decode_json_example, decode_png, decode_webp, deserialize_many_sparse, encode_base64, encode_jpeg,
    encode_png, extract_jpeg_shape, gfile, is_jpeg, match_filenames_once, matching_files, parse_sequence_example,
    parse_single_sequence_example, parse_tensor, read_file, serialize_tensor, write_file, write_graph
)
__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RaggedFeature",
    "RandomShuffleQueue", "ReaderBase", "SparseFeature", "TFRecordCompressionType", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed",
    "decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw",
    "decode_webp", "deserialize_many_sparse", "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape",
    "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example", "parse_sequence_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_many_sparse",
    "serialize_sparse", "serialize_tensor", "tf_record_iterator", "write_file", "write_graph"
]
