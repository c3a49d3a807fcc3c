"""Environments of Python: steps through host functions with nested results, loops over them; and logging."""

from __future__ import annotations

import collections
import threading
from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows

TimeStep = collections.namedtuple("TimeStep", "step_type reward discount observation")


class _Env:
    """A walk on a line that ends at 4; refuses to be used by two threads at once."""

    def __init__(self) -> None:
        self.at, self.resets, self.steps, self.lock = 0, 0, 0, threading.Lock()

    def _now(self, kind: int, reward: float) -> TimeStep:
        seen = {"at": np.int32([self.at]), "noise": np.float32([np.sin(self.at), np.cos(self.at)])}
        return TimeStep(np.int32(kind), np.float32(reward), np.float32(kind != 2), seen)

    def reset(self) -> TimeStep:
        assert self.lock.acquire(blocking=False)
        try:
            self.at, self.resets = 0, self.resets + 1
            return self._now(0, 0.0)
        finally:
            self.lock.release()

    def step(self, action: Any) -> TimeStep:
        assert self.lock.acquire(blocking=False)
        try:
            self.at, self.steps = self.at + int(action), self.steps + 1
            return self._now(2 if self.at >= 4 else 1, float(action) - 0.5)
        finally:
            self.lock.release()


class _TFPyEnvironment:
    """Gives a Python environment as operations, as agents' libraries do."""

    def __init__(self, tf: Any, env: _Env) -> None:
        self.tf, self._env, self._time_step = tf, env, None
        spec = tf.TensorSpec
        self.spec = TimeStep(
            spec([], tf.int32, "step_type"), spec([], tf.float32, "reward"), spec([], tf.float32, "discount"),
            {"at": spec([1], tf.int32), "noise": spec([2], tf.float32)},
        )  # fmt: skip
        self._dtypes = [s.dtype for s in tf.nest.flatten(self.spec)]

    def current_time_step(self) -> Any:
        tf = self.tf

        def _current_time_step_py() -> Any:
            if self._time_step is None:
                self._time_step = self._env.reset()
            return tf.nest.flatten(self._time_step)

        with tf.name_scope("current_time_step"):
            outputs = tf.numpy_function(_current_time_step_py, [], self._dtypes, name="current_time_step_py_func")
            return self._set_names_and_shapes(outputs)

    def reset(self) -> Any:
        tf = self.tf

        def _reset_py() -> None:
            self._time_step = self._env.reset()

        with tf.name_scope("reset"):
            reset_op = tf.numpy_function(_reset_py, [], [], name="reset_py_func")
            with tf.control_dependencies([reset_op] if reset_op is not None else []):
                return self.current_time_step()

    def step(self, actions: Any) -> Any:
        tf = self.tf

        def _step_py(*flattened_actions: Any) -> Any:
            packed = tf.nest.pack_sequence_as(structure={"move": 0}, flat_sequence=list(flattened_actions))
            self._time_step = self._env.step(packed["move"])
            return tf.nest.flatten(self._time_step)

        with tf.name_scope("step"):
            flat_actions = [tf.identity(x) for x in tf.nest.flatten(actions)]
            outputs = tf.numpy_function(_step_py, flat_actions, self._dtypes, name="step_py_func")
            return self._set_names_and_shapes(outputs)

    def _set_names_and_shapes(self, tensors: Any) -> Any:
        tf = self.tf
        out = []
        for t, spec in zip(tensors, tf.nest.flatten(self.spec), strict=True):
            value = tf.convert_to_tensor(t)
            value.set_shape(spec.shape)
            out.append(value)
        return tf.nest.pack_sequence_as(self.spec, out)


def an_environment_in_a_session(tf: Any) -> Any:
    env = _Env()
    with first_behaviour(tf) as v1:
        wrapped = _TFPyEnvironment(v1, env)
        first = wrapped.reset()
        again = wrapped.current_time_step()
        with v1.control_dependencies(v1.nest.flatten(first)):
            after = wrapped.step({"move": v1.constant(3)})
        with v1.Session() as sess:
            seen = [sess.run(first), sess.run(after), sess.run(again), sess.run(after)]
        return [
            [list(v1.nest.flatten(s)) for s in seen],
            env.resets,
            env.steps,
            after.reward.shape,
            type(after).__name__,
        ]


