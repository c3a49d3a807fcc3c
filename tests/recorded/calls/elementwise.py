"""Calls of elementwise functions: arithmetic, comparisons, logarithms, bits, casts."""

from __future__ import annotations

import numpy as np

from tests.recorded.draws import Call, Draws, calls


@calls(
    "abs negative sign square floor round math.ceil math.rint math.sqrt math.rsqrt exp math.expm1"
    " math.log math.log1p sin cos tan sinh cosh tanh asinh atan math.erf math.erfc math.sigmoid math.softplus"
    " math.softsign math.reciprocal math.log_sigmoid math.is_nan math.is_inf math.is_finite math.conj zeros_like"
    " ones_like identity stop_gradient rank shape size math.zero_fraction nn.elu nn.relu nn.relu6 nn.selu nn.l2_loss"
    " compat.v1.to_float compat.v1.to_int32 compat.v1.to_double compat.v1.to_int64 compat.v1.zeros_like"
    " compat.v1.ones_like compat.v1.shape compat.v1.size sigmoid"
)
def of_any_number(d: Draws) -> Call:
    return d.call(d.given("number" if d.chance(0.3) else "float", d.shape()))


@calls("asin acos atanh math.erfinv math.ndtri math.erfcinv", loose=10)
def of_unit_interval(d: Draws) -> Call:
    low = d.pick(-1.0, 0.0)
    return d.call(d.given("wide" if d.chance(0.7) else "float", d.shape(), low, 1.0))


@calls("acosh math.lgamma math.digamma", loose=20)
def of_positive(d: Draws) -> Call:
    return d.call(d.given("wide", d.shape(), 0.6, 6.0))


@calls("math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e", loose=20)
def bessel(d: Draws) -> Call:
    return d.call(d.given("wide", d.shape(), -5.0, 5.0), order=1)


@calls("math.real math.imag math.angle")
def parts_of_complex(d: Draws) -> Call:
    return d.call(d.given("complex" if d.chance(0.8) else "float", d.shape()))


@calls(
    "add subtract multiply maximum minimum math.squared_difference math.floordiv math.floormod truncatediv truncatemod"
    " realdiv divide truediv math.divide_no_nan math.multiply_no_nan math.xlogy math.xlog1py math.xdivy atan2"
    " compat.v1.div compat.v1.floor_div math.mod"
)
def arithmetic(d: Draws) -> Call:
    kind = d.dtype("number" if d.chance(0.4) else "real")
    x, y = d.broadcasting(2, kind)
    if y.array.dtype.kind in "iu" and d.chance(0.8):
        y = type(y)(np.where(y.array == 0, 1, y.array).astype(y.array.dtype))
    return d.call(x, y)


@calls("equal not_equal less less_equal greater greater_equal")
def comparison(d: Draws) -> Call:
    kind = d.dtype("any" if d.chance(0.4) else "real")
    return d.call(*d.broadcasting(2, kind, -2.0, 2.0))


@calls("logical_and logical_or math.logical_xor")
def logic(d: Draws) -> Call:
    return d.call(*d.broadcasting(2, np.dtype(bool)))


@calls("logical_not")
def logical_not(d: Draws) -> Call:
    return d.call(d.given(np.dtype(bool), d.shape()))


@calls("pow", loose=5)
def power(d: Draws) -> Call:
    kind = d.dtype("number" if d.chance(0.3) else "float")
    x, y = d.broadcasting(2, kind, 0.0 if d.chance(0.5) else -3.0)
    if y.array.dtype.kind == "i" and d.chance(0.8):
        y = type(y)(np.abs(y.array))
    return d.call(x, y)


@calls("math.nextafter")
def next_after(d: Draws) -> Call:
    return d.call(*d.broadcasting(2, d.dtype("wide")), order=0)


@calls("math.igamma math.igammac math.zeta math.polygamma", loose=100)
def gamma(d: Draws) -> Call:
    kind = d.dtype("wide")
    x, y = d.broadcasting(2, kind, 1.1, 4.0)
    return d.call(type(x)(np.rint(x.array).astype(kind)) if d.chance(0.5) else x, y, order=0)


@calls("math.betainc", loose=100)
def betainc(d: Draws) -> Call:
    kind = d.dtype("wide")
    a, b, _ = d.broadcasting(3, kind, 0.5, 4.0)
    return d.call(a, b, d.given(kind, d.pick(a.array.shape, ()), 0.0, 1.0), order=0)


