"""Fourier transforms along the last axes, of complex numbers and of real ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import COMPLEX, DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Shapes
from inlay._src.ops import (
    array,
    complex_numbers,
    division,
    gathering,
    joining,
    math,
    ranges,
    rearranging,
    reductions,
    slicing,
)

REAL = frozenset({dtypes.float32, dtypes.float64})


def _checked_rank(dims: Dims, rank: int) -> None:
    if dims is not None and len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}")


def _infer(rank: int) -> Callable[[Shapes], list[Dims]]:
    def infer(s: Shapes) -> list[Dims]:
        _checked_rank(s.dims[0], rank)
        return [s.dims[0]]

    return infer


def _axes(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _size(x: Any, rank: int) -> Any:
    """How many numbers are transformed together, in the type of `x`."""
    return math.cast(reductions.reduce_prod(array.shape(x)[-rank:]), x.dtype)


def _transformed(transform: Any, x: Any, rank: int) -> Any:
    _checked_rank(np.shape(x), rank)
    return transform(x, axes=_axes(rank)).astype(x.dtype) if np.size(x) else x


@op("FFT", "input:T -> T", types=COMPLEX, infer=_infer(1), vjp=lambda op, dy: math.multiply(ifft(dy), _size(dy, 1)))
@export("signal.fft", "fft", "compat.v1.spectral.fft")
def fft(xp, input):
    """The discrete Fourier transform along the last axis."""
    return _transformed(xp.fft.fftn, input, 1)


@op(
    "IFFT",
    "input:T -> T",
    types=COMPLEX,
    infer=_infer(1),
    vjp=lambda op, dy: division.real_divide(fft(dy), _size(dy, 1)),
)
@export("signal.ifft", "ifft", "compat.v1.spectral.ifft")
def ifft(xp, input):
    """The inverse of `fft`: the transform with the opposite sign, divided by the length of the axis."""
    return _transformed(xp.fft.ifftn, input, 1)


@op(
    "FFT2D",
    "input:T -> T",
    types=COMPLEX,
    infer=_infer(2),
    vjp=lambda op, dy: math.multiply(ifft2d(dy), _size(dy, 2)),
)
@export("signal.fft2d", "compat.v1.fft2d", "compat.v1.spectral.fft2d")
def fft2d(xp, input):
    """The discrete Fourier transform along the last two axes."""
    return _transformed(xp.fft.fftn, input, 2)


@op(
    "IFFT2D",
    "input:T -> T",
    types=COMPLEX,
    infer=_infer(2),
    vjp=lambda op, dy: division.real_divide(fft2d(dy), _size(dy, 2)),
)
@export("signal.ifft2d", "compat.v1.ifft2d", "compat.v1.spectral.ifft2d")
def ifft2d(xp, input):
    """The inverse of `fft2d`."""
    return _transformed(xp.fft.ifftn, input, 2)


@op(
    "FFT3D",
    "input:T -> T",
    types=COMPLEX,
    infer=_infer(3),
    vjp=lambda op, dy: math.multiply(ifft3d(dy), _size(dy, 3)),
)
@export("signal.fft3d", "compat.v1.fft3d", "compat.v1.spectral.fft3d")
def fft3d(xp, input):
    """The discrete Fourier transform along the last three axes."""
    return _transformed(xp.fft.fftn, input, 3)


@op(
    "IFFT3D",
    "input:T -> T",
    types=COMPLEX,
    infer=_infer(3),
    vjp=lambda op, dy: division.real_divide(fft3d(dy), _size(dy, 3)),
)
@export("signal.ifft3d", "compat.v1.ifft3d", "compat.v1.spectral.ifft3d")
def ifft3d(xp, input):
    """The inverse of `fft3d`."""
    return _transformed(xp.fft.ifftn, input, 3)


_COMPLEX_PAIRS: dict[int, tuple[Any, Any]] = {1: (fft, ifft), 2: (fft2d, ifft2d), 3: (fft3d, ifft3d)}

# ---------------------------------------------------------------- of real numbers


def _lengths(s: Shapes, rank: int) -> tuple[Dims, list[int | None]]:
    """The shape of the input, and how many numbers are transformed along each axis."""
    dims, given = s.dims[0], s.partial_value(1)
    _checked_rank(dims, rank)
    if s.dims[1] is not None and s.dims[1] != (rank,) and s.dims[1] != (None,):
        raise ValueError(f"fft_length must have shape [{rank}], got {list(s.dims[1])}")
    return dims, [None] * rank if given is None else list(given)


def _half(size: int) -> int:
    """How many numbers stand for the transform of `size` real ones."""
    return size // 2 + 1 if size else 0


def _rfft_infer(rank: int) -> Callable[[Shapes], list[Dims]]:
    def infer(s: Shapes) -> list[Dims]:
        dims, sizes = _lengths(s, rank)
        if dims is None:
            return [None]
        last = None if sizes[-1] is None else _half(sizes[-1])
        return [(*dims[:-rank], *sizes[:-1], last)]

    return infer


def _irfft_infer(rank: int) -> Callable[[Shapes], list[Dims]]:
    def infer(s: Shapes) -> list[Dims]:
        dims, sizes = _lengths(s, rank)
        return [None if dims is None else (*dims[:-rank], *sizes)]

    return infer


def _fitted(x: Any, sizes: Any, rank: int) -> Any:
    """The last axes cut or filled up with zeros to these sizes."""
    whole = array.shape(x)
    outer = whole[:-rank]
    none = array.zeros_like(outer)
    grown = joining.concat([none, math.maximum(sizes - whole[-rank:], 0)], 0)
    x = slicing.pad(x, joining.stack([array.zeros_like(whole), grown], 1))
    return slicing.slice_(x, array.zeros_like(whole), joining.concat([outer, sizes], 0))


def _rfft_vjp(rank: int) -> Callable[..., Any]:
    def vjp(op: Any, dy: Any) -> Any:
        x, sizes = op.inputs[0], convert_to_tensor(op.inputs[1])
        spectrum = _fitted(dy, sizes, rank)
        found = complex_numbers.real(math.multiply(_COMPLEX_PAIRS[rank][1](spectrum), _size(spectrum, rank)))
        return _fitted(found, array.shape(x)[-rank:], rank), None

    return vjp


def _irfft_vjp(rank: int) -> Callable[..., Any]:
    def vjp(op: Any, dy: Any) -> Any:
        x, sizes = op.inputs[0], convert_to_tensor(op.inputs[1])
        found = _RFFT[rank](dy, sizes, Tcomplex=x.dtype)
        places = ranges.range_(division.floordiv(sizes[-1], 2) + 1)
        # What is there once in the whole spectrum counts once; everything else stands for its mirror image too.
        once = math.logical_or(math.equal(places, 0), math.equal(places * 2, sizes[-1]))
        weights = array.where(once, array.ones_like(places), array.ones_like(places) * 2)
        scale = division.real_divide(math.cast(weights, x.dtype), math.cast(reductions.reduce_prod(sizes), x.dtype))
        return _fitted(math.multiply(found, scale), array.shape(x)[-rank:], rank), None

    return vjp


def _numbers(fft_length: Any, rank: int) -> tuple[int, ...]:
    sizes = tuple(np.asarray(fft_length).reshape(-1).tolist())
    if len(sizes) != rank:
        raise ValueError(f"fft_length must have shape [{rank}], got {list(np.shape(fft_length))}")
    return sizes


def _rfft_op(name: str, rank: int) -> Any:
    def kernel(xp: Any, input: Any, fft_length: Any, *, Tcomplex: DType) -> Any:
        sizes = _numbers(fft_length, rank)
        if not np.size(input) or 0 in sizes:
            return xp.zeros((*np.shape(input)[:-rank], *sizes[:-1], _half(sizes[-1])), Tcomplex.np)
        return xp.fft.rfftn(input, s=sizes, axes=_axes(rank)).astype(Tcomplex.np)

    kernel.__name__, kernel.__doc__ = f"_{name.lower()}", "The transform of real numbers, without its mirror image."
    return op(
        name,
        "input:T, fft_length:int32 -> Tcomplex",
        types=REAL,
        static=("fft_length",),
        infer=_rfft_infer(rank),
        vjp=_rfft_vjp(rank),
    )(kernel)


def _irfft_op(name: str, rank: int) -> Any:
    def kernel(xp: Any, input: Any, fft_length: Any, *, Treal: DType) -> Any:
        sizes = _numbers(fft_length, rank)
        if not np.size(input) or 0 in sizes:
            return xp.zeros((*np.shape(input)[:-rank], *sizes), Treal.np)
        return xp.fft.irfftn(input, s=sizes, axes=_axes(rank)).astype(Treal.np)

    kernel.__name__, kernel.__doc__ = f"_{name.lower()}", "The real numbers whose transform this is."
    return op(
        name,
        "input:T, fft_length:int32 -> Treal",
        types=COMPLEX,
        static=("fft_length",),
        infer=_irfft_infer(rank),
        vjp=_irfft_vjp(rank),
    )(kernel)


_RFFT = {1: _rfft_op("RFFT", 1), 2: _rfft_op("RFFT2D", 2), 3: _rfft_op("RFFT3D", 3)}
_IRFFT = {1: _irfft_op("IRFFT", 1), 2: _irfft_op("IRFFT2D", 2), 3: _irfft_op("IRFFT3D", 3)}


def _of_real(input_tensor: Any, fft_length: Any, rank: int, name: str | None) -> Any:
    x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32)
    if x.dtype not in REAL:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
    x.shape.with_rank_at_least(rank)
    sizes = array.shape(x)[-rank:] if fft_length is None else convert_to_tensor(fft_length, dtypes.int32)
    kind = dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128
    return _RFFT[rank](x, sizes, Tcomplex=kind, name=name)


def _to_real(input_tensor: Any, fft_length: Any, rank: int, name: str | None) -> Any:
    x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
    x.shape.with_rank_at_least(rank)
    if x.dtype not in COMPLEX:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
    if fft_length is None:
        given = array.shape(x)[-rank:]
        sizes = joining.concat([given[:-1], math.maximum(0, 2 * (given[-1:] - 1))], 0)
    else:
        sizes = convert_to_tensor(fft_length, dtypes.int32)
    return _IRFFT[rank](x, sizes, Treal=x.dtype.real_dtype, name=name)


@export("signal.rfft", "compat.v1.spectral.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The Fourier transform of real numbers along the last axis, without the mirror image that it has.

    Args:
      input_tensor: float32 or float64, [..., n].
      fft_length: int32 [1], how many numbers are transformed: cut, or filled up with zeros; all if None.
      name: the node's name.

    Returns:
      complex64 or complex128, [..., fft_length // 2 + 1].

    Raises:
      ValueError: for another type.
    """
    return _of_real(input_tensor, fft_length, 1, name)


