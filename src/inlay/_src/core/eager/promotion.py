"""Promotion of operands of several dtypes, in the modes of NumPy's behavior.

    "off"     tensors of two dtypes are refused (the default)
    "legacy"  NumPy's own rule, for Python's operators
    "all"     any two have one: integers beside floating numbers take their dtype
    "safe"    the same where no value is lost, else refused

Python's numbers are weak: they take the dtype beside them if that is of their category or of a higher one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import values
from inlay._src.core.eager.convert import convert_to_tensor, holds_tensors, known_dtype
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import Tensor

MODES = ("off", "legacy", "all", "safe")
Kind = DType | type
"""A dtype, or the class of Python's numbers."""
_DEFAULTS: dict[Kind, DType] = {int: dtypes.int32, float: dtypes.float32, complex: dtypes.complex128}
_WEAK = (int, float, complex)
_SINGLE = {np.float64: np.float32, float: np.float32, complex: np.complex64}


class _PromotionSetting:
    mode = "off"
    prefer_float32 = False


def set_mode(name: str, prefer_float32: bool = False) -> None:
    """Sets the mode of the process.

    Args:
      name: one of `MODES`.
      prefer_float32: whether Python's floating numbers count as float32 in the legacy mode.
    """
    _PromotionSetting.mode, _PromotionSetting.prefer_float32 = name, prefer_float32


def mode() -> str:
    """The mode in force."""
    return _PromotionSetting.mode


def result_dtype(*operands: Any) -> DType | None:
    """The dtype that operands get together; None if each keeps its own, as one has no numbers.

    Args:
      operands: tensors, variables, arrays, Python's numbers, lists of them, and dtypes.

    Raises:
      TypeError: if they have none in the mode that is in force.
    """
    kinds = [_kind(operand) for operand in operands]
    if any(kind is None for kind in kinds):
        return None
    if mode() in ("off", "legacy"):
        return _by_numpy(operands, kinds)  # type: ignore[arg-type]
    first, *others = kinds
    for other in others:
        first = _joined(first, other)  # type: ignore[arg-type]
    return _DEFAULTS.get(first, first)  # type: ignore[arg-type, return-value]


def converted(value: Any, dtype: DType) -> Tensor:
    """A value as a tensor of a dtype: an operand of another dtype is cast."""
    if known_dtype(value) is None and not isinstance(value, (np.ndarray, np.generic)):
        return convert_to_tensor(value, dtype)
    tensor = convert_to_tensor(value)
    return tensor if tensor.dtype is dtype else OPS["Cast"].dispatch.function(tensor, dtype=dtype)  # type: ignore[misc, no-any-return]


def assigned(value: Any, dtype: DType) -> Tensor:
    """A value as a tensor of a variable's dtype, to which it is cast where the mode in force promotes it to that.

    Raises:
      ValueError, TypeError: if it has another dtype and is not.
    """
    if mode() not in ("all", "safe") or _kind(value) is None:
        return convert_to_tensor(value, dtype)
    if result_dtype(dtype, value) is not dtype:
        raise TypeError(
            f"Variable dtype is immutable: {repr_of(value)} is not converted to {dtype.name} in the mode {mode()!r} "
            "of dtype conversion. Cast it before it is assigned."
        )
    return converted(value, dtype)


def _kind(operand: Any) -> Kind | None:
    """The dtype of an operand, or the class of Python's numbers; None of what has no numbers, and of True."""
    if isinstance(operand, DType):
        dtype: DType | None = operand
    elif isinstance(operand, (np.ndarray, np.generic)):
        dtype = dtypes.FROM_NUMPY.get(operand.dtype)
    elif isinstance(operand, (list, tuple)) and not holds_tensors(operand):
        leaves = values.leaf_types(operand, set())
        if leaves and leaves <= set(_WEAK):
            return max(leaves, key=_WEAK.index)
        dtype = convert_to_tensor(operand).dtype if leaves else None
    elif operand.__class__ in _WEAK:
        return operand.__class__  # type: ignore[no-any-return]
    else:
        dtype = known_dtype(operand)
    return dtype if dtype is not None and (dtype.is_bool or _category(dtype) is not None) else None


