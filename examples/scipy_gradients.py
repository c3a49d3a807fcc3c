"""SciPy in a graph, with gradients: a differential equation is fitted, and a root is differentiated.

    python examples/scipy_gradients.py [--out FOLDER]

SciPy's solvers are compiled code that no tape can look into; `grad=` says what their gradient is. Foxes and hares
(Lotka and Volterra) were counted, and the four rates of their equation are found by a descent through `solve_ivp`. The
exit status is 0 only if the gradients agree with finite differences and the rates with those of the counts.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

with needs("inlay[scipy]"):
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq, minimize

RATES = np.array([1.1, 0.4, 0.1, 0.4])
BEGIN, TIMES = np.array([10.0, 5.0]), np.linspace(0, 12, 49)


def change(time: float, state: Any, rates: Any) -> Any:
    """How fast hares and foxes grow in number, and, if they are given too, their derivatives by each rate."""
    a, b, c, d = rates
    hares, foxes = state[:2]
    grow = [a * hares - b * hares * foxes, c * hares * foxes - d * foxes]
    if len(state) == 2:
        return grow
    by_state = np.array([[a - b * foxes, -b * hares], [c * foxes, c * hares - d]])
    by_rates = np.array([[hares, -hares * foxes, 0, 0], [0, 0, hares * foxes, -foxes]])
    return [*grow, *(by_state @ state[2:].reshape(2, 4) + by_rates).ravel()]


def solve(rates: Any) -> Any:
    """The numbers of hares and foxes at each time."""
    return solve_ivp(change, (0, TIMES[-1]), BEGIN, t_eval=TIMES, args=(rates,), rtol=1e-8, atol=1e-8).y.T


def pulled_back(rates: Any, slope: Any) -> Any:
    """What reaches the rates: the equations of the sensitivities are solved beside those of the animals."""
    start = np.concatenate([BEGIN, np.zeros(8)])
    solved = solve_ivp(change, (0, TIMES[-1]), start, t_eval=TIMES, args=(rates,), rtol=1e-8, atol=1e-8).y
    return np.einsum("ti,ijt->j", slope, solved[2:].reshape(2, 4, -1))


def animals(rates: Any) -> Any:
    """The solution as a tensor, differentiable by the rates."""

    def gradient(rates: Any, solution: Any, slope: Any) -> Any:
        return tf.numpy_function(pulled_back, [rates, slope], tf.float64, output_shapes=[4])

    return tf.numpy_function(solve, [rates], tf.float64, output_shapes=[len(TIMES), 2], grad=gradient)


def root(a: Any) -> Any:
    """The x between 0 and 10 with x + exp(x) = a, and by the theorem of the implicit function its derivative."""

    def gradient(a: Any, x: Any, slope: Any) -> Any:
        return slope / (1.0 + tf.exp(x))  # ops: so this may be differentiated again

    def search(a: Any) -> Any:
        return np.float64(brentq(lambda x: x + np.exp(x) - a, 0, 10, xtol=1e-14))

    return tf.numpy_function(search, [a], tf.float64, output_shapes=[], grad=gradient)


def show_root() -> None:
    a = tf.constant(5.0, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as inner:
            inner.watch(a)
            x = root(a)
        first = inner.gradient(x, a)
    second = outer.gradient(first, a)
    e = np.exp(float(x))
    check(f"x + exp(x) = 5 at {float(x):.6f}", abs(float(x) + e - 5) < 1e-9)
    check(f"its first derivative is {float(first):.6f}", np.isclose(first, 1 / (1 + e)))
    check(f"its second derivative is {float(second):.6f}", np.isclose(second, -e / (1 + e) ** 3))


def main() -> int:
    options = arguments(__doc__)
    show_root()
    guess = tf.constant([0.9, 0.5, 0.15, 0.5], tf.float64)
    exact, measured = tf.test.compute_gradient(lambda r: tf.reduce_sum(tf.square(animals(r))), [guess])
    check("the gradient through the solver is that of finite differences", np.allclose(exact, measured, rtol=1e-3))

    counted = solve(RATES) + np.random.default_rng(3).normal(0, 0.2, (len(TIMES), 2))

    @tf.function(input_signature=[tf.TensorSpec([4], tf.float64)])
    def value_and_slope(logs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(logs)
            loss = tf.reduce_mean(tf.square(animals(tf.exp(logs)) - counted))
        return loss, tape.gradient(loss, logs)

    # SciPy calls the function, which calls SciPy. Logarithms of the rates, so that they stay positive.
    found = minimize(
        lambda logs: [v.numpy() for v in value_and_slope(logs)], np.log(guess), jac=True, method="L-BFGS-B"
    )
    rates = np.exp(found.x)
    check(f"after {found.nfev} tries the rates are {rates.round(3)}, of {RATES}", np.allclose(rates, RATES, rtol=0.05))

    def draw(figure: Any) -> None:
        place = figure.subplots()
        place.plot(TIMES, counted, ".", label=["hares, counted", "foxes, counted"])
        place.plot(TIMES, solve(rates), label=["hares, fitted", "foxes, fitted"])
        place.set(xlabel="years")
        place.legend()

    columns = dict(
        zip(("hares counted", "foxes counted", "hares", "foxes"), (*counted.T, *solve(rates).T), strict=True)
    )
    save(options.out, "scipy_gradients", {"years": TIMES, **columns}, draw)
    return status()


if __name__ == "__main__":
    sys.exit(main())
