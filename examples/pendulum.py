"""A pendulum measured with noise: SciPy solves its equation in a graph, and gradients fit the length and the friction.

python examples/pendulum.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from drawing import BLUE, GRAY, ORANGE, Chart
from saving import arguments

import inlay as tf

with needs("inlay[scipy]"):
    from scipy.integrate import solve_ivp

TIMES = np.linspace(0, 10, 80)
TRUE, GUESS = np.array([1.4, 0.25]), np.array([1.0, 0.6])  # length in meters, friction


def solve(rates: Any) -> Any:
    """The angle over time, and its derivatives by length and friction: columns of an array [80, 3]."""
    length, friction = rates

    def slope(t: float, state: Any) -> list[float]:
        angle, speed, a1, s1, a2, s2 = state
        pull, stiff = 9.81 / length * np.sin(angle), 9.81 / length * np.cos(angle)
        by_length = pull / length - stiff * a1 - friction * s1
        by_friction = -speed - stiff * a2 - friction * s2
        return [speed, -pull - friction * speed, s1, by_length, s2, by_friction]

    return solve_ivp(slope, (0, 10), [1.2, 0, 0, 0, 0, 0], t_eval=TIMES, rtol=1e-6).y[::2].T


def angles(rates: Any) -> Any:
    """The angle over time, with a gradient by the sensitivities that the solver computes."""
    both = tf.numpy_function(
        solve, [rates], tf.float64, output_shapes=[80, 3],
        grad=lambda rates, both, d: tf.linalg.matvec(both[:, 1:], d[:, 0], transpose_a=True),
    )  # fmt: skip
    return both[:, 0]


def main() -> int:
    options = arguments(__doc__)
    measured = solve(TRUE)[:, 0] + np.random.default_rng(1).normal(0, 0.05, len(TIMES))
    rates, optimizer = tf.Variable(GUESS), tf.compat.v1.train.AdamOptimizer(0.02)
    losses = []
    for _ in range(120):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(angles(rates) - measured))
        optimizer.apply_gradients([(tape.gradient(loss, rates), rates)])
        losses.append(float(loss))
    check(f"the loss falls from {losses[0]:.3f} to {losses[-1]:.4f}", losses[-1] < 0.004)
    fitted = rates.numpy()
    check(f"length and friction are {fitted.round(2)}, of {TRUE}", np.allclose(fitted, TRUE, rtol=0.08))

    chart = Chart("A pendulum, fitted through SciPy's solver", (0, 10), (-1.5, 1.5), ("seconds", "angle"))
    chart.line(TIMES, solve(GUESS)[:, 0], GRAY, 1.5)
    chart.line(TIMES, solve(fitted)[:, 0], BLUE, 2.5)
    chart.dots(TIMES, measured, ORANGE)
    chart.legend(("measured", ORANGE), ("fitted", BLUE), ("first guess", GRAY))
    chart.save(options.out, "pendulum")
    return status()


if __name__ == "__main__":
    sys.exit(main())
