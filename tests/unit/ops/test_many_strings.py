"""Ops on all strings at once give what they give for one string alone, and refuse the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

TEXTS = [b"Word 12", b"\xc3\x84rger", b"xyz", b"1234567"]


@pytest.mark.parametrize("count", [-3, -1, 0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("start", [-3, -2, -1, 0, 1, 3])
def test_parts_by_one_position_are_those_by_a_position_for_each(start: int, count: int) -> None:
    one = tf.strings.substr(TEXTS, start, count).numpy().tolist()
    assert one == tf.strings.substr(TEXTS, [start] * 4, [count] * 4).numpy().tolist()
    begin = start if start >= 0 else None
    expected = [s[len(s) + start if begin is None else begin :] for s in TEXTS]
    assert one == [s if count < 0 else s[:count] for s in expected]


@pytest.mark.parametrize("start", [4, -4])
def test_a_position_outside_of_one_string_is_refused(start: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"pos {start} out of range for string b'xyz'"):
        tf.strings.substr(TEXTS, start, 1)
    assert tf.strings.substr(np.array([], object).astype("S"), start, 1).shape == [0]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32])
def test_numbers_are_read_together_as_alone(dtype: Any) -> None:
    texts = [b"12", b"+7", b"0012"] + ([b"-1.5e3", b".5", b"5.", b"1e-50"] if dtype.is_floating else [])
    alone = [tf.strings.to_number(text, dtype).numpy() for text in texts]
    together = tf.strings.to_number([texts, texts], dtype)
    assert together.dtype is dtype
    np.testing.assert_array_equal(together, [alone, alone])
    np.testing.assert_array_equal(tf.strings.to_number([*texts, b" 3 "], dtype), [*alone, 3])
    assert tf.strings.to_number(tf.constant([], tf.string), dtype).shape == [0]


@pytest.mark.parametrize("text", [b"", b"1_0", b"1e", b"--1", b"+", b"9" * 12, b"1.5", b"x"])
def test_one_text_that_is_no_number_is_named(text: bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string: ") as refused:
        tf.strings.to_number([b"1", text], tf.int32)
    assert text.decode() in str(refused.value)


@pytest.mark.parametrize("fill", ["", "0", "+", "-", " "])
@pytest.mark.parametrize("width", [-1, 9])
def test_numbers_are_written_as_by_printf(fill: str, width: int) -> None:
    pad = f"{fill}{width if width > 0 else ''}"
    values = [1.5, -2.25, 0.0, 1e20]
    for precision, letter in ((-1, "f"), (3, "e"), (2, "g")):
        digits = f".{precision}" if precision >= 0 else ""
        for some in (values, [*values, np.inf, np.nan]):
            printed = tf.strings.as_string(
                np.array(some), precision, letter == "e", letter == "g", width=width, fill=fill
            ).numpy()
            finite = [f"%{pad}{digits}{letter}" % v for v in values]
            words = [f"%{pad.removeprefix('0')}{digits}{letter}" % v for v in some[len(values) :]]
            assert [text.decode() for text in printed] == finite + words
    whole = tf.strings.as_string([[5, -3]], width=width, fill=fill).numpy()
    assert whole.tolist() == [[(f"%{pad}d" % v).encode() for v in (5, -3)]]
    assert tf.strings.as_string([True, False]).numpy().tolist() == [b"true", b"false"]


def test_letters_change_by_bytes_or_by_characters() -> None:
    assert tf.strings.lower(TEXTS).numpy().tolist() == [b"word 12", b"\xc3\x84rger", b"xyz", b"1234567"]
    assert tf.strings.upper(TEXTS, "utf-8").numpy()[1] == "ÄRGER".encode()
    assert tf.strings.lower([TEXTS, TEXTS], "utf-8").numpy()[1, 1] == "ärger".encode()
