"""`tf.experimental.numpy`: NumPy's functions over tensors, and its behaviour for them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.numpy",
    {
        "numpy_behavior": "experimental_enable_numpy_behavior",
        "numpy_functions.axes":
        "all amax amin any argmax argmin broadcast_to concatenate cumprod cumsum dot expand_dims max mean min "
        "moveaxis ndim outer prod ravel reshape shape size squeeze stack std sum swapaxes tensordot tile "
        "transpose var",
        "numpy_functions.creation":
        "arange array asanyarray asarray ascontiguousarray bool_ complex128 complex64 e eye float16 float32 "
        "float64 full full_like identity inf int16 int32 int64 int8 linspace ndarray newaxis ones ones_like "
        "pi uint16 uint32 uint64 uint8 zeros zeros_like",
        "numpy_functions.drawing": "copy",
        "numpy_functions.elementwise":
        "abs absolute add arccos arcsin arctan ceil clip conj conjugate cos cosh divide equal exp expm1 fabs "
        "floor floor_divide greater greater_equal imag isfinite isinf isnan less less_equal log log1p "
        "logical_and logical_not logical_or logical_xor matmul maximum minimum mod multiply negative "
        "not_equal power real reciprocal remainder sign sin sinh sqrt square subtract tan tanh true_divide "
        "where",
    },
    below=("random",),
)
