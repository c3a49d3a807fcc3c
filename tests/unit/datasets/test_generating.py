"""`Dataset.from_generator`: signatures, conversion, errors, arguments, and when generators begin and end."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf

Dataset = tf.data.Dataset
BAD = tf.errors.InvalidArgumentError


def yielding(*items: Any) -> Callable[[], Iterator[Any]]:
    """A generator function."""

    def generator() -> Iterator[Any]:
        yield from items

    return generator


@pytest.mark.parametrize(
    ("item", "signature", "value"),
    [
        (1, {"output_types": tf.int64}, np.int64(1)),
        (1, {"output_types": tf.float32}, np.float32(1)),
        (np.float64(1.5), {"output_types": tf.float32, "output_shapes": ()}, np.float32(1.5)),
        (np.array([1, 2], np.int32), {"output_types": tf.int64}, np.int64([1, 2])),
        (np.array([1, 2]), {"output_types": tf.float32, "output_shapes": [None]}, np.float32([1, 2])),
        ([[1], [2]], {"output_signature": tf.TensorSpec([2, 1], tf.uint8)}, np.uint8([[1], [2]])),
        ("ä", {"output_types": tf.string}, "ä".encode()),
        (b"a\0", {"output_types": tf.string}, b"a\0"),
        (["a", "bc"], {"output_types": tf.string}, np.array([b"a", b"bc"], object)),
        (tf.constant(3), {"output_types": tf.int64}, np.int64(3)),
        ((1, 2.5), {"output_types": (tf.int32, tf.float32)}, (np.int32(1), np.float32(2.5))),
        (
            {"a": 1, "b": [2.0]},
            {"output_types": {"a": tf.int32, "b": tf.float32}, "output_shapes": {"a": (), "b": [None]}},
            {"a": np.int32(1), "b": np.float32([2])},
        ),
        (
            (1, (2, [3])),
            {"output_types": (tf.int32, (tf.int32, tf.int32))},
            (np.int32(1), (np.int32(2), np.int32([3]))),
        ),
    ],
)
def test_what_is_yielded_becomes_the_declared_types(item: Any, signature: dict[str, Any], value: Any) -> None:
    (found,) = Dataset.from_generator(yielding(item), **signature).as_numpy_iterator()
    tf.nest.assert_same_structure(found, value)
    for got, want in zip(tf.nest.flatten(found), tf.nest.flatten(value), strict=True):
        np.testing.assert_array_equal(got, want)
        assert np.asarray(got).dtype.kind == np.asarray(want).dtype.kind


def test_composites_and_datasets_are_elements() -> None:
    ragged = tf.ragged.constant([[1], [2, 3]])
    specs = tf.RaggedTensorSpec([2, None], tf.int32), tf.data.DatasetSpec(tf.TensorSpec((), tf.int64))
    dataset = Dataset.from_generator(yielding((ragged, Dataset.range(3))), output_signature=specs)
    assert dataset.element_spec == specs
    ((first, second),) = dataset
    assert first.to_list() == [[1], [2, 3]] and list(second.as_numpy_iterator()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "To specify the output signature you need to provide either the `output_signature` argument or the"),
        (
            {"output_types": tf.int64, "output_signature": tf.TensorSpec([])},
            "The `output_types` argument can not be used",
        ),
        ({"output_shapes": [], "output_signature": tf.TensorSpec([])}, "The `output_shapes` argument can not be used"),
        ({"output_signature": tf.int32}, "`output_signature` must contain objects that are subclass of `tf.TypeSpec`"),
        ({"output_signature": [tf.TensorSpec([])]}, "`output_signature` must contain objects that are subclass"),
    ],
)
def test_a_bad_signature_is_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=re.escape(says)):
        Dataset.from_generator(yielding(1), **arguments)


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="`generator` must be a Python callable."):
        Dataset.from_generator([1], output_types=tf.int64)


UNLIKE = "`generator` yielded an element that did not match the expected structure. The expected structure was "
CONVERTED = "`generator` yielded an element that could not be converted to the expected type. The expected type was "


@pytest.mark.parametrize(
    ("item", "signature", "says"),
    [
        (
            (1, 2),
            {"output_types": (tf.int64,) * 3},
            f"{UNLIKE}(tf.int64, tf.int64, tf.int64), but the yielded element was",
        ),
        (
            [1, 2],
            {"output_types": (tf.int32, tf.int32)},
            f"{UNLIKE}(tf.int32, tf.int32), but the yielded element was [1,",
        ),
        ({"a": 1}, {"output_types": {"b": tf.int32}}, UNLIKE),
        ("a", {"output_types": tf.int64}, f"{CONVERTED}int64, but the yielded element was a."),
        (1.5, {"output_types": tf.int64}, f"{CONVERTED}int64, but the yielded element was 1.5."),
        (300, {"output_types": tf.uint8}, f"{CONVERTED}uint8, but the yielded element was 300."),
        (1, {"output_types": tf.string}, f"{CONVERTED}string, but the yielded element was 1."),
        (None, {"output_types": tf.int64}, f"{CONVERTED}int64, but the yielded element was None."),
        ([[1], [2, 3]], {"output_types": tf.int64}, f"{CONVERTED}int64, but the yielded element was [[1], [2, 3]]."),
        (
            [1, 2],
            {"output_types": tf.int64, "output_shapes": [3]},
            "an element of shape (2,) where an element of shape (3,)",
        ),
        (
            np.zeros(2),
            {"output_types": tf.float64, "output_shapes": ()},
            "an element of shape (2,) where an element of",
        ),
        (
            tf.constant([[1], [2]]),
            {"output_signature": tf.RaggedTensorSpec([2, None], tf.int32)},
            "an element of TensorSpec(shape=(2, 1), dtype=tf.int32, name=None) where an element of RaggedTensorSpec(",
        ),
        ((1, 2), {"output_signature": tf.RaggedTensorSpec([2, None], tf.int32)}, f"{UNLIKE}RaggedTensorSpec("),
    ],
)
def test_an_element_that_does_not_fit_is_refused_and_the_next_one_comes(
    item: Any, signature: dict[str, Any], says: str
) -> None:
    iterator = iter(Dataset.from_generator(yielding(item), **signature))
    with pytest.raises(BAD, match=re.escape(says)) as caught:
        next(iterator)
    assert isinstance(caught.value, TypeError) and str(caught.value).startswith("TypeError: ")
    assert "element 0 of generator yielding.<locals>.generator" in str(caught.value)
    with pytest.raises(StopIteration):
        next(iterator)


def test_elements_around_one_that_does_not_fit_are_given() -> None:
    iterator = iter(Dataset.from_generator(yielding(1, "x", 3), output_types=tf.int64))
    assert next(iterator) == 1
    with pytest.raises(BAD, match="the yielded element was x"):
        next(iterator)
    assert [int(x) for x in iterator] == [3]


def test_an_exception_of_the_generator_is_the_users_and_ends_it() -> None:
    def generator() -> Iterator[int]:
        yield 1
        raise KeyError("gone")

    iterator = iter(Dataset.from_generator(generator, output_types=tf.int64))
    assert next(iterator) == 1
    with pytest.raises(KeyError, match="raised in generator .*generator .*for element 1") as caught:
        next(iterator)
    assert isinstance(caught.value, tf.errors.UnknownError)
    assert list(iterator) == []
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        next(iter(Dataset.from_generator(lambda: 5, output_types=tf.int64)))


def test_arguments_arrive_as_numpy_values() -> None:
    seen: list[Any] = []

    def generator(*args: Any) -> Iterator[int]:
        seen.extend(args)
        yield 0

    list(
        Dataset.from_generator(generator, args=(1, 2.5, b"a", "b", [1, 2], tf.constant([[1.0]])), output_types=tf.int32)
    )
    assert [type(a) for a in seen] == [np.int32, np.float32, bytes, bytes, np.ndarray, np.ndarray]
    assert seen[4].dtype == np.int32 and seen[5].shape == (1, 1)


def test_arguments_may_come_from_the_element_of_a_map_around_it() -> None:
    def count(n: Any) -> Iterator[int]:
        yield from range(n)

    dataset = Dataset.range(4).flat_map(lambda n: Dataset.from_generator(count, args=(n,), output_types=tf.int64))
    assert list(dataset.as_numpy_iterator()) == [0, 0, 1, 0, 1, 2]


def test_each_iteration_begins_anew_and_not_before_its_first_element() -> None:
    begun: list[int] = []

    def generator() -> Iterator[int]:
        begun.append(len(begun))
        yield begun[-1]

    dataset = Dataset.from_generator(generator, output_types=tf.int64)
    iterator = iter(dataset)
    assert begun == []
    assert [int(next(iterator)), *map(int, dataset.repeat(2)), *map(int, dataset)] == [0, 1, 2, 3]


def test_a_generator_that_is_left_early_is_finished() -> None:
    ended: list[str] = []

    def generator() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            ended.append("ended")

    for x in Dataset.from_generator(generator, output_types=tf.int64):
        if x == 2:
            break
    gc.collect()
    assert ended == ["ended"]
    iterator = iter(Dataset.from_generator(generator, output_types=tf.int64).map(lambda x: x + 1))
    next(iterator)
    iterator.close()
    assert ended == ["ended", "ended"]
    with pytest.raises(StopIteration):
        next(iterator)


def test_an_array_that_the_generator_goes_on_writing_into_is_copied() -> None:
    def generator() -> Iterator[np.ndarray]:
        buffer = np.zeros(2, np.int64)
        for i in range(3):
            buffer += i
            yield buffer

    found = list(Dataset.from_generator(generator, output_types=tf.int64).as_numpy_iterator())
    assert [list(a) for a in found] == [[0, 0], [1, 1], [3, 3]]


def test_its_position_is_refused_with_the_reason() -> None:
    from inlay._src.data.node import Iteration

    dataset = Dataset.from_generator(yielding(1), output_types=tf.int64)
    with pytest.raises(tf.errors.UnimplementedError, match="only the generator .* knows its position"):
        Iteration(dataset.options()).opened(dataset._node).state()
    assert dataset.cardinality() == tf.data.UNKNOWN_CARDINALITY


@pytest.mark.parametrize("count", [0, 2])
def test_a_generator_is_dropped_where_no_more_elements_are_taken(count: int) -> None:
    dropped = threading.Event()

    class Endless:
        def __iter__(self) -> Any:
            return self

        def __next__(self) -> int:
            return 42

        def __del__(self) -> None:
            dropped.set()

    spec = tf.TensorSpec([], tf.int64)
    iterator = iter(tf.data.Dataset.from_generator(Endless, output_signature=spec).take(2).skip(2 - count))
    assert [int(n) for n in iterator] == [42] * count
    assert dropped.is_set()
    position = iterator._position()
    iterator._go_to(position)
    assert list(iterator) == []
