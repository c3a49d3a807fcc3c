"""Parameters of distributions as tensors, and what is checked of them and of values with `validate_args`."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, asserting, math, powers
from inlay._src.ops.activations import softmax
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.special import lgamma


def parameter(attribute: str, says: str) -> Any:
    """A read-only property that is a tensor of the distribution."""
    return property(operator.attrgetter(attribute), doc=says)


def checked(value: Any, assertions: Sequence[Any]) -> Any:
    """A tensor that has its value once the assertions hold."""
    with control_dependencies(assertions):
        return array.identity(value)


def floats_of_one_type(assertions: Sequence[Any] = (), **values: Any) -> list[Any]:
    """Parameters as tensors that are named like them and have their values once the assertions hold.

    Raises:
      ValueError: if their types differ, or are not floating.
    """
    with control_dependencies(assertions):
        tensors = [array.identity(value, name=name) for name, value in values.items()]
    asserting.assert_same_float_dtype(tensors)
    return tensors


def logits_and_probs(logits: Any, probs: Any, validate: bool, classes: bool = False) -> tuple[Any, Any]:
    """Both forms of probabilities, one of which is given: log-odds, or the logarithms of probabilities of classes.

    Args:
      logits, probs: a tensor and None.
      validate: whether values are checked when they are used.
      classes: whether the last axis holds one probability per class, which sum to 1.

    Raises:
      ValueError: unless one of them is given.
      TypeError: if it is not floating.
    """
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    label, value = ("logits", logits) if probs is None else ("probs", probs)
    tensor = convert_to_tensor(value, name=label)
    if not tensor.dtype.is_floating:
        raise TypeError(f"{label} must having floating type.")
    if validate and classes:
        tensor = with_several_classes(tensor)
    if probs is None:
        return tensor, (softmax if classes else powers.sigmoid)(tensor, name="probs")
    if validate:
        with name_scope("validate_probs"):
            tensor = checked(tensor, _assertions_on_probs(tensor, classes))
    with name_scope("logits"):
        return (powers.log(tensor) if classes else powers.log(tensor) - powers.log1p(-tensor)), tensor


def _assertions_on_probs(probs: Any, classes: bool) -> list[Any]:
    one = array.constant(1, probs.dtype)
    if classes:
        most = asserting.assert_near_v1(reduce_sum(probs, -1), one, message="probs does not sum to 1.")
    else:
        most = asserting.assert_less_equal_v1(probs, one, message="probs has components greater than 1.")
    return [asserting.assert_non_negative_v1(probs), most]


def with_several_classes(parameter: Any) -> Any:
    """A parameter with one number per class, checked: there are two classes at least, and its type can number them.

    Raises:
      ValueError: if the static shape tells that it is not so.
    """
    shape, most = parameter.shape, 2 ** (np.finfo(parameter.dtype.np).nmant + 1)
    rank, few = "must have at least 1 dimension.", "must have at least 2 events."
    many = f"Number of classes exceeds `dtype` precision, i.e., {parameter.dtype.name} cannot exceed {most}."
    says = "A categorical-distribution parameter"
    if shape.rank == 0:
        raise ValueError(f"{says} {rank}")
    size = None if shape.rank is None else shape.as_list()[-1]
    if size is not None and not 2 <= size <= most:
        raise ValueError(f"{says} {few}" if size < 2 else many)
    if size is not None:
        return parameter
    sizes = array.shape(parameter)
    with control_dependencies([asserting.assert_rank_at_least_v1(parameter, 1, message=f"{says} {rank}")]):
        count = sizes[-1]
    assertions = [
        asserting.assert_greater_equal_v1(count, 2, message=f"{says} {few}"),
        asserting.assert_less_equal_v1(count, min(most, np.iinfo(np.int32).max), message=many),
    ]
    return checked(parameter, assertions)


def assert_whole(value: Any, message: str, kind: DType = dtypes.int64) -> list[Any]:
    """The assertions that the elements of a tensor are whole numbers of an integer type."""
    if not value.dtype.is_floating:
        return []
    return [asserting.assert_equal_v1(value, math.cast(math.cast(value, kind), value.dtype), message=message)]


def counts(value: Any) -> Any:
    """A tensor of numbers that are checked to be whole and not negative."""
    tensor = convert_to_tensor(value)
    name = getattr(tensor, "op", None) and tensor.name or "counts"
    assertions = [asserting.assert_non_negative_v1(tensor, message=f"'{name}' must be non-negative.")]
    return checked(tensor, assertions + assert_whole(tensor, f"'{name}' cannot contain fractional components."))


def indices(value: Any, kind: DType) -> Any:
    """A tensor of outcomes that are checked to be integers of a type, 0 at least; of bool: 0 or 1."""
    tensor = convert_to_tensor(value)
    if tensor.dtype is not dtypes.bool_:
        tensor = checked(tensor, _assertions_on_indices(tensor, kind))
    return tensor


def _assertions_on_indices(value: Any, kind: DType) -> list[Any]:
    lowest = asserting.assert_non_negative_v1(value, message="Elements must be non-negative.")
    if value.dtype.is_floating:
        return [lowest, *assert_whole(value, f"Elements must be {kind.name}-equivalent.", kind)]
    most = 1 if kind is dtypes.bool_ else int(kind.max)
    if value.dtype is dtypes.bool_ or int(value.dtype.max) <= most:
        return [lowest]
    highest = array.constant(most, value.dtype)
    return [lowest, asserting.assert_less_equal_v1(value, highest, message=f"Elements cannot exceed {most}.")]


def log_combinations(total: Any, parts: Any) -> Any:
    """The logarithm of the multinomial coefficient `total! / (parts[0]! * parts[1]! * ...)`."""
    return lgamma(total + 1) - reduce_sum(lgamma(parts + 1), -1)


def salted(seed: int | None, salt: str) -> int | None:
    """The seed of another draw of a sample: independent of the first, and TensorFlow's, whose samples these are."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF
