"""TensorFlow 1: `tf.layers` and `dynamic_rnn` over sequences of pictures that a function in Python draws."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

tf.app.flags.DEFINE_integer("steps", 30, "How many steps to train.")
tf.app.flags.DEFINE_integer("units", 6, "The size of the cell.")
FLAGS = tf.app.flags.FLAGS


def draw(places, size):
    """A dot on each picture: [batch, time] -> [batch, time, size, size, 1]."""
    return (np.arange(size * size) == places[..., None]).astype(np.float32).reshape(*places.shape, size, size, 1)


def initial(low, high):
    """Values that are the same everywhere, and differ from one another."""

    def values(shape, dtype=None, partition_info=None):
        count = int(np.prod([int(n) for n in shape]))
        return tf.constant(np.linspace(low, high, count).reshape([int(n) for n in shape]), dtype or tf.float32)

    return values


def model(places, lengths, training):
    images = tf.py_func(draw, [places, np.int64(4)], tf.float32, stateful=False)
    images.set_shape([None, 5, 4, 4, 1])
    flat = tf.reshape(images, [-1, 4, 4, 1])
    with tf.variable_scope("encoder"):
        net = tf.layers.conv2d(flat, 3, 3, padding="same", activation=tf.nn.relu, kernel_initializer=initial(-0.4, 0.6))
        net = tf.layers.max_pooling2d(net, 2, 2)
        net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
        net = tf.layers.flatten(net)
        net = tf.layers.dense(net, 4, tf.nn.tanh, kernel_initializer=initial(0.7, -0.5), name="code")
        net = tf.layers.dropout(net, 0.5, training=False)
    codes = tf.reshape(net, [-1, 5, 4])
    with tf.variable_scope("rnn", initializer=tf.constant_initializer(0.1)):
        cell = tf.nn.rnn_cell.LSTMCell(FLAGS.units, initializer=initial(-0.5, 0.5))
        outputs, state = tf.nn.dynamic_rnn(cell, codes, sequence_length=lengths, dtype=tf.float32)
    logits = tf.layers.dense(state.h, 2, kernel_initializer=initial(-0.3, 0.3))
    return logits, outputs


def main(_):
    random = np.random.RandomState(9)
    # A dot that goes on to the next places, or stands still.
    labels = np.arange(24) % 2
    first = random.randint(0, 10, (24, 1))
    drawn = (first + labels[:, None] * np.arange(5)).astype(np.int64)
    sizes = random.randint(3, 6, 24).astype(np.int32)

    places = tf.placeholder(tf.int64, [None, 5], name="places")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    wanted = tf.placeholder(tf.int64, [None], name="wanted")
    training = tf.placeholder_with_default(False, [], name="training")
    logits, outputs = model(places, lengths, training)
    loss = tf.losses.sparse_softmax_cross_entropy(wanted, logits)
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)

    for variable in tf.global_variables():
        if "Adam" not in variable.name and "power" not in variable.name:
            print(variable.name, variable.shape.as_list(), variable in tf.trainable_variables())

    feed = {places: drawn, lengths: sizes, wanted: labels}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run(outputs, feed)
        print(
            "outputs", found.shape, "%.5f" % np.abs(found).sum(), "past the end:", np.abs(found[sizes == 3, 3:]).sum()
        )
        for _ in range(FLAGS.steps):
            value, _, number = sess.run([loss, train, step], {**feed, training: True})
            if number % 10 == 0:
                print("step %d: loss %.3f" % (number, value))
        print("loss of the trained: %.3f" % sess.run(loss, {**feed, training: True}))
        print("means moved:", bool(np.abs(sess.run("encoder/batch_normalization/moving_mean:0")).sum() > 0.01))


if __name__ == "__main__":
    tf.app.run()
