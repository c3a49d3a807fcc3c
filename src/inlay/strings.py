"""`tf.strings`: tensors of bytes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "strings",
    {
        "ops.composite.ngrams": "ngrams",
        "ops.composite.text":
        "bytes_split split unicode_decode unicode_decode_with_offsets unicode_encode unicode_split "
        "unicode_split_with_offsets unicode_transcode",
        "ops.hashing": "to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong",
        "ops.ngrams": "unicode_script",
        "ops.printed_numbers": "as_string",
        "ops.printing": "format",
        "ops.ragged": "unsorted_segment_join",
        "ops.strings":
        "join length lower reduce_join regex_full_match regex_replace strip substr to_number upper",
    },
)
