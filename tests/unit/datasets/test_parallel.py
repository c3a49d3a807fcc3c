"""`map` with several elements in flight."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.data.node import Iteration

PATIENCE = 30.0


def numbers(dataset: Any) -> list[int]:
    return [int(v) for v in dataset.as_numpy_iterator()]


def called(function: Any, **how: Any) -> Any:
    """`map`'s function that calls a host function of one int64."""
    return lambda x: tf.numpy_function(function, [x], tf.int64, **how)


def failing_at(*wrong: int) -> Any:
    def checked(x: Any) -> Any:
        if x in wrong:
            raise ValueError(f"boo {x}")
        return x

    return checked


def outcomes(dataset: Any) -> list[Any]:
    """Elements, and the classes of errors in their places."""
    iterator, found = iter(dataset), list[Any]()
    while True:
        try:
            found.append(next(iterator).numpy().tolist())
        except StopIteration:
            return found
        except ValueError as error:
            found.append(str(error).splitlines()[0].rpartition("ValueError: ")[2])


@pytest.mark.parametrize("calls", [1, 2, 7, 100, tf.data.AUTOTUNE])
def test_the_order_is_kept(calls: int) -> None:
    assert numbers(tf.data.Dataset.range(50).map(called(lambda x: x * 2), num_parallel_calls=calls)) == [
        2 * i for i in range(50)
    ]


def test_as_many_calls_as_asked_for_run_at_once() -> None:
    together = threading.Barrier(8)

    def meet(x: Any) -> Any:
        together.wait(PATIENCE)
        return x

    assert numbers(tf.data.Dataset.range(16).map(called(meet), num_parallel_calls=8)) == list(range(16))


def test_without_order_an_element_does_not_wait_for_a_slow_one() -> None:
    others_are_through = threading.Event()

    def wait_for_the_others(x: Any) -> Any:
        if x == 0:
            assert others_are_through.wait(PATIENCE)
        return x

    dataset = tf.data.Dataset.range(4).map(called(wait_for_the_others), num_parallel_calls=2, deterministic=False)
    found = []
    for element in dataset:
        found.append(int(element))
        if len(found) == 3:
            others_are_through.set()
    assert sorted(found) == [0, 1, 2, 3]
    assert found[-1] == 0


def test_the_options_say_whether_the_order_is_kept_where_map_does_not() -> None:
    options = tf.data.Options()
    options.deterministic = False
    free = threading.Event()

    def hold_the_first(x: Any) -> Any:
        return x if x or free.wait(PATIENCE) else x

    dataset = tf.data.Dataset.range(3).map(called(hold_the_first), num_parallel_calls=3).with_options(options)
    iterator = iter(dataset)
    assert {int(next(iterator)), int(next(iterator))} == {1, 2}
    free.set()
    assert int(next(iterator)) == 0


def test_not_more_is_read_than_there_is_room_for() -> None:
    read: list[int] = []

    def note(x: Any) -> Any:
        read.append(int(x))
        return x

    dataset = tf.data.Dataset.range(100).map(called(note)).map(called(lambda x: x), num_parallel_calls=3)
    iterator = iter(dataset)
    next(iterator)
    assert len(read) <= 4


@pytest.mark.parametrize("how", [{}, {"num_parallel_calls": 3}, {"executor": "inline"}])
def test_what_an_element_raises_comes_in_its_place_and_iteration_goes_on(how: dict[str, Any]) -> None:
    dataset = tf.data.Dataset.range(7).map(called(failing_at(2, 5)), **how)
    assert outcomes(dataset) == [0, 1, "boo 2", 3, 4, "boo 5", 6]
    assert outcomes(dataset.prefetch(2)) == [0, 1, "boo 2", 3, 4, "boo 5", 6]


def test_what_cannot_be_read_is_raised_in_its_place() -> None:
    source = tf.data.Dataset.range(5).map(called(failing_at(1)))
    assert outcomes(source.map(called(lambda x: x), num_parallel_calls=2)) == [0, "boo 1", 2, 3, 4]


def test_an_error_says_which_element_of_which_stage() -> None:
    dataset = tf.data.Dataset.range(5).map(called(failing_at(3)), num_parallel_calls=2).prefetch(1)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        numbers(dataset)
    text = str(raised.value)
    assert text.startswith(
        "Error in user-defined function passed to ParallelMapDataset:1 transformation with iterator: "
        "Iterator::Root::Prefetch::ParallelMap: ValueError: boo 3\n"
    )
    assert "element 3 of ParallelMapDataset:1, function called.<locals>.<lambda>" in text
    assert isinstance(raised.value, ValueError)
    assert isinstance(raised.value.__cause__, ValueError)


def test_a_stop_iteration_of_the_function_ends_nothing() -> None:
    def stop(x: Any) -> Any:
        raise StopIteration("here")

    iterator = iter(tf.data.Dataset.range(2).map(called(stop), num_parallel_calls=2))
    for _ in range(2):
        with pytest.raises(tf.errors.OpError, match="StopIteration: here"):
            next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)


