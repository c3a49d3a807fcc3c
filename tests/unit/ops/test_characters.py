"""Characters of strings in several encodings. Every expected value is TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

MIXED = [b"\x00a\xd8\x3d\xde\x00", b"\x00\x00\x00a", b"\xe9a"]


@pytest.mark.parametrize(
    "encoding, want",
    [
        ("UTF-16-BE", [[97, 128512], [0, 97], [59745]]),
        ("UTF-16", [[97, 128512], [0, 97], [59745]]),
        ("utf-16-be", [[97, 128512], [0, 97], [59745]]),
        ("UTF-16-LE", [[24832, 15832, 222], [0, 24832], [25065]]),
        ("UTF-32-BE", [[65533, 65533], [97], [65533]]),
        ("LATIN-1", [[0, 97, 216, 61, 222, 0], [0, 0, 0, 97], [233, 97]]),
        ("US-ASCII", [[0, 97, 65533, 61, 65533, 0], [0, 0, 0, 97], [65533, 97]]),
        ("SHIFT_JIS", [[0, 97, 65432, 61, 65438, 0], [0, 0, 0, 97], [39244]]),
    ],
)
def test_decoding_other_encodings(encoding: str, want: list[Any]) -> None:
    assert tf.strings.unicode_decode(MIXED, encoding).to_list() == want


@pytest.mark.parametrize(
    "text, options, want",
    [
        (b"a\xffb\xe6\xbcb\xf0\x9f", {}, [97, 65533, 98, 65533, 98, 65533]),
        (b"a\xffb\xe6\xbcb\xed\xa0\x80c", {"errors": "ignore"}, [97, 98, 98, 99]),
        ("a\ufffdb", {"errors": "ignore"}, [97, 65533, 98]),
        ("a\ufffdb", {"errors": "strict"}, [97, 65533, 98]),
        ("a\ufffdb", {"replacement_char": 63}, [97, 65533, 98]),
        ("a\x01b\n\x7f\x80\tc", {"replace_control_characters": True}, [97, 65533, 98, 65533, 127, 128, 65533, 99]),
    ],
)
def test_decoding_what_is_malformed(text: Any, options: dict[str, Any], want: list[int]) -> None:
    assert tf.strings.unicode_decode([text], "UTF-8", **options).to_list() == [want]


def test_decoding_refuses_what_it_is_told_to() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting on input string"):
        tf.strings.unicode_decode([b"a\xffb"], "UTF-8", errors="strict")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not create converter for input encoding: nonsense"):
        tf.strings.unicode_decode(["a"], "nonsense")


def test_offsets_are_bytes() -> None:
    points, offsets = tf.strings.unicode_decode_with_offsets(["aé漢", "b"], "UTF-8")
    assert (points.to_list(), offsets.to_list()) == ([[97, 233, 28450], [98]], [[0, 1, 3], [0]])
    parts, offsets = tf.strings.unicode_split_with_offsets([b"a\xffb", "\U0001f600b"], "UTF-8")
    assert parts.to_list() == [[b"a", "\ufffd".encode(), b"b"], ["\U0001f600".encode(), b"b"]]
    assert offsets.to_list() == [[0, 1, 2], [0, 4]]


@pytest.mark.parametrize(
    "points, arguments, want",
    [
        ([97, 0x1F600], ("UTF-16-BE",), b"\x00a\xd8=\xde\x00"),
        ([97, 0x1F600], ("UTF-32-BE",), b"\x00\x00\x00a\x00\x01\xf6\x00"),
        ([97, 0xD800], ("UTF-8",), b"a\xef\xbf\xbd"),
        ([97, 0xD800], ("UTF-8", "ignore"), b"a"),
        ([97, 0xD800], ("UTF-8", "replace", 63), b"a?"),
    ],
)
def test_encoding(points: list[int], arguments: Any, want: bytes) -> None:
    assert tf.strings.unicode_encode(points, *arguments).numpy() == want


def test_encoding_of_rows() -> None:
    """FINDINGS B: unicode_encode of ragged rows."""
    assert tf.strings.unicode_encode(tf.ragged.constant([[97], [98, 99]]), "UTF-8").numpy().tolist() == [b"a", b"bc"]
    nested = tf.ragged.constant([[[97], [98, 99]], []])
    assert tf.strings.unicode_encode(nested, "UTF-8").to_list() == [[b"a", b"bc"], []]
    assert tf.strings.unicode_encode([[[97, 98]], [[99, 100]]], "UTF-8").numpy().tolist() == [[b"ab"], [b"cd"]]


def test_encoding_refuses_what_it_is_told_to() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range for Unicode, or is a surrogate"):
        tf.strings.unicode_encode([97, 0xD800], "UTF-8", errors="strict")
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_encoding 'LATIN-1'"):
        tf.strings.unicode_encode([97], "LATIN-1")
    with pytest.raises(ValueError, match="at least 1"):
        tf.strings.unicode_encode(97, "UTF-8")


def test_splitting_and_transcoding() -> None:
    text = b"\x00a\xd8\x3d\xde\x00"
    assert tf.strings.unicode_split([text], "UTF-16-BE").to_list() == [[b"\x00a", b"\xd8=\xde\x00"]]
    assert tf.strings.unicode_split([b"a\xffb"], "UTF-8", replacement_char=63).to_list() == [[b"a", b"?", b"b"]]
    got = tf.strings.unicode_transcode([text, b"a\xff"], "UTF-16-BE", "UTF-8").numpy().tolist()
    assert got == ["a\U0001f600".encode(), "\u61ff".encode()]
    assert tf.strings.unicode_transcode([[text]], "UTF-16-BE", "UTF-8").numpy().tolist() == [["a\U0001f600".encode()]]


def test_rows_without_strings_stay() -> None:
    """FINDINGS B: parts of strings of shape [2, 0] lost the rows."""
    empty = tf.zeros([2, 0], tf.string)
    for call in (tf.strings.split, tf.strings.bytes_split, lambda x: tf.strings.unicode_decode(x, "UTF-8")):
        assert call(empty).to_list() == [[], []]
        assert call(empty).shape.as_list() == [2, 0, None]
    assert [n.numpy().tolist() for n in tf.strings.split(tf.zeros([2, 0, 3], tf.string)).nested_row_lengths()] == [
        [0, 0],
        [],
        [],
    ]


@pytest.mark.parametrize(
    "text, dtype, want",
    [
        ("0x10", tf.float32, 16.0),
        ("0x1p3", tf.float64, 8.0),
        ("infinity", tf.float32, float("inf")),
        ("1e400", tf.float64, float("inf")),
        (" 1 ", tf.int32, 1),
        ("12", tf.uint64, 12),
    ],
)
def test_reading_numbers(text: str, dtype: Any, want: float) -> None:
    """FINDINGS B: hexadecimal numbers."""
    assert tf.strings.to_number([text], dtype).numpy().tolist() == [want]


def test_raw_bytes_of_a_fixed_length() -> None:
    """FINDINGS D: `decode_raw(fixed_length=)`."""
    got = tf.io.decode_raw([b"ab", b"abcdef"], tf.int16, fixed_length=4)
    assert got.numpy().tolist() == [[25185, 0], [25185, 25699]]
    assert tf.io.decode_raw([b"ab", b"abc"], tf.int16, False, 4).numpy().tolist() == [[24930, 0], [24930, 25344]]
    for wrong in (0, 3):
        with pytest.raises(ValueError, match="multiple of the size of out_type"):
            tf.io.decode_raw([b"ab"], tf.int16, fixed_length=wrong)


def test_nothing_joined_is_the_empty_text() -> None:
    """FINDINGS B: `strings.reduce_join` of nothing."""
    join = tf.strings.reduce_join
    assert join(tf.constant([], tf.string)).numpy() == b""
    assert join(tf.zeros([0, 2], tf.string), 0).numpy().tolist() == [b"", b""]
    assert join(tf.zeros([0, 2], tf.string), 1).numpy().tolist() == []
    assert join(tf.zeros([2, 0], tf.string), 1, keepdims=True).numpy().tolist() == [[b""], [b""]]


@pytest.mark.parametrize("keep", [{"keep_dims": True}, {"keepdims": True}])
def test_strings_are_joined_with_axes_kept_in_1x(keep: dict[str, bool]) -> None:
    words = [["a", "b"], ["c", "d"]]
    for axes in ({"axis": 0}, {"reduction_indices": 0}):
        np.testing.assert_array_equal(tf.compat.v1.reduce_join(words, **axes, **keep), [[b"ac", b"bd"]])
    np.testing.assert_array_equal(tf.compat.v1.strings.reduce_join(words, axis=[], **keep), np.array(words, "S"))


# As in TensorFlow 2.21, whether or not a replacement is needed, and without any strings too.
@pytest.mark.parametrize("errors", ["replace", "ignore", "strict"])
@pytest.mark.parametrize("point", [-1, 0x110000])
def test_a_replacement_beyond_unicode_is_refused(errors: str, point: int) -> None:
    for call in (
        lambda: tf.strings.unicode_encode([72], "UTF-8", errors, point),
        lambda: tf.strings.unicode_decode([b"a"], "UTF-8", errors, point),
        lambda: tf.strings.unicode_transcode([b"a"], "UTF-8", "UTF-16-BE", errors, point),
        lambda: tf.strings.unicode_transcode(tf.zeros([0], tf.string), "UTF-8", "UTF-8", errors, point),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="replacement_char out of unicode codepoint range"):
            call()
