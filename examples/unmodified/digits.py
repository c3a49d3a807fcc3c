"""Recognizes drawn digits. A program of TensorFlow 1, as people wrote them in 2017: it knows nothing of inlay.

python -m inlay run examples/unmodified/digits.py --steps 200 --out digits.csv
"""

import csv

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("steps", 200, "how long to train")
tf.app.flags.DEFINE_integer("batch", 50, "how many digits a step sees")
tf.app.flags.DEFINE_string("out", "", "where the table of mistakes is written")

STROKES = "abcefg cf acdeg acdfg bcdf abdfg abdefg acf abcdefg abcdfg".split()  # the lit bars of each digit
BARS = {
    "a": (0, slice(2, 6)),
    "b": (slice(1, 5), 1),
    "c": (slice(1, 5), 6),
    "d": (5, slice(2, 6)),
    "e": (slice(6, 10), 1),
    "f": (slice(6, 10), 6),
    "g": (10, slice(2, 6)),
}
random = np.random.RandomState(0)


def next_batch(size):
    """Draws digits somewhere on noisy pictures of 14 x 14: what a loader of files would do."""
    labels = random.randint(0, 10, size)
    images = random.normal(0, 0.3, [size, 14, 14])
    for image, label in zip(images, labels):
        row, column = random.randint(0, 4), random.randint(2, 6)
        for bar in STROKES[label]:
            image[row : row + 11, column : column + 7][BARS[bar]] += 1.0
    return images.reshape(size, 14, 14, 1).astype(np.float32), labels.astype(np.int64)


def count_mistakes(labels, guesses):
    """How often each digit was taken for each other one."""
    table = np.zeros([10, 10], np.int32)
    np.add.at(table, (labels, guesses), 1)
    return table


def weights(name, shape):
    return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.1, seed=7))


def network(images):
    with tf.variable_scope("network"):
        hidden = tf.nn.conv2d(images, weights("kernel", [5, 5, 1, 8]), strides=[1, 1, 1, 1], padding="SAME")
        bias = tf.get_variable("bias", [8], initializer=tf.zeros_initializer())
        hidden = tf.nn.max_pool(tf.nn.relu(hidden + bias), [1, 2, 2, 1], [1, 2, 2, 1], padding="SAME")
        hidden = tf.reshape(hidden, [-1, 7 * 7 * 8])
        hidden = tf.nn.relu(tf.nn.xw_plus_b(hidden, weights("full", [392, 64]), tf.Variable(tf.zeros([64]))))
        return tf.matmul(hidden, weights("last", [64, 10]))


def main(_):
    images, labels = tf.py_func(lambda: next_batch(FLAGS.batch), [], [tf.float32, tf.int64], name="next_batch")
    images.set_shape([None, 14, 14, 1])
    labels.set_shape([None])
    logits = network(images)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    step = tf.Variable(0, trainable=False)
    rate = tf.train.exponential_decay(0.005, step, 100, 0.7, staircase=True)
    train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    guesses = tf.argmax(logits, 1)
    right = tf.reduce_mean(tf.to_float(tf.equal(guesses, labels)))
    mistakes = tf.py_func(count_mistakes, [labels, guesses], tf.int32)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(1, FLAGS.steps + 1):
            value, share, _ = sess.run([loss, right, train])
            if number % 50 == 0:
                print("step %d: loss %.3f, %.0f%% right" % (number, value, 100 * share))
        table = sum(sess.run(mistakes) for _ in range(10))
    share = np.trace(table) / float(table.sum())
    print("of %d digits %.1f%% are right" % (table.sum(), 100 * share))
    if FLAGS.out:
        with open(FLAGS.out, "w") as file:
            csv.writer(file).writerows(table.tolist())
    if share < 0.85:
        raise SystemExit("the network did not learn the digits")


if __name__ == "__main__":
    tf.app.run()
