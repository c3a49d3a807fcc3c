"""Load text: lines of three translators, labeled, encoded by a Python function, and padded into batches.

    python examples/load_text.py

The lines are made here, each translator with favorite words of its own. What came of it is checked: the exit status is
0 only if it is right.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from checking import check, status

import inlay as tf

TRANSLATORS = {
    "cowper": "achilles sing o goddess peleus son his wrath pernicious who ten thousand woes",
    "derby": "of peleus son achilles sing o muse the vengeance deep and deadly whence to greece",
    "butler": "sing o goddess the anger of achilles son of peleus that brought countless ills",
}
LINES, BATCH, BUFFER, TAKE = 400, 64, 50_000, 200


def write_lines(folder: Path) -> list[str]:
    """A file of lines per translator; every second one ends as Windows has it."""
    random = np.random.RandomState(1)
    paths = []
    for name, words in TRANSLATORS.items():
        lines = [" ".join(random.choice(words.split(), random.randint(2, 12))) for _ in range(LINES)]
        path = folder / f"{name}.txt"
        path.write_bytes("".join(f"{line}\r\n" if i % 2 else f"{line}\n" for i, line in enumerate(lines)).encode())
        paths.append(str(path))
    return paths


class Encoder:
    """Numbers for words: 0 pads, the last one stands for words that are not known."""

    def __init__(self, words: set[str]) -> None:
        self.numbers = {word: i for i, word in enumerate(sorted(words), 1)}
        self.calls = 0

    def encode(self, text: str) -> list[int]:
        self.calls += 1
        return [self.numbers.get(word, len(self.numbers) + 1) for word in re.findall(r"\w+", text)]


def labeled(paths: list[str]) -> Any:
    """Lines with the number of their translator, one file after the other, shuffled once and for all."""
    parts = [
        tf.data.TextLineDataset(path).map(lambda line, index=index: (line, tf.cast(index, tf.int64)))
        for index, path in enumerate(paths)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.concatenate(part)
    return whole.shuffle(BUFFER, seed=3, reshuffle_each_iteration=False)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        lines = labeled(write_lines(Path(name)))
        seen = [(text.numpy().decode(), int(label)) for text, label in lines]
        check(
            f"{len(seen)} lines, {LINES} of each translator",
            sorted(label for _, label in seen) == sorted([0, 1, 2] * LINES),
        )
        check(
            "the order is kept from one iteration to the next", seen == [(t.numpy().decode(), int(n)) for t, n in lines]
        )
        encoder = Encoder({word for text, _ in seen for word in text.split()})
        check(f"{len(encoder.numbers)} words", set(encoder.numbers) == set(" ".join(TRANSLATORS.values()).split()))

        def encode(text_tensor: Any, label: Any) -> tuple[list[int], Any]:
            return encoder.encode(text_tensor.numpy().decode()), label

        def encode_map(text: Any, label: Any) -> tuple[Any, Any]:
            encoded, label = tf.py_function(encode, inp=[text, label], Tout=(tf.int64, tf.int64))
            encoded.set_shape([None])
            label.set_shape([])
            return encoded, label

        data = lines.map(encode_map)
        train = data.skip(TAKE).shuffle(BUFFER).padded_batch(BATCH, drop_remainder=False)
        test = data.take(TAKE).padded_batch(BATCH)
        check("the shapes of batches are known", train.element_spec[0] == tf.TensorSpec([None, None], tf.int64))
        batches = list(test.as_numpy_iterator())
        check(f"{len(batches)} batches for testing", [len(b[1]) for b in batches] == [64, 64, 64, 8])
        rows = [
            (row[row != 0].tolist(), int(label))
            for texts, labels in batches
            for row, label in zip(texts, labels, strict=True)
        ]
        expected = [(encoder.encode(text), label) for text, label in seen[:TAKE]]
        check("padding aside they are the lines", rows == expected)
        widest = [max(len(words) for words, _ in expected[i : i + BATCH]) for i in range(0, TAKE, BATCH)]
        check(f"each batch is as wide as its longest line: {widest}", [b[0].shape[1] for b in batches] == widest)
        trained = sorted(
            (row[row != 0].tolist(), int(n)) for b in train.as_numpy_iterator() for row, n in zip(*b, strict=True)
        )
        check("the rest is for training", trained == sorted((encoder.encode(text), n) for text, n in seen[TAKE:]))
        unshaped = lines.map(lambda text, label: tf.py_function(encode, [text, label], (tf.int64, tf.int64)))
        older = unshaped.take(TAKE).padded_batch(BATCH, padded_shapes=([-1], []))
        same = zip(older.as_numpy_iterator(), batches, strict=True)
        check("without set_shape the batch is told the shapes", all(np.array_equal(a[0], b[0]) for a, b in same))
        check("a classifier by words finds most translators", accuracy(train, test, len(encoder.numbers) + 2) > 0.8)
    return status()


def accuracy(train: Any, test: Any, words: int) -> float:
    """How often the translator whose words are the likeliest is the right one: naive Bayes on the batches."""
    counts = np.ones((3, words))
    for texts, labels in train.as_numpy_iterator():
        np.add.at(counts, (np.repeat(labels, texts.shape[1]), texts.ravel()), 1.0)
    counts[:, 0] = 1.0  # what pads
    likely = np.log(counts / counts.sum(1, keepdims=True))
    found = [likely[:, texts].sum(-1).argmax(0) == labels for texts, labels in test.as_numpy_iterator()]
    return float(np.concatenate(found).mean())


if __name__ == "__main__":
    sys.exit(main())
