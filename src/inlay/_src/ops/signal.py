"""Fourier transforms along the last axes, of complex numbers and of real ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.parameters import described
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import COMPLEX, DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.context import name_scope
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
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
    stacking,
)
from inlay._src.ops.shaping import axis_of
from inlay._src.ops.special import from_scipy, scipy_is_installed

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
    """The size of one transform, in the type of `x`."""
    return math.cast(reductions.reduce_prod(array.shape(x)[-rank:]), x.dtype)


_TRANSFORMS = ThreadChoice()


def _transform(xp: Any, name: str, x: Any) -> Any:
    """The transform of this name for an array: SciPy's for a large one, else that of NumPy or JAX.

    Both libraries contain pocketfft. SciPy's transforms several rows at a time with vector instructions, complex64 with
    complex64, and rows on several threads. NumPy's is without these, and computes complex64 forward as complex128.
    """
    if xp is not np or x.size < TUNING.scipy_fft_elements or not scipy_is_installed():
        return getattr(xp.fft, name)
    transform = from_scipy("fft", name)

    def transformed(x: Any, *args: Any, **options: Any) -> Any:
        with _TRANSFORMS.over(TUNING.fft_byte_ns * x.nbytes, 1) as threads:
            return transform(x, *args, workers=threads, **options)

    return transformed


def _transformed(xp: Any, name: str, x: Any, rank: int) -> Any:
    _checked_rank(np.shape(x), rank)
    return _transform(xp, name, x)(x, axes=_axes(rank)).astype(x.dtype, copy=False) if np.size(x) else x


_ALONG = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}
_SUFFIXES = {1: "", 2: "2D", 3: "3D"}
"""Rank -> the end of the names of its ops."""


def _complex_ops(rank: int) -> tuple[Any, Any]:
    """Declares the transform of complex numbers along the last `rank` axes, and its inverse."""

    def fft(xp: Any, input: Any) -> Any:
        return _transformed(xp, "fftn", input, rank)

    def ifft(xp: Any, input: Any) -> Any:
        return _transformed(xp, "ifftn", input, rank)

    fft.__doc__ = f"The discrete Fourier transform along {_ALONG[rank]}."
    ifft.__doc__ = f"The inverse of the discrete Fourier transform along {_ALONG[rank]}; scaled by 1 / n."
    for kernel in (fft, ifft):
        kernel.__name__ += _SUFFIXES[rank].lower()
    declare = functools.partial(op, types=COMPLEX, infer=_infer(rank))
    inverse: Any
    forward = declare(
        f"FFT{_SUFFIXES[rank]}", "input:T -> T", vjp=lambda op, dy: math.multiply(inverse(dy), _size(dy, rank))
    )(fft)
    inverse = declare(
        f"IFFT{_SUFFIXES[rank]}", "input:T -> T", vjp=lambda op, dy: division.real_divide(forward(dy), _size(dy, rank))
    )(ifft)
    return forward, inverse


_COMPLEX = {rank: _complex_ops(rank) for rank in _ALONG}
"""Rank -> the transform and its inverse."""

fft: Any = export("signal.fft", "fft", "compat.v1.spectral.fft")(_COMPLEX[1][0])
ifft: Any = export("signal.ifft", "ifft", "compat.v1.spectral.ifft")(_COMPLEX[1][1])
fft2d: Any = export("signal.fft2d", "compat.v1.fft2d", "compat.v1.spectral.fft2d")(_COMPLEX[2][0])
ifft2d: Any = export("signal.ifft2d", "compat.v1.ifft2d", "compat.v1.spectral.ifft2d")(_COMPLEX[2][1])
fft3d: Any = export("signal.fft3d", "compat.v1.fft3d", "compat.v1.spectral.fft3d")(_COMPLEX[3][0])
ifft3d: Any = export("signal.ifft3d", "compat.v1.ifft3d", "compat.v1.spectral.ifft3d")(_COMPLEX[3][1])

# ---------------------------------------------------------------- of real numbers


def _lengths(s: Shapes, rank: int) -> tuple[Dims, list[int | None]]:
    """The shape of the input, and how many numbers are transformed along each axis."""
    dims, lengths = s.dims[0], s.partial_value(1)
    _checked_rank(dims, rank)
    if s.dims[1] is not None and s.dims[1] != (rank,) and s.dims[1] != (None,):
        raise ValueError(f"fft_length must have shape [{rank}], got {list(s.dims[1])}")
    return dims, [None] * rank if lengths is None else list(lengths)


def _half(size: int) -> int:
    """The number of distinct coefficients in the transform of `size` real numbers."""
    return size // 2 + 1 if size else 0


def _fitted(x: Any, sizes: Any, rank: int) -> Any:
    """The last axes cut or filled up with zeros to these sizes."""
    whole = array.shape(x)
    outer = whole[:-rank]
    none = array.zeros_like(outer)
    grown = joining.concat([none, math.maximum(sizes - whole[-rank:], 0)], 0)
    x = slicing.pad(x, stacking.stack([array.zeros_like(whole), grown], 1))
    return slicing.slice_(x, array.zeros_like(whole), joining.concat([outer, sizes], 0))


def _numbers(fft_length: Any, rank: int) -> tuple[int, ...]:
    sizes = tuple(np.asarray(fft_length).reshape(-1).tolist())
    if len(sizes) != rank:
        raise ValueError(f"fft_length must have shape [{rank}], got {list(np.shape(fft_length))}")
    if min(sizes) < 0:
        raise ValueError(f"fft_length must >= 0, but got: {list(sizes)}")
    return sizes


def _real_ops(rank: int) -> tuple[Any, Any]:
    """Declares the transform of real numbers along the last `rank` axes, and its inverse."""

    def rfft(xp: Any, input: Any, fft_length: Any, *, Tcomplex: DType) -> Any:
        """The transform of real numbers, without its mirror image."""
        sizes = _numbers(fft_length, rank)
        if not np.size(input) or 0 in sizes:
            return xp.zeros((*np.shape(input)[:-rank], *sizes[:-1], _half(sizes[-1])), Tcomplex.np)
        spectrum = _transform(xp, "rfftn", input)(input, s=sizes, axes=_axes(rank))
        return spectrum.astype(Tcomplex.np, copy=False)

    def irfft(xp: Any, input: Any, fft_length: Any, *, Treal: DType) -> Any:
        """The real numbers whose transform this is."""
        sizes = _numbers(fft_length, rank)
        if not np.size(input) or 0 in sizes:
            return xp.zeros((*np.shape(input)[:-rank], *sizes), Treal.np)
        numbers = _transform(xp, "irfftn", input)(input, s=sizes, axes=_axes(rank))
        return numbers.astype(Treal.np, copy=False)

    def rfft_infer(s: Shapes) -> list[Dims]:
        dims, sizes = _lengths(s, rank)
        if dims is None:
            return [None]
        last = None if sizes[-1] is None else _half(sizes[-1])
        return [(*dims[:-rank], *sizes[:-1], last)]

    def irfft_infer(s: Shapes) -> list[Dims]:
        dims, sizes = _lengths(s, rank)
        return [None if dims is None else (*dims[:-rank], *sizes)]

    def rfft_vjp(op: Any, dy: Any) -> Any:
        x, sizes = op.inputs[0], convert_to_tensor(op.inputs[1])
        spectrum = _fitted(dy, sizes, rank)
        dx = complex_numbers.real(math.multiply(_COMPLEX[rank][1](spectrum), _size(spectrum, rank)))
        return _fitted(dx, array.shape(x)[-rank:], rank), None

    def irfft_vjp(op: Any, dy: Any) -> Any:
        x, sizes = op.inputs[0], convert_to_tensor(op.inputs[1])
        spectrum = forward(dy, sizes, Tcomplex=x.dtype)
        places = ranges.range_(division.floordiv(sizes[-1], 2) + 1)
        # An element that occurs once in the whole spectrum counts once; any other stands for its mirror image too.
        once = math.logical_or(math.equal(places, 0), math.equal(places * 2, sizes[-1]))
        weights = array.where(once, array.ones_like(places), array.ones_like(places) * 2)
        scale = division.real_divide(math.cast(weights, x.dtype), math.cast(reductions.reduce_prod(sizes), x.dtype))
        return _fitted(math.multiply(spectrum, scale), array.shape(x)[-rank:], rank), None

    for kernel in (rfft, irfft):
        kernel.__name__ = f"_{kernel.__name__}{_SUFFIXES[rank].lower()}"
    static = ("fft_length",)
    forward = op(
        f"RFFT{_SUFFIXES[rank]}", "input:T, fft_length:int32 -> Tcomplex", types=REAL, static=static, infer=rfft_infer,
        vjp=rfft_vjp,
    )(rfft)  # fmt: skip
    inverse = op(
        f"IRFFT{_SUFFIXES[rank]}", "input:T, fft_length:int32 -> Treal", types=COMPLEX, static=static,
        infer=irfft_infer, vjp=irfft_vjp,
    )(irfft)  # fmt: skip
    return forward, inverse


def _real(rank: int) -> tuple[Any, Any]:
    """The public functions of a rank."""
    forward, inverse = _real_ops(rank)
    name = _SUFFIXES[rank].lower()

    def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32)
        if x.dtype not in REAL:
            raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
        x.shape.with_rank_at_least(rank)
        sizes = array.shape(x)[-rank:] if fft_length is None else convert_to_tensor(fft_length, dtypes.int32)
        dtype = dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128
        return forward(x, sizes, Tcomplex=dtype, name=name)

    def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
        x.shape.with_rank_at_least(rank)
        if x.dtype not in COMPLEX:
            raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
        if fft_length is None:
            half = array.shape(x)[-rank:]
            sizes = joining.concat([half[:-1], math.maximum(0, 2 * (half[-1:] - 1))], 0)
        else:
            sizes = convert_to_tensor(fft_length, dtypes.int32)
        return inverse(x, sizes, Treal=x.dtype.real_dtype, name=name)

    rfft.__doc__ = f"""The Fourier transform of real numbers along {_ALONG[rank]}, without the mirror image that it has.

    Args:
      input_tensor: float32 or float64, [..., n].
      fft_length: int32 [{rank}], how many numbers are transformed: cut, or filled up with zeros; all if None.
      name: the node's name.

    Returns:
      complex64 or complex128, [..., fft_length // 2 + 1].

    Raises:
      ValueError: for another type.
    """
    irfft.__doc__ = f"""The inverse of `rfft{name}`.

    Args:
      input_tensor: complex64 or complex128, [..., n].
      fft_length: int32 [{rank}], how many real numbers there are; `2 * (n - 1)` along the last axis if None.
      name: the node's name.

    Returns:
      float32 or float64, [..., fft_length].

    Raises:
      ValueError: for another type.
    """
    return rfft, irfft


_REAL = {rank: _real(rank) for rank in _ALONG}

rfft: Any = export("signal.rfft", "compat.v1.spectral.rfft")(_REAL[1][0])
irfft: Any = export("signal.irfft", "compat.v1.spectral.irfft")(_REAL[1][1])
rfft2d: Any = export("signal.rfft2d", "compat.v1.spectral.rfft2d")(_REAL[2][0])
irfft2d: Any = export("signal.irfft2d", "compat.v1.spectral.irfft2d")(_REAL[2][1])
rfft3d: Any = export("signal.rfft3d", "compat.v1.spectral.rfft3d")(_REAL[3][0])
irfft3d: Any = export("signal.irfft3d", "compat.v1.spectral.irfft3d")(_REAL[3][1])


# ---------------------------------------------------------------- where frequency 0 stands


def _shifted(x: Any, axes: Any, back: bool, name: str | None) -> Any:
    x = convert_to_tensor(x)
    if axes is None:
        axes = ranges.range_(array.rank(x)) if x.shape.rank is None else list(range(x.shape.rank))
    static = [constant_of(axis) for axis in axes] if isinstance(axes, (list, tuple)) else constant_of(axes)
    if static is None or (isinstance(static, list) and any(axis is None for axis in static)):
        places = array.reshape(math.whole_numbers(axes, dtypes.int32), [-1])
        sizes = gathering.gather(array.shape(x), division.floormod(places, array.rank(x)))
    else:
        if not isinstance(static, list) and static.dtype.kind == "f":
            raise TypeError(f"Expected int for argument 'axes' not {axes!r}.")
        places = wholes(static if isinstance(static, list) else static.reshape(-1), "axes")
        if not places:
            return array.identity(x, name=name)
        sizes = stacking.stack([array.shape(x)[axis] for axis in places])
    half = division.floordiv(sizes, 2)
    shift = math.negative(half) if back else half
    return rearranging.roll(x, shift, convert_to_tensor(places, dtypes.int32), name=name)


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Moves frequency 0 from the start of axes to their middle.

    Args:
      x: a tensor.
      axes: an axis or several; all if None.
      name: the node's name.
    """
    return _shifted(x, axes, False, name)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`: moves frequency 0 from the middle of axes to their start; arguments likewise."""
    return _shifted(x, axes, True, name)


# ---------------------------------------------------------------- along any axes


def _along(transform: Callable[[Any], Any], x: Any, axis: int) -> Any:
    """A transform of the last axis, along another one."""
    last = x.shape.rank - 1
    if axis == last:
        return transform(x)
    order = [last if at == axis else axis if at == last else at for at in range(last + 1)]
    return rearranging.transpose(transform(rearranging.transpose(x, order)), order)


def _named_axes(x: Any, axes: Any) -> list[int]:
    """Axes as numbers from 0: all of them if None."""
    if x.shape.rank is None:
        raise ValueError("input_tensor should have a known rank, got a tensor of unknown rank")
    rank = x.shape.rank
    listed = list(range(rank)) if axes is None else [axis_of(axis, rank) for axis in wholes(axes, "axes")]
    if len({*listed}) < len(listed):
        raise ValueError(f"axes must differ, got {axes}")
    return listed


def _halved_axes(x: Any, axes: Any) -> list[int]:
    """Axes as numbers from 0, the last one of which has half a spectrum."""
    listed = _named_axes(x, axes)
    if not listed:
        raise ValueError(f"a transform of real numbers needs at least one axis, got shape {x.shape} and axes={axes}")
    return listed


def _points(x: Any, axes: list[int], fft_length: Any, halved: bool = False) -> Any:
    """The number of points along each axis; `halved`: where `x` has half of those of the last axis."""
    if fft_length is None:
        sizes = stacking.stack([array.shape(x)[axis] for axis in axes])
        return joining.concat([sizes[:-1], math.maximum(0, 2 * (sizes[-1:] - 1))], 0) if halved else sizes
    sizes = convert_to_tensor(fft_length, dtypes.int32)
    if not sizes.shape.is_compatible_with([len(axes)]):
        raise ValueError(f"fft_length must have an entry for each of the axes {axes}, got shape {sizes.shape}")
    return sizes


def _normalized(x: Any, sizes: Any, norm: str | None, back: bool) -> Any:
    """Results of transforms of which the inverse alone divides by the number of points, scaled as `norm` says."""
    if norm in (None, "backward"):
        return x
    if norm not in ("ortho", "forward"):
        raise ValueError(f"norm must be 'backward', 'ortho' or 'forward', got {norm!r}")
    count = math.cast(reductions.reduce_prod(sizes), x.dtype.real_dtype)
    scale = count if norm == "forward" else count**0.5
    return x * math.cast(scale if back else 1 / scale, x.dtype)


def _complex_along(x: Any, axes: list[int], sizes: Any, back: bool) -> Any:
    """The complex transforms along some axes, each of so many points."""
    transform = ifft if back else fft

    def of(size: Any) -> Callable[[Any], Any]:
        return lambda rows: transform(_fitted(rows, size, 1))

    for place, axis in enumerate(axes):
        x = _along(of(sizes[place : place + 1]), x, axis)
    return x


_ANY_AXES = """Args:
  input_tensor: a tensor of known rank: {types}.
  fft_length: int32, the number of points along each of `axes`: cut, or filled up with zeros; all of them if None.
  axes: numbers of axes, which differ; None for all of them.
  norm: "backward", the default: the inverse divides by the number of points; "forward": the transform does; "ortho":
    both divide by its root.
  name: the nodes' scope.

Returns:
  {result}.

Raises:
  ValueError: for another type, `axes`, `fft_length` or `norm`.
"""


@export("signal.fftnd")
@described(_ANY_AXES.format(types="complex64 or complex128", result="A tensor of the same type"))
def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The discrete Fourier transform along any axes."""
    return _complex_transform(input_tensor, fft_length, axes, norm, name, False)


@export("signal.ifftnd")
@described(_ANY_AXES.format(types="complex64 or complex128", result="A tensor of the same type"))
def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of the discrete Fourier transform along any axes."""
    return _complex_transform(input_tensor, fft_length, axes, norm, name, True)


def _complex_transform(input_tensor: Any, fft_length: Any, axes: Any, norm: Any, name: str | None, back: bool) -> Any:
    with name_scope(name, "ifftnd" if back else "fftnd"):
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
        if x.dtype not in COMPLEX:
            raise ValueError(f"FFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
        listed = _named_axes(x, axes)
        if not listed:
            return array.identity(x)
        sizes = _points(x, listed, fft_length)
        return _normalized(_complex_along(x, listed, sizes, back), sizes, norm, back)


@export("signal.rfftnd")
@described(
    _ANY_AXES.format(
        types="float32 or float64", result="complex64 or complex128; half as long along the last of `axes`"
    )
)
def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The Fourier transform of real numbers along any axes, without the mirror image in the last of them."""
    with name_scope(name, "rfftnd"):
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.float32)
        if x.dtype not in REAL:
            raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
        listed = _halved_axes(x, axes)
        sizes = _points(x, listed, fft_length)
        half = _along(lambda rows: rfft(rows, sizes[-1:]), x, listed[-1])
        return _normalized(_complex_along(half, listed[:-1], sizes, False), sizes, norm, False)


@export("signal.irfftnd")
@described(_ANY_AXES.format(types="complex64 or complex128", result="float32 or float64"))
def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfftnd`; without `fft_length` it makes `2 * (n - 1)` points along the last of the axes."""
    with name_scope(name, "irfftnd"):
        x = convert_to_tensor(input_tensor, preferred_dtype=dtypes.complex64)
        if x.dtype not in COMPLEX:
            raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
        listed = _halved_axes(x, axes)
        sizes = _points(x, listed, fft_length, halved=True)
        whole = _complex_along(x, listed[:-1], sizes, True)
        return _normalized(_along(lambda rows: irfft(rows, sizes[-1:]), whole, listed[-1]), sizes, norm, True)
