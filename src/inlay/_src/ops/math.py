"""Arithmetic, comparison, logic, rounding, types."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import floating
from inlay._src.base.misuse import explained, repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import COMPLEX, FLOATS, NUMBERS, REALS, DType
from inlay._src.core.eager.convert import convert_to_tensor, number_like
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, operand
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import Inference, Role, all_merged, broadcast, no_gradient, same
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.core.values import scalar_string
from inlay._src.ops.array import same_sizes, where, zeros_like
from inlay._src.ops.elementwise import ufunc_op
from inlay._src.ops.shaping import sum_like


def conjugate(x: Any) -> Any:
    """The complex conjugate: TensorFlow's gradients of holomorphic functions multiply by it."""
    return conj(x) if x.dtype._kind == "c" else x


# ---------------------------------------------------------------- arithmetic


def _add_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(dy, y)


@op(
    "AddV2",
    "x:T, y:T -> T",
    lower=LoweringHints(ufunc=np.add, operator="+"),
    types=NUMBERS | {dtypes.string},
    infer=broadcast,
    vjp=_add_vjp,
    label="Add",
)
@export("add", "math.add")
def add(xp, x, y):
    """`x + y` elementwise; strings are joined."""
    out = xp.add(x, y)
    return scalar_string(out) if out.__class__ is bytes else out  # NumPy unpacks an object of rank 0


def _subtract_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(negative(dy), y) if op.needs(1) else None


subtract: Callable[..., Any] = export("subtract", "math.subtract")(
    ufunc_op("Sub", np.subtract, "`x - y` elementwise.", NUMBERS, _subtract_vjp, operator="-", function="subtract")
)


def _multiply_vjp(op, dy):
    x, y = op.inputs
    return (
        sum_like(multiply(dy, conjugate(y)), x) if op.needs(0) else None,
        sum_like(multiply(dy, conjugate(x)), y) if op.needs(1) else None,
    )


multiply: Callable[..., Any] = export("multiply", "math.multiply")(
    ufunc_op("Mul", np.multiply, "`x * y` elementwise.", NUMBERS, _multiply_vjp, operator="*", function="multiply")
)


@op(
    "Neg",
    "x:T -> T",
    lower=LoweringHints(ufunc=np.negative, operator="-"),
    types=NUMBERS,
    infer=same,
    vjp=lambda op, dy: negative(dy),
)
@export("negative", "math.negative")
def negative(xp, x):
    """`-x` elementwise."""
    return xp.negative(x)


@op("Conj", "input:T -> T", types=COMPLEX, infer=same, vjp=lambda op, dy: _conj(dy))
def _conj(xp, x):
    """The complex conjugate."""
    return xp.conjugate(x)


@export("conj", "math.conj")
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate elementwise; a tensor of real numbers is returned as it is.

    Raises:
      TypeError: for a tensor of something else.
    """
    x = operand(x)
    if x.dtype.is_complex:
        return _conj(x, name=name)
    if x.dtype not in NUMBERS:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")
    return x


def two_like(x: Any) -> Any:
    return number_like(2, x)


# ---------------------------------------------------------------- comparison and logic


@op("Equal", "x:T, y:T -> bool", types=dtypes.DENSE, infer=broadcast, vjp=no_gradient)
@export("equal", "math.equal")
def equal(xp, x, y):
    """`x == y` elementwise."""
    return xp.equal(x, y) if x.dtype != object else np.equal(x, y).astype(bool)


@op("NotEqual", "x:T, y:T -> bool", types=dtypes.DENSE, infer=broadcast, vjp=no_gradient)
@export("not_equal", "math.not_equal")
def not_equal(xp, x, y):
    """`x != y` elementwise."""
    return xp.not_equal(x, y) if x.dtype != object else np.not_equal(x, y).astype(bool)


_test = functools.partial(ufunc_op, result=dtypes.bool_)

less: Callable[..., Any] = export("less", "math.less")(
    _test("Less", np.less, "`x < y` elementwise.", REALS, operator="<")
)

less_equal: Callable[..., Any] = export("less_equal", "math.less_equal")(
    _test("LessEqual", np.less_equal, "`x <= y` elementwise.", REALS, operator="<=")
)

greater: Callable[..., Any] = export("greater", "math.greater")(
    _test("Greater", np.greater, "`x > y` elementwise.", REALS, operator=">")
)

greater_equal: Callable[..., Any] = export("greater_equal", "math.greater_equal")(
    _test("GreaterEqual", np.greater_equal, "`x >= y` elementwise.", REALS, operator=">=")
)


def _chosen(first: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The gradient of the one of two that was taken: the first where `first(x, y)` holds."""

    def vjp(op, dy):
        x, y = op.inputs
        mine, zero = first(x, y), number_like(0, dy)
        return (
            sum_like(where(mine, dy, zero), x) if op.needs(0) else None,
            sum_like(where(mine, zero, dy), y) if op.needs(1) else None,
        )

    return vjp


