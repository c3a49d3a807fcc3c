"""The update rules of optimizers, one op each: a variable and its slots change together, under their locks.

NumPy only: rules write into variables, so no compiled segment holds them. A rule gives the new values of the variable
and its slots, element by element, and never changes what it is given; it works in arrays of its own, as few as it can,
since new ones cost more than arithmetic. Small variables get them as their values. What is large is updated block by
block in its own memory, on all cores, and of rows only those that a sparse gradient names are touched.

A Ctrl-C leaves a variable and its slots as they were or all of them stepped: it waits for the end of the blocks, and
values are put in place by one call, which nothing interrupts.
"""

from __future__ import annotations

import inspect
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import wraps
from typing import Any

import numpy as np

from inlay.core.opdef import Effect
from inlay.core.state import Cell, locked
from inlay.eager.declaration import op
from inlay.interpreter.blocks import BLOCK, LARGE, spread
from inlay.interpreter.interrupts import PutOff
from inlay.ops.shaping import wide
from inlay.types import dtypes

AT_ROWS: dict[Callable[..., Any], tuple[Callable[..., Any], int]] = {}
"""Update -> (the same of some rows only, their place among the inputs that are no variables). No row is named twice."""


_VALUE = itertools.repeat("value")


def _rule(name: str, cells: str, given: str) -> Callable[[Any], Any]:
    """Declares an update, also of some rows: a function of the values of the variable and its slots that returns their
    new values. What it does last it may write into `out`, if that is not None: the new values of the variable.

    Args:
      name: the op type.
      cells: the names of the variable and its slots.
      given: the other inputs. Hyperparameters (H) have the variable's type, but are not narrower than float32: 0.999
        would be 1 in bfloat16.
    """
    inputs = ", ".join(f"{c}:resource" for c in cells.split())
    others = given.split(", ")
    # TensorFlow names rows right behind the gradient.
    place = 1 + next(i for i, one in enumerate(others) if one.startswith(("grad:", "delta:")))
    rows_too = ", ".join([*others[:place], "indices:Index", *others[place:]])
    count = len(cells.split())
    row_input = count + place

    def declare(update: Any) -> Any:
        signature = inspect.signature(update)
        known = [p for p in signature.parameters.values() if p.name != "out"]

        @wraps(update)
        def kernel(xp, *values, **attrs):
            held, given = values[:count], values[count:]
            return locked(held, lambda: _update(update, held, given, attrs))

        def of_rows(xp, *values, **attrs):
            held, rows, given = values[:count], values[row_input], values[count:row_input] + values[row_input + 1 :]
            return locked(held, lambda: _update_rows(update, held, given, attrs, rows))

        settings: Any = {
            "types": {"T": dtypes.TRAINABLE, "H": dtypes.TRAINABLE},
            "effect": Effect.WRITES,
            "differentiable": False,
        }
        kernel.__signature__ = signature.replace(parameters=known)  # type: ignore[attr-defined]
        known.insert(1 + row_input, inspect.Parameter("indices", inspect.Parameter.POSITIONAL_OR_KEYWORD))
        of_rows.__signature__ = signature.replace(parameters=known)  # type: ignore[attr-defined]
        of_rows.__name__, of_rows.__doc__ = f"{update.__name__}_to_rows", f"`{update.__name__}` for some rows."
        made = op(name, f"{inputs}, {given} -> ", **settings)(kernel)
        sparse = name.replace("ResourceApply", "ResourceSparseApply")
        AT_ROWS[made] = op(sparse, f"{inputs}, {rows_too} -> ", **settings)(of_rows), place
        return made

    return declare


def _update(update: Any, held: Sequence[Cell], given: Sequence[Any], attrs: Mapping[str, Any]) -> tuple[()]:
    """Gives cells, whose locks are held, their new values."""
    old = [cell.held() for cell in held]
    if old[0].size >= LARGE and all(value.shape == old[0].shape for value in [*old, *given] if value.ndim):
        del old
        return _update_blocks(update, held, given, attrs)
    new = _new_values(update, held, old, given, attrs)
    any(map(setattr, held, _VALUE, new))
    return ()


