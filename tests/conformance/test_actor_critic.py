"""An actor-critic in one `function`: the environment is a host function, the episode a loop with a break."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

MAX_STEPS = 60
GAMMA = 0.99


class Pole:
    """A deterministic toy: the pole leans further each step, pushed by the action; it falls at an angle of 0.4.

    Attributes:
      steps: how often it was stepped, ever.
    """

    def __init__(self) -> None:
        self.steps = 0
        self.state = np.zeros(4, np.float32)
        self.episode = 0

    def reset(self) -> np.ndarray:
        self.episode += 1
        lean = 0.05 if self.episode % 2 else -0.05
        self.state = np.array([0.0, 0.0, lean, 0.0], np.float32)
        return self.seen()

    def seen(self) -> np.ndarray:
        return np.float32(10) * self.state

    def step(self, action: int) -> tuple[np.ndarray, np.int32, np.int32]:
        self.steps += 1
        x, dx, angle, turn = self.state
        push = 1.0 if action == 1 else -1.0
        turn = turn + 0.03 * angle - 0.02 * push
        dx = dx + 0.02 * push
        self.state = np.array([x + dx, dx, angle + turn, turn], np.float32)
        return self.seen(), np.int32(1), np.int32(abs(self.state[2]) > 0.4)


class Agent:
    """A policy and a value, each linear in the state, and plain gradient ascent."""

    def __init__(self) -> None:
        self.policy = tf.Variable(np.zeros((4, 2), np.float32))
        self.value = tf.Variable(np.zeros((4, 1), np.float32))
        self.bias = tf.Variable(np.zeros((1,), np.float32))

    @property
    def variables(self) -> list[Any]:
        return [self.policy, self.value, self.bias]

    def __call__(self, state: Any) -> Any:
        return tf.matmul(state, self.policy), tf.matmul(state, self.value) + self.bias


def softmax(logits: Any) -> Any:
    powers = tf.exp(logits)
    return powers / tf.reduce_sum(powers, axis=-1, keepdims=True)


class Training:
    """One environment, one agent, one traced step.

    Attributes:
      traced: how often the episode was traced.
    """

    def __init__(self, state_shape: bool = True) -> None:
        self.env, self.agent, self.traced = Pole(), Agent(), 0
        self.random = np.random.default_rng(3)

        @tf.numpy_function(Tout=[tf.float32, tf.int32, tf.int32])
        def env_step(action: np.ndarray) -> Any:
            return self.env.step(int(action))

        def run_episode(initial_state: Any, noise: Any, max_steps: Any) -> Any:
            self.traced += 1
            action_probs = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
            values = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
            rewards = tf.TensorArray(dtype=tf.int32, size=0, dynamic_size=True)
            initial_state_shape = initial_state.shape
            state = initial_state
            for t in tf.range(max_steps):
                state = tf.expand_dims(state, 0)
                logits, value = self.agent(state)
                probabilities = softmax(logits)
                action = tf.cast(noise[t] < probabilities[0, 1], tf.int32)
                values = values.write(t, tf.squeeze(value))
                action_probs = action_probs.write(t, probabilities[0, action])
                state, reward, done = env_step(action)
                if state_shape:
                    state.set_shape(initial_state_shape)
                rewards = rewards.write(t, reward)
                if tf.cast(done, tf.bool):
                    break
            return action_probs.stack(), values.stack(), rewards.stack()

        def expected_return(rewards: Any) -> Any:
            n = tf.shape(rewards)[0]
            returns = tf.TensorArray(dtype=tf.float32, size=n)
            rewards = tf.cast(rewards[::-1], dtype=tf.float32)
            total = tf.constant(0.0)
            total_shape = total.shape
            for i in tf.range(n):
                total = rewards[i] + GAMMA * total
                total.set_shape(total_shape)
                returns = returns.write(i, total)
            returns = returns.stack()[::-1]
            mean = tf.reduce_mean(returns)
            deviation = tf.sqrt(tf.reduce_mean(tf.square(returns - mean)))
            return (returns - mean) / (deviation + 1e-6)

        @tf.function
        def train_step(initial_state: Any, noise: Any, max_steps: Any) -> Any:
            with tf.GradientTape() as tape:
                action_probs, values, rewards = run_episode(initial_state, noise, max_steps)
                returns = expected_return(rewards)
                action_probs, values, returns = [tf.expand_dims(x, 1) for x in [action_probs, values, returns]]
                actor = -tf.reduce_sum(tf.math.log(action_probs) * tf.stop_gradient(returns - values))
                critic = tf.reduce_sum(tf.square(returns - values))
                loss = actor + 0.1 * critic
            gradients = tape.gradient(loss, self.agent.variables)
            for gradient, variable in zip(gradients, self.agent.variables, strict=True):
                variable.assign_sub(0.05 * tf.minimum(tf.maximum(gradient, -5.0), 5.0))
            return rewards, loss, gradients

        self.train_step = train_step

    def episode(self) -> tuple[int, float, list[Any]]:
        noise = tf.constant(self.random.random(MAX_STEPS).astype(np.float32))
        rewards, loss, gradients = self.train_step(tf.constant(self.env.reset()), noise, tf.constant(MAX_STEPS))
        assert rewards.numpy().tolist() == [1] * len(rewards)
        return len(rewards), float(loss), gradients


LEARNED = 50  # episodes after which the agent is seen to have learned


@pytest.fixture
def episodes() -> int:
    """How many the test below runs; where each is compiled, as every one has another length, it runs fewer."""
    return LEARNED


def test_many_episodes_in_one_function(episodes: int) -> None:
    training = Training()
    lengths = []
    for episode in range(episodes):
        before = training.env.steps
        length, loss, gradients = training.episode()
        assert training.env.steps - before == length  # exactly one step per reward
        assert np.isfinite(loss)
        for gradient, variable in zip(gradients, training.agent.variables, strict=True):
            assert gradient.shape == variable.shape
            assert np.isfinite(gradient.numpy()).all()
        if episode == 0:
            after_first = training.traced
        lengths.append(length)
    assert training.traced == after_first  # never retraced
    assert any(np.abs(g.numpy()).max() > 0 for g in gradients)
    if episodes >= LEARNED:
        assert np.mean(lengths[-15:]) > 1.3 * np.mean(lengths[:15]), lengths


def test_the_gradient_equals_that_of_the_replayed_episode() -> None:
    training = Training()
    training.agent.policy.assign(np.linspace(-0.5, 0.5, 8).reshape(4, 2).astype(np.float32))
    noise = np.full(MAX_STEPS, 0.5, np.float32)
    start = training.env.reset()
    weights = [v.numpy() for v in training.agent.variables]
    rewards, loss, gradients = training.train_step(tf.constant(start), tf.constant(noise), tf.constant(MAX_STEPS))

    def replay(policy: Any) -> Any:
        env = Pole()
        state = env.reset()
        probabilities, values, seen = [], [], []
        for t in range(MAX_STEPS):
            scores = np.exp(state.astype(np.float64) @ policy)
            scores /= scores.sum()
            action = int(noise[t] < scores[1])
            probabilities.append(scores[action])
            values.append(0.0)
            state, reward, done = env.step(action)
            seen.append(float(reward))
            if done:
                break
        returns = np.array([sum(GAMMA**k * r for k, r in enumerate(seen[i:])) for i in range(len(seen))])
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        return -np.sum(np.log(probabilities) * returns) + 0.1 * np.sum(returns**2), len(seen)

    expected, length = replay(weights[0].astype(np.float64))
    assert len(rewards) == length
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    step = 1e-5
    for place in np.ndindex(4, 2):
        up, down = weights[0].astype(np.float64), weights[0].astype(np.float64)
        up[place] += step
        down[place] -= step
        slope = (replay(up)[0] - replay(down)[0]) / (2 * step)
        assert gradients[0].numpy()[place] == pytest.approx(slope, rel=1e-2, abs=1e-3)


def test_without_set_shape_the_state_cannot_be_carried() -> None:
    training = Training(state_shape=False)
    with pytest.raises(ValueError, match=r"'state' has shape \(4,\) before the loop, but shape <unknown>.*set_shape"):
        training.episode()
