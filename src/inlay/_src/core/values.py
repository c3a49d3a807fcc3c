"""Python values to arrays, by TensorFlow's rules, and lossless casts.

A runtime value is an `ndarray` (C order, native bytes) or a NumPy scalar of the declared dtype. Strings are object
arrays of `bytes`, also for rank 0. These functions are pure: they never hand out the caller's own memory unless
they document it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from inlay._src.base.interpreter import ownership
from inlay._src.base.misuse import repr_of
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.core import context

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


class NoTensorError(TypeError, ValueError):
    """A value that has no tensor. TensorFlow raises one class or the other: mostly ValueError where ops run at once,
    TypeError where a graph is built."""


def encode(text: Any) -> bytes:
    """One string element as bytes: `str` becomes UTF-8."""
    if isinstance(text, bytes):
        return bytes(text) if type(text) is not bytes else text
    if isinstance(text, str):
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(
                f"Error converting unicode string while converting Python sequence to Tensor: {error}"
            ) from error
    raise TypeError(f"Unsupported object type {type(text).__name__}: a string tensor holds bytes or str")


def boxed(item: Any) -> Any:
    """An object, which NumPy unpacked from an array, as a value again: text of rank 0 is an array, a handle itself."""
    if not isinstance(item, bytes):
        return item
    out = np.empty((), object)
    out[()] = item
    return out


def scalar_string(text: Any) -> np.ndarray:
    """A rank-0 string value."""
    return boxed(encode(text))


def string_array(array: np.ndarray) -> np.ndarray:
    """An `S`, `U` or object array as an object array of bytes; TypeError if an element is neither bytes nor str."""
    if array.dtype == object and holds_bytes(array):
        return np.array(array, order="C")
    out = np.empty(array.shape, object)
    out.reshape(-1)[:] = [encode(item) for item in array.ravel().tolist()]
    return out


def holds_bytes(array: np.ndarray) -> bool:
    """Whether every element of an array of objects is `bytes`: then it is a runtime value."""
    return list(map(type, array.ravel().tolist())).count(bytes) == array.size


def _unsupported(value: Any) -> NoTensorError:
    kind = type(value)
    return NoTensorError(
        f"Attempt to convert a value ({repr_of(value)}) with an unsupported type ({kind}) to a Tensor."
    )


def cannot_convert(value: Any, dtype: DType) -> TypeError:
    return TypeError(f"Cannot convert {repr_of(value)} to EagerTensor of dtype {dtype.name}")


_NUMBERS = {bool: "b", int: "i", float: "f", complex: "c"}
_ACCEPTED = {"B": "b", "b": "biufcq", "i": "iufcqIU", "u": "iufcqIU", "f": "fcF", "c": "c"}
"""Kind of numbers -> kinds of the dtypes that they become where one is asked for. B is NumPy's bool, no number."""


def _check_fits(value: Any, kind: str, least: Any, most: Any, dtype: DType) -> None:
    """Refuses numbers, of which `least` and `most` are the extremes, that a dtype cannot hold."""
    if dtype._kind not in _ACCEPTED[kind]:
        raise cannot_convert(value, dtype)
    if kind in "iu" and dtype._kind in "iuqIU":
        info = (ml_dtypes.iinfo if dtype._kind in "IU" else np.iinfo)(dtype.np)
        if least < info.min or most > info.max:
            raise ValueError(
                f"Cannot convert {repr_of(value)} to EagerTensor of dtype {dtype.name}: it is out of range "
                f"[{info.min}, {info.max}]"
            )


def _integer_type(least: int, most: int) -> DType:
    """The dtypes of Python's integers."""
    if INT32_MIN <= least and most <= INT32_MAX:
        return dtypes.int32
    if INT64_MIN <= least and most <= INT64_MAX:
        return dtypes.int64
    raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _python_scalar(value: Any, dtype: DType | None) -> Any:
    """bool, int, float, complex, str or bytes -> a NumPy scalar (or a rank-0 string array)."""
    if isinstance(value, (str, bytes)):
        if dtype not in (None, dtypes.string):
            raise cannot_convert(value, dtype)
        return scalar_string(value)
    if dtype is None:
        if isinstance(value, bool):
            return np.bool_(value)
        if isinstance(value, int):
            return _integer_type(value, value).np.type(value)
        return np.float32(value) if isinstance(value, float) else np.complex128(value)
    kind = next(kind for number, kind in _NUMBERS.items() if isinstance(value, number))
    _check_fits(value, kind, value, value, dtype)
    with np.errstate(over="ignore"):
        try:
            return dtype.np.type(value)
        except (OverflowError, TypeError):  # TypeError is bfloat16's
            if abs(value) < 1 << 1024:  # an int too large for a small float type: infinite, as in TensorFlow
                return dtype.np.type(float("inf") if value > 0 else float("-inf"))
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.") from None


