"""Examples read without messages have the values and the errors that protobuf's messages give."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.ops import example_parsing, example_wire

NEVER = 1 << 60
TYPES = {"int64_list": tf.int64, "float_list": tf.float32, "bytes_list": tf.string}
LISTS = {"int64_list": "Int64List", "float_list": "FloatList", "bytes_list": "BytesList"}
NUMBERS = [0, 1, 127, 128, 300, -1, -(2**63), 2**63 - 1, 2**35]
COUNTS = {"scalar": [1], "three": [3], "sparse": [0, 1, 4], "ragged": [0, 2], "steps": [0, 1, 3], "default": [0, 2]}


def feature(name: str, values: Any) -> Any:
    return tf.train.Feature(**{name: getattr(tf.train, LISTS[name])(value=values)})


def example(features: Any) -> bytes:
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()  # type: ignore[no-any-return]


def declared(form: str, name: str) -> Any:
    kind = TYPES[name]
    return {
        "scalar": lambda: tf.io.FixedLenFeature([], kind),
        "three": lambda: tf.io.FixedLenFeature([3], kind),
        "sparse": lambda: tf.io.VarLenFeature(kind),
        "ragged": lambda: tf.io.RaggedFeature(kind),
        "steps": lambda: tf.io.FixedLenSequenceFeature([], kind, allow_missing=True),
        "default": lambda: tf.io.FixedLenFeature([2], kind, [b"x", b"y"] if name == "bytes_list" else [7, 8]),
    }[form]()


def drawn(draw: random.Random, name: str, count: int) -> list[Any]:
    if name == "int64_list":
        return draw.choices(NUMBERS, k=count)
    if name == "float_list":
        return draw.choices([0.0, 1.5, float("nan"), float("inf")], k=count)
    return [draw.randbytes(draw.choice([0, 1, 5, 130])) for _ in range(count)]


def outcome(texts: list[bytes], features: Any) -> Any:
    """The flat arrays of a parse, or the error."""
    try:
        parsed = tf.io.parse_example(texts, features)
    except tf.errors.OpError as error:
        return type(error), error.message
    parts = [tf.nest.flatten(parsed[key], expand_composites=True) for key in sorted(parsed)]
    return [np.asarray(part) for group in parts for part in group]


def both(texts: list[bytes], features: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, bool]:
    """The outcome, the same both ways; and whether no messages were needed."""
    columns = []
    read = lambda *args: columns.append(example_wire.columns_of(*args)) or columns[-1]  # type: ignore[func-returns-value]  # noqa: E731
    monkeypatch.setattr(example_parsing, "columns_of", read)
    outcomes = []
    for least in (1, NEVER):
        monkeypatch.setattr(TUNING, "example_columns_values", least)
        outcomes.append(outcome(texts, features))
    ours, expected = outcomes
    assert type(ours) is type(expected)
    if isinstance(expected, tuple):
        assert ours == expected
    else:
        for array, other in zip(ours, expected, strict=True):
            assert (array.dtype, array.shape) == (other.dtype, other.shape)
            np.testing.assert_array_equal(array, other)
    return ours, columns[0] is not None


def made(draw: random.Random, skip: float, shuffled: bool, other: bool) -> tuple[list[bytes], dict[str, Any]]:
    """Random examples, and the features that are asked for."""
    names = [draw.choice(list(TYPES)) for _ in range(draw.randint(1, 4))]
    forms = [draw.choice(list(COUNTS)) for _ in names]
    texts = []
    for _ in range(9):
        features = {
            f"k{i}": feature(name, drawn(draw, name, draw.choice(COUNTS[form])))
            for i, (name, form) in enumerate(zip(names, forms, strict=True))
            if draw.random() >= skip
        }
        if other:
            features["other"] = feature("int64_list", [1])
        items = list(features.items())
        if shuffled:
            draw.shuffle(items)
        texts.append(example(dict(items)))
    return texts, {f"k{i}": declared(form, name) for i, (name, form) in enumerate(zip(names, forms, strict=True))}


@pytest.mark.parametrize("seed", range(20))
def test_whole_examples_are_read_without_messages(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, features = made(random.Random(seed), 0, False, seed % 4 == 0)
    _, direct = both(texts, features, monkeypatch)
    assert direct


@pytest.mark.parametrize("seed", range(20))
def test_examples_that_lack_features_are_read_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, features = made(random.Random(seed), 0.2, True, False)
    both(texts, features, monkeypatch)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_examples_fail_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    texts, features = made(draw, 0, False, seed % 2 == 0)
    damaged = bytearray(texts[4])
    for _ in range(draw.choice([1, 3])):
        at = draw.randrange(len(damaged) - 1)
        change: Callable[[], Any] = draw.choice(
            [
                lambda at=at: damaged.__setitem__(at, draw.randrange(256)),  # type: ignore[misc]
                lambda at=at: damaged.__delitem__(at),  # type: ignore[misc]
                lambda at=at: damaged.insert(at, draw.randrange(256)),  # type: ignore[misc]
            ]
        )
        change()
    texts[4] = bytes(damaged)
    both(texts, features, monkeypatch)


def test_an_example_that_ends_in_the_next_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [example({"a": feature("int64_list", [i, i])}) for i in range(9)]
    texts[3], texts[4] = texts[3][:-1], texts[3][-1:] + texts[4]
    (kind, _), direct = both(texts, {"a": tf.io.FixedLenFeature([2], tf.int64)}, monkeypatch)
    assert kind is tf.errors.InvalidArgumentError
    assert not direct


def test_of_two_entries_with_one_key_the_last_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = lambda value: tf.train.Features(feature={"a": feature("int64_list", [value])}).SerializeToString()  # noqa: E731
    whole = [entry(1) + entry(2)] * 9
    texts = [b"\x0a" + bytes([len(features)]) + features for features in whole]
    (values,), direct = both(texts, {"a": tf.io.FixedLenFeature([], tf.int64)}, monkeypatch)
    assert direct
    np.testing.assert_array_equal(values, [2] * 9)


def test_a_damaged_feature_that_nobody_asks_for_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [example({"a": feature("int64_list", [1]), "b": feature("bytes_list", [b"xyz"])}) for _ in range(9)]
    texts[5] = texts[5].replace(b"\x0a\x03xyz", b"\x0a\x7fxyz")
    (kind, _), direct = both(texts, {"a": tf.io.FixedLenFeature([], tf.int64)}, monkeypatch)
    assert kind is tf.errors.InvalidArgumentError
    assert not direct
