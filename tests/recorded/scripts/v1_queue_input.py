"""TensorFlow 1: a queue of file names, a reader in Python, batches from queue runners, a linear model that trains."""

import argparse
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def write_examples(folder, count):
    """One file for each example: four features and what they come to."""
    random = np.random.RandomState(0)
    weights = np.array([1.0, -2.0, 0.5, 3.0])
    names = []
    for k in range(count):
        features = random.uniform(-1, 1, 4)
        name = os.path.join(folder, "example-%03d.txt" % k)
        with open(name, "w") as file:
            file.write(",".join("%.6f" % v for v in [*features, features.dot(weights) + 0.7]))
        names.append(name)
    return names


def read_example(name, scale):
    with open(name.decode("utf-8")) as file:
        row = np.array([float(v) for v in file.read().split(",")], np.float32)
    return row[:4] * scale, row[4:] * scale


def inputs(names, batch_size, epochs):
    """Batches of features and labels, which queue runners fetch."""
    name, index = tf.train.slice_input_producer(
        [tf.constant(names), tf.range(len(names))], num_epochs=epochs, shuffle=False, capacity=16
    )
    features, label = tf.py_func(read_example, [name, np.float32(1.0)], [tf.float32, tf.float32])
    features.set_shape([4])
    label.set_shape([1])
    return tf.train.batch([features, label, index], batch_size=batch_size, num_threads=1, capacity=32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--rate", type=float, default=0.3)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        features, labels, indices = inputs(write_examples(folder, 48), args.batch_size, args.epochs)
        with tf.variable_scope("linear"):
            weights = tf.get_variable("weights", [4, 1], initializer=tf.zeros_initializer())
            bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights) + bias)
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(args.rate).minimize(loss, global_step=step)

        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            seen = []
            try:
                while not coord.should_stop():
                    _, value, number, read = sess.run([train, loss, step, indices])
                    seen.extend(read.tolist())
                    if number % 12 == 0:
                        print("step %d: loss %.5f" % (number, value))
            except tf.errors.OutOfRangeError:
                print("all epochs read:", len(seen), "examples, in order:", seen[:5], seen[-3:])
            finally:
                coord.request_stop()
            coord.join(threads)
            print("weights", np.round(sess.run(weights).ravel(), 3).tolist())
            print("bias", np.round(sess.run(bias), 3).tolist())
        print("collections:", [v.name for v in tf.trainable_variables()])


if __name__ == "__main__":
    main()
