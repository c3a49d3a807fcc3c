"""The update rules of optimizers, one op each: a variable and its slots change together, under their locks.

NumPy only: rules write into variables, so no compiled segment holds them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from inlay.core.opdef import Effect
from inlay.core.state import locked
from inlay.eager.declaration import op
from inlay.ops.state import checked
from inlay.types import dtypes

AT_ROWS: dict[Callable[..., Any], tuple[Callable[..., Any], int]] = {}
"""Update -> (the same of some rows only, their place among the inputs that are no variables). No row is named twice."""


def _rule(name: str, cells: str, given: str) -> Callable[[Any], Any]:
    """Declares an update, also of some rows: a function of the values of the variable and its slots that returns their
    new values.

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
    row_input = len(cells.split()) + place

    def changed(update: Any, values: Any, attrs: Any, rows: Any) -> tuple[()]:
        held = values[: len(cells.split())]
        with locked(held):
            whole = [cell.read() for cell in held]
            old = [value[rows] for value in whole]
            new = update(np, *old, *values[len(held) :], **attrs)
            for cell, value, before, after in zip(held, whole, old, new, strict=True):
                if np.shape(after) != np.shape(before):
                    raise ValueError(
                        f"the gradient does not fit variable '{cell.name}:0' of shape {np.shape(before)}: the "
                        f"update has shape {np.shape(after)}"
                    )
                # What NumPy widened (16-bit floats beside scalars) comes back to the cell's type.
                after = after.astype(cell.dtype.np, copy=False)
                if rows is not ...:
                    value = np.array(value)
                    value[rows] = after
                    after = value
                cell.value = checked(cell, after)
        return ()

    def declare(update: Any) -> Any:
        @wraps(update)
        def kernel(xp, *values, **attrs):
            return changed(update, values, attrs, ...)

        def of_rows(xp, *values, **attrs):
            others = (*values[:row_input], *values[row_input + 1 :])
            return changed(update, others, attrs, _checked_rows(values[0], values[row_input]))

        settings: Any = {
            "types": {"T": dtypes.TRAINABLE, "H": dtypes.TRAINABLE},
            "effect": Effect.WRITES,
            "differentiable": False,
        }
        signature = inspect.signature(update)
        known = list(signature.parameters.values())
        known.insert(1 + row_input, inspect.Parameter("indices", inspect.Parameter.POSITIONAL_OR_KEYWORD))
        of_rows.__signature__ = signature.replace(parameters=known)  # type: ignore[attr-defined]
        of_rows.__name__, of_rows.__doc__ = f"{update.__name__}_to_rows", f"`{update.__name__}` for some rows."
        made = op(name, f"{inputs}, {given} -> ", **settings)(kernel)
        sparse = name.replace("ResourceApply", "ResourceSparseApply")
        AT_ROWS[made] = op(sparse, f"{inputs}, {rows_too} -> ", **settings)(of_rows), place
        return made

    return declare


def _checked_rows(cell: Any, rows: Any) -> Any:
    size = np.shape(cell.read())[0]
    outside = (rows < 0) | (rows >= size)
    if outside.any():
        raise ValueError(f"indices = {int(rows[outside][0])} is not in [0, {size}), the rows of '{cell.name}:0'")
    return rows


@_rule("ResourceApplyGradientDescent", "var", "alpha:H, delta:T")
def apply_gradient_descent(xp, var, alpha, delta):
    """`var -= alpha * delta`."""
    return (var - alpha * delta,)


@_rule("ResourceApplyMomentum", "var accum", "lr:H, grad:T, momentum:H")
def apply_momentum(xp, var, accum, lr, grad, momentum, *, use_nesterov=False):
    """`accum = momentum * accum + grad; var -= lr * accum` (looking ahead by one step with Nesterov)."""
    moved = accum * momentum + grad
    step = grad * lr + moved * (momentum * lr) if use_nesterov else moved * lr
    return var - step, moved


@_rule("ResourceApplyAdagrad", "var accum", "lr:H, grad:T")
def apply_adagrad(xp, var, accum, lr, grad):
    """`accum += grad**2; var -= lr * grad / sqrt(accum)`."""
    grown = accum + grad * grad
    return var - lr * grad / np.sqrt(grown), grown


