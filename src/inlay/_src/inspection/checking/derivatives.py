"""Gradients to second order against finite differences, along random directions.

A function of many inputs and outputs is reduced to one number of one number: the results, weighted, at a point that
moves along a direction. `test.compute_gradient` gives its derivative by the tape and by differences. Two steps of the
differences must agree, else the point is no evidence: the function has a kink or noise there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.autodiff.gradient_check import compute_gradient
from inlay._src.engine.autodiff.gradient_tape import GradientTape
from inlay._src.inspection.checking.comparison import flat_tensors
from inlay._src.inspection.checking.observations import Observations, SampleCalls, Skipped
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.tracing import line, raised_at
from inlay._src.ops import math, reductions

NAME = "gradients"
_DIRECTIONS, _TOLERANCE, _NOISE = 3, 1e-2, 32.0
_ORDERS = ("first", "second")


class _Derivative(NamedTuple):
    """A derivative along a direction.

    Attributes:
      tape: the derivative by the tape; None if it reaches nothing.
      measured: the finite difference.
      uncertainty: the largest error of the finite difference.
    """

    tape: float | None
    measured: float
    uncertainty: float

    @property
    def wrong(self) -> bool:
        """Whether the difference of both is beyond all doubt."""
        tape = self.tape or 0.0
        bound = _TOLERANCE * max(abs(tape), abs(self.measured)) + self.uncertainty
        return not abs(tape - self.measured) <= bound


def check(observations: Observations) -> Iterator[Finding]:
    """The tape's derivatives of first and second order are those of finite differences."""
    subject = observations.subject
    if not subject.differentiable:
        raise Skipped("numpy_function without grad= declares no gradient")
    observations.expected()
    pairs = [(call, i, k) for call in observations.good for i in _floats(call.sample) for k in _float_results(call)]
    if not pairs:
        raise Skipped("there is no pair of a floating input and a floating result")
    judged, reported = 0, set[tuple[int, int]]()
    with context.using(context.EAGER), np.errstate(all="ignore"):
        for call, index, output in pairs:
            if (index, output) in reported:
                continue
            for finding in _of_pair(observations, call, index, output):
                judged += 1
                if finding is not None:
                    reported.add((index, output))
                    yield finding
    if not judged:
        raise Skipped("finite differences are no evidence at these samples: the function has kinks or noise there")


def _floats(sample: Sequence[Any]) -> list[int]:
    return [i for i, v in enumerate(sample) if isinstance(v, EagerTensor) and v.dtype.is_floating and np.size(v)]


def _float_results(call: SampleCalls) -> list[int]:
    return [k for k, v in enumerate(call.results[0] or ()) if v.dtype.kind == "f" and v.size]


def _of_pair(observations: Observations, call: SampleCalls, index: int, output: int) -> Iterator[Finding | None]:
    """For each judged order None or a finding; the second order only if the first is right."""
    random = np.random.default_rng((index, output, 3))
    for _ in range(_DIRECTIONS):
        along = _Line(observations, call, index, output, random)
        error = along.failure()
        if error is not None:
            seen = f"the gradient raises {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            where = raised_at((error.__cause__ or error).__traceback__) or _where(observations)
            yield Finding(NAME, f"{seen} (sample {call.index})", where, "Correct the gradient.")
            return
        for order in range(2):
            derivative = along.derivative(order)
            if derivative is None:
                break
            if derivative.wrong and not (order and derivative.tape is None):
                yield _finding(observations, call, index, output, order, derivative)
                return
            yield None


def _finding(
    observations: Observations, call: SampleCalls, index: int, output: int, order: int, derivative: _Derivative
) -> Finding:
    place = f"of output {output} by input {index}"
    if derivative.tape is None:
        measured = f"finite differences give {derivative.measured:.4g}"
        seen = f"no gradient {place} reaches the tape, and {measured} (sample {call.index})"
        remedy = (
            "Use ops of tensors in the body instead of x.numpy(), declare grad=, or use numpy_function, which "
            "promises no gradient."
        )
    else:
        seen = (
            f"the {_ORDERS[order]} derivative {place} along a direction is {derivative.tape:.6g}, finite differences "
            f"give {derivative.measured:.6g} (sample {call.index})"
        )
        function = "the function grad=" if not order else "the gradient of the function grad="
        remedy = f"Correct {function}." if observations.subject.options.grad is not None else (
            "Correct the gradient of the ops or the functions in the body."
        )  # fmt: skip
    return Finding(NAME, seen, _where(observations), remedy)


