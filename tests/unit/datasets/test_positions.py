"""Where an iteration stands: saved, restored, in checkpoints; stages that cannot say so."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from inlay.datasets import positions


def epochs() -> Any:
    """Two shuffled epochs in batches, made ahead by two workers."""
    numbers = tf.data.Dataset.range(40).shuffle(13, seed=3)
    words = numbers.map(lambda x: (x * x, tf.strings.as_string(x)), num_parallel_calls=2)
    return words.batch(4).repeat(2).prefetch(2)


def plain(elements: Any) -> list[Any]:
    return [[part.tolist() for part in element] for element in elements]


def test_a_checkpoint_resumes_in_the_middle_of_a_shuffled_epoch(tmp_path: Path) -> None:
    for at in (0, 1, 7, 13, 20):
        iterator = iter(epochs())
        for _ in itertools.islice(iterator, at):
            pass
        path = tf.train.Checkpoint(step=tf.Variable(at), iterator=iterator).save(str(tmp_path / "at"))
        step, resumed = tf.Variable(-1), iter(epochs())
        tf.train.Checkpoint(step=step, iterator=resumed).restore(path).assert_consumed()
        assert int(step) == at
        rest = [[part.numpy().tolist() for part in element] for element in resumed]
        assert rest == [[part.numpy().tolist() for part in element] for element in iterator]


def test_a_position_outlives_its_process_as_bytes() -> None:
    iterator = epochs().as_numpy_iterator()
    next(iterator)
    saved = iterator.save()
    assert isinstance(saved, bytes) and json.loads(saved)["format"] == 1
    other = epochs().as_numpy_iterator()
    other.restore(saved)
    assert plain(other) == plain(iterator)


@pytest.mark.parametrize(
    "state",
    [
        None, True, 2**127, -1.5, "text", b"\x00\xff", [1, (2, None)], {"a": [1], 3: b"x"},
        np.float32(1.5), np.int64(-3), np.arange(6, dtype=np.int16).reshape(2, 3), np.zeros((0, 3)),
        np.array([b"a", b"\xff"], object), np.array(b"one", object), np.array([1.5, 2], ml_dtypes.bfloat16),
    ],
    ids=repr,
)  # fmt: skip
def test_states_come_back_as_they_were(state: Any) -> None:
    found = positions.from_bytes(positions.to_bytes(state))
    assert type(found) is type(state)
    if isinstance(state, np.ndarray):
        assert found.dtype == state.dtype and found.shape == state.shape and found.tolist() == state.tolist()
    else:
        assert found == state


def test_windows_are_part_of_a_position() -> None:
    def make() -> Any:
        return tf.data.Dataset.range(9).window(4).flat_map(lambda w: w.batch(2)).as_numpy_iterator()

    one, other = make(), make()
    next(one)
    other.restore(one.save())
    assert [x.tolist() for x in other] == [x.tolist() for x in one] == [[2, 3], [4, 5], [6, 7], [8]]


def test_a_stage_that_cannot_say_where_it_stands_says_why() -> None:
    def count() -> Any:
        yield from range(3)

    iterator = tf.data.Dataset.from_generator(count, output_signature=tf.TensorSpec([], tf.int32)).as_numpy_iterator()
    next(iterator)
    with pytest.raises(tf.errors.UnimplementedError, match="from_generator cannot be saved.*knows where"):
        iterator.save()


@pytest.mark.parametrize("data", [b"", b"{}", b'{"format": 9, "state": 1}', b'{"format": 1, "state": {"array": [1]}}'])
def test_damaged_positions_are_reported(data: bytes) -> None:
    with pytest.raises(tf.errors.DataLossError, match="position of an iterator is damaged"):
        tf.data.Dataset.range(3).as_numpy_iterator().restore(data)