@calls("math.lbeta", loose=100)
def lbeta(d: Draws) -> Call:
    return d.call(d.given("wide", d.shape(), 0.5, 4.0))


@calls("clip_by_value")
def clip(d: Draws) -> Call:
    kind = d.dtype("real")
    x = d.given(kind, d.shape())
    if d.chance(0.6):
        low, high = (-1, 2) if kind.kind in "iu" else (-1.0, 1.5)
        return d.call(x, max(low, 0) if kind.kind == "u" else low, high)
    low_of = d.given(kind, x.array.shape if d.chance(0.5) else x.array.shape[-1:], -2.0, 0.0)
    return d.call(x, low_of, d.given(kind, (), 0.0, 2.0))


@calls("add_n math.accumulate_n")
def sum_of_several(d: Draws) -> Call:
    kind, shape = d.dtype("number"), d.shape()
    return d.call([d.given(kind, shape if d.chance(0.98) else (*shape, 2)) for _ in range(d.whole(1, 4))])


@calls("math.scalar_mul scalar_mul")
def scalar_mul(d: Draws) -> Call:
    kind = d.dtype("floating")
    scalar = 2.5 if d.chance(0.4) else d.given(kind, () if d.chance(0.95) else (2,))
    return d.call(scalar, d.given(kind, d.shape()))


@calls("math.polyval")
def polyval(d: Draws) -> Call:
    kind, shape = d.dtype("wide"), d.shape()
    return d.call([d.given(kind, shape if d.chance(0.7) else ()) for _ in range(d.whole(0, 3))], d.given(kind, shape))


@calls("complex")
def make_complex(d: Draws) -> Call:
    return d.call(*d.broadcasting(2, d.dtype("wide")))


@calls("cast saturate_cast")
def cast(d: Draws) -> Call:
    source = d.dtype("any")
    x = d.given(source, d.shape(), 0.0 if d.chance(0.5) else -3.0, 100.0 if d.chance(0.5) else 3.0, odd=False)
    return d.call(
        x, d.pick("float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "uint8", "bool", "complex64")
    )


@calls("bitcast")
def bitcast(d: Draws) -> Call:
    x = d.given(
        d.pick("float32", "int32", "uint8", "int64", "float64"), (*d.shape(0, 2), d.pick(1, 2, 4, 8)), odd=False
    )
    return d.call(x, d.pick("float32", "int32", "uint8", "int64", "float16"), order=0)


@calls("bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift")
def bits(d: Draws) -> Call:
    kind = d.dtype("int")
    x, y = d.broadcasting(2, kind, 0.0 if d.chance(0.5) else -50.0, 100.0)
    return d.call(x, type(y)((np.abs(y.array) % 7).astype(kind)))


@calls("bitwise.invert")
def invert(d: Draws) -> Call:
    return d.call(d.given("int", d.shape(), -50.0, 100.0))


@calls("where")
def where(d: Draws) -> Call:
    if d.chance(0.25):
        return d.call(d.given(d.dtype("any"), d.shape()), order=0)
    x, y = d.broadcasting(2, d.dtype("any"))
    shape = np.broadcast_shapes(x.array.shape) if d.chance(0.6) else x.array.shape[-1:]
    return d.call(d.given(np.dtype(bool), shape), x, y)


@calls("nn.leaky_relu")
def leaky_relu(d: Draws) -> Call:
    return d.call(d.given("real", d.shape()), alpha=d.optional(0.3, 0.0))


@calls("nn.gelu nn.silu", loose=5)
def gelu(d: Draws) -> Call:
    return d.call(d.given("float", d.shape()))


@calls("nn.gelu:approximate", loose=5)
def gelu_approximate(d: Draws) -> Call:
    return d.call(d.given("float", d.shape()), approximate=True)


@calls("nn.silu:beta", loose=5)
def silu_beta(d: Draws) -> Call:
    return d.call(d.given("wide", d.shape()), beta=1.5)


@calls("debugging.check_numerics debugging.assert_all_finite")
def check_numerics(d: Draws) -> Call:
    return d.call(d.given("float", d.shape()), "not finite")


@calls("ensure_shape")
def ensure_shape(d: Draws) -> Call:
    x = d.given("any", d.shape())
    shape: list[int | None] = [None if d.chance(0.3) else n for n in x.array.shape]
    if d.chance(0.1):
        shape.append(1)
    return d.call(x, shape)
