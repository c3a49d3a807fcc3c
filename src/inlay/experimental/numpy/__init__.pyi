"""`tf.experimental.numpy`: NumPy's functions over tensors, and its behavior for them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor, Tensor as ndarray
from inlay._src.programs.numpy_behavior import experimental_enable_numpy_behavior
from inlay._src.programs.numpy_functions.choosing import (
    argsort, compress, diff, nonzero, select, sort, take, take_along_axis
)
from inlay._src.programs.numpy_functions.creation import (
    arange, array, asarray as asanyarray, asarray, ascontiguousarray, broadcast_arrays, broadcast_to, copy,
    diag_indices, e, zeros as empty, zeros_like as empty_like, eye, full, full_like, geomspace, identity, inf, ix_,
    logspace, meshgrid, newaxis, ones, ones_like, pi, tri, vander, zeros, zeros_like
)
from inlay._src.programs.numpy_functions.elementwise import (
    allclose, angle, around, array_equal, clip, divmod_ as divmod, imag, isclose, polyval, real, around as round, sign
)
from inlay._src.programs.numpy_functions.kinds import (
    bool_, complex128, complex64, complex128 as complex_, finfo, float16, float32, float64, float64 as float_, iinfo,
    inexact, int16, int32, int64, int8, int_, iscomplexobj, isrealobj, isscalar, object_, promote_types, result_type,
    string_, uint16, uint32, uint64, uint8, unicode_
)
from inlay._src.programs.numpy_functions.products import (
    cross, diag, diagflat, diagonal, dot, einsum, inner, kron, matmul, outer, tensordot, trace, tril, triu, vdot
)
from inlay._src.programs.numpy_functions.reducing import (
    count_nonzero, max_ as max, mean, min_ as min, nanmean, nanprod, nansum, var
)
from inlay._src.programs.numpy_functions.shaping import (
    append, concatenate, dstack, expand_dims, flatten, flip, fliplr, flipud, hstack, moveaxis, ndim, pad, ravel,
    repeat, reshape, roll, rot90, shape, size, split, squeeze, stack, swapaxes, tile, transpose, vstack
)
from inlay.experimental.numpy import random
from typing import Any as _Any, Literal as _Literal, overload as _overload
__all__ = [
    "abs", "absolute", "add", "all", "allclose", "amax", "amin", "angle", "any", "append", "arange", "arccos",
    "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "around", "array",
    "array_equal", "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "atleast_3d", "average",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bool_", "broadcast_arrays", "broadcast_to", "cbrt",
    "ceil", "clip", "complex128", "complex64", "complex_", "compress", "concatenate", "conj", "conjugate", "copy",
    "cos", "cosh", "count_nonzero", "cross", "cumprod", "cumsum", "deg2rad", "diag", "diag_indices", "diagflat",
    "diagonal", "diff", "divide", "divmod", "dot", "dsplit", "dstack", "e", "einsum", "empty", "empty_like", "equal",
    "exp", "exp2", "expand_dims", "experimental_enable_numpy_behavior", "expm1", "eye", "fabs", "finfo", "fix",
    "flatten", "flip", "fliplr", "flipud", "float16", "float32", "float64", "float_", "float_power", "floor",
    "floor_divide", "full", "full_like", "gcd", "geomspace", "greater", "greater_equal", "heaviside", "hsplit",
    "hstack", "hypot", "identity", "iinfo", "imag", "inexact", "inf", "inner", "int16", "int32", "int64", "int8",
    "int_", "isclose", "iscomplex", "iscomplexobj", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal",
    "isrealobj", "isscalar", "issubdtype", "ix_", "kron", "lcm", "less", "less_equal", "linspace", "log", "log10",
    "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "logspace",
    "matmul", "max", "maximum", "mean", "meshgrid", "min", "minimum", "mod", "moveaxis", "multiply", "nanmean",
    "nanprod", "nansum", "ndarray", "ndim", "negative", "newaxis", "nextafter", "nonzero", "not_equal", "object_",
    "ones", "ones_like", "outer", "pad", "pi", "polyval", "positive", "power", "prod", "promote_types", "ptp",
    "rad2deg", "random", "ravel", "real", "reciprocal", "remainder", "repeat", "reshape", "result_type", "roll",
    "rot90", "round", "select", "shape", "sign", "signbit", "sin", "sinc", "sinh", "size", "sort", "split", "sqrt",
    "square", "squeeze", "stack", "std", "string_", "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan",
    "tanh", "tensordot", "tile", "trace", "transpose", "tri", "tril", "triu", "true_divide", "uint16", "uint32",
    "uint64", "uint8", "unicode_", "vander", "var", "vdot", "vsplit", "vstack", "where", "zeros", "zeros_like"
]
def abs(x: _Any) -> _Tensor:
    """NumPy's `abs` of each element of `x`, a tensor or a value that becomes one."""
