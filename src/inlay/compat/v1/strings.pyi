"""`tf.compat.v1.strings`: tensors of bytes, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.composite.ragged import RaggedTensor as _RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor as _SparseTensor
from inlay.compat.v1 import reduce_join, substr, string_to_hash_bucket as to_hash_bucket, string_to_number as to_number
from inlay.strings import (
    as_string, bytes_split, format, join, lower, ngrams, regex_full_match, regex_replace, strip, to_hash_bucket_fast,
    to_hash_bucket_strong, unicode_decode, unicode_decode_with_offsets, unicode_encode, unicode_script, unicode_split,
    unicode_split_with_offsets, unicode_transcode, unsorted_segment_join, upper
)
from typing import Any as _Any, Literal as _Literal, overload as _overload
__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join", "regex_full_match",
    "regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong",
    "to_number", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper"
]
def length(input: _Any, name: str | None = None, unit: str = "BYTE") -> _Tensor:
    """The length of each string, in bytes or (`unit="UTF8_CHAR"`) characters."""
@_overload
def split(input: _Any = None, sep: _Any = None, maxsplit: int = -1, *, result_type: _Literal['RaggedTensor'], source: _Any = None, name: str | None = None) -> _RaggedTensor:
    """Each string cut at a separator.

    Args:
      input, source: a string tensor of known rank, or a ragged one; one string is taken for a vector of one.
      sep: the separator; runs of white space if None or empty.
      maxsplit: maximum number of cuts.
      result_type: "SparseTensor" or "RaggedTensor".
      name: ignored.

    Returns:
      A SparseTensor or RaggedTensor with one axis more."""
@_overload
def split(input: _Any = None, sep: _Any = None, maxsplit: int = -1, result_type: _Literal['SparseTensor'] = "SparseTensor", source: _Any = None, name: str | None = None) -> _SparseTensor: ...
@_overload
def split(input: _Any = None, sep: _Any = None, maxsplit: int = -1, result_type: str = "SparseTensor", source: _Any = None, name: str | None = None) -> _Any: ...
