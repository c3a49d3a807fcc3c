"""`tf.python_io`: record files by their 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.files.records import TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator
__all__ = [
    "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"
]
