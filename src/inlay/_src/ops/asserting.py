"""Assertions about tensors: decided at once if everything is known, else ops that run before what depends on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.dtypes import FLOATS, DType
from inlay._src.base.types.nest import Composite
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, composite_of, operand
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import LoweringHints, some_values
from inlay._src.core.opdef import same
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import array, complex_numbers, control, math, reductions, stacking
from inlay._src.ops.printing import assert_, summarized

# ---------------------------------------------------------------- finite numbers


def _check_vjp(op, dy):
    return check_numerics(
        dy, "Not a number (NaN) or infinity (Inf) values detected in gradient. " + op.attrs["message"]
    )


@op(
    "CheckNumerics",
    "tensor:T -> T",
    types=FLOATS,
    infer=same,
    vjp=_check_vjp,
    lower=LoweringHints(aliases=True, refuses=some_values),
)
@export("check_numerics", "debugging.check_numerics")
def check_numerics(xp, tensor, *, message: str):
    """The tensor, refusing it when it holds NaN or an infinity."""
    if xp is np and not np.isfinite(tensor).all():
        kinds = [n for n, bad in (("Inf", np.isinf(tensor)), ("NaN", np.isnan(tensor))) if np.any(bad)]
        raise errors.InvalidArgumentError(None, None, f"{message} : Tensor had {' and '.join(kinds)} values")
    return tensor


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """`x`, refusing it when it holds NaN or an infinity."""
    return check_numerics(x, message, name=name)


# ---------------------------------------------------------------- comparisons


def _describe(tensor: Tensor) -> str:
    return (
        f"(shape={tensor.shape} dtype={tensor.dtype.name})" if isinstance(tensor, EagerTensor) else f"({tensor.name})"  # type: ignore[attr-defined]
    )


def _words(message: Any) -> str:
    """A message, which may be a tensor, as text; "" if there is none."""
    if message is None or isinstance(message, str):
        return message or ""
    text = constant_of(message)
    words = text.item() if text is not None and text.size == 1 else None
    return words.decode(errors="replace") if isinstance(words, bytes) else str(message)


def _first(message: Any) -> list[Any]:
    """The items of a message that an `Assert` op shows."""
    return [] if message is None else [message]


def _failure(
    condition: str, values: dict[str, Any], holds: np.ndarray, message: Any, summarize: int | None
) -> Exception:
    """The error of a failed comparison of values known while a graph is built."""
    limit = 3 if summarize is None else summarize
    lines = [_words(message), condition]
    if holds.ndim:
        bad = np.argwhere(~holds)[:limit] if limit >= 0 else np.argwhere(~holds)
        lines += [f"Indices of first {len(bad)} different values:", summarized(bad, -1)]
        for label, value in values.items():
            at = np.broadcast_to(np.asarray(value), holds.shape)[tuple(bad.T)]
            lines += [f"Corresponding {label} values:", summarized(at, -1)]
    for label, value in values.items():
        flat = np.asarray(value).reshape(-1)
        shown = flat if limit < 0 else flat[:limit]
        lines += [f"First {shown.size} elements of {label}:", summarized(shown, -1)]
    return errors.InvalidArgumentError(None, None, "\n".join(lines).lstrip("\n"))


_TESTS: dict[str, tuple[Any, Any, str, str]] = {
    "==": (np.equal, math.equal, "assert_equal", ""),
    "!=": (np.not_equal, math.not_equal, "assert_none_equal", ""),
    "<": (np.less, math.less, "assert_less", "assert_negative"),
    "<=": (np.less_equal, math.less_equal, "assert_less_equal", "assert_non_positive"),
    ">": (np.greater, math.greater, "assert_greater", "assert_positive"),
    ">=": (np.greater_equal, math.greater_equal, "assert_greater_equal", "assert_non_negative"),
}
"""Symbol -> the comparison of values and of tensors, the assertion about two tensors, the one about zero."""


def _rows_or_tensor(value: Any, dtype_hint: Any = None) -> Any:
    """A ragged tensor as it is, anything else as a tensor, which a sparse one has none of."""
    if not hasattr(value, "flat_values"):
        return convert_to_tensor(value, dtype_hint=dtype_hint)
    return composite_of(value)


def _flat(value: Any) -> Any:
    """The values of a ragged tensor, whatever rows they are in; a tensor as it is."""
    return value.flat_values if answers(value) else value


def _shown(name: str, value: Any) -> list[Any]:
    flat = _flat(value)
    return [f"{name} {_describe(flat)} = ", flat]


def _compare(
    symbol: str, x: Any, y: Any, data: Any, summarize: Any, message: Any, name: str | None, zero: bool = False
) -> Any:
    """The assertion that `x` compares so with `y`, which is not shown if it is zero."""
    x, y = _rows_or_tensor(x), _rows_or_tensor(y)
    of_values, of_tensors = _TESTS[symbol][:2]
    condition = f"Condition x {symbol} {'0' if zero else 'y'} did not hold element-wise:"
    ragged = answers(x) or answers(y)
    constants = (None, None) if ragged else (constant_of(x), constant_of(y))
    if x.dtype is not y.dtype or (x.dtype is dtypes.string and symbol not in ("==", "!=")):
        of_tensors(x, y)  # refuses it
    if constants[0] is not None and constants[1] is not None and not isinstance(message, SymbolicTensor):
        try:
            holds = np.asarray(of_values(constants[0], constants[1])).astype(bool)
        except ValueError:
            raise errors.InvalidArgumentError(None, None, f"Incompatible shapes: {x.shape} vs. {y.shape}") from None
        if not holds.all():
            values = {"x": constants[0]} if zero else {"x": constants[0], "y": constants[1]}
            raise _failure(
                condition if zero else f"Condition x {symbol} y did not hold.", values, holds, message, summarize
            )
        return None if isinstance(x, EagerTensor) and isinstance(y, EagerTensor) else control.no_op(name)
    shown = [*_first(message), condition, *_shown("x", x), *([] if zero else _shown("y", y))]
    holds = reductions.reduce_all(_flat(of_tensors(x, y)))
    return assert_(holds, list(data) if data is not None else shown, summarize, name)


_SHARED = """      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly.
    """


def _between(symbol: str) -> Any:
    """The 1.x function that asserts a comparison of two tensors."""
    label = _TESTS[symbol][2]

    def function(
        x: Any, y: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None
    ) -> Operation | None:
        return _compare(symbol, x, y, data, summarize, message, name or label)

    function.__name__ = function.__qualname__ = label
    function.__doc__ = f"""Fails with InvalidArgumentError unless `x {symbol} y` for every element.

    Args:
      x, y: tensors that broadcast.
{_SHARED}"""
    return function


def _with_zero(symbol: str) -> Any:
    """The 1.x function that asserts a comparison with zero."""
    label = _TESTS[symbol][3]

    def function(
        x: Any, data: Any = None, summarize: Any = None, message: Any = None, name: str | None = None
    ) -> Operation | None:
        x = _rows_or_tensor(x)
        return _compare(symbol, x, array.constant(0, x.dtype), data, summarize, message, name or label, zero=True)

    function.__name__ = function.__qualname__ = label
    function.__doc__ = f"""Fails with InvalidArgumentError unless every element is {symbol} 0.

    Args:
      x: a tensor.
{_SHARED}"""
    return function


_BETWEEN = "x, y, message=None, summarize=None, name=None, data=None"
_WITH_ZERO = "x, message=None, summarize=None, name=None"

assert_equal_v1: Any = export("compat.v1.assert_equal", "compat.v1.debugging.assert_equal")(_between("=="))
assert_equal: Any = export("assert_equal", "debugging.assert_equal")(another_form(assert_equal_v1, _BETWEEN))
assert_none_equal_v1: Any = export("compat.v1.assert_none_equal", "compat.v1.debugging.assert_none_equal")(
    _between("!=")
)
assert_none_equal: Any = export("assert_none_equal", "debugging.assert_none_equal")(
    another_form(assert_none_equal_v1, "x, y, summarize=None, message=None, name=None, data=None")
)
assert_less_v1: Any = export("compat.v1.assert_less", "compat.v1.debugging.assert_less")(_between("<"))
assert_less: Any = export("assert_less", "debugging.assert_less")(another_form(assert_less_v1, _BETWEEN))
assert_less_equal_v1: Any = export("compat.v1.assert_less_equal", "compat.v1.debugging.assert_less_equal")(
    _between("<=")
)
assert_less_equal: Any = export("assert_less_equal", "debugging.assert_less_equal")(
    another_form(assert_less_equal_v1, _BETWEEN)
)
assert_greater_v1: Any = export("compat.v1.assert_greater", "compat.v1.debugging.assert_greater")(_between(">"))
assert_greater: Any = export("assert_greater", "debugging.assert_greater")(another_form(assert_greater_v1, _BETWEEN))
assert_greater_equal_v1: Any = export("compat.v1.assert_greater_equal", "compat.v1.debugging.assert_greater_equal")(
    _between(">=")
)
assert_greater_equal: Any = export("assert_greater_equal", "debugging.assert_greater_equal")(
    another_form(assert_greater_equal_v1, _BETWEEN)
)
assert_positive_v1: Any = export("compat.v1.assert_positive", "compat.v1.debugging.assert_positive")(_with_zero(">"))
assert_positive: Any = export("assert_positive", "debugging.assert_positive")(
    another_form(assert_positive_v1, _WITH_ZERO)
)
assert_negative_v1: Any = export("compat.v1.assert_negative", "compat.v1.debugging.assert_negative")(_with_zero("<"))
assert_negative: Any = export("assert_negative", "debugging.assert_negative")(
    another_form(assert_negative_v1, _WITH_ZERO)
)
assert_non_negative_v1: Any = export("compat.v1.assert_non_negative", "compat.v1.debugging.assert_non_negative")(
    _with_zero(">=")
)
assert_non_negative: Any = export("assert_non_negative", "debugging.assert_non_negative")(
    another_form(assert_non_negative_v1, _WITH_ZERO)
)
assert_non_positive_v1: Any = export("compat.v1.assert_non_positive", "compat.v1.debugging.assert_non_positive")(
    _with_zero("<=")
)
assert_non_positive: Any = export("assert_non_positive", "debugging.assert_non_positive")(
    another_form(assert_non_positive_v1, _WITH_ZERO)
)


@export("compat.v1.assert_near", "compat.v1.debugging.assert_near")
def assert_near_v1(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Operation | None:
    """Fails unless `|x - y| < atol + rtol * |y|` for every element.

    Args:
      x, y: tensors that broadcast.
      rtol, atol: the tolerances; ten times the type's resolution if None.
      data: shown instead of the values.
      summarize: number of elements to show.
      message: prefix of the error message.
      name: the node's name.
    """
    x = _rows_or_tensor(x)
    y = _rows_or_tensor(y, x.dtype)
    real = x.dtype.real_dtype
    small = 0.0 if real.is_integer else 10 * float(np.finfo(real.np).eps if real.size > 2 else 2.0**-7)
    rtol, atol = (math.cast(convert_to_tensor(small if t is None else t), real) for t in (rtol, atol))
    distance = complex_numbers.abs(math.subtract(x, y))
    bound = math.add(atol, math.multiply(rtol, complex_numbers.abs(y)))
    holds = reductions.reduce_all(_flat(math.less(distance, bound)))
    shown = [*_first(message), "x and y not equal to tolerance", rtol, atol, *_shown("x", x), *_shown("y", y)]
    return assert_(holds, shown if data is None else list(data), summarize, name or "assert_near")


assert_near: Any = export("assert_near", "debugging.assert_near")(
    another_form(assert_near_v1, "x, y, rtol=None, atol=None, message=None, summarize=None, name=None", "assert_near")
)


# ---------------------------------------------------------------- ranks, types, shapes


def _of_rank(label: str, parameter: str, what: str, at_least: bool = False) -> Any:
    """The 1.x function that asserts something about a rank."""

    def function(x: Any, ranks: Any, data: Any, summarize: Any, message: Any, name: str | None) -> Operation | None:
        x = convert_to_tensor(x)
        if parameter == "ranks" and not isinstance(ranks, (list, tuple, set, range, np.ndarray)):
            raise TypeError(f"{label}: ranks must be a list of numbers, got {ranks!r}")
        wanted = [_number(r) for r in (ranks if parameter == "ranks" else [ranks])]
        requirement = f"rank{what} {tuple(wanted) if parameter == 'ranks' else wanted[0]}"
        described = "" if isinstance(x, EagerTensor) else x.name  # type: ignore[attr-defined]
        rank = x.shape.rank
        if rank is not None and all(isinstance(w, int) for w in wanted):
            if rank >= wanted[0] if at_least else rank in wanted:
                return _decided(x)
            lead = f"{_words(message)}. " if message is not None else ""
            raise ValueError(
                f"{lead}Tensor {described} must have {requirement}.  Received rank {rank}, shape {x.shape}"
            )
        test = math.greater_equal if at_least else math.equal
        with control.control_dependencies(
            [_scalar(w) for w in wanted if not isinstance(w, int) and w.shape.rank is None]
        ):
            holds = reductions.reduce_any(stacking.stack([test(array.rank(x), w) for w in wanted]))
        shown = [*_first(message), f"Tensor {described} must have {requirement}", "Received shape: ", array.shape(x)]
        return assert_(holds, shown if data is None else list(data), summarize, name or label)

    function.__doc__ = f"""Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank{what} it.

    Args:
      x: a tensor.
      ranks: what is required: {"several numbers" if parameter == "ranks" else "a number"}, or tensors.
{_SHARED}"""
    parameters = f"x, {parameter}, data=None, summarize=None, message=None, name=None"
    return another_form(function, parameters, label, **({} if parameter == "ranks" else {parameter: "ranks"}))


def _scalar(rank: Any) -> Any:
    """The operation that fails, when it runs, unless a rank to require is a scalar."""
    return assert_(math.equal(array.rank(rank), 0), ["Rank must be a scalar.  Received rank: ", rank])


def _decided(x: Any) -> Any:
    """The operation that stands for an assertion already checked: other operations may depend on it."""
    return None if isinstance(x, EagerTensor) else control.no_op()


def _number(rank: Any) -> Any:
    """A rank as an int, or as a tensor if it is not known yet."""
    if rank.__class__ is int:
        return rank
    tensor = convert_to_tensor(rank)
    if tensor.shape.rank:
        raise ValueError(f"the rank to require must be a scalar, got {rank!r}")
    if tensor.dtype is not dtypes.int32:
        raise TypeError(f"the rank to require must be of type int32, got {tensor.dtype.name}: {rank!r}")
    constant = constant_of(tensor)
    return tensor if constant is None else int(constant)


_RANK = "x, rank, message=None, name=None, data=None, summarize=None"

assert_rank_v1: Any = export("compat.v1.assert_rank", "compat.v1.debugging.assert_rank")(
    _of_rank("assert_rank", "rank", "")
)
assert_rank: Any = export("assert_rank", "debugging.assert_rank")(another_form(assert_rank_v1, _RANK))
assert_rank_at_least_v1: Any = export("compat.v1.assert_rank_at_least", "compat.v1.debugging.assert_rank_at_least")(
    _of_rank("assert_rank_at_least", "rank", " at least", at_least=True)
)
assert_rank_at_least: Any = export("assert_rank_at_least", "debugging.assert_rank_at_least")(
    another_form(assert_rank_at_least_v1, _RANK)
)
assert_rank_in_v1: Any = export("compat.v1.assert_rank_in", "compat.v1.debugging.assert_rank_in")(
    _of_rank("assert_rank_in", "ranks", " in")
)
assert_rank_in: Any = export("assert_rank_in", "debugging.assert_rank_in")(
    another_form(assert_rank_in_v1, _RANK.replace("rank", "ranks"))
)


@export("assert_scalar", "compat.v1.assert_scalar", "compat.v1.debugging.assert_scalar")
def assert_scalar_v1(tensor: Any, name: str | None = None, message: Any = None) -> Tensor:
    """`tensor`; fails with ValueError unless it has rank 0.

    Args:
      tensor: a tensor.
      name: ignored.
      message: prefix of the error message.
    """
    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank != 0:
        lead = f"{_words(message)}. " if message is not None else ""
        raise ValueError(f"{lead}Expected scalar shape, saw shape: {tensor.shape}.")
    return tensor


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> None:
    """Fails with ValueError unless `tensor` has rank 0; arguments as for `assert_scalar` of 1.x."""
    assert_scalar_v1(tensor, name, message)


@export("assert_type", "compat.v1.debugging.assert_type")
def assert_type_v1(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> Operation | None:
    """Fails with TypeError unless `tensor` has the type.

    Args:
      tensor: a tensor.
      tf_type: the type.
      message: prefix of the error message.
      name: ignored.

    Returns:
      An operation, on which others may depend; None while executing eagerly.
    """
    tensor, wanted = operand(tensor), dtypes.as_dtype(tf_type)
    if dtypes.as_dtype(tensor.dtype) is not wanted:
        lead = f"{_words(message)}: " if message is not None else ""
        raise TypeError(f"{lead}tensor must be of type {wanted!r}; got {tensor.dtype!r}")
    return _decided(tensor)


@export("debugging.assert_type")
def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> None:
    """Fails with TypeError unless `tensor` has the type; arguments as for `assert_type` of 1.x."""
    assert_type_v1(tensor, tf_type, message, name)


@export("assert_integer", "compat.v1.debugging.assert_integer")
def assert_integer_v1(x: Any, message: Any = None, name: str | None = None) -> Operation | None:
    """Fails with TypeError unless `x` has an integer type.

    Args:
      x: a tensor.
      message: prefix of the error message.
      name: ignored.

    Returns:
      An operation, on which others may depend; None while executing eagerly.
    """
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        lead = f"{_words(message)} " if message is not None else ""
        raise TypeError(f'{lead}Expected "x" to be integer type.  Found: {x.dtype!r}')
    return _decided(x)


@export("debugging.assert_integer")
def assert_integer(x: Any, message: Any = None, name: str | None = None) -> None:
    """Fails with TypeError unless `x` has an integer type; arguments as for `assert_integer` of 1.x."""
    assert_integer_v1(x, message, name)


@export("assert_proper_iterable", "debugging.assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Fails with TypeError unless `values` is an iterable of values rather than one tensor, array or string."""
    if isinstance(values, (Tensor, np.ndarray, str, bytes)):
        raise TypeError(f"Expected argument 'values' to be a 'proper' iterable.  Found: {type(values)}")
    if not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument 'values' to be iterable.  Found: {type(values)}")


@export("debugging.is_numeric_tensor", "compat.v1.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether `tensor` is a tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


@export("assert_same_float_dtype", "debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The one floating type of all tensors; ValueError if they differ or it is not floating."""
    common = dtypes.as_dtype(dtype) if dtype is not None else None
    for tensor in nest.flatten(list(tensors or [])):
        if tensor is None:
            continue
        value: Any = tensor if isinstance(tensor, Composite) else convert_to_tensor(tensor)
        kind = value.dtype
        if common is not None and kind is not common:
            raise ValueError(f"Tensor type {kind.name} does not match {common.name}")
        common = kind
    common = common or dtypes.float32
    if not common.is_floating:
        raise ValueError(f"Expected floating point type, got {common.name}.")
    return common
