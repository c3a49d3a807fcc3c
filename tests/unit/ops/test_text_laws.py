"""Strings: laws against Python's own text, for any text."""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING

TEXT = st.text("aB \u00e9\u6f22\U0001f600-,", max_size=8)
TEXTS = st.lists(TEXT, min_size=1, max_size=4)


def raw(tensor: Any) -> Any:
    value = tensor.numpy()
    return value if isinstance(value, bytes) else value.tolist()


@given(TEXTS, st.sampled_from(["", ",", "--"]))
def test_joining_is_pythons(parts: list[str], separator: str) -> None:
    want = separator.join(parts).encode()
    assert raw(tf.strings.join(parts, separator)) == raw(tf.strings.reduce_join(parts, separator=separator)) == want


@given(TEXTS)
def test_joining_columns_pairs_them_up(parts: list[str]) -> None:
    got = tf.strings.join([parts, parts[::-1], "!"])
    assert raw(got) == [f"{a}{b}!".encode() for a, b in zip(parts, parts[::-1], strict=True)]


@given(TEXTS, st.sampled_from([",", "-", "a", ", "]), st.integers(-1, 2))
def test_splitting_is_pythons(parts: list[str], separator: str, most: int) -> None:
    got = tf.strings.split(parts, separator, most).to_list()
    assert got == [[p.encode() for p in text.split(separator, most)] for text in parts]


@given(TEXTS)
def test_splitting_at_space_drops_what_is_empty(parts: list[str]) -> None:
    assert tf.strings.split(parts).to_list() == [[p.encode() for p in text.split()] for text in parts]


@given(
    st.lists(
        st.text("abab ,,\t\0\1\x0b", max_size=6).map(str.encode) | st.sampled_from([b"\0\1\2\3", b""]), min_size=1
    ),
    st.sampled_from(["", ",", " ", "\0", "ab", "a,", ",,", "aba"]),
)
def test_many_strings_are_split_as_each_is(texts: list[bytes], separator: str) -> None:
    with mock.patch.object(TUNING, "joined_texts", 1):
        got = tf.strings.split(texts, separator or None)
    assert got.to_list() == [text.split(separator.encode() or None) for text in texts]
    assert got.row_splits.dtype == tf.int64


@given(TEXTS)
def test_lengths_in_bytes_and_characters(parts: list[str]) -> None:
    assert tf.strings.length(parts).numpy().tolist() == [len(p.encode()) for p in parts]
    assert tf.strings.length(parts, unit="UTF8_CHAR").numpy().tolist() == [len(p) for p in parts]


@given(TEXT, st.integers(-8, 8), st.integers(0, 9), st.sampled_from(["BYTE", "UTF8_CHAR"]))
def test_parts_of_a_text_are_slices_or_refused(text: str, start: int, length: int, unit: str) -> None:
    whole: Any = text.encode() if unit == "BYTE" else text
    if not -len(whole) <= start <= len(whole):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.strings.substr(text, start, length, unit)
        return
    begin = start + len(whole) if start < 0 else start
    part = whole[begin : begin + length]
    assert raw(tf.strings.substr(text, start, length, unit)) == (part if unit == "BYTE" else part.encode())


def test_positions_are_broadcast_over_two_axes() -> None:
    """As TensorFlow 2.21, whose kernel stops there; positions of the text's own shape are taken at any rank."""
    text = tf.reshape(tf.constant(["abc", "def"]), [1, 1, 2])
    own = tf.constant([[[0, 1]]])
    assert raw(tf.strings.substr(text, own, own + 1)) == [[[b"a", b"ef"]]]
    assert raw(tf.strings.substr(text, -1, 1)) == [[[b"c", b"f"]]]
    assert raw(tf.strings.substr(text[0], [[0], [2]], [[1], [1]])) == [[b"a", b"d"], [b"c", b"f"]]
    for cut in (tf.strings.substr, tf.function(tf.strings.substr)):
        with pytest.raises(tf.errors.UnimplementedError, match=r"at most 2 axes.*\[1, 1, 2\] and \[2\]"):
            cut(text, [0, 1], [1, 1])


@given(TEXTS)
def test_case_of_ascii_and_of_all_letters(parts: list[str]) -> None:
    assert raw(tf.strings.lower(parts)) == [p.encode().lower() for p in parts]
    assert raw(tf.strings.upper(parts)) == [p.encode().upper() for p in parts]
    assert raw(tf.strings.lower(parts, encoding="utf-8")) == [p.lower().encode() for p in parts]
    assert raw(tf.strings.strip(parts)) == [p.strip(" \t\n\r\v\f").encode() for p in parts]


