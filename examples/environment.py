"""An environment in a graph: a loop of the graph steps forty poles, whose physics is plain NumPy, until all stand.

python examples/environment.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from drawing import BLUE, GREEN, ORANGE, Chart
from saving import arguments

import inlay as tf

POLES, STEPS, DT = 40, 160, 0.03


class Poles:
    """Poles on a pivot; the state of each is its angle from upright and its speed."""

    def __init__(self) -> None:
        self.calls = 0

    def step(self, state: Any, torque: Any) -> tuple[Any, Any]:
        """The state after a time step, and the reward of each pole."""
        self.calls += 1
        angle, speed = state.T
        speed = speed + DT * (6 * np.sin(angle) + torque - 0.4 * speed)
        angle = angle + DT * speed
        return np.stack([angle, speed], 1).astype(np.float32), np.cos(angle).astype(np.float32)


def main() -> int:
    options = arguments(__doc__)
    poles = Poles()

    @tf.function
    def episode(state: Any) -> tuple[Any, Any]:
        states, rewards = tf.TensorArray(tf.float32, STEPS), tf.TensorArray(tf.float32, STEPS)
        for step in tf.range(STEPS):  # a loop of the graph: the policy is ops, the environment is Python
            torque = tf.clip_by_value(-14.0 * state[:, 0] - 3.0 * state[:, 1], -9.0, 9.0)
            state, reward = tf.numpy_function(
                poles.step, [state, torque], [tf.float32, tf.float32], output_shapes=[[POLES, 2], [POLES]]
            )
            states = states.write(step, state)
            rewards = rewards.write(step, tf.reduce_mean(reward))
        return states.stack(), rewards.stack()

    start = np.random.default_rng(0).uniform([-1.2, -2.5], [1.2, 2.5], [POLES, 2]).astype(np.float32)
    states, rewards = (value.numpy() for value in episode(tf.constant(start)))
    check(f"one run made {poles.calls} calls of the environment", poles.calls == STEPS)
    check(f"the mean reward rises from {rewards[0]:.2f} to {rewards[-1]:.4f}", rewards[-1] > 0.99)

    chart = Chart("Forty poles, stepped in one graph", (-2, 2), (-4, 4), ("angle", "speed"))
    for number in range(POLES):
        path = np.concatenate([start[None, number], states[:, number]])
        chart.line(path[:, 0], path[:, 1], BLUE if path[0, 0] < 0 else GREEN, 1.3)
    chart.dots(start[:, 0], start[:, 1], ORANGE, 3)
    chart.legend(("where each begins", ORANGE))
    chart.save(options.out, "environment")
    return status()


if __name__ == "__main__":
    sys.exit(main())
