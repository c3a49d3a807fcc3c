"""The update rules of optimizers, one op each: a variable and its slots change together; see `updating`.

NumPy only: rules write into variables, so no compiled segment holds them. Numbers are arrays without axes where an
array meets them, since NumPy takes half as long then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.ops.updating import AT_ROWS, rule

__all__ = ["AT_ROWS"]

_number = np.asarray


@rule("ResourceApplyGradientDescent", "var", "alpha:H, delta:T", work=1)
def apply_gradient_descent(xp, var, alpha, delta, *, work):
    """`var -= alpha * delta`."""
    (step,) = work
    step = np.multiply(delta, _number(alpha), step)
    var -= step


@rule("ResourceApplyMomentum", "var accum", "lr:H, grad:T, momentum:H", work=2)
def apply_momentum(xp, var, accum, lr, grad, momentum, *, use_nesterov=False, work):
    """`accum = momentum * accum + grad; var -= lr * accum` (looking ahead by one step with Nesterov)."""
    step, ahead = work
    step = np.multiply(accum, _number(momentum), step)
    np.add(step, grad, accum)
    if use_nesterov:
        ahead = np.multiply(accum, _number(momentum * lr), ahead)
        step = np.multiply(grad, _number(lr), step)
        step += ahead
    else:
        step = np.multiply(accum, _number(lr), step)
    var -= step


@rule("ResourceApplyAdagrad", "var accum", "lr:H, grad:T", work=2)
def apply_adagrad(xp, var, accum, lr, grad, *, work):
    """`accum += grad**2; var -= lr * grad / sqrt(accum)`."""
    step, root = work
    step = np.multiply(grad, grad, step)
    accum += step
    root = np.sqrt(accum, root)
    step = np.multiply(grad, _number(lr), step)
    step /= root
    var -= step


def _move(mean: Any, value: Any, share: Any) -> None:
    """Brings a moving average nearer to `value`, which is lost, by a share of the way."""
    value -= mean
    value *= share
    mean += value


@rule("ResourceApplyAdam", "var m v", "beta1_power:H, beta2_power:H, lr:H, beta1:H, beta2:H, epsilon:H, grad:T", work=2)
def apply_adam(xp, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, *, work):
    """Moving averages of the gradient and its square, and a step along their ratio, corrected for their start."""
    step, root = work
    one = beta1.dtype.type(1)
    step = np.subtract(grad, m, step)
    step *= _number(one - beta1)
    m += step
    step = np.multiply(grad, grad, step)
    _move(v, step, _number(one - beta2))
    root = np.sqrt(v, root)
    root += _number(epsilon)
    step = np.multiply(m, _number(lr * np.sqrt(one - beta2_power) / (one - beta1_power)), step)
    step /= root
    var -= step


@rule("ResourceApplyAdaMax", "var m v", "beta1_power:H, lr:H, beta1:H, beta2:H, epsilon:H, grad:T", work=2)
def apply_ada_max(xp, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, *, work):
    """Adam with the greatest absolute value of decayed gradients in place of the root of their mean square."""
    step, size = work
    one = beta1.dtype.type(1)
    step = np.subtract(grad, m, step)
    step *= _number(one - beta1)
    m += step
    v *= _number(beta2)
    size = np.abs(grad, size)
    np.maximum(v, size, out=v)
    size = np.add(v, _number(epsilon), size)
    step = np.multiply(m, _number(lr / (one - beta1_power)), step)
    step /= size
    var -= step


@rule("ResourceApplyRMSProp", "var ms mom", "lr:H, rho:H, momentum:H, epsilon:H, grad:T", work=2)
def apply_rms_prop(xp, var, ms, mom, lr, rho, momentum, epsilon, grad, *, work):
    """`ms = rho * ms + (1 - rho) * grad**2; mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom`."""
    step, root = work
    step = np.multiply(grad, grad, step)
    _move(ms, step, _number(rho.dtype.type(1) - rho))
    root = np.add(ms, _number(epsilon), root)
    _rms_step(var, mom, lr, momentum, grad, root, step)


def _rms_step(var: Any, mom: Any, lr: Any, momentum: Any, grad: Any, square: Any, step: Any) -> None:
    """`mom = momentum * mom + lr * grad / sqrt(square); var -= mom`; `square` and `step` are lost."""
    np.sqrt(square, square)
    step = np.multiply(grad, _number(lr), step)
    step /= square
    np.multiply(mom, _number(momentum), square)
    np.add(step, square, mom)
    var -= mom


@rule("ResourceApplyCenteredRMSProp", "var mg ms mom", "lr:H, rho:H, momentum:H, epsilon:H, grad:T", work=2)
def apply_centered_rms_prop(xp, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, *, work):
    """As `apply_rms_prop`, with the variance of the gradient instead of its mean square."""
    step, variance = work
    share = _number(rho.dtype.type(1) - rho)
    step = np.subtract(grad, mg, step)
    step *= share
    mg += step
    step = np.multiply(grad, grad, step)
    _move(ms, step, share)
    step = np.multiply(mg, mg, step)
    variance = np.subtract(ms, step, variance)
    variance += _number(epsilon)
    _rms_step(var, mom, lr, momentum, grad, variance, step)


@rule("ResourceApplyAdadelta", "var accum accum_update", "lr:H, rho:H, epsilon:H, grad:T", work=2)
def apply_adadelta(xp, var, accum, accum_update, lr, rho, epsilon, grad, *, work):
    """Steps in the ratio of the root mean squares of earlier steps and of gradients (Zeiler,
    https://arxiv.org/abs/1212.5701)."""
    step, other = work
    share, rho, epsilon = _number(rho.dtype.type(1) - rho), _number(rho), _number(epsilon)
    step = np.multiply(grad, grad, step)
    step *= share
    other = np.multiply(accum, rho, other)
    np.add(step, other, accum)
    step = np.add(accum_update, epsilon, step)
    step = np.sqrt(step, step)
    other = np.add(accum, epsilon, other)
    other = np.sqrt(other, other)
    step /= other
    step *= grad
    other = np.multiply(step, _number(lr), other)
    var -= other
    step *= step
    step *= share
    other = np.multiply(accum_update, rho, other)
    np.add(step, other, accum_update)


def _shrunk(value: Any, by: Any) -> Any:
    """Numbers nearer to 0 by an amount, which they do not pass."""
    return np.sign(value) * np.maximum(np.abs(value) - by, value.dtype.type(0))


@rule("ResourceApplyProximalGradientDescent", "var", "alpha:H, l1:H, l2:H, delta:T")
def apply_proximal_gradient_descent(xp, var, alpha, l1, l2, delta, *, work):
    """A step against the gradient, then nearer to 0 (Duchi and Singer, 2009)."""
    np.divide(_shrunk(var - alpha * delta, alpha * l1), 1 + l2 * alpha, var)


@rule("ResourceApplyProximalAdagrad", "var accum", "lr:H, l1:H, l2:H, grad:T")
def apply_proximal_adagrad(xp, var, accum, lr, l1, l2, grad, *, work):
    """`apply_proximal_gradient_descent` with a rate of `lr / sqrt(accum)`."""
    accum += grad * grad
    rate = lr / np.sqrt(accum)
    np.divide(_shrunk(var - rate * grad, rate * l1), 1 + l2 * rate, var)


@rule("ResourceApplyAdagradDA", "var sum squares", "grad:T, lr:H, l1:H, l2:H, global_step:int64")
def apply_adagrad_da(xp, var, sum, squares, grad, lr, l1, l2, global_step, *, work):
    """Dual averaging with a rate for each number (Duchi et al., 2011): where the gradients so far lead from 0."""
    step = global_step.astype(lr.dtype)
    sum += grad
    squares += grad * grad
    np.divide(-lr * _shrunk(sum, l1 * step), l2 * step * lr + np.sqrt(squares), var)


@rule("ResourceApplyFtrlV2", "var accum linear", "grad:T, lr:H, l1:H, l2:H, l2_shrinkage:H, lr_power:H")
def apply_ftrl(xp, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, *, work):
    """Follow the regularized leader (McMahan et al., "Ad click prediction", 2013)."""
    before = _power(accum, -lr_power)
    accum += grad * grad
    after = _power(accum, -lr_power)
    linear += grad + 2 * l2_shrinkage * var - (after - before) / lr * var
    np.divide(-_shrunk(linear, l1), after / lr + 2 * l2, var)


def _power(value: Any, exponent: Any) -> Any:
    """A power of numbers; the usual one is their root, which takes a tenth of the time."""
    return np.sqrt(value) if exponent == 0.5 else np.power(value, exponent)
