"""Elements kept in memory and in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf


def counted(calls: list[int], count: int = 3) -> Any:
    """A dataset that notes the elements it makes."""

    def note(x: Any) -> Any:
        calls.append(int(x))
        return x * 10

    return tf.data.Dataset.range(count).map(lambda x: tf.numpy_function(note, [x], tf.int64))


@pytest.mark.parametrize("where", ["memory", "file"])
def test_only_an_iteration_that_came_to_the_end_is_kept(where: str, tmp_path: Path) -> None:
    calls: list[int] = []
    dataset = counted(calls).cache(str(tmp_path / "kept") if where == "file" else "")
    left = iter(dataset)
    next(left)
    assert [int(x) for x in dataset] == [0, 10, 20] and calls == [0, 0, 1, 2]
    assert [int(x) for x in dataset] == [int(x) for x in dataset.take(3)] == [0, 10, 20]
    assert calls == [0, 0, 1, 2]
    assert [int(x) for x in left] == [10, 20], "an iteration that began before goes on by itself"


def test_a_file_serves_another_dataset_of_the_same_dtypes(tmp_path: Path) -> None:
    place = str(tmp_path / "kept")
    elements = {"a": np.array([1.5, 2.5], np.float32), "b": np.array([b"x", b""], object)}
    first = tf.data.Dataset.from_tensor_slices(elements).cache(place)
    kept = list(first.as_numpy_iterator())
    calls: list[int] = []
    other = counted(calls).map(lambda x: {"a": tf.cast(x, tf.float32), "b": tf.strings.as_string(x)}).cache(place)
    assert list(other.as_numpy_iterator()) == kept and calls == []
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"has components of .*'float32', 'string'.*of \['int64'\]"
    ):
        list(tf.data.Dataset.range(3).cache(place))


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    dataset = tf.data.Dataset.range(3).cache(str(place))
    list(dataset)
    file = place.with_name("kept.npz")
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError):
        list(dataset)


def test_a_position_in_a_cache_is_restored_where_nothing_is_kept_yet() -> None:
    for at in (1, 4):
        calls: list[int] = []
        one, other = (counted(calls).cache().repeat(2).as_numpy_iterator() for _ in range(2))
        for _ in range(at):
            next(one)
        saved = one.save()
        del calls[:]
        other.restore(saved)
        assert [int(x) for x in other] == [0, 10, 20, 0, 10, 20][at:]
        assert calls == ([1, 2] if at == 1 else [])