def absolute(x: _Any) -> _Tensor:
    """NumPy's `absolute` of each element of `x`, a tensor or a value that becomes one."""
def add(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `add` of `x1` and `x2`, tensors or values that become some, element by element."""
def all(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `all` of the tensor `a` along `axis`, or of all its elements if None."""
def amax(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `amax` of the tensor `a` along `axis`, or of all its elements if None."""
def amin(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `amin` of the tensor `a` along `axis`, or of all its elements if None."""
def any(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `any` of the tensor `a` along `axis`, or of all its elements if None."""
def arccos(x: _Any) -> _Tensor:
    """NumPy's `arccos` of each element of `x`, a tensor or a value that becomes one."""
def arccosh(x: _Any) -> _Tensor:
    """NumPy's `arccosh` of each element of `x`, a tensor or a value that becomes one."""
def arcsin(x: _Any) -> _Tensor:
    """NumPy's `arcsin` of each element of `x`, a tensor or a value that becomes one."""
def arcsinh(x: _Any) -> _Tensor:
    """NumPy's `arcsinh` of each element of `x`, a tensor or a value that becomes one."""
def arctan(x: _Any) -> _Tensor:
    """NumPy's `arctan` of each element of `x`, a tensor or a value that becomes one."""
def arctan2(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `arctan2` of `x1` and `x2`, tensors or values that become some, element by element."""
def arctanh(x: _Any) -> _Tensor:
    """NumPy's `arctanh` of each element of `x`, a tensor or a value that becomes one."""
def argmax(a: _Any, axis: _Any = None) -> _Tensor:
    """NumPy's `argmax` of the tensor `a` along `axis`, or of it as a vector if None."""
def argmin(a: _Any, axis: _Any = None) -> _Tensor:
    """NumPy's `argmin` of the tensor `a` along `axis`, or of it as a vector if None."""
def atleast_1d(*arys: _Any) -> _Tensor | _Any:
    """Tensors with axes of size 1 added until they have the rank 1 or more."""
def atleast_2d(*arys: _Any) -> _Tensor | _Any:
    """Tensors with axes of size 1 added until they have the rank 2 or more."""
def atleast_3d(*arys: _Any) -> _Tensor | _Any:
    """Tensors with axes of size 1 added until they have the rank 3 or more."""
@_overload
def average(a: _Any, axis: _Any = None, weights: _Any = None, *, returned: _Literal[True]) -> builtins.tuple[_Tensor, _Tensor]:
    """The mean, each element with a weight.

    Args:
      a: the tensor.
      axis: along which axis; None is all.
      weights: of the shape of the tensor, or a vector along the axis; None are equal ones.
      returned: whether `(average, sum of the weights)` is returned.

    Raises:
      ValueError: if the axis is no integer."""
@_overload
def average(a: _Any, axis: _Any = None, weights: _Any = None, returned: _Literal[False] = False) -> _Tensor: ...
@_overload
def average(a: _Any, axis: _Any = None, weights: _Any = None, returned: builtins.bool = False) -> _Any: ...
def bitwise_and(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `bitwise_and` of `x1` and `x2`, tensors or values that become some, element by element."""
def bitwise_not(x: _Any) -> _Tensor:
    """NumPy's `bitwise_not` of each element of `x`, a tensor or a value that becomes one."""
def bitwise_or(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `bitwise_or` of `x1` and `x2`, tensors or values that become some, element by element."""
def bitwise_xor(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `bitwise_xor` of `x1` and `x2`, tensors or values that become some, element by element."""
def cbrt(x: _Any) -> _Tensor:
    """NumPy's `cbrt` of each element of `x`, a tensor or a value that becomes one."""
def ceil(x: _Any) -> _Tensor:
    """NumPy's `ceil` of each element of `x`, a tensor or a value that becomes one."""
def conj(x: _Any) -> _Tensor:
    """NumPy's `conj` of each element of `x`, a tensor or a value that becomes one."""
def conjugate(x: _Any) -> _Tensor:
    """NumPy's `conjugate` of each element of `x`, a tensor or a value that becomes one."""
def cos(x: _Any) -> _Tensor:
    """NumPy's `cos` of each element of `x`, a tensor or a value that becomes one."""
def cosh(x: _Any) -> _Tensor:
    """NumPy's `cosh` of each element of `x`, a tensor or a value that becomes one."""
def cumprod(a: _Any, axis: _Any = None, dtype: _Any = None) -> _Tensor:
    """NumPy's `cumprod` of the tensor `a` along `axis`, or of it as a vector if None."""
def cumsum(a: _Any, axis: _Any = None, dtype: _Any = None) -> _Tensor:
    """NumPy's `cumsum` of the tensor `a` along `axis`, or of it as a vector if None."""
def deg2rad(x: _Any) -> _Tensor:
    """NumPy's `deg2rad` of each element of `x`, a tensor or a value that becomes one."""
def divide(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `divide` of `x1` and `x2`, tensors or values that become some, element by element."""
def dsplit(ary: _Any, indices_or_sections: _Any) -> list[_Tensor]:
    """A tensor in parts along the axis 2: `split`."""
def equal(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `equal` of `x1` and `x2`, tensors or values that become some, element by element."""
def exp(x: _Any) -> _Tensor:
    """NumPy's `exp` of each element of `x`, a tensor or a value that becomes one."""
def exp2(x: _Any) -> _Tensor:
    """NumPy's `exp2` of each element of `x`, a tensor or a value that becomes one."""
def expm1(x: _Any) -> _Tensor:
    """NumPy's `expm1` of each element of `x`, a tensor or a value that becomes one."""
def fabs(x: _Any) -> _Tensor:
    """NumPy's `fabs` of each element of `x`, a tensor or a value that becomes one."""
def fix(x: _Any) -> _Tensor:
    """NumPy's `fix` of each element of `x`, a tensor or a value that becomes one."""
def float_power(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `float_power` of `x1` and `x2`, tensors or values that become some, element by element."""
def floor(x: _Any) -> _Tensor:
    """NumPy's `floor` of each element of `x`, a tensor or a value that becomes one."""
def floor_divide(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `floor_divide` of `x1` and `x2`, tensors or values that become some, element by element."""
def gcd(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `gcd` of `x1` and `x2`, tensors or values that become some, element by element."""
def greater(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `greater` of `x1` and `x2`, tensors or values that become some, element by element."""
def greater_equal(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `greater_equal` of `x1` and `x2`, tensors or values that become some, element by element."""
def heaviside(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `heaviside` of `x1` and `x2`, tensors or values that become some, element by element."""
def hsplit(ary: _Any, indices_or_sections: _Any) -> list[_Tensor]:
    """A tensor in parts along the axis 1: `split`."""
def hypot(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `hypot` of `x1` and `x2`, tensors or values that become some, element by element."""
def iscomplex(x: _Any) -> _Tensor:
    """NumPy's `iscomplex` of each element of `x`, a tensor or a value that becomes one."""
def isfinite(x: _Any) -> _Tensor:
    """NumPy's `isfinite` of each element of `x`, a tensor or a value that becomes one."""
def isinf(x: _Any) -> _Tensor:
    """NumPy's `isinf` of each element of `x`, a tensor or a value that becomes one."""
def isnan(x: _Any) -> _Tensor:
    """NumPy's `isnan` of each element of `x`, a tensor or a value that becomes one."""
def isneginf(x: _Any) -> _Tensor:
    """NumPy's `isneginf` of each element of `x`, a tensor or a value that becomes one."""
def isposinf(x: _Any) -> _Tensor:
    """NumPy's `isposinf` of each element of `x`, a tensor or a value that becomes one."""
def isreal(x: _Any) -> _Tensor:
    """NumPy's `isreal` of each element of `x`, a tensor or a value that becomes one."""
def issubdtype(arg1: _Any, arg2: _Any) -> builtins.bool:
    """Returns True if first argument is a typecode lower/equal in type hierarchy."""
def lcm(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `lcm` of `x1` and `x2`, tensors or values that become some, element by element."""
def less(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `less` of `x1` and `x2`, tensors or values that become some, element by element."""
def less_equal(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `less_equal` of `x1` and `x2`, tensors or values that become some, element by element."""
@_overload
def linspace(start: _Any, stop: _Any, num: _Any = 50, endpoint: builtins.bool = True, *, retstep: _Literal[True], dtype: _Any = ..., axis: int = 0) -> builtins.tuple[_Tensor, _Tensor]:
    """Numbers at equal distances between two.

    Args:
      start, stop: the first and the last; arrays give several rows.
      num: the number of samples.
      endpoint: whether the last one is among them.
      retstep: whether `(numbers, step)` is returned.
      dtype: their dtype; `float` and None are that of the ends.
      axis: along which they lie.

    Raises:
      ValueError: for a negative `num`."""
@_overload
def linspace(start: _Any, stop: _Any, num: _Any = 50, endpoint: builtins.bool = True, retstep: _Literal[False] = False, dtype: _Any = ..., axis: int = 0) -> _Tensor: ...
@_overload
def linspace(start: _Any, stop: _Any, num: _Any = 50, endpoint: builtins.bool = True, retstep: builtins.bool = False, dtype: _Any = ..., axis: int = 0) -> _Any: ...
def log(x: _Any) -> _Tensor:
    """NumPy's `log` of each element of `x`, a tensor or a value that becomes one."""
def log10(x: _Any) -> _Tensor:
    """NumPy's `log10` of each element of `x`, a tensor or a value that becomes one."""
def log1p(x: _Any) -> _Tensor:
    """NumPy's `log1p` of each element of `x`, a tensor or a value that becomes one."""
def log2(x: _Any) -> _Tensor:
    """NumPy's `log2` of each element of `x`, a tensor or a value that becomes one."""
def logaddexp(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `logaddexp` of `x1` and `x2`, tensors or values that become some, element by element."""
def logaddexp2(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `logaddexp2` of `x1` and `x2`, tensors or values that become some, element by element."""
def logical_and(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `logical_and` of `x1` and `x2`, tensors or values that become some, element by element."""
def logical_not(x: _Any) -> _Tensor:
    """NumPy's `logical_not` of each element of `x`, a tensor or a value that becomes one."""
def logical_or(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `logical_or` of `x1` and `x2`, tensors or values that become some, element by element."""
def logical_xor(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `logical_xor` of `x1` and `x2`, tensors or values that become some, element by element."""
def maximum(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `maximum` of `x1` and `x2`, tensors or values that become some, element by element."""
def minimum(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `minimum` of `x1` and `x2`, tensors or values that become some, element by element."""
def mod(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `mod` of `x1` and `x2`, tensors or values that become some, element by element."""
def multiply(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `multiply` of `x1` and `x2`, tensors or values that become some, element by element."""
def negative(x: _Any) -> _Tensor:
    """NumPy's `negative` of each element of `x`, a tensor or a value that becomes one."""
def nextafter(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `nextafter` of `x1` and `x2`, tensors or values that become some, element by element."""
def not_equal(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `not_equal` of `x1` and `x2`, tensors or values that become some, element by element."""
def positive(x: _Any) -> _Tensor:
    """NumPy's `positive` of each element of `x`, a tensor or a value that becomes one."""
def power(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `power` of `x1` and `x2`, tensors or values that become some, element by element."""
def prod(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `prod` of the tensor `a` along `axis`, or of all its elements if None."""
def ptp(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `ptp` of the tensor `a` along `axis`, or of all its elements if None."""
def rad2deg(x: _Any) -> _Tensor:
    """NumPy's `rad2deg` of each element of `x`, a tensor or a value that becomes one."""
def reciprocal(x: _Any) -> _Tensor:
    """NumPy's `reciprocal` of each element of `x`, a tensor or a value that becomes one."""
def remainder(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `remainder` of `x1` and `x2`, tensors or values that become some, element by element."""
def signbit(x: _Any) -> _Tensor:
    """NumPy's `signbit` of each element of `x`, a tensor or a value that becomes one."""
def sin(x: _Any) -> _Tensor:
    """NumPy's `sin` of each element of `x`, a tensor or a value that becomes one."""
def sinc(x: _Any) -> _Tensor:
    """NumPy's `sinc` of each element of `x`, a tensor or a value that becomes one."""
def sinh(x: _Any) -> _Tensor:
    """NumPy's `sinh` of each element of `x`, a tensor or a value that becomes one."""
def sqrt(x: _Any) -> _Tensor:
    """NumPy's `sqrt` of each element of `x`, a tensor or a value that becomes one."""
def square(x: _Any) -> _Tensor:
    """NumPy's `square` of each element of `x`, a tensor or a value that becomes one."""
def std(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `std` of the tensor `a` along `axis`, or of all its elements if None."""
def subtract(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `subtract` of `x1` and `x2`, tensors or values that become some, element by element."""
def sum(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = None) -> _Tensor:
    """NumPy's `sum` of the tensor `a` along `axis`, or of all its elements if None."""
def tan(x: _Any) -> _Tensor:
    """NumPy's `tan` of each element of `x`, a tensor or a value that becomes one."""
def tanh(x: _Any) -> _Tensor:
    """NumPy's `tanh` of each element of `x`, a tensor or a value that becomes one."""
def true_divide(x1: _Any, x2: _Any) -> _Tensor:
    """NumPy's `true_divide` of `x1` and `x2`, tensors or values that become some, element by element."""
def vsplit(ary: _Any, indices_or_sections: _Any) -> list[_Tensor]:
    """A tensor in parts along the axis 0: `split`."""
@_overload
def where(condition: _Any, x: None = None, y: None = None) -> list[_Tensor]:
    """The elements of one tensor where a condition holds, else of another; the places where it holds without them.

    Raises:
      ValueError: if one of the two is missing."""
@_overload
def where(condition: _Any, x: _Any = None, y: _Any = None) -> _Tensor: ...
