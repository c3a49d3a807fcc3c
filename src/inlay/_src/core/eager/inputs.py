"""The inputs of one op call as tensors: converted, and their dtypes checked against the op's signature.

A letter of the signature (`T`) stands for one dtype in a call. Tensors bind it first; Python and NumPy values then take
the bound type, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import values
from inlay._src.core.eager.attributes import listed
from inlay._src.core.eager.convert import beside, convert_to_tensor, holds_tensors, known_dtype, known_dtypes
from inlay._src.core.opdef import OpDef
from inlay._src.core.signature import Arg
from inlay._src.core.tensor import Tensor, constant_eager

Bound = dict[str, DType]
"""Letter -> the dtype it stands for in this call."""


def bound_by_tensors(op: OpDef, inputs: tuple[Any, ...], eager: bool) -> Bound:
    """The dtype that the tensors and variables among the inputs bind each letter to.

    Raises:
      InvalidArgumentError (eager), TypeError: if they disagree, or a dtype is not allowed.
    """
    bound: Bound = {}
    lists = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if arg.static and value is None:
            continue
        for item in listed(value, arg.name, op.name) if arg.variadic else (value,):
            if item.__class__ is float or item.__class__ is int:
                continue
            if item.__class__ is list or item.__class__ is tuple:
                if eager or arg.type in bound:
                    lists.append((position, arg, item))
                else:  # in graphs a list with tensors has their dtype, whatever stands behind it
                    _bind_list(op, position, arg, item, bound, eager)
                continue
            dtype = known_dtype(item)
            if dtype is not None:
                check_dtype(op, arg, bound, dtype, position, eager)
    for position, arg, item in lists:
        _bind_list(op, position, arg, item, bound, eager)
    return bound


def _bind_list(op: OpDef, position: int, arg: Arg, item: Any, bound: Bound, eager: bool) -> None:
    """Binds an unbound letter to the dtype of the tensors in a list; those of a bound one are cast."""
    if arg.type.__class__ is str and arg.type not in bound:
        for dtype in known_dtypes(item):
            allowed = op.letters[arg.type]
            first = isinstance(allowed, dtypes.Exact) and all(a.type != arg.type for a in op.args[:position])
            cast = dtype not in allowed and allowed == dtypes.INDEX and not first
            check_dtype(op, arg, bound, dtypes.int32 if cast else dtype, position, eager)


def as_input(op: OpDef, arg: Arg, value: Any, bound: Bound, position: int, name: str | None, eager: bool) -> Tensor:
    """One input as a tensor of the type its letter is bound to.

    Args:
      op: the op.
      arg: the declared input.
      value: the argument.
      bound: the letters bound so far; a letter that this input is the first to have is added.
      position: the input's number, for messages.
      name: the name of the constant that a graph may get.
      eager: whether the op runs at once: says how an error is worded.
    """
    kind = arg.type
    wanted = kind if kind.__class__ is DType or kind is None else bound.get(kind)  # type: ignore[arg-type]
    if isinstance(value, Tensor):
        tensor = value
    elif wanted is None:
        tensor = convert_to_tensor(value, name=name, dtype_hint=_preferred(op, kind, value))
    elif kind.__class__ is DType and isinstance(value, np.ndarray):
        tensor = convert_to_tensor(value, kind, name=name)  # cast: only one type can be meant
    else:
        try:
            tensor = beside(value, wanted, name)  # type: ignore[arg-type]
        except TypeError:
            if op.name != "AddV2":
                raise
            # TensorFlow's addition, which is that of text too, leaves a value its own type then, and refuses that.
            tensor = convert_to_tensor(value, name=name)
    check_dtype(op, arg, bound, tensor.dtype, position, eager)
    return tensor


def _preferred(op: OpDef, kind: Any, value: Any) -> DType | None:
    """The type of a bare value whose own type the op does not take: whole numbers become float32, say."""
    allowed = op.letters.get(kind)
    if allowed is None or isinstance(allowed, dtypes.Exact):
        return None
    first = [d for d in (dtypes.int32, dtypes.float32, dtypes.complex64) if d in allowed][:2]
    if not first or first == [dtypes.int32, dtypes.float32]:
        return None
    if value.__class__ not in (int, float) and not hasattr(value, "__tf_tensor__"):
        if isinstance(value, (list, tuple)):
            if dtypes.int32 in allowed and dtypes.int64 in allowed and values.leaf_types(value, set()) == {int}:
                return None  # their own type, whichever of the two that is
            if holds_tensors(value):
                return None
        try:
            own = constant_eager(value).dtype
        except (TypeError, ValueError):
            return None  # the conversion that follows says why
        if own in allowed or not _keeps(value, own, first[0]):
            return None
    return first[0]  # an empty list has no type of its own


def _keeps(value: Any, own: DType, other: DType) -> bool:
    """Whether a value stays what it is in another type: no fraction and no imaginary part is lost unseen."""
    if np.can_cast(own.np, other.np, "same_kind"):
        return True
    with np.errstate(invalid="ignore"):
        return own.is_floating and np.array_equal(np.asarray(value).astype(other.np), value)


def check_dtype(op: OpDef, arg: Arg, bound: Bound, got: DType, position: int, eager: bool) -> None:
    """Records or checks the dtype of one input."""
    kind = arg.type
    if kind is None:
        return
    if kind.__class__ is DType:
        if got is not kind:
            _mismatch(op, arg, position, got, kind, eager)  # type: ignore[arg-type]
        return
    want = bound.get(kind)  # type: ignore[arg-type]
    if want is None:
        allowed = op.letters[kind]  # type: ignore[index]
        if got not in allowed:
            if not eager:
                names = ", ".join(sorted(d.name for d in allowed))
                raise TypeError(
                    f"Value passed to parameter '{arg.name}' has DataType {got.name} not in list of allowed values: "
                    f"{names} (op {op.name})"
                )
            names = ", ".join(sorted(d.c_name for d in allowed))
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Value for attr '{kind}' of {got.c_name} is not in the list of allowed values: {names} "
                f"(input '{arg.name}' of {op.name})",
            )
        bound[kind] = got  # type: ignore[index]
    elif want is not got:
        _mismatch(op, arg, position, got, want, eager)


def _mismatch(op: OpDef, arg: Arg, position: int, got: DType, want: DType, eager: bool) -> None:
    if eager:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"cannot compute {op.name} as input #{position}(zero-based) was expected to be a {want.c_name} "
            f"tensor but is a {got.c_name} tensor [Op:{op.name}] (inlay explain mixed-dtypes)",
        )
    raise TypeError(
        f"Input '{arg.name}' of '{op.name}' Op has type {got.name} that does not match type {want.name} of "
        f"argument '{op.args[0].name}'. (inlay explain mixed-dtypes)"
    )
