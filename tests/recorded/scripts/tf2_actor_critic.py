"""TensorFlow 2: an actor and a critic that learn from an environment in NumPy, within one traced function."""

import argparse

import numpy as np
import tensorflow as tf


class Environment:
    """A cart on a line; it must be kept near the middle, and is pushed left or right."""

    def __init__(self, seed):
        self._random = np.random.RandomState(seed)
        self.steps = 0

    def reset(self):
        self._state = self._random.uniform(-0.2, 0.2, 4).astype(np.float32)
        self._time = 0
        return self._state

    def step(self, action):
        place, speed, lean, drift = self._state
        force = 0.1 if action else -0.1
        speed = np.float32(0.95 * speed + force + 0.05 * drift)
        self._state = np.array([place + 0.5 * speed, speed, 0.9 * lean + place, 0.9 * drift], np.float32)
        self.steps += 1
        self._time += 1
        out = abs(self._state[0]) > 0.6
        return self._state, 0.0 if out else 1.0, out

    def choose(self, chances):
        """An action, drawn by NumPy so that every run draws the same."""
        return np.int32(self._random.uniform() < chances[0, 1])


class ActorCritic(tf.Module):
    """One hidden layer, with an output for each action, and one for the value of the state."""

    def __init__(self, hidden, seed):
        super().__init__()
        random = np.random.RandomState(seed)
        self.common = tf.Variable(random.normal(0, 0.5, (4, hidden)).astype(np.float32))
        self.actor = tf.Variable(random.normal(0, 0.3, (hidden, 2)).astype(np.float32))
        self.critic = tf.Variable(random.normal(0, 0.3, (hidden, 1)).astype(np.float32))

    def __call__(self, states):
        hidden = tf.nn.tanh(tf.linalg.matmul(states, self.common))
        return tf.linalg.matmul(hidden, self.actor), tf.linalg.matmul(hidden, self.critic)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--max_steps", type=int, default=30)
    args = parser.parse_args()
    environment, model = Environment(0), ActorCritic(16, 1)
    traced = []

    @tf.numpy_function(Tout=[tf.float32, tf.int32, tf.int32])
    def env_step(action):
        state, reward, done = environment.step(action)
        return state.astype(np.float32), np.array(reward, np.int32), np.array(done, np.int32)

    def run_episode(initial, max_steps):
        chances = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        rewards = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        shape, state = initial.shape, initial
        for t in tf.range(max_steps):
            logits, value = model(tf.expand_dims(state, 0))
            action = tf.numpy_function(environment.choose, [tf.nn.softmax(logits)], tf.int32)
            action = tf.ensure_shape(action, [])
            values = values.write(t, tf.squeeze(value))
            chances = chances.write(t, tf.nn.softmax(logits)[0, action])
            state, reward, done = env_step(action)
            state.set_shape(shape)
            reward.set_shape([])
            rewards = rewards.write(t, reward)
            if tf.cast(done, tf.bool):
                break
        return chances.stack(), values.stack(), rewards.stack()

    def expected_return(rewards, gamma):
        n = tf.shape(rewards)[0]
        returns = tf.TensorArray(tf.float32, size=n)
        rewards = tf.cast(rewards[::-1], tf.float32)
        total = tf.constant(0.0)
        for i in tf.range(n):
            total = rewards[i] + gamma * total
            total.set_shape([])
            returns = returns.write(i, total)
        returns = returns.stack()[::-1]
        return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)

    @tf.function
    def train_step(initial, max_steps):
        traced.append(1)
        with tf.GradientTape() as tape:
            chances, values, rewards = run_episode(initial, max_steps)
            returns = expected_return(rewards, 0.95)
            advantage = returns - values
            difference = tf.abs(advantage)
            huber = tf.where(difference < 1.0, 0.5 * difference**2, difference - 0.5)
            loss = tf.reduce_sum(huber) - tf.reduce_sum(tf.math.log(chances) * tf.stop_gradient(advantage))
        gradients = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients):
            variable.assign_sub(0.05 * tf.clip_by_norm(gradient, 2.0))
        return tf.math.reduce_sum(rewards), loss

    rewards = []
    for episode in range(args.episodes):
        initial = tf.constant(environment.reset())
        reward, loss = train_step(initial, tf.constant(args.max_steps))
        rewards.append(int(reward))
        if episode % 10 == 0:
            print(f"episode {episode}: reward {int(reward)}, loss {float(loss):.3f}")
    print(f"mean reward: first ten {np.mean(rewards[:10]):.1f}, last ten {np.mean(rewards[-10:]):.1f}")
    print("steps of the environment:", environment.steps, "traced:", len(traced))


if __name__ == "__main__":
    main()
