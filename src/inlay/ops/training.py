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

AT_ROWS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Update -> the same of some rows only, which are its last input. No row may be named twice."""


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
            return changed(update, values[:-1], attrs, _checked_rows(values[0], values[-1]))

        settings: Any = {
            "types": {"T": dtypes.TRAINABLE, "H": dtypes.TRAINABLE},
            "effect": Effect.WRITES,
            "differentiable": False,
        }
        signature = inspect.signature(update)
        known = list(signature.parameters.values())
        at = next((i for i, p in enumerate(known) if p.kind is p.KEYWORD_ONLY), len(known))
        known.insert(at, inspect.Parameter("indices", inspect.Parameter.POSITIONAL_OR_KEYWORD))
        of_rows.__signature__ = signature.replace(parameters=known)  # type: ignore[attr-defined]
        of_rows.__name__, of_rows.__doc__ = f"{update.__name__}_to_rows", f"`{update.__name__}` for some rows."
        made = op(name, f"{inputs}, {given} -> ", **settings)(kernel)
        sparse = name.replace("ResourceApply", "ResourceSparseApply")
        AT_ROWS[made] = op(sparse, f"{inputs}, {given}, indices:Index -> ", **settings)(of_rows)
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
