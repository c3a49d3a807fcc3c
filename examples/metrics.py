"""Scores that exist as plain Python only, computed in a graph while a model trains: ROC-AUC and BLEU.

    python examples/metrics.py [--epochs 10] [--out FOLDER]

A model learns a cipher, word by word: BLEU compares its sentences with the right ones, and the area under the ROC
curve says how well its certainty tells right words from wrong ones. scikit-learn computes the area if it is installed.
The exit status is 0 only if the scores in the graph are those of plain Python, and BLEU ends above 0.7.
"""

from __future__ import annotations

import collections
import math
import sys
from typing import Any

import numpy as np
from checking import check, status
from saving import arguments, save

import inlay.compat.v1 as tf

try:
    from sklearn.metrics import roc_auc_score as roc_auc
except ModuleNotFoundError:

    def roc_auc(truth: Any, score: Any) -> float:
        """How many pairs of one that is true and one that is not are in order; half of those that are equal."""
        truth, score = np.asarray(truth), np.asarray(score)
        pairs = score[truth == 1][:, None] - score[truth == 0]
        return float((pairs > 0).mean() + 0.5 * (pairs == 0).mean())


WORDS, LENGTH = 50, 12
DRAW = np.random.default_rng(0)
CIPHER = DRAW.permutation(WORDS)


def ngrams(words: list[int]) -> collections.Counter[tuple[int, ...]]:
    return collections.Counter(tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1))


def bleu(references: Any, translations: Any) -> np.float32:
    """Papineni and others, 2002: the geometric mean of how many runs of one to four words are right."""
    right, all_there = np.zeros(4), np.zeros(4)
    for reference, translation in zip(references.tolist(), translations.tolist(), strict=True):
        found = ngrams(translation)
        for runs, counts in ((ngrams(reference) & found, right), (found, all_there)):
            for run, count in runs.items():
                counts[len(run) - 1] += count
    return np.float32(math.exp(np.log(np.maximum(right, 1e-9) / all_there).mean()))


def sentences(count: int) -> tuple[Any, Any]:
    """Sentences in which some words are rare, and what they mean; every tenth word has two meanings."""
    plain = np.minimum(DRAW.geometric(0.08, (count, LENGTH)) - 1, WORDS - 1)
    other = (plain % 10 == 0) & (DRAW.uniform(size=plain.shape) < 0.5)
    return plain.astype(np.int32), CIPHER[np.where(other, plain + 1, plain)].astype(np.int32)


def main() -> int:
    options = arguments(__doc__, epochs=10)
    with tf.Graph().as_default(), tf.Session() as session:
        read, meant = tf.placeholder(tf.int32, [None, LENGTH]), tf.placeholder(tf.int32, [None, LENGTH])
        table = tf.get_variable("table", [WORDS, WORDS], initializer=tf.zeros_initializer())
        logits = tf.nn.embedding_lookup(table, read)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=meant, logits=logits))
        step = tf.train.AdamOptimizer(0.2).minimize(loss)

        # The way of TensorFlow 1: a `py_func` per batch, averaged by a metric whose variables are set back every epoch.
        written = tf.argmax(logits, axis=2, output_type=tf.int32)
        mean_bleu, update = tf.metrics.mean(tf.py_func(bleu, (meant, written), tf.float32))
        # The way of TensorFlow 2, in the same graph: `py_function` hands eager tensors to plain Python.
        right = tf.reshape(tf.equal(written, meant), [-1])
        sure = tf.reshape(tf.reduce_max(tf.nn.softmax(logits), axis=2), [-1])
        area = tf.py_function(roc_auc, (tf.cast(right, tf.int32), sure), tf.double)

        session.run(tf.global_variables_initializer())
        test = [sentences(32) for _ in range(4)]
        columns: dict[str, list[float]] = {"epoch": [], "loss": [], "bleu": [], "area": []}
        same = []
        for epoch in range(options.epochs):
            losses = []
            for _ in range(5):
                x, y = sentences(2)
                losses.append(session.run([loss, step], {read: x, meant: y})[0])
            session.run(tf.local_variables_initializer())
            plain = []
            for x, y in test:
                _, guess = session.run([update, written], {read: x, meant: y})
                plain.append(bleu(y, guess))
            x, y = (np.concatenate(part) for part in zip(*test, strict=True))
            score, certain, found, fine = session.run([area, sure, mean_bleu, right], {read: x, meant: y})
            same.append(np.isclose(found, np.mean(plain)) and score == roc_auc(fine.astype(int), certain))
            for name, value in zip(columns, (epoch, np.mean(losses), found, score), strict=True):
                columns[name].append(float(value))
            print(f"  epoch {epoch}: loss {np.mean(losses):.3f}, BLEU {found:.3f}, area {score:.3f}")
    check("every score is that of plain Python", all(same))
    check("BLEU rose", columns["bleu"][-1] > 0.7 and columns["bleu"][-1] > columns["bleu"][0])
    check("the model knows what it knows", columns["area"][-1] > 0.8)

    def draw(figure: Any) -> None:
        place = figure.subplots()
        place.plot(columns["bleu"], label="BLEU")
        place.plot(columns["area"], label="area under the ROC curve")
        place.set(xlabel="epoch")
        place.legend()

    save(options.out, "metrics", columns, draw)
    return status()


if __name__ == "__main__":
    sys.exit(main())