@op(
    "Maximum",
    "x:T, y:T -> T",
    lower=LoweringHints(ufunc=np.maximum),
    types=REALS,
    infer=broadcast,
    vjp=_chosen(greater_equal),
)
@export("maximum", "math.maximum")
def maximum(xp, x, y):
    """The greater of two, elementwise; where equal, the gradient goes to `x`."""
    return xp.maximum(x, y)


@op(
    "Minimum",
    "x:T, y:T -> T",
    lower=LoweringHints(ufunc=np.minimum),
    types=REALS,
    infer=broadcast,
    vjp=_chosen(less_equal),
)
@export("minimum", "math.minimum")
def minimum(xp, x, y):
    """The lesser of two, elementwise; where equal, the gradient goes to `x`."""
    return xp.minimum(x, y)


logical_and: Callable[..., Any] = export("logical_and", "math.logical_and")(
    ufunc_op("LogicalAnd", np.logical_and, "`x and y` elementwise.", dtypes.bool_, operator="&")
)

logical_or: Callable[..., Any] = export("logical_or", "math.logical_or")(
    ufunc_op("LogicalOr", np.logical_or, "`x or y` elementwise.", dtypes.bool_, operator="|")
)

logical_not: Callable[..., Any] = export("logical_not", "math.logical_not")(
    ufunc_op("LogicalNot", np.logical_not, "`not x` elementwise.", dtypes.bool_, role=Role.NOT)
)

is_nan: Callable[..., Any] = export("is_nan", "math.is_nan", "compat.v1.debugging.is_nan")(
    _test("IsNan", np.isnan, "Whether an element is not a number.", FLOATS)
)

is_inf: Callable[..., Any] = export("is_inf", "math.is_inf", "compat.v1.debugging.is_inf")(
    _test("IsInf", np.isinf, "Whether an element is infinite.", FLOATS)
)

is_finite: Callable[..., Any] = export("is_finite", "math.is_finite", "compat.v1.debugging.is_finite")(
    _test("IsFinite", np.isfinite, "Whether an element is neither infinite nor NaN.", FLOATS)
)


@op("ApproximateEqual", "x:T, y:T -> bool", types=NUMBERS, infer=broadcast, vjp=no_gradient)
@export("approximate_equal", "math.approximate_equal")
def approximate_equal(xp, x, y, *, tolerance=1e-5):
    """Whether `|x - y| < tolerance`, elementwise."""
    return xp.less(xp.abs(xp.subtract(x, y)), tolerance)


# ---------------------------------------------------------------- rounding


floor: Callable[..., Any] = export("floor", "math.floor")(
    ufunc_op("Floor", np.floor, "The greatest whole number not above `x`, elementwise.", FLOATS)
)

ceil: Callable[..., Any] = export("ceil", "math.ceil")(
    ufunc_op("Ceil", np.ceil, "The least whole number not below `x`, elementwise.", FLOATS)
)

rint: Callable[..., Any] = export("rint", "math.rint")(
    ufunc_op("Rint", np.rint, "The nearest whole number, halves to the even one, elementwise.", FLOATS)
)


@op("Round", "x:T -> T", types=NUMBERS, infer=same, vjp=no_gradient)
def round_op(xp, x):
    """The nearest whole number, halves to the even one, elementwise; integers are unchanged."""
    kind = np.dtype(x.dtype).kind
    return x if kind in "iu" else xp.rint(x) if kind != "c" else xp.round(x)


@export("round", "math.round")
def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to the even one, elementwise; integers are returned as they are.

    Args:
      x: a tensor of numbers.
      name: the node's name.
    """
    x = operand(x)
    return x if x.dtype.is_integer else round_op(x, name=name)


# ---------------------------------------------------------------- more arithmetic


def number_of(value: Any, like: Any) -> Any:
    return convert_to_tensor(value, like.dtype)


@op("AddN", "inputs:*T -> T", types=NUMBERS, infer=all_merged, vjp=lambda op, dy: [dy] * len(op.inputs))
def _add_n(xp, inputs):
    """The sum of tensors of one shape."""
    total = inputs[0]
    for other in inputs[1:]:
        if np.shape(other) != np.shape(total):
            raise ValueError(f"Shapes must be equal, but are {list(np.shape(total))} and {list(np.shape(other))}")
        total = xp.add(total, other)
    return total


@export("add_n", "math.add_n")
@explained
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and type.

    Args:
      inputs: the tensors, in a list or another iterable.
      name: the node's name.

    Raises:
      ValueError: if there are none or shapes differ.
    """
    scalar = isinstance(inputs, np.ndarray) and not inputs.ndim
    terms = list(inputs) if isinstance(inputs, Iterable) and not scalar else []
    if not terms:
        raise ValueError("inputs must be an iterable of at least one tensor, all of one shape and type")
    bare = (list, tuple, int, float, complex)  # of a type of their own, whatever is beside them
    return _add_n([convert_to_tensor(v) if isinstance(v, bare) else v for v in terms], name=name)


