"""`tf.io`: reading and decoding."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.strings import decode_raw
__all__ = [
    "decode_raw"
]
