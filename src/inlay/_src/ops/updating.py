"""Ops of optimizers' rules: a variable and its slots change together, under their locks.

A rule changes the arrays of a variable and its slots, element by element, in their own memory: a uniquely referenced
array is taken out of its cell for that (`core.state`), any other array is copied. Each array is written once, from the
old values to the new. Large arrays are updated block by block, on all cores; of a sparse gradient only the named rows
are touched. The variables of one step are often updated as one; see `joint_updates`.

A Ctrl-C leaves a variable and its slots as they were or all of them stepped: it waits for the end of the update.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple
from weakref import getweakrefcount

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import PASSES, ThreadChoice
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.interpreter.ownership import ITEM, getrefcount, owns_memory
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, OpDef, no_gradient
from inlay._src.core.state import TAKEN, Cell, locked
from inlay._src.ops.shaping import wide

AT_ROWS: dict[Callable[..., Any], tuple[Callable[..., Any], int]] = {}
"""Update -> (the same of some rows only, their place among the inputs that are no variables). No row is named twice."""


class UpdateRule(NamedTuple):
    """An update.

    Attributes:
      update: `update(xp, *arrays, *given, work, **attrs)` writes the new values of the variable and its slots into
        their arrays. It works in `work`, arrays like that of the variable or `NEW`, and changes nothing else.
      cells: number of arrays that it changes.
      gradient: the place of the gradient among what is given.
      work: number of work arrays.
    """

    update: Callable[..., Any]
    cells: int
    gradient: int
    work: int


NEW: tuple[None, ...] = (None,) * 4
"""Stands for arrays to work in where a rule may as well make them: all that it is given has axes, and one shape."""
RULES: dict[OpDef, UpdateRule] = {}
"""Op -> its rule, of the updates by dense gradients."""


def rule(name: str, cells: str, operands: str, work: int = 0) -> Callable[[Any], Any]:
    """Declares an update, also of some rows.

    Args:
      name: the op type.
      cells: the names of the variable and its slots.
      operands: the other inputs. Hyperparameters (H) have the variable's type, but are not narrower than float32: 0.999
        would be 1 in bfloat16.
      work: number of work arrays.
    """
    inputs = ", ".join(f"{c}:resource" for c in cells.split())
    others = operands.split(", ")
    # TensorFlow names rows right behind the gradient.
    place = 1 + next(i for i, one in enumerate(others) if one.startswith(("grad:", "delta:")))
    rows_too = ", ".join([*others[:place], "indices:Index", *others[place:]])
    count = len(cells.split())
    row_input = count + place

    def declare(update: Any) -> Any:
        made_of = UpdateRule(update, count, place - 1, work)
        signature = inspect.signature(update)
        parameters = [p for p in signature.parameters.values() if p.name != "work"]

        @wraps(update)
        def kernel(xp, *values, **attrs):
            held, operands = values[:count], values[count:]
            return locked(held, lambda: change(made_of, held, operands, attrs))

        def of_rows(xp, *values, **attrs):
            held, rows, operands = values[:count], values[row_input], values[count:row_input] + values[row_input + 1 :]
            return locked(held, lambda: _change_rows(made_of, held, operands, attrs, rows))

        settings: Any = {
            "types": {"T": dtypes.TRAINABLE, "H": dtypes.TRAINABLE},
            "effect": Effect.WRITES,
            "vjp": no_gradient,
        }
        kernel.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        parameters.insert(1 + row_input, inspect.Parameter("indices", inspect.Parameter.POSITIONAL_OR_KEYWORD))
        of_rows.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        of_rows.__name__, of_rows.__doc__ = f"{update.__name__}_to_rows", f"`{update.__name__}` for some rows."
        updater: Any = op(name, f"{inputs}, {operands} -> ", **settings)(kernel)
        sparse = name.replace("ResourceApply", "ResourceSparseApply")
        AT_ROWS[updater] = op(sparse, f"{inputs}, {rows_too} -> ", **settings)(of_rows), place
        RULES[updater.opdef] = made_of
        return updater

    return declare


def change_if_plain(rule: UpdateRule, held: Sequence[Cell], operands: Sequence[Any]) -> bool:
    """Gives different cells their new values by a rule without attributes, unless that may fail.

    It may fail unless each cell has an array of the gradient's shape, and the other operands are numbers.

    Returns:
      Whether they have new values.
    """
    if any([cell.__class__ is not Cell for cell in held]) or len({*map(id, held)}) < len(held):
        return False
    return locked(held, lambda: _is_plain(rule, held, operands) and change(rule, held, operands, {}) == ())


def _is_plain(rule: UpdateRule, held: Sequence[Cell], operands: Sequence[Any]) -> bool:
    gradient = operands[rule.gradient]
    shape = gradient.shape
    for cell in held:
        value = cell.value
        if value.__class__ is not np.ndarray or value.shape != shape or value.dtype is not gradient.dtype:
            return False
    return shape != () and not any([x.ndim for place, x in enumerate(operands) if place != rule.gradient])


def change(rule: UpdateRule, held: Sequence[Cell], operands: Sequence[Any], attrs: Mapping[str, Any]) -> tuple[()]:
    """Gives cells, whose locks are held, their new values.

    Raises:
      FailedPreconditionError: if one has no value.
      ValueError: if the gradient does not fit.
    """
    for cell in held:
        if cell.__class__ is not Cell:
            cell.value = cell.held()  # one that stands for a fed variable refuses, before anything is taken
    with PutOff():
        if not held[0].held().shape:
            return _change_numbers(rule, held, operands, attrs)
        arrays: list[Any] = []
        TAKEN[id(arrays)] = held, arrays
        try:
            for cell in held:
                arrays.append(cell.held())
                cell.value = None
            _check(rule, held, arrays, operands)
            for k in range(len(arrays)):
                alone = getrefcount(arrays[k]) == ITEM and owns_memory(arrays[k])
                if not alone or getweakrefcount(arrays[k]):
                    arrays[k] = np.array(arrays[k], order="C")
            if arrays[0].size < TUNING.blocked_elements:
                write(rule, arrays, operands, attrs, NEW[: rule.work])
            else:
                flat = [x.reshape(-1) for x in arrays]
                write_blocks(rule, flat, [x.reshape(-1) if x.ndim else x for x in operands], attrs)
        finally:
            for cell, array in zip(held, arrays, strict=False):
                if cell.value is None:
                    cell.value = array
            del TAKEN[id(arrays)]
    return ()


def _change_numbers(
    rule: UpdateRule, held: Sequence[Cell], operands: Sequence[Any], attrs: Mapping[str, Any]
) -> tuple[()]:
    """`change` of numbers, which nobody can write into.

    They are vectors of two meanwhile: NumPy takes three times as long to change one that has a single element.
    """
    numbers = [cell.held() for cell in held]
    _check(rule, held, numbers, operands)
    gradient, *vectors = [np.array((x, x), x.dtype) for x in (operands[rule.gradient], *numbers)]
    write(
        rule, vectors, [*operands[: rule.gradient], gradient, *operands[rule.gradient + 1 :]], attrs, NEW[: rule.work]
    )
    for cell, vector in zip(held, vectors, strict=True):
        cell.value = vector[0]
    return ()


def _check(rule: UpdateRule, held: Sequence[Cell], arrays: Sequence[Any], operands: Sequence[Any]) -> None:
    """Raises ValueError unless slots and the gradient have the shape of the variable and all else is a number."""
    shape = arrays[0].shape
    for place, x in enumerate(operands):
        if x.shape != (shape if place == rule.gradient else ()):
            what = "the gradient" if place == rule.gradient else "what must be one number"
            raise ValueError(
                f"{what} does not fit variable '{held[0].name}:0' of shape {shape}: its shape is {x.shape}"
            )
    for cell, x in zip(held, arrays, strict=True):
        if x.shape != shape:
            raise ValueError(
                f"slot '{cell.name}:0' of shape {x.shape} does not fit variable '{held[0].name}:0' of shape {shape}"
            )


def work_for(rule: UpdateRule, like: np.ndarray, shape: tuple[int, ...]) -> list[np.ndarray]:
    """The arrays that a rule works in, of the type in which it computes."""
    dtype = like.dtype
    if dtype.itemsize == 2:
        dtype = np.dtype(np.float32)
    return [np.empty(shape, dtype) for _ in range(rule.work)]


def write(
    rule: UpdateRule, arrays: Sequence[Any], operands: Sequence[Any], attrs: Mapping[str, Any], work: Sequence[Any]
) -> None:
    """Has a rule write into arrays, whatever their type: 16-bit floats are wider on the way."""
    if arrays[0].dtype.itemsize == 2:
        wider = [wide(x) for x in arrays]
        rule.update(np, *wider, *map(wide, operands), work=work, **attrs)
        for into, value in zip(arrays, wider, strict=True):
            into[...] = value
    else:
        rule.update(np, *arrays, *operands, work=work, **attrs)


def write_blocks(rule: UpdateRule, flat: Sequence[Any], operands: Sequence[Any], attrs: Mapping[str, Any]) -> None:
    """`write` of large flat arrays of one length. An error, for want of memory, leaves other blocks stepped."""
    size, each = flat[0].size, flat[0].itemsize * (len(flat) + 1) + max(flat[0].itemsize, 4) * rule.work
    length = min(TUNING.block_bytes // each, TUNING.block_elements)
    free: list[list[np.ndarray]] = []  # arrays to work in, of a thread at a time

    def block(turn: int) -> None:
        here = slice(turn * length, min(turn * length + length, size))
        try:
            mine = free.pop()
        except IndexError:
            mine = work_for(rule, flat[0], (length,))
        arrays, parts = [x[here] for x in flat], [x[here] if x.ndim else x for x in operands]
        write(rule, arrays, parts, attrs, [x[: arrays[0].size] for x in mine])
        free.append(mine)

    count = -(-size // length)
    arrays = len(flat) + len(operands) + rule.work
    with _CHOICES[rule.update].over(PASSES * flat[0].nbytes * arrays, 2 * arrays * count) as threads:
        spread(block, count, threads)


_CHOICES: BoundedCache[Any, ThreadChoice] = BoundedCache("rules on threads", 256, lambda update: ThreadChoice())


def _change_rows(
    rule: UpdateRule, held: Sequence[Cell], operands: Sequence[Any], attrs: Mapping[str, Any], rows: Any
) -> tuple[()]:
    """`change` of some rows, none of which is named twice."""
    size = held[0].held().shape[0]
    outside = (rows < 0) | (rows >= size)
    if outside.any():
        raise ValueError(f"indices = {int(rows[outside][0])} is not in [0, {size}), the rows of '{held[0].name}:0'")
    some = [cell.held()[rows] for cell in held]
    _check(rule, held, some, operands)
    write(rule, some, operands, attrs, work_for(rule, some[0], some[0].shape))
    with PutOff():
        for cell, value in zip(held, some, strict=True):
            with cell.taken() as into:
                into[rows] = value
    return ()
