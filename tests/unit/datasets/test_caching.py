"""Elements kept in memory and in files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.data.caching import Lock

Dataset = tf.data.Dataset
v1 = tf.compat.v1


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
    for _ in dataset.take(1):
        pass
    assert [int(x) for x in dataset] == [0, 10, 20] and calls == [0, 0, 1, 2]
    assert [int(x) for x in dataset] == [int(x) for x in dataset.take(3)] == [0, 10, 20]
    assert calls == [0, 0, 1, 2]


def test_the_first_iteration_that_comes_to_the_end_is_kept() -> None:
    dataset = tf.data.Dataset.range(8).shuffle(8).cache()
    first, second = iter(dataset), iter(dataset)
    own = [int(next(second))]
    kept = [int(x) for x in first]
    own += [int(x) for x in second]
    assert sorted(own) == sorted(kept) == list(range(8)), "an iteration that began before goes on by itself"
    assert [int(x) for x in dataset] == [int(x) for x in dataset] == kept


def test_a_file_is_made_by_one_iteration_at_a_time(tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(3).cache(str(tmp_path / "kept"))
    first, second = iter(dataset), iter(dataset)
    next(first)
    for _ in range(2):
        with pytest.raises(
            tf.errors.AlreadyExistsError, match="concurrent caching iterator .*kept.lockfile.*another iteration of this"
        ):
            next(second)
    assert [int(x) for x in first] == [1, 2]
    assert [int(x) for x in second] == [0, 1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]
    with pytest.raises(tf.errors.AlreadyExistsError):
        list(tf.data.Dataset.zip(*[tf.data.Dataset.range(3).cache(str(tmp_path / "both"))] * 2))
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"], "an iteration that ends lets others begin"


def test_what_began_before_a_file_was_there_reads_it(tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(20).shuffle(20).cache(str(tmp_path / "kept"))
    first, second = iter(dataset), iter(dataset)
    assert [int(x) for x in first] == [int(x) for x in second]


MAKING = """
import sys, os, time
import inlay as tf
dataset = tf.data.Dataset.range(64).shuffle(64).cache(sys.argv[1])
iterator = iter(dataset)
first = int(next(iterator))
print("began", flush=True)
sys.stdin.readline()
print([first, *(int(x) for x in iterator)], flush=True)
"""


def test_processes_make_a_file_by_turns_and_never_two_into_one(tmp_path: Path) -> None:
    place = str(tmp_path / "kept")
    command = [sys.executable, "-c", MAKING, place]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "began\n"
        dataset = tf.data.Dataset.range(64).shuffle(64).cache(place)
        with pytest.raises(tf.errors.AlreadyExistsError, match=f"process {other.pid} has begun to make"):
            next(iter(dataset))
        print(file=other.stdin, flush=True)
        given = json.loads(other.stdout.readline())
    assert [int(x) for x in dataset] == given and sorted(given) == list(range(64))
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]


def test_a_process_that_died_holds_no_file(tmp_path: Path) -> None:
    place = str(tmp_path / "kept")
    command = [sys.executable, "-c", MAKING, place]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "began\n"
        other.kill()
    assert (tmp_path / "kept.lockfile").exists()
    assert [int(x) for x in tf.data.Dataset.range(3).cache(place)] == [0, 1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork")  # of JAX where another test loaded it, and of Python beside threads
def test_a_forked_process_does_not_give_back_what_its_parent_holds(tmp_path: Path) -> None:
    lock = Lock(str(tmp_path / "lock"))
    assert lock.take()
    child = os.fork()
    if not child:
        lock.give_back()
        os._exit(0)
    os.waitpid(child, 0)
    assert not Lock(lock.path).take()
    lock.give_back()
    other = Lock(lock.path)
    assert other.take()
    other.give_back()
    assert not list(tmp_path.iterdir())


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


def test_files_of_caches_that_are_zipped_are_whole_at_the_first_end(tmp_path: Path) -> None:
    calls: list[int] = []
    caches = [counted(calls).cache(str(tmp_path / name)) for name in "abc"]
    zipped = tf.data.Dataset.zip(tuple(caches))
    first = list(zipped.as_numpy_iterator())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        following = tf.compat.v1.data.make_one_shot_iterator(zipped).get_next()
        assert [session.run(following) for _ in range(3)] == first
    assert len(calls) == 9


def test_a_zip_asks_each_later_source_once_more_at_the_end() -> None:
    """As TensorFlow does; what fails there is no element any more."""
    calls: list[list[int]] = [[], [], []]
    one, two = counted(calls[0], 2), counted(calls[1], 5)
    failing = tf.data.Dataset.range(2, -2, -1).map(lambda x: x + 0 // tf.maximum(x, 0))
    zipped = tf.data.Dataset.zip((one, two, failing))
    assert list(zipped.as_numpy_iterator()) == [(0, 0, 2), (10, 10, 1)]
    assert [len(each) for each in calls[:2]] == [2, 3]


# ---------------------------------------------------------------- datasets of graphs


def added(number: Any) -> Any:
    return Dataset.range(4).map(lambda x: x + number).cache()


@tf.function
def digits(number: Any, times: Any) -> Any:
    dataset, total = added(number), tf.constant(0, tf.int64)
    for value in dataset.repeat(times):
        total = total * 10 + value
    return total


def test_each_call_of_a_function_has_a_cache_of_its_own() -> None:
    one = tf.constant(1, tf.int64)
    assert [int(digits(tf.constant(k, tf.int64), one)) for k in (1, 2, 1)] == [1234, 2345, 1234]
    assert int(digits(one, tf.constant(2, tf.int64))) == 12341234


def test_a_file_is_that_of_all_calls_of_a_function(tmp_path: Path) -> None:
    path = tf.constant(str(tmp_path / "kept"))

    @tf.function
    def total(number: Any) -> Any:
        return (
            Dataset.range(3).map(lambda x: x + number).cache(path).reduce(tf.constant(0, tf.int64), lambda a, b: a + b)
        )

    assert [int(total(tf.constant(k, tf.int64))) for k in (1, 5)] == [6, 6]


def test_loops_of_one_call_share_a_cache() -> None:
    seen: list[int] = []

    def note(x: Any) -> Any:
        seen.append(int(x))
        return x

    @tf.function
    def twice() -> Any:
        dataset = Dataset.range(3).map(lambda x: tf.numpy_function(note, [x], tf.int64)).cache()
        total = tf.constant(0, tf.int64)
        for value in dataset:
            total += value
        for value in dataset:
            total += value
        return total

    assert int(twice()) == 6 and seen == [0, 1, 2]
    assert int(twice()) == 6 and seen == [0, 1, 2] * 2  # as TensorFlow has it


def test_each_initialization_of_an_iterator_has_a_cache_of_its_own() -> None:
    with tf.Graph().as_default():
        number = v1.placeholder(tf.int64, [])
        iterator = v1.data.make_initializable_iterator(added(number))
        value = iterator.get_next()
        with v1.Session() as session:
            for fed in (1, 10):
                session.run(iterator.initializer, {number: fed})
                assert [int(session.run(value)) for _ in range(4)] == [fed + x for x in range(4)]


def inner(x: Any) -> Any:
    return Dataset.range(3).map(lambda y: y * 10 + x).cache().repeat(2)


def test_each_dataset_that_a_function_of_elements_makes_has_a_cache_of_its_own() -> None:
    dataset = Dataset.range(3).flat_map(inner)
    expected = [y * 10 + x for x in range(3) for _ in range(2) for y in range(3)]
    assert list(map(int, dataset)) == expected == list(map(int, dataset))
    for taken in range(len(expected)):
        iterator, other = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
        first = [int(next(iterator)) for _ in range(taken)]
        other.restore(iterator.save())
        assert first + list(map(int, other)) == expected


def test_a_cache_of_a_function_is_saved_with_it(tmp_path: Path) -> None:
    module = tf.Module()
    module.digits = digits
    module.digits.get_concrete_function(tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.int64))
    tf.saved_model.save(module, str(tmp_path))
    loaded, one = tf.saved_model.load(str(tmp_path)), tf.constant(1, tf.int64)
    assert [int(loaded.digits(tf.constant(k, tf.int64), one)) for k in (1, 2)] == [1234, 2345]