@_rule("ResourceApplyAdam", "var m v", "beta1_power:H, beta2_power:H, lr:H, beta1:H, beta2:H, epsilon:H, grad:T")
def apply_adam(xp, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad):
    """Moving averages of the gradient and its square, and a step along their ratio, corrected for their start."""
    one = beta1.dtype.type(1)
    mean = m + (grad - m) * (one - beta1)
    square = v + (grad * grad - v) * (one - beta2)
    rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    return var - rate * mean / (np.sqrt(square) + epsilon), mean, square


@_rule("ResourceApplyRMSProp", "var ms mom", "lr:H, rho:H, momentum:H, epsilon:H, grad:T")
def apply_rms_prop(xp, var, ms, mom, lr, rho, momentum, epsilon, grad):
    """`ms = rho * ms + (1 - rho) * grad**2; mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom`."""
    grown = ms + (grad * grad - ms) * (rho.dtype.type(1) - rho)
    step = momentum * mom + lr * grad / np.sqrt(grown + epsilon)
    return var - step, grown, step


@_rule("ResourceApplyCenteredRMSProp", "var mg ms mom", "lr:H, rho:H, momentum:H, epsilon:H, grad:T")
def apply_centered_rms_prop(xp, var, mg, ms, mom, lr, rho, momentum, epsilon, grad):
    """As `apply_rms_prop`, with the variance of the gradient instead of its mean square."""
    one = rho.dtype.type(1)
    centre, grown = mg + (grad - mg) * (one - rho), ms + (grad * grad - ms) * (one - rho)
    step = momentum * mom + lr * grad / np.sqrt(grown - centre * centre + epsilon)
    return var - step, centre, grown, step


@_rule("ResourceApplyAdadelta", "var accum accum_update", "lr:H, rho:H, epsilon:H, grad:T")
def apply_adadelta(xp, var, accum, accum_update, lr, rho, epsilon, grad):
    """Steps in the ratio of the root mean squares of earlier steps and of gradients (Zeiler,
    https://arxiv.org/abs/1212.5701)."""
    one = rho.dtype.type(1)
    grown = accum * rho + grad * grad * (one - rho)
    step = np.sqrt(accum_update + epsilon) / np.sqrt(grown + epsilon) * grad
    return var - step * lr, grown, accum_update * rho + step * step * (one - rho)


def _shrunk(value: Any, by: Any) -> Any:
    """Numbers nearer to 0 by an amount, which they do not pass."""
    return np.sign(value) * np.maximum(np.abs(value) - by, value.dtype.type(0))


@_rule("ResourceApplyProximalGradientDescent", "var", "alpha:H, l1:H, l2:H, delta:T")
def apply_proximal_gradient_descent(xp, var, alpha, l1, l2, delta):
    """A step against the gradient, then nearer to 0 (Duchi and Singer, 2009)."""
    return (_shrunk(var - alpha * delta, alpha * l1) / (1 + l2 * alpha),)


@_rule("ResourceApplyProximalAdagrad", "var accum", "lr:H, l1:H, l2:H, grad:T")
def apply_proximal_adagrad(xp, var, accum, lr, l1, l2, grad):
    """`apply_proximal_gradient_descent` with a rate of `lr / sqrt(accum)`."""
    grown = accum + grad * grad
    rate = lr / np.sqrt(grown)
    return _shrunk(var - rate * grad, rate * l1) / (1 + l2 * rate), grown


@_rule("ResourceApplyAdagradDA", "var sum squares", "grad:T, lr:H, l1:H, l2:H, global_step:int64")
def apply_adagrad_da(xp, var, sum, squares, grad, lr, l1, l2, global_step):
    """Dual averaging with a rate for each number (Duchi et al., 2011): where the gradients so far lead from 0."""
    total, grown, step = sum + grad, squares + grad * grad, global_step.astype(lr.dtype)
    return -lr * _shrunk(total, l1 * step) / (l2 * step * lr + np.sqrt(grown)), total, grown


@_rule("ResourceApplyFtrlV2", "var accum linear", "grad:T, lr:H, l1:H, l2:H, l2_shrinkage:H, lr_power:H")
def apply_ftrl(xp, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power):
    """Follow the regularised leader (McMahan et al., "Ad click prediction", 2013)."""
    grown = accum + grad * grad
    before, after = np.power(accum, -lr_power), np.power(grown, -lr_power)
    moved = linear + grad + 2 * l2_shrinkage * var - (after - before) / lr * var
    return -_shrunk(moved, l1) / (after / lr + 2 * l2), grown, moved