def an_episode_in_a_function(tf: Any) -> Any:
    env = _Env()
    wrapped = _TFPyEnvironment(tf, env)

    @tf.function
    def episode(limit: Any) -> Any:
        step = wrapped.reset()
        rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        places = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[1])
        for i in tf.range(limit):
            action = {"move": tf.where(step.observation["noise"][0] < 0.5, 2, 1)}
            step = wrapped.step(action)
            rewards, places = rewards.write(i, step.reward), places.write(i, step.observation["at"])
            if tf.equal(step.step_type, 2):
                break
        return rewards.stack(), places.stack(), step

    found = [episode(tf.constant(9)), episode(tf.constant(1))]
    return [[list(tf.nest.flatten(f)) for f in found], env.resets, env.steps]


def an_actor_and_a_critic_play(tf: Any) -> Any:
    """Steps through a decorated host function in a loop that stops, returns from the end, one update per episode."""
    state = np.zeros(4, np.float32)
    w = [tf.Variable(np.sin(np.arange(n, dtype=np.float32)).reshape(4, -1) * 0.3) for n in (8, 4)]
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.05)

    @tf.numpy_function(Tout=[tf.float32, tf.int32, tf.int32])
    def env_step(action: Any) -> Any:
        state[:] = np.roll(state, 1) + np.float32([0.5, 0.1, -0.2, 0.3]) * (1 if action else -1)
        done = bool(abs(state).sum() > 2.5)
        return state.copy(), np.array(1, np.int32), np.array(done, np.int32)

    def run_episode(initial_state: Any, max_steps: int) -> Any:
        action_probs, values, rewards = (
            tf.TensorArray(t, size=0, dynamic_size=True) for t in (tf.float32, tf.float32, tf.int32)
        )
        initial_state_shape = initial_state.shape
        state = initial_state
        for t in tf.range(max_steps):
            state = tf.expand_dims(state, 0)
            action_logits_t, value = state @ w[0], state @ w[1]
            action = tf.argmax(action_logits_t, 1)[0]
            action_probs_t = tf.nn.softmax(action_logits_t)
            values = values.write(t, tf.squeeze(value))
            action_probs = action_probs.write(t, action_probs_t[0, action])
            state, reward, done = env_step(action)
            state.set_shape(initial_state_shape)
            rewards = rewards.write(t, reward)
            if tf.cast(done, tf.bool):
                break
        return action_probs.stack(), values.stack(), rewards.stack()

    def get_expected_return(rewards: Any, gamma: float) -> Any:
        n = tf.shape(rewards)[0]
        returns = tf.TensorArray(dtype=tf.float32, size=n)
        rewards = tf.cast(rewards[::-1], dtype=tf.float32)
        discounted_sum = tf.constant(0.0)
        discounted_sum_shape = discounted_sum.shape
        for i in tf.range(n):
            discounted_sum = rewards[i] + gamma * discounted_sum
            discounted_sum.set_shape(discounted_sum_shape)
            returns = returns.write(i, discounted_sum)
        returns = returns.stack()[::-1]
        return (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-7)

    @tf.function
    def train_step(initial_state: Any, gamma: float, max_steps: int) -> Any:
        with tf.GradientTape() as tape:
            action_probs, values, rewards = run_episode(initial_state, max_steps)
            returns = get_expected_return(rewards, gamma)
            action_probs, values, returns = [tf.expand_dims(x, 1) for x in [action_probs, values, returns]]
            advantage = returns - values
            actor_loss = -tf.math.reduce_sum(tf.math.log(action_probs) * advantage)
            loss = actor_loss + tf.reduce_sum(tf.square(advantage))
        grads = tape.gradient(loss, w)
        optimizer.apply_gradients(zip(grads, w, strict=True))
        return tf.math.reduce_sum(rewards), loss

    seen = []
    for _ in range(3):
        state[:] = 0.1
        seen.append(train_step(tf.constant(state.copy()), 0.9, 12))
    return [seen, w]


