"""The attributes of one op call, checked and brought to their kind before a kernel or a graph sees them.

The kind of an attribute is that of its default, or what the kernel's annotation says (`padding: str`). `Truth` takes
anything that is true or false, as TensorFlow's functions do that ask `bool(keepdims)`; `Wholes` takes a list or tuple
of whole numbers; `Any` takes every value.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from inlay._src.base import errors
from inlay._src.base.misuse import is_iterable, repr_of, shown
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.opdef import OpDef
from inlay._src.core.signature import AtLeast, OneOf
from inlay._src.core.tensor import SymbolicTensor, Tensor

Truth = Any
"""The annotation of an attribute of which only the truth counts."""
Wholes = Any
"""The annotation of an attribute that is a list of whole numbers."""
Kinds = Mapping[str, str]
_NAMED = {"bool": "bool", "int": "int", "float": "float", "str": "string", "Truth": "truth", "Wholes": "wholes"}
_CLASSES = {
    "bool": bool, "int": int, "float": float, "string": str, "truth": bool, "wholes": tuple, "dtype": DType,
}  # fmt: skip


def kinds_of(parameters: Sequence[inspect.Parameter]) -> Kinds:
    """Attribute -> its kind, for those that have one."""
    kinds = {}
    for parameter in parameters:
        said = parameter.annotation
        default = parameter.default
        plain = type(default).__name__ if type(default) in (bool, int, float, str) else ""
        kind = _NAMED.get(plain if said is parameter.empty else str(said))
        if kind is not None:
            kinds[parameter.name] = kind
    return kinds


def class_of(kind: str) -> str:
    """The name of the class that the values of a kind have."""
    return _CLASSES[kind].__name__ if kind else ""


_INT64 = range(-(2**63), 2**63)
"""The numbers that an attribute of integers can be."""


def checked(op: OpDef, attrs: Mapping[str, Any], eager: bool) -> Mapping[str, Any]:
    """The attributes of a call, each of its kind.

    Raises:
      TypeError: if one is of another kind, or a dtype that the op does not take; InvalidArgumentError for such a dtype
        where the op runs at once.
      ValueError: if it is a text that means nothing to the op, or too small a number; InvalidArgumentError where the op
        runs at once. If a number has more than 64 bits; OverflowError where the op runs at once.
    """
    changed: dict[str, Any] = {}
    for name, attribute in op.checked:
        if name not in attrs:
            continue
        value, kind, limit = attrs[name], attribute.kind, attribute.limit
        if value.__class__ is not _CLASSES[kind] or kind == "wholes":
            value = changed[name] = _as_kind(op, name, kind, value)
        elif kind == "int" and value not in _INT64:
            raise (OverflowError if eager else ValueError)(f"Value out of range for attr '{name}': {shown(value)}")
        if limit.__class__ is OneOf:
            if value not in limit.options:
                _refuse_option(op, name, value, limit.options, eager)
        elif limit.__class__ is AtLeast and (len(value) if kind == "wholes" else value) < limit.least:
            refuse_number(op.name, name, value, limit.least, eager)
    return {**attrs, **changed} if changed else attrs


def _as_kind(op: OpDef, name: str, kind: str, value: Any) -> Any:
    """A value of another class as one of a kind."""
    default = op.attrs[name].default
    if value is None and default is not inspect.Parameter.empty:
        return default
    if kind == "truth" and not isinstance(value, SymbolicTensor):
        return truth(value, name)
    if kind == "bool" and isinstance(value, np.bool_):
        return bool(value)
    if kind == "int":
        return whole(value, name)
    if kind == "float" and isinstance(value, (int, float, np.integer, np.floating)):
        try:
            return float(value)
        except OverflowError:
            raise OverflowError(f"{name} is too large for a float: {shown(value)}") from None
    if kind == "string":
        return text(value, name)
    if kind == "dtype":
        try:
            return dtypes.as_dtype(value)
        except TypeError:
            raise _refused("DataType", name, value) from None
    if kind == "wholes":
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{name}' argument to '{op.name}' Op, not {repr_of(value)}.")
        return tuple([whole(item, name) for item in value])
    raise _refused(kind.replace("truth", "bool"), name, value)


def _refused(kind: str, name: str, value: Any) -> TypeError:
    return TypeError(f"Expected {kind} for argument '{name}' not {repr_of(value)}.")


def truth(value: Any, name: str) -> bool:
    """The truth of an argument; an empty array is false.

    Raises:
      ValueError: if it is an array of several elements.
    """
    if value is None or value.__class__ is bool:
        return bool(value)
    size = np.size(value) if hasattr(value, "__array__") and not isinstance(value, type) else 1
    if size > 1:
        raise ValueError(f"Expected bool for argument '{name}' not an array of {size} elements: {repr_of(value)}")
    return bool(value) if size else False


def flag(value: Any, name: str) -> bool:
    """An argument that is True or False, NumPy's too.

    Raises:
      TypeError: if it is anything else, however true.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise _refused("bool", name, value)


def whole(value: Any, name: str) -> int:
    """An argument as a Python integer: one of any integer type, a float without a fraction, an eager scalar.

    Raises:
      TypeError: if it is anything else, a tensor that has no value yet among them.
    """
    if value.__class__ is int:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    try:
        if not isinstance(value, SymbolicTensor):
            return operator.index(value)
    except (TypeError, ValueError):
        pass  # the error below says it
    raise _refused("int", name, value)


