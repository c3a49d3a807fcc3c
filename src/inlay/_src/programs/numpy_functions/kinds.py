"""NumPy's dtypes by their names, and questions about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.tensor import Tensor
from inlay._src.programs.numpy_functions.conversion import default_float, default_int, result, tensor_of

int8: Any = export("experimental.numpy.int8")(np.int8)
int16: Any = export("experimental.numpy.int16")(np.int16)
int32: Any = export("experimental.numpy.int32")(np.int32)
int64: Any = export("experimental.numpy.int64")(np.int64)
uint8: Any = export("experimental.numpy.uint8")(np.uint8)
uint16: Any = export("experimental.numpy.uint16")(np.uint16)
uint32: Any = export("experimental.numpy.uint32")(np.uint32)
uint64: Any = export("experimental.numpy.uint64")(np.uint64)
float16: Any = export("experimental.numpy.float16")(np.float16)
float32: Any = export("experimental.numpy.float32")(np.float32)
float64: Any = export("experimental.numpy.float64", "experimental.numpy.float_")(np.float64)
complex64: Any = export("experimental.numpy.complex64")(np.complex64)
complex128: Any = export("experimental.numpy.complex128", "experimental.numpy.complex_")(np.complex128)
bool_: Any = export("experimental.numpy.bool_")(np.bool_)
int_: Any = export("experimental.numpy.int_")(np.int_)
object_: Any = export("experimental.numpy.object_")(np.object_)
string_: Any = export("experimental.numpy.string_")(np.bytes_)
unicode_: Any = export("experimental.numpy.unicode_")(np.str_)
inexact: Any = export("experimental.numpy.inexact")(np.inexact)
iinfo: Any = export("experimental.numpy.iinfo")(np.iinfo)
issubdtype: Any = export("experimental.numpy.issubdtype")(np.issubdtype)


def _of_numpy(dtype: Any) -> Any:
    if dtype is int or dtype is float:
        return default_int().np if dtype is int else default_float().np
    return dtype.np if isinstance(dtype, DType) else dtypes.numpy_dtype(dtype)


@export("experimental.numpy.finfo")
def finfo(dtype: Any) -> np.finfo[Any]:
    """NumPy's limits of a dtype of floating numbers."""
    return np.finfo(_of_numpy(dtype))


@export("experimental.numpy.promote_types")
def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """The dtype of NumPy that two have together."""
    dtype = result(*(dtypes.as_dtype(_of_numpy(kind)) for kind in (type1, type2)))
    return np.dtype(object) if dtype is None else dtype.np


@export("experimental.numpy.result_type")
def result_type(*arrays_and_dtypes: Any) -> DType | None:
    """The dtype that operands have together.

    Args:
      *arrays_and_dtypes: tensors, arrays, numbers and dtypes.
    """
    operands = [dtypes.as_dtype(_of_numpy(x)) if isinstance(x, (type, np.dtype)) else x for x in arrays_and_dtypes]
    return result(*operands) if operands else default_float()


@export("experimental.numpy.isscalar")
def isscalar(num: Any) -> bool:
    """Whether a value has rank 0."""
    if not isinstance(num, (Tensor, np.ndarray, list, tuple)):
        return np.isscalar(num) or tensor_of(num).shape.rank == 0
    return tensor_of(num).shape.rank == 0


@export("experimental.numpy.iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Whether a value has a dtype of complex numbers."""
    return tensor_of(x).dtype.is_complex


@export("experimental.numpy.isrealobj")
def isrealobj(x: Any) -> bool:
    """Whether a value has no dtype of complex numbers."""
    return not iscomplexobj(x)