# ---------------------------------------------------------------- logging and drawing


@rows(True, False)
def a_branch_that_only_logs(tf: Any, flag: bool) -> Any:
    lines: list[str] = []
    with first_behaviour(tf) as tf:
        x, on = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.bool, [])

        def log(value: Any, label: Any) -> None:
            lines.append(f"{label.decode()}: {value.sum():.1f}")

        maybe = tf.cond(on, lambda: tf.group(tf.py_func(log, [x, "in a branch"], [])), tf.no_op)
        always = tf.py_func(log, [x * 2.0, "always"], [], name="log")
        with tf.control_dependencies([maybe, always]):
            y = tf.identity(x + 1.0, name="logged")
        with tf.control_dependencies([tf.assert_greater(tf.reduce_sum(x), 0.0, data=[x], message="sum")]):
            z = tf.identity(y)
        unused = tf.py_func(log, [x, "never"], [])
        with tf.Session() as sess:
            found = sess.run([y, z], {x: [1.0, 2.0], on: flag})
            failed = refused(lambda: sess.run(z, {x: [-1.0], on: flag}))
            nothing = sess.run(always, {x: [3.0]})
        return [found, failed, nothing, sorted(lines)[:2], lines[-1], always.type, always.name, unused.outputs, y.name]


def pictures_are_drawn_when_fetched(tf: Any) -> Any:
    """Side by side: the image, a mask in colours and a prediction; made only if somebody looks."""
    drawn: list[Any] = []
    colours = np.uint8([[0, 0, 0], [200, 10, 10], [10, 200, 10]])

    def decode_labels(mask: Any, num_images: Any = 1) -> Any:
        drawn.append(mask.shape)
        return colours[mask[:num_images, :, :, 0]]

    def inv_preprocess(images: Any, num_images: Any, mean: Any) -> Any:
        return (images[:num_images] + mean)[:, :, :, ::-1].astype(np.uint8)

    with first_behaviour(tf) as tf:
        images = tf.placeholder(tf.float32, [None, 4, 4, 3])
        logits = tf.image.resize_bilinear(images[:, ::2, ::2], [4, 4])
        pred = tf.expand_dims(tf.argmax(logits, axis=3), axis=3)
        labels = tf.cast(images[..., :1] > 0, tf.int32)
        parts = [
            tf.py_func(inv_preprocess, [images, 2, np.float32([10, 20, 30])], tf.uint8),
            tf.py_func(decode_labels, [labels, 2], tf.uint8), tf.py_func(decode_labels, [pred, 2], tf.uint8),
        ]  # fmt: skip
        summary = tf.concat(axis=2, values=parts)
        loss = tf.reduce_mean(tf.cast(pred, tf.float32))
        with tf.Session() as sess:
            value = sess.run(loss, {images: np.sin(np.arange(144)).reshape(3, 4, 4, 3)})
            before = len(drawn)
            picture = sess.run(summary, {images: np.sin(np.arange(144)).reshape(3, 4, 4, 3)})
        return [
            value,
            before,
            len(drawn),
            picture.shape,
            picture.dtype.name,
            int(picture.sum()),
            summary.shape,
            pred.dtype,
        ]


def what_print_returns_goes_on(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        x = tf.placeholder(tf.float32, [2])
        y = tf.Print(x * 2.0, [x, tf.shape(x)], message="x is ", summarize=2, first_n=1)
        with tf.control_dependencies([tf.print("x:", x, output_stream=tf.logging.info)]):
            z = tf.identity(y)
        dx = tf.gradients(z, x)[0]
        with tf.Session() as sess:
            return sess.run([y, z, dx], {x: [1.0, 2.0]}) + [y.op.type]
