"""Base64; what is refused is what TensorFlow 2.21 refuses."""

from __future__ import annotations

import pytest

import inlay as tf


@pytest.mark.parametrize(
    ("plain", "padded"), [(b"hello", b"aGVsbG8="), (b"", b""), (b"\xff\xfe~", b"__5-"), (b"a", b"YQ==")]
)
def test_there_and_back(plain: bytes, padded: bytes) -> None:
    assert tf.io.encode_base64(plain, pad=True).numpy() == padded
    assert tf.io.encode_base64(plain).numpy() == padded.rstrip(b"=")
    assert tf.io.decode_base64([padded, padded.rstrip(b"=")]).numpy().tolist() == [plain, plain]


@pytest.mark.parametrize(
    "damaged", [b"a+b/", b"abcde", b"ab==cd", b"ab c", b"ab=", b"ab===", b"=", b"a===", b"abcd====", b"ab\n"]
)
def test_other_characters_and_lengths_are_refused(damaged: bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="ase64"):
        tf.io.decode_base64(damaged)
