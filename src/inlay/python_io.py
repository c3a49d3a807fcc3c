"""`tf.python_io`: record files by their 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "python_io",
    {
        "base.files.records": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator",
    },
)
