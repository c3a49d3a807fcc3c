"""`tf.strings`: tensors of bytes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.composite.text import bytes_split, split, unicode_decode, unicode_split
from inlay.ops.printing import string_format as format
from inlay.ops.strings import (
    as_string, join, length, lower, reduce_join, regex_full_match, regex_replace, strip, substr, to_number,
    unicode_encode, upper
)
