"""TensorFlow's tutorial "Playing CartPole with the Actor-Critic method": whole episodes in one traced function.

    python examples/actor_critic.py [--episodes 60] [--out FOLDER]

The cart with its pole is plain Python and NumPy, stepped by a `numpy_function` inside a loop that a traced function
breaks when the pole falls; a tape around the loop has the gradients. The exit status is 0 only if the function is
traced once, the environment is stepped once for each reward, and the pole stands longer in the end.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from saving import arguments, save

import inlay as tf

LIMIT, DISCOUNT = 100, 0.97


class Cart:
    """A cart with a pole: Barto, Sutton and Anderson, 1983, in steps of a fiftieth of a second.

    Attributes:
      steps: how often it was stepped, ever.
    """

    def __init__(self) -> None:
        self.draw, self.state, self.steps = np.random.default_rng(0), np.zeros(4), 0

    def reset(self) -> Any:
        self.state = self.draw.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32)

    def step(self, action: Any) -> tuple[Any, Any, Any]:
        """The state, the reward, and whether the pole fell or the cart left the track."""
        self.steps += 1
        x, speed, angle, turning = self.state
        sine, cosine = np.sin(angle), np.cos(angle)
        push = ((10.0 if action else -10.0) + 0.05 * turning**2 * sine) / 1.1
        twist = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        rate = np.array([speed, push - 0.05 * twist * cosine / 1.1, turning, twist])
        self.state = self.state + 0.02 * rate
        return self.state.astype(np.float32), np.int32(1), np.int32(abs(angle) > 0.21 or abs(x) > 2.4)


class Agent(tf.Module):
    """What to do, and what it is worth: a hidden layer and two outputs."""

    def __init__(self) -> None:
        super().__init__()
        draw = np.random.default_rng(1)
        self.hidden = tf.Variable(draw.normal(0, 0.5, (4, 64)).astype("f"))
        self.actor, self.critic = tf.Variable(tf.zeros([64, 2])), tf.Variable(tf.zeros([64, 1]))

    def __call__(self, state: Any) -> Any:
        hidden = tf.nn.relu(tf.matmul(state, self.hidden))
        return tf.matmul(hidden, self.actor), tf.matmul(hidden, self.critic)


class Training:
    """A cart, an agent and the traced step.

    Attributes:
      traced: how often the step was traced.
    """

    def __init__(self) -> None:
        self.cart, self.agent, self.traced = Cart(), Agent(), 0
        self.optimizer = tf.compat.v1.train.AdamOptimizer(0.01)
        self.env_step = tf.numpy_function(Tout=[tf.float32, tf.int32, tf.int32])(self.cart.step)

    def run_episode(self, state: Any) -> tuple[Any, Any, Any]:
        """The odds of what was done, what the critic expected, and the rewards."""
        odds, values = (tf.TensorArray(tf.float32, size=0, dynamic_size=True) for _ in range(2))
        rewards = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        shape = state.shape
        for t in tf.range(LIMIT):
            logits, value = self.agent(tf.expand_dims(state, 0))
            action = tf.random.categorical(logits, 1)[0, 0]
            odds = odds.write(t, tf.nn.softmax(logits)[0, action])
            values = values.write(t, tf.squeeze(value))
            state, reward, done = self.env_step(action)
            state.set_shape(shape)  # what Python returns could have any
            reward.set_shape([])
            rewards = rewards.write(t, reward)
            if tf.cast(done, tf.bool):
                break
        return odds.stack(), values.stack(), rewards.stack()

    @tf.function
    def train_step(self, state: Any) -> Any:
        self.traced += 1
        with tf.GradientTape() as tape:
            odds, values, rewards = self.run_episode(state)
            backward = tf.cast(rewards[::-1], tf.float32)
            returns = tf.scan(lambda total, reward: reward + DISCOUNT * total, backward, tf.constant(0.0))[::-1]
            returns = (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
            advantage = returns - values
            loss = -tf.reduce_sum(tf.math.log(odds) * tf.stop_gradient(advantage)) + tf.reduce_sum(advantage**2)
        variables = self.agent.trainable_variables
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 5.0)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return tf.size(rewards)


def main() -> int:
    options = arguments(__doc__, episodes=60)
    tf.random.set_seed(2)
    training = Training()
    lengths = []
    for episode in range(options.episodes):
        lengths.append(int(training.train_step(tf.constant(training.cart.reset()))))
        if episode == 0:
            traced = training.traced
        if episode % 20 == 19:
            print(f"  episode {episode + 1}: {np.mean(lengths[-20:]):.1f} steps")
    check(f"{sum(lengths)} rewards came of as many steps", training.cart.steps == sum(lengths))
    check("no later episode was traced", training.traced == traced)
    first, last = np.mean(lengths[:20]), np.mean(lengths[-20:])
    check(f"the pole stands for {last:.0f} steps, for {first:.0f} at first", last > 1.5 * first)
    columns = {"episode": range(options.episodes), "steps": lengths}
    save(options.out, "actor_critic", columns, lambda figure: figure.subplots().plot(lengths))
    return status()


if __name__ == "__main__":
    sys.exit(main())
