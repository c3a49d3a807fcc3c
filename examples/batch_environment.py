"""A batch of environments inside of a graph, and a policy that learns in them: reinforcement learning of TensorFlow 1.

    python examples/batch_environment.py [--steps 300] [--out FOLDER]

The environments are plain Python. Their state is kept in variables of the graph: one `Session.run` chooses the actions,
steps all environments, learns from the rewards and begins those again that ended. The exit status is 0 only if every
run stepped each environment once, and the policy walks to its goals.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from saving import arguments, save

import inlay.compat.v1 as tf

COUNT, LIMIT = 16, 20


class Walkers:
    """So many walkers on a line, each with a goal; an episode ends there, or after some steps.

    Attributes:
      calls: how often they were stepped.
    """

    def __init__(self) -> None:
        self.draw = np.random.default_rng(0)
        self.place, self.goal = np.zeros(COUNT), np.zeros(COUNT)
        self.steps, self.calls = np.zeros(COUNT, int), 0

    def seen(self, which: Any) -> Any:
        return (self.goal - self.place)[which, None].astype(np.float32)

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Actions are 0, 1, 2: left, stay, right. What they see then, how much nearer they are, and who has ended."""
        self.calls += 1
        before = abs(self.goal - self.place)
        self.place = self.place + (actions - 1) * 0.5
        self.steps += 1
        after = abs(self.goal - self.place)
        done = (after < 0.3) | (self.steps >= LIMIT)
        return self.seen(slice(None)), (before - after).astype(np.float32), done

    def reset(self, which: Any) -> Any:
        self.place[which], self.steps[which] = self.draw.normal(0, 2, len(which)), 0
        self.goal[which] = self.draw.normal(0, 2, len(which))
        return self.seen(which)


class InGraphBatch:
    """The environments as variables and ops of the default graph."""

    def __init__(self, walkers: Walkers) -> None:
        self.walkers = walkers
        self.seen = tf.Variable(tf.zeros([COUNT, 1]), trainable=False, name="seen")
        self.reward = tf.Variable(tf.zeros([COUNT]), trainable=False, name="reward")
        self.done = tf.Variable(tf.ones([COUNT], tf.bool), trainable=False, name="done")

    def simulate(self, actions: Any) -> Any:
        seen, reward, done = tf.py_func(self.walkers.step, [actions], [tf.float32, tf.float32, tf.bool], name="step")
        reward = tf.check_numerics(tf.reshape(reward, [COUNT]), "the reward")
        values = (self.seen, seen), (self.reward, reward), (self.done, tf.reshape(done, [COUNT]))
        return tf.group(*(variable.assign(value) for variable, value in values))

    def reset_ended(self) -> Any:
        which = tf.cast(tf.where(self.done)[:, 0], tf.int32)
        return tf.scatter_update(self.seen, which, tf.py_func(self.walkers.reset, [which], tf.float32, name="reset"))


def main() -> int:
    options = arguments(__doc__, steps=300)
    walkers = Walkers()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        batch = InGraphBatch(walkers)
        inputs = tf.concat([tf.tanh(batch.seen), tf.ones_like(batch.seen)], axis=1)
        policy = tf.get_variable("policy", [2, 3], initializer=tf.zeros_initializer())
        logits = tf.matmul(inputs, policy)
        actions = tf.reshape(tf.multinomial(logits, 1, output_dtype=tf.int32), [COUNT])
        # What was seen is read before the step writes it: control dependencies order all that follows.
        chosen = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        with tf.control_dependencies([batch.simulate(actions)]):
            reward = tf.identity(batch.reward)
            loss = tf.reduce_mean(chosen * (reward - tf.reduce_mean(reward)))  # Williams, 1992, with a baseline
            learn = tf.train.AdamOptimizer(0.05).minimize(loss, var_list=[policy])
        with tf.control_dependencies([learn]):
            again = batch.reset_ended()
        session.run(tf.global_variables_initializer())
        session.run(batch.reset_ended())
        rewards, kept = [], True
        for _ in range(options.steps):
            found, seen = session.run([reward, again])
            rewards.append(float(found.mean()))
            kept = kept and np.array_equal(seen, walkers.seen(slice(None)))
        weights = session.run(policy)
    check(f"{options.steps} runs made {walkers.calls} steps of the batch", walkers.calls == options.steps)
    check("the variables are what the environments show", kept)
    quarter = max(options.steps // 4, 1)
    first, last = np.mean(rewards[:10]), np.mean(rewards[-quarter:])
    check(f"a step brings them {last:.2f} nearer, {first:.2f} at first; 0.5 is the best", last > 0.35)
    check("seeing the goal on the right, they go right", weights[0, 2] > 1 > -1 > weights[0, 0])

    smooth = np.convolve(rewards, np.ones(10) / 10, "same")
    columns = {"run": range(options.steps), "reward": rewards}
    save(options.out, "batch_environment", columns, lambda figure: figure.subplots().plot(smooth))
    return status()


if __name__ == "__main__":
    sys.exit(main())
