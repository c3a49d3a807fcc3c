"""Iterators in sessions and traced functions: what each session has, what ends with it, what threads share."""

from __future__ import annotations

import gc
import threading
import time
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.data.iterator_state import IteratorState, IteratorWalk
from inlay._src.data.node import Cursor, Iteration, Node

v1 = tf.compat.v1


def test_threads_share_an_iterator_and_lose_no_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all of them find it not begun."""
    opened = Iteration.opened

    def slowly(iteration: Iteration, node: Node) -> Cursor:
        time.sleep(0.1)
        return opened(iteration, node)

    monkeypatch.setattr(Iteration, "opened", slowly)
    with tf.Graph().as_default(), v1.Session() as session:
        following = v1.data.make_one_shot_iterator(tf.data.Dataset.range(200)).get_next()
        taken: list[int] = []

        def take() -> None:
            while True:
                try:
                    taken.append(int(session.run(following)))
                except tf.errors.OutOfRangeError:
                    return

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(taken) == list(range(200))


def test_each_loop_over_an_iterator_has_a_current_element_of_its_own() -> None:
    """Another thread may ask for the next element before this one has read its own."""
    iterator = iter(tf.data.Dataset.range(4))

    @tf.function
    def total(numbers: Any) -> Any:
        result = tf.constant(0, tf.int64)
        for number in numbers:
            result += number
        return result

    kinds = [node.type for node in total.get_concrete_function(iterator).graph.get_operations()]
    assert kinds.count("IteratorWalk") == 1
    walks = [IteratorWalk(value_of(iterator._components()[0])) for _ in range(2)]
    assert all(walk.advance() for walk in walks)
    assert [int(walk.current[0]) for walk in walks] == [0, 1]
    assert int(total(iterator)) == 5


def test_a_session_that_ends_ends_its_iterations() -> None:
    ended = threading.Event()

    def numbers() -> Any:
        try:
            yield from range(100)
        finally:
            ended.set()

    with tf.Graph().as_default():
        source = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32))
        iterator = v1.data.make_initializable_iterator(source)
        following = iterator.get_next()
        session = v1.Session()
        session.run(iterator.initializer)
        assert session.run(following) == 0
        session.close()
        del session
        gc.collect()
        assert ended.wait(30)


def test_beginning_again_ends_the_iteration_before() -> None:
    begun = []

    def numbers() -> Any:
        begun.append(len(begun))
        yield from range(3)

    with tf.Graph().as_default(), v1.Session() as session:
        source = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32))
        iterator = v1.data.make_initializable_iterator(source)
        following = iterator.get_next()
        for _ in range(3):
            session.run(iterator.initializer)
            assert [int(session.run(following)) for _ in range(2)] == [0, 1]
        assert begun == [0, 1, 2]


def test_an_iterator_of_a_function_ends_with_its_call() -> None:
    made: list[weakref.ref[Any]] = []
    before = IteratorState.begin

    def begin(self: Any, *args: Any) -> None:
        made.append(weakref.ref(self))
        before(self, *args)

    @tf.function
    def summed(count: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(count):
            total += x
        return total

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IteratorState, "begin", begin)
        assert int(summed(tf.constant(4, tf.int64))) == 6 and int(summed(tf.constant(5, tf.int64))) == 10
    gc.collect()
    assert len(made) == 2 and [ref() for ref in made] == [None, None]


def test_an_initializable_iterator_is_refused_while_eager() -> None:
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        tf.data.Dataset.range(3).make_initializable_iterator()
    assert [int(x) for x in tf.data.Dataset.range(3).make_one_shot_iterator()] == [0, 1, 2]


def test_python_iterates_no_dataset_while_a_graph_is_built() -> None:
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="only supports Python-style iteration in eager"):
        iter(tf.data.Dataset.range(3))


def summed(elements: Any) -> Any:
    total = tf.constant(0, tf.int64)
    for x in elements:
        total += x
    return total


def drawn(iterator: Any, count: int) -> Any:
    total = tf.constant(0, tf.int64)
    for _ in range(count):
        total += next(iterator)
    return total


unconverted = tf.autograph.experimental.do_not_convert
ENDLESS: dict[str, Any] = {
    "a dataset": lambda: tf.function(summed, autograph=False)(tf.data.Dataset.range(3)),
    "an iterator": lambda: tf.function(summed, autograph=False)(iter(tf.data.Dataset.range(3))),
    "made inside": lambda: tf.function(lambda: summed(tf.data.Dataset.range(3)), autograph=False)(),
    "do_not_convert": lambda: tf.function(lambda d: unconverted(summed)(d))(tf.data.Dataset.range(3)),
    "list": lambda: tf.function(lambda: list(tf.data.Dataset.range(3)))(),
    "next": lambda: tf.function(drawn, autograph=False)(iter(tf.data.Dataset.range(99)), 33),
}


@pytest.mark.parametrize("loop", ENDLESS)
def test_a_python_loop_over_a_dataset_that_would_not_end_says_what_to_do(loop: str) -> None:
    with pytest.raises(ValueError, match=r"unusually high number of .*AutoGraph.*\n.*Leave autograph=False .*reduce"):
        ENDLESS[loop]()


def test_what_is_written_down_is_read_each_time_a_function_is_traced() -> None:
    iterator = iter(tf.data.Dataset.range(100))
    traced = tf.function(drawn, autograph=False)
    assert int(traced(iterator, 32)) == sum(range(32))
    assert int(traced(iterator, 31)) == sum(range(32, 63)), "another trace"
    assert int(tf.function(drawn)(iterator, 37)) == sum(range(63, 100)), "converted code counts its own turns"


def test_converted_code_takes_enumerate_and_zip_of_datasets() -> None:
    @tf.function
    def weighted(dataset: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for i, x in enumerate(dataset, 1):
            total += i * x
        for x, y in zip(dataset, dataset):  # noqa: B905
            total += 100 * x * y
        return total

    assert int(weighted(tf.data.Dataset.range(5))) == 40 + 3000


def test_an_iterator_of_a_graph_is_not_iterated_there() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="'Iterator' object is not iterable: in a graph get_n"):
        list(v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)))


def test_an_error_of_one_element_is_located_and_the_next_one_comes() -> None:
    def fails(x: Any) -> Any:
        if x == 1:
            raise KeyError("boo")
        return x

    with tf.Graph().as_default(), v1.Session() as session:
        mapped = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(fails, [x], tf.int64))
        following = v1.data.make_one_shot_iterator(mapped).get_next()
        assert session.run(following) == 0
        with pytest.raises(KeyError, match="boo"):
            session.run(following)
        assert session.run(following) == 2
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)


def test_asking_for_the_string_handle_adds_no_operation() -> None:
    with tf.Graph().as_default() as graph:
        iterators = [
            v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)),
            v1.data.make_initializable_iterator(tf.data.Dataset.range(3)),
            v1.data.Iterator.from_structure(tf.int64),
        ]
        before = len(graph.get_operations())
        assert all(iterator.string_handle() is iterator.string_handle() for iterator in iterators)
        assert len(graph.get_operations()) == before
        assert [iterators[0].string_handle("foo").op.name for _ in range(2)] == ["foo", "foo_1"]


def test_many_calls_of_get_next_in_a_graph_warn() -> None:
    with tf.Graph().as_default():
        iterator = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(32):
                iterator.get_next()
        with pytest.warns(UserWarning, match=r"unusually high number of `Iterator.get_next\(\)` calls") as issued:
            iterator.get_next()
        assert issued[0].filename == __file__


def test_a_function_is_traced_once_for_iterators_of_one_spec() -> None:
    traces = []

    @tf.function
    def total(iterator: Any) -> Any:
        traces.append(iterator)
        result = np.int64(0)
        for element in iterator:
            result += element
        return result

    assert [int(total(iter(tf.data.Dataset.range(n)))) for n in (5, 10, 5)] == [10, 45, 10]
    assert int(total(iter(tf.data.Dataset.range(9).filter(lambda x: x > 6)))) == 15
    assert len(traces) == 1


def test_an_iterator_goes_on_where_a_function_left_it() -> None:
    @tf.function(input_signature=[tf.data.IteratorSpec(tf.TensorSpec((), tf.int64))])
    def two(iterator: Any) -> Any:
        return next(iterator), iterator.get_next()

    iterator = iter(tf.data.Dataset.range(5))
    assert [int(x) for x in two(iterator)] == [0, 1]
    assert int(next(iterator)) == 2
    assert [int(x) for x in two(iterator)] == [3, 4]
    with pytest.raises(tf.errors.OutOfRangeError):
        two(iterator)


def test_a_function_returns_iterators() -> None:
    made = tf.function(lambda count: iter(tf.data.Dataset.range(count).prefetch(1)))(tf.constant(4, tf.int64))
    passed = tf.function(lambda iterator: iterator)(iter(tf.data.Dataset.range(3)))
    gc.collect()
    assert [int(next(made)), int(made.get_next()), *map(int, made)] == [0, 1, 2, 3]
    assert [int(x) for x in passed] == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        passed.get_next()


def test_parts_of_a_dataset_are_of_one_graph() -> None:
    with tf.Graph().as_default():
        dataset, other = tf.data.Dataset.range(10), tf.data.Dataset.range(3)
        with tf.Graph().as_default():
            assert dataset.map(lambda x: x).element_spec.dtype is tf.int64
            for make in (lambda: dataset.batch(2), lambda: tf.data.Dataset.range(2).concatenate(dataset)):
                with pytest.raises(ValueError, match="must be from the same graph"):
                    make()
            alien = tf.data.Dataset.range(2)
        for make in (lambda: tf.data.Dataset.zip((other, alien)), lambda: other.concatenate(alien)):
            with pytest.raises(ValueError, match="must be from the same graph"):
                make()
        inner = tf.data.Dataset.range(2).flat_map(lambda x: dataset.take(x))
        following = v1.data.make_one_shot_iterator(inner.batch(9)).get_next()
        with v1.Session() as session:
            assert session.run(following).tolist() == [0]


def test_a_function_of_iterators_has_one_trace_for_those_that_are_alike() -> None:
    traces: list[Any] = []

    @tf.function
    def add(iterator: Any, other: Any) -> Any:
        traces.append(iterator.element_spec)
        return iterator.get_next() + other

    numbers = [iter(tf.data.Dataset.range(start, 100)) for start in (0, 50)]
    fractions = iter(tf.data.Dataset.from_tensor_slices([0.5, 1.5]))
    one = tf.constant(1, tf.int64)
    assert [int(add(i, one)) for _ in range(3) for i in numbers] == [1, 51, 2, 52, 3, 53]
    with tf.GradientTape():
        assert int(add(numbers[0], one)) == 4
    assert float(add(fractions, tf.constant(1.0))) == 1.5
    assert int(add(numbers[1], one)) == 54 and int(next(numbers[1])) == 54
    assert [spec.dtype for spec in traces] == [tf.int64, tf.float32]
