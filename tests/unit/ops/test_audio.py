"""Sound as WAV files."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest

import inlay as tf


def test_a_file_is_one_that_pythons_reader_reads() -> None:
    sound = np.array([[0.0, 1.0], [-1.0, 2.0], [0.5, -3.0]], np.float32)
    with wave.open(io.BytesIO(tf.audio.encode_wav(sound, 8000).numpy())) as file:
        assert file.getparams()[:4] == (2, 2, 8000, 3)
        found = np.frombuffer(file.readframes(3), "<i2").reshape(3, 2)
    assert found.tolist() == [[0, 32767], [-32768, 32767], [16384, -32768]]


def test_bytes_are_those_of_tensorflow() -> None:
    # Written by TensorFlow 2.21.
    of_tensorflow = "524946462800000057415645666d7420100000000100010064000000c8000000020010006461746104000000002066a6"
    assert tf.audio.encode_wav([[0.25], [-0.7]], 100).numpy().hex() == of_tensorflow


@pytest.mark.parametrize(("channels", "samples"), [(-1, -1), (1, -1), (3, 4), (2, 1)])
def test_a_file_is_decoded_into_the_shape_that_is_asked_for(channels: int, samples: int) -> None:
    sound = np.array([[0.0, 0.5], [-1.0, 0.25]], np.float32)
    file = tf.audio.encode_wav(sound, 8000)
    found, rate = tf.audio.decode_wav(file, channels, samples)
    assert int(rate) == 8000
    expected = sound if channels < 0 else sound[:, [min(c, 1) for c in range(channels)]]
    if samples >= 0:
        expected = np.concatenate([expected, np.zeros((4, expected.shape[1]), np.float32)])[:samples]
    np.testing.assert_array_equal(found, expected)
    graph = tf.function(lambda f: tf.audio.decode_wav(f, channels, samples))
    assert graph.get_concrete_function(tf.TensorSpec([], tf.string)).outputs[0].shape.as_list() == [
        None if n < 0 else n for n in (samples, channels)
    ]


@pytest.mark.parametrize(("sound", "rate", "said"), [([1.0], 1, "2-dimensional"), ([[1.0]], 0, "above 0")])
def test_what_is_no_sound_is_refused(sound: list[object], rate: int, said: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.audio.encode_wav(sound, rate)


@pytest.mark.parametrize("file", [b"", b"RIFF", b"no sound at all, but long enough for a header of a file......."])
def test_what_is_no_file_is_refused(file: bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a WAV file"):
        tf.audio.decode_wav(file)


def test_a_sound_that_claims_what_no_sound_has_is_refused() -> None:
    sound = tf.audio.encode_wav(np.zeros((4, 1), np.float32), 8000).numpy()
    rate = sound[:24] + b"\xff\xff\xff\xff" + sound[28:]
    with pytest.raises(tf.errors.InvalidArgumentError, match="it has 4,294,967,295 frames a second"):
        tf.audio.decode_wav(rate)
    for size in (2**31, 2**32 - 1, 3):
        long = sound[:12] + b"LIST" + size.to_bytes(4, "little") + sound[12:]
        with pytest.raises(tf.errors.InvalidArgumentError, match="this is not a WAV file"):
            tf.audio.decode_wav(long)
