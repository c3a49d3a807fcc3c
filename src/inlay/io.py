"""`tf.io`: reading and decoding."""

from inlay.ops.strings import decode_raw as decode_raw
