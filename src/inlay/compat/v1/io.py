"""`tf.compat.v1.io`: reading and decoding, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.io",
    {
        "base.files.records": "TFRecordCompressionType tf_record_iterator",
        "ops.composite.example_parsing": "parse_example parse_single_example",
        "ops.composite.serialized": "serialize_many_sparse serialize_sparse",
        "ops.csv": "decode_csv",
        "ops.legacy": "decode_raw",
        "tf1.queues.queue": "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
        "tf1.queues.readers": "ReaderBase",
    },
    continues="io",
)
