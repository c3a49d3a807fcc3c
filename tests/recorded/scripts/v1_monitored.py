"""TensorFlow 1: a dataset through Python functions, a monitored session with hooks, and summaries in an event file."""

import argparse
import glob
import os
import shutil
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def make_images(folder, count):
    """Small grey images as .npy files; the label says which half is brighter."""
    random = np.random.RandomState(11)
    paths, labels = [], []
    for k in range(count):
        image = random.randint(0, 100, (6, 6)).astype(np.uint8)
        label = k % 2
        image[:, :3] += np.uint8(80 * (1 - label))
        image[:, 3:] += np.uint8(80 * label)
        paths.append(os.path.join(folder, "%02d.npy" % k))
        np.save(paths[-1], image)
        labels.append(label)
    return paths, np.array(labels, np.int64)


def read(path, label):
    return np.load(path.decode()), label


def input_fn(paths, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((paths, labels))
    dataset = dataset.map(lambda path, label: tuple(tf.py_func(read, [path, label], [tf.uint8, label.dtype])))

    def shaped(image, label):
        image.set_shape([6, 6])
        label.set_shape([])
        return tf.to_float(image) / 255.0, label

    return dataset.map(shaped).repeat().batch(batch_size).make_one_shot_iterator().get_next()


class CountHook(tf.train.SessionRunHook):
    """Tells the loss of every tenth step."""

    def __init__(self, loss):
        self._loss = loss
        self._told = []

    def begin(self):
        self._step = tf.train.get_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([self._loss, self._step])

    def after_run(self, run_context, run_values):
        loss, step = run_values.results
        if step % 10 == 0:
            print("  step %d: loss %.4f" % (step, loss))

    def end(self, session):
        print("  the last step is", session.run(self._step))


def model(images, labels):
    flat = tf.reshape(images, [-1, 36])
    with tf.variable_scope("model"):
        kernel = tf.get_variable("kernel", [36, 2], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
    logits = tf.matmul(flat, kernel) + bias
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), labels)))
    with tf.name_scope("metrics"):
        tf.summary.scalar("loss", loss)
        tf.summary.scalar("accuracy", accuracy)
    tf.summary.histogram("kernel", kernel)
    tf.summary.image("images", tf.expand_dims(images, -1), max_outputs=1)
    return loss, accuracy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    args = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        for more in (0, args.steps // 2):
            tf.reset_default_graph()
            run(folder, args.steps + more)
        events(os.path.join(folder, "logs"))
    finally:
        shutil.rmtree(folder)


def run(folder, steps):
    images, labels = input_fn(*make_images(folder, 24), batch_size=8)
    loss, accuracy = model(images, labels)
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.02).minimize(loss, global_step=step)
    logs = os.path.join(folder, "logs")
    hooks = [
        tf.train.StopAtStepHook(last_step=steps),
        tf.train.NanTensorHook(loss),
        tf.train.SummarySaverHook(save_steps=10, output_dir=logs, summary_op=tf.summary.merge_all()),
        CountHook(loss),
    ]
    print("training to step", steps)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=logs, hooks=hooks, save_checkpoint_steps=20, save_summaries_steps=None, log_step_count_steps=None
    ) as sess:
        while not sess.should_stop():
            _, reached = sess.run([train, accuracy])
    print("accuracy %.2f" % reached, "checkpoint", os.path.basename(tf.train.latest_checkpoint(logs)))


def events(folder):
    """What the event files say."""
    seen = {}
    for path in sorted(glob.glob(os.path.join(folder, "events.*"))):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                seen.setdefault(value.tag, set()).add(event.step)
    for tag in sorted(seen):
        print(tag, sorted(seen[tag]))


if __name__ == "__main__":
    main()