def _category(dtype: DType) -> type | None:
    """The class of Python's numbers that is of the category of a dtype."""
    if dtype.is_quantized:
        return None
    return int if dtype.is_integer else float if dtype.is_floating else complex if dtype.is_complex else None


def weak_dtype(kind: type) -> DType:
    """The dtype of Python's numbers of a class among themselves.

    Args:
      kind: `int`, `float` or `complex`.
    """
    if mode() in ("all", "safe"):
        return _DEFAULTS[kind]
    return dtypes.FROM_NUMPY[np.dtype(_SINGLE.get(kind, kind) if _PromotionSetting.prefer_float32 else kind)]


def _by_numpy(operands: tuple[Any, ...], kinds: list[Kind]) -> DType:
    """The dtype that operands get by NumPy's rule."""
    if all(isinstance(kind, type) for kind in kinds):
        return weak_dtype(max(kinds, key=_WEAK.index))  # type: ignore[arg-type]

    def stands(operand: Any, kind: Any) -> Any:
        single = (
            _SINGLE.get(kind if isinstance(kind, type) else type(operand)) if _PromotionSetting.prefer_float32 else None
        )
        return np.dtype(single) if single is not None else kind(0) if isinstance(kind, type) else kind.np

    try:
        return dtypes.FROM_NUMPY[np.result_type(*map(stands, operands, kinds))]
    except TypeError:  # bfloat16 and float16
        names = ", ".join(getattr(kind, "name", str(kind)) for kind in kinds)
        raise TypeError(f"Operands of the dtypes {names} have no dtype together: cast one of them") from None


# ---------------------------------------------------------------- the lattice of the modes "all" and "safe"


def _joined(a: Kind, b: Kind) -> Kind:
    """The least kind above two."""
    if a is b:
        return a
    if isinstance(a, type) and isinstance(b, type):
        return max(a, b, key=_WEAK.index)
    if isinstance(a, type) or isinstance(b, type):
        weak, dtype = (a, b) if isinstance(a, type) else (b, a)
        return _beside(weak, dtype)  # type: ignore[arg-type]
    above = _above(a, b)
    if mode() == "safe" and (above not in (a, b) or not (_keeps(a, above) and _keeps(b, above))):
        raise _refusal(a.name, b.name)
    return above


def _beside(weak: type, dtype: DType) -> Kind:
    """The dtype that one of Python's numbers and a dtype get."""
    if dtype.is_bool:
        return weak
    category = _category(dtype)
    assert category is not None
    if _WEAK.index(category) >= _WEAK.index(weak):
        return dtype
    single = weak is complex and category is float and dtype is not dtypes.float64
    above = dtypes.float64 if weak is float else dtypes.complex64 if single else dtypes.complex128
    if mode() == "safe" and (weak is float or single or not _keeps(dtype, above)):
        raise _refusal(dtype.name, f"Python's {weak.__name__}")
    return above


def _above(a: DType, b: DType) -> DType:
    """The least dtype that is above two in the mode "all"."""
    if a.is_bool or b.is_bool:
        return b if a.is_bool else a
    low, high = sorted((a, b), key=lambda d: _WEAK.index(_category(d)))  # type: ignore[arg-type]
    if low.is_integer:
        return high if not high.is_integer else dtypes.FROM_NUMPY[np.result_type(low.np, high.np)]
    if high.is_complex:
        wide = dtypes.float64 in (low, high) or dtypes.complex128 in (low, high)
        return dtypes.complex128 if wide else dtypes.complex64
    return dtypes.float32 if low.size == high.size else max(a, b, key=lambda d: d.size)


def _keeps(dtype: DType, above: DType) -> bool:
    """Whether every value of a dtype is one of another."""
    if dtype.is_integer and not above.is_integer:
        part = above.size // 2 if above.is_complex else above.size
        return dtype.size < part and dtype.size < 8
    if dtypes.bfloat16 in (dtype, above):
        return dtype is above or above.size > dtype.size
    return np.can_cast(dtype.np, above.np)


def _refusal(one: str, other: str) -> TypeError:
    return TypeError(
        f"In promotion mode {mode().upper()}, implicit dtype promotion between {one} and {other} is disallowed, as "
        "values might be lost. Cast one of the two, or choose the mode 'all'."
    )
