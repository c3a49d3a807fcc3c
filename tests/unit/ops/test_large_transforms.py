"""Fourier transforms by SciPy, which takes large arrays, equal those by NumPy, which takes all without SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter.costs import OpThreads, ThreadChoice
from inlay._src.base.tuning import TUNING
from inlay._src.ops import signal

REAL = np.random.default_rng(0).normal(size=(6, 5, 8))
COMPLEX = REAL + 1j * REAL[::-1]
KINDS = {
    "fft": (COMPLEX, (np.complex64, np.complex128), None),
    "ifft": (COMPLEX, (np.complex64, np.complex128), None),
    "rfft": (REAL, (np.float32, np.float64), (7, 9, 4)),
    "irfft": (COMPLEX, (np.complex64, np.complex128), (4, 7, 11)),
}
RANKS = {1: "", 2: "2d", 3: "3d"}


@pytest.fixture
def by_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr(TUNING, "scipy_fft_elements", 0)
    monkeypatch.setattr(ThreadChoice, "over", lambda choice, work, calls: OpThreads(2))


@pytest.mark.usefixtures("by_scipy")
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("name", KINDS)
def test_large_arrays_have_the_spectra_of_small_ones(name: str, rank: int) -> None:
    values, dtypes, lengths = KINDS[name]
    transform = getattr(tf.signal, name + RANKS[rank])
    for dtype in dtypes:
        x = values.astype(dtype)
        x.flags.writeable = False
        tolerance = 1e-12 if x.real.dtype == np.float64 else 2e-6
        for given in (x, x[::2], x.transpose(1, 0, 2), x[0, 0] if rank == 1 else x[:1]):
            for length in (None, lengths) if lengths else (None,):
                arguments = () if length is None else (list(length[:rank]),)
                got = transform(tf.constant(given), *arguments)
                want = by_numpy(name, given, rank, *arguments)
                assert (got.dtype.as_numpy_dtype, got.shape) == (want.dtype, want.shape)
                np.testing.assert_allclose(got.numpy(), want, rtol=tolerance, atol=tolerance * 100)


def by_numpy(name: str, values: np.ndarray, rank: int, lengths: Any = None) -> np.ndarray:
    """The transform along the last axes, computed with 64 bits."""
    double = values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)
    result: np.ndarray = getattr(np.fft, f"{name}n")(double, s=lengths, axes=tuple(range(-rank, 0)))
    if values.real.dtype == np.float64:
        return result
    return result.astype(np.complex64 if np.iscomplexobj(result) else np.float32)


@pytest.mark.usefixtures("by_scipy")
def test_values_that_are_not_finite_spread_over_their_own_row() -> None:
    x = COMPLEX.astype(np.complex64)
    x[1, 2, 3], x[2, 0, 0] = np.nan, np.inf
    finite = np.isfinite(tf.signal.fft(x).numpy()).all(-1)
    assert np.argwhere(~finite).tolist() == [[1, 2], [2, 0]]


def test_scipy_is_no_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "scipy_fft_elements", 0)
    monkeypatch.setattr(signal, "scipy_is_installed", lambda: False)
    monkeypatch.setattr(signal, "from_scipy", None)
    np.testing.assert_array_equal(tf.signal.fft2d(COMPLEX).numpy(), np.fft.fft2(COMPLEX))


def test_small_arrays_do_not_load_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "from_scipy", None)
    tf.signal.fft(COMPLEX)
    monkeypatch.setattr(TUNING, "scipy_fft_elements", COMPLEX.size)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not callable"):
        tf.signal.fft(COMPLEX)
