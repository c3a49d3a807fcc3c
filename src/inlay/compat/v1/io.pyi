"""`tf.compat.v1.io`: reading and decoding, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.compat.v1 import decode_raw
__all__ = [
    "decode_raw"
]
