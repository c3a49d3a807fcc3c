"""TensorFlow 1: scores that a function in Python computes for each batch, averaged by `tf.metrics.mean`."""

import collections
import math

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

tf.flags.DEFINE_integer("batches", 5, "How many batches to score.")
tf.flags.DEFINE_integer("order", 3, "The longest n-grams.")
FLAGS = tf.flags.FLAGS


def ngrams(tokens, order):
    """How often each run of up to `order` tokens occurs."""
    return collections.Counter(
        tuple(tokens[i : i + n]) for n in range(1, order + 1) for i in range(len(tokens) - n + 1)
    )


def compute_bleu(references, translations, order):
    matches, possible, lengths = [0] * order, [0] * order, [0, 0]
    for reference, translation in zip(references, translations):
        reference, translation = [[t for t in row if t] for row in (reference, translation)]
        lengths[0] += len(reference)
        lengths[1] += len(translation)
        shared = ngrams(reference, order) & ngrams(translation, order)
        for gram, count in shared.items():
            matches[len(gram) - 1] += count
        for n in range(1, order + 1):
            possible[n - 1] += max(len(translation) - n + 1, 0)
    precisions = [(m + 1.0) / (p + 1.0) for m, p in zip(matches, possible)]
    ratio = lengths[1] / lengths[0]
    shortness = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    return np.float32(shortness * math.exp(sum(math.log(p) for p in precisions) / order))


def roc_auc(labels, scores):
    """The chance that a positive has a higher score than a negative."""
    positive, negative = scores[labels > 0], scores[labels == 0]
    return np.mean(positive[:, None] > negative[None]) + 0.5 * np.mean(positive[:, None] == negative[None])


def bleu_score(predictions, labels):
    """As in tensor2tensor: (the score of a batch, its weight)."""
    bleu = tf.py_func(lambda a, b: compute_bleu(a, b, FLAGS.order), (labels, predictions), tf.float32)
    bleu.set_shape([])
    return bleu, tf.constant(1.0)


def main(_):
    random = np.random.RandomState(6)
    labels = tf.placeholder(tf.int32, [None, 12], name="labels")
    predictions = tf.placeholder(tf.int32, [None, 12], name="predictions")
    scores = tf.placeholder(tf.float32, [None], name="scores")
    truth = tf.placeholder(tf.int32, [None], name="truth")

    bleu, weight = bleu_score(predictions, labels)
    auc = tf.py_func(roc_auc, [truth, scores], tf.double)
    auc.set_shape([])
    metrics = {
        "auc": tf.metrics.mean(auc),
        "bleu": tf.metrics.mean(bleu, weight),
        "accuracy": tf.metrics.accuracy(truth, tf.to_int32(scores > 0.5)),
        "weighted": tf.metrics.mean(scores, weights=tf.to_float(truth)),
    }
    values = {name: value for name, (value, _) in metrics.items()}
    updates = tf.group(*[update for _, update in metrics.values()])
    print([v.name for v in tf.local_variables()])

    plain = collections.defaultdict(list)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for batch in range(FLAGS.batches):
            reference = random.randint(0, 9, (4, 12))
            translation = np.where(random.uniform(size=reference.shape) < 0.2, 9, reference)
            positives = np.arange(8) % 2
            marks = random.uniform(size=8).astype(np.float32) * 0.7 + 0.3 * positives
            feed = {labels: reference, predictions: translation, truth: positives, scores: marks}
            sess.run(updates, feed)
            plain["bleu"].append(compute_bleu(reference, translation, FLAGS.order))
            plain["auc"].append(roc_auc(positives, marks))
            print("batch %d:" % batch, {k: "%.4f" % v for k, v in sorted(sess.run(values).items())})
        for name, found in sorted(plain.items()):
            print(name, "%.5f" % np.mean(found), "by hand; by the metric", "%.5f" % sess.run(values[name]))


if __name__ == "__main__":
    tf.app.run()