def _where(observations: Observations) -> str:
    code = getattr(observations.subject.options.grad, "__code__", None)
    return observations.subject.where if code is None else line(code, None)


class _Line:
    """One output, weighted, along a line through one input: a number as a function of a number."""

    def __init__(self, observations: Observations, call: SampleCalls, index: int, output: int, random: Any) -> None:
        self.observations, self.sample, self.index, self.output = observations, list(call.sample), index, output
        x, y = np.asarray(call.sample[index]), (call.results[0] or [])[output]
        scale = float(np.mean(np.abs(x), dtype=np.float64)) or 1.0
        self.direction = random.choice([-1.0, 1.0], x.shape) * (scale if np.isfinite(scale) else 1.0)
        self.weights = random.uniform(0.5, 1.5, y.shape) * random.choice([-1.0, 1.0], y.shape)
        eps = max(float(np.finfo(k.dtype).eps) for k in (x, y))
        self.step = float(2.0 ** np.round(np.log2(np.cbrt(eps))))
        self.rounding = eps * float(np.sqrt(np.sum(np.square(self.weights * y, dtype=np.float64))))

    def value(self, t: Any) -> Any:
        """The weighted output at the point `t`."""
        x = self.sample[self.index]
        moved = x + math.cast(t * convert_to_tensor(self.direction), x.dtype)
        inputs = [*self.sample[: self.index], moved, *self.sample[self.index + 1 :]]
        output = flat_tensors(self.observations.subject.call(inputs))[self.output]
        weights = convert_to_tensor(self.weights)
        return reductions.reduce_sum(math.cast(convert_to_tensor(output), weights.dtype) * weights)

    def slope(self, t: Any) -> Any:
        """The derivative of `value` by the tape; None if the tape reaches nothing."""
        with GradientTape() as tape:
            tape.watch(t)
            y = self.value(t)
        return tape.gradient(y, t)

    def _is_lost(self, function: Callable[[Any], Any], t: Any) -> bool:
        """Whether the tape reaches nothing, or warns that a body left the framework."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with GradientTape() as tape:
                tape.watch(t)
                y = function(t)
            gradient = tape.gradient(y, t)
        return gradient is None or any(issubclass(w.category, errors.LostGradientWarning) for w in caught)

    def failure(self) -> Exception | None:
        """The exception of the gradient; None if it raises none."""
        try:
            self.slope(convert_to_tensor(np.float64(0.0)))
        except Exception as error:
            return error
        return None

    def derivative(self, order: int) -> _Derivative | None:
        """The derivative of first (0) or second (1) order at 0; None if differences are no evidence."""
        function: Callable[[Any], Any] = self.slope if order else self.value
        try:
            zero = convert_to_tensor(np.float64(0.0))
            if order and self.slope(zero) is None:
                return None
            lost = self._is_lost(function, zero)
            sizes = [self.step * (2 if order else 1), self.step / 2]
            pairs = [compute_gradient(function, [np.float64(0.0)], size) for size in sizes]
        except Exception:  # outside of its domain, or a derivative that is not there
            return None
        measured = [float(numerical[0][0, 0]) for _, numerical in pairs]
        theory = float(pairs[0][0][0][0, 0])
        rounding = _NOISE * self.rounding / (self.step if not order else self.step / 4)
        apart = abs(measured[0] - measured[1])
        size = max(abs(measured[0]), abs(measured[1]))
        if not np.isfinite([*measured, theory]).all() or apart > 0.1 * size + rounding:
            return None
        result = _Derivative(None if lost else theory, measured[1], 4 * apart + rounding)
        return None if result.wrong and self._has_kink(function, size) else result

    def _has_kink(self, function: Callable[[Any], Any], slope: float) -> bool:
        """Whether the slopes on both sides of 0 differ by as much in a shorter distance."""
        near, far = (self._bend(function, size) for size in (self.step / 2, self.step * 2))
        return near > 0.5 * far and near > _TOLERANCE * slope

    def _bend(self, function: Callable[[Any], Any], size: float) -> float:
        ahead, here, behind = (float(function(convert_to_tensor(np.float64(t)))) for t in (size, 0.0, -size))
        return abs(ahead - 2 * here + behind) / size