@export("signal.irfft", "compat.v1.spectral.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The inverse of `rfft`.

    Args:
      input_tensor: complex64 or complex128, [..., n].
      fft_length: int32 [1], how many real numbers there are; `2 * (n - 1)` if None.
      name: the node's name.

    Returns:
      float32 or float64, [..., fft_length].

    Raises:
      ValueError: for another type.
    """
    return _to_real(input_tensor, fft_length, 1, name)


@export("signal.rfft2d", "compat.v1.spectral.rfft2d")
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """`rfft` along the last two axes; `fft_length` is int32 [2]."""
    return _of_real(input_tensor, fft_length, 2, name)


@export("signal.irfft2d", "compat.v1.spectral.irfft2d")
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The inverse of `rfft2d`; `fft_length` is int32 [2]."""
    return _to_real(input_tensor, fft_length, 2, name)


@export("signal.rfft3d", "compat.v1.spectral.rfft3d")
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """`rfft` along the last three axes; `fft_length` is int32 [3]."""
    return _of_real(input_tensor, fft_length, 3, name)


@export("signal.irfft3d", "compat.v1.spectral.irfft3d")
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The inverse of `rfft3d`; `fft_length` is int32 [3]."""
    return _to_real(input_tensor, fft_length, 3, name)


# ---------------------------------------------------------------- where frequency 0 stands


def _shifted(x: Any, axes: Any, back: bool, name: str | None) -> Any:
    x = convert_to_tensor(x)
    if axes is None:
        axes = ranges.range_(array.rank(x)) if x.shape.rank is None else list(range(x.shape.rank))
    known = [constant_of(axis) for axis in axes] if isinstance(axes, (list, tuple)) else constant_of(axes)
    if known is None or (isinstance(known, list) and any(axis is None for axis in known)):
        places = array.reshape(math.whole_numbers(axes, dtypes.int32), [-1])
        sizes = gathering.gather(array.shape(x), division.floormod(places, array.rank(x)))
    else:
        if not isinstance(known, list) and known.dtype.kind == "f":
            raise TypeError(f"Expected int for argument 'axes' not {axes!r}.")
        places = wholes(known if isinstance(known, list) else known.reshape(-1), "axes")
        if not places:
            return array.identity(x, name=name)
        sizes = joining.stack([array.shape(x)[axis] for axis in places])
    half = division.floordiv(sizes, 2)
    shift = math.negative(half) if back else half
    return rearranging.roll(x, shift, convert_to_tensor(places, dtypes.int32), name=name)


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Moves frequency 0 from the start of axes to their middle.

    Args:
      x: a tensor.
      axes: an axis or several; all if None.
      name: the node's name.
    """
    return _shifted(x, axes, False, name)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """The inverse of `fftshift`: moves frequency 0 from the middle of axes to their start; arguments likewise."""
    return _shifted(x, axes, True, name)
