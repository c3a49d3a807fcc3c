"""`tf.strings`: tensors of bytes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.composite.ngrams import ngrams
from inlay._src.ops.composite.text import (
    bytes_split, split, unicode_decode, unicode_decode_with_offsets, unicode_encode, unicode_split,
    unicode_split_with_offsets, unicode_transcode
)
from inlay._src.ops.hashing import to_hash_bucket, to_hash_bucket_strong
from inlay._src.ops.printed_numbers import as_string
from inlay._src.ops.printing import string_format as format
from inlay._src.ops.strings import join, length, reduce_join, regex_full_match, regex_replace, substr, to_number
from typing import Any as _Any
__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join", "regex_full_match",
    "regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong",
    "to_number", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper"
]
def lower(input: _TensorLike, encoding: _Any = "", name: str | None = None) -> _Tensor:
    """Each string in lower case: ASCII letters only, or all of them with `encoding="utf-8"`."""
def strip(input: _TensorLike, name: str | None = None) -> _Tensor:
    """Each string without white space at its ends."""
def to_hash_bucket_fast(input: _TensorLike, num_buckets: _Any, name: str | None = None) -> _Tensor:
    """A number below `num_buckets` for each string, by its FarmHash fingerprint: the same everywhere and always.

    Args:
      input: strings.
      num_buckets: number of buckets."""
def unicode_script(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The script that each code point belongs to, as ICU numbers them (25: Latin); -1 of what is no code point.

    Args:
      input: int32 code points."""
def unsorted_segment_join(inputs: _TensorLike, segment_ids: _TensorLike, num_segments: _TensorLike, separator: _Any = "", name: str | None = None) -> _Tensor:
    """The strings of each segment joined, element by element; a segment without strings is empty.

    Args:
      inputs: strings; the first axes are those of `segment_ids`.
      segment_ids: for each its segment, an integer from 0 on and below `num_segments`.
      num_segments: number of segments of the result.
      separator: separator between the parts."""
def upper(input: _TensorLike, encoding: _Any = "", name: str | None = None) -> _Tensor:
    """Each string in upper case: ASCII letters only, or all of them with `encoding="utf-8"`."""
