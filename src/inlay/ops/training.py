"""The update rules of optimizers, one op each: a variable and its slots change together, under their locks.

NumPy only: rules write into variables, so no compiled segment holds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Effect
from inlay.core.state import Cell, locked
from inlay.eager.declaration import op
from inlay.ops.state import checked
from inlay.types import dtypes

# Hyperparameters (H) have the variable's type, but are not narrower than float32: 0.999 would be 1 in bfloat16.
_RULE: dict[str, Any] = {
    "types": {"T": dtypes.TRAINABLE, "H": dtypes.TRAINABLE},
    "effect": Effect.WRITES,
    "differentiable": False,
}


def _store(cell: Cell, value: Any, like: Any) -> None:
    """Replaces a value; what NumPy widened (16-bit floats beside scalars) comes back to the cell's type."""
    if np.shape(value) != np.shape(like):
        raise ValueError(
            f"the gradient does not fit variable '{cell.name}:0' of shape {np.shape(like)}: the update has shape "
            f"{np.shape(value)}"
        )
    cell.value = checked(cell, value.astype(cell.dtype.np, copy=False))


@op("ResourceApplyGradientDescent", "var:resource, alpha:H, delta:T -> ", **_RULE)
def apply_gradient_descent(xp, var, alpha, delta):
    """`var -= alpha * delta`."""
    with locked((var,)):
        value = var.read()
        _store(var, value - alpha * delta, value)
    return ()


@op("ResourceApplyMomentum", "var:resource, accum:resource, lr:H, grad:T, momentum:H -> ", **_RULE)
def apply_momentum(xp, var, accum, lr, grad, momentum, *, use_nesterov=False):
    """`accum = momentum * accum + grad; var -= lr * accum` (looking ahead by one step with Nesterov)."""
    with locked((var, accum)):
        value, total = var.read(), accum.read()
        moved = total * momentum + grad
        step = grad * lr + moved * (momentum * lr) if use_nesterov else moved * lr
        _store(var, value - step, value)
        _store(accum, moved, total)
    return ()


@op("ResourceApplyAdagrad", "var:resource, accum:resource, lr:H, grad:T -> ", **_RULE)
def apply_adagrad(xp, var, accum, lr, grad):
    """`accum += grad**2; var -= lr * grad / sqrt(accum)`."""
    with locked((var, accum)):
        value, total = var.read(), accum.read()
        grown = total + grad * grad
        _store(var, value - lr * grad / np.sqrt(grown), value)
        _store(accum, grown, total)
    return ()


@op(
    "ResourceApplyAdam",
    "var:resource, m:resource, v:resource, beta1_power:H, beta2_power:H, lr:H, beta1:H, beta2:H, epsilon:H, grad:T -> ",
    **_RULE,
)
def apply_adam(xp, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad):
    """Moving averages of the gradient and its square, and a step along their ratio, corrected for their start."""
    with locked((var, m, v)):
        value, first, second = var.read(), m.read(), v.read()
        one = beta1.dtype.type(1)
        mean = first + (grad - first) * (one - beta1)
        square = second + (grad * grad - second) * (one - beta2)
        rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
        _store(var, value - rate * mean / (np.sqrt(square) + epsilon), value)
        _store(m, mean, first)
        _store(v, square, second)
    return ()


@op(
    "ResourceApplyRMSProp",
    "var:resource, ms:resource, mom:resource, lr:H, rho:H, momentum:H, epsilon:H, grad:T -> ",
    **_RULE,
)
def apply_rms_prop(xp, var, ms, mom, lr, rho, momentum, epsilon, grad):
    """`ms = rho * ms + (1 - rho) * grad**2; mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom`."""
    with locked((var, ms, mom)):
        value, square, moved = var.read(), ms.read(), mom.read()
        grown = square + (grad * grad - square) * (rho.dtype.type(1) - rho)
        step = momentum * moved + lr * grad / np.sqrt(grown + epsilon)
        _store(var, value - step, value)
        _store(ms, grown, square)
        _store(mom, step, moved)
    return ()


@op(
    "ResourceApplyCenteredRMSProp",
    "var:resource, mg:resource, ms:resource, mom:resource, lr:H, rho:H, momentum:H, epsilon:H, grad:T -> ",
    **_RULE,
)
def apply_centered_rms_prop(xp, var, mg, ms, mom, lr, rho, momentum, epsilon, grad):
    """As `apply_rms_prop`, with the variance of the gradient instead of its mean square."""
    with locked((var, mg, ms, mom)):
        value, mean, square, moved = var.read(), mg.read(), ms.read(), mom.read()
        one = rho.dtype.type(1)
        grown, centre = square + (grad * grad - square) * (one - rho), mean + (grad - mean) * (one - rho)
        step = momentum * moved + lr * grad / np.sqrt(grown - centre * centre + epsilon)
        _store(var, value - step, value)
        _store(ms, grown, square)
        _store(mg, centre, mean)
        _store(mom, step, moved)
    return ()