@pytest.mark.parametrize("calls", [0, -3])
def test_the_number_of_calls_must_be_positive(calls: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls must be greater than zero"):
        numbers(tf.data.Dataset.range(2).map(lambda x: x, num_parallel_calls=calls))


def test_an_executor_that_there_is_not_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="unknown executor 'elsewhere'"):
        tf.data.Dataset.range(2).map(lambda x: x, executor="elsewhere")
    with pytest.raises(TypeError, match="executor must be one of"):
        tf.data.Dataset.range(2).map(lambda x: x, executor=3)


def test_asynchronous_functions_are_in_flight_without_threads() -> None:
    arrived: list[int] = []
    before = threading.active_count()
    most = [0]

    async def meet(x: Any) -> Any:
        arrived.append(int(x))
        most[0] = max(most[0], threading.active_count())
        for _ in range(3000):
            if len(arrived) == 200:
                return x
            await asyncio.sleep(0.01)
        raise AssertionError("not all were in flight")

    assert numbers(tf.data.Dataset.range(200).map(called(meet), num_parallel_calls=200)) == list(range(200))
    assert most[0] <= before + 2


def test_calls_that_an_executor_runs_are_in_flight_too() -> None:
    together = threading.Barrier(3)

    def meet(x: Any) -> Any:
        together.wait(PATIENCE)
        return x

    with ThreadPoolExecutor(3) as pool:
        dataset = tf.data.Dataset.range(6).map(called(meet, executor=pool), num_parallel_calls=3)
        assert numbers(dataset) == list(range(6))


def test_datasets_within_parallel_functions_do_not_starve() -> None:
    inner = tf.data.Dataset.range(3).map(called(lambda x: x + 1), num_parallel_calls=2).prefetch(1)

    def total(x: Any) -> Any:
        return x + np.int64(sum(numbers(inner)))

    assert numbers(tf.data.Dataset.range(8).map(called(total), num_parallel_calls=2)) == [6 + i for i in range(8)]


def test_a_position_has_what_is_in_flight() -> None:
    dataset = tf.data.Dataset.range(12).map(called(lambda x: x * x), num_parallel_calls=4).prefetch(2).batch(2)
    cursor = Iteration(dataset.options()).opened(dataset._node)
    first = [next(cursor)[0].tolist() for _ in range(2)]
    state = cursor.state()
    again = Iteration(dataset.options()).opened(dataset._node)
    again.restore(state)
    rest, same = ([v[0].tolist() for v in c] for c in (cursor, again))
    assert first == [[0, 1], [4, 9]]
    assert rest == same == [[16, 25], [36, 49], [64, 81], [100, 121]]


def test_an_iteration_that_is_left_cancels_what_waits() -> None:
    began: list[int] = []
    go_on = threading.Event()

    def hold(x: Any) -> Any:
        began.append(int(x))
        assert not x or go_on.wait(PATIENCE)
        return x

    iterator = iter(tf.data.Dataset.range(1000).map(called(hold), num_parallel_calls=4))
    assert int(next(iterator)) == 0
    del iterator
    go_on.set()
    assert len(began) <= 5


@pytest.mark.parametrize(
    "how",
    [
        {"num_parallel_calls": 3},
        {"num_parallel_calls": tf.data.AUTOTUNE},
        {"executor": "threads"},
        {"executor": "processes"},
        {"executor": "auto"},
    ],
    ids=str,
)
def test_inline_runs_stay_on_the_thread_of_the_consumer(how: dict[str, Any]) -> None:
    def where(x: Any) -> Any:
        return np.array([os.getpid(), threading.get_ident()], np.int64)

    dataset = tf.data.Dataset.range(3).map(called(where, stateful=False), **how)
    with tf.debugging.run_inline():
        places = [place.tolist() for place in dataset.as_numpy_iterator()]
    assert places == [[os.getpid(), threading.get_ident()]] * 3


@pytest.mark.parametrize("ordered", [True, False])
def test_the_element_of_an_interrupted_call_is_computed_again(ordered: bool) -> None:
    """The consumer calls the function while it is short. Ctrl-C in it left an element that nobody computed."""
    interrupts, results = [KeyboardInterrupt()], list[Any]()

    def doubled(x: Any) -> Any:
        if x == 3 and interrupts and threading.current_thread() is consumer:
            raise interrupts.pop()
        return 2 * x

    def consume() -> None:
        dataset = tf.data.Dataset.range(8)
        elements = iter(dataset.map(called(doubled), tf.data.AUTOTUNE, deterministic=ordered))
        while True:
            try:
                results.append(int(next(elements)))
            except KeyboardInterrupt:
                results.append("interrupted")
            except StopIteration:
                return

    consumer = threading.Thread(target=consume, daemon=True)
    consumer.start()
    consumer.join(PATIENCE)
    assert not consumer.is_alive()
    assert results.count("interrupted") == 1 and not interrupts
    assert [r for r in results if r != "interrupted"] == [2 * n for n in range(8)]
