"""Lengths read from memory are those that the strings say; whatever cannot be read so is asked."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import inlay as tf
from inlay.core.values import holds_bytes
from inlay.interpreter import object_headers
from inlay.types import text


class Derived(bytes):
    """No runtime value: its class may say anything."""


def strings(count: int = 3000) -> np.ndarray:
    return np.array([bytes(n % 700) for n in range(count)], object)


def test_lengths_are_read_from_memory() -> None:
    given = strings()
    expected = list(map(len, given))
    for array in (given, given.reshape(3, 1000), given.reshape(1000, 3).T, given[::2], np.repeat(given[:1], 900)):
        made = object_headers.byte_lengths(array)
        assert made is not None and made.tolist() == list(map(len, array.ravel()))
        assert holds_bytes(array)
    assert text.byte_lengths(given).tolist() == expected
    assert tf.strings.length(tf.constant(given)).numpy().tolist() == expected


def test_objects_are_held_while_they_are_read() -> None:
    given = strings()
    counts = [sys.getrefcount(value) for value in given[2000:2010]]
    object_headers.byte_lengths(given)
    assert [sys.getrefcount(value) for value in given[2000:2010]] == counts


@pytest.mark.parametrize("other", [Derived(b"x"), bytearray(b"x"), "x", 1, None, 0.5, np.bytes_(b"x")])
def test_other_objects_are_found(other: object) -> None:
    for place in (0, 1500, 2999):
        given = strings()
        given[place] = other
        assert object_headers.byte_lengths(given) is None
        assert not holds_bytes(given)


def test_elements_that_were_never_set() -> None:
    assert object_headers.byte_lengths(np.empty(2000, object)) is None
    assert object_headers.byte_lengths(np.ndarray(2000, object)) is None


def test_few_strings_and_other_interpreters_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert object_headers.byte_lengths(strings(10)) is None
    assert text.byte_lengths(strings(10)).tolist() == list(range(10))
    monkeypatch.setattr(object_headers, "_PLACES", None)
    assert object_headers.byte_lengths(strings()) is None
    assert text.byte_lengths(strings()).tolist() == list(map(len, strings()))
    assert text.byte_lengths(strings(200)).dtype == np.int32
    assert holds_bytes(strings())
    assert not holds_bytes(np.array([b"x", "x"], object))


def test_what_cannot_be_measured_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert object_headers._measured() == object_headers._PLACES
    monkeypatch.setattr(sys.implementation, "name", "other")
    assert object_headers._measured() is None
