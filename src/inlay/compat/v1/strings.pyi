"""`tf.compat.v1.strings`: tensors of bytes, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.composite.text import split_v1 as split
from inlay.compat.v1 import reduce_join, substr, string_to_hash_bucket as to_hash_bucket, string_to_number as to_number
from inlay.strings import (
    as_string, bytes_split, format, join, lower, ngrams, regex_full_match, regex_replace, strip, to_hash_bucket_fast,
    to_hash_bucket_strong, unicode_decode, unicode_decode_with_offsets, unicode_encode, unicode_script, unicode_split,
    unicode_split_with_offsets, unicode_transcode, unsorted_segment_join, upper
)
from typing import Any as _Any
__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join", "regex_full_match",
    "regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong",
    "to_number", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper"
]
def length(input: _Any, name: str | None = None, unit: str = "BYTE") -> _Tensor:
    """The length of each string, in bytes or (`unit="UTF8_CHAR"`) characters."""
