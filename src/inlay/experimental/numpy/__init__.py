"""`tf.experimental.numpy`: NumPy's functions over tensors, and its behavior for them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.numpy",
    {
        "programs.numpy_behavior": "experimental_enable_numpy_behavior",
        "programs.numpy_functions.choosing":
        "argsort compress diff nonzero select sort take take_along_axis where",
        "programs.numpy_functions.creation":
        "arange array asanyarray asarray ascontiguousarray broadcast_arrays broadcast_to copy diag_indices e "
        "empty empty_like eye full full_like geomspace identity inf ix_ linspace logspace meshgrid ndarray "
        "newaxis ones ones_like pi tri vander zeros zeros_like",
        "programs.numpy_functions.elementwise":
        "abs absolute add allclose angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around "
        "array_equal bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clip conj conjugate cos cosh "
        "deg2rad divide divmod equal exp exp2 expm1 fabs fix float_power floor floor_divide gcd greater "
        "greater_equal heaviside hypot imag isclose iscomplex isfinite isinf isnan isneginf isposinf isreal "
        "lcm less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or "
        "logical_xor maximum minimum mod multiply negative nextafter not_equal polyval positive power rad2deg "
        "real reciprocal remainder round sign signbit sin sinc sinh sqrt square subtract tan tanh true_divide",
        "programs.numpy_functions.kinds":
        "bool_ complex128 complex64 complex_ finfo float16 float32 float64 float_ iinfo inexact int16 int32 "
        "int64 int8 int_ iscomplexobj isrealobj isscalar issubdtype object_ promote_types result_type string_ "
        "uint16 uint32 uint64 uint8 unicode_",
        "programs.numpy_functions.products":
        "cross diag diagflat diagonal dot einsum inner kron matmul outer tensordot trace tril triu vdot",
        "programs.numpy_functions.reducing":
        "all amax amin any argmax argmin average count_nonzero cumprod cumsum max mean min nanmean nanprod "
        "nansum prod ptp std sum var",
        "programs.numpy_functions.shaping":
        "append atleast_1d atleast_2d atleast_3d concatenate dsplit dstack expand_dims flatten flip fliplr "
        "flipud hsplit hstack moveaxis ndim pad ravel repeat reshape roll rot90 shape size split squeeze "
        "stack swapaxes tile transpose vsplit vstack",
    },
    below=("random",),
)
