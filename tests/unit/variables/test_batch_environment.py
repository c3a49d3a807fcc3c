"""An in-graph batch of environments, as reinforcement-learning programs of 1.x build it: state in variables, steps in
host functions, resets by scatter."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import inlay as tf

SIZE = 5


class Environments:
    """Five toy environments: a position that an action moves, an episode of some steps."""

    def __init__(self) -> None:
        self.position = np.zeros((SIZE, 2), np.float32)
        self.steps = np.zeros(SIZE, np.int32)
        self.calls = 0

    def step(self, action):
        self.calls += 1
        self.position = self.position + action[:, None] * np.float32([1.0, 0.5])
        self.steps = self.steps + 1
        reward = -np.abs(self.position).sum(1).astype(np.float32)
        return self.position.copy(), reward, self.steps >= 3 + np.arange(SIZE), {"extra": None}

    def reset(self, indices):
        self.position[indices], self.steps[indices] = 0.0, 0
        return self.position[indices]


class InGraph:
    """The environments' state as variables."""

    def __init__(self, envs) -> None:
        self.envs = envs
        local = {"trainable": False}
        self.observ = tf.Variable(lambda: tf.zeros([SIZE, 2]), name="observ", **local)
        self.action = tf.Variable(lambda: tf.zeros([SIZE]), name="action", **local)
        self.reward = tf.Variable(lambda: tf.zeros([SIZE]), name="reward", **local)
        self.done = tf.Variable(lambda: tf.fill([SIZE], True), name="done", **local)

    @property
    def variables(self):
        return [self.observ, self.action, self.reward, self.done]

    def simulate(self, action):
        with tf.name_scope("environment/simulate"):
            action = tf.debugging.check_numerics(action, "action")
            kinds = [tf.float32, tf.float32, tf.bool]
            observ, reward, done = tf.py_func(lambda a: self.envs.step(a)[:3], [action], kinds, name="step")
            observ = tf.debugging.check_numerics(observ, "observ")
            reward = tf.debugging.check_numerics(reward, "reward")
            values = zip(self.variables, (observ, action, reward, done), strict=True)
            return tf.group(*(variable.assign(value) for variable, value in values))

    def reset(self, indices):
        fresh = tf.py_func(self.envs.reset, [indices], tf.float32, name="reset")
        zeros = tf.zeros_like(indices, tf.float32)
        with tf.control_dependencies(
            [
                tf.scatter_update(self.observ, indices, fresh),
                tf.scatter_update(self.reward, indices, zeros),
                tf.scatter_update(self.done, indices, tf.zeros_like(indices, tf.bool)),
            ]
        ):
            return tf.identity(fresh)


@pytest.fixture
def built():
    envs = Environments()
    with tf.Graph().as_default():
        batch = InGraph(envs)
        action, indices = tf.placeholder(tf.float32, [SIZE]), tf.placeholder(tf.int32, [None])
        simulate, reset = batch.simulate(action), batch.reset(indices)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            yield (
                envs,
                batch,
                session,
                lambda a: session.run(simulate, {action: a}),
                lambda i: session.run(reset, {indices: i}),
            )


def test_twenty_runs_equal_a_replay_in_numpy(built):
    envs, batch, session, simulate, reset = built
    replay, rng = Environments(), np.random.default_rng(0)
    done = np.ones(SIZE, bool)
    for k in range(20):
        over = np.flatnonzero(done).astype(np.int32)
        assert reset(over).tolist() == replay.reset(over).tolist()
        assert session.run(batch.observ).tolist() == replay.position.tolist()
        assert not session.run(batch.done)[over].any()
        actions = rng.normal(size=SIZE).astype(np.float32)
        simulate(actions)
        observ, reward, done, _ = replay.step(actions)
        got = session.run(batch.variables)
        assert [g.tolist() for g in got] == [x.tolist() for x in (observ, actions, reward, done)]
        assert envs.calls == k + 1


def test_a_reward_that_is_no_number_is_refused_and_nothing_is_half_done(built):
    envs, batch, session, simulate, reset = built
    simulate(np.ones(SIZE, np.float32))
    before = session.run(batch.reward)
    envs.position[0] = np.nan
    with pytest.raises(tf.errors.InvalidArgumentError, match="observ|reward"):
        simulate(np.ones(SIZE, np.float32))
    assert session.run(batch.reward).tolist() == before.tolist()


def test_an_environment_that_refuses_concurrent_calls_never_gets_one():
    """As in libraries whose lock raises if it is taken: the order comes from control dependencies alone."""
    lock, calls = threading.Lock(), []

    def guarded(label):
        def call(*args):
            assert lock.acquire(blocking=False), "entered twice"
            try:
                calls.append(label)
                return np.float32(len(calls)) if label == "step" else None
            finally:
                lock.release()

        return call

    with tf.Graph().as_default():
        count = tf.Variable(0.0)
        reset = tf.py_function(guarded("reset"), [], [])
        with tf.control_dependencies([reset]):
            first = tf.py_func(guarded("step"), [], tf.float32)
        with tf.control_dependencies([count.assign_add(first)]):
            second = tf.py_func(guarded("step"), [], tf.float32)
        with tf.control_dependencies([count.assign_add(second)]):
            total = count.read_value()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(total) == 2.0 + 3.0
    assert calls == ["reset", "step", "step"]