@given(TEXTS)
def test_characters_come_apart_and_together_again(parts: list[str]) -> None:
    points = tf.strings.unicode_decode(parts, "UTF-8")
    assert points.to_list() == [[ord(c) for c in p] for p in parts]
    assert tf.strings.unicode_split(parts, "UTF-8").to_list() == [[c.encode() for c in p] for p in parts]
    assert tf.strings.bytes_split(parts).to_list() == [[bytes([b]) for b in p.encode()] for p in parts]
    assert [raw(tf.strings.unicode_encode(row, "UTF-8")) for row in points.to_list() if row] == [
        p.encode() for p in parts if p
    ]


@given(TEXT, st.sampled_from(["a", "[aB]+", "-|,", "(a)(.?)", ".", "..", "(.)$", "^.", "B.*"]), st.booleans())
def test_replacing_and_matching_are_pythons_of_characters(text: str, pattern: str, everywhere: bool) -> None:
    got = tf.strings.regex_replace(text, pattern, r"<\0>", replace_global=everywhere)
    assert raw(got).decode() == re.sub(pattern, r"<\g<0>>", text, count=0 if everywhere else 1)
    assert bool(tf.strings.regex_full_match(text, f"(?:{pattern})")) == bool(re.fullmatch(pattern, text))


# Each line as TensorFlow 2.21 answers it.
@pytest.mark.parametrize(
    "text, pattern, rewrite, want",
    [
        ("é漢", "", "-", "-é-漢-".encode()),
        ("abc", "x*", "-", b"-a-b-c-"),
        ("abc", "b*", "-", b"-a-c-"),
        ("", " *", "x", b"x"),
        (b"a\xffb", ".", r"<\0>", b"<a>\xff<b>"),
        (b"\xc3\xa9\xff\xc3", "", "|", b"|\xc3\xa9|\xff|\xc3|"),
        ("ab", "(a)(x)?", r"\2\1\\", b"a\\b"),
        ("a\0b", "a\0", "\0", b"\0b"),
        (b"\xff1\xff", "[[:digit:]]", b"\xfe", b"\xff\xfe\xff"),
    ],
)
def test_replacing_follows_re2(text: Any, pattern: str, rewrite: Any, want: bytes) -> None:
    assert raw(tf.strings.regex_replace(text, pattern, rewrite)) == want


@pytest.mark.parametrize(
    "text, pattern, want",
    [
        ("é", ".", True),
        (b"\xff", ".", False),
        (b"\xff", r"\C", True),
        ("12", "[[:digit:]]+", True),
        ("é", r"\w", False),
        ("é", "(?i)É", True),
        ("a\nb", "a.b", False),
        ("a\nb", "(?s)a.b", True),
    ],
)
def test_matching_follows_re2(text: Any, pattern: str, want: bool) -> None:
    assert bool(tf.strings.regex_full_match(text, pattern)) is want


@pytest.mark.parametrize("pattern", ["(", "a**", "(?<=a)b", b"\xff"])
def test_patterns_that_re2_does_not_know_are_refused(pattern: Any) -> None:
    for call in (tf.strings.regex_full_match, lambda x, p: tf.strings.regex_replace(x, p, "")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
            call("x", pattern)


def test_patterns_may_be_tensors() -> None:
    @tf.function
    def both(text: Any, pattern: Any, rewrite: Any) -> Any:
        return tf.strings.regex_replace(text, pattern, rewrite), tf.strings.regex_full_match(text, pattern)

    replaced, matches = both(["ab", "a"], tf.constant("a."), tf.constant(r"<\0>"))
    assert (raw(replaced), raw(matches)) == ([b"<ab>", b"a"], [True, False])
    with pytest.raises(tf.errors.InvalidArgumentError, match="pattern must be rank 0 but is rank 1"):
        tf.strings.regex_full_match(["a", "a"], ["a", "b"])


@pytest.mark.parametrize("rewrite", [r"\1", r"\x", "x\\"])
def test_rewrites_that_say_nothing_are_refused(rewrite: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid rewrite string"):
        tf.strings.regex_replace("ab", "a", rewrite)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=5))
def test_integers_are_written_and_read_again(numbers: list[int]) -> None:
    written = tf.strings.as_string(tf.constant(numbers, tf.int64))
    assert raw(written) == [str(n).encode() for n in numbers]
    for dtype in (tf.int32, tf.int64, tf.float64):
        assert tf.strings.to_number(written, dtype).numpy().tolist() == numbers


@given(st.lists(st.floats(allow_nan=False, width=32), min_size=1, max_size=5))
def test_floats_written_with_nine_digits_come_back(numbers: list[float]) -> None:
    written = tf.strings.as_string(tf.constant(numbers, tf.float32), precision=9, scientific=True)
    np.testing.assert_array_equal(tf.strings.to_number(written), np.float32(numbers))


@pytest.mark.parametrize("bad", ["", " ", "x", "1 2", "1.5.2", "--1"])
def test_what_is_no_number_is_refused(bad: str) -> None:
    for dtype in (tf.float32, tf.int32):
        with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string|StringToNumber"):
            tf.strings.to_number([bad], dtype)