_SCALARS = (*_NUMBERS, str, bytes)


MOST_LEVELS = 64
"""Levels of nested lists that an array can have."""


def check_rank(rank: int) -> None:
    """Refuses the rank of no array; NumPy's `take` writes beyond its own memory for a result of such a rank."""
    if rank > MOST_LEVELS:
        raise ValueError(no_rank(rank))


def no_rank(rank: int) -> str:
    """The message about the rank of no array."""
    return f"There is no tensor of rank {rank}: a NumPy array has at most {MOST_LEVELS} dimensions"


def too_deep() -> ValueError:
    """The error for lists of more levels."""
    return ValueError(f"Can't convert lists of more than {MOST_LEVELS} levels, or a list in itself, to Tensor.")


def leaf_types(value: Any, classes: set[type], level: int = 1) -> set[type]:
    """The classes of the leaves of nested lists and tuples; ValueError if no array has so many levels."""
    if level > MOST_LEVELS:
        raise too_deep()
    kinds = set(map(type, value))
    for kind in kinds:
        if issubclass(kind, (list, tuple)):
            for child in value:
                if isinstance(child, (list, tuple)):
                    leaf_types(child, classes, level + 1)
        else:
            classes.add(kind)
    return classes


def _without_dimensions(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_without_dimensions(item) for item in value]
    return to_value(value) if isinstance(value, shapes.Dimension) else value


_LARGEST = float(np.finfo(np.float32).max)


def _few_numbers(value: Any, dtype: DType | None) -> np.ndarray | None:
    """A few Python numbers of one class in a list, all of which their type can hold; None for anything else."""
    first = value[0].__class__
    if first is float:
        if dtype is dtypes.float64 or (
            (dtype is None or dtype is dtypes.float32) and -_LARGEST <= min(value) and max(value) <= _LARGEST
        ):
            return np.array(value, (dtype or dtypes.float32).np)
    elif first is int:
        least, most = min(value), max(value)
        if dtype is None:
            dtype = dtypes.int32 if INT32_MIN <= least and most <= INT32_MAX else dtypes.int64
        if _EXACT.get(dtype, 0) > most and least > -_EXACT.get(dtype, 0):
            return np.array(value, dtype.np)
    return None


_EXACT = {dtypes.int32: 1 << 31, dtypes.int64: 1 << 63, dtypes.float32: 1 << 53, dtypes.float64: 1 << 53}
"""Type -> what the absolute values of whole numbers are below that it takes without another rounding."""


def _sequence(value: Any, dtype: DType | None) -> Any:
    if 0 < len(value) <= TUNING.number_list_length and len(set(map(type, value))) == 1:
        packed = _few_numbers(value, dtype)
        if packed is not None:
            return packed
    leaves = leaf_types(value, set())
    if shapes.Dimension in leaves:
        return _sequence(_without_dimensions(value), dtype)
    for leaf in leaves:
        if leaf is type(None) or issubclass(leaf, (set, frozenset, dict, Composite)):
            raise _unsupported(None if leaf is type(None) else value)
    text = {leaf for leaf in leaves if issubclass(leaf, (str, bytes, np.str_, np.bytes_))}
    if text and text != leaves:
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    try:
        array = np.array(value, dtype=object if text else None)
    except ValueError as error:
        raise ValueError(
            "Can't convert non-rectangular Python sequence to Tensor. (inlay explain not-rectangular)"
        ) from error
    except TypeError as error:  # a number of a type that NumPy has none of, as bfloat16, beside a tensor
        raise _unsupported(value) from error
    if text:
        if any(isinstance(item, (list, tuple)) for item in array.ravel().tolist()):
            raise ValueError("Can't convert non-rectangular Python sequence to Tensor. (inlay explain not-rectangular)")
        if dtype not in (None, dtypes.string):
            raise cannot_convert(value, dtype)
        return string_array(array)
    if array.dtype == object:
        if all(isinstance(v, (int, np.integer)) for v in array.ravel().tolist()):
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        raise _unsupported(value)
    if array.dtype.char not in np.typecodes["All"]:  # bfloat16 and its like, which Python has no number of
        return from_ndarray(array, dtype)
    kind: str = array.dtype.kind
    first = _first(value)
    if dtype is not None:
        if array.size and kind in _ACCEPTED:
            kind = "B" if isinstance(first, np.bool_) else kind
            _check_fits(value, kind, array.real.min(), array.real.max(), dtype)
        return from_ndarray(array, dtype)
    mixed = (kind != "b" and isinstance(first, (bool, np.bool_))) or (kind == "c" and not isinstance(first, _COMPLEX))
    if mixed and context.current().graph is None:  # constants of graphs are what NumPy makes of them
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if kind == "f" or not array.size:
        return _float_sequence(array, first)
    if context.current().graph is not None and (array.dtype in _NARROW or isinstance(first, np.uint64)):
        return from_ndarray(array, None)  # in graphs NumPy's numbers of these types keep them
    if kind in "iu":
        return from_ndarray(array, _integer_type(array.min(), array.max()))
    return array.astype(np.complex128) if kind == "c" else from_ndarray(array, None)


_NARROW = ("int8", "uint8", "int16", "uint16", "uint32", "complex64")


_COMPLEX = (complex, np.complexfloating)


def _first(value: Any) -> Any:
    """The first number of nested sequences and arrays, which says what they become; None if there is none."""
    if isinstance(value, np.ndarray):
        return value.flat[0] if value.size else None
    if isinstance(value, (list, tuple, range, shapes.TensorShape)):
        return next((first for item in value if (first := _first(item)) is not None), None)
    return value


def _float_sequence(array: np.ndarray, first: Any) -> np.ndarray:
    """Numbers of a sequence with a fraction among them: 32 bits, or those of the first if it is one of NumPy's.

    Constants of graphs have 16 bits if all are NumPy's of that size, and never 64.
    """
    if context.current().graph is not None:
        kind: Any = np.float16 if array.dtype == np.float16 else np.float32
    else:
        kind = type(first) if isinstance(first, (np.float64, np.float16)) else np.float32
    with np.errstate(over="ignore"):
        narrow = array.astype(kind)
    if kind is np.float32 and np.isinf(narrow).any() and not np.isinf(array).any():
        raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")
    return narrow


def is_masked(value: Any) -> bool:
    """Whether a value is a masked array with a masked element. There is none before `numpy.ma` was loaded."""
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(value))


def from_ndarray(array: np.ndarray | np.generic, dtype: DType | None) -> Any:
    """An array or NumPy scalar as a runtime value, cast to `dtype` if given; ValueError if tensors have no such type.

    The result is C-contiguous and native; it may be `array` itself when nothing has to change.
    """
    if array.__class__ is not np.ndarray and "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray):
        if is_masked(array):
            raise ValueError(
                "Cannot convert a masked array to a Tensor: its mask would be lost. Fill it first, for "
                "instance with array.filled(0)."
            )
        array = array.data
    source = array.dtype
    if source.kind == "V" and source in dtypes.QUANTIZED:
        array = np.asarray(array)[dtypes.QUANTIZED[source].name]
        source = array.dtype
    if source.kind in "SUO":
        try:
            text = string_array(np.asarray(array))
        except TypeError as error:
            if dtype is not None and dtype is not dtypes.string and source.kind == "O":
                return _numbers_in_objects(array, dtype)
            raise ValueError(f"Failed to convert a NumPy array to a Tensor ({error}).") from error
        if dtype not in (None, dtypes.string):
            raise cannot_convert(array, dtype)
        return text
    natural = dtypes.from_numpy(source.newbyteorder("=")) if source.kind != "V" or source in dtypes.FROM_NUMPY else None
    if natural is None:
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {source}).")
    if dtype is dtypes.string:
        if array.size:
            raise cannot_convert(array, dtype)
        return np.empty(array.shape, object)
    target = natural.np if dtype is None else dtype.np
    if isinstance(array, np.generic):
        if array.dtype == target and array.dtype.isnative:
            return array
        return from_ndarray(np.asarray(array), dtype)[()]
    if array.__class__ is not np.ndarray:
        array = np.asarray(array)
    if array.dtype != target or not array.dtype.isnative:
        if array.dtype.kind == "c" and target.kind != "c":
            array = array.real if target.kind != "b" else array != 0  # NumPy would warn
        with np.errstate(all="ignore"):
            array = array.astype(target)
    return ownership.c_ordered(array)


def _numbers_in_objects(array: Any, dtype: DType) -> np.ndarray:
    try:
        return np.asarray(array).astype(dtype.np)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Failed to convert a NumPy array to a Tensor ({error}).") from error