@export("accumulate_n", "math.accumulate_n")
@explained
def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """`add_n`, with the result's shape and type stated if wanted.

    Args:
      inputs: tensors of one shape and type.
      shape: the shape they have.
      tensor_dtype: the type they have.
      name: the node's name.

    Raises:
      TypeError: if a tensor is of another type.
    """
    total = add_n(inputs, name)
    if tensor_dtype is not None and total.dtype is not dtypes.as_dtype(tensor_dtype):
        raise TypeError(f"accumulate_n: tensors are {total.dtype.name}, but tensor_dtype is {tensor_dtype}")
    if shape is not None:
        total.set_shape(shape)
    return total


# ---------------------------------------------------------------- types


def _cast_vjp(op, dy):
    return cast_op(dy, op.inputs[0].dtype) if op.inputs[0].dtype.is_trainable and dy.dtype.is_trainable else None


@op(
    "Cast",
    "x:S -> dtype",
    types={"S": dtypes.DENSE - {dtypes.string}},
    infer=Inference(same, same_sizes),
    vjp=_cast_vjp,
)
def cast_op(xp, x, *, dtype):
    """`x` converted elementwise; fractions and imaginary parts are dropped where the type has none."""
    if x.dtype.kind == "c" and not dtype.is_complex:
        x = xp.real(x)
    if xp is np:
        before = floating.silence(floating.SILENT)
        try:
            converted = np.asarray(x).astype(dtype.np)
        finally:
            floating.restore(before)
        return (
            converted if converted.ndim else converted[()]
        )  # of an array `[()]` is a view, which a session would copy
    return x.astype(dtype.np)


def whole_numbers(value: Any, dtype: DType) -> Tensor:
    """Whole numbers as a tensor of an integer dtype: tensors of another are cast, other numbers and text refused.

    Arrays and tensors of floats are known to have no fractions, or refused.

    Raises:
      TypeError: if a value is no whole number.
    """
    tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=dtype)
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        constant = constant_of(tensor) if tensor.dtype.is_floating and hasattr(value, "dtype") else None
        if constant is None or not (constant == np.trunc(constant)).all():
            raise TypeError(f"whole numbers are wanted, got {repr_of(value)} of dtype {tensor.dtype.name}")
    return cast(tensor, dtype)  # type: ignore[no-any-return]


_CASTABLE = dtypes.DENSE - {dtypes.string}


@export("cast", "dtypes.cast")
@boundary
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`x` as another type; unchanged if it has that type already.

    Args:
      x: a tensor or anything `convert_to_tensor` accepts; of `IndexedSlices` the rows are converted.
      dtype: the wanted type.
      name: the node's name.

    Returns:
      A tensor of the same shape.

    Raises:
      UnimplementedError: if one of the types is string, resource or variant and the other is not.
    """
    try:
        wanted = dtypes.as_dtype(dtype)
        if x.__class__ is not EagerTensor and hasattr(x, "with_values"):
            return x.with_values(cast(x.values, wanted, name))
        x = operand(x, name="x")
        if x.dtype is wanted:
            return x
        if not _CASTABLE.issuperset((x.dtype, wanted)):
            raise errors.UnimplementedError(None, None, f"Cast {x.dtype.name} to {wanted.name} is not supported")
        return cast_op(x, wanted, name=name)
    except Exception as error:
        leave(error)
        raise


@export("logical_xor", "math.logical_xor")
def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Whether exactly one of two holds, elementwise."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


def _nextafter_vjp(op, dy):
    return sum_like(dy, op.inputs[0]), zeros_like(op.inputs[1])


@op(
    "NextAfter",
    "x1:T, x2:T -> T",
    types=frozenset({dtypes.float32, dtypes.float64}),
    infer=broadcast,
    vjp=_nextafter_vjp,
)
@export("math.nextafter")
def nextafter(xp, x1, x2):
    """The number next to `x1` in the direction of `x2`, elementwise."""
    return xp.nextafter(x1, x2)


# ---------------------------------------------------------------- scaling, and 1.x names


@export("scalar_mul", "math.scalar_mul")
@explained
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """`scalar * x`, where `scalar` has rank 0; of `IndexedSlices` the rows are multiplied.

    Raises:
      ValueError: if `scalar` is known to have another rank.
    """
    if hasattr(x, "with_values"):
        return x.with_values(scalar_mul(scalar, x.values, name))
    x = operand(x)
    scalar = convert_to_tensor(scalar, dtypes.as_dtype(x.dtype))
    if scalar.shape.rank not in (0, None):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return multiply(scalar, x, name=name)


def float_tensor(value: Any) -> Any:
    """`value` as a tensor; whole numbers written in Python become float32, everything else keeps its type."""
    tensor = operand(value)
    numbers = tensor.dtype.is_integer and not (answers(tensor) or hasattr(value, "dtype"))
    return convert_to_tensor(value, dtypes.float32) if numbers else tensor
