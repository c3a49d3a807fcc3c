"""Learning rates that change with the step. In a graph a tensor; eagerly a function without arguments (as in 1.x)."""

from __future__ import annotations

import math as pymath
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import described, parameters_of
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math, powers, random, trigonometry


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
    """The number of periods of `decay_steps` steps that have passed, rounded down if `whole`."""
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
) -> Tensor | Any:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
      learning_rate: the first rate.
      global_step: the step counter.
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
@parameters_of(exponential_decay)
def natural_exp_decay(decay_rate: Any, name: str | None = None, **arguments: Any) -> Tensor | Any:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`."""
    base = powers.exp(math.negative(convert_to_tensor(decay_rate, dtypes.float32)))
    return exponential_decay(decay_rate=base, name=name or "ExponentialTimeDecay", **arguments)


@export("train.inverse_time_decay")
@parameters_of(exponential_decay)
def inverse_time_decay(
    learning_rate: Any, decay_rate: Any, staircase: bool = False, name: str | None = None, **steps: Any
) -> Tensor | Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`."""

    def compute() -> Any:
        rate = _rate(learning_rate)
        passed = _passed(dtype=rate.dtype, whole=staircase, **steps)
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
) -> Tensor | Any:
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
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Tensor | Any:
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
) -> Tensor | Any:
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


@export("compat.v1.train.cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor | Any:
    """As `cosine_decay`, begun again whenever it is at its end.

    Args:
      learning_rate, global_step: the first rate, and the step counter.
      first_decay_steps: the number of steps of the first period.
      t_mul: the ratio of the length of a period to the one before.
      m_mul: the rate that each time begins with, as a share of that of the one before.
      alpha: the least rate, as a share of the first.
      name: names the nodes.
    """

    def compute() -> Any:
        rate = _rate(learning_rate)
        kind = rate.dtype
        longer, lower, floor = (math.cast(v, kind) for v in (t_mul, m_mul, alpha))
        passed = _passed(global_step, first_decay_steps, kind, whole=False)
        alike = math.equal(longer, math.number_of(1.0, longer))
        by = array.where(alike, math.number_of(2.0, longer), longer)
        turns = math.floor(division.divide(powers.log(1.0 - passed * (1.0 - by)), powers.log(by)))
        before, length = division.divide(1.0 - powers.pow(by, turns), 1.0 - by), powers.pow(by, turns)
        times = array.where(alike, math.floor(passed), turns)
        done = array.where(alike, passed - math.floor(passed), division.divide(passed - before, length))
        wave = 0.5 * powers.pow(lower, times) * (1.0 + trigonometry.cos(math.multiply(done, pymath.pi)))
        return math.multiply(rate, (1.0 - floor) * wave + floor)

    return _scheduled(compute, name or "SGDRDecay")


def _linear_cosine(
    learning_rate: Any, global_step: Any, decay_steps: Any, periods: Any, alpha: Any, beta: Any, noise: Any, name: str
) -> Any:
    """A line down to 0 times a cosine wave; `noise(step, line)` is added to the line."""

    def compute() -> Any:
        rate = _rate(learning_rate)
        kind = rate.dtype
        steps = math.cast(decay_steps, kind)
        step = math.minimum(_step(global_step, kind), steps)
        line = division.divide(steps - step, steps)
        turned = 2.0 * math.cast(periods, kind) * division.divide(step, steps)
        wave = 0.5 * (1.0 + trigonometry.cos(math.multiply(turned, pymath.pi)))
        line = line if noise is None else line + noise(step, line)
        return math.multiply(rate, (math.cast(alpha, kind) + line) * wave + math.cast(beta, kind))

    return _scheduled(compute, name)


@export("compat.v1.train.linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor | Any:
    """`learning_rate * ((alpha + line) * wave + beta)`: a line from 1 to 0 and a cosine wave, in `decay_steps` steps.

    Args:
      learning_rate, global_step, decay_steps, alpha, beta: see above.
      num_periods: the number of periods of the wave.
      name: names the nodes.
    """
    called = name or "LinearCosineDecay"
    return _linear_cosine(learning_rate, global_step, decay_steps, num_periods, alpha, beta, None, called)


@export("compat.v1.train.noisy_linear_cosine_decay")
@described(linear_cosine_decay.__doc__)
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor | Any:
    """As `linear_cosine_decay`, with normal noise on the line.

    Args:
      initial_variance: of the noise at the first step.
      variance_decay: the power of `1 + step` that the variance is divided by.
    """

    def noise(step: Any, line: Any) -> Any:
        first, decay = (math.cast(v, line.dtype) for v in (initial_variance, variance_decay))
        deviation = powers.sqrt(division.divide(first, powers.pow(1.0 + step, decay)))
        return random.normal(array.shape(line), stddev=deviation, dtype=line.dtype)

    called = name or "NoisyLinearCosineDecay"
    return _linear_cosine(learning_rate, global_step, decay_steps, num_periods, alpha, beta, noise, called)
