"""`tf.io`: files, records, and what decodes them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "io",
    {
        "base.files.records": "TFRecordOptions TFRecordWriter",
        "ops.base64_strings": "decode_base64 encode_base64",
        "ops.composite.example_features":
        "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature",
        "ops.composite.example_parsing":
        "parse_example parse_sequence_example parse_single_example parse_single_sequence_example",
        "ops.composite.serialized": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
        "ops.csv": "decode_csv",
        "ops.files": "matching_files read_file write_file",
        "ops.image_files":
        "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg "
        "encode_png extract_jpeg_shape is_jpeg",
        "ops.image_webp": "decode_webp",
        "ops.json_examples": "decode_json_example",
        "ops.serialized": "decode_compressed parse_tensor serialize_tensor",
        "ops.strings": "decode_raw",
        "programs.graph_def.writing": "write_graph",
        "tf1.queues.producers": "match_filenames_once",
    },
    below=("gfile",),
    absent={
        "decode_jxl": "decode in a tf.numpy_function with the package pillow-jxl-plugin or imagecodecs",
        "decode_proto": "parse with the message's class in a tf.numpy_function; tf.io.parse_example reads examples",
        "encode_proto": "serialize with the message's class in a tf.numpy_function",
    },
)
