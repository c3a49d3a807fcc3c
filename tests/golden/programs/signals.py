"""Spectra, frames, windows and cosine transforms, with gradients and shapes, eagerly and in functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows

_RNG = np.random.RandomState(11)
_SIGNAL = _RNG.randn(2, 37)
_CUBE = _RNG.randn(2, 3, 4, 5)


def _both(tf: Any, call: Any, x: Any, differentiable: bool = True) -> Any:
    """A result, its gradient, and its shape in a function that knows the rank only."""
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
        rising = tf.reshape(tf.linspace(tf.constant(0.0, tf.float64), 1.0, tf.size(y)), tf.shape(y))
        loss = tf.reduce_sum(tf.cast(tf.abs(y) ** 2, tf.float64) * rising)
    spec = tf.TensorSpec([None] * x.shape.rank, x.dtype)
    traced = tf.function(call).get_concrete_function(spec)
    whole = tf.function(call).get_concrete_function(tf.TensorSpec(x.shape, x.dtype))
    gradient = tape.gradient(loss, x) if differentiable else None
    return [y, gradient, traced.outputs[0].shape.rank, whole.outputs[0].shape, traced(x)]


@rows(*[(name, length) for name in ("rfft", "rfft2d", "rfft3d") for length in (None, "longer", "shorter")])
def spectra_of_real_numbers(tf: Any, row: Any) -> Any:
    name, length = row
    rank = {"rfft": 1, "rfft2d": 2, "rfft3d": 3}[name]
    sizes = None if length is None else [(4, 5, 8) if length == "longer" else (2, 3, 3)][0][-rank:]
    there = rank < 3 and length != "shorter"  # where TensorFlow has a gradient that works
    call, back = getattr(tf.signal, name), getattr(tf.signal, f"i{name}")
    return [
        _both(tf, lambda v: call(v, sizes), _CUBE, there),
        _both(tf, lambda v: back(tf.complex(v, v[::-1] * 0.5), sizes), _CUBE, there),
        refused(lambda: call(tf.constant([[[1 + 2j]]]))), refused(lambda: back(tf.constant([[[1.0]]]))),
        refused(lambda: call(tf.zeros([]))), call(tf.zeros([1, 0, 2, 2], tf.float64)).dtype.name,
    ]  # fmt: skip


@rows("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d")
def spectra_of_complex_numbers(tf: Any, name: str) -> Any:
    call = getattr(tf.signal, name)
    return [_both(tf, lambda v: call(tf.complex(v, v * v)), _CUBE), refused(lambda: call(tf.zeros([])))]


def shifted_spectra(tf: Any) -> Any:
    x = tf.reshape(tf.range(15), [3, 5])
    shift, back = tf.signal.fftshift, tf.signal.ifftshift
    return [shift(x), shift(x, 1), shift(x, [0]), back(shift(x)), back(x, axes=(1,)), _both(tf, shift, _CUBE)]


@rows(1, 2, 7, 8, 64)
def windows(tf: Any, length: int) -> Any:
    s = tf.signal
    found = [
        s.hann_window(length), s.hann_window(length, periodic=False), s.hamming_window(length),
        s.hamming_window(length, periodic=False, dtype=tf.float64), s.vorbis_window(length),
        s.kaiser_window(length), s.kaiser_window(length, 4.0, tf.float64),
        refused(lambda: s.hann_window(length, dtype=tf.int32)),
    ]  # fmt: skip
    if length % 2 == 0:
        found.append(s.kaiser_bessel_derived_window(length))
    traced = tf.function(lambda n: (s.hann_window(n), s.vorbis_window(n), s.kaiser_window(n + 1)))
    return [*found, traced(tf.constant(length)), tf.function(lambda: s.hann_window(length))().shape]


@rows((8, 4, False), (8, 3, True), (5, 7, True), (40, 8, False), (40, 8, True), (1, 1, False))
def frames(tf: Any, row: Any) -> Any:
    length, step, pad_end = row
    call = lambda v: tf.signal.frame(v, length, step, pad_end, pad_value=9)  # noqa: E731
    first = tf.signal.frame(_SIGNAL, length, step, pad_end, axis=0) if pad_end else 0
    made = _both(tf, call, _SIGNAL)
    if made[0].shape[-2] == 0:
        return made
    return [made, first, _both(tf, lambda v: tf.signal.overlap_and_add(v, step), made[0].numpy())]


def spectrograms(tf: Any) -> Any:
    s = tf.signal
    spectrum = s.stft(_SIGNAL, 8, 4)
    inverse = s.inverse_stft_window_fn(4)
    mel = s.linear_to_mel_weight_matrix(5, 9, 8000, dtype=tf.float64)
    log_mel = tf.math.log(tf.tensordot(tf.abs(s.stft(_SIGNAL, 16, 4, fft_length=16)), mel, 1) + 1e-2)
    return [
        _both(tf, lambda v: s.stft(v, 8, 4), _SIGNAL), _both(tf, lambda v: s.stft(v, 10, 3, 20, None, True), _SIGNAL),
        s.inverse_stft(spectrum, 8, 4), s.inverse_stft(spectrum, 8, 4, window_fn=inverse),
        s.inverse_stft(spectrum, 6, 4, 8, None), inverse(8, tf.float32), s.stft(np.float32(_SIGNAL), 8, 4),
        s.inverse_stft(s.stft(_SIGNAL, 8, 4, fft_length=4), 8, 4, fft_length=4), mel,
        s.linear_to_mel_weight_matrix(upper_edge_hertz=3000.0, dtype=tf.float64)[3:20],
        s.mfccs_from_log_mel_spectrograms(log_mel),
        refused(lambda: s.linear_to_mel_weight_matrix(sample_rate=100)),
        refused(lambda: s.linear_to_mel_weight_matrix(0)), refused(lambda: s.stft(_SIGNAL, [8], 4)),
    ]  # fmt: skip


@rows(*[(kind, norm) for kind in (1, 2, 3, 4) for norm in (None, "ortho")])
def cosine_transforms(tf: Any, row: Any) -> Any:
    kind, norm = row
    s = tf.signal
    if kind == 1 and norm:
        return [refused(lambda: s.dct(_SIGNAL, 1, norm="ortho")), refused(lambda: s.dct(_SIGNAL, 5))]
    return [
        _both(tf, lambda v: s.dct(v, kind, norm=norm), _SIGNAL),
        _both(tf, lambda v: s.idct(v, kind, norm=norm), _SIGNAL),
        s.dct(_SIGNAL, kind, n=20, norm=norm), s.dct(_SIGNAL, kind, n=50, norm=norm),
        refused(lambda: s.dct(_SIGNAL, kind, axis=0)), refused(lambda: s.idct(_SIGNAL, kind, n=0)),
    ]  # fmt: skip


@rows(None, "ortho")
def modified_cosine_transforms(tf: Any, norm: Any) -> Any:
    s = tf.signal
    found = s.mdct(_SIGNAL, 8, norm=norm)
    return [
        found, s.inverse_mdct(found, norm=norm), s.mdct(_SIGNAL, 12, None, True, norm),
        s.inverse_mdct(found, window_fn=None, norm=norm), refused(lambda: s.mdct(_SIGNAL, 6)),
        s.mdct(_SIGNAL, 8, window_fn=s.kaiser_bessel_derived_window),
    ]  # fmt: skip
