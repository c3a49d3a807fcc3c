"""Rows, strings and numbers as queues."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def all_of(fetched: Any, most: int = 100) -> list[Any]:
    """What runs give until the input is at its end."""
    coord = v1.train.Coordinator()
    found: list[Any] = []
    with v1.Session() as sess:
        sess.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        threads = v1.train.start_queue_runners(sess, coord)
        try:
            while len(found) < most:
                found.append(sess.run(fetched))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads, ignore_live_threads=False) if len(found) < most else [t.join(30) for t in threads]
    return found


def test_strings_come_in_order_as_often_as_is_asked(graph: Any) -> None:
    q = v1.train.string_input_producer(["a", "b"], num_epochs=2, shuffle=False)
    assert q.name == "input_producer"
    assert [v.name for v in v1.local_variables()] == ["input_producer/limit_epochs/epochs:0"]
    assert v1.global_variables() == []
    assert all_of(q.dequeue()) == [b"a", b"b", b"a", b"b"]


def test_rows_are_shuffled_each_time() -> None:
    v1.set_random_seed(3)
    q = v1.train.input_producer(np.arange(20), num_epochs=2)
    found = [int(n) for n in all_of(q.dequeue())]
    first, second = found[:20], found[20:]
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second != list(range(20))


def test_slices_are_rows_of_the_same_number() -> None:
    rows = v1.train.slice_input_producer([np.arange(5), np.arange(10).reshape(5, 2)], num_epochs=1, seed=2)
    assert [t.shape.as_list() for t in rows] == [[], [2]]
    found = all_of(rows)
    assert all(row.tolist() == [2 * n, 2 * n + 1] for n, row in found)
    assert sorted(int(n) for n, _ in found) == [0, 1, 2, 3, 4]


def test_without_a_limit_numbers_come_for_ever() -> None:
    q = v1.train.range_input_producer(3, shuffle=False)
    assert [int(n) for n in all_of(q.dequeue(), most=7)] == [0, 1, 2, 0, 1, 2, 0]
    assert v1.local_variables() == []


def test_a_run_without_its_local_variables_is_told() -> None:
    v1.train.range_input_producer(3, num_epochs=1)
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = v1.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.FailedPreconditionError, match="epochs"):
            coord.join(threads)


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda: v1.train.string_input_producer([]), ValueError, "non-null input tensor"),
        (lambda: v1.train.limit_epochs(1, num_epochs=0), ValueError, "num_epochs must be > 0 not 0"),
        (lambda: v1.train.slice_input_producer([]), ValueError, "at least one tensor"),
        (lambda: v1.train.input_producer(v1.placeholder(tf.int32)), ValueError, "rank|element_shape"),
        (lambda: v1.train.input_producer(v1.placeholder(tf.int32, [3, None])), ValueError, "element_shape"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], Any], kind: Any, said: str) -> None:
    with pytest.raises(kind, match=said):
        make()


def test_an_empty_tensor_of_strings_is_told_when_it_runs() -> None:
    v1.train.string_input_producer(v1.placeholder_with_default(np.array([], object), [None]))
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = v1.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.InvalidArgumentError, match="requires a non-null input tensor"):
            coord.join(threads)


def test_names_of_files_are_found_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    names = v1.train.match_filenames_once(str(tmp_path / "*.txt"))
    assert v1.local_variables() == [names]
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        (tmp_path / "b.txt").write_text("")
        assert sess.run(names).tolist() == [str(tmp_path / "a.txt").encode()]


def test_variables_count_up_to_a_limit() -> None:
    counter = v1.get_variable("counter", [], tf.int64, v1.zeros_initializer())
    following = v1.count_up_to(counter, 2)
    with v1.Session() as sess:
        sess.run(counter.initializer)
        assert [sess.run(following) for _ in range(2)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            sess.run(following)
        assert sess.run(counter) == 2
