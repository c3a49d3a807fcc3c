"""Reverse accumulation: from the cotangents of outputs to those of inputs, record by record, last record first.

Tapes give their records, graphs views of their nodes. A gradient rule calls ordinary ops, which go through the funnel:
outer tapes record them and a graph in force takes them, so any order of derivative works.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.opdef import OPS, Role, RowGradient
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.engine.autodiff.rules import input_gradients
from inlay._src.ops import math
from inlay._src.ops.array import ones_like, shape
from inlay._src.ops.gathering import whole_gradient
from inlay._src.ops.joining import concat


class _ImplicitZero:
    """The type of `IMPLICIT_ZERO`."""

    def __repr__(self) -> str:
        return "IMPLICIT_ZERO"


IMPLICIT_ZERO = _ImplicitZero()
"""The cotangent of what is connected but has got nothing so far. It costs nothing, and becomes zeros of the right shape
only where a source has nothing else."""

_ONES: BoundedCache[Any, EagerTensor] = BoundedCache("default cotangents", 1024)


def ones_for(target: EagerTensor) -> Any:
    """The default cotangent of a target, which is ones; small ones are kept."""
    if target.__class__ is not EagerTensor:  # on the device where the target is
        return ones_like(target)
    value = target._value
    ones = _ONES.get((value.shape, target._dtype))
    if ones is None:
        ones = EagerTensor(np.ones(value.shape, target._dtype.np)[()], target._dtype)
        if value.size <= TUNING.ones_elements:
            _ONES[value.shape, target._dtype] = ones
    return ones


def are_ones(seed: Any) -> bool:
    """Whether a cotangent is known to be the default one."""
    return seed.__class__ is EagerTensor and seed is _ONES.get((seed._value.shape, seed._dtype))


Rule = Callable[[Any, Sequence[Any]], Sequence[Any]]


PASSING = (Role.IDENTITY, Role.READ, Role.PLACEHOLDER)
"""Roles of nodes whose rule hands on a cotangent as it is, so that it need not be a tensor."""


def add_up(one: Any, two: Any, of: Any = None) -> Any:
    """The sum of two cotangents of the tensor `of`."""
    if one is None or one is IMPLICIT_ZERO:
        return two
    if two is None or two is IMPLICIT_ZERO:
        return one
    if one.__class__ is RowGradient and two.__class__ is RowGradient:
        indices = [math.cast(rows.indices, dtypes.int64) for rows in (one, two)]
        return RowGradient(concat([one.values, two.values], 0), concat(indices, 0), one.size)
    one, two = whole(one, two), whole(two, one)
    return OPS["TensorListAdd" if one.dtype is dtypes.variant else "AddV2"].dispatch.function(one, two)  # type: ignore[misc]


def whole(cotangent: Any, of: Any) -> Any:
    """A cotangent as a tensor, if it is rows of one; `of` is what it is the cotangent of, or is shaped like that."""
    if cotangent.__class__ is not RowGradient:
        return cotangent
    if cotangent.size is None:  # a user's rows, of whose whole no shape is given
        cotangent = RowGradient(cotangent.values, cotangent.indices, shape(of))
    return whole_gradient(cotangent)


def accumulate(
    records: Iterable[Any],
    cotangents: dict[int, Any],
    sources: Container[int],
    rule: Rule = input_gradients,
    add: Callable[[Any, Any, Any], Any] = add_up,
) -> None:
    """Takes cotangents back through op applications, last one first.

    A cotangent that was used is dropped unless it is a source's. An error of a gradient of an op in a function's body
    is that function's error.

    Args:
      records: `Record`s or what looks like them.
      cotangents: the sums so far by identity of the tensor.
      sources: identities of the tensors whose cotangents stay.
      rule: the cotangents of a record's inputs, from those of its outputs.
      add: the sum of two cotangents of a tensor, the third argument.
    """
    record: Any = None
    try:
        for record in records:
            outputs = record.outputs
            if len(outputs) == 1:
                key = id(outputs[0])
                grad = cotangents.get(key)
                if grad is None:
                    continue
                if key not in sources:
                    del cotangents[key]
                if grad.__class__ is RowGradient and record.opdef.role not in PASSING:
                    grad = whole(grad, outputs[0])
                grads: Sequence[Any] = (grad,)
                nothing = grad is IMPLICIT_ZERO
            else:
                grads = [cotangents.get(id(o)) for o in outputs]
                for o in outputs:
                    if id(o) not in sources:
                        cotangents.pop(id(o), None)
                if all(g is None for g in grads):
                    continue
                nothing = all(g is None or g is IMPLICIT_ZERO for g in grads)
                grads = [None if g is IMPLICIT_ZERO else whole(g, o) for g, o in zip(grads, outputs, strict=True)]
            below = [IMPLICIT_ZERO] * len(record.inputs) if nothing else rule(record, grads)
            for t, g in zip(record.inputs, below, strict=True):
                if g is not None and isinstance(t, Tensor) and t.dtype._kind in "fcvr":
                    key = id(t)
                    before = cotangents.get(key)
                    cotangents[key] = g if before is None else add(before, g, t)
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        if record is None or record.body is None:
            raise
        raised = errors.wrap(error, f"  raised in the gradient of {record.type}, called by {record.body}")
        raise raised from raised.__cause__


def noting_barriers(barriers: list[Any], rule: Rule = input_gradients) -> Rule:
    """A rule that adds to `barriers` the records through which no gradient passes."""

    def noting(record: Any, grads: Sequence[Any]) -> Sequence[Any]:
        below = rule(record, grads)
        if all(b is None for b in below):
            barriers.append(record)
        return below

    return noting