def to_value(value: Any, dtype: DType | None = None) -> Any:
    """A Python or NumPy value, but no tensor, as a runtime value of `dtype`, or of TensorFlow's default for it.

    It may share memory with `value` if that is an array already of the right form.

    Raises:
      ValueError, TypeError: if there is no such tensor, in TensorFlow's wording.
    """
    if value.__class__ is list:
        return _sequence(value, dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, (np.str_, np.bytes_)):
            return _python_scalar(value, dtype)
        return from_ndarray(value, dtype)
    if isinstance(value, _SCALARS):
        return _python_scalar(value, dtype)
    if isinstance(value, shapes.Dimension):
        if value.value is None:
            raise ValueError("Cannot convert unknown Dimension ? to a Tensor.")
        return _python_scalar(value.value, dtype)
    if isinstance(value, shapes.TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        if dtype not in (None, dtypes.int32, dtypes.int64):
            raise TypeError(f"Cannot convert TensorShape {value} to dtype {dtype}. Allowed dtypes are int32 and int64.")
        value = value.as_list()
        if dtype is dtypes.int32 and max(value, default=0) > dtypes.int32.max:
            raise ValueError(
                f"Cannot convert a TensorShape to dtype int32; a dimension is too large. Use int64: {value}"
            )
        if not value:
            return np.zeros((0,), (dtype or dtypes.int32).np)
    if isinstance(value, (list, tuple, range)):
        return _sequence(value, dtype)
    if isinstance(value, (bytearray, memoryview)):
        array = np.array(value) if isinstance(value, memoryview) else np.frombuffer(bytes(value), np.uint8)
        return from_ndarray(array, dtype)
    if isinstance(value, Composite):
        raise _unsupported(value)  # also a ragged tensor whose rows happen to be of one length
    theirs = as_array(value)
    if theirs is None:
        if hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, Mapping):
            try:
                items = iter(value)
            except TypeError:  # what is indexed by keys, as a dtype of NumPy
                raise _unsupported(value) from None
            return _sequence(list(items), dtype)  # a sequence of the user's
        raise _unsupported(value)
    return from_ndarray(theirs, dtype)


def as_array(value: Any) -> np.ndarray | None:
    """An array of another library, or NumPy's own, as one of NumPy's; None if it is none."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if getattr(value, "requires_grad", False) is True:  # PyTorch's, which is no array while its tape follows it
        value = value.detach()
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        if str(getattr(value, "dtype", None)) == "torch.bfloat16":  # NumPy's protocols know no such type
            return np.asarray(value.float()).astype(dtypes.bfloat16.np)
        return np.asarray(value)
    return np.asarray(value.__jax_array__()) if hasattr(value, "__jax_array__") else None


def lossless(array: np.ndarray | np.generic, dtype: DType) -> Any:
    """`array` as `dtype`; ValueError for what would silently change values.

    Rounding to a narrower float is accepted (every float result is rounded); dropping a fraction, an imaginary
    part, the high bits of an integer, or any number's size when making a bool is not.
    """
    source = array.dtype
    if source == dtype.np and source.isnative:
        return from_ndarray(array, dtype)
    if source.kind in "SUO" and dtype is not dtypes.string:
        if source.kind == "O" and not any(isinstance(v, (str, bytes)) for v in np.asarray(array).ravel().tolist()):
            return _numbers_in_objects(array, dtype)
        if array.size:
            raise cannot_convert(array, dtype)
        return np.empty(array.shape, dtype.np)
    cast = to_value(array, dtype)
    if not array.size or dtype is dtypes.string:
        return cast
    natural = dtypes.from_numpy(source.newbyteorder("="))
    kind, from_kind = dtype._kind, natural._kind if natural is not None else "?"
    exact = (kind == from_kind == "f") or kind == "c" or from_kind == "b" or (kind == "f" and from_kind in "iu")
    if exact:
        return cast
    with np.errstate(all="ignore"):
        back = cast.astype(source.newbyteorder("="))
        same = np.asarray((back == array) & ((cast < 0) == (array.real < 0) if kind in "iu" else True))
    if not same.all():
        where = int(np.flatnonzero(~same.reshape(-1))[0])
        raise ValueError(
            f"Cannot convert {np.asarray(array).reshape(-1)[where]!r} (element {where}, {source}) to "
            f"EagerTensor of dtype {dtype.name} without changing its value; cast it yourself to say how "
            "(inlay explain changed-value)"
        )
    return cast


def describe(value: Any) -> str:
    """A short type of a runtime value for error messages: `float32[2,3]`."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return type(value).__name__
    name = dtype.name if isinstance(dtype, DType) else ("string" if dtype.kind == "O" else str(dtype))
    shape = getattr(value, "shape", ())
    dims = shape._dims if isinstance(shape, shapes.TensorShape) else shape
    return f"{name}{shapes.bracketed(dims)}"
