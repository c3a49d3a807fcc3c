"""The input pipeline of TensorFlow's tutorial "Transformer model for language understanding".

    python examples/translation.py [SENTENCES]

Pairs of sentences, two tokenizers of subwords that are built by iterating over them, a Python function that encodes a
pair, a filter by length, a cache, and padded batches made ahead. The sentences are made here, by two grammars that say
the same. What came of it is checked: the exit status is 0 only if it is right.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from checking import check, status

import inlay as tf

MAX_LENGTH, BUFFER_SIZE, BATCH_SIZE = 40, 20_000, 64

NOUNS = [("casa", "house"), ("cidade", "city"), ("palavra", "word"), ("pergunta", "question"), ("ideia", "idea")]
ADJECTIVES = [("pequena", "small"), ("bonita", "beautiful"), ("antiga", "old"), ("importante", "important")]
VERBS = [("encontrei", "found"), ("perdi", "lost"), ("mostrei", "showed"), ("lembrei", "remembered")]


def sentences(count: int) -> list[tuple[str, str]]:
    """Pairs in Portuguese and English; some are too long for the model."""
    random = np.random.default_rng(11)
    pairs = []
    for _ in range(count):
        clauses = []
        for _ in range(int(random.geometric(0.35))):
            noun, adjective, verb = (kind[random.integers(len(kind))] for kind in (NOUNS, ADJECTIVES, VERBS))
            clauses.append((f"eu {verb[0]} a {noun[0]} {adjective[0]}", f"i {verb[1]} the {adjective[1]} {noun[1]}"))
        pairs.append((" e ".join(pt for pt, _ in clauses) + " .", " and ".join(en for _, en in clauses) + " ."))
    return pairs


class SubwordTextEncoder:
    """Numbers for parts of words, as tensorflow_datasets' class of this name gives; 0 is left for padding.

    Args:
      corpus: the texts that the parts are taken from.
      target_vocab_size: how many parts there are at most; letters come first, then what is frequent.
    """

    def __init__(self, corpus: Iterable[bytes], target_vocab_size: int) -> None:
        words: Counter[str] = Counter()
        for text in corpus:
            words.update(f"{word}_" for word in text.decode().split())
        parts: Counter[str] = Counter()
        for word, times in words.items():
            for begin in range(len(word)):
                for end in range(begin + 2, min(len(word), begin + 6) + 1):
                    parts[word[begin:end]] += times * (end - begin)
        letters = sorted({letter for word in words for letter in word})
        self.subwords = letters + [p for p, _ in parts.most_common(max(0, target_vocab_size - len(letters)))]
        self.numbers = {part: i for i, part in enumerate(self.subwords, 1)}
        self.calls = 0

    @property
    def vocab_size(self) -> int:
        return len(self.subwords) + 1

    def encode(self, text: bytes) -> list[int]:
        self.calls += 1
        return [self.numbers[part] for word in text.decode().split() for part in self._parts(f"{word}_")]

    def _parts(self, word: str) -> Iterator[str]:
        """The word cut into parts, the longest first."""
        while word:
            end = next(end for end in range(min(6, len(word)), 0, -1) if word[:end] in self.numbers)
            yield word[:end]
            word = word[end:]

    def decode(self, numbers: Iterable[int]) -> str:
        return "".join(self.subwords[n - 1] for n in numbers).replace("_", " ").rstrip()


def show_tokenizers(train_examples: Any) -> tuple[SubwordTextEncoder, SubwordTextEncoder]:
    print("tokenizers")
    tokenizer_en = SubwordTextEncoder((en.numpy() for pt, en in train_examples), target_vocab_size=2**8)
    tokenizer_pt = SubwordTextEncoder((pt.numpy() for pt, en in train_examples), target_vocab_size=2**8)
    sample_string = "i remembered the tiny ideas ."
    letters = {letter for subword in tokenizer_en.subwords for letter in subword}
    sample_string = " ".join(word for word in sample_string.split() if set(word) <= letters)
    tokenized_string = tokenizer_en.encode(sample_string.encode())
    check(f"{sample_string!r} is {tokenized_string}", tokenizer_en.decode(tokenized_string) == sample_string)
    check("it has words that were never seen, in parts", len(tokenized_string) > len(sample_string.split()))
    return tokenizer_pt, tokenizer_en


def show_pipeline(pairs: list[tuple[str, str]], held_out: int) -> None:
    examples = tf.data.Dataset.from_tensor_slices(tuple(np.array(side) for side in zip(*pairs, strict=True)))
    val_examples, train_examples = examples.take(held_out), examples.skip(held_out)
    tokenizer_pt, tokenizer_en = show_tokenizers(train_examples)

    def encode(lang1: Any, lang2: Any) -> Any:
        lang1 = [tokenizer_pt.vocab_size, *tokenizer_pt.encode(lang1.numpy()), tokenizer_pt.vocab_size + 1]
        lang2 = [tokenizer_en.vocab_size, *tokenizer_en.encode(lang2.numpy()), tokenizer_en.vocab_size + 1]
        return lang1, lang2

    def tf_encode(pt: Any, en: Any) -> Any:
        result_pt, result_en = tf.py_function(encode, [pt, en], [tf.int64, tf.int64])
        result_pt.set_shape([None])
        result_en.set_shape([None])
        return result_pt, result_en

    def filter_max_length(x: Any, y: Any, max_length: int = MAX_LENGTH) -> Any:
        return tf.logical_and(tf.size(x) <= max_length, tf.size(y) <= max_length)

    print("the pipeline")
    train_preprocessed = train_examples.map(tf_encode).filter(filter_max_length).cache().shuffle(BUFFER_SIZE)
    train_dataset = train_preprocessed.padded_batch(BATCH_SIZE).prefetch(tf.data.experimental.AUTOTUNE)
    val_dataset = val_examples.map(tf_encode).filter(filter_max_length).padded_batch(BATCH_SIZE)
    batch = tf.TensorSpec([None, None], tf.int64)
    check("the shapes of batches are known", train_dataset.element_spec == (batch, batch))

    tokenizer_en.calls = 0
    epochs = [read(train_dataset, tokenizer_pt, tokenizer_en) for _ in range(2)]
    encoded = [(len(tokenizer_pt.encode(p.encode())), len(tokenizer_en.encode(e.encode()))) for p, e in pairs]
    short = [pair for pair, sizes in zip(pairs, encoded, strict=True) if max(sizes) + 2 <= MAX_LENGTH]
    trained = sorted(set(short) & set(pairs[held_out:]))
    check(f"{len(pairs) - len(short)} of {len(pairs)} pairs are too long", 0 < len(short) < len(pairs))
    check("an epoch has every pair that is short enough", sorted(set(epochs[0])) == trained)
    check(
        "and so has the next one, in another order", sorted(epochs[0]) == sorted(epochs[1]) and epochs[0] != epochs[1]
    )
    # `encoded` asked once for each pair as well: the second epoch came out of the cache.
    check("the Python function ran once for a pair", tokenizer_en.calls == 2 * len(pairs) - held_out)

    pt_batch, en_batch = next(iter(val_dataset))
    check(f"a batch to validate on: {pt_batch.shape} and {en_batch.shape}", len(pt_batch) == len(en_batch))
    first = [pair for pair in pairs[:held_out] if pair in set(short)][0]
    row = pt_batch[0].numpy()
    words = tokenizer_pt.decode(row[(row > 0) & (row < tokenizer_pt.vocab_size)])
    check(f"it begins with {words!r}", words == first[0])
    show_older_form(train_examples, encode, filter_max_length)


def read(dataset: Any, tokenizer_pt: SubwordTextEncoder, tokenizer_en: SubwordTextEncoder) -> list[tuple[str, str]]:
    """The sentences of all batches; padding, and the numbers that begin and end a sentence, are looked at here."""
    found = []
    for batches in dataset:
        sides = []
        for rows, tokenizer in zip(batches, (tokenizer_pt, tokenizer_en), strict=True):
            begin, end, texts = tokenizer.vocab_size, tokenizer.vocab_size + 1, []
            for row in rows.numpy().tolist():
                stop = row.index(end)
                if row[0] != begin or any(row[stop + 1 :]):
                    check(f"a row is begun, ended and padded: {row}", False)
                texts.append(tokenizer.decode(row[1:stop]))
            sides.append(texts)
        found += zip(*sides, strict=True)
    return found


def show_older_form(train_examples: Any, encode: Any, filter_max_length: Any) -> None:
    """The tutorial of 2019: the list that `py_function` returns is the element; the batch is told the shapes."""
    print("the form of 2019")

    def tf_encode(pt: Any, en: Any) -> Any:
        return tf.py_function(encode, [pt, en], [tf.int64, tf.int64])

    train_dataset = train_examples.map(tf_encode)
    check("a list that is returned is a tuple", isinstance(train_dataset.element_spec, tuple))
    try:
        train_dataset.padded_batch(BATCH_SIZE)
        check("without shapes padded_batch asks for them", False)
    except ValueError as error:
        check("without shapes padded_batch asks for them", "padded_shapes" in str(error))
    train_dataset = train_dataset.filter(filter_max_length)
    padded = train_dataset.padded_batch(BATCH_SIZE, padded_shapes=([-1], [-1]))
    pt_batch, en_batch = next(iter(padded))
    check("with them it pads", len(pt_batch.shape) == len(en_batch.shape) == 2 and len(pt_batch) == BATCH_SIZE)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    show_pipeline(sentences(count), held_out=count // 10)
    return status()


if __name__ == "__main__":
    sys.exit(main())
