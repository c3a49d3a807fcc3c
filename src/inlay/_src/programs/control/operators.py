"""The functions that converted code calls in place of Python's operators, statements and builtins. Python values keep
Python's.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.host.api import numpy_function
from inlay._src.ops import math, reductions
from inlay._src.ops.array import shape
from inlay._src.ops.math import cast, logical_not
from inlay._src.ops.ranges import range_
from inlay._src.programs.control.if_statement import choose, if_exp, if_stmt, predicate
from inlay._src.programs.control.loop_statement import for_stmt, while_stmt
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.programs.control.variables import Undefined, UndefinedReturnValue, ld, ldu
from inlay._src.programs.control.walks import IndexedItems, rows_of, zipped

__all__ = [
    "Undefined",
    "UndefinedReturnValue",
    "and_",
    "assert_stmt",
    "caught",
    "for_stmt",
    "if_exp",
    "if_stmt",
    "ld",
    "ldu",
    "not_",
    "or_",
    "while_stmt",
]


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`; `b` runs only if `a` holds."""
    first = a()
    pred = predicate(first, "`and`")
    if pred is None:
        return first and b()
    return choose(pred, lambda: (_bool(b()),), lambda: (pred,), ("and",), (None,))[0]


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`; `b` runs only if `a` does not hold."""
    first = a()
    pred = predicate(first, "`or`")
    if pred is None:
        return first or b()
    return choose(pred, lambda: (pred,), lambda: (_bool(b()),), ("or",), (None,))[0]


def _bool(value: Any) -> Any:
    return predicate(value, "`and`, `or`") if isinstance(value, SymbolicTensor) else value


def not_(a: Any) -> Any:
    """`not a`; of a tensor of truths, each is turned around."""
    if isinstance(a, SymbolicTensor) and a.dtype is dtypes.bool_:
        return logical_not(a)
    pred = predicate(a, "`not`")
    return not a if pred is None else logical_not(pred)


def assert_stmt(held: Any, message: Callable[[], Any]) -> None:
    """An `assert` statement. On a tensor it is checked whenever the graph runs.

    Raises:
      AssertionError: if a Python value is false.
      InvalidArgumentError: when the graph runs, if a tensor is false.
    """
    pred = predicate(held, "assert statement")
    if pred is None:
        if not held:
            text = message()
            raise AssertionError(text) if text is not None else AssertionError
        return
    text = message()
    tensors = [text] if isinstance(text, SymbolicTensor) else []

    def check(fine: Any, *values: Any) -> None:
        if not fine:
            said = values[0] if values else text
            raise errors.InvalidArgumentError(
                None, None, "assertion failed" + (f": [{said}]" if said is not None else "")
            )

    numpy_function(check, [pred, *tensors], [], name="Assert")


def caught() -> BaseException | None:
    """The exception that is being handled."""
    return sys.exc_info()[1]


# ---- builtins


def _len(value: Any) -> Any:
    """`len`: of a tensor, its first dimension."""
    if isinstance(value, TensorArray):
        return value.size()
    if not isinstance(value, SymbolicTensor):
        return len(value)
    dims = value._dims
    if dims == ():
        raise ValueError(f"len requires a non-scalar tensor, got {value!r}")
    if dims is not None and dims[0] is not None:
        return dims[0]
    return shape(value)[0]


def _range(*bounds: Any) -> Any:
    """`range`: of tensors, `tf.range`."""
    if not any(isinstance(b, SymbolicTensor) for b in bounds):
        return range(*bounds)
    if len(bounds) < 3:  # Python's is empty where `tf.range` refuses to count up to a lower number
        start, stop = (0, *bounds)[-2:]
        return range_(start, math.maximum(start, stop))
    return range_(*bounds)


def _int(*args: Any, **kwargs: Any) -> Any:
    """`int`: of a tensor, a cast to int32."""
    return _cast(args[0], dtypes.int32) if args and isinstance(args[0], SymbolicTensor) else int(*args, **kwargs)


def _float(*args: Any) -> Any:
    """`float`: of a tensor, a cast to float32."""
    return _cast(args[0], dtypes.float32) if args and isinstance(args[0], SymbolicTensor) else float(*args)


def _cast(value: SymbolicTensor, dtype: Any) -> Any:
    if value.dtype is dtypes.string:
        raise TypeError(f"{value!r} is text: use tf.strings.to_number")
    return cast(value, dtype)


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`: of a tensor, pairs of an int32 position and a row; of a dataset, one of pairs."""
    if hasattr(type(iterable), "_dataset_spec"):
        return iterable.enumerate(start)
    rows = rows_of(iterable)
    if rows is None:
        return enumerate(iterable, start)
    at = rows.at
    return IndexedItems(rows.count, lambda i: (i + start, at(i)))


def _zip(*iterables: Any, strict: bool = False) -> Any:
    """`zip`: of tensors, their rows side by side; of datasets, one of both."""
    if iterables and all(hasattr(type(i), "_dataset_spec") for i in iterables):
        return type(iterables[0]).zip(iterables)
    if not any(isinstance(i, (SymbolicTensor, IndexedItems)) for i in iterables):
        return zip(*iterables, strict=strict)
    rows = zipped(iterables)
    if rows is None:
        raise TypeError(f"zip() of tensors and Python iterables: make all of them tensors, got {iterables!r}")
    return rows


def _next(iterator: Any, *default: Any) -> Any:
    """`next`: of an iterator over a dataset, an op that takes an element, as often as it is written."""
    own = None if default else getattr(type(iterator), "_following", None)
    return next(iterator, *default) if own is None else own(iterator)


def _reducing(name: str) -> Callable[..., Any]:
    """`any`, `all`: of a tensor of bools, the reduction of all its elements."""
    plain = getattr(builtins, name)

    def function(iterable: Any) -> Any:
        if not isinstance(iterable, SymbolicTensor):
            return plain(iterable)
        return getattr(reductions, f"reduce_{name}")(iterable)

    return function


def _extreme(name: str) -> Callable[..., Any]:
    """`min`, `max`: of scalar tensors, or of the elements of one tensor."""
    plain = getattr(builtins, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or not any(isinstance(a, SymbolicTensor) for a in args):
            return plain(*args, **kwargs)
        if len(args) == 1:
            return getattr(reductions, f"reduce_{name}")(args[0])
        if any(convert_to_tensor(a).shape.rank not in (0, None) for a in args):
            raise ValueError(f"{name}() of several tensors needs scalars, got {args!r}: use tf.{name}imum")
        two = getattr(math, f"{name}imum")
        result = args[0]
        for other in args[1:]:
            result = two(result, other)
        return result

    return function


BUILTINS: dict[int, Callable[..., Any]] = {
    id(len): _len,
    id(range): _range,
    id(int): _int,
    id(float): _float,
    id(enumerate): _enumerate,
    id(zip): _zip,
    id(next): _next,
    **{id(getattr(builtins, name)): _reducing(name) for name in ("any", "all")},
    **{id(getattr(builtins, name)): _extreme(name) for name in ("min", "max")},
}
