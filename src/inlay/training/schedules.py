"""Learning rates that change with the step. In a graph a tensor; eagerly a function without arguments (as in 1.x)."""

from __future__ import annotations

import math as pymath
from collections.abc import Callable, Sequence
from typing import Any

from inlay.core import context
from inlay.core.context import name_scope
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops import array, division, math, powers, trigonometry
from inlay.types import dtypes


def _scheduled(compute: Callable[[], Any], name: str) -> Any:
    def now() -> Any:
        with name_scope(name):
            return compute()

    return now if context.executing_eagerly() else now()


def _step(global_step: Any, dtype: Any) -> Any:
    if global_step is None:
        raise ValueError("global_step is required: pass the variable or tensor that counts steps.")
    value = convert_to_tensor(global_step() if callable(global_step) else global_step)
    return value if value.dtype is dtype else math.cast(value, dtype)


def _passed(global_step: Any, decay_steps: Any, dtype: Any, whole: bool) -> Any:
    """How many times `decay_steps` steps have passed; whole times only, or fractions too."""
    times = division.divide(_step(global_step, dtype), math.cast(decay_steps, dtype))
    return math.floor(times) if whole else times


def _rate(learning_rate: Any) -> Any:
    return convert_to_tensor(learning_rate, dtype_hint=dtypes.float32)


@export("train.exponential_decay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
      learning_rate: the first rate.
      global_step: what counts steps.
      decay_steps, decay_rate: see the formula.
      staircase: whether the exponent is rounded down.
      name: names the nodes.
    """

    def compute() -> Any:
        rate = _rate(learning_rate)
        power = _passed(global_step, decay_steps, rate.dtype, staircase)
        return math.multiply(rate, powers.pow(math.cast(decay_rate, rate.dtype), power))

    return _scheduled(compute, name or "ExponentialDecay")


@export("train.natural_exp_decay")
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`; arguments as for `exponential_decay`."""
    base = powers.exp(math.negative(convert_to_tensor(decay_rate, dtypes.float32)))
    return exponential_decay(learning_rate, global_step, decay_steps, base, staircase, name or "ExponentialTimeDecay")


@export("train.inverse_time_decay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`; arguments as for `exponential_decay`."""

    def compute() -> Any:
        rate = _rate(learning_rate)
        passed = _passed(global_step, decay_steps, rate.dtype, staircase)
        return division.divide(rate, math.add(math.multiply(math.cast(decay_rate, rate.dtype), passed), 1.0))

    return _scheduled(compute, name or "InverseTimeDecay")


@export("train.polynomial_decay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """From `learning_rate` to `end_learning_rate` in `decay_steps` steps, along a polynomial of degree `power`.

    Args:
      learning_rate, global_step, decay_steps, end_learning_rate, power: see above.
      cycle: whether to start again, each time over a longer stretch, instead of staying at the end.
      name: names the nodes.
    """

    def compute() -> Any:
        rate = _rate(learning_rate)
        kind = rate.dtype
        step, steps, end = _step(global_step, kind), math.cast(decay_steps, kind), math.cast(end_learning_rate, kind)
        if cycle:
            turns = math.maximum(math.ceil(division.divide(step, steps)), math.cast(1.0, kind))
            steps = math.multiply(steps, turns)
        else:
            step = math.minimum(step, steps)
        left = powers.pow(math.subtract(1.0, division.divide(step, steps)), math.cast(power, kind))
        return math.add(math.multiply(math.subtract(rate, end), left), end)

    return _scheduled(compute, name or "PolynomialDecay")


@export("train.piecewise_constant", "train.piecewise_constant_decay")
def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Any:
    """`values[i]` while `x` is at most `boundaries[i]` and above the one before; the last value after that.

    Args:
      x: the step.
      boundaries: increasing numbers.
      values: one more than `boundaries`.
      name: names the nodes.

    Raises:
      ValueError: if the lengths do not fit.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            f"The length of boundaries should be 1 less than the length of values: {len(boundaries)} and {len(values)}"
        )

    def compute() -> Any:
        step = convert_to_tensor(x() if callable(x) else x)
        chosen = convert_to_tensor(values[-1])
        for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
            below = math.less_equal(step, math.cast(boundary, step.dtype))
            chosen = array.where(below, convert_to_tensor(value, chosen.dtype), chosen)
        return chosen

    return _scheduled(compute, name or "PiecewiseConstant")


@export("train.cosine_decay")
def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Any:
    """From `learning_rate` to `alpha * learning_rate` in `decay_steps` steps, along half a cosine wave."""

    def compute() -> Any:
        rate = _rate(learning_rate)
        kind = rate.dtype
        steps = math.cast(decay_steps, kind)
        done = division.divide(math.minimum(_step(global_step, kind), steps), steps)
        wave = math.multiply(math.add(trigonometry.cos(math.multiply(done, pymath.pi)), 1.0), 0.5)
        floor = math.cast(alpha, kind)
        return math.multiply(rate, math.add(math.multiply(math.subtract(1.0, floor), wave), floor))

    return _scheduled(compute, name or "CosineDecay")
