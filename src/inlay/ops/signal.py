"""Fourier transforms along the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import division, math
from inlay.ops.array import shape
from inlay.types.dtypes import COMPLEX
from inlay.types.shapes import Dims


def _infer(s: Shapes) -> list[Dims]:
    if s.dims[0] == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [s.dims[0]]


def _length(x: Any) -> Any:
    """How many numbers are transformed together, in the type of `x`."""
    return math.cast(shape(x)[-1], x.dtype)


def _transformed(transform: Any, x: Any) -> Any:
    if np.ndim(x) == 0:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return transform(x).astype(x.dtype) if np.size(x) else x


@op("FFT", "input:T -> T", types=COMPLEX, infer=_infer, vjp=lambda op, dy: math.multiply(ifft(dy), _length(dy)))
@export("signal.fft", "fft")
def fft(xp, input):
    """The discrete Fourier transform along the last axis."""
    return _transformed(xp.fft.fft, input)


@op("IFFT", "input:T -> T", types=COMPLEX, infer=_infer, vjp=lambda op, dy: division.real_divide(fft(dy), _length(dy)))
@export("signal.ifft", "ifft")
def ifft(xp, input):
    """The inverse of `fft`: the transform with the opposite sign, divided by the length of the axis."""
    return _transformed(xp.fft.ifft, input)
