"""A tokenizer in plain Python feeds a classifier: names of places, and the country they sound like.

    python examples/text_classifier.py [--epochs 6] [--out FOLDER]

The tokenizer learns which pairs of letters are one piece (Sennrich and others, 2016), and encodes names in the `map` of
a dataset. The classifier adds up what its pieces say; a traced function with a tape trains it. The exit status is 0
only if it tells most names right whose whole word it has never seen.
"""

from __future__ import annotations

import collections
import itertools
import sys
from typing import Any

import numpy as np
from checking import check, status
from saving import arguments, save

import inlay as tf

SYLLABLES = {
    "Finnish": "vaa ra jär vi koski nie mi lah ti kau kun kyl ä mäki suo",
    "Welsh": "llan aber pen rhyd gwy nedd caer dydd wrth ffor pont hir tre fawr",
    "Italian": "monte val ro ma lano bel cas tel lo fio ren za san villa pia",
}
COUNT, MERGES, WIDTH, BATCH = 1200, 60, 16, 32


class Tokenizer:
    """Pieces of words, numbered from 1: single letters, and the pairs that were met most often.

    Attributes:
      pieces: each piece's number; 0 pads.
    """

    def __init__(self, names: list[str], merges: int) -> None:
        words = [tuple(name) for name in names]
        self.merges: list[tuple[str, str]] = []
        for _ in range(merges):
            pairs = collections.Counter(pair for word in words for pair in itertools.pairwise(word))
            self.merges.append(max(pairs, key=lambda pair: (pairs[pair], pair)))
            words = [self._joined(word, self.merges[-1]) for word in words]
        pieces = {*"".join(names)} | {a + b for a, b in self.merges}
        self.pieces = {piece: number for number, piece in enumerate(sorted(pieces), 1)}

    @staticmethod
    def _joined(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
        out: list[str] = []
        for piece in word:
            if out and (out[-1], piece) == pair:
                out[-1] += piece
            else:
                out.append(piece)
        return tuple(out)

    def split(self, name: str) -> tuple[str, ...]:
        word = tuple(name)
        for pair in self.merges:
            word = self._joined(word, pair)
        return word

    def encode(self, name: bytes) -> Any:
        return np.array([self.pieces[piece] for piece in self.split(name.decode())], np.int64)


def places() -> tuple[list[str], Any]:
    """Names, each once, and the number of the country each is made for."""
    draw, found = np.random.default_rng(0), {}
    for i in range(COUNT):
        country = i % len(SYLLABLES)
        parts = draw.choice(list(SYLLABLES.values())[country].split(), draw.integers(2, 4))
        found["".join(parts)] = country
    names = sorted(found)
    draw.shuffle(names)
    return names, np.array([found[name] for name in names])


def batches(tokenizer: Tokenizer, names: list[str], countries: Any) -> Any:
    def element(name: Any, country: Any) -> tuple[Any, Any]:
        pieces = tf.numpy_function(tokenizer.encode, [name], tf.int64, stateful=False, output_shapes=[None])
        return pieces, country

    data = tf.data.Dataset.from_tensor_slices((names, countries)).map(element, num_parallel_calls=2).cache()
    return data.shuffle(COUNT, seed=1).padded_batch(BATCH)


class Classifier(tf.Module):
    """What each piece says for each country, through a few numbers."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        draw = np.random.default_rng(1)
        self.table = tf.Variable(draw.normal(0, 0.1, (pieces + 1, WIDTH)).astype("f"))
        self.output = tf.Variable(draw.normal(0, 0.1, (WIDTH, len(SYLLABLES))).astype("f"))

    def __call__(self, pieces: Any) -> Any:
        there = tf.cast(pieces > 0, tf.float32)[:, :, None]
        return tf.matmul(tf.reduce_sum(tf.gather(self.table, pieces) * there, axis=1), self.output)


def main() -> int:
    options = arguments(__doc__, epochs=6)
    names, countries = places()
    known = len(names) * 3 // 4
    tokenizer = Tokenizer(names[:known], MERGES)
    train = batches(tokenizer, names[:known], countries[:known])
    test = batches(tokenizer, names[known:], countries[known:])
    print(f"  {names[0]} is {'-'.join(tokenizer.split(names[0]))}")
    whole = sum(name in tokenizer.pieces for name in names[known:])
    check(f"the batches' shapes are known: {train.element_spec[0].shape}", train.element_spec[0].shape == [None, None])

    model, optimizer = Classifier(len(tokenizer.pieces)), tf.compat.v1.train.AdamOptimizer(0.002)

    @tf.function(input_signature=list(train.element_spec))
    def step(pieces: Any, country: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(pieces)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=country, logits=logits))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    losses, shares = [], []
    for epoch in range(options.epochs):
        losses.append(float(np.mean([step(*batch) for batch in train])))
        right = [(model(pieces).numpy().argmax(1) == country.numpy()) for pieces, country in test]
        shares.append(float(np.concatenate(right).mean()))
        print(f"  epoch {epoch}: loss {losses[-1]:.3f}, {shares[-1]:.1%} of the new names are told right")
    check(f"{len(names) - known} names are new, and {whole} of them one piece", whole < 5)
    check("most are told right", shares[-1] > 0.9)

    columns = {"epoch": range(options.epochs), "loss": losses, "right": shares}
    save(options.out, "text_classifier", columns)
    return status()


if __name__ == "__main__":
    sys.exit(main())