def _update_blocks(update: Any, held: Sequence[Cell], given: Sequence[Any], attrs: Mapping[str, Any]) -> tuple[()]:
    """`_update` of large arrays of one shape in their own memory. An error in a block, for want of memory, leaves the
    others stepped."""
    with PutOff(), ExitStack() as stack:
        flat = [stack.enter_context(cell.taken()).reshape(-1) for cell in held]
        parts = [value.reshape(-1) if value.ndim else value for value in given]

        def work(turn: int) -> None:
            here = slice(turn * BLOCK, (turn + 1) * BLOCK)
            old = [value[here] for value in flat]
            new = _new_values(update, held, old, [p[here] if p.ndim else p for p in parts], attrs, old[0])
            for into, value in zip(old, new, strict=True):
                if value is not into:
                    into[...] = value

        spread(work, -(-flat[0].size // BLOCK))
    return ()


def _update_rows(
    update: Any, held: Sequence[Cell], given: Sequence[Any], attrs: Mapping[str, Any], rows: Any
) -> tuple[()]:
    """`_update` of some rows, none of which is named twice."""
    size = held[0].held().shape[0]
    outside = (rows < 0) | (rows >= size)
    if outside.any():
        raise ValueError(f"indices = {int(rows[outside][0])} is not in [0, {size}), the rows of '{held[0].name}:0'")
    new = _new_values(update, held, [cell.held()[rows] for cell in held], given, attrs)
    _put(held, rows, new)
    return ()


def _put(held: Sequence[Cell], rows: Any, new: Sequence[Any], into: tuple[Any, ...] = ()) -> None:
    """Puts values into rows of cells, whose locks are held."""
    if len(into) == len(held):
        any(map(operator.setitem, into, itertools.repeat(rows), new))
        return
    with held[len(into)].taken() as value:
        _put(held, rows, new, (*into, value))


def _new_values(
    update: Any,
    held: Sequence[Cell],
    old: Sequence[Any],
    given: Sequence[Any],
    attrs: Mapping[str, Any],
    out: np.ndarray | None = None,
) -> list[Any]:
    """What a rule makes of values of cells, in their types and shapes: 16-bit floats are wider on the way."""
    if old[0].dtype.itemsize == 2:
        made = update(np, *map(wide, old), *map(wide, given), **attrs)
    else:
        made = update(np, *old, *given, **attrs, out=out)
    new = []
    for cell, before, after in zip(held, old, made, strict=True):
        if after.shape != before.shape:
            raise ValueError(
                f"the gradient does not fit variable '{cell.name}:0' of shape {before.shape}: the update has shape "
                f"{after.shape}"
            )
        new.append(after if after.dtype is before.dtype else after.astype(before.dtype))
    return new


@_rule("ResourceApplyGradientDescent", "var", "alpha:H, delta:T")
def apply_gradient_descent(xp, var, alpha, delta, *, out=None):
    """`var -= alpha * delta`."""
    return (np.subtract(var, alpha * delta, out=out),)


@_rule("ResourceApplyMomentum", "var accum", "lr:H, grad:T, momentum:H")
def apply_momentum(xp, var, accum, lr, grad, momentum, *, use_nesterov=False, out=None):
    """`accum = momentum * accum + grad; var -= lr * accum` (looking ahead by one step with Nesterov)."""
    moved = accum * momentum
    moved += grad
    if use_nesterov:
        step = grad * lr
        step += moved * (momentum * lr)
    else:
        step = moved * lr
    return np.subtract(var, step, out=out), moved


@_rule("ResourceApplyAdagrad", "var accum", "lr:H, grad:T")
def apply_adagrad(xp, var, accum, lr, grad, *, out=None):
    """`accum += grad**2; var -= lr * grad / sqrt(accum)`."""
    grown = _grown(accum, grad)
    step = grad * lr
    step /= np.sqrt(grown)
    return np.subtract(var, step, out=out), grown


def _grown(accum: Any, grad: Any) -> Any:
    """A sum of squares and one more."""
    grown = grad * grad
    grown += accum
    return grown


def _mean(before: Any, value: Any, share: Any) -> Any:
    """A moving average that has come nearer to `value`, which is ours, by a share of the way."""
    value -= before
    value *= share
    value += before
    return value


@_rule("ResourceApplyAdam", "var m v", "beta1_power:H, beta2_power:H, lr:H, beta1:H, beta2:H, epsilon:H, grad:T")
def apply_adam(xp, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, *, out=None):
    """Moving averages of the gradient and its square, and a step along their ratio, corrected for their start."""
    one = beta1.dtype.type(1)
    mean = grad - m
    mean *= one - beta1
    mean += m
    square = _mean(v, grad * grad, one - beta2)
    step = mean * (lr * np.sqrt(one - beta2_power) / (one - beta1_power))
    root = np.sqrt(square)
    root += epsilon
    step /= root
    return np.subtract(var, step, out=out), mean, square


@_rule("ResourceApplyRMSProp", "var ms mom", "lr:H, rho:H, momentum:H, epsilon:H, grad:T")
def apply_rms_prop(xp, var, ms, mom, lr, rho, momentum, epsilon, grad, *, out=None):
    """`ms = rho * ms + (1 - rho) * grad**2; mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom`."""
    grown = _mean(ms, grad * grad, rho.dtype.type(1) - rho)
    step = _rms_step(mom, lr, momentum, grad, grown + epsilon)
    return np.subtract(var, step, out=out), grown, step


def _rms_step(mom: Any, lr: Any, momentum: Any, grad: Any, square: Any) -> Any:
    """`momentum * mom + lr * grad / sqrt(square)`."""
    step = grad * lr
    step /= np.sqrt(square)
    step += mom * momentum
    return step


@_rule("ResourceApplyCenteredRMSProp", "var mg ms mom", "lr:H, rho:H, momentum:H, epsilon:H, grad:T")
def apply_centered_rms_prop(xp, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, *, out=None):
    """As `apply_rms_prop`, with the variance of the gradient instead of its mean square."""
    share = rho.dtype.type(1) - rho
    centre = grad - mg
    centre *= share
    centre += mg
    grown = _mean(ms, grad * grad, share)
    variance = grown - centre * centre
    variance += epsilon
    step = _rms_step(mom, lr, momentum, grad, variance)
    return np.subtract(var, step, out=out), centre, grown, step


@_rule("ResourceApplyAdadelta", "var accum accum_update", "lr:H, rho:H, epsilon:H, grad:T")
def apply_adadelta(xp, var, accum, accum_update, lr, rho, epsilon, grad, *, out=None):
    """Steps in the ratio of the root mean squares of earlier steps and of gradients (Zeiler,
    https://arxiv.org/abs/1212.5701)."""
    share = rho.dtype.type(1) - rho
    grown = grad * grad
    grown *= share
    grown += accum * rho
    step = np.sqrt(accum_update + epsilon)
    step /= np.sqrt(grown + epsilon)
    step *= grad
    steps = step * step
    steps *= share
    steps += accum_update * rho
    step *= lr
    return np.subtract(var, step, out=out), grown, steps


def _shrunk(value: Any, by: Any) -> Any:
    """Numbers nearer to 0 by an amount, which they do not pass."""
    return np.sign(value) * np.maximum(np.abs(value) - by, value.dtype.type(0))


@_rule("ResourceApplyProximalGradientDescent", "var", "alpha:H, l1:H, l2:H, delta:T")
def apply_proximal_gradient_descent(xp, var, alpha, l1, l2, delta, *, out=None):
    """A step against the gradient, then nearer to 0 (Duchi and Singer, 2009)."""
    return (_shrunk(var - alpha * delta, alpha * l1) / (1 + l2 * alpha),)


@_rule("ResourceApplyProximalAdagrad", "var accum", "lr:H, l1:H, l2:H, grad:T")
def apply_proximal_adagrad(xp, var, accum, lr, l1, l2, grad, *, out=None):
    """`apply_proximal_gradient_descent` with a rate of `lr / sqrt(accum)`."""
    grown = accum + grad * grad
    rate = lr / np.sqrt(grown)
    return _shrunk(var - rate * grad, rate * l1) / (1 + l2 * rate), grown


@_rule("ResourceApplyAdagradDA", "var sum squares", "grad:T, lr:H, l1:H, l2:H, global_step:int64")
def apply_adagrad_da(xp, var, sum, squares, grad, lr, l1, l2, global_step, *, out=None):
    """Dual averaging with a rate for each number (Duchi et al., 2011): where the gradients so far lead from 0."""
    total, grown, step = sum + grad, squares + grad * grad, global_step.astype(lr.dtype)
    return -lr * _shrunk(total, l1 * step) / (l2 * step * lr + np.sqrt(grown)), total, grown


@_rule("ResourceApplyFtrlV2", "var accum linear", "grad:T, lr:H, l1:H, l2:H, l2_shrinkage:H, lr_power:H")
def apply_ftrl(xp, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, *, out=None):
    """Follow the regularised leader (McMahan et al., "Ad click prediction", 2013)."""
    grown = accum + grad * grad
    before, after = np.power(accum, -lr_power), np.power(grown, -lr_power)
    moved = linear + grad + 2 * l2_shrinkage * var - (after - before) / lr * var
    return -_shrunk(moved, l1) / (after / lr + 2 * l2), grown, moved