def integer(value: Any, name: str) -> int:
    """An argument that is a tensor of whole numbers to TensorFlow, as a Python integer.

    A number with a fraction's type is none, unless it is NumPy's and has no fraction.

    Raises:
      TypeError: if it is no such scalar, a tensor that has no value yet among them.
    """
    if value.__class__ is int:
        return value  # type: ignore[no-any-return]
    if isinstance(value, float) and not isinstance(value, np.generic):
        raise _refused("int", name, value)
    if isinstance(value, np.ndarray) and not value.shape:
        value = value[()]
    return whole(value, name)


def check_index(value: Any, name: str) -> None:
    """Refuses an argument that is an index to TensorFlow and of another type than an integer's.

    Raises:
      TypeError: if it is a bool, a fraction, or an array or tensor of such; InvalidArgumentError where ops run at once.
    """
    if value.__class__ is int:
        return
    dtype = getattr(value, "dtype", None)
    kind = "i" if dtype is None else np.dtype(getattr(dtype, "np", dtype)).kind
    if isinstance(value, (bool, float)) or kind not in "iu":
        text = f"The type of {name}={repr_of(value)} is not in the list of allowed values: int32, int64"
        raise errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else TypeError(text)


def wholes(value: Any, name: str, each: Callable[[Any, str], int] = whole) -> list[int]:
    """An argument as a list of Python integers: a number, or a list, tuple, array or eager vector of numbers.

    Args:
      value: the argument.
      name: the argument's name.
      each: the converter of one number.

    Raises:
      TypeError: if it is, or holds, anything else.
    """
    if isinstance(value, (list, tuple)):
        return [each(v, name) for v in value]
    shape = () if isinstance(value, type) else getattr(value, "shape", ())
    if each is whole and isinstance(value, Tensor) and value.shape.rank == 0:  # not where TensorFlow takes tensors
        raise TypeError(f"Expected list for '{name}' argument, not the scalar {repr_of(value)}.")
    vector = None if isinstance(value, SymbolicTensor) or len(shape) != 1 else np.asarray(value)
    if vector is None or not vector.ndim:  # a sparse tensor of rank 1 is no array
        return [each(value, name)]
    return [each(v, name) for v in vector]


def text(value: Any, name: str) -> str:
    """An argument as a text; bytes are one.

    Raises:
      TypeError: if it is anything else.
    """
    if isinstance(value, (str, bytes)):
        return value.decode() if isinstance(value, bytes) else str(value)
    raise _refused("string", name, value)


def listed(values: Any, name: str, op: str, least_of: str = "") -> Any:
    """An argument that is a list of tensors.

    Args:
      values: the argument.
      name: the argument's name.
      op: the op that takes it.
      least_of: the attribute that counts them, if there must be one.

    Raises:
      TypeError: if nothing can be taken from it one by one, or it is a text.
      ValueError: if there must be one and is none; InvalidArgumentError where ops run at once.
    """
    if isinstance(values, (str, bytes)) or not is_iterable(values):
        raise TypeError(f"Expected list for '{name}' argument to '{op}' Op, not {repr_of(values)}.")
    if least_of and isinstance(values, (list, tuple)) and not values:
        refuse_number(op, least_of, values, 1, context.executing_eagerly())
    return values


def _refuse_option(op: OpDef, name: str, value: Any, allowed: Sequence[Any], eager: bool) -> NoReturn:
    shown, *options = [f'"{v}"' if isinstance(v, str) else v.c_name for v in (value, *allowed)]
    listed = ", ".join(options)
    if eager:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Value for attr '{name}' of {shown} is not in the list of allowed values: {listed} [Op:{op.name}]",
        )
    if isinstance(value, DType):
        names = ", ".join(v.name for v in allowed)
        raise TypeError(
            f"Value passed to parameter '{name}' has DataType {value.name} not in list of allowed values: {names}"
        )
    raise ValueError(f"Attr '{name}' of '{op.name}' Op passed string '{value}' not in: {listed}.")


def refuse_number(op: str, name: str, value: Any, least: int, eager: bool) -> NoReturn:
    """Refuses an attribute that is too small a number or too short a list.

    Args:
      op: the op.
      name: the attribute, as TensorFlow calls it.
      value: its value.
      least: the smallest number, or the smallest length.
      eager: whether the op runs at once.

    Raises:
      InvalidArgumentError: if it does.
      ValueError: if it does not.
    """
    what, passed = ("Value", f"{value}") if value.__class__ is int else ("Length", f"list of length {len(value)}")
    if eager:
        number = passed.rpartition(" ")[2]
        raise errors.InvalidArgumentError(
            None, None, f"{what} for attr '{name}' of {number} must be at least minimum {least} [Op:{op}]"
        )
    raise ValueError(f"Attr '{name}' of '{op}' Op passed {passed} less than minimum {least}.")


def number(value: Any, name: str) -> Any:
    """An argument that is a real number of Python's or NumPy's.

    Raises:
      TypeError: if it is anything else.
    """
    if isinstance(value, (int, float, np.integer, np.floating)):
        return value
    if getattr(value, "shape", None) == () and not isinstance(value, SymbolicTensor):
        item = np.asarray(value).item()
        if isinstance(item, (int, float)):
            return item
    raise _refused("float", name, value)
