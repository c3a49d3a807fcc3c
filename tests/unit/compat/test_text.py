"""`tf.compat.as_bytes`, `as_text`, `as_str` and the namespaces of both generations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

c = tf.compat


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        ("plain", "plain", b"plain"),
        (b"plain", "plain", b"plain"),
        ("d\u00e9", "d\u00e9", b"d\xc3\xa9"),
        (b"d\xc3\xa9", "d\u00e9", b"d\xc3\xa9"),
        ("", "", b""),
        (np.str_("n"), "n", b"n"),
        (bytearray(b"n"), None, b"n"),
    ],
)
def test_text_and_bytes_become_one_another(value: Any, text: Any, data: bytes) -> None:
    assert c.as_bytes(value) == data and type(c.as_bytes(value)) is bytes
    if text is not None:
        assert c.as_text(value) == c.as_str(value) == c.as_str_any(value) == text


@pytest.mark.parametrize("value", [3, None, ["a"], 1.5])
def test_what_is_no_text_is_refused_but_by_the_one_that_takes_anything(value: Any) -> None:
    for convert in (c.as_bytes, c.as_text, c.as_str):
        with pytest.raises(TypeError, match="Expected binary or unicode string|text|bytes"):
            convert(value)
    assert c.as_str_any(value) == str(value)


def test_another_encoding() -> None:
    assert c.as_bytes("\u00e9", "latin-1") == b"\xe9" and c.as_text(b"\xe9", "latin-1") == "\u00e9"
    with pytest.raises(UnicodeDecodeError):
        c.as_text(b"\xff")


@pytest.mark.parametrize("generation", ["v1", "v2"])
def test_a_generation_is_a_namespace_with_the_common_names(generation: str) -> None:
    names = getattr(c, generation)
    for name in ("constant", "Variable", "Graph", "function", "nn", "math", "errors", "float32", "cond", "py_function"):
        assert getattr(names, name) is not None, name
    assert names.float32 is tf.float32 and names.Graph is tf.Graph


def test_names_of_the_first_generation_that_the_second_lacks() -> None:
    for name in ("Session", "placeholder", "get_variable", "global_variables_initializer", "py_func", "to_float"):
        assert hasattr(c.v1, name)


def test_what_there_is_not_is_said_with_the_module() -> None:
    with pytest.raises(AttributeError, match="inlay.compat"):
        c.v3  # noqa: B018
