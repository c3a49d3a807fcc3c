"""TensorFlow 1: a network in NumPy as an op, with a gradient of its own by `gradient_override_map`, that trains."""

import uuid

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import ops

tf.disable_v2_behavior()


def py_func_with_gradient(func, inp, Tout, grad, stateful=True, name=None):
    """The well-known recipe."""
    registered = "PyFuncGrad" + str(uuid.uuid4())
    tf.RegisterGradient(registered)(grad)
    with ops.get_default_graph().gradient_override_map({"PyFunc": registered, "PyFuncStateless": registered}):
        return tf.py_func(func, inp, Tout, stateful=stateful, name=name)


class Network:
    """Two layers in NumPy, forward and backward."""

    def forward(self, x, w1, w2):
        hidden = np.tanh(x.dot(w1))
        return hidden.dot(w2)

    def backward(self, x, w1, w2, dy):
        hidden = np.tanh(x.dot(w1))
        d_hidden = dy.dot(w2.T) * (1 - hidden**2)
        return d_hidden.dot(w1.T), x.T.dot(d_hidden), hidden.T.dot(dy)

    def __call__(self, x, w1, w2, name):
        def gradient(op, dy):
            return tf.py_func(self.backward, [*op.inputs, dy], [tf.float32] * 3, stateful=False)

        y = py_func_with_gradient(self.forward, [x, w1, w2], tf.float32, gradient, stateful=False, name=name)
        y.set_shape([None, 1])
        return y


def main():
    random = np.random.RandomState(3)
    points = random.uniform(-1, 1, (64, 2)).astype(np.float32)
    labels = (np.sin(3 * points[:, :1]) * points[:, 1:]).astype(np.float32)

    x = tf.placeholder(tf.float32, [None, 2], name="x")
    wanted = tf.placeholder(tf.float32, [None, 1], name="wanted")
    w1 = tf.get_variable("w1", initializer=random.normal(0, 1, (2, 16)).astype(np.float32))
    w2 = tf.get_variable("w2", initializer=random.normal(0, 0.3, (16, 1)).astype(np.float32))
    y = Network()(x, w1, w2, "network")
    doubled = py_func_with_gradient(lambda v: v * 2, [y], tf.float32, lambda op, dy: 3 * dy, name="other")
    loss = tf.reduce_mean(tf.square(y - wanted))
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    to_input = tf.gradients(loss, x)[0]

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {x: points, wanted: labels}
        slope, ours = sess.run([tf.gradients(loss, w1)[0], w1], feed)[0], 1e-2
        moved = []
        for sign in (1, -1):
            other = sess.run(w1)
            other[1, 4] += sign * ours
            moved.append(sess.run(loss, {**feed, w1: other}))
        print("slope %.3f, by differences %.3f" % (slope[1, 4], (moved[0] - moved[1]) / (2 * ours)))
        print("another override in the graph:", sess.run(tf.gradients(tf.reduce_sum(doubled), y)[0], feed)[:2].tolist())
        for step in range(200):
            value, _ = sess.run([loss, train], feed)
            if step % 50 == 0:
                print("step %d: loss %.4f" % (step, value))
        print("last loss %.3f" % sess.run(loss, feed))
        nudged = points + 0.1 * np.sign(sess.run(to_input, feed))
        print("after a step of the inputs: %.3f" % sess.run(loss, {x: nudged, wanted: labels}))
        print("ops:", sorted({op.type for op in y.graph.get_operations() if op.type.startswith("PyFunc")}))


if __name__ == "__main__":
    main()
