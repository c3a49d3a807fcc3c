"""Complex numbers and their parts; `abs` and `sign`, whose gradients need them."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import COMPLEX, FLOATS, NUMBERS, SIGNED_INTS, TRAINABLE
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, composites_of, operand
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import broadcast, same
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops.array import ones_like, where, zeros_like
from inlay._src.ops.division import divide_no_nan
from inlay._src.ops.math import cast, conj, less, multiply, number_of, subtract
from inlay._src.ops.shaping import sum_like


@op(
    "Abs",
    "x:T -> T",
    lower=LoweringHints(ufunc=np.abs),
    types=FLOATS | SIGNED_INTS,
    infer=same,
    vjp=lambda op, dy: multiply(dy, sign(op.inputs[0])),
)
def real_abs(xp, x):
    """`|x|` elementwise, for real types."""
    return xp.abs(x)


def _sign_vjp(op, dy):
    x, y = op.inputs[0], op.outputs[0]
    if not x.dtype.is_complex:
        return zeros_like(x)
    along = cast(real(multiply(conj(y), dy)), x.dtype)  # what changes the modulus changes nothing here
    return divide_no_nan(subtract(dy, multiply(y, along)), cast(complex_abs(x), x.dtype))


@op("Sign", "x:T -> T", types=TRAINABLE | SIGNED_INTS, infer=same, vjp=_sign_vjp)
@export("sign", "math.sign")
def sign(xp, x):
    """-1, 0 or 1 elementwise; `x / |x|` for complex numbers."""
    if np.dtype(x.dtype).kind != "c":
        return xp.sign(x)
    size = xp.abs(x)
    return xp.where(size == 0, x, x / size)  # NaN at infinity, where NumPy takes a limit


@op(
    "Real",
    "input:T -> Tout",
    types=COMPLEX,
    infer=same,
    lower=LoweringHints(aliases=True),
    vjp=lambda op, dy: cast(dy, op.inputs[0].dtype),
)
def _real(xp, input, *, Tout):
    """The real part."""
    return xp.real(input)


@op(
    "Imag",
    "input:T -> Tout",
    types=COMPLEX,
    infer=same,
    lower=LoweringHints(aliases=True),
    vjp=lambda op, dy: multiply(cast(dy, op.inputs[0].dtype), number_of(1j, op.inputs[0])),
)
def _imag(xp, input, *, Tout):
    """The imaginary part."""
    return xp.imag(input)


def _angle_vjp(op, dy):
    z = op.inputs[0]
    turned = multiply(z, number_of(1j, z))
    return divide_no_nan(multiply(turned, cast(dy, z.dtype)), multiply(z, conj(z)))


@op("Angle", "input:T -> Tout", types=COMPLEX, infer=same, vjp=_angle_vjp)
def _angle(xp, input, *, Tout):
    """The argument of a complex number, in radians."""
    return xp.angle(input)


def _complex_vjp(op, dy):
    return sum_like(real(dy), op.inputs[0]), sum_like(imag(dy), op.inputs[1])


@op(
    "Complex",
    "real:T, imag:T -> Tout",
    types=frozenset({dtypes.float32, dtypes.float64}),
    infer=broadcast,
    vjp=_complex_vjp,
)
def _complex(xp, real, imag, *, Tout):
    """`real + 1j * imag`."""
    if real.shape != imag.shape:
        real, imag = xp.broadcast_arrays(real, imag)
    if xp is not np:
        return xla.lax().complex(real, imag)
    out = np.empty(real.shape, Tout.np)
    out.real, out.imag = real, imag
    return out


@export("complex", "math.complex", "dtypes.complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """`real + 1j * imag` elementwise: complex64 of float32 parts, complex128 of float64 parts."""
    real, imag = composites_of(real, imag)
    imag = operand(imag, real.dtype if answers(real) else None)
    real = operand(real, imag.dtype if answers(imag) else None)
    if real.dtype is not imag.dtype or real.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. They must be "
            "consistent, and one of [tf.float32, tf.float64]"
        )
    return _complex(real, imag, dtypes.complex64 if real.dtype is dtypes.float32 else dtypes.complex128, name=name)


@export("real", "math.real")
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part elementwise; real numbers are unchanged.

    Raises:
      TypeError: for a tensor of something else.
    """
    input = operand(input)
    if input.dtype not in NUMBERS:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype!r}")
    return _real(input, input.dtype.real_dtype, name=name) if input.dtype.is_complex else input


@export("imag", "math.imag")
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part elementwise; zero for real numbers."""
    input = operand(input)
    return _imag(input, input.dtype.real_dtype, name=name) if input.dtype.is_complex else zeros_like(input)


@export("angle", "math.angle")
def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument elementwise, in radians: 0 or pi for real numbers."""
    input = operand(input)
    if input.dtype.is_complex:
        return _angle(input, input.dtype.real_dtype, name=name)
    half_turn = multiply(ones_like(input), number_of(np.pi, input))
    return where(less(input, zeros_like(input)), half_turn, zeros_like(input))


@export("abs", "math.abs")
def abs(x: Any, name: str | None = None) -> Tensor:
    """`|x|` elementwise; for complex numbers the modulus, a real number."""
    if x.__class__ is not EagerTensor:
        x = operand(x)
    return complex_abs(x, name=name) if x.dtype._kind == "c" else real_abs(x, name=name)


def _complex_abs_vjp(op, dy):
    z, modulus = op.inputs[0], op.outputs[0]
    return multiply(cast(divide_no_nan(dy, modulus), z.dtype), z)


@op(
    "ComplexAbs",
    "x:T -> Tout",
    types=COMPLEX,
    infer=same,
    vjp=_complex_abs_vjp,
    label="Abs",
)
def complex_abs_op(xp, x, *, Tout=None):
    """The modulus of a complex number."""
    return xp.abs(x)


def complex_abs(x: Any, name: str | None = None) -> Any:
    """The modulus of a complex number."""
    return complex_abs_op(x, x.dtype.real_dtype, name=name)
