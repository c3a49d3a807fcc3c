"""Fourier transforms along any axes equal NumPy's: TensorFlow 2.21 has no kernels of them for the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

REAL = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)
COMPLEX = (REAL + 1j * REAL[::-1]).astype(np.complex64)
CASES = [("fftn", COMPLEX), ("ifftn", COMPLEX), ("rfftn", REAL), ("irfftn", COMPLEX)]


@pytest.mark.parametrize(("name", "values"), CASES)
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize(
    ("axes", "lengths"), [(None, None), ([0], [4]), ([1, 0], [3, 6]), ([-1], None), ([2, 0, 1], None), ([0, 1], [2, 8])]
)
def test_equals_numpy(name: str, values: Any, norm: Any, axes: Any, lengths: Any) -> None:
    want = getattr(np.fft, name)(values, s=lengths, axes=axes, norm=norm)
    function = getattr(tf.signal, f"{name}d")
    got = function(values, lengths, axes, norm)
    assert (got.shape, got.dtype.is_complex) == (want.shape, np.iscomplexobj(want))
    np.testing.assert_allclose(got.numpy(), want, atol=2e-5)
    traced = tf.function(lambda x: function(x, lengths, axes, norm))
    assert traced.get_concrete_function(tf.TensorSpec(values.shape, values.dtype)).output_shapes == want.shape
    np.testing.assert_allclose(traced(values).numpy(), want, atol=2e-5)


def test_gradients_flow_through_every_transform() -> None:
    def energy(x: Any) -> Any:
        spectrum = tf.signal.rfftnd(x, [4, 4], axes=[1, 0], norm="ortho")
        return tf.reduce_sum(tf.abs(tf.signal.irfftnd(spectrum * spectrum, axes=[1, 0])) ** 2)

    theory, numeric = tf.test.compute_gradient(energy, [tf.constant(REAL[:, :, 0], tf.float64)])
    np.testing.assert_allclose(theory[0], numeric[0], rtol=1e-4, atol=1e-5)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="RFFT requires"):
        tf.signal.rfftnd(tf.constant(COMPLEX))
    with pytest.raises(ValueError, match="IRFFT requires"):
        tf.signal.irfftnd(tf.constant(REAL))
    with pytest.raises(ValueError, match="axes must differ"):
        tf.signal.fftnd(COMPLEX, axes=[0, -3])
    with pytest.raises(ValueError, match="fft_length must have an entry for each"):
        tf.signal.fftnd(COMPLEX, [2], axes=[0, 1])
    with pytest.raises(ValueError, match="norm must be"):
        tf.signal.ifftnd(COMPLEX, norm="both")


@pytest.mark.parametrize("function", [tf.signal.rfftnd, tf.signal.irfftnd])
def test_half_a_spectrum_is_along_an_axis(function: Any) -> None:
    dtype = tf.float32 if function is tf.signal.rfftnd else tf.complex64
    for value, axes in ((3.0, None), (3.0, []), ([1.0, 2.0], [])):
        for call in (function, tf.function(function)):
            with pytest.raises(ValueError, match="needs at least one axis"):
                call(tf.constant(value, dtype), axes=axes)


def test_the_gradient_of_a_signal_in_frames_is_a_tensor() -> None:
    with tf.Graph().as_default():
        signal = tf.compat.v1.placeholder(tf.float32, [6, 4])
        for axis in (0, 1):
            (gradient,) = tf.gradients(tf.signal.frame(signal, 3, 1, axis=axis), signal)
            assert isinstance(gradient, tf.Tensor)
