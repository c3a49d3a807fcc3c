"""Where an iteration stands: saved, restored, in checkpoints; stages that cannot say so."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from inlay._src.data import positions


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


def _numbers() -> Any:
    return tf.data.Dataset.range(6)


def _shuffled() -> Any:
    return _numbers().shuffle(4, seed=5)


def _shuffled_behind(first: Any) -> Any:
    """A dataset that uses an element, and a window of it that is made of another dataset."""
    numbers = _shuffled().map(lambda x: x + 10 * first)
    return numbers, tf.data.Dataset.from_tensors(numbers.take(2))


def _joined(first: Any, second: Any) -> Any:
    pairs = tf.data.Dataset.from_tensors([second, first]).prefetch(1).flat_map(tf.data.Dataset.from_tensor_slices)
    return pairs.flat_map(lambda numbers: numbers)


def _drawn(x: Any) -> Any:
    return tf.random.normal([], seed=3)


def _either(x: Any) -> Any:
    return tf.cond(x > 2, lambda: _shuffled().map(lambda y: x * y), lambda: tf.data.Dataset.range(x))


RESUMED: dict[str, Callable[[], Any]] = {
    "shuffle": lambda: _shuffled().repeat(4),
    "shuffle of what is shuffled": lambda: _shuffled().repeat(2).shuffle(5, seed=2).repeat(2),
    "concatenate": lambda: _shuffled().concatenate(_shuffled()).repeat(3),
    "sample": lambda: tf.data.Dataset.sample_from_datasets([_numbers(), _shuffled()], seed=4).repeat(3),
    "random": lambda: tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3).repeat(4),
    "resample": lambda: _numbers().rejection_resample(lambda x: x % 2, [0.8, 0.2], seed=8).repeat(4),
    "interleave": lambda: _numbers().interleave(lambda x: _shuffled().map(lambda y: 10 * x + y), 3).repeat(2),
    "flat map": lambda: tf.data.Dataset.range(3).flat_map(lambda x: _shuffled()).repeat(2),
    "flat map, read to its end": lambda: (
        tf.data.Dataset.range(3).flat_map(lambda x: _shuffled()).shuffle(30, seed=2).repeat(2)
    ),
    "interleave, ahead": lambda: (
        _numbers().interleave(lambda x: _shuffled(), 3, num_parallel_calls=2).repeat(2).prefetch(3)
    ),
    "the same dataset as every element": lambda: (
        tf.data.Dataset.from_tensors(_shuffled()).repeat(3).flat_map(lambda numbers: numbers).repeat(2)
    ),
    "datasets as elements": lambda: (
        tf.data.Dataset.from_tensor_slices([_shuffled(), _numbers()]).repeat(2).interleave(lambda numbers: numbers, 2)
    ),
    "datasets as elements, shuffled and ahead": lambda: (
        _numbers().map(_shuffled_behind).shuffle(3, seed=7).prefetch(2).repeat(2).flat_map(lambda numbers, _: numbers)
    ),
    "arrays of datasets as elements": lambda: (
        tf.data.Dataset.range(3)
        .map(lambda x: [_shuffled(), tf.data.Dataset.range(x)])
        .batch(2)
        .prefetch(1)
        .unbatch()
        .flat_map(_joined)
    ),
    "datasets as elements, of a branch": lambda: _numbers().map(_either).prefetch(1).flat_map(lambda numbers: numbers),
    "random ops": lambda: _shuffled().map(lambda x: tf.random.normal([], seed=3)).repeat(3),
    "random ops side by side": lambda: (
        _numbers().interleave(lambda x: tf.data.Dataset.range(2).map(_drawn), 2).repeat(2)
    ),
    "random ops that make datasets": lambda: (
        _numbers().flat_map(lambda x: tf.data.Dataset.from_tensors(_drawn(x)).repeat(2)).repeat(2)
    ),
    "random ops in a row, some of them parallel": lambda: (
        _numbers().map(_drawn).map(tf.abs).map(lambda x: x + _drawn(x), num_parallel_calls=2).prefetch(2).repeat(2)
    ),
    "random ops with a state": lambda: _numbers().scan(0.0, lambda s, x: (s + _drawn(x), s)).repeat(2),
    "groups": lambda: _shuffled().group_by_window(
        lambda x: x % 2, lambda key, w: w.map(_drawn), window_size_func=lambda key: key + 1
    ),
    "parallel": lambda: _shuffled().map(lambda x: 2 * x, num_parallel_calls=3).batch(2).repeat(3).prefetch(2),
    "cache": lambda: _shuffled().cache().repeat(3),
    "cache, shuffled": lambda: _numbers().cache().shuffle(4, seed=9).repeat(3),
}


@pytest.mark.parametrize("make", RESUMED.values(), ids=RESUMED)
def test_a_position_is_taken_again_by_new_iterators_and_by_its_own(make: Callable[[], Any]) -> None:
    """The epochs that come after it are those that would have come, though the seeds went on meanwhile."""
    count = len(plain_values(make()))
    for at in range(0, count, 3):
        tf.random.set_seed(1)
        iterator = make().as_numpy_iterator()
        for _ in range(at):
            next(iterator)
        saved = iterator.save()
        rest = plain_values(iterator)
        for steps in (0, 2, len(rest)):
            iterator.restore(saved)
            assert plain_values(itertools.islice(iterator, steps)) == rest[:steps], (at, steps)
        iterator.restore(saved)
        tf.random.set_seed(1)
        other = make().as_numpy_iterator()
        other.restore(saved)
        assert plain_values(iterator) == plain_values(other) == rest, at


def plain_values(elements: Any) -> list[Any]:
    return [element if isinstance(element, tuple) else np.asarray(element).tolist() for element in elements]


def test_orders_of_no_seed_go_on_too() -> None:
    iterator = _numbers().shuffle(6).repeat(3).as_numpy_iterator()
    for _ in range(8):
        next(iterator)
    other = _numbers().shuffle(6).repeat(3).as_numpy_iterator()
    other.restore(iterator.save())
    assert plain_values(other) == plain_values(iterator)


def test_functions_go_on_with_an_iterator_that_was_put_back() -> None:
    iterator = iter(_numbers().map(lambda x: x + 1, num_parallel_calls=2))

    @tf.function
    def two() -> Any:
        return next(iterator), next(iterator)

    saved = iterator._position()
    assert [int(x) for x in two()] == [1, 2]
    iterator._go_to(saved)
    assert [int(x) for x in two()] == [1, 2]
    assert int(next(iterator)) == 3


def test_a_position_that_is_not_its_own_leaves_it_where_it_is() -> None:
    iterator = _shuffled().as_numpy_iterator()
    first = next(iterator)
    for other in (_numbers(), _numbers().map(lambda x: x).shuffle(6), _numbers().take(3)):
        with pytest.raises(tf.errors.NotFoundError, match="one of another dataset: its stages are .*'Range'"):
            iterator.restore(other.as_numpy_iterator().save())
    assert sorted([int(first), *plain_values(iterator)]) == list(range(6))


def test_a_position_outlives_its_process_as_bytes() -> None:
    iterator = epochs().as_numpy_iterator()
    next(iterator)
    saved = iterator.save().numpy()
    assert isinstance(saved, bytes) and json.loads(saved)["format"] == 3
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
    with pytest.raises(tf.errors.UnimplementedError, match="from_generator cannot be saved.*knows its position"):
        iterator.save()


@pytest.mark.parametrize("data", [b"", b"{}", b'{"format": 9, "state": 1}', b'{"format": 3, "state": {"array": [1]}}'])
def test_damaged_positions_are_reported(data: bytes) -> None:
    with pytest.raises(tf.errors.DataLossError, match="position of an iterator is damaged"):
        tf.data.Dataset.range(3).as_numpy_iterator().restore(data)


def _host(x: Any) -> Any:
    return tf.numpy_function(lambda n: n, [x], tf.int64)


def _policy(policy: tf.data.experimental.ExternalStatePolicy) -> tf.data.Options:
    options = tf.data.Options()
    options.experimental_external_state_policy = policy
    return options


VARIABLE_OF_A_FUNCTION = tf.Variable(1, dtype=tf.int64)
STATEFUL: dict[str, Callable[[Any], Any]] = {
    "RandomUniform": lambda x: tf.random.uniform([]),
    "ReadVariableOp": lambda x: x + VARIABLE_OF_A_FUNCTION,
    "PyFunc": _host,
    "EagerPyFunc": lambda x: tf.map_fn(lambda y: tf.py_function(lambda n: n, [y], tf.int64), x[None]),
}


@pytest.mark.parametrize("op", STATEFUL)
def test_a_function_with_state_is_refused_in_checkpoints_where_the_policy_says_so(op: str, tmp_path: Path) -> None:
    within = _numbers().flat_map(lambda x: tf.data.Dataset.from_tensors(x).map(STATEFUL[op]))
    for dataset in (_numbers().map(STATEFUL[op]), within):
        tf.train.Checkpoint(iterator=iter(dataset)).save(str(tmp_path / "at"))
        strict = dataset.with_options(_policy(tf.data.experimental.ExternalStatePolicy.FAIL))
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"{op} is stateful .* defined at .*test_positions"):
            tf.train.Checkpoint(iterator=iter(strict)).save(str(tmp_path / "at"))


def test_functions_that_only_tell_or_look_up_have_no_state(tmp_path: Path) -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)

    def function(x: Any) -> Any:
        tf.debugging.assert_less(x, tf.constant(100, tf.int64))
        return table.lookup(x) + tf.numpy_function(lambda n: n, [x], tf.int64, stateful=False)

    strict = _numbers().map(function).with_options(_policy(tf.data.experimental.ExternalStatePolicy.FAIL))
    tf.train.Checkpoint(iterator=iter(strict)).save(str(tmp_path / "at"))


def test_a_position_that_lacks_state_comes_with_a_warning_where_the_policy_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    policy = _policy(tf.data.experimental.ExternalStatePolicy.WARN)
    iterator = _numbers().map(_host).with_options(policy).as_numpy_iterator()
    next(iterator)
    saved = iterator.save()
    assert "PyFunc is stateful" in caplog.text
    other = _numbers().map(_host).as_numpy_iterator()
    other.restore(saved)
    assert list(other) == [1, 2, 3, 4, 5]
